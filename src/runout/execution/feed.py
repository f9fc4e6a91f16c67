"""Tasks handed out one by one, as far as they fit into memory side by side."""

from collections.abc import Iterator
from threading import Lock
from typing import Any

from runout.execution.tasks import Task


class TaskFeed:
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
            self._bytes_taken += task.needs.memory_bytes
            self._is_alone = task.needs.is_alone
            return task

    def give_back(self, task: Task[Any]) -> None:
        """Notes that a task is finished, or lost."""
        with self._lock:
            self._num_taken -= 1
            self._bytes_taken -= task.needs.memory_bytes
            self._is_alone = False

    def _fits(self, task: Task[Any]) -> bool:
        is_room = self._bytes_taken + task.needs.memory_bytes <= self._memory_bytes
        return is_room and not task.needs.is_alone
