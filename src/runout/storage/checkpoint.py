"""Finished tasks of a run that may be interrupted, one file each, so that it can go on later.

An entry is written under a temporary name and renamed, and states the sha256 of the rest of it:

    sha256 in hexadecimal, newline
    {"key": ..., "run_digest": ..., "arrays": [names]} in one line, newline
    the arrays, as in .npy files, one after the other
"""

import hashlib
import io
import json
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import numpy as np

from runout.arrays import AnyArray, read_only
from runout.errors import BundleError, quote, shorten
from runout.storage.files import replace_file, reporting_os_errors
from runout.storage.manifest import MAX_HEADER_BYTES, format_json

RUN_FILE = "run.json"
ENTRY_ENDING = ".checkpoint"

_MAX_READABLE_LETTERS = 60
_NUM_DIGEST_DIGITS = 16
_PART_PATTERN = re.compile(r"\..+\.part-[0-9a-f]{8}")
_SECONDS_UNTIL_ABANDONED = 3600.0  # an entry takes seconds to write

Damage = Callable[[BundleError], None]


def _read_array(stream: io.BytesIO) -> AnyArray:
    return np.lib.format.read_array(stream, allow_pickle=False, max_header_size=MAX_HEADER_BYTES)


def ignore_damage(error: BundleError) -> None:
    """The sink of callers who only want to know what is left."""


