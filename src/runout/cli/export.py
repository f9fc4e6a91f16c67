"""`runout export`: every decision of a preflop solution with all hands, as JSON or CSV."""

import csv
import io
from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from runout.cards.canonical_hands import HAND_NAMES
from runout.cli.console import print_note
from runout.cli.formatting import Json, format_bytes, format_count_of, format_json, json_numbers
from runout.cli.options import JsonFlag, OptionError, read_path
from runout.cli.preflop_report import report_to_json
from runout.cli.solutions import NodeOption, SolutionArgument, SolvedNodes, open_solution
from runout.storage.files import replace_file
from runout.trees.preflop_betting import PLAYER_NAMES

CSV_COLUMNS = (
    "node",
    "actor",
    "action",
    "label",
    "hand",
    "reach",
    "probability",
    "action_ev_bb",
    "node_ev_bb",
)


class ExportFormat(StrEnum):
    """How a solution is written."""

    JSON = "json"
    CSV = "csv"


def export_solution(
    path: SolutionArgument,
    layout: Annotated[
        ExportFormat, typer.Option("--format", "-f", help="One document, or a row per number.")
    ] = ExportFormat.JSON,
    file: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", parser=read_path, help="Default: stdout."),
    ] = None,
    node: NodeOption = None,
    json: JsonFlag = False,
) -> None:
    """Write every decision: who acts, what can be done, how likely and worth what, for all hands.

    The CSV has a row for each node, action and hand; EVs are in big blinds, blinds included.
    """
    if json and layout is not ExportFormat.JSON:
        raise OptionError("--json", f"is another format than --format {layout}, give one of them")
    nodes = open_solution(path)
    decisions = nodes.decisions() if node is None else [nodes.find_decision(node)]
    text = _as_json(nodes, decisions) if layout is ExportFormat.JSON else _as_csv(nodes, decisions)
    if file is None:
        print(text, end="")
        return
    try:
        replace_file(file, text.encode())
    except OSError as error:
        raise OptionError(f"--output {file}", error.strerror or str(error)) from None
    size = format_bytes(len(text.encode()))
    print_note(f"wrote {file}, {format_count_of(len(decisions), 'decision')}, {size}")


def node_to_json(nodes: SolvedNodes, node: int) -> Json:
    """Returns a decision with its numbers by hand, in the order of ``hands``; None for unknown."""
    tree, actor = nodes.tree, nodes.actor(node)
    ev_bb, frequencies = nodes.solution.ev_bb, nodes.frequencies(node)
    actions = [
        {
            "action": tree.action_code(child),
            "label": tree.action_label(child),
            "frequency": frequency,
            "probability": json_numbers(nodes.solution.strategy[child]),
            "ev_bb": json_numbers(ev_bb[actor, child]),
        }
        for child, frequency in zip(tree.layout.children(node), frequencies, strict=True)
    ]
    return {
        "node": tree.path(node),
        "description": nodes.describe_decision(node),
        "actor": PLAYER_NAMES[actor],
        "pot_bb": float(tree.pot_bb[node]),
        "reach": {
            name: json_numbers(nodes.reach[player][node])
            for player, name in enumerate(PLAYER_NAMES)
        },
        "ev_bb": {
            name: json_numbers(ev_bb[player, node]) for player, name in enumerate(PLAYER_NAMES)
        },
        "actions": actions,
    }


def _as_json(nodes: SolvedNodes, decisions: Sequence[int]) -> str:
    document = {
        **report_to_json(nodes.solution),
        "hands": list(HAND_NAMES),
        "nodes": [node_to_json(nodes, node) for node in decisions],
    }
    return format_json(document) + "\n"


def _as_csv(nodes: SolvedNodes, decisions: Sequence[int]) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for node in decisions:
        writer.writerows(_rows(nodes, node))
    return stream.getvalue()


def _rows(nodes: SolvedNodes, node: int) -> Iterator[list[Any]]:
    tree, actor = nodes.tree, nodes.actor(node)
    ev_bb = nodes.solution.ev_bb[actor]
    for child in tree.layout.children(node):
        for hand, name in enumerate(HAND_NAMES):
            numbers = (
                nodes.reach[actor][node, hand],
                nodes.solution.strategy[child, hand],
                ev_bb[child, hand],
                ev_bb[node, hand],
            )
            cells = ["" if number != number else float(number) for number in numbers]
            yield [
                tree.path(node),
                PLAYER_NAMES[actor],
                tree.action_code(child),
                tree.action_label(child),
                name,
                *cells,
            ]
