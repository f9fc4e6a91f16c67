"""All cards that can come at a node, or that could have come last, side by side."""

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from runout.arrays import FloatArray
from runout.cards.card import format_card, parse_card
from runout.errors import TreeError, quote
from runout.trees.paths import STREET_SEPARATOR, split_path
from runout.views.node import Node, NodeKind, TrailStep
from runout.views.node_files import View

_CARD_LENGTH = 2


class CardsView(View, Protocol):
    """A solution that knows which cards are alike."""

    def cards_alike(self, path: str) -> tuple[tuple[int, ...], ...]:
        """Returns the cards that can be dealt at a node; those together that are alike.

        Cards are alike if they differ by suits only, and no range tells these suits apart.
        """


@dataclass(frozen=True, eq=False)
class CardRow:
    """A node with one of the cards, and with those that differ from it by suits only.

    Attributes:
        cards: they are alike; the node is that of the first.
        node: what is said there.
    """

    cards: tuple[int, ...]
    node: Node

    @property
    def name(self) -> str:
        """The cards as text, such as ``8s 8d``."""
        return " ".join(map(format_card, self.cards))

    @property
    def deals(self) -> float:
        """The weight of the deals that are played to here, with all cards of the row."""
        return len(self.cards) * float(self.node.deals(0).sum())


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
        deals = np.array([row.deals for row in self.rows])
        return deals / deals.sum() if deals.sum() > 0.0 else np.full(len(deals), math.nan)

    def mean(self, values: FloatArray) -> float:
        """Returns the mean over all cards of ``values[K]``, NaN if nobody plays this line."""
        shares, is_known = self.shares(), ~np.isnan(values)
        total = float(shares[is_known].sum())
        if not total > 0.0:
            return math.nan
        return float((shares[is_known] * values[is_known]).sum()) / total


def report_cards(view: CardsView, path: str) -> CardReport:
    """Returns a node with each card that can come, or could have come last, in its place.

    Raises:
        TreeError: if no card is dealt there or on the way, or there is no such node.
        CardError: if the path deals a card that cannot come.
    """
    node = view.node(path)
    if node.next_cards:
        return _report(view, node, None, ())
    if node.kind is NodeKind.FLOP:
        problem = "a whole flop is dealt there, and not one card; go on to a turn or a river"
        raise TreeError(f"path {quote(node.path)}", problem)
    dealt = [number for number, step in enumerate(node.trail) if _deals_one_card(step)]
    if not dealt:
        problem = "no card is dealt there or on the way, give a node where one is"
        raise TreeError(f"path {quote(node.path)}", problem)
    step = node.trail[dealt[-1]]
    later = split_path(node.path)[dealt[-1] + 1 :]
    return _report(view, view.node(step.path), step.taken, tuple(later))


def _deals_one_card(step: TrailStep) -> bool:
    return step.actor is None and len(step.taken) == _CARD_LENGTH


def _report(view: CardsView, before: Node, taken: str | None, later: tuple[str, ...]) -> CardReport:
    chosen = None if taken is None else parse_card(taken)
    rows = []
    for alike in view.cards_alike(before.path):
        # The highest suit first, but the card that was asked about before others.
        cards = tuple(sorted(alike, key=lambda card: (card == chosen, card), reverse=True))
        steps = (before.path_after(format_card(cards[0])), *later)
        rows.append(CardRow(cards, view.node(STREET_SEPARATOR.join(steps))))
    rows.sort(key=lambda row: max(row.cards), reverse=True)
    return CardReport(before, chosen, tuple(rows))
