"""`runout trace-hand`: what one hand does wherever it gets to, and what that is worth."""

import math
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from runout.cards.canonical_hands import HAND_BY_COMBO, HAND_NAMES, parse_canonical_hand
from runout.cards.combos import parse_combo
from runout.cli.console import output, print_json
from runout.cli.formatting import Json, format_bb, format_percent, json_number
from runout.cli.options import JsonFlag
from runout.cli.solutions import SMALLEST_REACH, SolutionArgument
from runout.trees.preflop_betting import PLAYER_NAMES
from runout.views.node import Node
from runout.views.preflop_view import PreflopView
from runout.views.run_view import open_run

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
                    for player, name in enumerate(PLAYER_NAMES)
                },
            }
        )
        return
    console = output()
    for player in range(len(PLAYER_NAMES)):
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
    head = Text(f"{HAND_NAMES[hand]} as {PLAYER_NAMES[player]}", style="bold")
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
