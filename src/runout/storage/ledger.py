"""What is done of a run, and which process works on the rest."""

import hashlib
import io
import json
import os
import re
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from runout.arrays import AnyArray, read_only
from runout.cache import Arrays
from runout.errors import BundleError, quote, shorten
from runout.storage.bundle import MAX_HEADER_BYTES, format_json
from runout.storage.files import DirectoryLock, make_token, replace_file, reporting_os_errors

# --------------------------------------------------------------------------------------------------
# Who works towards a result: one process, or several that share its ledger.
#
# The lock is a file ``.NAME.lock`` next to the result. It holds as long as a process lives, however
# that ends; a file that a killed process left behind is in nobody's way.


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


# --------------------------------------------------------------------------------------------------
# Who is working on which task of a ledger, so that processes on one directory share the work.
#
# A claim is a small file next to the results. It is in force while its process lives: on this
# machine that is looked up, of others the file is touched every few seconds, and one that was not
# for a while is taken over. Two processes that do the same task all the same cost time and nothing
# else.


CLAIM_ENDING = ".claim"

SECONDS_BETWEEN_SIGNS = 10.0
SECONDS_UNTIL_TAKEN_OVER = 60.0

_ENDED_STATES = ("Z", "X")  # killed, and not yet noticed by its parent
_STARTED_AT = 19  # the place of a process' time of birth in /proc/PID/stat, behind its name


class TaskClaims:
    """The tasks of a ledger that this process works on; threads may share it."""

    def __init__(self, directory: Path) -> None:
        """Claims nothing yet.

        Args:
            directory: of the ledger.
        """
        self._directory = directory
        self._lock = threading.Lock()
        self._files: dict[str, Path] = {}
        self._is_over = threading.Event()

    @contextmanager
    def showing_signs_of_life(self) -> Iterator["TaskClaims"]:
        """Keeps claims in force while the block runs, and gives them all back in the end."""
        thread = threading.Thread(target=self._show_signs, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._is_over.set()
            thread.join()
            for name in list(self._files):
                self.release(name)

    def take(self, name: str) -> bool:
        """Claims a task, unless somebody is at it; returns whether it is ours now.

        Raises:
            BundleError: if no file can be written.
        """
        with self._lock:
            if name in self._files:
                return True
        file = self._directory / f"{name}{CLAIM_ENDING}"
        with reporting_os_errors(file, "written"):
            if not _create(file):
                with DirectoryLock(self._directory):  # one at a time takes over
                    if not _is_abandoned(file):
                        return False
                    file.unlink(missing_ok=True)
                    if not _create(file):
                        return False
        with self._lock:
            self._files[name] = file
        return True

    def release(self, name: str) -> None:
        """Gives a claim back, if it is ours."""
        with self._lock:
            file = self._files.pop(name, None)
        if file is not None:
            with suppress(OSError):  # the ledger is gone, and the claim with it
                file.unlink()

    def _show_signs(self) -> None:
        while not self._is_over.wait(SECONDS_BETWEEN_SIGNS):
            with self._lock:
                files = list(self._files.values())
            for file in files:
                with suppress(OSError):
                    os.utime(file)


def _create(file: Path) -> bool:
    """Makes a claim with its content in one step; returns whether there was none."""
    part = file.with_name(f".{file.name}.part-{make_token()}")
    content = json.dumps(
        {"host": socket.gethostname(), "pid": os.getpid(), "born": _birth_of(os.getpid())}
    )
    part.write_text(content)
    try:
        os.link(part, file)
        return True
    except FileExistsError:
        return False
    except OSError:  # a file system without links
        return _create_in_two_steps(file, content)
    finally:
        part.unlink()


def _create_in_two_steps(file: Path, content: str) -> bool:
    try:
        with file.open("x") as stream:
            stream.write(content)
        return True
    except FileExistsError:
        return False


def _is_abandoned(file: Path) -> bool:
    """Returns whether nobody is at a task any more, however its process ended."""
    probe = file.with_name(f".{file.name}.part-{make_token()}")
    try:
        owner: dict[str, Any] = json.loads(file.read_text())
        if owner["host"] == socket.gethostname():
            return not _is_alive(int(owner["pid"]), owner["born"])
    except FileNotFoundError:
        return True
    except (ValueError, LookupError, TypeError):
        pass  # not finished, or damaged: its age decides
    try:
        probe.touch()  # the clock of the file system, which may be another machine's
        age = probe.stat().st_mtime - file.stat().st_mtime
    except FileNotFoundError:
        return True
    finally:
        probe.unlink(missing_ok=True)
    return age > SECONDS_UNTIL_TAKEN_OVER


def _is_alive(pid: int, born: str | None) -> bool:
    """Returns whether a process of this machine lives, and is not another with its number."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # somebody else's
    return _birth_of(pid) == born


def _birth_of(pid: int) -> str | None:
    """Returns when a process of this machine was started, in the system's unit; None if unknown."""
    with suppress(OSError, IndexError):
        facts = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return "ended" if facts[0] in _ENDED_STATES else facts[_STARTED_AT]
    return None


# --------------------------------------------------------------------------------------------------
# What is done of a run: one file for each finished task, and who is at the others.
#
# An entry is written under a temporary name and renamed, and states the sha256 of the rest of it:
#
#     sha256 in hexadecimal, newline
#     {"id", "key", "arrays": [names], "sha256", "measured", "record"} in one line, newline
#     the arrays, as in .npy files, one after the other
#
# The second sha256 is that of the arrays alone. It is the same whoever has computed them; who that
# was, when and for how long is in the record.


ENTRY_ENDING = ".result"

_MAX_READABLE_LETTERS = 60
_NUM_ID_DIGITS = 16
_PART_PATTERN = re.compile(r"\..+\.part-[0-9a-f]{8}")
_SECONDS_UNTIL_ABANDONED = 3600.0  # an entry takes seconds to write

Damage = Callable[[BundleError], None]


class TaskId(NamedTuple):
    """Which task an entry belongs to.

    Attributes:
        key: for people.
        digest: 64 hexadecimal digits that stand for everything that decides its result.
    """

    key: str
    digest: str


class Receipt(NamedTuple):
    """What a worker returns instead of a result.

    Attributes:
        digest: the id of the task.
        num_bytes: of the entry.
        sha256: of the arrays, with their names.
    """

    digest: str
    num_bytes: int
    sha256: str


@dataclass(frozen=True)
class TaskRecord:
    """Who has finished a task, and how.

    Attributes:
        host: the name of the machine.
        pid: the process.
        seconds: from its beginning to its result.
        attempt: the number of the try that succeeded.
        finished_at: seconds since 1970.
    """

    host: str
    pid: int
    seconds: float
    attempt: int
    finished_at: float

    @classmethod
    def of_this_process(cls, seconds: float, attempt: int = 1) -> "TaskRecord":
        """Returns the record of a task that this process has finished just now."""
        return cls(socket.gethostname(), os.getpid(), seconds, attempt, time.time())


@dataclass(frozen=True, eq=False)
class LedgerEntry:
    """A finished task.

    Attributes:
        id: which.
        arrays: what it found, read-only and in memory.
        measured: what another run would measure differently.
        record: who has finished it.
        sha256: of the arrays, with their names.
    """

    id: TaskId
    arrays: Arrays
    measured: Mapping[str, Any]
    record: TaskRecord
    sha256: str


def ignore_damage(error: BundleError) -> None:
    """The sink of callers who only want to know what is left."""


class Ledger:
    """A directory with the results of finished tasks, by id.

    Any number of threads, processes and machines may use one directory at a time. If two save the
    same task, the later one stays; both have the same arrays.
    """

    def __init__(self, path: Path | str, *, on_damage: Damage = ignore_damage) -> None:
        """Opens the directory, or makes it.

        Args:
            path: the directory.
            on_damage: is told of every damaged entry that is met; it counts as never written.

        Raises:
            BundleError: if the directory cannot be written.
        """
        self.path = Path(path)
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
    ) -> Receipt:
        """Keeps the result of a task.

        Args:
            id: which task.
            arrays: what it found.
            record: who has finished it.
            measured: what another run would measure differently; goes into JSON.
            is_durable: whether to wait until it is on the disk, so that a power cut cannot undo it.

        Raises:
            BundleError: if an array holds Python objects, or the disk is full.
        """
        packed = _pack(arrays)
        sha256 = hashlib.sha256(packed.getbuffer()).hexdigest()
        facts = {
            "id": list(id),
            "arrays": list(arrays),
            "sha256": sha256,
            "measured": dict(measured or {}),
            "record": asdict(record),
        }
        head = format_json("ledger", facts, indent=None).encode() + b"\n"
        digest = hashlib.sha256(head)
        digest.update(packed.getbuffer())
        file = self.file_of(id)
        content = digest.hexdigest().encode() + b"\n" + head + packed.getbuffer()
        with reporting_os_errors(file, "written"):
            replace_file(file, content, is_durable=is_durable)
        return Receipt(id.digest, len(content), sha256)

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
        return self.path / f"{readable}-{id.digest[:_NUM_ID_DIGITS]}{ENTRY_ENDING}"

    def remove(self) -> None:
        """Removes all results, and the directory if nothing else is in it.

        Raises:
            BundleError: if the system refuses.
        """
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


