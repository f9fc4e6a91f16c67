"""The user's cache directory, and files of arrays that are checked when they are read.

Tables that are shipped have digests that are fixed in the source. What solves make on the way, such
as the buckets of a flop, is named by the facts that decide it, and states its own digest; the least
recently used files go when there are too many.
"""

import hashlib
import json
import os
import stat
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from runout.arrays import Arrays, read_only
from runout.errors import TableError

#: None on Windows, which has no such locks.
fcntl: Any = import_module("fcntl") if find_spec("fcntl") else None

#: Environment variable: the most megabytes that `load_or_build` keeps, 0 for none.
LIMIT_VARIABLE = "RUNOUT_CACHE_MB"
_DEFAULT_LIMIT_MB = "1000"

_ROOT = Path(__file__).parent
_STATED_DIGEST = "sha256"
_KEY_DIGITS = 16


def cache_directory() -> Path:
    """Returns where caches live: ``$RUNOUT_CACHE``, else ``runout`` in the user's cache folder."""
    chosen = os.environ.get("RUNOUT_CACHE")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "runout"


def find_write_problem(directory: Path) -> str | None:
    """Returns why files cannot be kept in a directory, None if they can; makes it if need be.

    They cannot if others could have put files there: compiled code is run when it is read.
    """
    try:
        _make_private(directory)
        with tempfile.TemporaryFile(dir=directory):
            return find_intruder(directory)
    except OSError as error:
        return error.strerror or str(error)


def _make_private(directory: Path) -> None:
    try:
        directory.mkdir(mode=0o700, exist_ok=True)
    except FileNotFoundError:
        _make_private(directory.parent)
        directory.mkdir(mode=0o700, exist_ok=True)


def find_intruder(directory: Path) -> str | None:
    """Returns how others than the user, root and the owner of ``/`` could have put files there."""
    if not hasattr(os, "geteuid"):
        return None  # on Windows, where a user's folders are private
    trusted = {0, os.geteuid(), os.stat("/").st_uid}

    def problem_of(place: str | Path, status: os.stat_result, writable_by: int) -> str | None:
        if status.st_uid not in trusted:
            return f"{place} belongs to user {status.st_uid}"
        is_open = status.st_mode & writable_by and not stat.S_ISLNK(status.st_mode)
        return f"others may write to {place}" if is_open else None

    real = Path(os.path.realpath(directory))
    places = [*directory.absolute().parents, real, *real.parents]
    for place, status in ((place, os.stat(place)) for place in places):
        is_sticky = place != real and status.st_mode & stat.S_ISVTX  # its files have owners
        if found := problem_of(place, status, 0 if is_sticky else 0o022):
            return found
    # What others cannot reach, they cannot write to.
    writable_by = 0o022 if os.stat(real).st_mode & 0o077 else 0
    for folder, folders, files in os.walk(real):
        for name in (*folders, *files):
            inside = os.path.join(folder, name)
            with suppress(FileNotFoundError):  # another process has removed it
                if found := problem_of(inside, os.lstat(inside), writable_by):
                    return found
    return None


@contextmanager
def only_writer(directory: Path) -> Iterator[None]:
    """Waits until no other process is inside this block for the same directory.

    Windows and some network file systems have no locks; there it does not wait.
    """
    _make_private(directory)
    descriptor = os.open(directory / ".lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if fcntl is not None:
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


def load_arrays(path: Path, digest: str | None = None) -> Arrays:
    """Reads read-only arrays; refuses a file that is damaged or has another digest.

    Without a digest it must have the one that it states.
    """
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays = {name: read_only(archive[name]) for name in archive}
        wanted = digest or arrays.pop(_STATED_DIGEST).tobytes().hex()
    except Exception as error:  # damaged zips raise whatever the damage makes zipfile believe
        raise TableError(str(path), f"cannot be read ({error})") from error
    found = digest_arrays(arrays)
    if found != wanted:
        raise TableError(str(path), f"has digest {found}, this version needs {wanted}")
    return arrays


def load_or_build(name: str, facts: Mapping[str, Any], build: Callable[[], Arrays]) -> Arrays:
    """Returns the read-only arrays that facts decide, built if the cache does not have them.

    A cache that cannot be written costs time in the next process too, but no result in this one.

    Args:
        name: a folder and the beginning of a file name, ``buckets/AhKd7s``.
        facts: all that ``build`` depends on, as JSON; `digest_sources` stands for its code.
        build: makes the arrays.
    """
    if not (limit := kept_limit()) or _has_intruder(kept_directory()):
        return {key: read_only(array) for key, array in build().items()}
    decisive = json.dumps({"facts": facts, "numpy": np.__version__}, sort_keys=True)
    key = hashlib.sha256(decisive.encode()).hexdigest()
    path = kept_directory() / f"{name}-{key[:_KEY_DIGITS]}.npz"
    try:
        arrays = load_arrays(path)
        with suppress(OSError):
            os.utime(path)  # used now
    except TableError:
        arrays = {key: read_only(array) for key, array in build().items()}
        with suppress(OSError):
            _save_arrays(path, arrays)
            _drop_oldest(limit)
    return arrays


@cache
def _has_intruder(directory: Path) -> bool:
    return directory.is_dir() and find_intruder(directory) is not None


def kept_directory() -> Path:
    """Returns where `load_or_build` keeps its files, in a folder for each kind."""
    return cache_directory() / "kept"


def kept_limit() -> int:
    """Returns how many bytes are kept at most; text that is not a number means the default."""
    given = os.environ.get(LIMIT_VARIABLE, "")
    return int(given if given.isdecimal() else _DEFAULT_LIMIT_MB) * 10**6


def kept_files() -> dict[Path, os.stat_result]:
    """Returns the files that are kept, the least recently used first."""
    found = {}
    for path in kept_directory().glob("*/*"):
        with suppress(OSError):  # another process has removed it
            found[path] = path.stat()
    return dict(sorted(found.items(), key=lambda item: item[1].st_mtime_ns))


def _drop_oldest(limit: int) -> None:
    """Removes kept files until the others have at most ``limit`` bytes."""
    files = kept_files()
    total = sum(file.st_size for file in files.values())
    for path, file in files.items():
        if total <= limit:
            return
        path.unlink(missing_ok=True)
        total -= file.st_size


def _save_arrays(path: Path, arrays: Arrays) -> None:
    """Writes arrays and their digest as one compressed file, either complete or absent."""
    stated = {_STATED_DIGEST: np.frombuffer(bytes.fromhex(digest_arrays(arrays)), dtype=np.uint8)}
    _make_private(path.parent)
    with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".part", delete=False) as part:
        try:
            np.savez_compressed(part, allow_pickle=False, **{**arrays, **stated})
            part.close()
            os.replace(part.name, path)
        except BaseException:
            os.unlink(part.name)
            raise


@cache
def digest_sources(*packages: str) -> str:
    """Returns the sha256 of all modules of some of our packages: any edit changes it."""
    files = sorted(path for name in packages for path in (_ROOT / name).glob("*.py"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()
