"""`runout show`, `export`, `ranges` and `trace-hand`: what a saved preflop solution does."""

import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any, Literal, TextIO

import numpy as np
from rich.text import Text

from runout.arrays import FloatArray
from runout.cards.deck import HAND_BY_COMBO, HAND_NAMES
from runout.cards.ranges import Range
from runout.cli import node_tables, options
from runout.cli.console import Shown, print_json, print_parts, write_document, write_to
from runout.cli.formatting import (
    Json,
    bold,
    dim,
    format_count_of,
    format_exploitability,
    format_mbb,
    format_percent,
    format_signed,
    json_number,
)
from runout.cli.grids import grid_parts, legend, measure_parts, node_actions, value_grid
from runout.cli.options import argument, flag, option
from runout.cli.plots import ExploitabilityCurve
from runout.errors import OptionError
from runout.solutions.breakdown import Part
from runout.solutions.node import Measure, Node
from runout.solutions.node_files import document_head, node_to_json
from runout.solutions.preflop import PreflopSolution, PreflopView
from runout.solutions.run import open_run
from runout.solutions.sheet import Column, Sheet, columns, write_csv
from runout.solutions.values import ValueSource
from runout.trees.actions import format_amount
from runout.trees.betting import BB, BLIND_NAMES, SB
from runout.trees.paths import join_path

#: Hands that come less often than this are left out of ranges unless they are asked for.
SMALLEST_WEIGHT = 0.005
#: Digits of a weight in range text.
_WEIGHT_DIGITS = 2

#: Facts that would make the title of a decision longer than this stand on a line of their own.
MAX_TITLE_COLUMNS = 80

_EXTRAPOLATED = "bold yellow"

#: Columns of the CSV of `export`.
CSV_COLUMNS = "node actor action label hand weight frequency action_ev_bb ev_bb".split()

_Player = Literal["sb", "bb"]
_PLAYER = "Only this one's decisions; with --node, or its range there."


def show_solution(
    path: options.SolutionArgument,
    node: options.NodeOption = None,
    player: Annotated[_Player | None, flag("--player -p", _PLAYER)] = None,
    hands: options.RangeOption = None,
    measure: Annotated[Measure | None, options.MEASURE] = None,
    compare: options.CompareOption = None,
    json: options.JsonFlag = False,
) -> None:
    """Show a solution: the first decision and the answers to it, or any node."""
    options.require_at_most_one({"--show": measure is not None, "--json": json})
    view = open_run(path)
    part = replace(options.read_part(hands, None), player=_number_of(player))
    if compare is not None:
        decisions = [view.find_decision(one) for one in (node or "", compare)]
    elif node is not None:
        decisions = [view.find_decision(node)]
    else:
        standard = view.standard_nodes()
        decisions = [one for one in standard if part.player in (None, view.actor(one))]
    if json:
        print_json(solution_to_json(view, decisions, part))
        return
    if compare is not None:
        part = replace(part, player=part.player_at(view.node_at(decisions[0])))
    found = [options.narrow(view.node_at(decision), part) for decision in decisions]
    if compare is not None:
        both = node_tables.comparison_parts(
            found, list(map(_title, found)), part.player_at(found[0]), measure
        )
        print_parts(*both, "", *node_tables.quality_lines(view.quality, *found))
    elif node is not None:
        print_parts(*_node_parts(view, found[0], part, measure))
    else:
        print_parts(*decision_parts(found, measure), "", *report_parts(view))


def _number_of(player: _Player | None) -> int | None:
    return None if player is None else BLIND_NAMES.index(player.upper())


def _node_parts(view: PreflopView, node: Node, part: Part, measure: Measure | None) -> list[Shown]:
    player = part.player_at(node)
    node_tables.require_acting(node, player, measure)
    if player == node.actor:
        parts = decision_parts([node], measure)
    elif measure is not None:
        parts = [_title(node), "", *measure_parts(node, player, measure)]
    else:
        what = "range there: % of each hand that plays to this point"
        grid = value_grid(node.weights[player].clip(0.0, 1.0))
        parts = [_title(node), f"{BLIND_NAMES[player]}'s {what}", "", grid]
    if not part.is_whole:
        parts.append(dim(options.describe_part(view.node(node.path), node, player)))
    parts += ["", *node_tables.quality_lines(view.quality, node)]
    further = [
        f"--node {node.path_after(action.code)} ({action.label})"
        for action in node.actions
        if view.node(node.path_after(action.code)).actor is not None
    ]
    if further and player == node.actor:
        parts.append(dim(f"{BLIND_NAMES[1 - node.actor]} answers at {', '.join(further)}"))
    return parts


