"""Writing bundles, and saving long work while it goes on."""

import hashlib
import os
import re
import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from runout.arrays import AnyArray, read_only
from runout.errors import BundleError, RunoutError
from runout.storage.bundle import (
    BLOCK_BYTES,
    BLOCKS_FILE,
    CONFIG_FILE,
    MANIFEST_FILE,
    NAME_PATTERN,
    NAME_RULE,
    NUMBER_KINDS,
    ArrayEntry,
    BlocksEntry,
    FileEntry,
    Manifest,
    build_manifest,
    digest_config,
    format_dtype,
    format_json,
)
from runout.storage.files import StagingDirectory, reporting_os_errors
from runout.version import __version__


def write_bundle(
    path: Path | str,
    *,
    arrays: Mapping[str, AnyArray],
    documents: Mapping[str, Any] | None = None,
    **facts: Any,
) -> Manifest:
    """Writes a bundle of arrays, and of small values for JSON files, that are in memory, by name.

    The other arguments are those of `BundleWriter`, such as ``kind`` and ``schema_version``. A
    `BundleError` leaves what was at ``path`` untouched.
    """
    with BundleWriter(path, **facts) as writer:
        for name, array in arrays.items():
            writer.add_array(name, array)
        for name, document in (documents or {}).items():
            writer.add_document(name, document)
        return writer.commit()


