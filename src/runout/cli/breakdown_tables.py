"""A range cut into parts, as tables, JSON and CSV."""

import csv
import math
from enum import StrEnum
from typing import TextIO

from rich.console import Console

from runout.cli.formatting import Json, format_count
from runout.cli.spot_node import format_chips, format_share, plain_table, print_wide
from runout.trees.betting import Street
from runout.views.breakdown import BreakdownRow, draw_rows, equity_rows, made_hand_rows
from runout.views.node import Node
from runout.views.node_json import rounded


class Cut(StrEnum):
    """Into what a range is cut."""

    CLASS = "class"
    EQUITY = "equity"


def cut_range(node: Node, player: int, cut: Cut) -> dict[str, list[BreakdownRow]]:
    """Returns the parts of a player's range, by what they are called.

    Raises:
        CardError: if hands are to be cut by class before the flop.
    """
    if cut is Cut.EQUITY:
        return {"equity": equity_rows(node, player)}
    made = {"made hand": made_hand_rows(node, player)}
    return made if node.street is Street.RIVER else made | {"draw": draw_rows(node, player)}


def print_cuts(console: Console, node: Node, player: int, cut: Cut) -> None:
    """Prints a table for each way to cut, with a row for each part."""
    labels = tuple(action.label for action in node.actions) if player == node.actor else ()
    headings = ("combos", "of the range", "equity", "EV", *labels)
    for number, (name, rows) in enumerate(cut_range(node, player, cut).items()):
        table = plain_table(f"{node.players[player]}'s {name}", right=headings)
        for row in rows:
            table.add_row(
                row.name,
                format_count(row.combos),
                format_share(row.share),
                format_share(row.equity),
                format_chips(row.ev),
                *map(format_share, row.frequency.tolist()),
            )
        if number > 0:
            console.print()
        print_wide(console, table)


def cuts_to_json(node: Node, player: int, cut: Cut) -> Json:
    """Returns the parts of a range under JSON names."""
    return {
        "path": node.path,
        "player": node.players[player],
        "actions": [action.code for action in node.actions] if player == node.actor else [],
        "parts": {
            name: [_row_to_json(row) for row in rows]
            for name, rows in cut_range(node, player, cut).items()
        },
    }


def _row_to_json(row: BreakdownRow) -> Json:
    return {
        "name": row.name,
        "combos": rounded(row.combos),
        "share": rounded(row.share),
        "equity": rounded(row.equity),
        "ev": rounded(row.ev),
        "frequency": [rounded(share) for share in row.frequency.tolist()],
    }


def write_cuts_csv(node: Node, player: int, cut: Cut, stream: TextIO) -> int:
    """Writes a row for each part, and returns how many there are."""
    codes = [action.code for action in node.actions] if player == node.actor else []
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["cut", "part", "combos", "share", "equity", "ev", *codes])
    num_rows = 0
    for name, rows in cut_range(node, player, cut).items():
        for row in rows:
            numbers = [row.combos, row.share, row.equity, row.ev, *row.frequency.tolist()]
            cells = ["" if math.isnan(number) else rounded(number) for number in numbers]
            writer.writerow([name, row.name, *cells])
            num_rows += 1
    return num_rows
