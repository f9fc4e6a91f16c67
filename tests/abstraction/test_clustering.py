import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from runout.abstraction import clustering
from runout.abstraction.clustering import Clustering, cluster_features, merge_equal_rows
from runout.cfr.team import Team
from runout.errors import AbstractionError
from runout.events import BucketsCapped
from tests.reference.clustering import distances_to

METRICS = ["emd", "cramer"]


def random_cdfs(seed: int, num_rows: int, num_bins: int = 10) -> np.ndarray:
    counts = np.random.default_rng(seed).integers(0, 4, (num_rows, num_bins)) ** 3
    counts[:, -1] += 1
    return counts.cumsum(axis=1) / counts.sum(axis=1, keepdims=True)


def cluster(rows: np.ndarray, num_buckets: int, metric: str = "emd", **options) -> Clustering:
    given = {"seed": 0, "order_key": -rows.sum(axis=1), **options}
    return cluster_features(rows, num_buckets, metric, **given)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("num_buckets", [1, 2, 17, 100])
def test_every_row_is_in_the_bucket_of_its_nearest_center(metric, num_buckets):
    rows = np.repeat(random_cdfs(1, 400), np.random.default_rng(2).integers(1, 9, 400), axis=0)
    found = cluster(rows, num_buckets, metric)
    distances = distances_to(rows, found.centers, metric)
    np.testing.assert_allclose(
        distances[np.arange(len(rows)), found.labels], distances.min(axis=1), atol=1e-12
    )
    assert found.inertia == pytest.approx(distances.min(axis=1).sum())


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("num_buckets", [1, 5, 60, 299, 300])
def test_no_bucket_is_empty(metric, num_buckets):
    found = cluster(random_cdfs(3, 300), num_buckets, metric)
    assert found.num_buckets == num_buckets
    assert set(found.labels.tolist()) == set(range(num_buckets))


@pytest.mark.parametrize("metric", METRICS)
def test_a_center_that_loses_its_rows_moves_to_the_row_that_costs_most(metric):
    rows = np.array([[0.0], [1.0], [10.0], [11.0]])
    weighted = clustering._WeightedRows(rows, np.array([1.0, 1.0, 1.0, 5.0]), metric, Team())
    labels, centers, inertia = weighted.refine(np.array([[0.5], [500.0], [501.0]]), 0)
    assert labels.tolist() == [0, 0, 1, 2]
    assert centers.ravel().tolist() == [0.5, 10.0, 11.0]
    assert inertia == {"emd": 1.0, "cramer": 0.5}[metric]


@pytest.mark.parametrize("metric", METRICS)
def test_groups_that_lie_apart_are_found(metric):
    middles = np.array([0.1, 0.5, 0.9])
    group = np.random.default_rng(4).integers(0, 3, 200)
    rows = middles[group][:, None] + np.random.default_rng(5).uniform(-0.02, 0.02, (200, 4))
    found = cluster(rows, 3, metric, order_key=rows[:, 0])
    assert found.labels.tolist() == group.tolist()


def test_centers_are_weighted_medians_or_means():
    rows = np.array([[0.0], [0.1], [1.0], [0.1]])
    assert cluster(rows, 1, "emd").centers.tolist() == [[0.1]]
    assert cluster(rows, 1, "cramer").centers[0, 0] == pytest.approx(0.3)


@pytest.mark.parametrize("metric", METRICS)
def test_equal_rows_have_equal_labels_in_any_order(metric):
    rows = random_cdfs(8, 150, num_bins=3)
    assert len(np.unique(rows, axis=0)) < 150
    order = np.random.default_rng(9).permutation(150)
    found, permuted = cluster(rows, 20, metric), cluster(rows[order], 20, metric)
    assert permuted.labels.tolist() == found.labels[order].tolist()
    bucket_by_row = {}
    for row, label in zip(rows.tolist(), found.labels.tolist(), strict=True):
        assert bucket_by_row.setdefault(tuple(row), label) == label


@pytest.mark.parametrize("metric", METRICS)
def test_buckets_rise_in_mean_key(metric):
    rows = random_cdfs(10, 300)
    key = np.random.default_rng(11).random(300)
    found = cluster(rows, 25, metric, order_key=key)
    means = np.bincount(found.labels, key) / np.bincount(found.labels)
    assert (np.diff(means) >= 0.0).all()


