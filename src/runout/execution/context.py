"""Where and with what long work is done: executor, ledger, events and cancellation.

All that can go wrong with workers is dealt with here, whichever executor has them: tasks that got
lost are tried again a few times, results that another process has written are taken, and
what another process is working on is waited for.
"""

import hashlib
import itertools
import socket
import time
import weakref
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Generic, TypeVar

from runout.errors import BundleError, ExecutionError, RunoutError, quote, short_repr
from runout.events import (
    EventSink,
    ResultDamaged,
    SavingFailed,
    TaskLost,
    TasksShared,
    ignore_event,
)
from runout.execution.pool import choose_num_workers
from runout.execution.tasks import (
    CancelToken,
    Executor,
    Job,
    Task,
    TaskEnd,
    ThreadExecutor,
    Worker,
    WorkerLostError,
)
from runout.storage.bundle import digest_config, note_workers
from runout.storage.ledger import Ledger, TaskClaims, TaskId, TaskRecord
from runout.storage.writer import Autosave, Finish
from runout.version import __version__


@contextmanager
def opening_executor(text: str, num_workers: int | None = None) -> Iterator[Executor]:
    """Yields the executor that ``--executor`` names; its workers end with the block.

    Args:
        text: ``threads``, ``processes``, ``ray``, or ``ray:`` and the address of a head.
        num_workers: how many tasks at a time; by default the cores of this machine or cluster.
    """
    _, is_ray, address = text.partition("ray:")
    if address.startswith("//"):  # a scheme of Ray itself, whose clients see no machine of theirs
        problem = f"ray:// is for Ray's own clients, use ray:{address[2:] or 'ADDRESS'}"
        raise ExecutionError("--executor", problem)
    if text == ThreadExecutor.name:
        yield ThreadExecutor(num_workers)
    elif text == "processes":
        from runout.execution.processes import ProcessExecutor

        with closing(ProcessExecutor(num_workers)) as processes:
            yield processes
    elif text == "ray" or (is_ray and address and text.startswith(is_ray)):
        try:
            from runout.execution.ray_executor import opening_ray
        except ImportError:
            problem = "needs Ray, which is not installed; pip install 'runout[dist]' adds it"
            raise ExecutionError("--executor ray", problem) from None
        with opening_ray(address or None, num_workers) as ray:
            yield ray
    else:
        problem = f"{quote(text)} is not threads, processes, ray, ray:ADDRESS"
        raise ExecutionError("--executor", problem)


Item = TypeVar("Item")

_NUM_SAVED = itertools.count(1)  # by this process

#: A task whose worker dies so often is given up.
MAX_ATTEMPTS = 4

_SECONDS_BETWEEN_LOOKS = 0.1  # at what other processes are working on


@dataclass(frozen=True)
class LedgerWork(Generic[Item]):
    """Carries out tasks of a job and writes their results into a ledger, wherever it runs."""

    job: Job[Item]
    directory: Path  # of the ledger
    sync_every: int = 1  # results after which this process waits for the disk
    version: str = __version__  # of the program that started the run

    @cached_property
    def job_digest(self) -> str:
        """Stands for all that results depend on besides the key."""
        return digest_config({"version": self.version, "facts": dict(self.job.facts)})

    def __call__(self, task: Task[Item], worker: Worker) -> None:
        """Carries out a task and writes its result; refuses to where it would be lost."""
        problem = None
        if not self.directory.is_dir():
            problem = f"does not see {self.directory}; all machines of a run share its directory"
        elif self.version != __version__:
            problem = f"has runout {__version__}, the run was started with {self.version}"
        if problem is not None:
            raise ExecutionError(socket.gethostname(), problem)
        started = time.perf_counter()
        result = self.job.run(task.item, worker)
        record = TaskRecord.of_this_process(time.perf_counter() - started, task.attempt)
        is_durable = next(_NUM_SAVED) % self.sync_every == 0
        Ledger(self.directory).save(
            self.id_of(task), result.arrays, record, result.measured, is_durable=is_durable
        )

    def id_of(self, task: Task[Item]) -> TaskId:
        """Returns under which id the result of a task is kept: its digest decides the result."""
        content = f"{self.job_digest}\n{task.key}".encode()
        return TaskId(task.key, hashlib.sha256(content).hexdigest())


