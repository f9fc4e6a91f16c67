"""`runout show` and `export`: what a saved preflop solution does at its decisions."""

import csv
import io
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from runout.arrays import FloatArray
from runout.cli.console import output, print_json, print_note
from runout.cli.formatting import (
    Json,
    format_bb,
    format_bytes,
    format_count_of,
    format_exploitability,
    format_json,
    format_mbb,
    format_percent,
)
from runout.cli.grids import HandGrid, StrategyGrid, grid_actions, legend, print_measure
from runout.cli.node_tables import choose_measure, print_comparison, print_quality, print_warnings
from runout.cli.options import (
    CompareOption,
    JsonFlag,
    MeasureOption,
    NodeOption,
    OptionError,
    RangeOption,
    SolutionArgument,
    describe_part,
    narrow,
    read_part,
    read_path,
    require_at_most_one,
)
from runout.cli.plots import draw_bars, plot_blocks
from runout.solutions.breakdown import Part
from runout.solutions.node import Measure, Node
from runout.solutions.node_files import document_head, node_to_json
from runout.solutions.preflop import PreflopSolution, PreflopView, RangesRound
from runout.solutions.run import open_run
from runout.solutions.values import ValueSource
from runout.storage.files import replace_file
from runout.trees.actions import format_amount
from runout.trees.betting import BB, BLIND_NAMES, SB

# --------------------------------------------------------------------------------------------------
# How a preflop solve went: value, exploitability, rounds, and where its values come from.


_CURVE_WIDTH = 70
_CURVE_HEIGHT = 8
_EXTRAPOLATED = "bold yellow"


def print_report(console: Console, nodes: PreflopView) -> None:
    """Prints all of it; the value and the exploitability come last."""
    solution = nodes.solution
    report = solution.report
    if len(report.curve_mbb) > 1:
        console.print("Exploitability in mbb/hand, by iteration", style="bold")
        console.print(ExploitabilityCurve(report.curve_mbb))
        console.print()
    if report.ranges_rounds:
        console.print("Rounds with the ranges that arrive on the flop", style="bold")
        console.print(_table_of_rounds(report.ranges_rounds))
        console.print()
    if report.flop_leaves:
        _print_leaves(console, nodes)
        console.print()
    sb, bb = (format_bb(solution.game_value_bb(player)) for player in (SB, BB))
    console.print(f"game value {sb} bb/hand for SB, {bb} bb/hand for BB")
    print_quality(console, nodes.quality)


def report_to_json(solution: PreflopSolution) -> Json:
    """Returns the same facts under their JSON names."""
    report = solution.report
    return {
        "game_value_bb": solution.game_value_bb(SB),
        "exploitability_mbb": report.exploitability_mbb,
        "real_exploitability_mbb": report.real_exploitability_mbb,
        "iterations": report.iterations,
        "preflop_seconds": report.seconds,
        "flop_leaves": {path: asdict(leaf) for path, leaf in report.flop_leaves.items()},
        "ranges_rounds": [asdict(done) for done in report.ranges_rounds],
        "curve_mbb": [list(point) for point in report.curve_mbb],
    }


def _print_leaves(console: Console, nodes: PreflopView) -> None:
    leaves = nodes.solution.report.flop_leaves
    sources = {leaf.source for leaf in leaves.values()}
    if sources == {ValueSource.RAW_EQUITY}:
        flops = "1 flop is" if len(leaves) == 1 else f"all {len(leaves)} flops are"
        console.print(
            f"{flops} checked down: raw equity, no bets after the flop",
            style=_EXTRAPOLATED,
        )
        return
    console.print("Flops and where their values come from", style="bold")
    console.print(_table_of_leaves(nodes))
    num_guessed = sum(leaf.source is ValueSource.EXTRAPOLATED for leaf in leaves.values())
    if num_guessed:
        were = "flop was" if num_guessed == 1 else "flops were"
        console.print(
            f"! {num_guessed} {were} extrapolated: add the SPR to postflop_sprs, or write auto",
            style=_EXTRAPOLATED,
        )


def _table_of_leaves(nodes: PreflopView) -> Table:
    solution = nodes.solution
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    table.add_column("")
    table.add_column("node")
    for heading in ("pot, bb", "SPR", "seen"):
        table.add_column(heading, justify="right")
    table.add_column("values")
    for leaf in solution.tree.flop_leaves():
        source = solution.report.flop_leaves[leaf.path]
        is_guessed = source.source in (ValueSource.EXTRAPOLATED, ValueSource.RAW_EQUITY)
        is_named = source.detail.startswith(source.source.value)
        words = source.detail if is_named else f"{source.source.value}, {source.detail}"
        table.add_row(
            "!" if is_guessed else "",
            leaf.path,
            format_amount(leaf.pot_bb),
            format_amount(leaf.spr),
            format_percent(nodes.share_of_deals(leaf.node), 1),
            words,
            style=_EXTRAPOLATED if is_guessed else None,
        )
    return table


