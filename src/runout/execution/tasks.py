"""Work as data: tasks, shards, executors, cancellation, and threads that do the work.

A job is everything that its tasks share; a task is one of its items. What a task finds is written
into a ledger by whoever worked on it, under an id made of all that decides it. An executor only
moves work: it never carries results, and may lose or repeat tasks without harm.

Shards keep what they have learned in their own memory, so that one that dies takes it along;
whoever calls them goes back to what all of them have saved.
"""

import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Generic, Protocol, TypeVar

from runout.cache import Arrays
from runout.events import EventSink, ignore_event
from runout.execution.pool import WorkerPool, available_memory_bytes, choose_num_workers
from runout.storage.ledger import LedgerEntry


class CancelledError(Exception):
    """Ends work between two of its steps, because its token was set."""


class WorkerLostError(Exception):
    """A worker has died, and what it had in memory with it: a task under way, or a shard."""


class CancelToken:
    """Says whether work is to end; threads may share it.

    Work calls `raise_if_set` between its steps: after an iteration, before a part or a task.
    """

    def __init__(self) -> None:
        self._event = threading.Event()

    @property
    def is_set(self) -> bool:
        """Whether the work is to end."""
        return self._event.is_set()

    def set(self) -> None:
        """Asks for the end of the work, which comes after the step that is under way."""
        self._event.set()

    def raise_if_set(self) -> None:
        """Raises `CancelledError` if the work is to end."""
        if self._event.is_set():
            raise CancelledError

    def wait(self, seconds: float) -> None:
        """Waits so long, or until the work is to end.

        Raises:
            CancelledError: if it is.
        """
        self._event.wait(seconds)
        self.raise_if_set()


@contextmanager
def cancelling_on_interrupt() -> Iterator[CancelToken]:
    """Yields a token that Ctrl-C sets; the main thread is interrupted at once, as ever.

    Python interrupts the main thread only, which would wait for tasks of minutes in other threads.
    """
    token = CancelToken()

    def cancel(signal_number: int, frame: Any) -> None:
        token.set()
        raise KeyboardInterrupt

    with _handling_interrupts(cancel):
        yield token


@contextmanager
def holding_interrupts(token: CancelToken) -> Iterator[None]:
    """Lets Ctrl-C set a token and nothing else, so that the step under way ends first.

    A second one interrupts at once.
    """

    def note(signal_number: int, frame: Any) -> None:
        if token.is_set:
            raise KeyboardInterrupt
        token.set()

    with _handling_interrupts(note):
        yield


@contextmanager
def _handling_interrupts(handler: Any) -> Iterator[None]:
    """Handles Ctrl-C in the main thread; in others it is somebody else's business."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    earlier = signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, earlier)


Item = TypeVar("Item")
ItemOfJob = TypeVar("ItemOfJob", contravariant=True)


@dataclass(frozen=True)
class Task(Generic[Item]):
    """One item of a job.

    Attributes:
        key: its name, in which tasks of a job differ.
        item: what the job is given; it can be pickled.
        memory_bytes: at most at one time; tasks that do not fit are not run side by side.
        seconds: of one core, about; the longest tasks come first.
        is_alone: whether it has all threads of its worker for itself, so that its times mean
            something.
        attempt: 1 for the first time that it is tried.
    """

    key: str
    item: Item
    memory_bytes: int = 0
    seconds: float = 0.0
    is_alone: bool = False
    attempt: int = 1


@dataclass(frozen=True)
class Worker:
    """What a task has to work with.

    Attributes:
        num_threads: threads that it may use, its own included.
        pool: where the others come from when they are free; None if there are none.
        on_event: told about progress.
        cancel: ends the work.
    """

    num_threads: int = 1
    pool: WorkerPool | None = None
    on_event: EventSink = ignore_event
    cancel: CancelToken = field(default_factory=CancelToken)


@dataclass(frozen=True)
class TaskResult:
    """What a task found.

    Attributes:
        arrays: the same bits whoever computes them.
        measured: what is not, such as seconds; goes into JSON.
    """

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
    """How a task ended.

    Attributes:
        task: which.
        error: what it raised, or `WorkerLostError`; None if its worker has written its result.
        entry: what it found; None if it failed, and as far as an executor knows.
    """

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


class ShardGroup(Protocol):
    """Shards under way."""

    def call(self, method: str, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Calls a method of all shards, at the same time where that can be.

        Args:
            method: its name.
            arguments: for each shard.

        Returns:
            What each returned, in the order of the parts.

        Raises:
            WorkerLostError: if one has died; the group is of no use any more.
        """

    def close(self) -> None:
        """Ends all shards."""


