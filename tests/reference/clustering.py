"""Twins of clustering: look at every centre, write every weight out, count every pair of hands."""

from itertools import combinations

import numpy as np


def distances_to(rows: np.ndarray, centers: np.ndarray, metric: str) -> np.ndarray:
    """Returns ``[n, K]`` L1 distances, or squared L2 distances for ``cramer``."""
    differences = np.abs(rows[:, None] - centers)
    return (differences**2 if metric == "cramer" else differences).sum(axis=2)


def median(values: list[float], weights: list[int]) -> float:
    """Returns the lower median after writing every value down as often as its weight says."""
    written = sorted(v for v, w in zip(values, weights, strict=True) for _ in range(w))
    return written[(len(written) - 1) // 2]


def adjusted_rand_index(labels_a: list[int], labels_b: list[int]) -> float:
    """Returns Hubert and Arabie's index from the pairs that are together in both, one or none."""
    together = apart = only_a = only_b = 0
    for i, j in combinations(range(len(labels_a)), 2):
        in_a, in_b = labels_a[i] == labels_a[j], labels_b[i] == labels_b[j]
        together += in_a and in_b
        apart += not in_a and not in_b
        only_a += in_a and not in_b
        only_b += in_b and not in_a
    if only_a == only_b == 0:
        return 1.0
    numerator = 2 * (together * apart - only_a * only_b)
    return numerator / (
        (together + only_a) * (only_a + apart) + (together + only_b) * (only_b + apart)
    )
