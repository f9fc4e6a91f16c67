"""Hand strength now, its potential, and both together (EHS2), exactly.

Following Billings et al., "The challenge of poker" (2002), with ties done right: a tie is half a
win everywhere. With that, EHS2 is exactly the all-in equity against a random hand.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Generic, TypeVar

import numpy as np

from runout.arrays import FloatArray, IntArray
from runout.cards.deck import (
    COMBO_CARDS,
    NUM_CARDS,
    RIVER_SIZE,
    combo_index,
    live_combos,
    require_board,
    require_distinct,
)
from runout.cards.evaluator import evaluate_board, evaluator_tables
from runout.equity import equity_kernels
from runout.equity.board import BEST_SCORE, compute_board_equity, strength_histograms
from runout.equity.equity_kernels import AHEAD, BEHIND, NUM_OUTCOMES, TIED

#: One number, or ``[C]`` of them.
Number = TypeVar("Number", float, FloatArray)


@dataclass(frozen=True)
class HandStrength(Generic[Number]):
    """How good a holding is on a board, against a uniformly random villain.

    Attributes:
        ehs: strength now: villains ahead of plus half of those tied with, over all.
        ppot: positive potential: share won back when behind or tied now.
        npot: negative potential: share lost again when ahead or tied now.
        ehs2: ``ehs + (1 - ehs) * ppot - ehs * npot``, the all-in equity, E[HS].
        ehs_squared: mean of the squared river strength, E[HS^2]; larger for draws than for made
            hands of equal equity.
    """

    ehs: Number
    ppot: Number
    npot: Number
    ehs2: Number
    ehs_squared: Number


def hand_strength(board: Sequence[int], holding: tuple[int, int]) -> HandStrength[float]:
    """Returns the strength of a holding on a flop (990 villains, 1,081 runouts), turn or river."""
    require_board(board)
    require_distinct((*board, *holding))
    rest = [card for card in range(NUM_CARDS) if card not in (*board, *holding)]
    missing = list(combinations(rest, RIVER_SIZE - len(board)))
    boards = np.empty((len(missing), RIVER_SIZE), dtype=np.uint8)
    boards[:, : len(board)], boards[:, len(board) :] = board, missing
    villains, group_start = _villains_by_outcome(board, holding)
    counts = np.empty((NUM_OUTCOMES, NUM_OUTCOMES), dtype=np.int64)
    squared_scores = equity_kernels.count_transitions_of_holding(
        evaluator_tables(), boards, combo_index(*holding), villains, group_start, counts
    )
    ehs, ppot, npot, ehs2 = (float(part) for part in _strengths_of_counts(counts))
    return HandStrength(ehs, ppot, npot, ehs2, squared_scores / (len(boards) * BEST_SCORE**2))


def board_strengths(board: Sequence[int]) -> HandStrength[FloatArray]:
    """Returns the strengths ``[C]`` of all live combos of a board, sharing the work."""
    equity = compute_board_equity(board)
    counts = np.empty((len(equity.combos), NUM_OUTCOMES, NUM_OUTCOMES), dtype=np.int64)
    equity_kernels.count_transitions(
        evaluate_board(board)[equity.combos],
        equity.wins,
        COMBO_CARDS[equity.combos],
        equity.num_runouts,
        counts,
    )
    ehs_squared = strength_histograms(board, num_bins=1).expected_squared_strength
    return HandStrength(*_strengths_of_counts(counts), ehs_squared)


def _strengths_of_counts(
    counts: IntArray,
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Returns EHS, PPot, NPot and EHS2 of ``counts[..., now, end]``, one division each."""
    now, end = counts.sum(axis=-1), counts.sum(axis=-2)
    total = 2 * now.sum(axis=-1)
    # Everything is doubled so that half of a tie is a whole number.
    ehs = (2 * now[..., AHEAD] + now[..., TIED]) / total
    ehs2 = (2 * end[..., AHEAD] + end[..., TIED]) / total
    gained = 2 * counts[..., BEHIND, AHEAD] + counts[..., BEHIND, TIED] + counts[..., TIED, AHEAD]
    lost = 2 * counts[..., AHEAD, BEHIND] + counts[..., AHEAD, TIED] + counts[..., TIED, BEHIND]
    ppot = gained / np.maximum(2 * now[..., BEHIND] + now[..., TIED], 1)
    npot = lost / np.maximum(2 * now[..., AHEAD] + now[..., TIED], 1)
    return ehs, ppot, npot, ehs2


def _villains_by_outcome(
    board: Sequence[int], holding: tuple[int, int]
) -> tuple[IntArray, IntArray]:
    """Returns the villain combos behind, tied and ahead in this order, and where each begins."""
    strength = evaluate_board(board).astype(np.int64)
    villains = live_combos((*board, *holding))
    outcome = TIED + np.sign(strength[combo_index(*holding)] - strength[villains])
    group_start = np.zeros(NUM_OUTCOMES + 1, dtype=np.int64)
    group_start[1:] = np.bincount(outcome, minlength=NUM_OUTCOMES).cumsum()
    return villains[np.argsort(outcome, kind="stable")], group_start
