"""A directory that a reader holds on to while writers replace it.

A path is looked up anew by every call: its first file may come from one directory and its second
from the one that took its place. An open directory stays the one that it was.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedReader
from pathlib import Path

from runout.errors import BundleError
from runout.storage.files import reporting_os_errors
from runout.storage.staging import directories_of

_MAX_LOOKS = 20  # for a directory that has another name while it is replaced


class PinnedDirectory:
    """A directory that was at a path, with files that are opened in it and nowhere else.

    Where systems cannot pin, files are looked up by path; `is_still_at` tells afterwards whether
    all of them came from this directory. (Windows renames no directory whose files are open, and
    does not soon give the number of a removed directory to another.)

    Attributes:
        path: where it was found.
        is_pinned: whether this system can pin.
    """

    is_pinned = os.open in os.supports_dir_fd  # not on Windows

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY) if self.is_pinned else None
        self._identity = _identify(path if self._descriptor is None else self._descriptor)

    def open(self, name: str) -> BufferedReader:
        """Opens one of its files to read."""
        if self._descriptor is None:
            return (self.path / name).open("rb")
        return open(name, "rb", opener=self._open_inside)

    def is_still_at(self, path: Path) -> bool:
        """Returns whether nothing else has taken its place."""
        for place in directories_of(path):
            with suppress(OSError):
                if _identify(place) == self._identity:
                    return True
        return False

    def close(self) -> None:
        """Lets it go; files that are open stay open."""
        if self._descriptor is not None:
            os.close(self._descriptor)

    def _open_inside(self, name: str, flags: int) -> int:
        return os.open(name, flags, dir_fd=self._descriptor)


@contextmanager
def pinning(path: Path) -> Iterator[PinnedDirectory]:
    """Yields the directory that is at a path, or on its way to being replaced.

    Raises:
        BundleError: if there is none.
    """
    directory = _pin(path)
    try:
        yield directory
    finally:
        directory.close()


def _pin(path: Path) -> PinnedDirectory:
    # For a moment while it is replaced, and after a kill in that moment, it has another name.
    for _ in range(_MAX_LOOKS):
        for place in directories_of(path):
            with reporting_os_errors(path, "read"), suppress(FileNotFoundError, NotADirectoryError):
                return PinnedDirectory(place)
    raise BundleError(str(path), "is a file, not a bundle" if path.exists() else "does not exist")


def _identify(place: Path | int) -> tuple[int, int]:
    status = os.stat(place)
    return status.st_dev, status.st_ino
