"""Who works towards a result: one process, or several that share its ledger.

The lock is a file ``.NAME.lock`` next to the result. It holds as long as a process lives, however
that ends; a file that a killed process left behind is in nobody's way.
"""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from runout.errors import BundleError
from runout.storage.files import reporting_os_errors

if sys.platform != "win32":
    import fcntl

_MAX_NOTE_BYTES = 200
_NUM_LOOKS = 50  # at a lock whose owner may be about to share it
_SECONDS_BETWEEN_LOOKS = 0.01


class Claim:
    """A part in the work towards a result."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def is_last(self) -> bool:
        """Returns whether no other process works towards the result; then none can join any more.

        One that is not the last has given its part back.
        """
        try:
            return _lock(self._descriptor, is_shared=False)
        except OSError:
            return True  # this file system has no locks


@contextmanager
def claiming(target: Path, run_digest: str | None = None) -> Iterator[Claim]:
    """Keeps other processes, and other threads, from working towards the same result.

    Windows and some network file systems have no such locks; there everybody may begin.

    Args:
        target: the directory that the result is going to be. Its parents are made.
        run_digest: stands for the run; processes with the same one may work together. None if
            nobody else may.

    Raises:
        BundleError: if somebody else is at it, naming the process, or no file can be made.
    """
    real = Path(os.path.realpath(target))
    file = real.with_name(f".{real.name}.lock")
    with reporting_os_errors(target, "written"):
        real.parent.mkdir(parents=True, exist_ok=True)
        descriptor = _take(file, target, run_digest)
    claim = Claim(descriptor)
    try:
        yield claim
    finally:
        if claim.is_last():
            with suppress(OSError):
                file.unlink()
        os.close(descriptor)


def _take(file: Path, target: Path, run_digest: str | None) -> int:
    """Returns the descriptor of the lock file, locked."""
    num_looks = 1 if run_digest is None else _NUM_LOOKS
    for _ in range(num_looks):
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            if _join(descriptor, run_digest) and _is_at(descriptor, file):
                return descriptor
            # Its last owner may have removed it just now.
            is_gone = not _is_at(descriptor, file)
            owner, _, digest = (
                os.pread(descriptor, _MAX_NOTE_BYTES, 0).decode("latin1").partition(" ")
            )
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)
        if is_gone:
            return _take(file, target, run_digest)
        if digest and digest != run_digest:
            break
        time.sleep(_SECONDS_BETWEEN_LOOKS)
    who = f"process {owner}" if owner.isdecimal() else "another process"
    problem = f"{who} is working on it, wait for its end or give another directory"
    raise BundleError(str(target), problem) from None


def _join(descriptor: int, run_digest: str | None) -> bool:
    """Returns whether the lock is ours now, alone or with others of the same run."""
    try:
        if _lock(descriptor, is_shared=False):
            with suppress(OSError):  # on a full disk the process has no name, that is all
                os.truncate(descriptor, 0)
                os.pwrite(descriptor, f"{os.getpid()} {run_digest or ''}".encode(), 0)
            return run_digest is None or _lock(descriptor, is_shared=True)
        if run_digest is None or not _lock(descriptor, is_shared=True):
            return False
    except OSError:
        return True  # this file system has no locks
    _, _, digest = os.pread(descriptor, _MAX_NOTE_BYTES, 0).decode("latin1").partition(" ")
    return digest == run_digest


def _lock(descriptor: int, *, is_shared: bool) -> bool:
    """Takes the lock, or changes the one that is held; returns whether it is held then."""
    if sys.platform == "win32":
        return True
    try:
        mode = fcntl.LOCK_SH if is_shared else fcntl.LOCK_EX
        fcntl.flock(descriptor, mode | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_at(descriptor: int, file: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(file))
    except FileNotFoundError:
        return False
