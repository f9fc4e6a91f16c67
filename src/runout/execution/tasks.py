"""Work as data: tasks, shards, executors, cancellation, and threads that do the work.

A job is everything that its tasks share; a task is one of its items. The worker of a task writes
its result into a ledger, under an id made of everything that decides it. An executor only moves
work: it never carries results, and may lose or repeat tasks without harm.

Shards keep what they have learned in their own memory and lose it when they die; the caller then
returns to the last state that all of them have saved.
"""

import math
import os
import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, Protocol, TypeVar

from runout.arrays import Arrays
from runout.events import EventSink, ignore_event
from runout.execution.pool import WorkerPool, available_memory_bytes, choose_num_workers
from runout.storage.ledger import LedgerEntry

_SECONDS_BETWEEN_LOOKS = 0.1  # while tasks or calls are under way


class CancelledError(Exception):
    """Ends work between two of its steps, because its token was set."""


class WorkerLostError(Exception):
    """A worker has died, and what it had in memory with it: a task under way, or a shard."""


class CancelToken(threading.Event):
    """Set to end work; threads may share it. Work checks it between its steps."""

    def raise_if_set(self) -> None:
        """Raises `CancelledError` if the work is to end."""
        if self.is_set():
            raise CancelledError


@contextmanager
def cancelling_on_interrupt(
    token: CancelToken | None = None, *, ends_step: bool = False
) -> Iterator[CancelToken]:
    """Yields a token that Ctrl-C sets, if this is the main thread, which is interrupted at once.

    Python interrupts the main thread only, which would wait for tasks of minutes in other threads.
    If the step under way ends first, only a second Ctrl-C interrupts.
    """
    token = token or CancelToken()

    def cancel(signal_number: int, frame: Any) -> None:
        is_second = token.is_set()
        token.set()
        if is_second or not ends_step:
            raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield token
        return
    earlier = signal.signal(signal.SIGINT, cancel)
    try:
        yield token
    finally:
        signal.signal(signal.SIGINT, earlier)


Item = TypeVar("Item")
ItemOfJob = TypeVar("ItemOfJob", contravariant=True)


@dataclass(frozen=True)
class Task(Generic[Item]):
    """One item of a job."""

    key: str  # its name, unique in its job
    item: Item  # the argument of the job; it can be pickled
    memory_bytes: int = 0  # peak; tasks that do not fit are not run side by side
    seconds: float = 0.0  # of one core, about; the longest tasks come first
    is_alone: bool = False  # has all threads of its worker, so that its times mean something
    attempt: int = 1


@dataclass(frozen=True)
class Worker:
    """The resources of a task: threads, its own included, their pool, events and cancellation."""

    num_threads: int = 1
    pool: WorkerPool | None = None
    on_event: EventSink = ignore_event
    cancel: CancelToken = field(default_factory=CancelToken)


@dataclass(frozen=True)
class TaskResult:
    """The result of a task: arrays with the same bits everywhere, and measurements for JSON."""

    arrays: Arrays
    measured: Mapping[str, Any] = field(default_factory=dict)


class Job(Protocol[ItemOfJob]):
    """What the tasks of a run share; it can be pickled."""

    @property
    def facts(self) -> Mapping[str, Any]:
        """Everything that results depend on besides the key of the task; goes into JSON."""

    def run(self, item: ItemOfJob, worker: Worker) -> TaskResult:
        """Carries out one task."""


@dataclass(frozen=True)
class TaskEnd(Generic[Item]):
    """The end of a task: an error, or an entry of the ledger, which executors do not know."""

    task: Task[Item]
    error: Exception | None = None
    entry: LedgerEntry | None = None


#: Carries out a task and writes its result; can be pickled.
Work = Callable[[Task[Any], Worker], None]


class ShardJob(Protocol):
    """Makes shards; it can be pickled."""

    def start(self, part: Any, worker: Worker) -> Any:
        """Returns the shard of a part: an object whose methods are called."""

    def memory_bytes(self, part: Any) -> int:
        """Returns what the shard of a part needs."""


#: A call that makes the shard of a host: it takes a function, of a part and a worker, and the part.
START = "start"


class ShardHost:
    """Holds a shard in its process and answers calls: the first is `START`."""

    def __init__(self, worker: Worker) -> None:
        self._worker = worker
        self._shard: Any = None

    def answer(self, method: str, *arguments: Any) -> Any:
        """Returns what a method of the shard returns; of `START` the number of the process."""
        if method != START:
            return getattr(self._shard, method)(*arguments)
        make, part = arguments
        self._shard = make(part, self._worker)
        return os.getpid()


class RemoteHost(Protocol):
    """The way to a `ShardHost`, wherever it is."""

    def call(self, method: str, *arguments: Any) -> "Future[Any]":
        """Begins a call there; the answer may be a `WorkerLostError`."""

    def close(self) -> None:
        """Ends it."""