def decision_parts(nodes: Sequence[Node], measure: Measure | None = None) -> list[Shown]:
    """Returns of decisions before the flop who decides after what, how often, and the grids."""
    parts: list[Shown] = []
    for number, node in enumerate(nodes):
        actor = node.actor or 0
        held = node.combos(actor)
        taken = [combos / held if held > 0.0 else math.nan for combos in node.combos_taken()]
        shares = " / ".join(format_percent(share, 1) for share in taken)
        reading = "a cell R62 C: R 62 %, then mostly C"
        parts += [""] if number > 0 else []
        parts += [_title(node), legend(node_actions(node), node.frequency().tolist())]
        parts += [dim(f"of combos, as charts count: {shares}   {reading}"), ""]
        parts += grid_parts(node, actor, measure)
    return parts


def _title(node: Node) -> Text:
    """Returns who decides after what, how often, and for how much."""
    facts = [f"pot {format_amount(node.pot)} bb"]
    if node.path:
        seen = format_percent(node.reach or 0.0, 1)
        facts = [f"node {node.path}", f"{seen} of deals", *facts]
    actor = node.actor or 0
    value = node.range_ev(actor)
    facts.append("never reached" if math.isnan(value) else f"EV {format_signed(value)} bb")
    text = ", ".join(facts)
    gap = "   " if len(node.label) + 3 + len(text) <= MAX_TITLE_COLUMNS else "\n"
    return bold(node.label).append(f"{gap}{text}", "not bold")


def report_parts(view: PreflopView) -> list[Shown]:
    """Returns how a preflop solve went; the value and the exploitability come last."""
    solution = view.solution
    report = solution.report
    parts: list[Shown] = []
    if len(report.curve_mbb) > 1:
        heading = bold("Exploitability in mbb/hand, by iteration")
        parts += [heading, ExploitabilityCurve(report.curve_mbb), ""]
    if report.ranges_rounds:
        heading = bold("Rounds with the ranges that arrive on the flop")
        parts += [heading, _rounds_sheet(solution), ""]
    if report.flop_leaves:
        parts += [*_leaf_parts(view), ""]
    sb, bb = (format_signed(solution.game_value_bb(player)) for player in (SB, BB))
    value = f"game value {sb} bb/hand for SB, {bb} bb/hand for BB"
    return [*parts, value, *node_tables.quality_lines(view.quality)]


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
    headings = (">round", ">actions moved by", ">preflop, mbb/hand", ">worst flop, % of the pot")
    sheet = Sheet(columns(*headings))
    for done in solution.report.ranges_rounds:
        worst = done.flop_exploitability_pot, done.flop_exploitability_meaning
        moved, left = format_percent(done.change), format_mbb(done.exploitability_mbb)
        sheet.add(done.number, moved, left, format_exploitability(*worst))
    return sheet


def _leaf_parts(view: PreflopView) -> list[Shown]:
    """Returns where the values of flops come from."""
    leaves = view.solution.report.flop_leaves
    sources = [leaf.source for leaf in leaves.values()]
    if set(sources) == {ValueSource.RAW_EQUITY}:
        flops = "1 flop is" if len(leaves) == 1 else f"all {len(leaves)} flops are"
        checked_down = f"{flops} checked down: raw equity, no bets after the flop"
        return [Text(checked_down, style=_EXTRAPOLATED)]
    headings = columns("", "node", ">pot, bb", ">SPR", ">seen")
    sheet = Sheet((*headings, Column("values", wraps=True)))
    for leaf in view.solution.tree.flop_leaves():
        known = leaves[leaf.path]
        is_guessed = known.source in (ValueSource.EXTRAPOLATED, ValueSource.RAW_EQUITY)
        is_named = known.detail.startswith(known.source.value)
        sheet.add(
            "!" if is_guessed else "",
            leaf.path,
            format_amount(leaf.pot_bb),
            format_amount(leaf.spr),
            format_percent(view.share_of_deals(leaf.node), 1),
            known.detail if is_named else f"{known.source.value}, {known.detail}",
            style=_EXTRAPOLATED if is_guessed else "",
        )
    parts: list[Shown] = [bold("Flops and where their values come from"), sheet]
    if num_guessed := sources.count(ValueSource.EXTRAPOLATED):
        were = "flop was" if num_guessed == 1 else "flops were"
        advice = "add the SPR to postflop_sprs, or write auto"
        parts.append(Text(f"! {num_guessed} {were} extrapolated: {advice}", style=_EXTRAPOLATED))
    return parts


