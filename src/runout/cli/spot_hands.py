"""One hand of a solved spot, combo by combo."""

import numpy as np

from runout.cards.canonical_hands import COMBOS_BY_HAND, parse_canonical_hand
from runout.cards.card import format_cards
from runout.cards.combos import parse_combo
from runout.cli.console import output, print_json
from runout.cli.formatting import format_count_of
from runout.cli.options import OptionError
from runout.cli.spot_node import hand_to_json, print_hands
from runout.errors import CardError
from runout.trees.postflop_tree import PLAYER_NAMES
from runout.views.node import HandSpace, Node

_COMBO_LENGTH = 4


def read_hand(text: str) -> list[int]:
    """Returns the combos of a class such as ``AKs``, or the one of two cards.

    Raises:
        OptionError: if it is neither.
    """
    try:
        if len(text) == _COMBO_LENGTH:
            return [parse_combo(text)]
        return [int(combo) for combo in COMBOS_BY_HAND[parse_canonical_hand(text)]]
    except CardError as error:
        problem = f"is no hand such as AA, AKs, AKo or AhKh ({error.problem})"
        raise OptionError(f"--hand {text}", problem) from error


def show_hands(node: Node, hand: str, combos: list[int], player: int | None, json: bool) -> None:
    """Prints what the hands do that a player, the one to act, or else either can hold.

    Raises:
        OptionError: if nobody can hold them here.
    """
    if node.hand_space is HandSpace.HANDS:
        raise OptionError(f"--hand {hand}", "goes with a flop, `runout trace-hand` comes before it")
    asked = node.actor if player is None else player
    players = range(len(PLAYER_NAMES)) if asked is None else [asked]
    held = {
        player: [combo for combo in reversed(combos) if node.is_held[player, combo]]
        for player in players
    }
    if not any(held.values()):
        whose = "either" if asked is None else f"{PLAYER_NAMES[asked]}'s"
        problem = f"is not in {whose} range on {format_cards(node.board)}"
        raise OptionError(f"--hand {hand}", problem)
    if json:
        documents = {
            PLAYER_NAMES[player]: [hand_to_json(node, player, combo) for combo in found]
            for player, found in held.items()
        }
        print_json({"path": node.path, "board": format_cards(node.board), **documents})
        return
    console = output()
    for player, found in held.items():
        if found:
            arriving = float(np.sum(node.weights[player, found]))
            combos_there = format_count_of(arriving, "combo")
            place = f"at {node.path}" if node.path else "at the root"
            head = f"{hand} of {PLAYER_NAMES[player]} {place}"
            console.print(f"{head}: {combos_there} of {len(found)}", style="bold", soft_wrap=True)
            print_hands(console, node, player, found)
