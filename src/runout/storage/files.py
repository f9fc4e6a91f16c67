"""Single files and directories: digests, durable writes, locks and error messages."""

import ctypes
import errno
import hashlib
import os
import secrets
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from runout.errors import BundleError

if sys.platform != "win32":
    import fcntl

_NUM_TOKEN_BYTES = 4
_RENAME_EXCHANGE = 2  # of Linux's renameat2
_AT_CURRENT_DIRECTORY = -100


@contextmanager
def reporting_os_errors(path: Path, verb: str) -> Iterator[None]:
    """Turns what the operating system refuses into a `BundleError` about ``path``.

    Args:
        path: what the caller works on.
        verb: what cannot be done to it, such as ``written``.
    """
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        inner = error.filename
        about = f": {inner}" if inner is not None and str(inner) != str(path) else ""
        raise BundleError(str(path), f"cannot be {verb} ({reason}{about})") from error


def make_token() -> str:
    """Returns eight random hexadecimal digits, for names that nobody else has."""
    return secrets.token_hex(_NUM_TOKEN_BYTES)


def digest_file(path: Path) -> str:
    """Returns the sha256 of a file's contents, in hexadecimal, without holding it in memory."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sync(path: Path) -> None:
    """Waits until a file or directory is on the disk, so that a power cut cannot undo a rename."""
    if sys.platform == "win32":
        return  # needs a writable handle there, and directories have none
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def exchange(first: Path, second: Path) -> bool:
    """Gives two existing files or directories each other's names, in one step that none can halve.

    Returns:
        Whether it was done; not every system and file system can.

    Raises:
        OSError: if the system can, but refuses.
    """
    rename = _find_renameat2()
    if rename is None:
        return False
    sys.audit("os.rename", str(first), str(second), -1, -1)  # seen like any other renaming
    here = _AT_CURRENT_DIRECTORY
    if rename(here, os.fsencode(first), here, os.fsencode(second), _RENAME_EXCHANGE) == 0:
        return True
    code = ctypes.get_errno()
    if code in (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP):
        return False
    raise OSError(code, os.strerror(code), str(second))


def _find_renameat2() -> Callable[[int, bytes, int, bytes, int], int] | None:
    """Returns the function of the C library that can exchange, None where there is none."""
    if not sys.platform.startswith("linux"):
        return None
    return getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)


@contextmanager
def replacing_file(path: Path, *, is_durable: bool = True) -> Iterator[Path]:
    """Yields where to write a file that has its old content, or all of the new one in the end.

    Readers and other writers of the same path never see half a file; the last writer wins. What
    cannot be replaced, such as a device or a pipe, is written as it is.

    Args:
        path: the file.
        is_durable: whether to wait until it is on the disk.
    """
    if path.exists() and not path.is_file():
        yield path
        return
    target = Path(os.path.realpath(path))  # a symbolic link stays what it is
    part = target.with_name(f".{target.name}.part-{make_token()}")
    try:
        yield part
        with suppress(FileNotFoundError):
            shutil.copymode(target, part)
        if is_durable:
            sync(part)
        os.replace(part, target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def replace_file(path: Path, content: bytes, *, is_durable: bool = True) -> None:
    """Writes a file that has its old content or all of the new one, whatever happens meanwhile."""
    with replacing_file(path, is_durable=is_durable) as part:
        part.write_bytes(content)


class DirectoryLock:
    """An advisory lock on a directory that ends with the process, however that ends.

    It leaves no file behind. Windows and some network file systems have no such locks: there
    acquiring never waits and `is_held_by_anyone` is always true, the careful answer.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._descriptor: int | None = None

    def acquire(self) -> None:
        """Waits for the lock and takes it."""
        if sys.platform != "win32":
            self._descriptor = os.open(self._directory, os.O_RDONLY)
            with suppress(OSError):  # not supported here
                fcntl.flock(self._descriptor, fcntl.LOCK_EX)

    def release(self) -> None:
        """Gives the lock back, if it is held."""
        if sys.platform != "win32" and self._descriptor is not None:
            # Closing is not enough: a forked child has inherited the descriptor.
            with suppress(OSError):
                fcntl.flock(self._descriptor, fcntl.LOCK_UN)
            os.close(self._descriptor)
            self._descriptor = None

    def is_held_by_anyone(self) -> bool:
        """Returns whether some process, this one included, may hold the lock."""
        if sys.platform == "win32":
            return True
        descriptor = os.open(self._directory, os.O_RDONLY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return True
        else:
            return False
        finally:
            os.close(descriptor)

    def __enter__(self) -> "DirectoryLock":
        self.acquire()
        return self

    def __exit__(self, *exception: object) -> None:
        self.release()
