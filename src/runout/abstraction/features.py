"""What hands are told apart by: features of all combos of a flop, street by street.

On flop and turn a feature is the distribution of river strength over the cards to come, as a CDF on
ten points from 0 to 1. A strength between two points counts for both, the nearer one more
(linear binning), so the mean is kept and hands that differ by less than a tenth differ still.

On the river there is nothing to come; a feature is strength against everybody and against each of
eight groups of villains, weak to strong on the flop (opponent cluster hand strength; Johanson et
al., "Evaluating state-space abstractions in extensive-form games", 2013). Two hands that beat
equally many villains, but on one board the missed draws and on another the made hands, differ.

All is counted in whole numbers and divided once, so isomorphic deals have exactly equal rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import comb

import numpy as np

from runout.arrays import BoolArray, FloatArray, Int32Array, IntArray, Uint8Array
from runout.cards import deck
from runout.cards.evaluator import evaluator_tables
from runout.cards.flops import canonical_flop
from runout.cfr.team import Team
from runout.equity import equity_kernels
from runout.equity.board import BEST_SCORE, score_rivers
from runout.errors import AbstractionError

NUM_BINS = 10
NUM_VILLAIN_GROUPS = 8

_RUNOUTS_AT_ONCE = 128  # whose counts fit into a few megabytes
_BIN_WIDTH = BEST_SCORE // (NUM_BINS - 1)  # 220 points of score, without a remainder


@dataclass(frozen=True, eq=False)
class StreetFeatures:
    """Features of every combo on every board of a street that leaves it possible.

    Attributes:
        board_index: ``[n]`` 0 on the flop; the turn card; on the river the `combo_index` of the
            turn and river card, whichever came first.
        combo: ``[n]``.
        rows: ``[n, d]`` CDFs ``[n, 10]`` on flop and turn, strengths ``[n, 9]`` on the river.
        strength: ``[n]`` all-in equity against a random hand, E[HS].
    """

    board_index: IntArray
    combo: IntArray
    rows: FloatArray
    strength: FloatArray


def counts_to_cdf(counts: IntArray | FloatArray) -> FloatArray:
    """Returns ``[..., bins]`` the share of counts in each bin and those below; the last is 1."""
    cumulative: IntArray | FloatArray = counts.cumsum(axis=-1)
    is_counted = cumulative.size > 0 and counts.min() >= 0 and cumulative[..., -1].min() > 0
    if not is_counted:
        raise AbstractionError("histogram", "has nothing in it, or less; a CDF needs counts")
    shares: FloatArray = np.true_divide(cumulative, cumulative[..., -1:], dtype=np.float64)
    return shares


class FlopStrengths:
    """River strength of every combo on every runout of a flop, from which all features follow.

    Shape letters: ``C`` 1,176 live combos, ``T`` 49 turn cards, ``R`` 1,176 runouts, unordered.

    Attributes:
        flop: the three cards.
        combos: ``[C]``.
        runouts: ``[R, 2]`` the two cards to come.
        scores: ``[R, C]`` 2 for each villain beaten, 1 for each tied; -1 where blocked.
    """

    def __init__(self, flop: Sequence[int], team: Team | None = None) -> None:
        """Ranks every combo on every runout (about 10 ms); a team shares the making of features."""
        canonical_flop(flop)  # refuses what is no flop
        self.flop = tuple(flop)
        self._team = team or Team()
        self.combos = deck.live_combos(flop)
        self._cards_to_come = np.array([c for c in range(deck.NUM_CARDS) if c not in self.flop])
        self.runouts: Uint8Array = np.array(
            list(combinations(self._cards_to_come.tolist(), 2)), dtype=np.uint8
        )
        self.scores: Int32Array = score_rivers(self._boards, self.combos)

    def flop_features(self) -> StreetFeatures:
        """Returns the features of the 1,176 combos on the flop."""
        counts = self._turn_counts.sum(axis=0) // 2  # both cards of a runout were its turn card
        num_runouts = comb(deck.NUM_CARDS - len(self.flop) - 2, 2)
        strength = self._total_scores / (num_runouts * BEST_SCORE)
        board_index = np.zeros_like(self.combos)
        return StreetFeatures(board_index, self.combos, counts_to_cdf(counts), strength)

    def turn_features(self) -> StreetFeatures:
        """Returns the features of 49 x 1,128 combos, turn card by turn card."""
        card, combo = np.nonzero(~deck.COMBO_HAS_CARD[self.combos][:, self._cards_to_come].T)
        counts = self._turn_counts[card, combo]
        # The points of a histogram add up to the score, see the module.
        total_scores = counts @ np.arange(NUM_BINS)
        rows = counts_to_cdf(counts)
        strength = total_scores / (counts[0].sum() * (NUM_BINS - 1))
        return StreetFeatures(self._cards_to_come[card], self.combos[combo], rows, strength)

    def river_features(self) -> StreetFeatures:
        """Returns the features of 1,176 x 1,081 combos, runout by runout.

        A group of which a hand can meet nobody counts as everybody.
        """
        runout, combo = np.nonzero(self._is_live)
        strength = self.scores[self._is_live] / BEST_SCORE
        rows = np.repeat(strength[:, None], 1 + NUM_VILLAIN_GROUPS, axis=1)
        groups = self.villain_groups()
        boards, cards = self._boards, deck.COMBO_CARDS[self.combos]

        def fill_rows(first: int) -> None:
            part = slice(first, first + _RUNOUTS_AT_ONCE)
            is_live = self._is_live[part]
            shape = (len(is_live), NUM_VILLAIN_GROUPS, len(self.combos))
            scores, best = np.empty(shape, dtype=np.int32), np.empty(shape, dtype=np.int32)
            equity_kernels.score_boards(
                evaluator_tables(), boards[part], self.combos, cards, groups, scores, best
            )
            begin, end = np.searchsorted(runout, (first, first + len(is_live)))
            for group in range(NUM_VILLAIN_GROUPS):
                most = best[:, group][is_live]
                column = rows[begin:end, 1 + group]
                np.divide(scores[:, group][is_live], most, out=column, where=most > 0)

        self._team.run(fill_rows, range(0, len(self.runouts), _RUNOUTS_AT_ONCE))
        pair_index = np.array([deck.combo_index(*pair) for pair in self.runouts.tolist()])
        return StreetFeatures(pair_index[runout], self.combos[combo], rows, strength)

    def villain_groups(self) -> IntArray:
        """Returns ``[C]`` groups of about equally many combos, 0 for the weakest on the flop.

        Combos of equal strength are in one group: the one in which the middle of them lies.
        """
        ascending = np.sort(self._total_scores)
        weaker = np.searchsorted(ascending, self._total_scores, side="left")
        not_stronger = np.searchsorted(ascending, self._total_scores, side="right")
        return NUM_VILLAIN_GROUPS * (weaker + not_stronger) // (2 * len(ascending))

    @property
    def _boards(self) -> Uint8Array:
        known = np.tile(np.array(self.flop, dtype=np.uint8), (len(self.runouts), 1))
        return np.concatenate([known, self.runouts], axis=1)

    @cached_property
    def _is_live(self) -> BoolArray:
        """``[R, C]`` whether the combo can be held on the runout."""
        is_live: BoolArray = self.scores != equity_kernels.BLOCKED_SCORE
        return is_live

    @cached_property
    def _total_scores(self) -> IntArray:
        """``[C]`` scores added up over the runouts."""
        total: IntArray = self.scores.sum(axis=0, dtype=np.int64, where=self._is_live)
        return total

    @cached_property
    def _turn_counts(self) -> IntArray:
        """``[T, C, 10]`` rivers by strength, each of them as 220 points; 0 where blocked.

        A score that is ``r`` above a point of the grid gives 220 - r to it and r to the next one.
        """
        lower, rest = np.divmod(self.scores, _BIN_WIDTH)
        is_best = lower == NUM_BINS - 1
        lower, rest = np.where(is_best, lower - 1, lower), np.where(is_best, _BIN_WIDTH, rest)
        has_card = (self.runouts == self._cards_to_come[:, None, None]).any(axis=2)
        counts = np.empty((len(has_card), len(self.combos), NUM_BINS), dtype=np.int64)
        is_live = self._is_live

        def count_point(point: int) -> None:
            points = np.where(lower == point, _BIN_WIDTH - rest, 0)
            points += np.where(lower == point - 1, rest, 0)
            points[~is_live] = 0
            # Single precision holds whole numbers up to 2**24, and these are at most 46 x 220.
            counts[:, :, point] = has_card.astype(np.float32) @ points.astype(np.float32)

        self._team.run(count_point, range(NUM_BINS))
        return counts
