"""`runout ranges` and `trace-hand`: hands and ranges of a preflop solution."""

import csv
import io
import math
from enum import StrEnum
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.text import Text

from runout.arrays import FloatArray
from runout.cards.deck import HAND_BY_COMBO, HAND_NAMES, parse_canonical_hand, parse_combo
from runout.cards.ranges import HandRange, format_range
from runout.cli.console import output, print_json
from runout.cli.formatting import Json, format_bb, format_count_of, format_percent, json_number
from runout.cli.options import SMALLEST_REACH, JsonFlag, OptionError, SolutionArgument
from runout.cli.show import Player
from runout.solutions.node import Node
from runout.solutions.preflop import PreflopSolution, PreflopView
from runout.solutions.run import open_run
from runout.trees.betting import BLIND_NAMES
from runout.trees.paths import PATH_SEPARATOR

# --------------------------------------------------------------------------------------------------
# `runout ranges`: the ranges that arrive at any node of a preflop solution.


#: Hands that come less often than this are left out unless they are asked for.
SMALLEST_WEIGHT = 0.005
#: Digits of a weight in range text.
_WEIGHT_DIGITS = 2


class RangeFormat(StrEnum):
    """How ranges are written."""

    TEXT = "text"
    CSV = "csv"
    JSON = "json"


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
        _print_as_json(nodes, number, weights)
    elif layout is RangeFormat.CSV:
        print(_as_csv(weights), end="")
    elif player is not None:
        (only,) = weights.values()
        print(_format(only))
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


def _format(weights: FloatArray) -> str:
    return format_range(HandRange(weights[HAND_BY_COMBO]))


def _print_both(nodes: PreflopView, node: int, weights: dict[str, FloatArray]) -> None:
    console = output()
    place = nodes.describe_path(node) or "before the first decision"
    console.print(f"{place}: pot {nodes.tree.pot(node):g} bb", style="bold", soft_wrap=True)
    for who, of_player in weights.items():
        held = HandRange(of_player[HAND_BY_COMBO])
        combos = format_count_of(round(held.num_combos, 1), "combo")
        console.print(f"\n{who}, {combos}, {format_percent(held.percentage / 100.0, 1)}")
        console.print(_format(of_player) or "nothing", soft_wrap=True, markup=False)


def _print_as_json(nodes: PreflopView, node: int, weights: dict[str, FloatArray]) -> None:
    tree = nodes.tree
    print_json(
        {
            "node": tree.path(node),
            "description": nodes.describe_path(node),
            "pot_bb": tree.pot(node),
            "stack_behind_bb": tree.stack_behind(node),
            "share_of_deals": nodes.share_of_deals(node),
            "ranges": {
                who: {
                    "range": _format(of_player),
                    "num_combos": HandRange(of_player[HAND_BY_COMBO]).num_combos,
                    "weight_by_hand": dict(zip(HAND_NAMES, of_player.tolist(), strict=True)),
                }
                for who, of_player in weights.items()
            },
        }
    )


def _as_csv(weights: dict[str, FloatArray]) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["hand", *(who.lower() for who in weights)])
    for hand, name in enumerate(HAND_NAMES):
        writer.writerow([name, *(float(of_player[hand]) for of_player in weights.values())])
    return stream.getvalue()


# --------------------------------------------------------------------------------------------------
# `runout trace-hand`: what one hand does wherever it gets to, and what that is worth.


_COMBO_LENGTH = 4


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
    if json:
        print_json(
            {
                "hand": HAND_NAMES[index],
                **{
                    name: [_decision_to_json(node, index) for node in _decisions(nodes, player)]
                    for player, name in enumerate(BLIND_NAMES)
                },
            }
        )
        return
    console = output()
    for player in range(len(BLIND_NAMES)):
        if player > 0:
            console.print()
        _print_player(console, nodes, player, index)


def parse_any_hand(text: str) -> int:
    """Returns the canonical hand of a class such as ``AKs`` or of two cards such as ``AhKh``.

    Raises:
        CardError: if it is neither.
    """
    if len(text) == _COMBO_LENGTH:
        return int(HAND_BY_COMBO[parse_combo(text)])
    return parse_canonical_hand(text)


def _decisions(nodes: PreflopView, player: int) -> list[Node]:
    return [nodes.node_at(node) for node in nodes.decisions() if nodes.actor(node) == player]


def _print_player(console: Console, nodes: PreflopView, player: int, hand: int) -> None:
    value = nodes.solution.ev_bb[player, 0, hand]
    head = Text(f"{HAND_NAMES[hand]} as {BLIND_NAMES[player]}", style="bold")
    console.print(head.append(f"   EV {_format_ev(value)}", "not bold"))
    decisions = _decisions(nodes, player)
    present = [node for node in decisions if node.weights[player, hand] >= SMALLEST_REACH]
    for node in present:
        reach = float(node.weights[player, hand])
        share = "" if round(reach, 3) >= 1.0 else f", plays to here {format_percent(reach, 1)}"
        value = node.ev[player, hand] - node.invested[player]
        console.print(f"  {node.label}: EV {_format_ev(value)}{share}")
        for line in _action_lines(node, player, hand):
            console.print(line)
    if len(present) < len(decisions):
        hidden = len(decisions) - len(present)
        what = "decision that it never gets" if hidden == 1 else "decisions that it never gets"
        console.print(f"  and {hidden} {what} to", style="dim")


def _action_lines(node: Node, player: int, hand: int) -> list[Text]:
    """Returns a line for each action: how likely, a bar, and what it wins, blinds included."""
    width = max(len(action.label) for action in node.actions)
    lines = []
    for number, action in enumerate(node.actions):
        frequency = float(node.strategy[number, hand])
        value = node.action_ev[number, hand] - node.invested[player]
        often, worth = format_percent(frequency, 1), _format_ev(value)
        text = f"    {action.label.ljust(width)}  {often:>6}  {worth:>10}"
        lines.append(Text(text, style="" if frequency >= SMALLEST_REACH else "dim"))
    return lines


def _format_ev(value: float) -> str:
    return "never seen" if math.isnan(value) else f"{format_bb(value)} bb"


def _decision_to_json(node: Node, hand: int) -> Json:
    player = node.actor or 0
    actions: list[dict[str, Any]] = [
        {
            "code": action.code,
            "label": action.label,
            "frequency": float(node.strategy[number, hand]),
            "ev": json_number(float(node.action_ev[number, hand])),
        }
        for number, action in enumerate(node.actions)
    ]
    return {
        "path": node.path,
        "weight": float(node.weights[player, hand]),
        "ev": json_number(float(node.ev[player, hand])),
        "invested": node.invested[player],
        "actions": actions,
    }