class CheckpointDirectory:
    """The results of one run's finished tasks, by task key.

    Any number of threads and processes may use one directory at a time, each with an object of its
    own or a shared one. If two save the same key, the later one stays.
    """

    def __init__(
        self,
        path: Path | str,
        run_digest: str,
        *,
        clear_other_run: bool = False,
        on_damage: Damage = ignore_damage,
    ) -> None:
        """Opens the directory, or makes it.

        Args:
            path: the directory.
            run_digest: stands for everything that a task's result depends on, besides its key.
            clear_other_run: whether to remove the results of a run with another digest.
            on_damage: is told of every damaged entry that is met; it counts as never written.

        Raises:
            BundleError: if the directory cannot be written, or belongs to another run.
        """
        self._path = Path(path)
        self._run_digest = run_digest
        self._on_damage = on_damage
        with reporting_os_errors(self._path, "written"):
            self._path.mkdir(parents=True, exist_ok=True)
            self._claim(clear_other_run)
            self._remove_parts(_SECONDS_UNTIL_ABANDONED)

    def has(self, key: str) -> bool:
        """Returns whether there is an undamaged result of the task; reads all of it."""
        return self._read_or_report(self._file(key)) is not None

    def load(self, key: str) -> Mapping[str, AnyArray]:
        """Returns the task's arrays, read-only and in memory.

        Raises:
            BundleError: if the task has no result or a damaged one.
        """
        return self._read(self._file(key))[1]

    def save(self, key: str, arrays: Mapping[str, AnyArray]) -> None:
        """Keeps the arrays as the result of the task; returns when they are on the disk.

        Raises:
            BundleError: if an array holds Python objects, or the disk is full.
        """
        facts = {"key": key, "run_digest": self._run_digest, "arrays": list(arrays)}
        body = io.BytesIO()
        body.write(format_json("checkpoint", facts, indent=None).encode() + b"\n")
        for name, array in arrays.items():
            if array.dtype.hasobject:
                raise BundleError(f"array {name!r}", f"dtype {array.dtype} holds Python objects")
            np.lib.format.write_array(body, np.asanyarray(array), allow_pickle=False)
        digest = hashlib.sha256(body.getbuffer()).hexdigest()
        file = self._file(key)
        with reporting_os_errors(file, "written"):
            replace_file(file, digest.encode() + b"\n" + body.getbuffer())

    def recall(
        self, key: str, compute: Callable[[], Mapping[str, AnyArray]]
    ) -> Mapping[str, AnyArray]:
        """Returns the task's arrays, which ``compute`` makes if there is no undamaged result.

        Raises:
            BundleError: if new arrays cannot be saved.
        """
        entry = self._read_or_report(self._file(key))
        if entry is not None:
            return entry[1]
        arrays = compute()
        self.save(key, arrays)
        return arrays

    def keys(self) -> frozenset[str]:
        """Returns the keys of all tasks with an undamaged result; reads all of them."""
        entries = (self._read_or_report(file) for file in self._entry_files())
        return frozenset(entry[0] for entry in entries if entry is not None)

    def remove(self) -> None:
        """Removes all results, and the directory if nothing else is in it.

        Raises:
            BundleError: if the system refuses.
        """
        with reporting_os_errors(self._path, "removed"):
            self._remove_parts(older_than_seconds=0.0)
            self._remove_files()
            with suppress(OSError):
                self._path.rmdir()

    def _file(self, key: str) -> Path:
        """Returns a file name that tells people the key, and is its own for every key."""
        readable = re.sub("[^A-Za-z0-9._-]+", "_", key)[:_MAX_READABLE_LETTERS].lstrip(".")
        digest = hashlib.sha256(key.encode()).hexdigest()[:_NUM_DIGEST_DIGITS]
        return self._path / f"{readable}-{digest}{ENTRY_ENDING}"

    def _entry_files(self) -> Iterator[Path]:
        with reporting_os_errors(self._path, "read"):
            files = sorted(self._path.iterdir())
        return (file for file in files if file.name.endswith(ENTRY_ENDING))

    def _read_or_report(self, file: Path) -> tuple[str, Mapping[str, AnyArray]] | None:
        if not file.exists():
            return None
        try:
            return self._read(file)
        except BundleError as error:
            self._on_damage(error)
            return None

    def _read(self, file: Path) -> tuple[str, Mapping[str, AnyArray]]:
        with reporting_os_errors(file, "read"):
            stated, _, body = file.read_bytes().partition(b"\n")
        if hashlib.sha256(body).hexdigest().encode() != stated:
            raise BundleError(
                str(file), "is damaged, its contents do not have the digest it states"
            )
        stream = io.BytesIO(body)
        try:
            facts = json.loads(stream.readline())
            key, run_digest = facts["key"], facts["run_digest"]
            arrays = {name: read_only(_read_array(stream)) for name in facts["arrays"]}
            is_own = run_digest == self._run_digest and self._file(key) == file
        except Exception as error:  # numpy reports damaged headers in many ways
            problem = f"is no checkpoint of this version ({shorten(str(error))})"
            raise BundleError(str(file), problem) from error
        if not is_own:
            raise BundleError(
                str(file), f"was copied here, it is task {quote(key)} of run {run_digest}"
            )
        return key, arrays

    def _claim(self, clear_other_run: bool) -> None:
        """Makes the directory that of this run, unless it is that of another.

        Entries without ``run.json`` are left alone: each states its run, and another process of
        this one may just have begun.
        """
        file = self._path / RUN_FILE
        found: object = None
        if file.exists():
            try:
                found = json.loads(file.read_bytes())["run_digest"]
                problem = f"belongs to run {found}, this is run {self._run_digest}"
            except (ValueError, LookupError, TypeError) as error:
                problem = f"has a damaged {RUN_FILE} ({error})"
            if found == self._run_digest:
                return
            if not clear_other_run:
                raise BundleError(str(self._path), f"{problem}; clear it or use another directory")
            self._remove_files()
        run = format_json("run digest", {"run_digest": self._run_digest}, indent=None)
        replace_file(file, run.encode())

    def _remove_files(self) -> None:
        for file in [*self._entry_files(), self._path / RUN_FILE]:
            file.unlink(missing_ok=True)

    def _remove_parts(self, older_than_seconds: float) -> None:
        """Removes entries that killed processes did not write to their end."""
        oldest = time.time() - older_than_seconds
        for file in self._path.iterdir():
            if _PART_PATTERN.fullmatch(file.name):
                with suppress(OSError):  # finished or removed by another process just now
                    if os.stat(file).st_mtime <= oldest:
                        file.unlink()
