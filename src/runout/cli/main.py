"""Where the `runout` program starts, and how it ends.

Importing the commands takes a noticeable moment, so it happens where Ctrl-C is already handled.
"""

import atexit
import errno
import gc
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

EXIT_USER_ERROR = 2
EXIT_INTERRUPTED = 130


def is_broken_pipe(error: OSError) -> bool:
    """Returns whether nobody reads the output any more, which is no error worth a word."""
    return error.errno == errno.EPIPE


def describe_memory_error(error: MemoryError) -> str:
    """Returns that memory is gone, and for what, if that is known."""
    what = str(error) or "the system gives no more"
    return f"memory: {what}; free some, allow more (ulimit -v), or ask for less"


def describe_system_error(error: OSError) -> str:
    """Returns where the system refuses, and why; a file without a name is stdout.

    A library that cannot be loaded has no place for itself, as a rule.
    """
    reason = error.strerror or str(error) or type(error).__name__
    if "shared object" in reason:
        return f"memory: {reason.split('. ')[0]}; allow more (ulimit -v)"
    return f"{'output' if error.filename is None else error.filename}: {reason}"


def flush_output() -> None:
    """Writes what was printed while errors can still be told; Python's end has its own words."""
    if sys.stdout is not None:
        sys.stdout.flush()


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
