"""Files and directories that are whole at any moment, and which process owns them.

A file or directory is built under a temporary name and appears complete or not at all. No system
renames one full directory over another. Linux exchanges two names in one step:

    NAME <-> .NAME.part-xxxxxxxx

Where that cannot be done, replacing takes two renames:

    NAME -> .NAME.old-xxxxxxxx          between the two, readers use .NAME.old-xxxxxxxx
    .NAME.part-xxxxxxxx -> NAME

A ``.old-`` directory exists only for that moment. If the process is killed in it, the next writer
moves the old directory back, and until then readers find it there. What is no longer needed is
called ``.part-`` before it is removed: ``.part-`` always means *of no value*.
"""

import ctypes
import errno
import os
import re
import secrets
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedReader
from pathlib import Path

from runout.errors import BundleError

if sys.platform != "win32":
    import fcntl

_NUM_TOKEN_BYTES = 4
_RENAME_EXCHANGE = 2  # of Linux's renameat2
_AT_CURRENT_DIRECTORY = -100


def local_path(path: Path | str) -> Path:
    """Returns a path of this machine; refuses a URL, which would become a directory ``s3:``."""
    if re.match(r"[A-Za-z][\w+.-]+:/", str(path)):  # two letters at least: C:/ is a drive
        raise BundleError(str(path), "is a URL, use a local path and copy the files")
    return Path(path)


@contextmanager
def reporting_os_errors(path: Path, verb: str) -> Iterator[None]:
    """Turns what the operating system refuses into a `BundleError` about ``path``.

    ``verb`` says what cannot be done to it, such as ``written``.
    """
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        inner = error.filename
        about = f": {inner}" if inner is not None and str(inner) != str(path) else ""
        raise BundleError(str(path), f"cannot be {verb} ({reason}{about})") from error


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
    """Exchanges two names in one step; returns False where the system cannot."""
    if not sys.platform.startswith("linux"):
        return False
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
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


def open_regular(path: Path | str, directory: int | None = None) -> BufferedReader:
    """Opens a file to read, below an open directory if one is given.

    Pipes and devices are refused: opening or reading them may never end.
    """

    def open_at_once(name: str, flags: int) -> int:
        return os.open(name, flags | getattr(os, "O_NONBLOCK", 0), dir_fd=directory)

    file = open(path, "rb", opener=open_at_once)
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    return file


@contextmanager
def replacing_file(path: Path, *, is_durable: bool = True) -> Iterator[Path]:
    """Yields where to write a file that has its old content, or all of the new one in the end.

    Readers and other writers of the same path never see half a file; the last writer wins. What
    cannot be replaced, such as a device or a pipe, is written as it is.

    A durable one is on the disk when the block ends.
    """
    if local_path(path).exists() and not path.is_file():
        yield path
        return
    target = Path(os.path.realpath(path))  # a symbolic link stays what it is
    part = _temporary_name(target, "part")
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
    """Writes a file as `replacing_file` does."""
    with replacing_file(path, is_durable=is_durable) as part:
        part.write_bytes(content)