def _pack(arrays: Arrays) -> io.BytesIO:
    """Returns names and arrays, one after the other."""
    body = io.BytesIO()
    for name, array in arrays.items():
        if array.dtype.hasobject:
            raise BundleError(f"array {name!r}", f"dtype {array.dtype} holds Python objects")
        body.write(f"{name}\n".encode())
        np.lib.format.write_array(body, np.asanyarray(array), allow_pickle=False)
    return body


def _unpack(stream: io.BytesIO, names: list[str]) -> Arrays:
    arrays = {}
    for name in names:
        if stream.readline() != f"{name}\n".encode():
            raise ValueError(f"array {name!r} is not where it should be")
        arrays[name] = read_only(_read_array(stream))
    return arrays


def _read_array(stream: io.BytesIO) -> AnyArray:
    return np.lib.format.read_array(stream, allow_pickle=False, max_header_size=MAX_HEADER_BYTES)


def _read(file: Path) -> LedgerEntry:
    with reporting_os_errors(file, "read"):
        stated, _, body = file.read_bytes().partition(b"\n")
    if hashlib.sha256(body).hexdigest().encode() != stated:
        raise BundleError(str(file), "is damaged, its contents do not have the digest it states")
    stream = io.BytesIO(body)
    try:
        facts = json.loads(stream.readline())
        return LedgerEntry(
            TaskId(*facts["id"]),
            _unpack(stream, facts["arrays"]),
            facts["measured"],
            TaskRecord(**facts["record"]),
            facts["sha256"],
        )
    except Exception as error:  # numpy reports damaged headers in many ways
        problem = f"is no result of this version ({shorten(str(error))})"
        raise BundleError(str(file), problem) from error
