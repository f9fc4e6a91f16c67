"""What the system refuses a command, in one line: memory, disk space, and where output goes to."""

import errno
import sys


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
