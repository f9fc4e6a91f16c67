"""Cores for solves: one solve per core, or all cores inside one solve.

Many solves side by side lose nothing to waiting, so they come first; cores inside one solve serve
few solves or huge trees. Either way the sum of threads is the number of workers, and the threads
of the linear algebra library are kept at one so that they do not come on top.
"""

import itertools
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

from threadpoolctl import threadpool_limits

from runout.cfr.cfr_kernels import HandSpan
from runout.errors import ExecutionError
from runout.execution.local import count_cores

Part = TypeVar("Part")
Result = TypeVar("Result")

#: Smaller solves (nodes times hands) are over before a second thread has woken up.
MIN_CELLS_PER_WORKER = 200_000


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
    """Threads that share one solve; a team of one works in the caller's thread."""

    def __init__(self, num_workers: int = 1) -> None:
        self.num_workers = num_workers
        self._pool = ThreadPoolExecutor(num_workers) if num_workers > 1 else None

    def run(self, function: Callable[[Part], Result], parts: Sequence[Part]) -> list[Result]:
        """Returns ``function(part)`` for all parts, in their order, when all are done."""
        if self._pool is None or len(parts) == 1:
            return [function(part) for part in parts]
        return list(self._pool.map(function, parts))

    def split_hands(self, num_hands: int) -> list[HandSpan]:
        """Returns ranges of hands, one per worker."""
        bounds = [num_hands * i // self.num_workers for i in range(self.num_workers + 1)]
        return [HandSpan(begin, end) for begin, end in itertools.pairwise(bounds)]


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Keeps the linear algebra library from starting threads inside the block."""
    with threadpool_limits(limits=1, user_api="blas"):
        yield
