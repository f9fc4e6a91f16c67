"""Cores for solves: one solve per core, or all cores inside one solve.

Many solves side by side lose nothing to waiting, so they come first; cores inside one solve serve
few solves or huge trees. Either way the sum of threads is the number of workers, and the threads
of the linear algebra library are kept at one so that they do not come on top.
"""

import itertools
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np
from threadpoolctl import threadpool_limits

from runout.arrays import IntArray
from runout.cfr.cfr_kernels import TreeSpan
from runout.errors import ExecutionError
from runout.execution.local import count_cores
from runout.trees.layout import TreeArrays, subtree_sizes

Part = TypeVar("Part")
Result = TypeVar("Result")

#: Smaller solves (nodes times hands) are over before a second thread has woken up.
MIN_CELLS_PER_WORKER = 200_000

#: A level with so many nodes for each part can be cut into parts of about equal size.
_SUBTREES_PER_PART = 16


@dataclass(frozen=True)
class WorkerPlan:
    """How workers are divided.

    Attributes:
        across: solves that run side by side.
        within: threads inside each of them.
    """

    across: int
    within: int


def plan_workers(
    num_solves: int, cells_per_solve: int, num_workers: int | None = None
) -> WorkerPlan:
    """Returns how to use the cores for equal solves.

    Args:
        num_solves: independent solves to do.
        cells_per_solve: nodes times hands of one solve.
        num_workers: threads to use in all; by default the number of cores.

    Raises:
        ExecutionError: if ``num_workers`` is not positive.
    """
    workers = count_cores() if num_workers is None else num_workers
    if workers < 1:
        raise ExecutionError("workers", f"{workers} is not a positive number of workers")
    across = max(1, min(num_solves, workers))
    worthwhile = max(1, cells_per_solve // MIN_CELLS_PER_WORKER)
    return WorkerPlan(across, min(workers // across, worthwhile))


class Team:
    """Threads that share one solve; the caller's thread is one of them."""

    def __init__(self, num_workers: int = 1) -> None:
        self.num_workers = num_workers
        self._helpers = ThreadPoolExecutor(num_workers - 1) if num_workers > 1 else None

    def run(self, function: Callable[[Part], Result], parts: Sequence[Part]) -> list[Result]:
        """Returns ``function(part)`` for all parts, in their order, when all are done."""
        if self._helpers is None or len(parts) == 1:
            return [function(part) for part in parts]

        def work(worker: int) -> list[Result]:
            return [function(part) for part in parts[worker :: self.num_workers]]

        # Every worker has its parts from the start: handing them out one by one costs more.
        others = [self._helpers.submit(work, worker) for worker in range(1, self.num_workers)]
        try:
            shares = [work(0)]
        finally:
            wait(others)
        shares += [other.result() for other in others]
        return [shares[i % self.num_workers][i // self.num_workers] for i in range(len(parts))]

    def split(self, num_items: int) -> list[tuple[int, int]]:
        """Returns the beginning and end of one range of items per worker."""
        bounds = [num_items * i // self.num_workers for i in range(self.num_workers + 1)]
        return list(itertools.pairwise(bounds))


class TreeParts(NamedTuple):
    """A tree divided among workers.

    Attributes:
        top: the first levels, which are few nodes and handled by one; none if there is one part.
        subtrees: everything below, a part per worker; no part needs another.
    """

    top: list[TreeSpan]
    subtrees: list[TreeSpan]


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


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Keeps the linear algebra library from starting threads inside the block."""
    with threadpool_limits(limits=1, user_api="blas"):
        yield