@pytest.mark.parametrize("metric", METRICS)
def test_more_buckets_than_different_rows_are_capped_with_an_event(metric):
    rows = np.repeat(random_cdfs(13, 6), 4, axis=0)
    events = []
    found = cluster(rows, 10, metric, name="AhKsQd flop", on_event=events.append)
    assert events == [BucketsCapped("AhKsQd flop", requested=10, available=6)]
    assert (found.num_buckets, found.inertia) == (6, 0.0)
    cluster(rows, 6, metric, on_event=events.append)
    assert len(events) == 1


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("num_workers", [2, 3])
def test_workers_change_no_bit_of_a_clustering(metric, num_workers):
    rows = random_cdfs(5, 400)
    alone, together = cluster(rows, 12, metric), cluster(rows, 12, metric, team=Team(num_workers))
    np.testing.assert_array_equal(together.labels, alone.labels)
    np.testing.assert_array_equal(together.centers, alone.centers)
    assert together.inertia == alone.inertia


@pytest.mark.parametrize("metric", METRICS)
def test_a_seed_decides_everything_whatever_the_number_of_threads(metric, monkeypatch):
    monkeypatch.setattr(clustering, "MAX_ROWS_OF_RESTARTS", 500)
    rows = random_cdfs(14, 3_000)
    found = cluster(rows, 40, metric, seed=5)
    with threadpool_limits(1):
        again = cluster(rows, 40, metric, seed=5)
    assert again.labels.tolist() == found.labels.tolist()
    assert again.centers.tolist() == found.centers.tolist()
    assert cluster(rows, 40, metric, seed=6).labels.tolist() != found.labels.tolist()


@pytest.mark.parametrize("metric", METRICS)
def test_rounding_changes_no_bucket(metric):
    """Processors round differently; the draw of centres must not depend on it."""
    rows = np.random.default_rng(17).random((1_000, 10)).cumsum(axis=1)
    rounded = rows * np.random.default_rng(18).choice([1.0 - 1e-15, 1.0, 1.0 + 1e-15], rows.shape)
    assert not np.array_equal(rows, rounded)
    key = rows[:, 0]
    found, other = (cluster(r, 40, metric, order_key=key) for r in (rows, rounded))
    assert other.labels.tolist() == found.labels.tolist()
    np.testing.assert_allclose(other.centers, found.centers, rtol=1e-12)


@pytest.mark.parametrize("metric", METRICS)
def test_a_sample_costs_little(metric, monkeypatch):
    rows = random_cdfs(15, 4_000)
    by_all = cluster(rows, 30, metric)
    monkeypatch.setattr(clustering, "MAX_ROWS_OF_RESTARTS", 400)
    assert cluster(rows, 30, metric).inertia < 1.05 * by_all.inertia


def test_more_restarts_are_never_worse_on_few_rows(monkeypatch):
    rows, inertias = random_cdfs(16, 200), []
    for number in (1, 4, 16):
        monkeypatch.setattr(clustering, "_NUM_RESTARTS", number)
        inertias.append(cluster(rows, 12).inertia)
    assert inertias == sorted(inertias, reverse=True)


def test_equal_rows_are_merged_and_zeros_have_no_sign():
    rows = np.array([[0.0, 1.0], [0.5, 1.0], [-0.0, 1.0], [0.5, 1.0]])
    first, row_of = merge_equal_rows(rows)
    assert len(first) == 2
    assert row_of[0] == row_of[2] != row_of[1] == row_of[3]
    np.testing.assert_array_equal(rows[first][row_of], rows)


def test_rows_with_one_hash_are_told_apart(monkeypatch):
    monkeypatch.setattr(clustering, "_HASH_FACTOR", np.uint64(0))
    rows = random_cdfs(17, 30)
    first, row_of = merge_equal_rows(rows)
    assert len(first) == len(np.unique(rows, axis=0))
    np.testing.assert_array_equal(rows[first][row_of], rows)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rows": np.empty((0, 3))}, r"features of shape \(0, 3\): rows of finite numbers"),
        ({"rows": np.full((2, 3), np.nan)}, r"features of shape \(2, 3\): rows of finite numbers"),
    ],
)
def test_arguments_without_meaning_are_refused(change, message):
    given = {"rows": np.eye(2), "num_buckets": 1, "order_key": np.ones(2), **change}
    with pytest.raises(AbstractionError, match=message):
        cluster(**given)
