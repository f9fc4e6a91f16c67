"""Independent tasks on the cores of this machine.

Kernels release the GIL, so threads are enough and nothing has to be copied between processes.
"""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from runout.errors import ExecutionError

Task = TypeVar("Task")
Result = TypeVar("Result")

_TASKS_AHEAD = 2  # per worker; enough to keep it busy, few enough to bound finished results


def count_cores() -> int:
    """Returns the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def map_tasks(
    function: Callable[[Task], Result], tasks: Iterable[Task], num_workers: int
) -> Iterator[Result]:
    """Yields ``function(task)`` for every task, in task order, from ``num_workers`` threads.

    A task that fails raises its own exception, with a note that names the task, after the results
    of all tasks before it were yielded; tasks not yet begun are dropped.

    Raises:
        ExecutionError: if ``num_workers`` is not positive.
    """
    if num_workers < 1:
        raise ExecutionError("workers", f"{num_workers} is not a positive number of workers")
    with ThreadPoolExecutor(num_workers) as pool:
        pending: deque[tuple[Task, Future[Result]]] = deque()
        try:
            for task in tasks:
                pending.append((task, pool.submit(function, task)))
                if len(pending) >= _TASKS_AHEAD * num_workers:
                    yield _result_of(*pending.popleft())
            while pending:
                yield _result_of(*pending.popleft())
        finally:
            for _, future in pending:
                future.cancel()


def _result_of(task: Task, future: Future[Result]) -> Result:
    try:
        return future.result()
    except Exception as error:
        error.add_note(f"while working on task {task!r}")
        raise