class BundleWriter:
    """A bundle in the making, which exists once `commit` returns and not before.

    Example:
        >>> with BundleWriter("out", kind="demo", schema_version=1) as writer:
        ...     values = writer.create_array("values", (1000, 169, 169), np.float32)
        ...     values[:] = 0.5
        ...     manifest = writer.commit()

    Leaving the ``with`` block without `commit`, by an exception or not, removes everything.
    """

    def __init__(
        self,
        path: Path | str,
        *,
        kind: str,
        schema_version: int,
        seed: int | None = None,
        config_text: str | None = None,
        config_digest: str | None = None,
        measured: Collection[str] = (),
        overwrite: bool = False,
    ) -> None:
        """Notes what to write, see `Manifest`; nothing touches the disk before the ``with`` block.

        Args:
            path: the directory that the bundle will be.
            kind: what it holds.
            schema_version: version of that kind's arrays and documents.
            seed: the run's seed, if it has one.
            config_text: the config as the user gave it, kept word for word.
            config_digest: names the config in the manifest; that of ``config_text`` if not given.
            measured: arrays and documents that hold times or other measurements, which differ
                between runs with equal results; the content digest leaves them out.
            overwrite: whether to replace a bundle that is at ``path``.
        """
        self._path = Path(path)
        self._config_text = config_text
        if config_digest is None and config_text is not None:
            config_digest = digest_config(config_text)
        self._facts: dict[str, Any] = {
            "kind": kind,
            "schema_version": schema_version,
            "package_version": __version__,
            "seed": seed,
            "config_digest": config_digest,
            "config": None,
            "arrays": {},
            "documents": {},
        }
        self._measured = frozenset(measured)
        build_manifest(**self._facts)  # what cannot be stored fails now, not after a long run
        self._overwrite = overwrite
        # Digests are added at commit.
        self._arrays: dict[str, tuple[str, tuple[int, ...]]] = {}
        self._documents: list[str] = []
        self._staging: StagingDirectory | None = None
        self._created: list[np.memmap[Any, Any]] = []

    def create_array(
        self, name: str, shape: Sequence[int], dtype: npt.DTypeLike
    ) -> npt.NDArray[Any]:
        """Returns a new array of zeros that lives in its file, to be filled before `commit`.

        The disk space is reserved at once where the system can do that: a full disk is an error
        here, and not a killed process on some later assignment. `commit` makes the array read-only.
        On Windows the array must be deleted (``del``) before `commit`.
        """
        file = self._new_file(name, ".npy", np.dtype(dtype))
        plain_shape = tuple(map(int, shape))  # numpy would write "np.int64(3)" into the header
        with reporting_os_errors(self._path, "written"):
            array = np.lib.format.open_memmap(file, "w+", np.dtype(dtype), plain_shape)
            if hasattr(os, "posix_fallocate"):
                with file.open("r+b") as opened:
                    os.posix_fallocate(opened.fileno(), 0, file.stat().st_size)
        self._arrays[name] = (format_dtype(array.dtype), array.shape)
        self._created.append(array)
        return array

    def add_array(self, name: str, array: AnyArray) -> None:
        """Writes a copy of ``array``."""
        file = self._new_file(name, ".npy", array.dtype)
        with reporting_os_errors(self._path, "written"), file.open("xb") as opened:
            np.lib.format.write_array(opened, np.asarray(array), allow_pickle=False)
        self._arrays[name] = (format_dtype(array.dtype), array.shape)

    def add_document(self, name: str, document: Any) -> None:
        """Writes a small value as JSON (without NaN); tuples come back as lists."""
        file = self._new_file(name, ".json")
        if file.name == MANIFEST_FILE:
            raise BundleError(f"document {name!r}", "is the name of the manifest, choose another")
        text = format_json(f"document {name!r}", document, indent=2)
        self._write_text(file.name, text + "\n")
        self._documents.append(name)

    def commit(self) -> Manifest:
        """Computes all digests, writes the manifest and gives the bundle its name."""
        staging = self._require_staging()
        with reporting_os_errors(self._path, "written"):
            for array in self._created:
                array.flush()
                read_only(array)
            self._created.clear()
            if self._config_text is not None:
                self._write_text(CONFIG_FILE, self._config_text)
            blocks = bytearray()
            arrays = {
                name: ArrayEntry(
                    dtype=dtype, shape=shape, **dict(self._entry(f"{name}.npy", blocks))
                )
                for name, (dtype, shape) in self._arrays.items()
            }
            (staging.path / BLOCKS_FILE).write_bytes(blocks)
            listed = BlocksEntry(block_bytes=BLOCK_BYTES, **dict(self._entry(BLOCKS_FILE)))
            documents = {name: self._entry(f"{name}.json") for name in self._documents}
            config = None if self._config_text is None else self._entry(CONFIG_FILE)
        contents = [
            {name: entries[name].sha256 for name in entries if name not in self._measured}
            for entries in (arrays, documents)
        ]
        facts = [self._facts["kind"], self._facts["schema_version"], *contents]
        self._facts |= {"config": config, "arrays": arrays, "documents": documents}
        self._facts["blocks"] = listed
        manifest = build_manifest(**self._facts, content_digest=digest_config({"contents": facts}))
        self._write_text(MANIFEST_FILE, manifest.model_dump_json(indent=2) + "\n")
        staging.publish()
        self._close()
        return manifest

    def __enter__(self) -> "BundleWriter":
        self._staging = StagingDirectory(self._path, MANIFEST_FILE, self._overwrite)
        return self

    def __exit__(self, *exception: object) -> None:
        self._close()

    def _close(self) -> None:
        self._created.clear()
        if self._staging is not None:
            self._staging.close()
            self._staging = None

    def _require_staging(self) -> StagingDirectory:
        if self._staging is None:
            raise RuntimeError("a BundleWriter writes inside its with block, until commit")
        return self._staging

    def _new_file(self, name: str, ending: str, dtype: np.dtype[Any] | None = None) -> Path:
        file = self._require_staging().path / f"{name}{ending}"
        if dtype is not None and dtype.kind not in NUMBER_KINDS:
            raise BundleError(f"array {name!r}", f"dtype {dtype} holds no numbers")
        if not re.fullmatch(NAME_PATTERN, name):
            raise BundleError(repr(name), f"is no name for a file, use {NAME_RULE}")
        if file.exists():
            raise BundleError(repr(name), f"{file.name} is in this bundle already")
        return file

    def _write_text(self, file_name: str, text: str) -> None:
        with reporting_os_errors(self._path, "written"):
            (self._require_staging().path / file_name).write_bytes(text.encode())

    def _entry(self, file_name: str, out_blocks: bytearray | None = None) -> FileEntry:
        """Returns size and digest of a file, and adds the digests of its blocks."""
        whole, size = hashlib.sha256(), 0
        with (self._require_staging().path / file_name).open("rb") as opened:
            while block := opened.read(BLOCK_BYTES):
                whole.update(block)
                size += len(block)
                if out_blocks is not None:
                    out_blocks += hashlib.sha256(block).digest()
        return FileEntry(size_bytes=size, sha256=whole.hexdigest())


