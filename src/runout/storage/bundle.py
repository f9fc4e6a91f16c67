"""Reading bundles: directories of memory-mapped arrays, checked against their manifest.

The manifest lists every file with its size and sha256, and ends with a digest of its own other
fields, so that an edited seed is noticed like an edited array. Files that it does not list are
ignored. See docs/storage.md for the layout.
"""

import hashlib
import json
import os
import platform
import shlex
import sys
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from io import BufferedReader
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, TypeVar

import numpy as np
import numpy.typing as npt
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from runout.arrays import AnyArray
from runout.errors import BundleError, RunoutError, quote, shorten
from runout.storage.files import PinnedDirectory, reporting_os_errors

_PROCESSOR_LIST = Path("/proc/cpuinfo")


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Machine(_Record):
    """The machine and the software that computed a result, besides our own code.

    Attributes:
        processor: its model, or at least its instruction set.
        python_version: None, like what follows, in older bundles.
        system: the operating system and its release.
        num_cores: cores of the process, which is how many threads work by default.
        num_workers: threads that the run was told to use, if it was told.
        blas: the linear algebra library, in older bundles; nothing depends on it any more.
    """

    processor: str
    numpy_version: str
    numba_version: str
    python_version: str | None = None
    system: str | None = None
    num_cores: int | None = None
    num_workers: int | None = None
    blas: str | None = None


#: What `note_workers` was told last.
_NOTED: dict[str, int | None] = {"num_workers": None}


def note_workers(number: int | None) -> None:
    """Notes the threads of a run for manifests, which is all that it changes."""
    _NOTED["num_workers"] = number


def describe_machine() -> Machine:
    """Returns what this process computes with."""
    return Machine(
        processor=_describe_processor(),
        numpy_version=np.__version__,
        numba_version=version("numba"),
        python_version=platform.python_version(),
        system=f"{platform.system()} {platform.release()}",
        num_cores=getattr(os, "process_cpu_count", os.cpu_count)(),
        num_workers=_NOTED["num_workers"],
    )


@cache
def _describe_processor() -> str:
    try:
        lines = _PROCESSOR_LIST.read_text().splitlines()
    except OSError:
        lines = []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return next(filter(None, [*models, platform.processor(), platform.machine()]), "unknown")


MANIFEST_FILE = "manifest.json"
CONFIG_FILE = "config.yaml"

# Names become file names: the pattern keeps them inside the bundle, and distinct on file systems
# that ignore case.
NAME_PATTERN = r"^[a-z0-9][a-z0-9_.-]*$"
NAME_RULE = "lower-case letters, digits, '_', '-' and '.', a letter or digit first"

#: Headers of arrays are a tenth of it; numpy takes minutes to find out what a long one is not.
MAX_HEADER_BYTES = 1000

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Name = Annotated[str, Field(pattern=NAME_PATTERN)]


class FileEntry(_Record):
    """Size and sha256 of one file."""

    size_bytes: int = Field(ge=0)
    sha256: Sha256


class ArrayEntry(FileEntry):
    """A file that holds one array, with its dtype (as `format_dtype` writes it) and shape."""

    dtype: str
    shape: tuple[int, ...]


class Manifest(_Record):
    """The contents of ``manifest.json``.

    Attributes:
        kind: what the bundle holds, such as ``postflop_values``.
        schema_version: version of that kind's arrays and documents.
        package_version: the `runout` that wrote it.
        seed: the run's seed, None where nothing was random.
        created_at: when it was committed, in UTC.
        machine: what computed it, None in a bundle that is older than this field.
        command: the command line of the process that wrote it, None in older bundles.
        config_digest: what `digest_config` said of the run's config, None without a config.
        config: the file ``config.yaml``, None without one.
        arrays: by array name; the file is ``NAME.npy``.
        documents: by document name; the file is ``NAME.json``.
        content_digest: sha256 of the results alone, equal for equal results whenever, wherever and
            however fast they were computed; None in older bundles.
        digest: sha256 of all fields above, and so a name for exactly these contents.
    """

    kind: str
    schema_version: int
    package_version: str
    seed: int | None
    created_at: AwareDatetime
    machine: Machine | None = None
    command: str | None = None
    config_digest: str | None
    config: FileEntry | None
    arrays: Mapping[Name, ArrayEntry]
    documents: Mapping[Name, FileEntry]
    content_digest: Sha256 | None = None
    digest: Sha256

    @property
    def files(self) -> Mapping[str, FileEntry]:
        """All files except the manifest, by file name."""
        files: dict[str, FileEntry] = {f"{name}.npy": self.arrays[name] for name in self.arrays}
        files |= {f"{name}.json": self.documents[name] for name in self.documents}
        return files | ({} if self.config is None else {CONFIG_FILE: self.config})

    @property
    def size_bytes(self) -> int:
        """The size of all files except the manifest."""
        return sum(entry.size_bytes for entry in self.files.values())