class _LedgerRun(Generic[Item]):
    """The tasks that are not over, and what is known about them."""

    def __init__(
        self, work: LedgerWork[Item], tasks: list[Task[Item]], on_event: EventSink
    ) -> None:
        self.open = {work.id_of(task): task for task in tasks}
        self._work, self._on_event = work, on_event
        self._ledger = Ledger(work.directory, on_damage=self._tell_of_damage)
        self.claims = TaskClaims(work.directory)
        self._waiting: deque[TaskId] = deque()
        self._under_way: set[TaskId] = set()
        self._damaged: set[str] = set()  # files that were told of
        self.num_by_host: Counter[str] = Counter()
        self.num_lost = 0

    def find_finished(self) -> Iterator[TaskEnd[Item]]:
        """Yields the tasks whose results are in the ledger."""
        for id in list(self.open):
            if (entry := self._ledger.find(id)) is not None:
                yield self._close(id, TaskEnd(self.open[id], entry=entry))

    def offer(self) -> Iterator[Task[Item]]:
        """Yields the tasks that no process works on, each claimed; lost ones come again last."""
        self._waiting = deque(self.open)
        while self._waiting:
            id = self._waiting.popleft()
            task = self.open.get(id)
            if task is None or not self.claims.take(id.short_digest):
                continue
            if self._ledger.find(id) is not None:  # finished since it was looked for
                self.claims.release(id.short_digest)
                continue
            self._under_way.add(id)
            yield task

    def note(self, end: TaskEnd[Item]) -> Iterator[TaskEnd[Item]]:
        """Yields the task of an end if it is over with it; ends that come twice count once."""
        id = self._work.id_of(end.task)
        if id not in self.open:
            return
        if isinstance(end.error, WorkerLostError):
            yield from self._lose(id, str(end.error))
        elif end.error is not None:
            yield self._close(id, end)
        elif (entry := self._ledger.find(id)) is not None:
            self.num_by_host[entry.record.host] += 1
            yield self._close(id, TaskEnd(end.task, entry=entry))
        else:
            yield from self._lose(id, "its result is not in the ledger")

    def give_up_waiting(self) -> Iterator[TaskEnd[Item]]:
        """Counts tasks as lost that the executor has taken and never told the end of."""
        for id in list(self._under_way):
            yield from self._lose(id, "its worker never reported an end")

    def _tell_of_damage(self, error: BundleError) -> None:
        if error.where not in self._damaged:
            self._damaged.add(error.where)
            self._on_event(ResultDamaged(error.where, error.problem))

    def _lose(self, id: TaskId, loss: str) -> Iterator[TaskEnd[Item]]:
        task = self.open[id]
        self._under_way.discard(id)
        self.num_lost += 1
        self._on_event(TaskLost(id.key, loss, task.attempt, MAX_ATTEMPTS))
        if task.attempt >= MAX_ATTEMPTS:
            error = ExecutionError(id.key, f"was lost {MAX_ATTEMPTS} times, {loss}")
            yield self._close(id, TaskEnd(task, error))
            return
        self.open[id] = replace(task, attempt=task.attempt + 1)
        self.claims.release(id.short_digest)
        self._waiting.append(id)

    def _close(self, id: TaskId, done: TaskEnd[Item]) -> TaskEnd[Item]:
        del self.open[id]
        self._under_way.discard(id)
        self.claims.release(id.short_digest)
        return done


