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
from runout.views.node_files import View
from runout.views.quality import Quality

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


@dataclass(frozen=True)
class Part:
    """Which hands are looked at; all of them where nothing is chosen.

    Attributes:
        player: whose; None for who acts, or the first player where nobody does.
        hand_range: only these.
        classes: and only those in these classes.
    """

    player: int | None = None
    hand_range: HandRange | None = None
    classes: ClassChoice | None = None

    @property
    def is_whole(self) -> bool:
        """Whether nothing is left out."""
        return self.hand_range is None and self.classes is None

    def player_at(self, node: Node) -> int:
        """Returns whose hands are looked at."""
        return (node.actor or 0) if self.player is None else self.player

    def of(self, node: Node) -> Node:
        """Returns a node as this part of a range sees it.

        Raises:
            CardError: if hands are chosen by class before the flop.
        """
        player = self.player_at(node)
        if self.hand_range is not None:
            node = select_hands(node, player, range_factors(node, self.hand_range))
        if self.classes is not None:
            node = select_hands(node, player, class_factors(node, self.classes))
        return node


@dataclass(frozen=True, eq=False)
class PartView:
    """A solution of which a part of the hands is looked at, at every node."""

    view: View
    part: Part

    @property
    def quality(self) -> Quality | None:
        """How well the whole is solved, if that is known."""
        return self.view.quality

    def node(self, path: str = "") -> Node:
        """Returns what is known about the node that a path leads to, by default the root."""
        return self.part.of(self.view.node(path))
