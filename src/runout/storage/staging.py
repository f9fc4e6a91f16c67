"""A directory that is built under a temporary name and appears complete or not at all.

No system renames one full directory over another. Linux exchanges two names in one step:

    NAME <-> .NAME.part-xxxxxxxx

Where that cannot be done, replacing takes two renames:

    NAME -> .NAME.old-xxxxxxxx          between the two, readers use .NAME.old-xxxxxxxx
    .NAME.part-xxxxxxxx -> NAME

A ``.old-`` directory exists only for that moment. If the process is killed in it, the next writer
moves the old directory back, and until then readers find it there. What is no longer needed is
called ``.part-`` before it is removed: ``.part-`` always means *of no value*.
"""

import os
import re
import shutil
from contextlib import suppress
from pathlib import Path

from runout.errors import BundleError
from runout.storage.files import (
    DirectoryLock,
    exchange,
    make_token,
    reporting_os_errors,
    sync,
)


class StagingDirectory:
    """A temporary directory next to ``target`` that `publish` turns into ``target``.

    Every step that renames or removes holds a lock on the parent directory, for milliseconds. The
    staging directory itself is locked as long as its writer lives, which is how the next writer
    knows rubbish from work in progress.

    Attributes:
        target: the name that the directory gets.
        path: where to write until then.
    """

    def __init__(self, target: Path, marker: str, can_overwrite: bool) -> None:
        """Creates the temporary directory, and the parents of ``target`` if there are none.

        Args:
            target: the name that the directory gets.
            marker: the file that tells our directories from others, which are never overwritten.
            can_overwrite: whether ``target`` may exist already.

        Raises:
            BundleError: if ``target`` is in the way or its parent cannot be written.
        """
        self._given = Path(target)
        # A symbolic link stays what it is, and the directory that it points to is replaced.
        self.target = Path(os.path.realpath(target))
        if not self.target.name:
            raise BundleError(str(target), "is the root directory, expected a name below it")
        self._marker = marker
        self._can_overwrite = can_overwrite
        self.path = _temporary_name(self.target, "part")
        self._lock = DirectoryLock(self.path)
        with reporting_os_errors(self._given, "written"):
            self.target.parent.mkdir(parents=True, exist_ok=True)
            with DirectoryLock(self.target.parent):
                _settle(self.target)
                self._require_free_target()
                self.path.mkdir()
                self._lock.acquire()

    def publish(self) -> None:
        """Gives the directory its name, in place of what had that name before.

        Raises:
            BundleError: if ``target`` has come into the way, or the system refuses. Then the old
                ``target``, if any, is untouched.
        """
        with reporting_os_errors(self._given, "written"):
            for file in self.path.iterdir():
                sync(file)
            with DirectoryLock(self.target.parent):
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
        elif not exchange(self.path, self.target):
            self._rename_twice()
        # After an exchange the old directory is what `close` removes.

    def _rename_twice(self) -> None:
        old = _temporary_name(self.target, "old")
        os.rename(self.target, old)
        try:
            os.rename(self.path, self.target)
        except BaseException:
            os.rename(old, self.target)
            raise
        _remove(self.target, old)


def find_interrupted(target: Path) -> Path | None:
    """Returns where ``target`` is, if a writer was about to replace it, or was killed in that."""
    target = Path(os.path.realpath(target))
    return next(iter(_temporaries(target, "old")), None)


def directories_of(target: Path) -> list[Path]:
    """Returns where ``target`` can be at this moment, the likely place first."""
    interrupted = find_interrupted(target)
    return [target] if interrupted is None else [target, interrupted]


def _temporary_name(target: Path, tag: str) -> Path:
    return target.with_name(f".{target.name}.{tag}-{make_token()}")


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
            if not DirectoryLock(part).is_held_by_anyone():
                shutil.rmtree(part, ignore_errors=True)


def _remove(target: Path, old: Path) -> None:
    """Removes a replaced directory; if its files are in use (on Windows) the next writer will."""
    with suppress(OSError):
        rubbish = _temporary_name(target, "part")
        os.rename(old, rubbish)
        shutil.rmtree(rubbish, ignore_errors=True)
