"""Compiled counting: rank every combo once per board, then compare small integers."""

import numpy as np

from runout.arrays import Int32Array, IntArray, Uint8Array, Uint16Array, Uint32Array
from runout.cards import evaluator_kernels
from runout.cards.evaluator_kernels import EvaluatorTables
from runout.jit import kernel

# Shape letters: ``R`` complete five-card boards, ``C`` combos. A board has fewer than 255 distinct
# strengths, so a strength becomes its rank among them, one byte; a combo that the board blocks is
# weaker than everything as a hero (`BLOCKED_HERO`) and stronger as a villain (`BLOCKED_VILLAIN`),
# and comparing needs no mask.

BLOCKED_HERO = 0
BLOCKED_VILLAIN = 255
BLOCKED_SCORE = -1

_MAX_BYTE_COUNT = 255  # comparisons that a one-byte counter can hold
_ROWS_AT_ONCE = 4
_BOARDS_AT_ONCE = 32  # whose scores stay in the cache
_NUM_COMBOS = 1326
_NUM_CARDS = 52
_NUM_RANKS = 13
_ALL = _NUM_CARDS  # the column that counts combos whatever their cards
_NUM_COLUMNS = _NUM_CARDS + 1
_NUM_STRENGTH_CELLS = 7464  # strengths 0 (blocked) to 7462, filled up to whole words


@kernel
def rank_combos(
    tables: EvaluatorTables,
    boards: Uint8Array,
    combos: IntArray,
    out_hero: Uint8Array,
    out_villain: Uint8Array,
) -> None:
    """Ranks ``combos[C]`` on each of ``boards[R, 5]`` by strength, 1 being the weakest.

    Both outputs ``[R, C]`` have the same ranks, but ``BLOCKED_HERO`` or ``BLOCKED_VILLAIN``.
    """
    strength = np.empty(_NUM_COMBOS, dtype=np.uint16)
    scratch = np.empty((_NUM_RANKS, _NUM_CARDS), dtype=np.uint16)
    rank_by_strength = np.empty(_NUM_STRENGTH_CELLS, dtype=np.uint8)
    for board in range(boards.shape[0]):
        evaluator_kernels.evaluate_board(tables, boards[board], scratch, strength)
        rank_strengths(strength, rank_by_strength)
        hero, villain = out_hero[board], out_villain[board]
        for i in range(combos.shape[0]):
            rank = rank_by_strength[strength[combos[i]]]
            hero[i] = rank
            villain[i] = rank if rank != BLOCKED_HERO else BLOCKED_VILLAIN


@kernel
def rank_strengths(strength: Uint16Array, out_rank: Uint8Array) -> int:
    """Numbers the ``strength[1326]`` on a board, ascending from 1; returns how many there are.

    ``out_rank[7464]`` is by strength, meaningful where it occurs; 0, which is blocked, stays 0.
    """
    cells_of_eight = out_rank.view(np.uint64)
    cells_of_eight[:] = 0
    for combo in range(strength.shape[0]):
        out_rank[strength[combo]] = 1
    out_rank[0] = BLOCKED_HERO
    rank = 0
    for word in range(cells_of_eight.shape[0]):
        if cells_of_eight[word]:  # most strengths do not occur: skip them eight at a time
            for value in range(8 * word, 8 * word + 8):
                rank += out_rank[value]
                out_rank[value] = rank
    return rank


@kernel
def count_wins(
    hero: Uint8Array, villain: Uint8Array, weight: IntArray, out_wins: Uint32Array
) -> None:
    """Adds to ``out_wins[C, C]`` the weight of the boards on which the row beats the column.

    Ranks ``[R, C]`` are from `rank_combos`; equal weights ``[R]`` should be neighbours. Pairs that
    share a card are counted as well and mean nothing.
    """
    begin = 0
    while begin < weight.shape[0]:
        end = begin + 1
        while (
            end < weight.shape[0] and end - begin < _MAX_BYTE_COUNT and weight[end] == weight[begin]
        ):
            end += 1
        _count_wins_of_block(hero[begin:end], villain[begin:end], weight[begin], out_wins)
        begin = end