def describe_interruption(num_iterations: int, directory: Path | None) -> str:
    """Returns what to say of a solve that Ctrl-C has ended; None as directory if none kept it."""
    done = f"{num_iterations:,} iteration{'' if num_iterations == 1 else 's'}"
    if directory is None:
        return f"interrupted after {done}, nothing was kept"
    return f"interrupted; rerun the command to resume ({done} kept in {directory})"


@dataclass(frozen=True, repr=False)
class RunContext:
    """How long work is carried out; nothing in here changes its result.

    >>> import runout
    >>> events = []
    >>> context = runout.RunContext(2, events.append)
    >>> context.num_threads
    2

    Attributes:
        num_workers: threads to use in all, by default the number of cores.
        on_event: called with every event of `runout.events`, such as progress.
        checkpoints: directory that keeps finished parts, so that a second run continues from
            them; None keeps none.
        checkpoint_every: finished parts after which a worker waits for the disk; 1 after each.
        executor: carries out tasks: ``threads`` (default), ``processes``, ``ray``,
            ``ray:ADDRESS``, or an `Executor`.
        cancel: ends the work when it is set.
        worker: of the task that this work is part of; its threads do the work.
    """

    num_workers: int | None = None
    on_event: EventSink = ignore_event
    checkpoints: Path | str | None = None
    checkpoint_every: int = 1
    executor: Executor | str | None = None
    cancel: CancelToken = field(default_factory=CancelToken, repr=False)
    worker: Worker | None = field(default=None, repr=False)

    __repr__ = short_repr

    def __post_init__(self) -> None:
        if self.worker is None:
            note_workers(self.num_threads)

    @cached_property
    def chosen_executor(self) -> Executor:
        """The executor; one that was given by name ends with this context."""
        if self.executor is not None and not isinstance(self.executor, str):
            return self.executor
        stack = ExitStack()
        weakref.finalize(self, stack.close)
        name = self.executor or ThreadExecutor.name
        return stack.enter_context(opening_executor(name, self.num_workers))

    @property
    def num_threads(self) -> int:
        """Threads of this process for work that is no task."""
        return choose_num_workers(self.num_workers)

    def run(self, job: Job[Item], tasks: Iterable[Task[Item]]) -> Iterator[TaskEnd[Item]]:
        """Yields every task of a job once, when it is over; what the ledger has comes first.

        The longest tasks are begun first, so that no worker is left with one at the end. Another
        process on the same ledger shares the work: each takes what the other has not begun.
        """
        executor = self.chosen_executor
        longest_first = sorted(tasks, key=lambda task: -task.seconds)
        with ExitStack() as stack:
            place = self.checkpoints or stack.enter_context(TemporaryDirectory(prefix="runout-"))
            work = LedgerWork(job, Path(place), self.checkpoint_every)
            run = _LedgerRun(work, longest_first, self.on_event)
            stack.enter_context(run.claims.showing_signs_of_life())
            yield from run.find_finished()
            while run.open:
                for end in executor.map_unordered(work, run.offer(), self.on_event, self.cancel):
                    yield from run.note(end)
                yield from run.give_up_waiting()
                yield from run.find_finished()
                if run.open:  # others are at them
                    self.cancel.wait(_SECONDS_BETWEEN_LOOKS)
                    self.cancel.raise_if_set()
        if run.num_by_host and not executor.is_here:
            self.on_event(TasksShared(tuple(sorted(run.num_by_host.items())), run.num_lost))

    def autosave(
        self, directory: Path | None, minutes: float, begin: Callable[[Path], Finish]
    ) -> Autosave:
        """Returns what saves long work now and then, see `Autosave`; a failed save is an event.

        Without a directory, or minutes between two saves, it never does.
        """

        def report(error: RunoutError) -> None:
            self.on_event(SavingFailed(error.where, error.problem))

        if directory is None:
            return Autosave(0.0, lambda: lambda: None, report)
        return Autosave(60.0 * minutes, partial(begin, directory), report)
