"""The finished tasks of a run, and the process that works on each of the others.

A ledger is a directory with one file for each finished task. An entry is written under a temporary
name and renamed, and states the sha256 of the rest of it:

    sha256 in hexadecimal, newline
    {"id", "key", "arrays": [names], "sha256", "measured", "record"} in one line, newline
    the arrays, as in .npy files, one after the other

The second sha256 covers the arrays alone, and is the same on every machine; the record says which
process computed them, when and for how long.

Ownership is a lock (`PathLock`) that ends with its process: of a result, on the file ``.NAME.lock``
next to it; of a task, on a file in the ledger. Files that killed processes left do no harm.
"""

import hashlib
import io
import os
import re
import socket
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from runout.arrays import Arrays, read_only
from runout.errors import BundleError, quote, shorten
from runout.storage.bundle import MAX_HEADER_BYTES, format_json, parse_json
from runout.storage.files import (
    PathLock,
    local_path,
    open_regular,
    replace_file,
    reporting_os_errors,
)

CLAIM_ENDING = ".claim"
SECONDS_BETWEEN_SIGNS = 10.0
SECONDS_UNTIL_TAKEN_OVER = 60.0

_NUM_LOOKS = 50  # at a lock whose owner may be about to share it
_SECONDS_BETWEEN_LOOKS = 0.01

ENTRY_ENDING = ".result"
_NUM_DIGEST_DIGITS = 64
#: Of key, digest, the fields of a record, and the digest of the arrays.
_TYPES = [str, str, str, int, float, int, float, str]

_MAX_READABLE_LETTERS = 60
_PART_PATTERN = re.compile(r"\..+\.part-[0-9a-f]{8}")
_SECONDS_UNTIL_ABANDONED = 3600.0  # an entry takes seconds to write


@cache
def host_id() -> str:
    """Returns a name of this machine or container: with its own digits, as containers share names.

    Together with the number of a process it is unique.
    """
    facts = f"{uuid.getnode()}"
    with suppress(OSError):  # of Linux: since the machine has started, and where processes count
        boot, numbering = Path("/proc/sys/kernel/random/boot_id"), Path("/proc/self/ns/pid")
        facts = f"{boot.read_text()} {numbering.stat().st_ino}"
    name = re.sub(r"[^A-Za-z0-9.-]+", "-", socket.gethostname())[:_MAX_READABLE_LETTERS]
    return f"{name}-{hashlib.sha256(facts.encode()).hexdigest()[:6]}"


class TaskId(NamedTuple):
    """A task: its key for people, and the sha256 of everything that decides its result."""

    key: str
    digest: str

    @property
    def short_digest(self) -> str:
        """Enough digits for names of files."""
        return self.digest[:16]


@dataclass(frozen=True)
class TaskRecord:
    """The process that finished a task, the seconds it took, the attempt, and when (Unix time)."""

    host: str
    pid: int
    seconds: float
    attempt: int
    finished_at: float

    @classmethod
    def of_this_process(cls, seconds: float, attempt: int = 1) -> "TaskRecord":
        """Returns the record of a task that this process has finished just now."""
        return cls(host_id(), os.getpid(), seconds, attempt, time.time())


@dataclass(frozen=True, eq=False)
class LedgerEntry:
    """A finished task.

    Attributes:
        id: of the task.
        arrays: its results, read-only and in memory.
        measured: times and the like, which differ between runs.
        record: of the process that finished it.
        sha256: of the arrays, with their names.
    """

    id: TaskId
    arrays: Arrays
    measured: Mapping[str, Any]
    record: TaskRecord
    sha256: str


