"""Hand strength now, its potential, and both together (EHS2), exactly.

Following Billings et al., "The challenge of poker" (2002), with ties done right: a tie is half a
win everywhere. With that, EHS2 is exactly the all-in equity against a random hand.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Generic, TypeVar

import numpy as np

from runout.arrays import FloatArray, IntArray
from runout.cards.deck import (
    NUM_CARDS,
    RIVER_SIZE,
    combo_index,
    disjoint_combos,
    live_combos,
    require_board,
    require_distinct,
)
from runout.cards.evaluator import evaluate_board
from runout.equity.board import (
    BEST_SCORE,
    compute_board_equity,
    rank_combos,
    strength_histograms,
)

#: How a matchup stands, from the hero's point of view.
BEHIND, TIED, AHEAD = range(3)
NUM_OUTCOMES = 3

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
    combos = np.array([combo_index(*holding), *live_combos((*board, *holding))])
    strength = evaluate_board(board)[combos].astype(np.int64)
    # Blocked villains have rank 0 among heroes and 255 among villains: they neither win nor lose.
    heroes, villains = rank_combos(boards, combos)
    mine = heroes[:, :1]
    won, lost = villains[:, 1:] < mine, heroes[:, 1:] > mine
    ends = np.stack([lost.sum(axis=0), np.zeros(len(combos) - 1, np.int64), won.sum(axis=0)])
    ends[TIED] = comb(len(rest) - 2, RIVER_SIZE - len(board)) - ends.sum(axis=0)
    now = TIED + np.sign(strength[0] - strength[1:])
    counts = np.stack([ends[:, now == outcome].sum(axis=1) for outcome in range(NUM_OUTCOMES)])
    ehs, ppot, npot, ehs2 = map(float, _strengths_of_counts(counts))
    score = BEST_SCORE // 2 + won.sum(axis=1) - lost.sum(axis=1)
    squared = int((score**2).sum()) / (len(boards) * BEST_SCORE**2)
    return HandStrength(ehs, ppot, npot, ehs2, squared)


def board_strengths(board: Sequence[int]) -> HandStrength[FloatArray]:
    """Returns the strengths ``[C]`` of all live combos of a board, sharing the work."""
    equity = compute_board_equity(board)
    strength = evaluate_board(board)[equity.combos].astype(np.int64)
    outcome_now = TIED + np.sign(strength[:, None] - strength)
    won, can_meet = equity.wins.astype(np.int64), disjoint_combos(equity.combos, equity.combos)
    ends = (won.T, equity.num_runouts * can_meet - won - won.T, won)
    counts = np.stack(
        [[(end * (outcome_now == now)).sum(axis=1) for end in ends] for now in range(NUM_OUTCOMES)]
    )
    ehs_squared = strength_histograms(board, num_bins=1).expected_squared_strength
    return HandStrength(*_strengths_of_counts(np.moveaxis(counts, 2, 0)), ehs_squared)


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