def export_solution(
    path: options.SolutionArgument,
    layout: Annotated[
        Literal["json", "csv"], flag("--format -f", "One document, or a row per number.")
    ] = "json",
    file: Annotated[Path | None, option("--output -o", "FILE", "Default: stdout.")] = None,
    node: options.NodeOption = None,
    json: options.JsonFlag = False,
) -> None:
    """Write every decision: who acts, what can be done, how likely and worth what, for all hands.

    The CSV has a row for each node, action and hand. EVs are big blinds back from the pot minus
    those put in from the node on, so that folding is 0.
    """
    if json and layout != "json":
        raise OptionError("--json", f"is another format than --format {layout}, give one of them")
    view = open_run(path)
    decisions = view.decisions() if node is None else [view.find_decision(node)]

    def write(stream: TextIO) -> int:
        if layout == "json":
            write_document(solution_to_json(view, decisions), stream)
        else:
            write_csv(CSV_COLUMNS, _rows(map(view.node_at, decisions)), stream)
        return len(decisions)

    write_to(file, "decision", write)


def solution_to_json(view: PreflopView, decisions: Sequence[int], part: Part | None = None) -> Json:
    """Returns how a solution went, and some of its decisions with the numbers of a part's hands."""
    part = part or Part()
    return {
        **document_head(view.quality),
        **report_to_json(view.solution),
        "nodes": [node_to_json(part.of(view.node_at(node))) for node in decisions],
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


_ROUND = "Of a run with ranges_rounds: of this round, 0 for the one before."
_EXACT = "Keep hands below 0.5 %, and all digits of weights."


def show_ranges(
    path: options.SolutionArgument,
    node: Annotated[str, option("--node -n", "PATH", "Actions from the start: r2:c.")] = "",
    after: Annotated[str, option("--after -a", "PATH", "More actions after the node: c.")] = "",
    player: Annotated[_Player | None, flag("--player -p", "Only this one's, as bare text.")] = None,
    round_number: Annotated[int | None, flag("--round", _ROUND)] = None,
    exact: Annotated[bool, flag("--exact", _EXACT)] = False,
    layout: Annotated[
        Literal["text", "csv", "json"], flag("--format -f", "How to write them.")
    ] = "text",
    json: options.JsonFlag = False,
) -> None:
    """Print both players' ranges at a node, also where the betting is over.

    A weight says how often a hand plays to the node; what --player prints is read by --oop and --ip
    of solve-spot.
    """
    if json and layout == "csv":
        raise OptionError("--json", "is another format than --format csv, give one of them")
    view: PreflopView = open_run(path)
    if round_number is not None:
        view = _at_round(view.solution, round_number)
    number = view.tree.find_node(join_path(node.strip(), after.strip()))
    weights = {
        who: _weights_at(view.solution.range_at(number, index), exact)
        for index, who in enumerate(BLIND_NAMES)
        if _number_of(player) in (None, index)
    }
    ranges = {who: Range(held[HAND_BY_COMBO]) for who, held in weights.items()}
    if json or layout == "json":
        print_json(_ranges_to_json(view, number, ranges, weights))
    elif layout == "csv":
        keys = ("hand", *(who.lower() for who in weights))
        rows = zip(HAND_NAMES, *(held.tolist() for held in weights.values()), strict=True)
        write_csv(keys, rows, sys.stdout)
    elif player is not None:
        print(*map(str, ranges.values()))
    else:
        place = view.describe_path(number) or "before the first decision"
        parts: list[Shown] = [bold(f"{place}: pot {view.tree.pot(number):g} bb")]
        for who, held in ranges.items():
            combos = format_count_of(round(held.num_combos, 1), "combo")
            parts.append(f"\n{who}, {combos}, {format_percent(held.percentage / 100.0, 1)}")
            parts.append(str(held) or "nothing")
        print_parts(*parts)


def _at_round(solution: PreflopSolution, number: int) -> PreflopView:
    """Returns the nodes as a round left them; raises `OptionError` if there is no such round."""
    last = solution.num_rounds
    if not (last and 0 <= number <= last):
        allowed = f"it has 0 to {last}" if last else "its flops were not solved again in rounds"
        raise OptionError("--round", f"{number} is no round of this run, {allowed}")
    return PreflopView(solution.of_round(number))


def _weights_at(held: Range, exact: bool) -> FloatArray:
    """Returns ``[169]`` how much of each hand is in a range, to be shown."""
    weights = held.hand_weights()
    if exact:
        return weights
    return np.where(weights < SMALLEST_WEIGHT, 0.0, np.round(weights, _WEIGHT_DIGITS))


def _ranges_to_json(
    view: PreflopView, node: int, ranges: dict[str, Range], weights: dict[str, FloatArray]
) -> Json:
    tree = view.tree
    return {
        "node": tree.path(node),
        "description": view.describe_path(node),
        "pot_bb": tree.pot(node),
        "stack_behind_bb": tree.stack_behind(node),
        "share_of_deals": view.share_of_deals(node),
        "ranges": {
            who: {
                "range": str(held),
                "num_combos": held.num_combos,
                "weight_by_hand": dict(zip(HAND_NAMES, weights[who].tolist(), strict=True)),
            }
            for who, held in ranges.items()
        },
    }


def trace_hand(
    path: options.SolutionArgument,
    hand: Annotated[str, argument("HAND", "A class such as AKs, or two cards: AhKh.")],
    json: options.JsonFlag = False,
) -> None:
    """Show what a hand does at every decision it gets to, with what each action wins."""
    index = parse_any_hand(hand)
    view = open_run(path)
    decisions: list[list[Node]] = [[] for _ in BLIND_NAMES]
    for number in view.decisions():
        decisions[view.actor(number)].append(view.node_at(number))
    if json:
        documents = [[_decision_to_json(node, index) for node in found] for found in decisions]
        players = dict(zip(BLIND_NAMES, documents, strict=True))
        print_json({"hand": HAND_NAMES[index], **players})
        return
    for player, found in enumerate(decisions):
        head = bold(f"{HAND_NAMES[index]} as {BLIND_NAMES[player]}")
        value = _format_ev(view.node().ev[player, index])
        between = [""] if player > 0 else []
        lines = _trace_lines(found, player, index)
        print_parts(*between, head.append(f"   EV {value}", "not bold"), *lines)


def parse_any_hand(text: str) -> int:
    """Returns the canonical hand of a class such as ``AKs`` or of two cards such as ``AhKh``."""
    return int(HAND_BY_COMBO[node_tables.read_hand(text)[0]])


def _trace_lines(decisions: Sequence[Node], player: int, hand: int) -> list[Text]:
    """Returns what a hand does where it gets to: how likely, and what it wins from there."""
    lines = []
    present = [node for node in decisions if node.weights[player, hand] >= options.SMALLEST_REACH]
    for node in present:
        reach = float(node.weights[player, hand])
        share = "" if round(reach, 3) >= 1.0 else f", plays to here {format_percent(reach, 1)}"
        value = _format_ev(node.ev[player, hand])
        lines.append(Text(f"  {node.label}: EV {value}{share}"))
        width = max(len(action.label) for action in node.actions)
        for _, label, frequency, ev in node_tables.combo_actions(node, hand).rows:
            often, worth = format_percent(frequency, 1), _format_ev(ev)
            style = "" if frequency >= options.SMALLEST_REACH else "dim"
            lines.append(Text(f"    {label.ljust(width)}  {often:>6}  {worth:>10}", style=style))
    if hidden := len(decisions) - len(present):
        what = "decision that it never gets" if hidden == 1 else "decisions that it never gets"
        lines.append(dim(f"  and {hidden} {what} to"))
    return lines


def _format_ev(value: float) -> str:
    return "never seen" if math.isnan(value) else f"{format_signed(value)} bb"


def _decision_to_json(node: Node, hand: int) -> Json:
    player = node.actor or 0
    return {
        "path": node.path,
        "weight": float(node.weights[player, hand]),
        "ev": json_number(float(node.ev[player, hand])),
        "invested": node.invested[player],
        "actions": node_tables.combo_actions(node, hand).records(),
    }
