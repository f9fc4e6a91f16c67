"""Reading bundles: a directory of memory-mapped arrays that is what its manifest says, or an error.

Files that the manifest does not list are ignored. See docs/storage.md for the layout.
"""

import hashlib
import json
import os
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from io import BufferedReader
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from runout.arrays import AnyArray
from runout.errors import BundleError, RunoutError, shorten
from runout.storage.files import reporting_os_errors
from runout.storage.manifest import (
    CONFIG_FILE,
    MANIFEST_FILE,
    MAX_HEADER_BYTES,
    ArrayEntry,
    FileEntry,
    Manifest,
    format_dtype,
    parse_manifest,
)
from runout.storage.pinned import PinnedDirectory, pinning

Result = TypeVar("Result")

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

    def require_array(self, name: str, dtype: npt.DTypeLike, shape: tuple[int, ...]) -> AnyArray:
        """Returns an array that must be there, with this dtype and shape.

        Raises:
            BundleError: if it is missing or another.
        """
        array = self.arrays.get(name)
        if array is None:
            raise BundleError(str(self.path), f"has no array {name}")
        if array.dtype != np.dtype(dtype) or array.shape != shape:
            came, wanted = f"{array.dtype} {array.shape}", f"{np.dtype(dtype)} {shape}"
            raise BundleError(str(self.path), f"{name} is {came}, this version builds {wanted}")
        return array


@contextmanager
def reading_contents(path: Path | str) -> Iterator[None]:
    """Turns what goes wrong with the contents of a bundle into a `BundleError`.

    Digests tell damage, but whoever writes a bundle by hand can put anything into it.
    """
    try:
        yield
    except BundleError:
        raise
    except (RunoutError, *_GARBLED) as error:
        raise BundleError(str(path), f"lacks or garbles {shorten(str(error))}") from error


def load_bundle(
    path: Path | str,
    kind: str,
    schema_version: int,
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
        schema_version: the version that the caller can read.
        verify: whether to compute the sha256 of every array, which reads all of it (about 0.7
            seconds per GB). Without it, a changed number in an array goes unnoticed.
        is_writable: whether the arrays can be written to; the files never change.

    Raises:
        BundleError: naming the file at fault and what is wrong with it.
    """
    open_files = partial(_open_files, kind=kind, schema_version=schema_version)
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
    """Reads what a bundle of any kind says about itself, without looking at its other files.

    Raises:
        BundleError: if there is no bundle or its manifest is damaged.
    """
    with _using(Path(path), lambda directory, _: _read_manifest(directory)) as manifest:
        return manifest


def has_bundle(path: Path | str) -> bool:
    """Returns whether there is a bundle, be it whole or damaged."""
    try:
        with _using(
            Path(path),
            lambda directory, stack: stack.enter_context(_open_file(directory, MANIFEST_FILE)),
        ):
            return True
    except BundleError:
        return False


@contextmanager
def _using(path: Path, use: Callable[[PinnedDirectory, ExitStack], Result]) -> Iterator[Result]:
    """Yields what ``use`` makes of the directory at a path, and begins anew if that is replaced.

    Raises:
        BundleError: if there is no directory, or ``use`` says so of one that was not replaced.
    """
    for _ in range(_MAX_ATTEMPTS):
        with pinning(path) as directory, ExitStack() as stack:
            try:
                result = use(directory, stack)
            except BundleError:
                if directory.is_still_at(path):
                    raise
                continue  # it was replaced and its files are being removed
            if directory.is_pinned or directory.is_still_at(path):
                yield result
                return
    raise BundleError(str(path), "is replaced again and again while it is read")


def _open_files(
    directory: PinnedDirectory, stack: ExitStack, kind: str, schema_version: int
) -> tuple[Path, Manifest, Mapping[str, BufferedReader]]:
    """Returns where a bundle is, its manifest, and all of its files, open, by file name.

    What is open cannot be replaced any more, however long it takes to read.
    """
    manifest = _read_manifest(directory, kind, schema_version)
    files = {name: stack.enter_context(_open_file(directory, name)) for name in manifest.files}
    return directory.path, manifest, files


def _read_manifest(
    directory: PinnedDirectory, kind: str | None = None, schema_version: int | None = None
) -> Manifest:
    where = directory.path / MANIFEST_FILE
    with reporting_os_errors(where, "read"):
        try:
            with directory.open(MANIFEST_FILE) as file:
                content = file.read()
        except FileNotFoundError:
            raise BundleError(str(where), "is missing, so this is no bundle") from None
    return parse_manifest(str(where), content, kind, schema_version)


def _open_file(directory: PinnedDirectory, name: str) -> BufferedReader:
    where = directory.path / name
    with reporting_os_errors(where, "read"):
        try:
            return directory.open(name)
        except FileNotFoundError:
            raise BundleError(str(where), "is missing, the manifest lists it") from None


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
