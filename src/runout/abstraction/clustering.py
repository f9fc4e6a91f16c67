"""Clusters of feature rows: k-medians for the earth mover's distance, k-means for Cramér's.

Rows are CDFs on a common grid. The earth mover's distance of two distributions on a line is the L1
distance of their CDFs (metric ``emd``, in units of the grid), the L2 distance is the Cramér
distance (metric ``cramer``). A bucket's centre minimises its own cost: medians for ``emd``, means
for ``cramer``.

Nothing depends on the order of the rows or on the number of threads.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Literal

import numpy as np

from runout.abstraction import clustering_kernels
from runout.arrays import FloatArray, IntArray, Uint64Array, read_only
from runout.cfr.solver import ignore_progress
from runout.cfr.team import Team
from runout.errors import AbstractionError
from runout.events import BucketEventSink, BucketsCapped, ignore_event

Metric = Literal["emd", "cramer"]

#: Told which share of the work is done, rising to 1.
ShareSink = Callable[[float], None]

#: Restarts compete on at most so many distinct rows; the winner is refined on all of them.
MAX_ROWS_OF_RESTARTS = 10_000

_NUM_RESTARTS = 3
_MIN_ROWS_PER_BUCKET = 4
_MAX_ITERATIONS_OF_RESTARTS = 30
_MAX_ITERATIONS_OF_REFINEMENT = 10
_HASH_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_HASH_SHIFT = np.uint64(29)

# Shares of the time that merging rows, the restarts and the refinement take, about.
_MERGED, _RESTARTED = 0.2, 0.5


@dataclass(frozen=True, eq=False)
class Clustering:
    """Rows sorted into buckets.

    Attributes:
        labels: ``[n]`` bucket of each row, 0 for the lowest mean key; equal rows share a bucket.
        centers: ``[K, d]`` to which the rows of a bucket are nearer than to any other.
        inertia: weighted sum of the distances to the centres; L1 (``emd``), or L2 squared.
    """

    labels: IntArray
    centers: FloatArray
    inertia: float

    @property
    def num_buckets(self) -> int:
        """Buckets, none of them empty; fewer than requested if there are fewer distinct rows."""
        return len(self.centers)


def cluster_features(
    features: FloatArray,
    num_buckets: int,
    metric: Metric = "emd",
    *,
    seed: int,
    order_key: FloatArray,
    name: str = "features",
    on_event: BucketEventSink = ignore_event,
    on_share: ShareSink = ignore_progress,
    team: Team | None = None,
    num_restarts: int = _NUM_RESTARTS,
) -> Clustering:
    """Sorts feature rows into buckets that are as narrow as possible.

    Equal rows are merged first, and count as often as they occur. Each of some restarts draws
    centres from a seeded sample of the distinct rows (all of them up to `MAX_ROWS_OF_RESTARTS`)
    with k-means++, and moves them with Lloyd's algorithm. The best centres are moved on with all
    rows until nothing changes, or for 10 iterations, and every row goes to the nearest. A centre
    that loses all its rows moves to the row that costs most.

    Args:
        features: ``[n, d]`` CDFs or other rows whose distances mean something.
        num_buckets: capped at the number of distinct rows, with a `BucketsCapped` event.
        metric: ``emd`` or ``cramer``.
        seed: decides the draws.
        order_key: ``[n]`` buckets are numbered in rising order of its mean.
        name: what is clustered, for ``on_event``; ``on_share`` is told about progress.
        team: threads to share the work.
        num_restarts: more of them make the result depend less on the seed.
    """
    if features.ndim != 2 or features.size == 0 or not np.isfinite(features).all():
        problem = "rows of finite numbers are needed"
        raise AbstractionError(f"features of shape {features.shape}", problem)
    first, row_of = merge_equal_rows(features)
    rows = np.ascontiguousarray(features[first])
    if num_buckets > len(rows):
        on_event(BucketsCapped(name, num_buckets, len(rows)))
    num_centers = min(num_buckets, len(rows))
    weights = np.bincount(row_of).astype(np.float64)
    everything = _WeightedRows(rows, weights, metric, team or Team())
    sample = everything.sample(max(MAX_ROWS_OF_RESTARTS, _MIN_ROWS_PER_BUCKET * num_centers), seed)
    on_share(_MERGED)
    restarting = scale_share(on_share, _MERGED, _RESTARTED)
    centers = _find_centers(sample, num_centers, seed, num_restarts, restarting)
    labels, centers, inertia = everything.refine(
        centers, _MAX_ITERATIONS_OF_REFINEMENT, scale_share(on_share, _RESTARTED, 1.0)
    )
    labels = labels[row_of]
    totals = np.bincount(labels, order_key, num_centers)
    order = np.argsort(totals / np.bincount(labels, minlength=num_centers), kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(num_centers)
    return Clustering(read_only(rank[labels]), read_only(centers[order]), inertia)


def scale_share(on_share: ShareSink, begin: float, end: float) -> ShareSink:
    """Returns the sink of a part of the work, which leads from one share to another."""
    return lambda share: on_share(begin + (end - begin) * share)


def merge_equal_rows(features: FloatArray) -> tuple[IntArray, IntArray]:
    """Returns ``[m]`` one input row for each distinct row, and ``[n]`` which of them each one is.

    Distinct rows come in rising order of their sums, whatever the order of the input, so that draws
    of centres hardly move when a bit of a row changes; a hash decides between equal sums.
    """
    codes: Uint64Array = np.zeros(len(features), dtype=np.uint64)
    sums = np.zeros(len(features))
    for column in features.T:  # one after another, because rows come in millions
        codes ^= (column + 0.0).view(np.uint64)  # -0.0 is 0.0
        codes *= _HASH_FACTOR
        codes ^= codes >> _HASH_SHIFT
        sums += column
    distinct, first, row_of = np.unique(codes, return_index=True, return_inverse=True)
    same_row = first[row_of]
    if not all(np.array_equal(column[same_row], column) for column in features.T):
        # Two rows have one hash: number rows in the order of all their values instead.
        _, first, row_of = np.unique(features + 0.0, axis=0, return_index=True, return_inverse=True)
        distinct = np.arange(len(first), dtype=np.uint64)
    order = np.lexsort((distinct, sums[first]))
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return first[order], place[row_of.reshape(-1)]


@dataclass(frozen=True, eq=False)
class _WeightedRows:
    """Distinct rows, and Lloyd's algorithm on them; centres are kept in rising order of sums."""

    rows: FloatArray
    weights: FloatArray
    metric: Metric
    team: Team

    @cached_property
    def _columns(self) -> FloatArray:
        """``[d, n]`` the numbers of each column side by side."""
        return np.ascontiguousarray(self.rows.T)

    @cached_property
    def _ascending(self) -> IntArray:
        """``[d, n]`` numbers of the rows in rising order of each column."""
        sort = partial(np.argsort, kind="stable")
        return np.stack(self.team.run(sort, list(self._columns)))

    def sample(self, num_rows: int, seed: int) -> "_WeightedRows":
        """Returns so many of the rows with their weights, or all if there are no more."""
        if num_rows >= len(self.rows):
            return self
        drawn = np.random.default_rng(seed).choice(len(self.rows), num_rows, replace=False)
        drawn.sort()
        return replace(self, rows=self.rows[drawn], weights=self.weights[drawn])

    def distances_to(self, center: FloatArray) -> FloatArray:
        """Returns ``[n]`` how far each row is from a centre, L1 or L2 squared."""
        distances = np.empty(len(self.rows))
        clustering_kernels.measure_distances(self.rows, center, self.metric == "cramer", distances)
        return distances

    def refine(
        self, centers: FloatArray, max_iterations: int, on_share: ShareSink = ignore_progress
    ) -> tuple[IntArray, FloatArray, float]:
        """Moves centres until the buckets stay the same; returns labels, centres and inertia."""
        labels, centers, distances = self._assign(centers)
        for number in range(max_iterations):
            on_share((number + 1) / (max_iterations + 1))
            before = labels
            labels, centers, distances = self._assign(self._centers_of(labels, centers))
            if np.array_equal(labels, before):
                break
        on_share(1.0)
        return labels, centers, float((self.weights * distances).sum())

    def _assign(self, centers: FloatArray) -> tuple[IntArray, FloatArray, FloatArray]:
        """Returns labels, centres that each have a row, and the distances to them.

        Moving a centre without rows onto a row can take another one its last row, but the
        inertia falls each time, so this ends.
        """
        labels = np.empty(len(self.rows), dtype=np.int64)
        distances = np.empty(len(self.rows))
        parts = self.team.split(len(self.rows))

        def find_nearest(centers: FloatArray, sums: FloatArray, bounds: tuple[int, int]) -> None:
            part, is_squared = slice(*bounds), self.metric == "cramer"
            clustering_kernels.assign_nearest(
                self.rows[part], centers, sums, is_squared, labels[part], distances[part]
            )

        while True:
            sums = centers.sum(axis=1)
            order = np.argsort(sums, kind="stable")
            centers, sums = centers[order], sums[order]
            self.team.run(partial(find_nearest, centers, sums), parts)
            empty = np.flatnonzero(np.bincount(labels, minlength=len(centers)) == 0)
            if len(empty) == 0:
                return labels, centers, distances
            dearest = np.argsort(-self.weights * distances, kind="stable")[: len(empty)]
            centers[empty] = self.rows[dearest]

    def _centers_of(self, labels: IntArray, centers: FloatArray) -> FloatArray:
        """Returns the medians or means of buckets, none of which is empty."""
        bucket_weights = np.bincount(labels, self.weights, len(centers))

        def find(number: int) -> FloatArray:
            column = self._columns[number]
            if self.metric == "cramer":
                totals = np.bincount(labels, self.weights * column, len(centers))
                return totals / bucket_weights
            order, medians = self._ascending[number], np.empty(len(centers))
            weights = self.weights, labels, bucket_weights
            clustering_kernels.take_medians(column, order, *weights, medians)
            return medians

        return np.stack(self.team.run(find, range(centers.shape[1])), axis=1)