#: Finishes a save that was begun: digests, waiting for the disk, the final name.
Finish = Callable[[], None]


def begin_bundles(
    bundles: Iterable[tuple[BundleWriter, Callable[[BundleWriter], None]]],
    first: Finish = lambda: None,
) -> Finish:
    """Fills each bundle by its function and returns what commits them, after ``first``.

    Any thread may call that later. If one bundle cannot be written, nothing is left of any.
    """
    with ExitStack() as stack:
        writers = []
        for writer, fill in bundles:
            writers.append(stack.enter_context(writer))
            fill(writer)
        still_open = stack.pop_all()

    def finish() -> None:
        with still_open:
            first()
            for writer in writers:
                writer.commit()

    return finish


_MIN_WORK_PER_PAUSE = 20.0  # so that saving stops the work for at most 5 % of the time


class Autosave:
    """Saves now and then, between two steps of the work.

    A save has two halves. ``begin`` copies the state into files, while the work waits, and returns
    what finishes the save, which a thread does while the work continues. A save that fails is
    reported and tried again the next time: a disk that is full for a while ends no work of hours.

    Example:
        >>> with Autosave(300.0, begin, on_failure) as autosave:
        ...     for step in work:
        ...         step()
        ...         autosave.save_if_due()

    Leaving the ``with`` block waits for a save that is under way.
    """

    def __init__(
        self,
        interval_seconds: float,
        begin: Callable[[], Finish],
        on_failure: Callable[[RunoutError], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Notes what to do; the first save is due an interval after entering the ``with`` block.

        An interval of 0 never saves. ``begin`` raises a `RunoutError` if it cannot save, which
        ``on_failure`` gets in the thread of the work.
        """
        self._interval_seconds = interval_seconds
        self._begin = begin
        self._on_failure = on_failure
        self._clock = clock
        self._due = 0.0
        self._finishing: threading.Thread | None = None
        self._problem: Exception | None = None

    def save_if_due(self) -> None:
        """Begins a save if it is time and the last one is finished."""
        if not self._interval_seconds or self._clock() < self._due:
            return
        if self._finishing is not None and self._finishing.is_alive():
            return
        self._settle()
        started = self._clock()
        try:
            finish = self._begin()
        except RunoutError as error:
            self._on_failure(error)
        else:
            self._finishing = threading.Thread(target=self._finish, args=(finish,))
            self._finishing.start()
        pause = self._clock() - started
        self._due = self._clock() + max(self._interval_seconds, _MIN_WORK_PER_PAUSE * pause)

    def __enter__(self) -> "Autosave":
        self._due = self._clock() + self._interval_seconds
        return self

    def __exit__(self, *exception: object) -> None:
        self._settle()

    def _finish(self, finish: Finish) -> None:
        try:
            finish()
        except Exception as error:  # for the thread of the work
            self._problem = error

    def _settle(self) -> None:
        """Waits for the save under way, and reports its failure."""
        if self._finishing is not None:
            self._finishing.join()
            self._finishing = None
        problem, self._problem = self._problem, None
        if isinstance(problem, RunoutError):
            self._on_failure(problem)
        elif problem is not None:
            raise problem
