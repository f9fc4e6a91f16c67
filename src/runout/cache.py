"""The user's cache directory, and files of arrays whose digests are fixed in the source."""

import hashlib
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np

from runout.arrays import AnyArray, read_only
from runout.errors import TableError

if sys.platform != "win32":
    import fcntl

Arrays = Mapping[str, AnyArray]


def cache_directory() -> Path:
    """Returns where caches live: ``$RUNOUT_CACHE``, else ``runout`` in the user's cache folder."""
    chosen = os.environ.get("RUNOUT_CACHE")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "runout"


def find_write_problem(directory: Path) -> str | None:
    """Returns why no file can be written into a directory, None if one can; makes it if need be."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            return None
    except OSError as error:
        return error.strerror or str(error)


@contextmanager
def only_writer(directory: Path) -> Iterator[None]:
    """Waits until no other process is inside this block for the same directory.

    Windows and some network file systems have no locks; there it does not wait.
    """
    directory.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(directory / ".lock", os.O_RDWR | os.O_CREAT, 0o666)
    try:
        if sys.platform != "win32":
            with suppress(OSError):
                fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def digest_arrays(arrays: Arrays) -> str:
    """Returns the sha256 of names, dtypes, shapes and contents, in hexadecimal."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        little_endian = array.astype(array.dtype.newbyteorder("<"), copy=False)
        digest.update(f"{name} {little_endian.dtype.str} {array.shape}\n".encode())
        digest.update(little_endian.tobytes())
    return digest.hexdigest()


def load_arrays(path: Path, digest: str) -> Arrays:
    """Reads read-only arrays; refuses a file that is damaged or has another digest."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays = {name: read_only(archive[name]) for name in archive}
    except Exception as error:  # damaged zips raise whatever the damage makes zipfile believe
        raise TableError(str(path), f"cannot be read ({error})") from error
    found = digest_arrays(arrays)
    if found != digest:
        raise TableError(str(path), f"has digest {found}, this version needs {digest}")
    return arrays
