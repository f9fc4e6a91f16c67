"""`runout spot report`: a node with every card that can come, or could have come, side by side."""

import csv
import math
from collections.abc import Callable
from typing import Annotated, NamedTuple, TextIO

import numpy as np
import typer
from rich.console import Console
from rich.text import Text

from runout.arrays import FloatArray
from runout.cards.card import format_card, format_cards
from runout.cli.console import output
from runout.cli.formatting import Json, format_count_of
from runout.cli.options import JsonFlag, OptionError, require_at_most_one
from runout.cli.output_files import write_document, write_to
from runout.cli.quality_lines import print_quality, print_warnings
from runout.cli.spot_node import format_chips, format_share, plain_table, print_wide
from runout.cli.spot_show import (
    CsvFlag,
    FlopOption,
    NodeOption,
    OutputOption,
    SpotArgument,
    SprOption,
    opening_spot,
)
from runout.errors import quote
from runout.trees.actions import format_amount
from runout.views.card_report import CardReport, CardRow, CardsView, report_cards
from runout.views.node_files import document_head
from runout.views.node_json import node_summary_to_json, rounded

_BY_CARD = "card"
_LOCKED = " locked"


class Column(NamedTuple):
    """One number of every card.

    Attributes:
        key: its name for ``--sort``, and in CSV.
        heading: in the table.
        values: ``[K]`` of the cards.
        mean: of all cards.
        form: writes a number in the table.
    """

    key: str
    heading: str
    values: FloatArray
    mean: float
    form: Callable[[float], str]


def report_spot(
    path: SpotArgument,
    node: NodeOption = "",
    flop: FlopOption = None,
    spr: SprOption = None,
    sort: Annotated[
        str,
        typer.Option(
            "--sort",
            "-s",
            metavar="COLUMN",
            help="card, share, an action such as b59, or ev-oop, equity-ip, eqr-ip, ...",
        ),
    ] = _BY_CARD,
    csv: CsvFlag = False,
    file: OutputOption = None,
    json: JsonFlag = False,
) -> None:
    """Show every card that can come at a node: what is done then, EV, equity and EQR.

    At a node where a card is dealt these are the decisions after it; at any other node those of the
    same line with another card. Cards that differ by suits only are one row.
    """
    require_at_most_one({"--json": json, "--csv": csv})
    if spr is not None and flop is None:
        raise OptionError("--spr", "goes with --flop only")
    if file is not None and not (json or csv):
        raise OptionError("--output", "takes what --json or --csv write")
    with opening_spot(path, flop, spr, node) as (view, note):
        report = report_cards(view, node)
        columns = columns_of(report)
        order = _order(columns, sort)
        if json:
            document = {**document_head(view.quality), **report_to_json(report, columns, order)}
            write_to(file, "document", lambda stream: write_document(document, stream))
        elif csv:
            write_to(file, "row", lambda stream: write_report_csv(report, columns, order, stream))
        else:
            _print(view, report, columns, order)
            if note:
                output().print(note, soft_wrap=True, markup=False)


def columns_of(report: CardReport) -> list[Column]:
    """Returns how often each card comes, what is done then, and what both players get."""
    nodes = [row.node for row in report.rows]
    first = nodes[0]
    columns = [Column("share", "share", report.shares(), 1.0, format_share)]
    if first.actor is not None:
        frequencies = np.stack([node.frequency() for node in nodes], axis=1)
        for action, values in zip(first.actions, frequencies, strict=True):
            mean = report.mean(values)
            columns.append(Column(action.code, action.label, values, mean, format_share))
    for player, name in enumerate(first.players):
        ev = np.array([node.range_ev(player) for node in nodes])
        equity = np.array([node.range_equity(player) for node in nodes])
        eqr = np.array([node.eqr(player) for node in nodes])
        mean_ev, mean_equity = report.mean(ev), report.mean(equity)
        share = first.pot * mean_equity
        mean_eqr = mean_ev / share if share > 0.0 else math.nan
        end = name.lower()
        columns += [
            Column(f"ev-{end}", f"{name} EV", ev, mean_ev, format_chips),
            Column(f"equity-{end}", "equity", equity, mean_equity, format_share),
            Column(f"eqr-{end}", "EQR", eqr, mean_eqr, format_share),
        ]
    return columns


