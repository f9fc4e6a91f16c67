"""Tasks on threads of this process: the default, and all that one machine needs.

Kernels release the GIL, so nothing has to be copied between processes.
"""

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any

from runout.events import EventSink
from runout.execution.cancel import CancelledError, CancelToken
from runout.execution.feed import TaskFeed
from runout.execution.local import WorkerPool, count_cores, require_workers
from runout.execution.memory import available_memory_bytes
from runout.execution.shards import LocalShards, ShardJob
from runout.execution.tasks import Task, TaskEnd, Work, Worker
from runout.storage.ledger import Receipt


class ThreadExecutor:
    """Works on tasks side by side, and with threads that have none inside the others."""

    name = "threads"
    is_here = True

    def __init__(self, num_workers: int | None = None) -> None:
        """Starts nothing yet.

        Args:
            num_workers: threads in all, by default the number of cores.

        Raises:
            ExecutionError: if that is not positive.
        """
        self._num_workers = count_cores() if num_workers is None else num_workers
        require_workers(self._num_workers)

    @property
    def num_workers(self) -> int:
        """How many tasks it works on at a time, at most."""
        return self._num_workers

    def map_unordered(
        self, work: Work, tasks: Iterator[Task[Any]], on_event: EventSink, cancel: CancelToken
    ) -> Iterator[TaskEnd[Any]]:
        """Yields how tasks ended, as soon as they have; see `Executor`."""
        pool = WorkerPool(self._num_workers)
        worker = Worker(self._num_workers, pool, on_event, cancel)

        def carry_out(task: Task[Any]) -> Receipt:
            cancel.raise_if_set()
            return work(task, worker)

        feed = TaskFeed(tasks, available_memory_bytes())
        with closing(pool), closing(pool.map_as_finished(carry_out, feed)) as finished:
            for task, result in finished:
                if isinstance(result, CancelledError):
                    cancel.set()  # the others end as well
                elif isinstance(result, Exception):
                    yield TaskEnd(task, error=result)
                else:
                    yield TaskEnd(task, receipt=result)
        cancel.raise_if_set()

    def start_shards(self, job: ShardJob, parts: Sequence[Any], on_event: EventSink) -> LocalShards:
        """Makes the shards in this process; see `Executor`."""
        return LocalShards(job, parts, on_event, self._num_workers)
