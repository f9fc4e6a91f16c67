"""Files that can be built again at any time, kept in the user's cache directory.

Every table has a digest fixed in the source. A cached file that does not have it is rebuilt; a
fresh build that does not have it means that the builder changed without its digest.
"""

import hashlib
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
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


def load_or_build(name: str, digest: str, build: Callable[[], Arrays]) -> Arrays:
    """Returns the named read-only arrays from the cache, building them where it must.

    A cache that cannot be written costs time in the next process too, but no result in this one.
    A `TableError` says that ``build`` does not make the arrays that ``digest`` promises.
    """
    path = cache_directory() / f"{name}-{digest[:12]}.npz"
    try:
        arrays = load_arrays(path, digest)
    except TableError:
        arrays = build()
        built = digest_arrays(arrays)
        if built != digest:
            raise TableError(name, f"built with digest {built}, expected {digest}") from None
        with suppress(OSError):
            save_arrays(path, arrays)
    return {key: read_only(array) for key, array in arrays.items()}


def load_arrays(path: Path, digest: str) -> Arrays:
    """Reads what `save_arrays` wrote; refuses a file that is damaged or has another digest."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays = dict(archive)
    except Exception as error:  # damaged zips raise whatever the damage makes zipfile believe
        raise TableError(str(path), f"cannot be read ({error})") from error
    found = digest_arrays(arrays)
    if found != digest:
        raise TableError(str(path), f"has digest {found}, this version needs {digest}")
    return arrays


def save_arrays(path: Path, arrays: Arrays) -> None:
    """Writes arrays as one compressed file that is either complete or absent."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".part", delete=False) as part:
        try:
            np.savez_compressed(part, allow_pickle=False, **dict(arrays))
            part.close()
            os.replace(part.name, path)
        except BaseException:
            os.unlink(part.name)
            raise