class Ledger:
    """A directory with the results of finished tasks, by id.

    Any number of threads, processes and machines may use one directory at a time. If two save the
    same task, the later one stays; both have the same arrays.
    """

    def __init__(
        self, path: Path | str, *, on_damage: Callable[[BundleError], None] = lambda error: None
    ) -> None:
        """Opens the directory, or makes it; ``on_damage`` gets the errors of damaged entries."""
        self.path = local_path(path)
        self._on_damage = on_damage
        with reporting_os_errors(self.path, "written"):
            self.path.mkdir(parents=True, exist_ok=True)
            self._remove_parts(_SECONDS_UNTIL_ABANDONED)

    def find(self, id: TaskId) -> LedgerEntry | None:
        """Returns a finished task, None if it is not finished, or its entry is damaged."""
        file = self.file_of(id)
        return self._read_or_report(file) if file.exists() else None

    def save(
        self,
        id: TaskId,
        arrays: Arrays,
        record: TaskRecord,
        measured: Mapping[str, Any] | None = None,
        *,
        is_durable: bool = True,
    ) -> None:
        """Keeps the result of a task; durable means on the disk, so that a power cut is no loss."""
        body, file = io.BytesIO(), self.file_of(id)
        for name, array in arrays.items():
            if array.dtype.hasobject:
                raise BundleError(f"array {name!r}", f"dtype {array.dtype} holds Python objects")
            body.write(f"{name}\n".encode())
            np.lib.format.write_array(body, np.asanyarray(array), allow_pickle=False)
        packed = body.getbuffer()
        facts = {
            "id": list(id),
            "arrays": list(arrays),
            "sha256": hashlib.sha256(packed).hexdigest(),
            "measured": dict(measured or {}),
            "record": asdict(record),
        }
        head = format_json("ledger", facts, indent=None).encode() + b"\n"
        digest = hashlib.sha256(head)
        digest.update(packed)
        content = digest.hexdigest().encode() + b"\n" + head + packed
        with reporting_os_errors(file, "written"):
            replace_file(file, content, is_durable=is_durable)

    def entries(self) -> Iterator[LedgerEntry]:
        """Yields all undamaged entries, in the order of their names."""
        with reporting_os_errors(self.path, "read"):
            files = sorted(self.path.glob(f"*{ENTRY_ENDING}"))
        for file in files:
            if (entry := self._read_or_report(file)) is not None:
                yield entry

    def file_of(self, id: TaskId) -> Path:
        """Returns a file name that tells people the key, and is its own for every id."""
        readable = re.sub("[^A-Za-z0-9._-]+", "_", id.key)[:_MAX_READABLE_LETTERS].lstrip(".")
        return self.path / f"{readable}-{id.short_digest}{ENTRY_ENDING}"

    def remove(self) -> None:
        """Removes all results, and the directory if nothing else is in it."""
        with reporting_os_errors(self.path, "removed"):
            self._remove_parts(older_than_seconds=0.0)
            for ending in (ENTRY_ENDING, CLAIM_ENDING):
                for file in self.path.glob(f"*{ending}"):
                    file.unlink(missing_ok=True)
            with suppress(OSError):
                self.path.rmdir()

    def _read_or_report(self, file: Path) -> LedgerEntry | None:
        try:
            entry = _read(file)
            if self.file_of(entry.id) != file:
                raise BundleError(str(file), f"was copied here, it is task {quote(entry.id.key)}")
            return entry
        except BundleError as error:
            self._on_damage(error)
            return None

    def _remove_parts(self, older_than_seconds: float) -> None:
        """Removes entries that killed processes did not write to their end."""
        oldest = time.time() - older_than_seconds
        for file in self.path.iterdir():
            if _PART_PATTERN.fullmatch(file.name):
                with suppress(OSError):  # finished or removed by another process just now
                    if os.stat(file).st_mtime <= oldest:
                        file.unlink()


def _read(file: Path) -> LedgerEntry:
    with reporting_os_errors(file, "read"), open_regular(file) as opened:
        stated = opened.read(_NUM_DIGEST_DIGITS + 1)
        found = hashlib.file_digest(opened, "sha256").hexdigest()  # of whatever size
        if stated != f"{found}\n".encode():
            problem = "is damaged, its contents do not have the digest it states"
            raise BundleError(str(file), problem)
        opened.seek(len(stated))
        stream, arrays = io.BytesIO(opened.read()), {}
    try:
        facts = parse_json(stream.readline())
        for name in facts["arrays"]:
            if stream.readline() != f"{name}\n".encode():
                raise ValueError(f"array {name!r} is not where it should be")
            array = np.lib.format.read_array(stream, max_header_size=MAX_HEADER_BYTES)
            arrays[name] = read_only(array)
        id, record = TaskId(*facts["id"]), TaskRecord(**facts["record"])
        if [type(each) for each in (*id, *vars(record).values(), facts["sha256"])] != _TYPES:
            raise ValueError("its record has other types")
        return LedgerEntry(id, arrays, dict(facts["measured"]), record, facts["sha256"])
    except Exception as error:  # numpy reports damaged headers in many ways
        problem = f"is no result of this version ({shorten(str(error))})"
        raise BundleError(str(file), problem) from error


