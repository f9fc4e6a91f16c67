"""Compiled inner loops of clustering and of strength features."""

import numpy as np

from runout.arrays import FloatArray, IntArray, Uint8Array, Uint16Array
from runout.cards import evaluator_kernels
from runout.cards.evaluator_kernels import EvaluatorTables
from runout.equity import equity_kernels
from runout.jit import kernel

# --------------------------------------------------------------------------------------------------
# Compiled inner loops of clustering: the nearest centre of every row, and weighted medians.
#
# Shape letters: ``n`` rows, ``d`` columns, ``K`` centres.


@kernel
def assign_nearest(
    rows: FloatArray,
    centers: FloatArray,
    center_sums: FloatArray,
    is_squared: bool,
    out_labels: IntArray,
    out_distances: FloatArray,
) -> None:
    """Finds the nearest centre of every row, the first of equally near ones.

    The difference of two rows' sums bounds their distance from below, so centres are visited from
    the one with the most similar sum outwards, until none can be nearer.

    Args:
        rows: ``[n, d]``.
        centers: ``[K, d]`` in rising order of their sums.
        center_sums: ``[K]`` sums of the centres' columns.
        is_squared: squared L2 distance, or else L1.
        out_labels: ``[n]`` number of the nearest centre.
        out_distances: ``[n]`` the distance to it.
    """
    num_columns, num_centers = rows.shape[1], centers.shape[0]
    for i in range(rows.shape[0]):
        row = rows[i]
        row_sum = 0.0
        for column in range(num_columns):
            row_sum += row[column]
        right = np.searchsorted(center_sums, row_sum)
        left = right - 1
        nearest, shortest = num_centers, np.inf
        while left >= 0 or right < num_centers:
            gap_left = row_sum - center_sums[left] if left >= 0 else np.inf
            gap_right = center_sums[right] - row_sum if right < num_centers else np.inf
            gap = min(gap_left, gap_right)
            if (gap * gap / num_columns if is_squared else gap) > shortest:
                break
            center = left if gap_left <= gap_right else right
            if center == left:
                left -= 1
            else:
                right += 1
            distance = _distance(row, centers[center], is_squared)
            if distance < shortest or (distance == shortest and center < nearest):
                nearest, shortest = center, distance
        out_labels[i] = nearest
        out_distances[i] = shortest


@kernel
def _distance(row: FloatArray, center: FloatArray, is_squared: bool) -> float:
    distance = 0.0
    for column in range(row.shape[0]):
        difference = row[column] - center[column]
        distance += difference * difference if is_squared else abs(difference)
    return distance


@kernel
def measure_distances(
    rows: FloatArray, center: FloatArray, is_squared: bool, out_distances: FloatArray
) -> None:
    """Sets ``out_distances[n]`` to how far each row is from a centre: squared L2, or else L1."""
    for i in range(rows.shape[0]):
        out_distances[i] = _distance(rows[i], center, is_squared)


@kernel
def take_medians(
    rows: FloatArray,
    ascending: IntArray,
    weights: FloatArray,
    labels: IntArray,
    bucket_weights: FloatArray,
    out_centers: FloatArray,
) -> None:
    """Sets ``out_centers[K, d]`` to the weighted median of each column of each bucket.

    A median is the smallest value up to which at least half of the bucket's weight lies.

    Args:
        rows: ``[n, d]``.
        ascending: ``[d, n]`` numbers of the rows in rising order of each column.
        weights: ``[n]``.
        labels: ``[n]`` bucket of each row.
        bucket_weights: ``[K]`` sum of the weights of each bucket.
        out_centers: a bucket without rows keeps what it has.
    """
    passed = np.empty(bucket_weights.shape[0])
    for column in range(rows.shape[1]):
        passed[:] = 0.0
        order = ascending[column]
        for position in range(order.shape[0]):
            i = order[position]
            label, weight = labels[i], weights[i]
            half = 0.5 * bucket_weights[label]
            if passed[label] < half:
                out_centers[label, column] = rows[i, column]
            passed[label] += weight


# --------------------------------------------------------------------------------------------------
# Compiled river strength against groups of villains, all combos of many boards at once.
#
# Shape letters: ``R`` complete five-card boards, ``C`` combos, ``G`` groups of villains.