def digest_config(config: str | Mapping[str, Any]) -> str:
    """Returns the sha256 of a config, in hexadecimal.

    A text counts with its comments and order, but not its style of line endings. A mapping counts
    as JSON with sorted keys, so that two texts that mean the same have the same digest; the two
    forms of one config have different digests.
    """
    if isinstance(config, str):
        text = config.replace("\r\n", "\n")
    else:
        text = format_json("config", config, indent=None)
    return hashlib.sha256(text.encode()).hexdigest()


def format_json(where: str, value: Any, indent: int | None) -> str:
    """Returns strict JSON text (no NaN), with sorted keys if it is written without indent."""
    separators = (",", ":") if indent is None else None
    try:
        return json.dumps(
            value, allow_nan=False, indent=indent, separators=separators, sort_keys=indent is None
        )
    except (TypeError, ValueError, RecursionError) as error:
        raise BundleError(where, f"cannot be written as JSON ({error})") from error


def format_dtype(dtype: npt.DTypeLike) -> str:
    """Returns a dtype as the ``.npy`` header has it: ``<f4``, or a list of named fields."""
    description = np.lib.format.dtype_to_descr(np.dtype(dtype))
    return description if isinstance(description, str) else repr(description)


def build_manifest(**fields: Any) -> Manifest:
    """Returns a manifest that this process makes now, with its digest."""
    made: dict[str, Any] = {
        "created_at": datetime.now(UTC),
        "machine": describe_machine(),
        "command": shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]]),
    }
    try:
        unsigned = Manifest(**made, **fields, digest="0" * 64)
    except ValidationError as error:
        raise BundleError("manifest", _first_problem(error)) from error
    return unsigned.model_copy(update={"digest": _own_digest(unsigned.model_dump(mode="json"))})


def parse_manifest(
    where: str, content: bytes, kind: str | None = None, schemas: Collection[int] = ()
) -> Manifest:
    """Reads the text of ``manifest.json``.

    Kind and version are checked first, if given: other versions may have other fields. Errors
    name ``where``.
    """
    try:
        raw = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise BundleError(where, f"is not JSON ({error})") from error
    if not isinstance(raw, dict):
        raise BundleError(where, "is not a JSON object")
    if kind is not None and raw.get("kind", kind) != kind:
        raise BundleError(where, f"is of kind {quote(raw['kind'])}, expected {kind!r}")
    version = raw.get("schema_version")
    if schemas and version is not None and version not in schemas:
        expected = " or ".join(map(str, sorted(schemas)))
        raise BundleError(where, f"has schema version {quote(version)}, expected {expected}")
    try:
        manifest = Manifest.model_validate_json(content)
    except ValidationError as error:
        raise BundleError(where, _first_problem(error)) from error
    if manifest.digest != _own_digest(raw):
        raise BundleError(where, "was edited, its fields do not have the digest that it states")
    return manifest


def _own_digest(raw: Mapping[str, Any]) -> str:
    return digest_config({key: raw[key] for key in raw if key != "digest"})


def _first_problem(error: ValidationError) -> str:
    first = error.errors()[0]
    return shorten(f"{'.'.join(map(str, first['loc']))}: {first['msg']}")


Result = TypeVar("Result")
Files = Mapping[str, BufferedReader]

# To open all files of a bundle before it is replaced; opening takes a fraction of the time that
# replacing does, so that a second attempt is rare and a tenth was never seen.
_MAX_ATTEMPTS = 1000
#: What Python says of values that are not what they should be.
_GARBLED = (LookupError, TypeError, ValueError, ArithmeticError, AttributeError)
_HEADER_READERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


@dataclass(frozen=True, eq=False)
class Bundle:
    """A bundle that was found complete.

    Attributes:
        path: its directory.
        manifest: where it comes from and what is in it.
        arrays: views of the files, by name; pages are read when they are used. Read-only, or, if
            asked for, private: what is written there stays in memory.
        documents: the contents of the JSON files, by name.
        config_text: the config as the user gave it, None if there was none.
    """

    path: Path
    manifest: Manifest
    arrays: Mapping[str, AnyArray]
    documents: Mapping[str, Any]
    config_text: str | None


@contextmanager
def reading_contents(path: Path | str) -> Iterator[None]:
    """Turns errors about the contents of a bundle into a `BundleError`.

    Digests detect damage, but a bundle written by hand may contain anything.
    """
    try:
        yield
    except BundleError:
        raise
    except (RunoutError, *_GARBLED) as error:
        raise BundleError(str(path), f"missing or invalid entry: {shorten(str(error))}") from error