class LocalShards:
    """Shards in this process, called one after the other; each uses all threads."""

    def __init__(self, job: ShardJob, parts: Sequence[Any], worker: Worker) -> None:
        self._shards = [job.start(part, worker) for part in parts]

    def call(self, method: str, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Returns what a method of each shard returns, in the order of the parts."""
        return [
            getattr(shard, method)(*given)
            for shard, given in zip(self._shards, arguments, strict=True)
        ]

    def close(self) -> None:
        """Forgets them."""
        self._shards = []


class Executor(Protocol):
    """Moves work to threads, processes or machines.

    Attributes:
        name: as on the command line.
        is_here: whether its workers are threads of this process, which share its memory.
        num_workers: how many tasks it works on at a time, at most.
    """

    name: str
    is_here: bool

    @property
    def num_workers(self) -> int:
        """How many tasks it works on at a time, at most."""

    def map_unordered(
        self, work: Work, tasks: Iterator[Task[Any]], on_event: EventSink, cancel: CancelToken
    ) -> Iterator[TaskEnd[Any]]:
        """Yields how tasks ended, as soon as they have.

        Tasks are taken one by one, when there is room for another. Whoever stops early, or sets
        the token, waits for those under way, which end at their next step.

        Args:
            work: carries out a task.
            tasks: in the order in which to begin.
            on_event: told about progress, wherever that is made.
            cancel: ends the work.

        Raises:
            CancelledError: if the token was set.
        """

    def start_shards(self, job: ShardJob, parts: Sequence[Any], on_event: EventSink) -> ShardGroup:
        """Starts a worker for each part, which lives until the group is closed.

        Args:
            job: makes the shards.
            parts: what each owns; they can be pickled.
            on_event: told about progress.

        Raises:
            WorkerLostError: if one dies while it starts.
        """


class TaskQueue:
    """Hands out tasks in their order; one that does not fit waits until others are finished.

    A task is always handed out if no other is under way: its needs are estimates.
    """

    def __init__(self, tasks: Iterator[Task[Any]], memory_bytes: float) -> None:
        """Takes nothing yet.

        Args:
            tasks: in the order in which to begin; taken one by one.
            memory_bytes: what those under way may need together.
        """
        self._tasks = tasks
        self._memory_bytes = memory_bytes
        self._lock = Lock()
        self._waiting: Task[Any] | None = None
        self._num_taken = 0
        self._bytes_taken = 0
        self._is_alone = False

    def take(self) -> Task[Any] | None:
        """Returns the next task, None if there is none, or no room for it beside those taken."""
        with self._lock:
            if self._is_alone:
                return None
            task = self._waiting or next(self._tasks, None)
            self._waiting = None
            if task is None:
                return None
            if self._num_taken and not self._fits(task):
                self._waiting = task
                return None
            self._num_taken += 1
            self._bytes_taken += task.memory_bytes
            self._is_alone = task.is_alone
            return task

    def give_back(self, task: Task[Any]) -> None:
        """Notes that a task is finished, or lost."""
        with self._lock:
            self._num_taken -= 1
            self._bytes_taken -= task.memory_bytes
            self._is_alone = False

    def _fits(self, task: Task[Any]) -> bool:
        is_room = self._bytes_taken + task.memory_bytes <= self._memory_bytes
        return is_room and not task.is_alone


def map_on_threads(
    carry_out: Callable[[Task[Any]], None],
    tasks: Iterator[Task[Any]],
    cancel: CancelToken,
    pool: WorkerPool,
) -> Iterator[TaskEnd[Any]]:
    """Yields how tasks ended that threads of a pool carry out; the pool is closed in the end.

    Raises:
        CancelledError: if the token was set.
    """

    def carry_out_unless_over(task: Task[Any]) -> None:
        cancel.raise_if_set()
        carry_out(task)

    feed = TaskQueue(tasks, available_memory_bytes())
    with closing(pool), closing(pool.map_as_finished(carry_out_unless_over, feed)) as finished:
        for task, error in finished:
            if isinstance(error, CancelledError):
                cancel.set()  # the others end as well
            else:
                yield TaskEnd(task, error)
    cancel.raise_if_set()


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
        self.num_workers = choose_num_workers(num_workers)

    def map_unordered(
        self, work: Work, tasks: Iterator[Task[Any]], on_event: EventSink, cancel: CancelToken
    ) -> Iterator[TaskEnd[Any]]:
        """Yields how tasks ended, as soon as they have; see `Executor`."""
        pool = WorkerPool(self.num_workers)
        worker = Worker(self.num_workers, pool, on_event, cancel)
        return map_on_threads(lambda task: work(task, worker), tasks, cancel, pool)

    def start_shards(self, job: ShardJob, parts: Sequence[Any], on_event: EventSink) -> LocalShards:
        """Makes the shards in this process; see `Executor`."""
        return LocalShards(job, parts, Worker(self.num_workers, None, on_event))
