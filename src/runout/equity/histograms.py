"""How strong every combo of a board becomes: the distribution of its river hand strength.

Strength on a complete board is the share of the 990 possible villain combos that are beaten, ties
counting half. Its mean over runouts is the all-in equity against a random hand, E[HS]; the mean
of its square, E[HS^2], tells draws from made hands of equal equity.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

import numpy as np

from runout.arrays import FloatArray, IntArray, read_only
from runout.cards.card import NUM_CARDS, RIVER_SIZE, require_board
from runout.cards.combos import COMBO_CARDS, live_combos
from runout.cards.evaluator_tables import evaluator_tables
from runout.equity import equity_kernels
from runout.equity.runouts import combo_images, enumerate_runouts

NUM_VILLAINS = comb(NUM_CARDS - RIVER_SIZE - 2, 2)

#: The score of beating every villain.
BEST_SCORE = 2 * NUM_VILLAINS


@dataclass(frozen=True)
class StrengthHistograms:
    """Strength of all live combos of a board over its runouts.

    Attributes:
        board: the 3 to 5 known cards.
        combos: ``[C]`` the combos that the board leaves possible.
        counts: ``[C, bins]`` runouts by strength, in bins of equal width from 0 to 1; a bin
            holds its lower bound, the last one both.
        expected_strength: ``[C]`` E[HS].
        expected_squared_strength: ``[C]`` E[HS^2].
    """

    board: tuple[int, ...]
    combos: IntArray
    counts: IntArray
    expected_strength: FloatArray
    expected_squared_strength: FloatArray

    def cdf(self) -> FloatArray:
        """Returns ``[C, bins]`` the share of runouts in each bin and those below it."""
        cumulative = self.counts.cumsum(axis=1)
        shares: FloatArray = cumulative / cumulative[:, -1:]
        return shares


@dataclass(frozen=True)
class BoardStrengths:
    """Whole-number strength of all live combos of a board, added up over its runouts.

    On one runout a combo scores 2 for every villain it beats and 1 for every one it ties with, so
    its strength there is the score over `BEST_SCORE`.

    Attributes:
        combos: ``[C]`` the combos that the board leaves possible.
        histogram: ``[C, bins]`` runouts by score.
        score: ``[C]`` sum of scores.
        squared_score: ``[C]`` sum of squared scores.
        num_runouts: runouts of each combo: 1,081 on a flop, 46 on a turn, 1 on a river.
    """

    combos: IntArray
    histogram: IntArray
    score: IntArray
    squared_score: IntArray
    num_runouts: int


def strength_histograms(board: Sequence[int], num_bins: int = 10) -> StrengthHistograms:
    """Returns the exact strength distribution of every combo of a flop, turn or river.

    Raises:
        CardError: if the board is not 3, 4 or 5 distinct cards.
        ValueError: if ``num_bins`` is not positive.
    """
    if num_bins < 1:
        raise ValueError(f"num_bins: {num_bins} is not a positive number of bins")
    sums = sum_strengths(board, num_bins)
    return StrengthHistograms(
        board=tuple(board),
        combos=sums.combos,
        counts=read_only(sums.histogram),
        expected_strength=read_only(sums.score / (sums.num_runouts * BEST_SCORE)),
        expected_squared_strength=read_only(
            sums.squared_score / (sums.num_runouts * BEST_SCORE**2)
        ),
    )


def sum_strengths(board: Sequence[int], num_bins: int = 1) -> BoardStrengths:
    """Returns the exact strength sums of every combo of a flop, turn or river.

    Raises:
        CardError: if the board is not 3, 4 or 5 distinct cards.
    """
    require_board(board)
    runouts = enumerate_runouts(board)
    combos = live_combos(board)
    sums = equity_kernels.StrengthSums(
        histogram=np.zeros((len(combos), num_bins), dtype=np.int64),
        score=np.zeros(len(combos), dtype=np.int64),
        squared_score=np.zeros(len(combos), dtype=np.int64),
    )
    equity_kernels.add_strengths(
        evaluator_tables(), runouts.boards, runouts.weight, combos, COMBO_CARDS[combos], sums
    )
    if len(runouts.symmetries) > 1:
        images = combo_images(combos, runouts.symmetries)
        sums = equity_kernels.StrengthSums(
            *(part[images].sum(axis=0) // len(images) for part in sums)
        )
    num_runouts = comb(NUM_CARDS - len(board) - 2, RIVER_SIZE - len(board))
    return BoardStrengths(combos, *sums, num_runouts)