@kernel
def _count_wins_of_block(
    hero: Uint8Array, villain: Uint8Array, weight: int, out_wins: Uint32Array
) -> None:
    """Counts four rows on two boards at a time, in one-byte counters that fill SIMD lanes.

    Two boards share each load and store of a counter, four rows each load of a villain's rank.
    """
    num_boards, num_combos = villain.shape
    counts = np.empty((_ROWS_AT_ONCE, num_combos), dtype=np.uint8)
    counts_0, counts_1, counts_2, counts_3 = counts[0], counts[1], counts[2], counts[3]
    ranks = np.zeros((_ROWS_AT_ONCE, 2), dtype=np.uint8)
    for first in range(0, num_combos, _ROWS_AT_ONCE):
        num_rows = min(_ROWS_AT_ONCE, num_combos - first)
        counts[:] = 0
        for board in range(0, num_boards, 2):
            has_second = board + 1 < num_boards
            villain_a = villain[board]
            villain_b = villain[board + 1] if has_second else villain_a
            for row in range(num_rows):
                ranks[row, 0] = hero[board, first + row]
                ranks[row, 1] = hero[board + 1, first + row] if has_second else BLOCKED_HERO
            a_0, a_1, a_2, a_3 = ranks[0, 0], ranks[1, 0], ranks[2, 0], ranks[3, 0]
            b_0, b_1, b_2, b_3 = ranks[0, 1], ranks[1, 1], ranks[2, 1], ranks[3, 1]
            for column in range(num_combos):
                a, b = villain_a[column], villain_b[column]
                counts_0[column] += np.uint8(np.uint8(a_0 > a) + np.uint8(b_0 > b))
                counts_1[column] += np.uint8(np.uint8(a_1 > a) + np.uint8(b_1 > b))
                counts_2[column] += np.uint8(np.uint8(a_2 > a) + np.uint8(b_2 > b))
                counts_3[column] += np.uint8(np.uint8(a_3 > a) + np.uint8(b_3 > b))
        for row in range(num_rows):
            wins, row_counts = out_wins[first + row], counts[row]
            for column in range(num_combos):
                wins[column] += np.uint32(weight) * np.uint32(row_counts[column])


@kernel
def clear_blocked_pairs(combo_cards: Uint8Array, out_wins: Uint32Array) -> None:
    """Zeroes the cells of ``out_wins[C, C]`` whose row and column share one of their cards."""
    for row in range(out_wins.shape[0]):
        card_a, card_b = combo_cards[row, 0], combo_cards[row, 1]
        wins = out_wins[row]
        for column in range(out_wins.shape[1]):
            low, high = combo_cards[column, 0], combo_cards[column, 1]
            if low == card_a or low == card_b or high == card_a or high == card_b:
                wins[column] = 0


@kernel
def sum_by_hand(wins: Uint32Array, hand_by_combo: IntArray, out_wins: IntArray) -> None:
    """Adds ``wins[C, C]`` to the ``out_wins[169, 169]`` cells of ``hand_by_combo[C]``."""
    for row in range(wins.shape[0]):
        row_wins, sums = wins[row], out_wins[hand_by_combo[row]]
        for column in range(wins.shape[1]):
            sums[hand_by_combo[column]] += np.int64(row_wins[column])


@kernel
def add_strengths(
    tables: EvaluatorTables,
    boards: Uint8Array,
    weight: IntArray,
    combos: IntArray,
    combo_cards: Uint8Array,
    out_score: IntArray,
    out_squared_score: IntArray,
) -> None:
    """Adds to ``[C]`` sums every combo's score on each board, and its square, unless it is blocked.

    Arguments are as in `score_boards`; ``weight[R]`` is how many boards each one stands for.
    """
    everybody = np.zeros(combos.shape[0], dtype=np.int64)
    scores = np.empty((_BOARDS_AT_ONCE, 1, combos.shape[0]), dtype=np.int32)
    no_best = np.empty((0, 0, 0), dtype=np.int32)
    for board in range(boards.shape[0]):
        if board % _BOARDS_AT_ONCE == 0:
            some = boards[board : board + _BOARDS_AT_ONCE]
            score_boards(tables, some, combos, combo_cards, everybody, scores, no_best)
        for i in range(combos.shape[0]):
            score = np.int64(scores[board % _BOARDS_AT_ONCE, 0, i])
            if score != BLOCKED_SCORE:
                out_score[i] += weight[board] * score
                out_squared_score[i] += weight[board] * score * score