@contextmanager
def claiming(target: Path, run_digest: str | None = None) -> Iterator[PathLock]:
    """Keeps other processes, and other threads, from working towards the same result.

    Yields the lock, whose `PathLock.is_last` says whether others still work on the same run. The
    target is the directory of the result; its parents are made. Processes with the same
    ``run_digest`` may share it; an error names the process that owns it.
    """
    real = Path(os.path.realpath(local_path(target)))
    lock = PathLock(real.with_name(f".{real.name}.lock"), is_file=True)
    with reporting_os_errors(target, "written"):
        real.parent.mkdir(parents=True, exist_ok=True)
        _join(lock, target, run_digest)
    try:
        yield lock
    finally:
        lock.release(removes_file=lock.is_last())


def _join(lock: PathLock, target: Path, run_digest: str | None) -> None:
    """Takes the lock of a result, alone or with others of the same run."""
    owner = ""
    for _ in range(1 if run_digest is None else _NUM_LOOKS):
        if lock.acquire(waits=False):
            with suppress(OSError):  # on a full disk the process has no name, that is all
                lock.write_note(f"{os.getpid()}@{host_id()} {run_digest or ''}")
            if run_digest is None or lock.acquire(waits=False, is_shared=True):
                return
        is_shared = run_digest is not None and lock.acquire(waits=False, is_shared=True)
        owner, _, digest = lock.read_note().partition(" ")
        if is_shared and digest == run_digest:
            return
        lock.release()
        if digest and digest != run_digest:
            break
        time.sleep(_SECONDS_BETWEEN_LOOKS)
    pid, _, host = owner.partition("@")
    other = f"process {pid}" if pid.isdecimal() else "another process"
    other += f" on {host}" if host not in ("", host_id()) else ""
    problem = f"{other} is working on it; wait until it ends or choose another directory"
    raise BundleError(str(target), problem)


class TaskClaims:
    """The tasks of a ledger that this process works on; threads may share it.

    A claim is a locked file next to the results. It is touched every few seconds: the lock of a
    machine that is gone may outlive it on a file server, and is taken over after a while. Two
    processes that do the same task all the same cost time and nothing else.
    """

    def __init__(self, directory: Path) -> None:
        """Claims nothing yet in the directory of a ledger."""
        self._directory = directory
        self._lock = threading.Lock()
        self._claims: dict[str, PathLock] = {}

    @contextmanager
    def showing_signs_of_life(self) -> Iterator["TaskClaims"]:
        """Keeps claims in force while the block runs, and gives them all back in the end."""
        is_over = threading.Event()

        def show_signs() -> None:
            while not is_over.wait(SECONDS_BETWEEN_SIGNS):
                with self._lock:
                    files = [claim.path for claim in self._claims.values()]
                for file in files:
                    with suppress(OSError):
                        os.utime(file)

        thread = threading.Thread(target=show_signs, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            is_over.set()
            thread.join()
            for name in list(self._claims):
                self.release(name)

    def take(self, name: str) -> bool:
        """Claims a task, unless another process has it; returns whether it is ours now."""
        with self._lock:
            if name in self._claims:
                return True
        claim = PathLock(self._directory / f"{name}{CLAIM_ENDING}", is_file=True)
        with reporting_os_errors(claim.path, "written"):
            if not (claim.acquire(waits=False) or self._take_over(claim)):
                claim.release()
                return False
            with suppress(FileNotFoundError):  # where there are no locks
                os.utime(claim.path)
        with self._lock:
            self._claims[name] = claim
        return True

    def release(self, name: str) -> None:
        """Gives a claim back, if it is ours."""
        with self._lock:
            claim = self._claims.pop(name, None)
        if claim is not None:
            claim.release(removes_file=True)

    def _take_over(self, claim: PathLock) -> bool:
        """Claims what others have claimed who have shown no sign of life for a while."""
        with PathLock(self._directory):  # one at a time
            # By the clock of the file system, which may be another machine's.
            with suppress(FileNotFoundError), tempfile.TemporaryFile(dir=self._directory) as probe:
                age = os.fstat(probe.fileno()).st_mtime - claim.path.stat().st_mtime
                if age <= SECONDS_UNTIL_TAKEN_OVER:
                    return False
            claim.path.unlink(missing_ok=True)
            return claim.acquire(waits=False)
