"""Twins of clustering: look at every centre, write every weight out, go bucket by bucket."""

import numpy as np


def distances_to(rows: np.ndarray, centers: np.ndarray, metric: str) -> np.ndarray:
    """Returns ``[n, K]`` L1 distances, or squared L2 distances for ``cramer``."""
    differences = np.abs(rows[:, None] - centers)
    return (differences**2 if metric == "cramer" else differences).sum(axis=2)


def median(values: list[float], weights: list[int]) -> float:
    """Returns the lower median after writing every value down as often as its weight says."""
    written = sorted(v for v, w in zip(values, weights, strict=True) for _ in range(w))
    return written[(len(written) - 1) // 2]


def variance_within(values: np.ndarray, labels: np.ndarray) -> float:
    """Returns the mean squared distance of ``values[n, d]`` from the mean of their bucket."""
    squares = [
        float(((values[labels == label] - values[labels == label].mean(axis=0)) ** 2).sum())
        for label in set(labels.tolist())
    ]
    return sum(squares) / len(values)
