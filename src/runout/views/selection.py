"""Parts of a range: only some hands of a player, by range text or by what they are on the board.

A part is a factor for each column of a node, how much of it is looked at. What is derived from the
node of a part (means, frequencies, combos) is that of the part; the opponent stays as it is.
"""

from dataclasses import dataclass, replace

import numpy as np

from runout.arrays import FloatArray
from runout.cards.hand_classes import classify_hands, parse_hand_classes
from runout.errors import CardError
from runout.ranges.hand_range import HandRange
from runout.views.node import HandSpace, Node

_EXCLUDING = ("-", "!")


@dataclass(frozen=True)
class ClassChoice:
    """Hand classes to look at.

    Attributes:
        included: a hand is in one of these; any hand if there are none.
        excluded: and in none of these.
    """

    included: tuple[str, ...]
    excluded: tuple[str, ...]


def parse_class_choice(text: str) -> ClassChoice:
    """Reads names of hand classes between commas, those to leave out with ``-`` or ``!`` in front.

    Raises:
        CardError: naming the first that is no class, or if there is none.
    """
    included: list[str] = []
    excluded: list[str] = []
    for part in text.split(","):
        name = part.strip()
        names = excluded if name.startswith(_EXCLUDING) else included
        names.extend(parse_hand_classes(name.lstrip("".join(_EXCLUDING))))
    return ClassChoice(tuple(included), tuple(excluded))


def class_factors(node: Node, choice: ClassChoice) -> FloatArray:
    """Returns ``[H]`` 1 for the combos that are in the chosen classes on the board, else 0.

    Raises:
        CardError: if there is no board.
    """
    if node.hand_space is HandSpace.HANDS:
        raise CardError("hand classes", "hands have none before the flop, choose them by range")
    classes = classify_hands(node.board)
    chosen = classes.mask(choice.included) if choice.included else np.ones(len(classes.made), bool)
    factors: FloatArray = (chosen & ~classes.mask(choice.excluded)).astype(np.float64)
    return factors


def range_factors(node: Node, hand_range: HandRange) -> FloatArray:
    """Returns ``[H]`` the weights of a range; of hands before the flop, those of their combos."""
    if node.hand_space is HandSpace.HANDS:
        return hand_range.hand_weights()
    return hand_range.weights


def select_hands(node: Node, player: int, factors: FloatArray) -> Node:
    """Returns a node as a part of one player's range sees it.

    Args:
        node: the whole.
        player: whose range is looked at in part.
        factors: ``[H]`` how much of each column, 0 to 1.
    """
    is_held, weights = node.is_held.copy(), node.weights.copy()
    is_held[player] &= factors > 0.0
    weights[player] *= factors
    return replace(node, is_held=is_held, weights=weights)
