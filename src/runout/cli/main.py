"""Where the `runout` program starts.

Importing the commands takes a noticeable moment, so it happens where Ctrl-C is already handled.
"""

import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from runout.cli.exit_codes import EXIT_INTERRUPTED


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the program and exits.

    Args:
        arguments: what follows the program's name; by default what the shell passed.
    """
    try:
        with ending_like_ctrl_c():
            from runout.cli.app import app

            app(arguments, prog_name="runout")
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(EXIT_INTERRUPTED)


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
