"""Long work that is saved every few minutes while it goes on, so that a power cut costs minutes."""

import threading
import time
from collections.abc import Callable

from runout.errors import RunoutError

#: Finishes a save that was begun: digests, waiting for the disk, the final name.
Finish = Callable[[], None]

_MIN_WORK_PER_PAUSE = 20.0  # so that saving stops the work for at most 5 % of the time


class Autosave:
    """Saves now and then, between two steps of the work.

    A save has two halves. ``begin`` copies the state into files, while the work waits, and returns
    what finishes the save, which a thread does while the work goes on. A save that fails is told
    and tried again the next time: work of hours does not end because a disk was full for a while.

    Example:
        >>> with Autosave(300.0, begin, on_failure) as autosave:
        ...     for step in work:
        ...         step()
        ...         autosave.save_if_due()

    Leaving the ``with`` block waits for a save that is under way.
    """

    def __init__(
        self,
        interval_seconds: float,
        begin: Callable[[], Finish],
        on_failure: Callable[[RunoutError], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Notes what to do; the first save is due an interval after entering the ``with`` block.

        Args:
            interval_seconds: time between two saves, 0 to save never.
            begin: begins a save; raises a `RunoutError` if it cannot.
            on_failure: told of a save that failed, in the thread of the work.
            clock: tells seconds.
        """
        self._interval_seconds = interval_seconds
        self._begin = begin
        self._on_failure = on_failure
        self._clock = clock
        self._due = 0.0
        self._finishing: threading.Thread | None = None
        self._problem: Exception | None = None

    def save_if_due(self) -> None:
        """Begins a save if it is time and the last one is finished."""
        if not self._interval_seconds or self._clock() < self._due:
            return
        if self._finishing is not None and self._finishing.is_alive():
            return
        self._settle()
        started = self._clock()
        try:
            finish = self._begin()
        except RunoutError as error:
            self._on_failure(error)
        else:
            self._finishing = threading.Thread(target=self._finish, args=(finish,))
            self._finishing.start()
        pause = self._clock() - started
        self._due = self._clock() + max(self._interval_seconds, _MIN_WORK_PER_PAUSE * pause)

    def __enter__(self) -> "Autosave":
        self._due = self._clock() + self._interval_seconds
        return self

    def __exit__(self, *exception: object) -> None:
        self._settle()

    def _finish(self, finish: Finish) -> None:
        try:
            finish()
        except Exception as error:  # told to the thread of the work
            self._problem = error

    def _settle(self) -> None:
        """Waits for the save under way, and tells if it has failed."""
        if self._finishing is not None:
            self._finishing.join()
            self._finishing = None
        problem, self._problem = self._problem, None
        if isinstance(problem, RunoutError):
            self._on_failure(problem)
        elif problem is not None:
            raise problem
