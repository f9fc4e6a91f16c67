"""Independent tasks on the cores of this machine, and the memory it can still give."""

import math
import os
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from runout.errors import ExecutionError

_MEMORY_FACTS = Path("/proc/meminfo")
_CONTAINER = Path("/sys/fs/cgroup")
_AVAILABLE = "MemAvailable:"
_BYTES_PER_KIB = 1024

#: What Python, numba and the kernels of a solve take before its tables; measured.
PROGRAM_BYTES = 220_000_000


def available_memory_bytes() -> float:
    """Returns what can be allocated without swapping, infinity where the system does not say."""
    return min(_machine_bytes(), _container_bytes())


def format_bytes(size: float) -> str:
    """Returns a size with at least two digits, such as ``950 B``, ``30 MB`` or ``1.2 GB``."""
    for unit in ("B", "kB", "MB"):
        if size < 999.5:
            return f"{size:.0f} {unit}" if size >= 9.95 or unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"


def _machine_bytes() -> float:
    try:
        for line in _MEMORY_FACTS.read_text().splitlines():
            if line.startswith(_AVAILABLE):
                return float(line.split()[1]) * _BYTES_PER_KIB
    except (OSError, ValueError, IndexError):
        pass  # not Linux
    with suppress(ImportError):  # Linux does without it
        return float(import_module("psutil").virtual_memory().available)
    return math.inf


def _container_bytes() -> float:
    """Returns what the limit of a container leaves, infinity if there is none."""
    try:
        limit = (_CONTAINER / "memory.max").read_text().strip()
        used = (_CONTAINER / "memory.current").read_text()
        return math.inf if limit == "max" else max(float(limit) - float(used), 0.0)
    except (OSError, ValueError):
        return math.inf


# Kernels release the GIL, so threads are enough and nothing has to be copied between processes.

Task = TypeVar("Task")
Part = TypeVar("Part")
Result = TypeVar("Result")


def count_cores() -> int:
    """Returns the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def choose_num_workers(num_workers: int | None) -> int:
    """Returns a positive number of workers, by default the number of cores."""
    if num_workers is None:
        return count_cores()
    if num_workers < 1:
        raise ExecutionError("workers", f"{num_workers} is not a positive number of workers")
    return num_workers


class WorkerPool:
    """Threads that take whole tasks first, and help inside the others when no task is waiting."""

    def __init__(self, num_threads: int) -> None:
        self.num_threads = choose_num_workers(num_threads)
        self._threads = ThreadPoolExecutor(num_threads)
        self._lock = Lock()
        self._num_working = 0
        self._num_helping = 0

    def begin(self, function: Callable[[Task], Result], task: Task) -> Future[Result]:
        """Begins a task, which keeps its thread until it is over."""
        with self._lock:
            self._num_working += 1
        try:
            future = self._submit(function, task)
        except BaseException:
            self._end()
            raise
        future.add_done_callback(self._end)
        return future

    def share(
        self, function: Callable[[Part], Result], parts: Sequence[Part], max_threads: int
    ) -> list[Result]:
        """Returns ``function(part)`` for all parts, in their order, when all are done.

        The caller and idle threads work on the parts; each takes the next one when it is free. When
        one fails, no other begins any more.
        """
        with self._lock:
            num_helpers = max(min(len(parts), max_threads, 1 + self.count_free()) - 1, 0)
            self._num_helping += num_helpers
        results: list[Any] = [None] * len(parts)
        left = iter(range(len(parts)))

        def work() -> None:
            try:
                for number in left:  # threads share what is left
                    results[number] = function(parts[number])
            except BaseException:
                deque(left, maxlen=0)
                raise

        helpers: list[Future[None]] = []
        try:
            for _ in range(num_helpers):
                helpers.append(self._submit(work))
            work()
        finally:
            begun = [helper for helper in helpers if not helper.cancel()]
            wait(begun)
            with self._lock:
                self._num_helping -= num_helpers
        for helper in begun:
            helper.result()  # raises what it has raised
        return results

    def close(self) -> None:
        """Ends the threads, which have nothing to do any more."""
        self._threads.shutdown()

    def count_free(self) -> int:
        """Returns how many threads would help a task now, its fair share of those without one."""
        num_tasks = self._num_working
        fair = -(-self.num_threads // num_tasks) - 1 if num_tasks else self.num_threads
        idle = self.num_threads - num_tasks - self._num_helping
        return max(min(fair, idle), 0)

    def _submit(self, work: Callable[..., Result], *arguments: Any) -> Future[Result]:
        """Hands work to a thread.

        Ctrl-C while a thread starts leaves one that the executor does not know of: it would wait
        for work, and the program for it, for ever. Closing the executor ends it.
        """
        try:
            return self._threads.submit(work, *arguments)
        except KeyboardInterrupt:
            self._threads.shutdown(wait=False, cancel_futures=True)
            self._threads = ThreadPoolExecutor(self.num_threads)
            raise

    def _end(self, future: Future[Any] | None = None) -> None:
        with self._lock:
            self._num_working -= 1