def _order(columns: list[Column], key: str) -> list[int]:
    """Returns the rows in the order of a column, the largest number first; cards from aces down.

    Raises:
        OptionError: if there is no such column.
    """
    keys = [_BY_CARD, *(column.key for column in columns)]
    if key not in keys:
        raise OptionError("--sort", f"{quote(key)} is no column, use one of {', '.join(keys)}")
    if key == _BY_CARD:
        return list(range(len(columns[0].values)))
    values = columns[keys.index(key) - 1].values
    return [int(row) for row in np.argsort(-np.nan_to_num(values, nan=-math.inf), kind="stable")]


def _print(view: CardsView, report: CardReport, columns: list[Column], order: list[int]) -> None:
    console = output()
    console.print(_title(report), soft_wrap=True)
    console.print()
    table = plain_table("card", right=tuple(column.heading for column in columns))
    for number in order:
        row = report.rows[number]
        cells = [column.form(float(column.values[number])) for column in columns]
        is_chosen = report.chosen in row.cards
        table.add_row(_name(row), *cells, style="bold" if is_chosen else None)
    table.add_row("all", *(column.form(column.mean) for column in columns), style="dim")
    print_wide(console, table)
    console.print()
    _print_notes(console, view, report)


def _name(row: CardRow) -> str:
    return row.name + (_LOCKED if row.node.is_locked else "")


def _title(report: CardReport) -> Text:
    first, before = report.rows[0].node, report.before
    who = first.label if first.actor is None else f"{first.players[first.actor]} acts"
    cards = format_count_of(sum(len(row.cards) for row in report.rows), "card")
    title = Text(f"{who} after {cards} on {format_cards(before.board)}", style="bold")
    line = _line(report)
    return title.append(f"   node {line}, pot {format_amount(first.pot)}", "not bold")


def _line(report: CardReport) -> str:
    """Returns the path of all rows, with CARD where theirs is."""
    first = report.rows[0]
    dealt = report.before.path_after(format_card(first.cards[0]))
    return report.before.path_after("CARD") + first.node.path.removeprefix(dealt)


def _print_notes(console: Console, view: CardsView, report: CardReport) -> None:
    shares = "share: how often the card comes, of the deals played on this line; all: the mean"
    console.print(shares, style="dim", soft_wrap=True)
    print_quality(console, view.quality)
    likeliest = max((row.node for row in report.rows), key=lambda node: node.reach or 0.0)
    print_warnings(console, likeliest)


def report_to_json(report: CardReport, columns: list[Column], order: list[int]) -> Json:
    """Returns a report under JSON names; nodes are told without their hands."""
    shares = report.shares()
    return {
        "path": _line(report),
        "before": report.before.path,
        "chosen": None if report.chosen is None else format_card(report.chosen),
        "mean": {column.key: rounded(column.mean) for column in columns},
        "rows": [
            {
                "cards": [format_card(card) for card in report.rows[number].cards],
                "share": rounded(float(shares[number])),
                **node_summary_to_json(report.rows[number].node),
            }
            for number in order
        ],
    }


def write_report_csv(
    report: CardReport, columns: list[Column], order: list[int], stream: TextIO
) -> int:
    """Writes a line for each row, and returns how many there are."""
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["card", "cards", "alike", *(column.key for column in columns)])
    for number in order:
        cards = [format_card(card) for card in report.rows[number].cards]
        numbers = [rounded(float(column.values[number])) for column in columns]
        cells = ["" if value is None else value for value in numbers]
        writer.writerow([cards[0], len(cards), " ".join(cards[1:]), *cells])
    return len(order)