class PathLock:
    """A lock on a path: its process owns it until it ends, however it ends.

    Directories under construction, their parents, results and tasks are all owned in this way. The
    lock is advisory and holds between threads as well. Windows and some network file systems have
    no such locks: there every process gets them, and `is_free` is always false, the careful answer.

    Attributes:
        path: what is owned.
    """

    def __init__(self, path: Path, *, is_file: bool = False) -> None:
        """Takes nothing yet; the path is a directory, or a file that is made if there is none."""
        self.path = path
        self._flags = os.O_RDWR | os.O_CREAT if is_file else os.O_RDONLY
        self._descriptor: int | None = None

    def acquire(self, *, waits: bool = True, is_shared: bool = False) -> bool:
        """Takes the lock, or changes the one that is held; returns whether it is held then.

        If it does not wait and others have it, a lock that was to be changed is given back.
        """
        if sys.platform == "win32":
            return True
        mode = fcntl.LOCK_SH if is_shared else fcntl.LOCK_EX
        while True:
            is_held = True
            if self._descriptor is None:
                self._descriptor = os.open(self.path, self._flags, 0o666)
            try:
                fcntl.flock(self._descriptor, mode if waits else mode | fcntl.LOCK_NB)
            except BlockingIOError:
                is_held = False
            except OSError:
                return True  # this file system has no locks
            with suppress(FileNotFoundError):
                is_directory = self._flags == os.O_RDONLY
                if is_directory or os.path.samestat(os.fstat(self._descriptor), os.stat(self.path)):
                    return is_held
            self.release()  # its last owner has removed it just now

    def release(self, *, removes_file: bool = False) -> None:
        """Gives the lock back, if it is held, maybe with its file if it has no other owner."""
        if sys.platform != "win32" and self._descriptor is not None:
            with suppress(OSError):
                if removes_file:
                    self.path.unlink()
            # Closing is not enough: a forked child has inherited the descriptor.
            with suppress(OSError):
                fcntl.flock(self._descriptor, fcntl.LOCK_UN)
            os.close(self._descriptor)
            self._descriptor = None

    def is_last(self) -> bool:
        """Returns whether no other process shares the lock; then none can any more.

        One that is not the last has given its share back.
        """
        return self.acquire(waits=False)

    def is_free(self) -> bool:
        """Returns whether certainly no process, this one included, holds the lock."""
        if sys.platform == "win32":
            return False
        descriptor = os.open(self.path, os.O_RDONLY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        else:
            return True
        finally:
            os.close(descriptor)

    def __enter__(self) -> "PathLock":
        self.acquire()
        return self

    def __exit__(self, *exception: object) -> None:
        self.release()


class StagingDirectory:
    """A temporary directory next to ``target`` that `publish` turns into ``target``.

    Every step that renames or removes holds a lock on the parent directory, for milliseconds. The
    staging directory ``path`` is locked as long as its writer lives, so that the next writer can
    tell leftovers from work in progress.
    """

    def __init__(self, target: Path, marker: str, can_overwrite: bool) -> None:
        """Creates the temporary directory, and the parents of ``target`` if there are none.

        A directory without the file ``marker`` is not ours and never overwritten; one with it is if
        ``can_overwrite`` says so.
        """
        self._given = local_path(target)
        # A symbolic link stays what it is, and the directory that it points to is replaced.
        self.target = Path(os.path.realpath(target))
        if not self.target.name:
            raise BundleError(str(target), "is the root directory, expected a name below it")
        self._marker = marker
        self._can_overwrite = can_overwrite
        self.path = _temporary_name(self.target, "part")
        self._lock = PathLock(self.path)
        with reporting_os_errors(self._given, "written"):
            self.target.parent.mkdir(parents=True, exist_ok=True)
            with PathLock(self.target.parent):
                _settle(self.target)
                self._require_free_target()
                self.path.mkdir()
                self._lock.acquire()

    def publish(self) -> None:
        """Gives the directory its name, in place of an older one, which an error leaves there."""
        with reporting_os_errors(self._given, "written"):
            for file in self.path.iterdir():
                sync(file)
            with PathLock(self.target.parent):
                _settle(self.target)
                self._require_free_target()
                self._rename()
                with suppress(OSError):  # not every file system can sync a directory
                    sync(self.target)
                    sync(self.target.parent)

    def close(self) -> None:
        """Removes what was not published and gives up the lock."""
        shutil.rmtree(self.path, ignore_errors=True)
        self._lock.release()

    def _require_free_target(self) -> None:
        where = str(self._given)
        if not self.target.exists():
            return
        if not self.target.is_dir():
            raise BundleError(where, "is a file, expected a directory or nothing")
        if not any(self.target.iterdir()):
            return
        if not (self.target / self._marker).is_file():
            raise BundleError(where, f"has files but no {self._marker}, will not be overwritten")
        if not self._can_overwrite:
            raise BundleError(where, "exists already")

    def _rename(self) -> None:
        if not self.target.exists():
            os.rename(self.path, self.target)
            return
        if exchange(self.path, self.target):
            return  # the old directory is what `close` removes
        old = _temporary_name(self.target, "old")
        os.rename(self.target, old)
        try:
            os.rename(self.path, self.target)
        except BaseException:
            os.rename(old, self.target)
            raise
        _remove(self.target, old)


def directories_of(target: Path) -> list[Path]:
    """Returns where ``target`` can be at this moment, the likely place first.

    The other place is that of one that is about to be replaced, or whose writer was killed then.
    """
    return [target, *_temporaries(Path(os.path.realpath(target)), "old")[:1]]


def _temporary_name(target: Path, tag: str) -> Path:
    return target.with_name(f".{target.name}.{tag}-{secrets.token_hex(_NUM_TOKEN_BYTES)}")


def _temporaries(target: Path, tag: str) -> list[Path]:
    pattern = re.compile(re.escape(f".{target.name}.{tag}-") + "[0-9a-f]{8}")
    try:
        return [path for path in target.parent.iterdir() if pattern.fullmatch(path.name)]
    except OSError:
        return []


def _settle(target: Path) -> None:
    """Ends what killed writers began; the caller holds the lock of the parent."""
    for old in _temporaries(target, "old"):
        if target.exists():
            _remove(target, old)
        else:
            os.rename(old, target)
    for part in _temporaries(target, "part"):
        with suppress(OSError):
            if PathLock(part).is_free():
                shutil.rmtree(part, ignore_errors=True)


def _remove(target: Path, old: Path) -> None:
    """Removes a replaced directory; if its files are in use (on Windows) the next writer will."""
    with suppress(OSError):
        rubbish = _temporary_name(target, "part")
        os.rename(old, rubbish)
        shutil.rmtree(rubbish, ignore_errors=True)


_MAX_LOOKS = 20  # for a directory that has another name while it is replaced


class PinnedDirectory:
    """A directory that a reader holds on to while writers replace it.

    A path is looked up anew by every call: its first file may come from one directory and its
    second from the one that took its place. An open directory stays the one that it was. Where
    systems cannot pin, files are looked up by path; `is_still_there` tells afterwards whether all
    of them came from this directory. (Windows renames no directory whose files are open, and does
    not soon give the number of a removed directory to another.)

    Attributes:
        path: where it was found; for a moment while it is replaced that is another name.
        is_pinned: whether this system can pin.
    """

    is_pinned = os.open in os.supports_dir_fd  # not on Windows

    def __init__(self, path: Path) -> None:
        """Finds the directory."""
        self._given = path
        self._descriptor: int | None = None
        looks = (place for _ in range(_MAX_LOOKS) for place in directories_of(path))
        for self.path in looks:
            with reporting_os_errors(path, "read"), suppress(FileNotFoundError, NotADirectoryError):
                if self.is_pinned:
                    self._descriptor = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY)
                self._status = os.stat(self.path if self._descriptor is None else self._descriptor)
                return
        problem = "is a file, not a bundle" if path.exists() else "does not exist"
        raise BundleError(str(path), problem)

    def open(self, name: str) -> BufferedReader:
        """Opens one of its files to read."""
        path = self.path / name
        return open_regular(path if self._descriptor is None else name, self._descriptor)

    def is_still_there(self) -> bool:
        """Returns whether nothing else has taken its place."""
        for place in directories_of(self._given):
            with suppress(OSError):
                if os.path.samestat(os.stat(place), self._status):
                    return True
        return False

    def __enter__(self) -> "PinnedDirectory":
        return self

    def __exit__(self, *exception: object) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)  # files that are open stay open
