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
from runout.cli.solutions import SMALLEST_REACH, SolutionArgument, SolvedNodes, open_solution
from runout.trees.preflop_betting import PLAYER_NAMES

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
    nodes = open_solution(path)
    if json:
        print_json(
            {
                "hand": HAND_NAMES[index],
                **{
                    name: [
                        _decision_to_json(nodes, node, index) for node in _decisions(nodes, player)
                    ]
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


def _decisions(nodes: SolvedNodes, player: int) -> list[int]:
    return [node for node in nodes.decisions() if nodes.actor(node) == player]


def _print_player(console: Console, nodes: SolvedNodes, player: int, hand: int) -> None:
    value = nodes.solution.ev_bb[player, 0, hand]
    head = Text(f"{HAND_NAMES[hand]} as {PLAYER_NAMES[player]}", style="bold")
    console.print(head.append(f"   EV {_format_ev(value)}", "not bold"))
    decisions = _decisions(nodes, player)
    present = [node for node in decisions if nodes.reach[player][node, hand] >= SMALLEST_REACH]
    for node in present:
        reach = float(nodes.reach[player][node, hand])
        share = "" if round(reach, 3) >= 1.0 else f", plays to here {format_percent(reach, 1)}"
        value = nodes.solution.ev_bb[player, node, hand]
        console.print(f"  {nodes.describe_decision(node)}: EV {_format_ev(value)}{share}")
        for line in _action_lines(nodes, node, hand):
            console.print(line)
    if len(present) < len(decisions):
        hidden = len(decisions) - len(present)
        what = "decision that it never gets" if hidden == 1 else "decisions that it never gets"
        console.print(f"  and {hidden} {what} to", style="dim")


def _action_lines(nodes: SolvedNodes, node: int, hand: int) -> list[Text]:
    """Returns a line for each action: how likely, a bar, and what it wins."""
    player, children = nodes.actor(node), nodes.tree.layout.children(node)
    labels = nodes.tree.action_labels(node)
    width = max(map(len, labels))
    lines = []
    for child, label in zip(children, labels, strict=True):
        probability = float(nodes.solution.strategy[child, hand])
        value = nodes.solution.ev_bb[player, child, hand]
        often, worth = format_percent(probability, 1), _format_ev(value)
        text = f"    {label.ljust(width)}  {often:>6}  {worth:>10}"
        lines.append(Text(text, style="" if probability >= SMALLEST_REACH else "dim"))
    return lines


def _format_ev(value: float) -> str:
    return "never seen" if math.isnan(value) else f"{format_bb(value)} bb"


def _decision_to_json(nodes: SolvedNodes, node: int, hand: int) -> Json:
    player = nodes.actor(node)
    actions: list[dict[str, Any]] = [
        {
            "action": nodes.tree.action_code(child),
            "label": nodes.tree.action_label(child),
            "probability": float(nodes.solution.strategy[child, hand]),
            "ev_bb": json_number(float(nodes.solution.ev_bb[player, child, hand])),
        }
        for child in nodes.tree.layout.children(node)
    ]
    return {
        "node": nodes.tree.path(node),
        "reach": float(nodes.reach[player][node, hand]),
        "ev_bb": json_number(float(nodes.solution.ev_bb[player, node, hand])),
        "actions": actions,
    }
