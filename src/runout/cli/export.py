"""`runout export`: every decision of a preflop solution with all hands, as JSON or CSV."""

import csv
import io
from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from runout.cli.console import print_note
from runout.cli.formatting import Json, format_bytes, format_count_of, format_json
from runout.cli.options import JsonFlag, OptionError, read_path
from runout.cli.preflop_report import report_to_json
from runout.cli.solutions import NodeOption, SolutionArgument
from runout.storage.files import replace_file
from runout.views.node import Node
from runout.views.node_files import document_head
from runout.views.node_json import node_to_json
from runout.views.preflop_view import PreflopView
from runout.views.run_view import open_run
from runout.views.selection import Part

CSV_COLUMNS = (
    "node",
    "actor",
    "action",
    "label",
    "hand",
    "weight",
    "frequency",
    "action_ev_bb",
    "ev_bb",
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

    The CSV has a row for each node, action and hand. EVs are big blinds back from the pot minus
    those put in from the node on, so that folding is 0.
    """
    if json and layout is not ExportFormat.JSON:
        raise OptionError("--json", f"is another format than --format {layout}, give one of them")
    nodes = open_run(path)
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


def solution_to_json(
    nodes: PreflopView, decisions: Sequence[int], part: Part | None = None
) -> Json:
    """Returns how a solution went, and some of its decisions with all numbers by hand.

    Args:
        nodes: the solution.
        decisions: the numbers of its nodes.
        part: which hands are told, by default all.
    """
    part = part or Part()
    return {
        **document_head(nodes.quality),
        **report_to_json(nodes.solution),
        "nodes": [node_to_json(part.of(nodes.node_at(node))) for node in decisions],
    }


def _as_json(nodes: PreflopView, decisions: Sequence[int]) -> str:
    return format_json(solution_to_json(nodes, decisions)) + "\n"


def _as_csv(nodes: PreflopView, decisions: Sequence[int]) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for node in decisions:
        writer.writerows(_rows(nodes.node_at(node)))
    return stream.getvalue()


def _rows(node: Node) -> Iterator[list[Any]]:
    actor = node.actor or 0
    for number, action in enumerate(node.actions):
        for hand, name in enumerate(node.hand_space.names):
            numbers = (
                node.weights[actor, hand],
                node.strategy[number, hand],
                node.action_ev[number, hand],
                node.ev[actor, hand],
            )
            cells = ["" if number != number else float(number) for number in numbers]
            facts = [node.path, node.players[actor], action.code, action.label, name]
            yield [*facts, *cells]
