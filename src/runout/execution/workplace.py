"""Where and with what long work is done: workers, finished parts, and who is told."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

from runout.events import EventSink, ignore_event
from runout.execution.cancel import CancelToken
from runout.execution.executor import Executor
from runout.execution.ledger_runs import LedgerWork, TaskDone, run_tasks
from runout.execution.local import count_cores
from runout.execution.tasks import Job, Task
from runout.execution.threads import ThreadExecutor

Item = TypeVar("Item")


@dataclass(frozen=True)
class Workplace:
    """How long work is carried out; nothing in here changes its result.

    Attributes:
        num_workers: threads to use in all, by default the number of cores.
        on_event: told about progress.
        checkpoints: directory of finished parts, the ledger of the run; None to keep none.
        checkpoint_every: finished parts after which a worker waits for the disk; 1 after each.
        executor: carries out tasks; None for threads of this process.
        cancel: ends the work.
    """

    num_workers: int | None = None
    on_event: EventSink = ignore_event
    checkpoints: Path | None = None
    checkpoint_every: int = 1
    executor: Executor | None = None
    cancel: CancelToken = field(default_factory=CancelToken)

    @cached_property
    def chosen_executor(self) -> Executor:
        """What carries out tasks.

        Raises:
            ExecutionError: if the number of workers is not positive.
        """
        return self.executor or ThreadExecutor(self.num_workers)

    @property
    def num_threads(self) -> int:
        """Threads of this process for work that is no task."""
        return self.num_workers or count_cores()

    def run(self, job: Job[Item], tasks: Iterable[Task[Item]]) -> Iterator[TaskDone[Item]]:
        """Yields every task of a job once, when it is over; finished ones are found again.

        Raises:
            CancelledError: if the token was set.
            BundleError: if the ledger cannot be written.
            ExecutionError: if the executor cannot be had.
        """
        with self._ledger_directory() as directory:
            work = LedgerWork.of(job, directory, self.checkpoint_every)
            yield from run_tasks(work, tasks, self.chosen_executor, self.on_event, self.cancel)

    @contextmanager
    def _ledger_directory(self) -> Iterator[Path]:
        """Yields where results go: the checkpoints, or a place that is gone when the work ends."""
        if self.checkpoints is not None:
            yield self.checkpoints
            return
        with TemporaryDirectory(prefix="runout-") as directory:
            yield Path(directory)
