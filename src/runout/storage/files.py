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
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from importlib.util import find_spec
from io import BufferedReader
from pathlib import Path
from typing import Any

from runout.errors import BundleError


def _import(name: str) -> Any:
    """Returns a module that only some systems have, None elsewhere."""
    return import_module(name) if find_spec(name) else None


#: What locks files: on POSIX, and on Windows.
fcntl, msvcrt = _import("fcntl"), _import("msvcrt")

#: What the file of a lock holds: the process that has it, its machine, and the digest of its run.
#: Those of earlier versions hold a line of JSON.
_NOTE = re.compile(rb"(\d{1,20}(@[\w.-]{0,80})? ([0-9a-f]{64})?)?|[\[{].{0,190}")
_MAX_NOTE_BYTES = 200
_LOCKED_BYTE = 2**30

_NUM_TOKEN_BYTES = 4
_SECONDS_UNTIL_ABANDONED = 3600.0  # a file takes seconds to write
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


#: No symbolic link is followed, and opening a pipe does not wait.
_PLAIN = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def open_regular(path: Path | str, directory: int | None = None) -> BufferedReader:
    """Opens a file to read, below an open directory if one is given.

    Pipes and devices are refused: opening or reading them may never end. So are symbolic links,
    which lead anywhere.
    """
    file = open(path, "rb", opener=lambda name, flags: _open_plain(name, flags, directory))
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    return file


def _open_plain(path: Path | str, flags: int, directory: int | None = None) -> int:
    if not hasattr(os, "O_NOFOLLOW") and os.path.islink(path):
        raise OSError(errno.ELOOP, "a symbolic link", str(path))
    try:
        return os.open(path, flags | _PLAIN, 0o666, dir_fd=directory)
    except OSError as error:
        if error.errno == errno.ELOOP:
            error.strerror = "a symbolic link"
        raise


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
    for other in _temporaries(target, "part"):  # of processes that were killed
        with suppress(OSError):
            if other.is_file() and time.time() - other.stat().st_mtime > _SECONDS_UNTIL_ABANDONED:
                other.unlink()
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


def _lock(descriptor: int, is_shared: bool = False, waits: bool = False) -> bool | None:
    """Locks a file or directory that is open; None where the system has no such locks.

    Windows locks bytes, here one far behind the end, and shares no lock.
    """
    try:
        if fcntl is not None:
            kind = fcntl.LOCK_SH if is_shared else fcntl.LOCK_EX
            fcntl.flock(descriptor, kind if waits else kind | fcntl.LOCK_NB)
        elif msvcrt is not None:
            os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_LOCK if waits else msvcrt.LK_NBLCK, 1)
        else:
            return None
    except OSError as error:
        is_taken = isinstance(error, BlockingIOError if fcntl else PermissionError)
        return False if is_taken else None  # this file system has no locks
    return True


def _unlock(descriptor: int) -> None:
    if fcntl is not None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)
    elif msvcrt is not None:
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)


class PathLock:
    """A lock on a path: its process owns it until it ends, however it ends.

    Directories under construction, their parents, results and tasks are all owned in this way. The
    lock is advisory and holds between threads as well. Some network file systems have no such
    locks, and Windows none of directories: there every process gets them, and `is_free` is always
    false, the careful answer. A file is only taken if it is empty or holds the note of a lock.

    Attributes:
        path: what is owned.
    """

    def __init__(self, path: Path, *, is_file: bool = False) -> None:
        """Takes nothing yet; the path is a directory, or a file that is made if there is none."""
        self.path = path
        self._is_file = is_file
        self._descriptor: int | None = None
        self._is_exclusive = False

    def acquire(self, *, waits: bool = True, is_shared: bool = False) -> bool:
        """Takes the lock, or changes the one that is held; returns whether it is held then.

        If it does not wait and others have it, a lock that was to be changed is given back.
        """
        if not (self._is_file or fcntl is not None):
            return True
        while True:
            if self._descriptor is None:
                self._descriptor = self._open()
            if self._is_exclusive and fcntl is None:
                return True  # the only kind there is, and held already
            is_held = _lock(self._descriptor, is_shared, waits)
            self._is_exclusive = bool(is_held) and not is_shared
            if is_held is None:
                return True
            with suppress(FileNotFoundError):
                if not self._is_file or self._is_still_there():
                    return is_held
            self.release()  # its last owner has removed it just now

    def release(self, *, removes_file: bool = False) -> None:
        """Gives the lock back, if it is held, maybe with its file if it has no other owner."""
        if self._descriptor is None:
            return
        with suppress(OSError):
            if removes_file and self._is_still_there() and _is_note(self._descriptor):
                self.path.unlink()
        # Closing is not enough: a forked child has inherited the descriptor.
        with suppress(OSError):
            _unlock(self._descriptor)
        os.close(self._descriptor)
        self._descriptor, self._is_exclusive = None, False

    def write_note(self, text: str) -> None:
        """Writes who has the lock and for what into its file, ``PID@HOST DIGEST``."""
        assert self._descriptor is not None
        os.ftruncate(self._descriptor, 0)
        os.lseek(self._descriptor, 0, os.SEEK_SET)
        os.write(self._descriptor, text.encode())

    def read_note(self) -> str:
        """Returns what the last owner of the file has written; empty if it is gone."""
        with suppress(FileNotFoundError), open_regular(self.path) as file:
            return file.read(_MAX_NOTE_BYTES).decode("latin1")
        return ""

    def is_last(self) -> bool:
        """Returns whether no other process shares the lock; then none can any more.

        One that is not the last has given its share back.
        """
        with suppress(OSError):  # the file is another one now
            return self.acquire(waits=False)
        return False

    def is_free(self) -> bool:
        """Returns whether certainly no process, this one included, holds the lock."""
        if fcntl is None:
            return False
        descriptor = os.open(self.path, os.O_RDONLY)
        try:
            return _lock(descriptor) is True
        finally:
            os.close(descriptor)

    def _open(self) -> int:
        if not self._is_file:
            return os.open(self.path, os.O_RDONLY)
        descriptor = _open_plain(self.path, os.O_RDWR | os.O_CREAT)
        if not _is_note(descriptor):
            os.close(descriptor)
            raise OSError(errno.EEXIST, "holds something else than a lock", str(self.path))
        return descriptor

    def _is_still_there(self) -> bool:
        assert self._descriptor is not None
        return os.path.samestat(os.fstat(self._descriptor), os.lstat(self.path))

    def __enter__(self) -> "PathLock":
        self.acquire()
        return self

    def __exit__(self, *exception: object) -> None:
        self.release()


def _is_note(descriptor: int) -> bool:
    """Returns whether an open file is one that a lock has made: nothing else is ever changed."""
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
        return False
    os.lseek(descriptor, 0, os.SEEK_SET)
    return _NOTE.fullmatch(os.read(descriptor, _MAX_NOTE_BYTES)) is not None


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
