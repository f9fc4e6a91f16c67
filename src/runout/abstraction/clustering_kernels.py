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
        center_sums: ``[K]``.
        is_squared: squared L2 distance, or else L1.
        out_labels: ``[n]`` number of the nearest centre.
        out_distances: ``[n]``.
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
    column: FloatArray,
    ascending: IntArray,
    weights: FloatArray,
    labels: IntArray,
    bucket_weights: FloatArray,
    out_medians: FloatArray,
) -> None:
    """Sets ``out_medians[K]`` to the weighted median of a column ``[n]`` in each bucket.

    A median is the smallest value up to which at least half of the bucket's weight lies; a bucket
    without rows keeps what it has. ``ascending[n]`` are the rows in rising order of the column,
    ``labels[n]`` their buckets, and ``bucket_weights[K]`` the sums of their weights.
    """
    passed = np.zeros(bucket_weights.shape[0])
    for position in range(ascending.shape[0]):
        i = ascending[position]
        label = labels[i]
        if passed[label] < 0.5 * bucket_weights[label]:
            out_medians[label] = column[i]
        passed[label] += weights[i]
