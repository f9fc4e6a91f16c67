"""Compiled inner loops of clustering: the nearest centre of every row, and weighted medians.

Shape letters: ``n`` rows, ``d`` columns, ``K`` centres.
"""

import numpy as np

from runout.arrays import FloatArray, IntArray
from runout.jit import kernel


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