@kernel
def score_boards(
    tables: EvaluatorTables,
    boards: Uint8Array,
    combos: IntArray,
    combo_cards: Uint8Array,
    groups: IntArray,
    out_scores: Int32Array,
    out_best: Int32Array,
) -> None:
    """Scores combos on complete boards: 2 for each villain of a group it beats, 1 for each tie.

    Args:
        boards: ``[R, 5]`` cards.
        combos: ``[C]`` combos to score; all that some board of ``boards`` leaves possible.
        combo_cards: ``[C, 2]`` their cards.
        groups: ``[C]`` the group that a villain with this combo belongs to, 0 to G - 1.
        out_scores: ``[R, G, C]`` scores, or ``BLOCKED_SCORE``.
        out_best: ``[R, G, C]`` the score of beating all villains of the group that the combo can
            meet, meaningless where the board blocks the combo; ``[0, 0, 0]`` if not wanted.
    """
    num_groups = out_scores.shape[1]
    strength = np.empty(_NUM_COMBOS, dtype=np.uint16)
    scratch = np.empty((_NUM_RANKS, _NUM_CARDS), dtype=np.uint16)
    rank_by_strength = np.empty(_NUM_STRENGTH_CELLS, dtype=np.uint8)
    ranks = np.empty(combos.shape[0], dtype=np.uint8)
    doubled = np.empty((BLOCKED_VILLAIN, num_groups * _NUM_COLUMNS), dtype=np.int32)
    met = np.empty(num_groups * _NUM_COLUMNS, dtype=np.int32)
    for board in range(boards.shape[0]):
        evaluator_kernels.evaluate_board(tables, boards[board], scratch, strength)
        num_ranks = rank_strengths(strength, rank_by_strength)
        for i in range(combos.shape[0]):
            ranks[i] = rank_by_strength[strength[combos[i]]]
        _score_ranks(ranks, combo_cards, groups, num_ranks, doubled, met)
        for group in range(num_groups):
            # A combo was counted as tied with itself, and taken off once for each of its cards.
            first, scores = group * _NUM_COLUMNS, out_scores[board, group]
            for i in range(combos.shape[0]):
                if ranks[i] == BLOCKED_HERO:
                    scores[i] = BLOCKED_SCORE
                else:
                    row = doubled[ranks[i], first : first + _NUM_COLUMNS]
                    sharing = row[combo_cards[i, 0]] + row[combo_cards[i, 1]]
                    scores[i] = row[_ALL] - sharing + (groups[i] == group)
        for group in range(out_best.shape[1]):
            row = met[group * _NUM_COLUMNS : (group + 1) * _NUM_COLUMNS]
            for i in range(combos.shape[0]):
                sharing = row[combo_cards[i, 0]] + row[combo_cards[i, 1]]
                out_best[board, group, i] = 2 * (row[_ALL] - sharing + (groups[i] == group))


@kernel
def _score_ranks(
    ranks: Uint8Array,
    combo_cards: Uint8Array,
    groups: IntArray,
    num_ranks: int,
    out_doubled: Int32Array,
    out_met: Int32Array,
) -> None:
    """Counts villains by rank: twice the weaker ones plus the equal ones.

    Args:
        ranks: ``[C]`` ranks on one board.
        out_doubled: ``[ranks, G * 53]`` by the hero's rank, the villain's group and a card of the
            villain; the last card stands for all villains.
        out_met: ``[G * 53]`` villains of any rank.
    """
    for rank in range(num_ranks + 1):
        out_doubled[rank] = 0
    for i in range(ranks.shape[0]):
        if ranks[i] != BLOCKED_HERO:
            equal, first = out_doubled[ranks[i]], groups[i] * _NUM_COLUMNS
            equal[first + combo_cards[i, 0]] += 1
            equal[first + combo_cards[i, 1]] += 1
            equal[first + _ALL] += 1
    out_met[:] = 0
    for rank in range(1, num_ranks + 1):
        row = out_doubled[rank]
        for column in range(out_met.shape[0]):
            equal_here = row[column]
            row[column] += 2 * out_met[column]
            out_met[column] += equal_here


# Hand strength: who is ahead now, and who is ahead in the end.
#
# Outcomes are numbered `BEHIND`, `TIED`, `AHEAD`, from the hero's point of view.


BEHIND = 0
TIED = 1
AHEAD = 2
NUM_OUTCOMES = 3


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
