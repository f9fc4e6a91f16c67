"""Parts of a range, by range text or hand class, and all cards that can come."""

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from runout.arrays import FloatArray
from runout.cards.deck import format_card, parse_card
from runout.cards.hand_classes import classify_hands, parse_hand_classes
from runout.cards.ranges import Range
from runout.errors import CardError, TreeError, quote
from runout.solutions.node import HandSpace, Node, NodeKind, Solution, known_mean
from runout.trees.paths import join_path, read_path

# Parts of a range: only some hands of a player, by range text or by what they are on the board.
#
# A part is a factor for each column of a node, how much of it is looked at. What is derived from
# the node of a part (means, frequencies, combos) is that of the part; the opponent stays as it is.


_EXCLUDING = ("-", "!")


class ClassChoice(NamedTuple):
    """Hand classes: a hand is in one of those included, if there are any, and none excluded."""

    included: tuple[str, ...]
    excluded: tuple[str, ...]


def parse_class_choice(text: str) -> ClassChoice:
    """Reads names of hand classes between commas, with ``-`` or ``!`` those to leave out."""
    included: list[str] = []
    excluded: list[str] = []
    for part in text.split(","):
        name = part.strip()
        names = excluded if name.startswith(_EXCLUDING) else included
        names.extend(parse_hand_classes(name.lstrip("".join(_EXCLUDING))))
    return ClassChoice(tuple(included), tuple(excluded))


def class_factors(node: Node, choice: ClassChoice) -> FloatArray:
    """Returns ``[H]`` 1 for the combos that are in the chosen classes on the board, else 0."""
    if node.hand_space is HandSpace.HANDS:
        raise CardError("hand classes", "hands have none before the flop, choose them by range")
    classes = classify_hands(node.board)
    chosen = classes.mask(choice.included) if choice.included else np.ones(len(classes.made), bool)
    factors: FloatArray = (chosen & ~classes.mask(choice.excluded)).astype(np.float64)
    return factors


def range_factors(node: Node, hand_range: Range) -> FloatArray:
    """Returns ``[H]`` the weights of a range; of hands before the flop, those of their combos."""
    is_preflop = node.hand_space is HandSpace.HANDS
    return hand_range.hand_weights() if is_preflop else hand_range.weights


def select_hands(node: Node, player: int, factors: FloatArray) -> Node:
    """Returns a node as ``factors[H]`` of one player's columns, 0 to 1, see it."""
    is_held, weights = node.is_held.copy(), node.weights.copy()
    is_held[player] &= factors > 0.0
    weights[player] *= factors
    return replace(node, is_held=is_held, weights=weights)


@dataclass(frozen=True)
class Part:
    """The hands of a range that are in some classes; all of them where nothing is chosen.

    They are hands of the named player, by default of the one to act, or of the first where no
    player acts.
    """

    player: str | None = None
    hand_range: Range | None = None
    classes: ClassChoice | None = None

    @property
    def is_whole(self) -> bool:
        """Whether nothing is left out."""
        return self.hand_range is None and self.classes is None

    def player_at(self, node: Node) -> int:
        """Returns the player whose hands they are; refuses a name that no player has."""
        return (node.actor or 0) if self.player is None else node.player_index(self.player)

    def of(self, node: Node) -> Node:
        """Returns a node as this part of a range sees it."""
        player = self.player_at(node)
        if self.hand_range is not None:
            node = select_hands(node, player, range_factors(node, self.hand_range))
        if self.classes is not None:
            node = select_hands(node, player, class_factors(node, self.classes))
        return node


class PartView(Solution):
    """A solution with a part of the hands at every node, and EVs net if that is asked for."""

    def __init__(self, view: Solution, part: Part, is_net: bool = False) -> None:
        self.view, self.part, self.is_net, self.quality = view, part, is_net, view.quality

    def node(self, path: str = "") -> Node:
        """Returns what is known about the node that a path leads to, by default the root."""
        node = self.part.of(self.view.node(path))
        return node.net() if self.is_net else node


# All cards that can come at a node, or that could have come last, side by side.


_CARD_LENGTH = 2


class CardRow(NamedTuple):
    """Cards that differ by suits only, and the node with the first of them."""

    cards: tuple[int, ...]
    node: Node

    @property
    def name(self) -> str:
        """The cards as text, such as ``8s 8d``."""
        return " ".join(map(format_card, self.cards))


@dataclass(frozen=True, eq=False)
class CardReport:
    """The same line with every card.

    Attributes:
        before: the node where the card is dealt.
        chosen: the card of the node that was asked about; None if it is not dealt there yet.
        rows: one for each kind of card.
    """

    before: Node
    chosen: int | None
    rows: tuple[CardRow, ...]

    def shares(self) -> FloatArray:
        """Returns ``[K]`` how often each row comes, of all deals that are played on this line."""
        deals = np.array([len(cards) * float(node.deals(0).sum()) for cards, node in self.rows])
        return deals / deals.sum() if deals.sum() > 0.0 else np.full(len(deals), math.nan)

    def mean(self, values: FloatArray) -> float:
        """Returns the mean over all cards of ``values[K]``, NaN if no deal is played to here."""
        return known_mean(values, np.nan_to_num(self.shares()))


def report_cards(view: Solution, path: str) -> CardReport:
    """Returns a node with each card that can come, or could have come last, in its place.

    Where no card is dealt, there or on the way, that is a `TreeError`.
    """
    before = node = view.node(path)
    chosen: int | None = None
    later: tuple[str, ...] = ()
    if node.kind is NodeKind.FLOP:
        problem = "a whole flop is dealt there, and not one card; go on to a turn or a river"
        raise TreeError(f"path {quote(node.path)}", problem)
    if not node.next_cards:
        is_card = [step.actor is None and len(step.taken) == _CARD_LENGTH for step in node.trail]
        dealt = np.flatnonzero(is_card).tolist()
        if not dealt:
            problem = "no card is dealt there or on the way, give a node where one is"
            raise TreeError(f"path {quote(node.path)}", problem)
        step = node.trail[dealt[-1]]
        before, chosen = view.node(step.path), parse_card(step.taken)
        later = tuple(read_path(node.path).steps[dealt[-1] + 1 :])
    rows = []
    for alike in view.cards_alike(before.path):
        # The highest suit first, but the card that was asked about before others.
        cards = tuple(sorted(alike, key=lambda card: (card == chosen, card), reverse=True))
        steps = (before.path_after(format_card(cards[0])), *later)
        rows.append(CardRow(cards, view.node(join_path(*steps))))
    rows.sort(key=lambda row: max(row.cards), reverse=True)
    return CardReport(before, chosen, tuple(rows))
