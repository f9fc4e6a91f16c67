"""Work as data: tasks that can travel, who carries them out, and how they end.

A job is everything that its tasks share; a task is one of its items. What a task finds is written
into a ledger by whoever worked on it, under an id made of all that decides it. An executor only
moves work: it never carries results, and may lose or repeat tasks without harm.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from runout.cache import Arrays
from runout.events import EventSink, ignore_event
from runout.execution.cancel import CancelToken
from runout.execution.local import WorkerPool
from runout.storage.ledger import Receipt
from runout.storage.manifest import digest_config
from runout.version import __version__

Item = TypeVar("Item")
ItemOfJob = TypeVar("ItemOfJob", contravariant=True)


@dataclass(frozen=True)
class TaskNeeds:
    """What a task takes; tasks that do not fit side by side are not run side by side.

    Attributes:
        memory_bytes: at most at one time.
        seconds: of one core, about; the longest tasks come first.
        is_alone: whether it has all threads of its worker for itself, so that its times mean
            something.
    """

    memory_bytes: int = 0
    seconds: float = 0.0
    is_alone: bool = False


@dataclass(frozen=True)
class Task(Generic[Item]):
    """One item of a job.

    Attributes:
        key: its name, in which tasks of a job differ.
        item: what the job is given; it can be pickled.
        needs: what it takes.
        attempt: 1 for the first time that it is tried.
    """

    key: str
    item: Item
    needs: TaskNeeds = TaskNeeds()
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
    """How a task ended, as far as an executor knows; just one of the three is given.

    Attributes:
        task: which.
        receipt: of the result that its worker has written.
        error: what it raised.
        loss: in words, why nobody knows: its worker has died.
    """

    task: Task[Item]
    receipt: Receipt | None = None
    error: Exception | None = None
    loss: str | None = None


#: Carries out a task and writes its result; can be pickled.
Work = Callable[[Task[Any], Worker], Receipt]


def digest_job(facts: Mapping[str, Any]) -> str:
    """Returns what stands for everything that the results of a job depend on."""
    return digest_config({"version": __version__, "facts": dict(facts)})


def content_id(job_digest: str, key: str) -> str:
    """Returns the id of a task: 64 hexadecimal digits that decide its result."""
    return hashlib.sha256(f"{job_digest}\n{key}".encode()).hexdigest()


def longest_first(tasks: Sequence[Task[Item]]) -> list[Task[Item]]:
    """Returns tasks in the order in which to begin: nobody is left with a long one at the end."""
    return sorted(tasks, key=lambda task: -task.needs.seconds)
