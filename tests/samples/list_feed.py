"""The simplest feed of a pool."""

from threading import Lock


class ListFeed:
    """Hands out all tasks, one after the other."""

    def __init__(self, tasks):
        self._tasks = iter(tasks)
        self._lock = Lock()

    def take(self):
        with self._lock:
            return next(self._tasks, None)

    def give_back(self, task):
        pass
