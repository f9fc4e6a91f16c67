"""Cores for solves."""

import itertools
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from runout.arrays import IntArray
from runout.cfr.cfr_kernels import TreeSpan
from runout.execution.pool import WorkerPool
from runout.execution.tasks import CancelToken, Worker
from runout.trees.layout import TreeArrays, subtree_sizes

# Many solves side by side lose nothing to waiting, so they come first; cores that have no solve of
# their own help inside the others. The sum of threads is the number of workers: nothing else
# starts any, because products are our own (`runout.simd.products`).

Part = TypeVar("Part")
Result = TypeVar("Result")

#: Smaller solves (nodes times hands) are over before a second thread has woken up.
MIN_CELLS_PER_WORKER = 200_000

#: A level with so many nodes for each part can be cut into parts of about equal size.
_SUBTREES_PER_PART = 16


class Team:
    """Threads that share one solve, the caller's one of them; ``cancel`` ends it between steps."""

    def __init__(
        self,
        num_workers: int = 1,
        pool: WorkerPool | None = None,
        cancel: CancelToken | None = None,
    ) -> None:
        """Gathers threads from a pool when they are free there, or of its own if there is none."""
        self.num_workers = num_workers
        self.cancel = cancel or CancelToken()
        if num_workers > 1 and pool is None:
            pool = WorkerPool(num_workers - 1)
        self._pool = pool

    @classmethod
    def of(cls, worker: Worker) -> "Team":
        """Returns the threads that a task has."""
        return cls(worker.num_threads, worker.pool, worker.cancel)

    def for_solve(self, cells: int) -> "Team":
        """Returns as much of the team as a solve of so many nodes times hands can make use of."""
        worthwhile = max(1, cells // MIN_CELLS_PER_WORKER)
        return Team(min(self.num_workers, worthwhile), self._pool, self.cancel)

    def cancelled_by(self, cancel: CancelToken) -> "Team":
        """Returns the same threads, for work that a token ends."""
        return Team(self.num_workers, self._pool, cancel)

    @property
    def num_ready(self) -> int:
        """Threads that would share work right now; it is cut into so many parts."""
        if self._pool is None:
            return 1
        return min(self.num_workers, 1 + self._pool.count_free())

    def run(self, function: Callable[[Part], Result], parts: Sequence[Part]) -> list[Result]:
        """Returns ``function(part)`` for all parts, in their order, when all are done."""
        self.cancel.raise_if_set()
        if self._pool is None or len(parts) == 1:
            return [function(part) for part in parts]
        return self._pool.share(function, parts, self.num_workers)

    def split(self, num_items: int) -> list[tuple[int, int]]:
        """Returns the beginning and end of one range of items per thread that is ready."""
        number = self.num_ready
        return list(itertools.pairwise(num_items * i // number for i in range(number + 1)))


class TreeParts(NamedTuple):
    """A tree divided among workers."""

    top: list[TreeSpan]  # the first levels, few nodes for one worker; none if there is one part
    subtrees: list[TreeSpan]  # everything below, a part per worker; no part needs another


def split_tree(tree: TreeArrays, num_parts: int) -> TreeParts:
    """Divides a tree into subtrees of about equal size."""
    level_start = tree.level_start.astype(np.int64)
    if num_parts == 1:
        return TreeParts([], [TreeSpan(level_start[:-1].copy(), level_start[1:].copy())])
    sizes = subtree_sizes(tree)
    widths = np.diff(level_start)
    enough = np.flatnonzero(widths >= _SUBTREES_PER_PART * num_parts)
    split_level = int(enough[0]) if len(enough) else int(widths.argmax())
    top = TreeSpan(level_start[:split_level].copy(), level_start[1 : split_level + 1].copy())
    roots = slice(level_start[split_level], level_start[split_level + 1])
    done = sizes[roots].cumsum()
    shares = done[-1] * np.arange(1, num_parts) / num_parts
    cuts = level_start[split_level] + np.searchsorted(done, shares) + 1
    bounds = [
        _follow_down(tree, split_level, int(cut))
        for cut in (level_start[split_level], *cuts, level_start[split_level + 1])
    ]
    return TreeParts([top], [TreeSpan(*pair) for pair in itertools.pairwise(bounds)])


def _follow_down(tree: TreeArrays, first_level: int, node: int) -> IntArray:
    """Returns ``[L]`` the first node of each level that descends from ``node`` or comes later.

    Above the first level nothing does: the bound is the end of the level.
    """
    bounds = np.zeros(tree.num_levels, dtype=np.int64)
    for level in range(first_level, tree.num_levels):
        bounds[level] = node
        begin, end = int(tree.level_start[level]), int(tree.level_start[level + 1])
        node = end + int(tree.num_children[begin:node].sum())
    return bounds
