"""Compiled counting behind hand strength: who is ahead now, and who is ahead in the end.

Outcomes are numbered `BEHIND`, `TIED`, `AHEAD`, from the hero's point of view.
"""

import numpy as np

from runout.arrays import IntArray, Uint8Array, Uint16Array, Uint32Array
from runout.cards import evaluator_kernels
from runout.cards.evaluator_kernels import EvaluatorTables
from runout.jit import kernel

BEHIND = 0
TIED = 1
AHEAD = 2
NUM_OUTCOMES = 3

_NUM_COMBOS = 1326
_NUM_CARDS = 52
_NUM_RANKS = 13


@kernel
def count_transitions(
    now: Uint16Array,
    wins: Uint32Array,
    combo_cards: Uint8Array,
    num_runouts: int,
    out_counts: IntArray,
) -> None:
    """Counts, for every combo of a board, how its matchups stand now and how they end.

    Args:
        now: ``[C]`` strengths on the board as it is.
        wins: ``[C, C]`` runouts on which the row beats the column.
        combo_cards: ``[C, 2]``.
        num_runouts: runouts of each pair.
        out_counts: ``[C, 3, 3]`` (villain combo, runout) pairs by outcome now and in the end.
    """
    for row in range(wins.shape[0]):
        card_a, card_b = combo_cards[row, 0], combo_cards[row, 1]
        counts = out_counts[row]
        counts[:] = 0
        for column in range(wins.shape[1]):
            low, high = combo_cards[column, 0], combo_cards[column, 1]
            if low == card_a or low == card_b or high == card_a or high == card_b:
                continue
            ends = counts[_outcome(now[row], now[column])]
            won, lost = np.int64(wins[row, column]), np.int64(wins[column, row])
            ends[AHEAD] += won
            ends[BEHIND] += lost
            ends[TIED] += num_runouts - won - lost


@kernel
def _outcome(mine: int, other: int) -> int:
    return TIED + (mine > other) - (mine < other)


@kernel
def count_transitions_of_holding(
    tables: EvaluatorTables,
    boards: Uint8Array,
    holding: int,
    villains: IntArray,
    group_start: IntArray,
    out_counts: IntArray,
) -> int:
    """Counts how one holding's matchups end; returns the sum of its squared scores.

    Args:
        boards: ``[R, 5]`` complete boards, none of which blocks the holding.
        holding: the hero's combo.
        villains: combos that can meet it, grouped by their outcome now.
        group_start: ``[4]`` where the villains of each outcome begin, and their number.
        out_counts: ``[3, 3]`` (villain combo, runout) pairs by outcome now and in the end.
    """
    strength = np.empty(_NUM_COMBOS, dtype=np.uint16)
    scratch = np.empty((_NUM_RANKS, _NUM_CARDS), dtype=np.uint16)
    out_counts[:] = 0
    squared_scores = 0
    for board in range(boards.shape[0]):
        evaluator_kernels.evaluate_board(tables, boards[board], scratch, strength)
        mine = strength[holding]
        score = 0
        for now in range(NUM_OUTCOMES):
            below, equal, live = 0, 0, 0
            for i in range(group_start[now], group_start[now + 1]):
                other = strength[villains[i]]
                below += other < mine
                equal += other == mine
                live += other != 0
            # A villain that the board blocks has strength 0 and was counted as below.
            blocked = group_start[now + 1] - group_start[now] - live
            won = below - blocked
            out_counts[now, AHEAD] += won
            out_counts[now, TIED] += equal
            out_counts[now, BEHIND] += live - won - equal
            score += 2 * won + equal
        squared_scores += score * score
    return squared_scores
