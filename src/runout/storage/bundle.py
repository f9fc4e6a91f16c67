"""Reading bundles: directories of memory-mapped arrays, checked against their manifest.

The manifest lists every file with its size and sha256, and ends with a digest of its own other
fields, so that an edited seed is noticed like an edited array. A file lists the sha256 of every
block of the arrays; a block is compared with it before any of its numbers are used. Files that the
manifest does not list are ignored. See docs/storage.md for the layout.
"""

import hashlib
import json
import math
import mmap
import os
import platform
import shlex
import sys
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, cached_property, partial
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
    from importlib.metadata import version  # which takes longer than to open a bundle

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

#: Digests of the blocks of all arrays, array by array in the order of the manifest.
BLOCKS_FILE = "blocks.sha256"
#: A node of a spot takes its numbers from a few kB in some ten places.
BLOCK_BYTES = 2**16
_DIGEST_BYTES = hashlib.sha256().digest_size

#: Headers of arrays are a tenth of it; numpy takes minutes to find out what a long one is not.
MAX_HEADER_BYTES = 1000
#: Manifests, documents and configs are read whole; those of the largest runs have a third of it.
MAX_TEXT_BYTES = 2**25
#: Products of a few numbers of a result are finite.
MAX_NUMBER = 1e30
#: Booleans, whole numbers, floats and complex numbers: pointers and texts are no results.
NUMBER_KINDS = "biufc"

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Name = Annotated[str, Field(pattern=NAME_PATTERN)]


class FileEntry(_Record):
    """Size and sha256 of one file."""

    size_bytes: int = Field(ge=0)
    sha256: Sha256


class ArrayEntry(FileEntry):
    """A file that holds one array, with its dtype (as `format_dtype` writes it) and shape."""

    dtype: str
    shape: tuple[Annotated[int, Field(ge=0)], ...]


class BlocksEntry(FileEntry):
    """The file with the sha256 of every block of every array; the last block may be shorter."""

    block_bytes: int = Field(ge=1024)


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
        blocks: the file ``blocks.sha256``, None in older bundles: there a file is one block.
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
    blocks: BlocksEntry | None = None
    content_digest: Sha256 | None = None
    digest: Sha256

    @property
    def files(self) -> Mapping[str, FileEntry]:
        """All files except the manifest, by file name."""
        files: dict[str, FileEntry] = {f"{name}.npy": self.arrays[name] for name in self.arrays}
        files |= {f"{name}.json": self.documents[name] for name in self.documents}
        others = {CONFIG_FILE: self.config, BLOCKS_FILE: self.blocks}
        return files | {name: entry for name, entry in others.items() if entry is not None}

    @property
    def verified_unit(self) -> str:
        """What of an array is compared with a digest before any number of it is used."""
        return (
            "its file" if self.blocks is None else f"{self.blocks.block_bytes >> 10} KiB around it"
        )

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


def parse_json(content: bytes | str) -> Any:
    """Reads strict JSON: without NaN, and without numbers that are too large for a float."""

    def refuse(text: str) -> float:
        raise ValueError(f"{shorten(text)} is not a finite number")

    def read(text: str) -> float:
        return number if math.isfinite(number := float(text)) else refuse(text)

    return json.loads(content, parse_constant=refuse, parse_float=read)


def require_number(value: Any) -> float:
    """Returns a number of a document; refuses texts such as ``nan``, and numbers beyond reason."""
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > MAX_NUMBER:
        raise ValueError(f"{quote(value)} is not a number up to {MAX_NUMBER:g}")
    return float(value)


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
        raw = parse_json(content)
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


class StoredArray:
    """An array in a file, or a part of it: what is read of it is verified before.

    It has dtype, shape, size and number of axes of the array, and its indices; `numpy.asarray`
    reads all of it.
    """

    def __init__(self, array: AnyArray, verify: Callable[[AnyArray], None]) -> None:
        """Reads nothing; ``verify`` refuses a view of the array that was changed."""
        self._array, self._verify = array, verify
        self.dtype, self.shape, self.size, self.ndim = (
            array.dtype,
            array.shape,
            array.size,
            array.ndim,
        )

    def __getitem__(self, place: Any) -> AnyArray:
        places = place if isinstance(place, tuple) else (place,)
        if not any(each is ... for each in places):
            places = *places, ...  # a single number is a view, too
        found = self._array[places]
        is_view = np.may_share_memory(found, self._array)
        self._verify(found if is_view else self._array)
        return found

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> AnyArray:
        return np.array(self[...], dtype=dtype, copy=copy)

    def part(self, begin: int, end: int, shape: Sequence[int]) -> "StoredArray":
        """Returns some numbers of an array of one axis, in another shape."""
        return StoredArray(self._array[begin:end].reshape(shape), self._verify)