class ShardGroup:
    """Shards under way, one for each part; ``pids`` are their processes, in the same order."""

    def __init__(
        self,
        job: ShardJob,
        parts: Sequence[Any],
        hosts: Sequence[RemoteHost],
        look: Callable[[], None] = lambda: None,
    ) -> None:
        """Starts a shard in each host; ``look`` is called several times a second meanwhile."""
        self._hosts, self._look = hosts, look
        try:
            self.pids: list[int] = self.call(START, [(job.start, part) for part in parts])
        except BaseException:
            self.close()
            raise

    def call(self, method: str, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Calls a method of each shard, each with its own arguments, and returns the answers.

        A `WorkerLostError` means that one has died; the group is of no use any more.
        """
        pairs = zip(self._hosts, arguments, strict=True)
        return gather([host.call(method, *given) for host, given in pairs], self._look)

    def close(self) -> None:
        """Ends all shards."""
        for host in self._hosts:
            host.close()


def gather(answers: Sequence[Future[Any]], look: Callable[[], None] = lambda: None) -> list[Any]:
    """Waits for all answers, calling ``look`` several times a second; raises the first error."""
    while wait(answers, _SECONDS_BETWEEN_LOOKS).not_done:
        look()
    look()
    return [answer.result() for answer in answers]


class Executor(Protocol):
    """Moves work to threads, processes or machines."""

    name: str  # on the command line
    is_here: bool  # whether its workers are threads of this process, which share its memory

    @property
    def num_workers(self) -> int:
        """The maximum number of tasks at a time."""

    def map_unordered(
        self, work: Work, tasks: Iterator[Task[Any]], on_event: EventSink, cancel: CancelToken
    ) -> Iterator[TaskEnd[Any]]:
        """Yields the ends of tasks, as soon as they are known.

        Tasks are taken one by one, when there is room for another. A caller that stops early, or
        sets the token (`CancelledError`), waits for those under way, which end at their next step.
        """

    def start_shards(self, job: ShardJob, parts: Sequence[Any], on_event: EventSink) -> ShardGroup:
        """Starts a worker for each part, which can be pickled; they live until the group closes."""


def map_side_by_side(
    begin: Callable[[Task[Any]], Future[None]],
    tasks: Iterator[Task[Any]],
    count_workers: Callable[[], int],
    cancel: CancelToken,
    memory_bytes: float = math.inf,
    look: Callable[[], None] | None = None,
    stop: Callable[[], None] = lambda: None,
) -> Iterator[TaskEnd[Any]]:
    """Yields the ends of tasks, as soon as they are known; all executors share this loop.

    A task that does not fit beside those under way waits until it does. One always begins if no
    other is under way: its memory is an estimate. If the caller stops early no task begins any
    more, and those under way are awaited. ``look`` is called several times a second meanwhile;
    ``stop`` ends tasks that do not check the token.
    """
    running: dict[Future[None], Task[Any]] = {}
    waiting: Task[Any] | None = None
    ends: list[TaskEnd[Any]] = []
    try:
        while True:
            while len(running) < count_workers() and not cancel.is_set():
                task = waiting or next(tasks, None)
                if task is None:
                    break
                beside = [task, *running.values()]
                fits = not running or not any(each.is_alone for each in beside)
                fits &= not running or sum(each.memory_bytes for each in beside) <= memory_bytes
                waiting = None if fits else task
                if not fits:
                    break
                running[begin(task)] = task
            yield from ends
            if not running:
                break
            finished, _ = wait(running, _SECONDS_BETWEEN_LOOKS if look else None, FIRST_COMPLETED)
            ends = [TaskEnd(running.pop(future), _error_of(future)) for future in finished]
            if any(isinstance(end.error, CancelledError) for end in ends):
                cancel.set()  # the others end as well
            unsaid = (CancelledError, WorkerLostError) if cancel.is_set() else CancelledError
            ends = [end for end in ends if not isinstance(end.error, unsaid)]
            if look is not None:
                look()
            if cancel.is_set():
                stop()
    finally:
        stop()
        wait(running)
    cancel.raise_if_set()


def _error_of(future: Future[None]) -> Exception | None:
    error = future.exception()
    if error is not None and not isinstance(error, Exception):
        raise error
    return error


def map_on_threads(
    carry_out: Callable[[Task[Any]], None],
    tasks: Iterator[Task[Any]],
    cancel: CancelToken,
    pool: WorkerPool,
) -> Iterator[TaskEnd[Any]]:
    """Yields the ends of tasks that threads of a pool carry out; closes the pool in the end."""
    with closing(pool):
        begin, memory_bytes = partial(pool.begin, carry_out), available_memory_bytes()
        yield from map_side_by_side(begin, tasks, lambda: pool.num_threads, cancel, memory_bytes)


class ThreadExecutor:
    """Works on tasks side by side, and with threads that have none inside the others."""

    name = "threads"
    is_here = True

    def __init__(self, num_workers: int | None = None) -> None:
        """Takes a positive number of threads in all, by default one for each core."""
        self.num_workers = choose_num_workers(num_workers)

    def map_unordered(
        self, work: Work, tasks: Iterator[Task[Any]], on_event: EventSink, cancel: CancelToken
    ) -> Iterator[TaskEnd[Any]]:
        """Yields the ends of tasks; see `Executor`."""
        pool = WorkerPool(self.num_workers)
        worker = Worker(self.num_workers, pool, on_event, cancel)
        return map_on_threads(lambda task: work(task, worker), tasks, cancel, pool)

    def start_shards(self, job: ShardJob, parts: Sequence[Any], on_event: EventSink) -> ShardGroup:
        """Makes the shards in this process; each answers at once, with all threads."""
        worker = Worker(self.num_workers, None, on_event)
        return ShardGroup(job, parts, [_LocalHost(worker) for _ in parts])


class _LocalHost(ShardHost):
    def call(self, method: str, *arguments: Any) -> "Future[Any]":
        done: Future[Any] = Future()
        done.set_result(self.answer(method, *arguments))
        return done

    def close(self) -> None:
        self._shard = None
