"""Tests of `runout.abstraction.clustering_kernels`."""

import numpy as np
import pytest

from runout.abstraction import clustering_kernels
from tests.reference.clustering import distances_to, median


def random_rows(seed: int, num_rows: int, num_columns: int) -> np.ndarray:
    """Coarse numbers, so that rows are equal and distances tie now and then."""
    return np.random.default_rng(seed).integers(0, 6, (num_rows, num_columns)) / 4.0


def sort_by_sum(centers: np.ndarray) -> np.ndarray:
    return centers[np.argsort(centers.sum(axis=1), kind="stable")]


@pytest.mark.parametrize("metric", ["emd", "cramer"])
@pytest.mark.parametrize(
    ("num_rows", "num_centers", "num_columns"), [(1, 1, 1), (50, 1, 3), (200, 30, 2), (300, 90, 10)]
)
def test_assign_nearest_equals_looking_at_every_center(metric, num_rows, num_centers, num_columns):
    rows = random_rows(1, num_rows, num_columns)
    centers = sort_by_sum(random_rows(2, num_centers, num_columns))
    labels, distances = np.full(num_rows, 77), np.full(num_rows, 77.0)
    clustering_kernels.assign_nearest(
        rows, centers, centers.sum(axis=1), metric == "cramer", labels, distances
    )
    expected = distances_to(rows, centers, metric)
    # These sums are exact in binary, so ties are ties and the first of them is meant.
    np.testing.assert_array_equal(labels, expected.argmin(axis=1))
    np.testing.assert_array_equal(distances, expected.min(axis=1))


@pytest.mark.parametrize("metric", ["emd", "cramer"])
def test_assign_nearest_finds_centers_far_off_in_sum(metric):
    """The bound may only skip centres that are farther, wherever the rows lie."""
    random = np.random.default_rng(3)
    rows, centers = random.normal(size=(500, 4)), sort_by_sum(random.normal(size=(60, 4)) * 3.0)
    labels, distances = np.empty(500, dtype=np.int64), np.empty(500)
    clustering_kernels.assign_nearest(
        rows, centers, centers.sum(axis=1), metric == "cramer", labels, distances
    )
    expected = distances_to(rows, centers, metric)
    np.testing.assert_array_equal(labels, expected.argmin(axis=1))
    np.testing.assert_allclose(distances, expected.min(axis=1), rtol=1e-12)


@pytest.mark.parametrize("metric", ["emd", "cramer"])
@pytest.mark.parametrize(("num_rows", "num_columns"), [(1, 1), (300, 10)])
def test_measure_distances_equals_the_distances_of_arrays(metric, num_rows, num_columns):
    rows, (center,) = random_rows(1, num_rows, num_columns), random_rows(2, 1, num_columns)
    distances = np.full(num_rows, 77.0)
    clustering_kernels.measure_distances(rows, center, metric == "cramer", distances)
    np.testing.assert_array_equal(distances, distances_to(rows, center[None], metric)[:, 0])


@pytest.mark.parametrize(("num_rows", "num_buckets"), [(1, 1), (7, 2), (300, 11)])
def test_take_medians_equals_writing_every_weight_out(num_rows, num_buckets):
    rows = random_rows(4, num_rows, 3)
    random = np.random.default_rng(5)
    weights = random.integers(1, 5, num_rows)
    labels = np.concatenate([np.arange(num_buckets), random.integers(0, num_buckets, num_rows)])
    labels = labels[:num_rows]
    bucket_weights = np.bincount(labels, weights, num_buckets)
    centers = np.full((num_buckets, 3), 77.0)
    given = weights.astype(np.float64), labels, bucket_weights
    for number, column in enumerate(np.ascontiguousarray(rows.T)):
        medians = np.full(num_buckets, 77.0)
        clustering_kernels.take_medians(column, np.argsort(column), *given, medians)
        centers[:, number] = medians
    for bucket in range(num_buckets):
        is_member = labels == bucket
        expected = [median(column[is_member], weights[is_member]) for column in rows.T]
        assert centers[bucket].tolist() == expected


def test_take_medians_keeps_the_center_of_an_empty_bucket():
    medians = np.full(2, 77.0)
    clustering_kernels.take_medians(
        np.array([0.25]),
        np.zeros(1, dtype=np.int64),
        np.ones(1),
        np.zeros(1, dtype=np.int64),
        np.array([1.0, 0.0]),
        medians,
    )
    assert medians.tolist() == [0.25, 77.0]
