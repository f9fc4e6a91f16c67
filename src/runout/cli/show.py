"""`runout show`, `export`, `ranges` and `trace-hand`: what a saved preflop solution does."""

import io
import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from runout.arrays import FloatArray
from runout.cards.deck import HAND_BY_COMBO, HAND_NAMES
from runout.cards.ranges import HandRange, format_range
from runout.cli.console import output, print_json, print_note
from runout.cli.formatting import (
    Json,
    format_bytes,
    format_count_of,
    format_exploitability,
    format_json,
    format_mbb,
    format_percent,
    format_signed,
    json_number,
)
from runout.cli.grids import HandGrid, legend, print_measure
from runout.cli.node_tables import (
    actions_sheet,
    looks,
    print_comparison,
    print_grid,
    print_quality,
    read_hand,
    require_acting,
)
from runout.cli.options import (
    SMALLEST_REACH,
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
from runout.cli.sheets import Column, Sheet, columns_of, write_csv
from runout.solutions.breakdown import Part
from runout.solutions.node import Measure, Node
from runout.solutions.node_files import document_head, node_to_json
from runout.solutions.preflop import PreflopSolution, PreflopView
from runout.solutions.run import open_run
from runout.solutions.values import ValueSource
from runout.storage.files import replace_file
from runout.trees.actions import format_amount
from runout.trees.betting import BB, BLIND_NAMES, SB
from runout.trees.paths import PATH_SEPARATOR

#: Hands that come less often than this are left out of ranges unless they are asked for.
SMALLEST_WEIGHT = 0.005
#: Digits of a weight in range text.
_WEIGHT_DIGITS = 2

#: Facts that would make the title of a decision longer than this stand on a line of their own.
MAX_TITLE_COLUMNS = 80

_CURVE_WIDTH = 70
_CURVE_HEIGHT = 8
_EXTRAPOLATED = "bold yellow"

#: Columns of the CSV of `export`.
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


class Player(StrEnum):
    """The two players, as on the command line."""

    SB = "sb"
    BB = "bb"


class ExportFormat(StrEnum):
    """How a solution is written."""

    JSON = "json"
    CSV = "csv"


class RangeFormat(StrEnum):
    """How ranges are written."""

    TEXT = "text"
    CSV = "csv"
    JSON = "json"


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
    wanted = None if player is None else list(Player).index(player)
    part = replace(read_part(hands, None), player=wanted)
    if compare is not None:
        decisions = [nodes.find_decision(one) for one in (node or "", compare)]
    elif node is not None:
        decisions = [nodes.find_decision(node)]
    else:
        standard = nodes.standard_nodes()
        decisions = [one for one in standard if wanted is None or nodes.actor(one) == wanted]
    if json:
        print_json(solution_to_json(nodes, decisions, part))
        return
    if compare is not None:
        part = replace(part, player=part.player_at(nodes.node_at(decisions[0])))
    found = [narrow(nodes.node_at(decision), part) for decision in decisions]
    console = output()
    if compare is not None:
        first, second = found
        print_comparison(console, (first, second), part.player_at(first), measure, _title)
        console.print()
        print_quality(console, nodes.quality, first, second)
    elif node is not None:
        _print_node(console, nodes, found[0], part, measure)
    else:
        print_decisions(console, found, measure)
        console.print()
        print_report(console, nodes)


def _print_node(
    console: Console, nodes: PreflopView, node: Node, part: Part, measure: Measure | None
) -> None:
    player = part.player_at(node)
    require_acting(node, player, measure)
    if player == node.actor:
        print_decision(console, node, measure)
    else:
        console.print(_title(node), soft_wrap=True)
        if measure is None:
            what = "range there: % of each hand that plays to this point"
            console.print(f"{BLIND_NAMES[player]}'s {what}", soft_wrap=True)
        console.print()
        if measure is None:
            console.print(HandGrid(node.weights[player].clip(0.0, 1.0)))
        else:
            print_measure(console, node, player, measure)
    if not part.is_whole:
        console.print(describe_part(nodes.node(node.path), node, player), style="dim")
    console.print()
    print_quality(console, nodes.quality, node)
    further = [
        f"--node {node.path_after(action.code)} ({action.label})"
        for action in node.actions
        if nodes.node(node.path_after(action.code)).actor is not None
    ]
    if further and player == node.actor:
        answering = BLIND_NAMES[1 - node.actor]
        console.print(f"{answering} answers at {', '.join(further)}", style="dim", soft_wrap=True)


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
    console.print(_title(node), soft_wrap=True)
    console.print(legend(console, looks(node), node.frequency().tolist()))
    held = node.combos(actor)
    taken = node.combos_taken().tolist()
    shares = [format_percent(combos / held, 1) if held > 0.0 else "-" for combos in taken]
    reading = "a cell R62 C: R 62 %, then mostly C"
    console.print(f"of combos, as charts count: {' / '.join(shares)}   {reading}", style="dim")
    console.print()
    print_grid(console, node, actor, measure)


def _title(node: Node) -> Text:
    """Returns who decides after what, how often, and for how much."""
    title = Text(node.label, style="bold")
    facts = [f"pot {format_amount(node.pot)} bb"]
    if node.path:
        seen = format_percent(node.reach or 0.0, 1)
        facts = [f"node {node.path}", f"{seen} of deals", *facts]
    actor = node.actor or 0
    value = node.range_ev(actor) - node.invested[actor]  # what is won, blinds included
    facts.append("never reached" if math.isnan(value) else f"EV {format_signed(value)} bb")
    text = ", ".join(facts)
    gap = "   " if len(title) + 3 + len(text) <= MAX_TITLE_COLUMNS else "\n"
    return title.append(f"{gap}{text}", "not bold")


def print_report(console: Console, nodes: PreflopView) -> None:
    """Prints how a preflop solve went; the value and the exploitability come last."""
    solution = nodes.solution
    report = solution.report
    if len(report.curve_mbb) > 1:
        console.print("Exploitability in mbb/hand, by iteration", style="bold")
        console.print(ExploitabilityCurve(report.curve_mbb))
        console.print()
    if report.ranges_rounds:
        console.print("Rounds with the ranges that arrive on the flop", style="bold")
        console.print(_rounds_sheet(solution).table())
        console.print()
    if report.flop_leaves:
        _print_leaves(console, nodes)
        console.print()
    sb, bb = (format_signed(solution.game_value_bb(player)) for player in (SB, BB))
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


def _rounds_sheet(solution: PreflopSolution) -> Sheet:
    headings = ("round", "actions moved by", "preflop, mbb/hand", "worst flop, % of the pot")
    sheet = Sheet(columns_of(str, *headings))
    for done in solution.report.ranges_rounds:
        worst = done.flop_exploitability_pot, done.flop_exploitability_meaning
        moved, left = format_percent(done.change), format_mbb(done.exploitability_mbb)
        sheet.add(done.number, moved, left, format_exploitability(*worst))
    return sheet


def _print_leaves(console: Console, nodes: PreflopView) -> None:
    """Prints where the values of flops come from."""
    leaves = nodes.solution.report.flop_leaves
    sources = [leaf.source for leaf in leaves.values()]
    if set(sources) == {ValueSource.RAW_EQUITY}:
        flops = "1 flop is" if len(leaves) == 1 else f"all {len(leaves)} flops are"
        checked_down = f"{flops} checked down: raw equity, no bets after the flop"
        console.print(checked_down, style=_EXTRAPOLATED)
        return
    numbers = columns_of(str, "pot, bb", "SPR", "seen")
    sheet = Sheet((*columns_of(None, "", "node"), *numbers, Column("values", wraps=True)))
    for leaf in nodes.solution.tree.flop_leaves():
        known = leaves[leaf.path]
        is_guessed = known.source in (ValueSource.EXTRAPOLATED, ValueSource.RAW_EQUITY)
        is_named = known.detail.startswith(known.source.value)
        sheet.add(
            "!" if is_guessed else "",
            leaf.path,
            format_amount(leaf.pot_bb),
            format_amount(leaf.spr),
            format_percent(nodes.share_of_deals(leaf.node), 1),
            known.detail if is_named else f"{known.source.value}, {known.detail}",
            style=_EXTRAPOLATED if is_guessed else "",
        )
    console.print("Flops and where their values come from", style="bold")
    console.print(sheet.table())
    if num_guessed := sources.count(ValueSource.EXTRAPOLATED):
        were = "flop was" if num_guessed == 1 else "flops were"
        advice = "add the SPR to postflop_sprs, or write auto"
        console.print(f"! {num_guessed} {were} extrapolated: {advice}", style=_EXTRAPOLATED)


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
    if layout is ExportFormat.JSON:
        text = format_json(solution_to_json(nodes, decisions)) + "\n"
    else:
        stream = io.StringIO()
        write_csv(CSV_COLUMNS, _rows(map(nodes.node_at, decisions)), stream)
        text = stream.getvalue()
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


def _rows(nodes: Iterable[Node]) -> Iterator[tuple[Any, ...]]:
    """Yields a row of the CSV for each node, action and hand."""
    for node in nodes:
        actor = node.actor or 0
        for number, action in enumerate(node.actions):
            facts = (node.path, node.players[actor], action.code, action.label)
            played, worth = node.strategy[number], node.action_ev[number]
            arrays = (node.weights[actor], played, worth, node.ev[actor])
            numbers = zip(node.hand_space.names, *(row.tolist() for row in arrays), strict=True)
            yield from ((*facts, *cells) for cells in numbers)


def show_ranges(
    path: SolutionArgument,
    node: Annotated[
        str, typer.Option("--node", "-n", metavar="PATH", help="Actions from the start: r2-c.")
    ] = "",
    after: Annotated[
        str, typer.Option("--after", "-a", metavar="PATH", help="More actions after the node: c.")
    ] = "",
    player: Annotated[
        Player | None, typer.Option("--player", "-p", help="Only this one's, as bare text.")
    ] = None,
    round_number: Annotated[
        int | None,
        typer.Option(
            "--round", help="Of a run with ranges_rounds: of this round, 0 for the one before."
        ),
    ] = None,
    exact: Annotated[
        bool, typer.Option("--exact", help="Keep hands below 0.5 %, and all digits of weights.")
    ] = False,
    layout: Annotated[
        RangeFormat, typer.Option("--format", "-f", help="How to write them.")
    ] = RangeFormat.TEXT,
    json: JsonFlag = False,
) -> None:
    """Print both players' ranges at a node, also where the betting is over.

    A weight says how often a hand plays to the node; what --player prints is read by --oop and --ip
    of solve-spot.
    """
    if json and layout is RangeFormat.CSV:
        raise OptionError("--json", "is another format than --format csv, give one of them")
    nodes: PreflopView = open_run(path)
    if round_number is not None:
        nodes = _at_round(nodes.solution, round_number)
    number = nodes.tree.find_node(PATH_SEPARATOR.join(filter(None, (node.strip(), after.strip()))))
    weights = {
        who: _weights_at(nodes.solution.range_at(number, index), exact)
        for index, who in enumerate(BLIND_NAMES)
        if player is None or player.value == who.lower()
    }
    if json or layout is RangeFormat.JSON:
        print_json(_ranges_to_json(nodes, number, weights))
    elif layout is RangeFormat.CSV:
        keys = ("hand", *(who.lower() for who in weights))
        rows = zip(HAND_NAMES, *(held.tolist() for held in weights.values()), strict=True)
        write_csv(keys, rows, sys.stdout)
    elif player is not None:
        (only,) = weights.values()
        print(format_range(_range_of(only)))
    else:
        _print_both(nodes, number, weights)


def _at_round(solution: PreflopSolution, number: int) -> PreflopView:
    """Returns the nodes as a round left them.

    Raises:
        OptionError: if the run has no such round.
    """
    last = solution.num_rounds
    if not (last and 0 <= number <= last):
        allowed = f"it has 0 to {last}" if last else "its flops were not solved again in rounds"
        raise OptionError("--round", f"{number} is no round of this run, {allowed}")
    return PreflopView(solution.of_round(number))


def _weights_at(held: HandRange, exact: bool) -> FloatArray:
    """Returns ``[169]`` how much of each hand is in a range, to be shown."""
    weights = held.hand_weights()
    if exact:
        return weights
    return np.where(weights < SMALLEST_WEIGHT, 0.0, np.round(weights, _WEIGHT_DIGITS))


def _range_of(weights: FloatArray) -> HandRange:
    return HandRange(weights[HAND_BY_COMBO])


def _print_both(nodes: PreflopView, node: int, weights: dict[str, FloatArray]) -> None:
    console = output()
    place = nodes.describe_path(node) or "before the first decision"
    console.print(f"{place}: pot {nodes.tree.pot(node):g} bb", style="bold", soft_wrap=True)
    for who, of_player in weights.items():
        held = _range_of(of_player)
        combos = format_count_of(round(held.num_combos, 1), "combo")
        console.print(f"\n{who}, {combos}, {format_percent(held.percentage / 100.0, 1)}")
        console.print(format_range(held) or "nothing", soft_wrap=True, markup=False)


def _ranges_to_json(nodes: PreflopView, node: int, weights: dict[str, FloatArray]) -> Json:
    tree = nodes.tree
    return {
        "node": tree.path(node),
        "description": nodes.describe_path(node),
        "pot_bb": tree.pot(node),
        "stack_behind_bb": tree.stack_behind(node),
        "share_of_deals": nodes.share_of_deals(node),
        "ranges": {
            who: {
                "range": format_range(_range_of(of_player)),
                "num_combos": _range_of(of_player).num_combos,
                "weight_by_hand": dict(zip(HAND_NAMES, of_player.tolist(), strict=True)),
            }
            for who, of_player in weights.items()
        },
    }


def trace_hand(
    path: SolutionArgument,
    hand: Annotated[
        str, typer.Argument(metavar="HAND", help="A class such as AKs, or two cards: AhKh.")
    ],
    json: JsonFlag = False,
) -> None:
    """Show what a hand does at every decision it gets to, with what each action wins."""
    index = parse_any_hand(hand)
    nodes = open_run(path)
    decisions: list[list[Node]] = [[] for _ in BLIND_NAMES]
    for number in nodes.decisions():
        decisions[nodes.actor(number)].append(nodes.node_at(number))
    if json:
        documents = [[_decision_to_json(node, index) for node in found] for found in decisions]
        players = dict(zip(BLIND_NAMES, documents, strict=True))
        print_json({"hand": HAND_NAMES[index], **players})
        return
    console = output()
    for player, found in enumerate(decisions):
        if player > 0:
            console.print()
        head = Text(f"{HAND_NAMES[index]} as {BLIND_NAMES[player]}", style="bold")
        value = _format_ev(nodes.solution.ev_bb[player, 0, index])
        console.print(head.append(f"   EV {value}", "not bold"))
        _print_decisions_of(console, found, player, index)


def parse_any_hand(text: str) -> int:
    """Returns the canonical hand of a class such as ``AKs`` or of two cards such as ``AhKh``.

    Raises:
        CardError: if it is neither.
    """
    return int(HAND_BY_COMBO[read_hand(text)[0]])


def _print_decisions_of(
    console: Console, decisions: Sequence[Node], player: int, hand: int
) -> None:
    """Prints what a hand does where it gets to: how likely, and what it wins, blinds included."""
    present = [node for node in decisions if node.weights[player, hand] >= SMALLEST_REACH]
    for node in present:
        reach, invested = float(node.weights[player, hand]), node.invested[player]
        share = "" if round(reach, 3) >= 1.0 else f", plays to here {format_percent(reach, 1)}"
        console.print(f"  {node.label}: EV {_format_ev(node.ev[player, hand] - invested)}{share}")
        width = max(len(action.label) for action in node.actions)
        for _, label, frequency, ev in actions_sheet(node, hand).rows:
            often, worth = format_percent(frequency, 1), _format_ev(ev - invested)
            style = "" if frequency >= SMALLEST_REACH else "dim"
            console.print(Text(f"    {label.ljust(width)}  {often:>6}  {worth:>10}", style=style))
    if hidden := len(decisions) - len(present):
        what = "decision that it never gets" if hidden == 1 else "decisions that it never gets"
        console.print(f"  and {hidden} {what} to", style="dim")


def _format_ev(value: float) -> str:
    return "never seen" if math.isnan(value) else f"{format_signed(value)} bb"


def _decision_to_json(node: Node, hand: int) -> Json:
    player = node.actor or 0
    return {
        "path": node.path,
        "weight": float(node.weights[player, hand]),
        "ev": json_number(float(node.ev[player, hand])),
        "invested": node.invested[player],
        "actions": actions_sheet(node, hand).records(),
    }
