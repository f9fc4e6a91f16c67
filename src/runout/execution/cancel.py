"""The one way to end long work early: a token that the work looks at between its steps."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class CancelledError(Exception):
    """Ends work between two of its steps, because its token was set."""


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