_NUM_COMBOS = 1326
_NUM_CARDS = 52
_NUM_RANKS = 13
_ALL = _NUM_CARDS  # the row that counts villains whatever their cards
_MAX_RANKS_ON_A_BOARD = 255
_NUM_STRENGTH_CELLS = 7464  # as `rank_strengths` wants them


@kernel
def score_against_groups(
    tables: EvaluatorTables,
    boards: Uint8Array,
    combos: IntArray,
    combo_cards: Uint8Array,
    groups: IntArray,
    out_scores: Uint16Array,
    out_best: Uint16Array,
) -> None:
    """Scores every combo against each group: 2 for each villain it beats, 1 for each it ties.

    Args:
        boards: ``[R, 5]`` cards.
        combos: ``[C]`` combos to score; all that some board of ``boards`` leaves possible.
        combo_cards: ``[C, 2]`` their cards.
        groups: ``[C]`` the group that a villain with this combo belongs to, 0 to G - 1.
        out_scores: ``[R, C, G]`` scores, 0 where the board blocks the combo.
        out_best: ``[R, C, G]`` the score of beating all villains of the group that the combo can
            meet on the board; 0 where there is none, or the board blocks the combo.
    """
    num_groups = out_scores.shape[2]
    strength = np.empty(_NUM_COMBOS, dtype=np.uint16)
    scratch = np.empty((_NUM_RANKS, _NUM_CARDS), dtype=np.uint16)
    rank_by_strength = np.empty(_NUM_STRENGTH_CELLS, dtype=np.uint8)
    ranks = np.empty(combos.shape[0], dtype=np.uint8)
    doubled = np.empty((_MAX_RANKS_ON_A_BOARD, _NUM_CARDS + 1, num_groups), dtype=np.uint16)
    met = np.empty((_NUM_CARDS + 1, num_groups), dtype=np.uint16)
    for board in range(boards.shape[0]):
        evaluator_kernels.evaluate_board(tables, boards[board], scratch, strength)
        num_ranks = equity_kernels.rank_strengths(strength, rank_by_strength)
        for i in range(combos.shape[0]):
            ranks[i] = rank_by_strength[strength[combos[i]]]
        _sum_groups(ranks, combo_cards, groups, num_ranks, doubled, met)
        for i in range(combos.shape[0]):
            scores, best = out_scores[board, i], out_best[board, i]
            scores[:] = 0
            best[:] = 0
            if ranks[i] == equity_kernels.BLOCKED_HERO:
                continue
            below = doubled[ranks[i]]
            low, high = combo_cards[i, 0], combo_cards[i, 1]
            for group in range(num_groups):
                scores[group] = below[_ALL, group] - below[low, group] - below[high, group]
                best[group] = 2 * (met[_ALL, group] - met[low, group] - met[high, group])
            # Its own combo was counted as tied with itself, and taken off once for each card.
            scores[groups[i]] += 1
            best[groups[i]] += 2


@kernel
def _sum_groups(
    ranks: Uint8Array,
    combo_cards: Uint8Array,
    groups: IntArray,
    num_ranks: int,
    out_doubled: Uint16Array,
    out_met: Uint16Array,
) -> None:
    """Counts villains by group and card, and by rank: twice the weaker ones plus the equal ones.

    Args:
        ranks: ``[C]`` ranks on one board.
        out_doubled: ``[ranks, 53, G]`` by the hero's rank and a card of the villain; the last card
            stands for all villains.
        out_met: ``[53, G]`` villains of any rank.
    """
    for rank in range(num_ranks + 1):
        out_doubled[rank] = 0
    out_met[:] = 0
    for i in range(ranks.shape[0]):
        if ranks[i] != equity_kernels.BLOCKED_HERO:
            equal, group = out_doubled[ranks[i]], groups[i]
            equal[combo_cards[i, 0], group] += 1
            equal[combo_cards[i, 1], group] += 1
            equal[_ALL, group] += 1
    for rank in range(1, num_ranks + 1):
        for card in range(_NUM_CARDS + 1):
            row, weaker = out_doubled[rank, card], out_met[card]
            for group in range(row.shape[0]):
                equal_here = row[group]
                row[group] = equal_here + 2 * weaker[group]
                weaker[group] += equal_here
