"""Who carries out tasks and shards: threads, processes or machines, behind one protocol."""

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from runout.events import EventSink
from runout.execution.cancel import CancelToken
from runout.execution.shards import ShardGroup, ShardJob
from runout.execution.tasks import Task, TaskEnd, Work


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
            ShardLostError: if one dies while it starts.
        """
