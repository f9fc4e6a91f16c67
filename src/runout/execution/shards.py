"""Work that many workers do in step: each owns a part, and all answer every call.

Shards keep what they have learned in their own memory, so that one that dies takes it along;
whoever calls them goes back to what all of them have saved.
"""

from collections.abc import Sequence
from typing import Any, Protocol

from runout.events import EventSink
from runout.execution.tasks import Worker


class ShardLostError(Exception):
    """A shard has died, and what it had in memory with it."""


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
            ShardLostError: if one has died; the group is of no use any more.
        """

    def close(self) -> None:
        """Ends all shards."""


class LocalShards:
    """Shards in this process, called one after the other; each uses all threads."""

    def __init__(
        self, job: ShardJob, parts: Sequence[Any], on_event: EventSink, num_threads: int = 1
    ) -> None:
        worker = Worker(num_threads, None, on_event)
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
