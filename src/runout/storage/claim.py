"""One process at a time works towards one result; a second one is told so before it begins.

The lock is a file ``.NAME.lock`` next to the result. It holds as long as the process lives, however
that ends; a file that a killed process left behind is in nobody's way.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from runout.errors import BundleError
from runout.storage.files import reporting_os_errors

if sys.platform != "win32":
    import fcntl

_MAX_PID_BYTES = 20


@contextmanager
def claiming(target: Path) -> Iterator[None]:
    """Keeps other processes, and other threads, from working towards the same result.

    Windows and some network file systems have no such locks; there everybody may begin.

    Args:
        target: the directory that the result is going to be. Its parents are made.

    Raises:
        BundleError: if somebody else is at it, naming the process, or no file can be made.
    """
    real = Path(os.path.realpath(target))
    file = real.with_name(f".{real.name}.lock")
    with reporting_os_errors(target, "written"):
        real.parent.mkdir(parents=True, exist_ok=True)
        descriptor = _take(file, target)
    try:
        yield
    finally:
        with suppress(OSError):
            file.unlink()
        os.close(descriptor)


def _take(file: Path, target: Path) -> int:
    """Returns the descriptor of the lock file, locked."""
    while True:
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            _lock(descriptor, target)
            # Its last owner may have removed it between the two lines above.
            if _is_at(descriptor, file):
                with suppress(OSError):  # on a full disk the process has no name, that is all
                    os.truncate(descriptor, 0)
                    os.pwrite(descriptor, str(os.getpid()).encode(), 0)
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _lock(descriptor: int, target: Path) -> None:
    if sys.platform == "win32":
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        owner = os.pread(descriptor, _MAX_PID_BYTES, 0).decode(errors="replace")
        who = f"process {owner}" if owner.isdecimal() else "another process"
        problem = f"{who} is working on it, wait for its end or give another directory"
        raise BundleError(str(target), problem) from None
    except OSError:
        return  # this file system has no locks


def _is_at(descriptor: int, file: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(file))
    except FileNotFoundError:
        return False