def part_of(array: Any, begin: int, end: int, shape: Sequence[int]) -> Any:
    """Returns some numbers of an array of one axis, stored or in memory, in another shape."""
    if isinstance(array, StoredArray):
        return array.part(begin, end, shape)
    return array[begin:end].reshape(shape)


@dataclass(frozen=True, eq=False)
class Bundle:
    """A bundle that was found complete.

    Attributes:
        path: its directory.
        manifest: where it comes from and what is in it.
        stored: the arrays by name; nothing was read yet.
        documents: the contents of the JSON files, by name.
        config_text: the config as the user gave it, None if there was none.
    """

    path: Path
    manifest: Manifest
    stored: Mapping[str, StoredArray]
    documents: Mapping[str, Any]
    config_text: str | None

    @cached_property
    def arrays(self) -> Mapping[str, AnyArray]:
        """All arrays, verified: views of the files, by name.

        Read-only, or, if asked for, private: what is written there stays in memory.
        """
        return MappingProxyType({name: array[...] for name, array in self.stored.items()})


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

    Sizes, dtypes, shapes, and the digests of the manifest, documents and config are checked at
    once, numbers of arrays before they are used. A bundle that is replaced meanwhile is read again,
    never half and half.

    Args:
        path: the bundle's directory.
        kind: what it must hold.
        schema_version: the version, or versions, that the caller can read.
        verify: whether to verify all arrays now, which reads all of them (about 0.7 seconds per
            GB), instead of each block before it is used.
        is_writable: whether the arrays can be written to; the files never change.
    """
    schemas = [schema_version] if isinstance(schema_version, int) else schema_version

    def open_files(directory: PinnedDirectory, stack: ExitStack) -> tuple[Path, Manifest, Files]:
        manifest = _read_manifest(directory, kind, schemas)
        files = {name: stack.enter_context(_open_file(directory, name)) for name in manifest.files}
        return directory.path, manifest, files  # open, so that they stay

    with _using(Path(path), open_files) as (directory, manifest, files):
        for name, entry in manifest.files.items():
            _check_size(directory / name, files[name], entry)
        read = partial(_read_text, directory, manifest, files)
        documents = {name: read(f"{name}.json", parse_json) for name in manifest.documents}
        config_text = None if manifest.config is None else read(CONFIG_FILE, bytes.decode)
        digests = _split_blocks(directory, manifest, files)
        stored = {
            name: _map_array(
                directory / f"{name}.npy", files[f"{name}.npy"], entry, is_writable, digests[name]
            )
            for name, entry in manifest.arrays.items()
        }
        bundle = Bundle(
            directory, manifest, MappingProxyType(stored), MappingProxyType(documents), config_text
        )
        if verify:
            _ = bundle.arrays
    return bundle


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
    with _open_file(directory, MANIFEST_FILE) as file:
        content = _read_whole(where, file)
    return parse_manifest(str(where), content, kind, schemas)


def _read_whole(where: Path, file: BufferedReader) -> bytes:
    """Returns the content of a file that is not too large for that."""
    with reporting_os_errors(where, "read"):
        content = file.read(MAX_TEXT_BYTES + 1)
    if len(content) > MAX_TEXT_BYTES:
        raise BundleError(str(where), f"has more than {MAX_TEXT_BYTES:,} bytes")
    return content


def _open_file(directory: PinnedDirectory, name: str) -> BufferedReader:
    where = directory.path / name
    with reporting_os_errors(where, "read"):
        try:
            return directory.open(name)
        except FileNotFoundError:
            why = "so this is no bundle" if name == MANIFEST_FILE else "the manifest lists it"
            raise BundleError(str(where), f"is missing, {why}") from None


def _check_size(where: Path, file: BufferedReader, entry: FileEntry) -> None:
    with reporting_os_errors(where, "read"):
        size = os.fstat(file.fileno()).st_size
    if size != entry.size_bytes:
        problem = f"has {size:,} bytes, the manifest says {entry.size_bytes:,}"
        raise BundleError(str(where), problem)


def _read_text(
    directory: Path,
    manifest: Manifest,
    files: Files,
    name: str,
    decode: Callable[[bytes], Result],
) -> Result:
    """Returns what a small file holds, after comparing all of it with its digest."""
    where, entry = directory / name, manifest.files[name]
    content = _read_whole(where, files[name])
    if hashlib.sha256(content).hexdigest() != entry.sha256:
        raise BundleError(str(where), "was changed: it does not have the sha256 in the manifest")
    try:
        return decode(content)
    except (ValueError, RecursionError) as error:
        raise BundleError(str(where), f"cannot be decoded ({shorten(str(error))})") from error


def _split_blocks(
    directory: Path, manifest: Manifest, files: Files
) -> dict[str, tuple[int, memoryview]]:
    """Returns by array the size of its blocks, and the digests of all of them."""
    if manifest.blocks is None:  # an older bundle
        return {
            name: (entry.size_bytes, memoryview(bytes.fromhex(entry.sha256)))
            for name, entry in manifest.arrays.items()
        }
    found, begin, size = {}, 0, manifest.blocks.block_bytes
    content = memoryview(_read_text(directory, manifest, files, BLOCKS_FILE, bytes))
    for name, entry in manifest.arrays.items():
        end = begin + -(-entry.size_bytes // size) * _DIGEST_BYTES
        found[name], begin = (size, content[begin:end]), end
    if begin != len(content):
        problem = f"has {len(content):,} bytes, the arrays need {begin:,}"
        raise BundleError(str(directory / BLOCKS_FILE), problem)
    return found


def _map_array(
    where: Path,
    file: BufferedReader,
    entry: ArrayEntry,
    is_writable: bool,
    digests: tuple[int, memoryview],
) -> StoredArray:
    """Maps a file, whose header has to say what the manifest says."""
    try:
        file.seek(0)
        read_header = _HEADER_READERS[np.lib.format.read_magic(file)]
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # of headers that no version of ours has written
            shape, is_fortran, dtype = read_header(file, max_header_size=MAX_HEADER_BYTES)
        found = format_dtype(dtype)
    except Exception as error:  # numpy reports damaged headers in many ways
        raise BundleError(str(where), f"is not an array file ({shorten(str(error))})") from error
    if (found, shape) != (entry.dtype, entry.shape):
        came, expected = f"{found} {shape}", f"{entry.dtype} {entry.shape}"
        raise BundleError(str(where), f"holds {came}, the manifest says {expected}")
    if dtype.kind not in NUMBER_KINDS:  # bytes of a file would become pointers to objects
        raise BundleError(str(where), f"has dtype {found}, an array of a result holds numbers")
    offset, size = file.tell(), math.prod(shape) * dtype.itemsize
    if offset + size != entry.size_bytes:
        problem = f"has {entry.size_bytes - offset:,} bytes of numbers, its header says {size:,}"
        raise BundleError(str(where), problem)
    with reporting_os_errors(where, "read"):
        access = mmap.ACCESS_COPY if is_writable else mmap.ACCESS_READ
        mapped = mmap.mmap(file.fileno(), 0, access=access)
    order: Any = "F" if is_fortran else "C"
    with reading_contents(where):  # lengths that numpy cannot multiply
        array = np.ndarray(shape, dtype, mapped, offset, order=order)
    return StoredArray(array, _BlockCheck(where, mapped, *digests))


class _BlockCheck:
    """Compares blocks of a mapped file with their digests, each once; threads may share it."""

    def __init__(
        self, where: Path, mapped: mmap.mmap, block_bytes: int, digests: memoryview
    ) -> None:
        self._where, self._mapped = where, mapped
        self._block_bytes, self._digests = block_bytes, digests
        self._is_known = bytearray(len(digests) // _DIGEST_BYTES)
        self._address = np.frombuffer(mapped, np.uint8).__array_interface__["data"][0]

    def __call__(self, view: AnyArray) -> None:
        """Refuses a view of the file's numbers if a block that it touches was changed."""
        if not view.size:
            return
        low, high = np.lib.array_utils.byte_bounds(view)
        size, number = self._block_bytes, (low - self._address) // self._block_bytes
        end = -(-(high - self._address) // size)
        while (number := self._is_known.find(0, number, end)) >= 0:
            with memoryview(self._mapped) as whole, whole[number * size :][:size] as block:
                found = hashlib.sha256(block).digest()
            if found != self._digests[number * _DIGEST_BYTES :][:_DIGEST_BYTES]:
                place = (
                    f"bytes {number * size:,} to {min((number + 1) * size, len(self._mapped)):,}"
                )
                problem = f"was changed: {place} do not have the sha256 that was written with them"
                raise BundleError(str(self._where), problem)
            self._is_known[number] = 1