def _find_centers(
    sample: _WeightedRows, num_centers: int, seed: int, num_restarts: int, on_share: ShareSink
) -> FloatArray:
    """Returns ``[K, d]`` the best centres of several restarts, the first of equally good ones."""

    def restart(number: int) -> tuple[float, FloatArray]:
        drawn = _draw_centers(sample, num_centers, np.random.default_rng([seed, number]))
        _, centers, inertia = sample.refine(drawn, _MAX_ITERATIONS_OF_RESTARTS)
        return inertia, centers

    found: list[tuple[float, FloatArray]] = []
    while len(found) < num_restarts:
        end = min(len(found) + sample.team.num_workers, num_restarts)
        found += sample.team.run(restart, range(len(found), end))
        on_share(len(found) / num_restarts)
    return min(found, key=lambda pair: pair[0])[1]


def _draw_centers(
    sample: _WeightedRows, num_centers: int, random: np.random.Generator
) -> FloatArray:
    """Returns ``[K, d]`` distinct rows, drawn as in k-means++ by the distance of the metric.

    Each one is drawn with a chance proportional to its weight and its distance to those before;
    where the metric has several candidates, the one that leaves the least cost is taken.
    """
    costs = sample.weights.copy()
    distances = np.full(len(sample.rows), np.inf)
    drawn = np.empty(num_centers, dtype=np.int64)
    num_candidates = 1 if sample.metric == "emd" else 2 + num_centers.bit_length() // 2
    for i in range(num_centers):
        shares = np.cumsum(costs)
        points = random.random(num_candidates) * shares[-1]
        candidates = np.searchsorted(shares, points, side="right")
        nearer = [np.minimum(distances, sample.distances_to(sample.rows[c])) for c in candidates]
        best = int(np.argmin([(sample.weights * near).sum() for near in nearer]))
        drawn[i], distances = candidates[best], nearer[best]
        costs = sample.weights * distances
    return sample.rows[drawn]
