"""Who wins at a showdown against a range, in numpy: for looking, without a kernel.

A hand's margin against a range is the weight that it beats minus the weight that beats it. Hands
are sorted by strength once for each board; what a hand beats is then a difference of running sums,
less what shares a card with it, of which there is another running sum for each card.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from runout.arrays import FloatArray, IntArray, read_only
from runout.cards.board_scores import score_board
from runout.cards.combos import COMBO_CARDS, COMBOS_BY_CARD

_CARDS: IntArray = read_only(COMBO_CARDS.astype(np.int64))

#: ``[1326, 2]`` where a combo stands among those that hold its lower and its higher card.
_PLACE_BY_CARD: IntArray = read_only(
    np.array(
        [[np.searchsorted(COMBOS_BY_CARD[c], i) for c in cards] for i, cards in enumerate(_CARDS)]
    )
)


@dataclass(frozen=True, eq=False)
class Showdowns:
    """All combos on a river board, by strength.

    Attributes:
        order: ``[1326]`` the combos, weakest first; those that the board blocks come first.
        below: ``[1326]`` for each combo, how many in order are weaker.
        upto: ``[1326]`` for each combo, how many in order are not stronger.
        order_by_card: ``[52, 51]`` the combos that hold a card, weakest first.
        below_by_card: ``[1326, 2]`` for each combo and card of it, how many that hold the card are
            weaker.
        upto_by_card: ``[1326, 2]`` likewise, not stronger.
        is_live: ``[1326]`` 1 for combos that the board leaves possible, 0 for others.
    """

    order: IntArray
    below: IntArray
    upto: IntArray
    order_by_card: IntArray
    below_by_card: IntArray
    upto_by_card: IntArray
    is_live: FloatArray

    @classmethod
    def on(cls, board: Sequence[int]) -> "Showdowns":
        """Ranks all combos on a board of five cards."""
        score = score_board(board)
        order, below, upto = _rank(score[None])
        of_cards, below_by_card, upto_by_card = _rank(score[COMBOS_BY_CARD])
        return cls(
            order=order[0],
            below=below[0],
            upto=upto[0],
            order_by_card=np.take_along_axis(COMBOS_BY_CARD, of_cards, axis=1),
            below_by_card=below_by_card[_CARDS, _PLACE_BY_CARD],
            upto_by_card=upto_by_card[_CARDS, _PLACE_BY_CARD],
            is_live=(score > 0).astype(np.float64),
        )

    def margins(self, weights: FloatArray) -> FloatArray:
        """Returns ``[R, 1326]`` the margins of all combos against ranges ``weights[R, 1326]``.

        They are 0 for combos that the board blocks; blocked combos of a range do not count.
        """
        live = weights * self.is_live
        sums = _running(live[:, self.order])
        ahead = sums[:, self.below] + sums[:, self.upto] - sums[:, -1:]
        by_card = _running(live[:, self.order_by_card])
        for side, cards in enumerate(_CARDS.T):
            of_card = by_card[:, cards, self.below_by_card[:, side]]
            of_card = of_card + by_card[:, cards, self.upto_by_card[:, side]]
            ahead -= of_card - by_card[:, cards, -1]
        margins: FloatArray = ahead * self.is_live
        return margins


def _rank(scores: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Returns for rows of scores the order, and of each how many are lower and not higher."""
    order = np.argsort(scores, axis=1, kind="stable")
    ranked = np.take_along_axis(scores, order, axis=1)
    place = np.arange(scores.shape[1])
    is_first = np.ones(scores.shape, dtype=bool)
    is_first[:, 1:] = ranked[:, 1:] != ranked[:, :-1]
    begin = np.maximum.accumulate(np.where(is_first, place, 0), axis=1)
    is_last = np.ones(scores.shape, dtype=bool)
    is_last[:, :-1] = is_first[:, 1:]
    ends = np.where(is_last, place + 1, scores.shape[1])[:, ::-1]
    end = np.minimum.accumulate(ends, axis=1)[:, ::-1]
    below, upto = np.empty_like(order), np.empty_like(order)
    np.put_along_axis(below, order, begin, axis=1)
    np.put_along_axis(upto, order, end, axis=1)
    return order, below, upto


def _running(values: FloatArray) -> FloatArray:
    """Returns running sums along the last axis, the first of them 0."""
    sums = np.zeros((*values.shape[:-1], values.shape[-1] + 1))
    np.cumsum(values, axis=-1, out=sums[..., 1:])
    return sums


def runout_margins(showdowns: Sequence[Showdowns], weights: FloatArray) -> FloatArray:
    """Returns ``[R, 1326]`` margins against ranges ``weights[R, 1326]``, summed over rivers."""
    total = np.zeros(weights.shape)
    for board in showdowns:
        total += board.margins(weights)
    return total
