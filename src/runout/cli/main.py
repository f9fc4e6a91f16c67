"""Where the `runout` program starts.

Importing the commands takes a noticeable moment, so it happens where Ctrl-C is already handled.
"""

import atexit
import gc
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from runout.cli.exit_codes import EXIT_INTERRUPTED

#: New objects until Python looks for garbage again: most of what a start makes are modules, which
#: stay, and to look through them every 700 objects takes a sixth of the time of a small answer.
_OBJECTS_PER_COLLECTION = 10_000


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the program and exits.

    Args:
        arguments: what follows the program's name; by default what the shell passed.
    """
    atexit.register(gc.freeze)  # what there is at the end goes with the process
    try:
        with ending_like_ctrl_c(), _collecting_rarely():
            from runout.cli.app import app

            app(arguments, prog_name="runout")
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(EXIT_INTERRUPTED)


@contextmanager
def _collecting_rarely() -> Iterator[None]:
    earlier = gc.get_threshold()
    gc.set_threshold(_OBJECTS_PER_COLLECTION)
    try:
        yield
    finally:
        gc.set_threshold(*earlier)


@contextmanager
def ending_like_ctrl_c() -> Iterator[None]:
    """Makes SIGTERM do what Ctrl-C does: batch systems and shutdowns send it, and work is saved."""

    def pass_on(signal_number: int, frame: Any) -> None:
        handler = signal.getsignal(signal.SIGINT)
        if callable(handler):
            handler(signal_number, frame)
        else:  # a shell's background job is deaf to Ctrl-C
            raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    earlier = signal.signal(signal.SIGTERM, pass_on)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, earlier)