def _table_of_rounds(rounds: Sequence[RangesRound]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    headings = ("round", "actions moved by", "preflop, mbb/hand", "worst flop, % of the pot")
    for heading in headings:
        table.add_column(heading, justify="right")
    for done in rounds:
        table.add_row(
            str(done.number),
            format_percent(done.change),
            format_mbb(done.exploitability_mbb),
            format_exploitability(done.flop_exploitability_pot, done.flop_exploitability_meaning),
        )
    return table


@dataclass(frozen=True)
class ExploitabilityCurve:
    """A plot that rich can print; both axes are logarithmic.

    Attributes:
        points: iteration and exploitability in mbb/hand, iterations rising.
    """

    points: Sequence[tuple[int, float]]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yields bars, the scale to their left and the iterations below."""
        logs = curve_columns(self.points, _CURVE_WIDTH)
        low, high = math.floor(logs.min()), math.ceil(logs.max())
        high = max(high, low + 1)
        heights = np.rint(1000 * (logs - low) / (high - low)).astype(np.int64)
        labels = {0: f"{10.0**high:,g}", _CURVE_HEIGHT - 1: f"{10.0**low:,g}"}
        width = max(map(len, labels.values()))
        bars = draw_bars(np.append(heights, 1000), _CURVE_HEIGHT, plot_blocks(options))
        for number, line in enumerate(bars):
            label = labels.get(number, "").rjust(width)
            yield Text.assemble((f"{label} ", "dim"), (line[:-1].rstrip(), "cyan"))
        first, last = (f"{self.points[end][0]:,}" for end in (0, -1))
        axis = first + last.rjust(_CURVE_WIDTH - len(first))
        yield Text(" " * (width + 1) + axis, style="dim")


def curve_columns(points: Sequence[tuple[int, float]], width: int) -> FloatArray:
    """Returns ``[width]`` log10 of a curve at iterations evenly spaced by their logarithm."""
    iterations, values = np.array(points, dtype=np.float64).T
    # An exploitability of 0 has no logarithm, and rounding can make it slightly negative.
    logs = np.log10(np.maximum(values, 1e-6))
    at = np.log(np.maximum(iterations, 1.0))
    columns: FloatArray = np.interp(np.linspace(at[0], at[-1], width), at, logs)
    return columns


# --------------------------------------------------------------------------------------------------
# A decision of a preflop solution for people: a title, a legend and the grid of all hands.


#: Facts that would make the title of a decision longer than this stand on a line of their own.
MAX_TITLE_COLUMNS = 80


def print_decisions(
    console: Console, nodes: Sequence[Node], measure: Measure | None = None
) -> None:
    """Prints the grids of some decisions, one below the other."""
    for number, node in enumerate(nodes):
        if number > 0:
            console.print()
        print_decision(console, node, measure)


def print_decision(console: Console, node: Node, measure: Measure | None = None) -> None:
    """Prints who decides after what, how often each action is taken, and the grid.

    Args:
        console: where.
        node: a decision before the flop.
        measure: what the grid shows of the hands; by default what they do.
    """
    actor = node.actor or 0
    print_title(console, node)
    actions = grid_actions(
        [action.kind for action in node.actions], [action.label for action in node.actions]
    )
    console.print(legend(console, actions, node.frequency().tolist()))
    console.print(_combos_line(node), style="dim")
    console.print()
    if measure not in (None, Measure.STRATEGY):
        print_measure(console, node, actor, measure)
        return
    grid = StrategyGrid(actions, node.strategy, node.weights[actor])
    console.print(grid)
    if caption := grid.caption(console):
        console.print(caption, style="dim")


def print_range(console: Console, node: Node, player: int) -> None:
    """Prints how much of each hand a player brings to a node."""
    print_title(console, node)
    what = f"{BLIND_NAMES[player]}'s range there: % of each hand that plays to this point"
    console.print(what, soft_wrap=True)
    console.print()
    console.print(HandGrid(node.weights[player].clip(0.0, 1.0)))


def print_title(console: Console, node: Node, mark: str = "") -> None:
    """Prints who decides after what, how often, and for how much."""
    console.print(Text(mark).append_text(_title(node)), soft_wrap=True)


def _combos_line(node: Node) -> str:
    """Returns the actions' shares of combos, and how to read a cell."""
    held = node.combos(node.actor or 0)
    shares = [
        format_percent(taken / held, 1) if held > 0.0 else "-"
        for taken in node.combos_taken().tolist()
    ]
    return f"of combos, as charts count: {' / '.join(shares)}   a cell R62 C: R 62 %, then mostly C"


def _title(node: Node) -> Text:
    title = Text(node.label, style="bold")
    facts = [f"pot {format_amount(node.pot)} bb"]
    if node.path:
        seen = format_percent(node.reach or 0.0, 1)
        facts = [f"node {node.path}", f"{seen} of deals", *facts]
    actor = node.actor or 0
    value = node.range_ev(actor) - node.invested[actor]  # what is won, blinds included
    facts.append("never reached" if math.isnan(value) else f"EV {format_bb(value)} bb")
    text = ", ".join(facts)
    gap = "   " if len(title) + 3 + len(text) <= MAX_TITLE_COLUMNS else "\n"
    return title.append(f"{gap}{text}", "not bold")


# --------------------------------------------------------------------------------------------------
# `runout export`: every decision of a preflop solution with all hands, as JSON or CSV.


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


# --------------------------------------------------------------------------------------------------
# `runout show`: what a saved preflop solution does at its decisions.


class Player(StrEnum):
    """The two players, as on the command line."""

    SB = "sb"
    BB = "bb"


def show_solution(
    path: SolutionArgument,
    node: NodeOption = None,
    player: Annotated[
        Player | None,
        typer.Option(
            "--player", "-p", help="Only this one's decisions; with --node, or its range there."
        ),
    ] = None,
    hands: RangeOption = None,
    measure: MeasureOption = None,
    compare: CompareOption = None,
    json: JsonFlag = False,
) -> None:
    """Show a solution: the first decision and the answers to it, or any node."""
    require_at_most_one({"--show": measure is not None, "--json": json})
    nodes = open_run(path)
    wanted = None if player is None else [p.value for p in Player].index(player.value)
    part = replace(read_part(hands, None), player=wanted)
    if compare is not None:
        _compare(nodes, (node or "", compare), part, measure, json)
        return
    if node is None:
        decisions = [
            decision
            for decision in nodes.standard_nodes()
            if wanted is None or nodes.actor(decision) == wanted
        ]
    else:
        decisions = [nodes.find_decision(node)]
    if json:
        print_json(solution_to_json(nodes, decisions, part))
        return
    found = [narrow(nodes.node_at(decision), part) for decision in decisions]
    if node is None:
        print_decisions(output(), found, measure)
        output().print()
        print_report(output(), nodes)
        return
    _print_node(nodes, found[0], part, measure)


def _print_node(nodes: PreflopView, node: Node, part: Part, measure: Measure | None) -> None:
    console, player = output(), part.player_at(node)
    if player == node.actor:
        print_decision(console, node, measure)
    elif measure is Measure.STRATEGY:
        problem = f"{node.players[player]} does not act here, give ev, equity, eqr or reach"
        raise OptionError("--show strategy", problem)
    elif measure is None:
        print_range(console, node, player)
    else:
        print_title(console, node)
        console.print()
        print_measure(console, node, player, measure)
    if not part.is_whole:
        console.print(describe_part(nodes.node(node.path), node, player), style="dim")
    console.print()
    print_quality(console, nodes.quality)
    print_warnings(console, node)
    further = [
        f"--node {node.path_after(action.code)} ({action.label})"
        for action in node.actions
        if nodes.node(node.path_after(action.code)).actor is not None
    ]
    if further and player == node.actor:
        answering = BLIND_NAMES[1 - node.actor]
        console.print(f"{answering} answers at {', '.join(further)}", style="dim", soft_wrap=True)


def _compare(
    nodes: PreflopView, paths: tuple[str, str], part: Part, asked: Measure | None, json: bool
) -> None:
    """Prints two decisions side by side."""
    numbers = [nodes.find_decision(path) for path in paths]
    if json:
        print_json(solution_to_json(nodes, numbers, part))
        return
    whole = nodes.node_at(numbers[0])
    part = replace(part, player=part.player_at(whole))
    first, second = (narrow(nodes.node_at(number), part) for number in numbers)
    player = part.player_at(first)
    measure = choose_measure((first, second), player, asked)
    console = output()
    for number, node in enumerate((first, second), start=1):
        print_title(console, node, f"{number}  ")
    console.print()
    print_comparison(console, (first, second), player, measure)
    console.print()
    print_quality(console, nodes.quality)
    for node in (first, second):
        print_warnings(console, node)
