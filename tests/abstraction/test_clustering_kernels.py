"""Tests of `runout.abstraction.clustering_kernels`."""

import numpy as np
import pytest

from runout.abstraction import clustering_kernels
from runout.abstraction import clustering_kernels as strength_feature_kernels
from runout.cards.deck import COMBO_CARDS, live_combos, parse_board
from runout.cards.evaluator import evaluator_tables
from tests.reference.clustering import distances_to, median
from tests.reference.strength_features import scores_against_groups


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
    ascending = np.ascontiguousarray(np.argsort(rows.T, axis=1))
    clustering_kernels.take_medians(
        rows, ascending, weights.astype(np.float64), labels, bucket_weights, centers
    )
    for bucket in range(num_buckets):
        is_member = labels == bucket
        expected = [median(column[is_member], weights[is_member]) for column in rows.T]
        assert centers[bucket].tolist() == expected


def test_take_medians_keeps_the_center_of_an_empty_bucket():
    centers = np.full((2, 1), 77.0)
    clustering_kernels.take_medians(
        np.array([[0.25]]),
        np.zeros((1, 1), dtype=np.int64),
        np.ones(1),
        np.zeros(1, dtype=np.int64),
        np.array([1.0, 0.0]),
        centers,
    )
    assert centers.ravel().tolist() == [0.25, 77.0]


def score(boards, combos, groups, num_groups):
    shape = (len(boards), len(combos), num_groups)
    scores, best = np.full(shape, 77, dtype=np.uint16), np.full(shape, 77, dtype=np.uint16)
    strength_feature_kernels.score_against_groups(
        evaluator_tables(),
        np.array(boards, dtype=np.uint8),
        combos,
        COMBO_CARDS[combos],
        groups,
        scores,
        best,
    )
    return scores, best


@pytest.mark.parametrize("num_groups", [1, 8])
@pytest.mark.parametrize("rivers", [("AsKsQsJs9d", "AsKsQs2c2d"), ("8h8d3s3c2c",), ("AhKhQhJhTh",)])
def test_scores_equal_comparing_with_every_villain(rivers, num_groups):
    boards = [parse_board(river) for river in rivers]
    combos = live_combos(boards[0][:3])
    all_groups = np.random.default_rng(num_groups).integers(0, num_groups, 1_326)
    scores, best = score(boards, combos, all_groups[combos], num_groups)
    for i, board in enumerate(boards):
        expected_scores, expected_best = scores_against_groups(board, all_groups, num_groups)
        np.testing.assert_array_equal(scores[i], expected_scores[combos])
        np.testing.assert_array_equal(best[i], expected_best[combos])


def test_groups_without_villains_have_no_best_score():
    board = parse_board("AsKsQsJs9d")
    combos = live_combos(board[:3])
    scores, best = score([board], combos, np.ones(len(combos), dtype=np.int64), 3)
    assert not scores[0, :, [0, 2]].any()
    assert not best[0, :, [0, 2]].any()
    is_live = np.isin(combos, live_combos(board))
    assert (best[0, is_live, 1] == 2 * 990).all()
    assert not best[0, ~is_live].any()
