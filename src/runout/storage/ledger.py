"""What is done of a run: one file for each finished task, and who is at the others.

An entry is written under a temporary name and renamed, and states the sha256 of the rest of it:

    sha256 in hexadecimal, newline
    {"id", "key", "arrays": [names], "sha256", "measured", "record"} in one line, newline
    the arrays, as in .npy files, one after the other

The second sha256 is that of the arrays alone. It is the same whoever has computed them; who that
was, when and for how long is in the record.
"""

import hashlib
import io
import json
import os
import re
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from runout.arrays import AnyArray, read_only
from runout.cache import Arrays
from runout.errors import BundleError, quote, shorten
from runout.storage.files import replace_file, reporting_os_errors
from runout.storage.manifest import MAX_HEADER_BYTES, format_json
from runout.storage.task_claims import CLAIM_ENDING

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
