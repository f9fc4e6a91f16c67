"""Ctrl-C during an iteration: the iteration ends first, so that its tables can be kept."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


class PausedError(Exception):
    """Ends a solve between two iterations."""


@contextmanager
def holding_interrupts() -> Iterator[Callable[[], bool]]:
    """Yields whether Ctrl-C was pressed; a second one interrupts at once.

    Only the main thread is interrupted by Python; in others Ctrl-C is somebody else's business.
    """
    pressed = threading.Event()

    def note(signal_number: int, frame: Any) -> None:
        if pressed.is_set():
            raise KeyboardInterrupt
        pressed.set()

    if threading.current_thread() is not threading.main_thread():
        yield pressed.is_set
        return
    earlier = signal.signal(signal.SIGINT, note)
    try:
        yield pressed.is_set
    finally:
        signal.signal(signal.SIGINT, earlier)