def load_bundle(
    path: Path | str,
    kind: str,
    schema_version: int | Collection[int],
    *,
    verify: bool = True,
    is_writable: bool = False,
) -> Bundle:
    """Opens a bundle and checks it.

    Sizes, dtypes, shapes, and the digests of the manifest, documents and config are always
    checked. A bundle that is replaced meanwhile is read again, never half and half.

    Args:
        path: the bundle's directory.
        kind: what it must hold.
        schema_version: the version, or versions, that the caller can read.
        verify: whether to compute the sha256 of every array, which reads all of it (about 0.7
            seconds per GB). Without it, a changed number in an array goes unnoticed.
        is_writable: whether the arrays can be written to; the files never change.
    """
    schemas = [schema_version] if isinstance(schema_version, int) else schema_version

    def open_files(directory: PinnedDirectory, stack: ExitStack) -> tuple[Path, Manifest, Files]:
        manifest = _read_manifest(directory, kind, schemas)
        files = {name: stack.enter_context(_open_file(directory, name)) for name in manifest.files}
        return directory.path, manifest, files  # open, so that they stay

    with _using(Path(path), open_files) as (directory, manifest, files):
        for name, entry in manifest.files.items():
            # Arrays are large, the rest is small.
            is_checked = verify or not isinstance(entry, ArrayEntry)
            _check_file(directory / name, files[name], entry, is_checked)
        arrays = {
            name: _map_array(directory / f"{name}.npy", files[f"{name}.npy"], entry, is_writable)
            for name, entry in manifest.arrays.items()
        }
        documents = {
            name: _decode(directory / f"{name}.json", files[f"{name}.json"], json.loads)
            for name in manifest.documents
        }
        config_text = None
        if manifest.config is not None:
            config_text = _decode(directory / CONFIG_FILE, files[CONFIG_FILE], bytes.decode)
    return Bundle(
        directory, manifest, MappingProxyType(arrays), MappingProxyType(documents), config_text
    )


def read_manifest(path: Path | str) -> Manifest:
    """Reads the manifest of a bundle of any kind, and none of its other files."""
    with _using(Path(path), lambda directory, _: _read_manifest(directory)) as manifest:
        return manifest


def has_bundle(path: Path | str) -> bool:
    """Returns whether there is a bundle, be it whole or damaged."""
    try:
        with _using(Path(path), lambda directory, _: _open_file(directory, MANIFEST_FILE).close()):
            return True
    except BundleError:
        return False


@contextmanager
def _using(path: Path, use: Callable[[PinnedDirectory, ExitStack], Result]) -> Iterator[Result]:
    """Yields what ``use`` makes of the directory at a path, and begins anew if that is replaced."""
    for _ in range(_MAX_ATTEMPTS):
        with PinnedDirectory(path) as directory, ExitStack() as stack:
            try:
                result = use(directory, stack)
            except BundleError:
                if directory.is_still_there():
                    raise
                continue  # it was replaced and its files are being removed
            if directory.is_pinned or directory.is_still_there():
                yield result
                return
    raise BundleError(str(path), "is replaced again and again while it is read")


def _read_manifest(
    directory: PinnedDirectory, kind: str | None = None, schemas: Collection[int] = ()
) -> Manifest:
    where = directory.path / MANIFEST_FILE
    with _open_file(directory, MANIFEST_FILE) as file, reporting_os_errors(where, "read"):
        content = file.read()
    return parse_manifest(str(where), content, kind, schemas)


def _open_file(directory: PinnedDirectory, name: str) -> BufferedReader:
    where = directory.path / name
    with reporting_os_errors(where, "read"):
        try:
            return directory.open(name)
        except FileNotFoundError:
            why = "so this is no bundle" if name == MANIFEST_FILE else "the manifest lists it"
            raise BundleError(str(where), f"is missing, {why}") from None


def _check_file(where: Path, file: BufferedReader, entry: FileEntry, verify: bool) -> None:
    with reporting_os_errors(where, "read"):
        size = os.fstat(file.fileno()).st_size
        if size != entry.size_bytes:
            problem = f"has {size:,} bytes, the manifest says {entry.size_bytes:,}"
            raise BundleError(str(where), problem)
        if verify:
            found = hashlib.file_digest(file, "sha256").hexdigest()
            if found != entry.sha256:
                problem = f"was changed: its sha256 is {found}, the manifest says {entry.sha256}"
                raise BundleError(str(where), problem)


def _decode(where: Path, file: BufferedReader, decode: Callable[[bytes], Any]) -> Any:
    with reporting_os_errors(where, "read"):
        file.seek(0)
        content = file.read()
    try:
        return decode(content)
    except (ValueError, RecursionError) as error:
        raise BundleError(str(where), f"cannot be decoded ({error})") from error


def _map_array(where: Path, file: BufferedReader, entry: ArrayEntry, is_writable: bool) -> AnyArray:
    try:
        file.seek(0)
        read_header = _HEADER_READERS[np.lib.format.read_magic(file)]
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # of headers that no version of ours has written
            shape, is_fortran, dtype = read_header(file, max_header_size=MAX_HEADER_BYTES)
        mapped = np.memmap(
            file,
            dtype,
            mode="c" if is_writable else "r",
            offset=file.tell(),
            shape=shape,
            order="F" if is_fortran else "C",
        )
    except Exception as error:  # numpy reports damaged headers in many ways
        raise BundleError(str(where), f"is not an array file ({shorten(str(error))})") from error
    found = format_dtype(mapped.dtype)
    if (found, mapped.shape) != (entry.dtype, entry.shape):
        came, expected = f"{found} {mapped.shape}", f"{entry.dtype} {entry.shape}"
        raise BundleError(str(where), f"holds {came}, the manifest says {expected}")
    # A plain view: results computed from a np.memmap would be np.memmaps too.
    return mapped.view(np.ndarray)
