"""Reading bundles: a directory of memory-mapped arrays that is what its manifest says, or an error.

Files that the manifest does not list are ignored. See docs/storage.md for the layout.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from runout.arrays import AnyArray
from runout.errors import BundleError
from runout.storage.files import digest_file, reporting_os_errors
from runout.storage.manifest import (
    CONFIG_FILE,
    MANIFEST_FILE,
    ArrayEntry,
    FileEntry,
    Manifest,
    format_dtype,
    parse_manifest,
)
from runout.storage.staging import find_interrupted

_MAX_ATTEMPTS = 10  # to read a bundle that others replace all the while


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
    for _ in range(_MAX_ATTEMPTS):
        directory, content = _read_manifest_file(Path(path))
        failure = None
        try:
            where = str(directory / MANIFEST_FILE)
            manifest = parse_manifest(where, content, kind, schema_version)
            bundle = _open(directory, manifest, verify, is_writable)
        except BundleError as error:
            failure = error
        if _read_manifest_file(Path(path))[1] == content:
            if failure is not None:
                raise failure
            return bundle
    raise BundleError(str(path), "is replaced again and again while it is read")


def read_manifest(path: Path | str) -> Manifest:
    """Reads what a bundle of any kind says about itself, without looking at its other files.

    Raises:
        BundleError: if there is no bundle or its manifest is damaged.
    """
    directory, content = _read_manifest_file(Path(path))
    return parse_manifest(str(directory / MANIFEST_FILE), content)


def _read_manifest_file(path: Path) -> tuple[Path, bytes]:
    """Returns the bundle's directory at this moment and the bytes of its manifest."""
    # For a moment while it is replaced, and after a kill in that moment, it has another name.
    for _ in range(_MAX_ATTEMPTS):
        for directory in filter(None, (path, find_interrupted(path))):
            with reporting_os_errors(path, "read"), suppress(FileNotFoundError, NotADirectoryError):
                return directory, (directory / MANIFEST_FILE).read_bytes()
    if path.is_dir():
        raise BundleError(str(path / MANIFEST_FILE), "is missing, so this is no bundle")
    raise BundleError(str(path), "is a file, not a bundle" if path.exists() else "does not exist")


def _open(directory: Path, manifest: Manifest, verify: bool, is_writable: bool) -> Bundle:
    arrays = {}
    for name, entry in manifest.arrays.items():
        file = directory / f"{name}.npy"
        _check_file(file, entry, verify)
        arrays[name] = _map_array(file, entry, is_writable)
    documents = {}
    for name, document_entry in manifest.documents.items():
        file = directory / f"{name}.json"
        _check_file(file, document_entry, verify=True)
        with reporting_os_errors(file, "read"):
            documents[name] = json.loads(file.read_bytes())
    config_text = None
    if manifest.config is not None:
        file = directory / CONFIG_FILE
        _check_file(file, manifest.config, verify=True)
        with reporting_os_errors(file, "read"):
            config_text = file.read_bytes().decode()
    return Bundle(
        directory, manifest, MappingProxyType(arrays), MappingProxyType(documents), config_text
    )


def _check_file(file: Path, entry: FileEntry, verify: bool) -> None:
    if not file.is_file():
        raise BundleError(str(file), "is missing, the manifest lists it")
    with reporting_os_errors(file, "read"):
        size = file.stat().st_size
        if size != entry.size_bytes:
            problem = f"has {size:,} bytes, the manifest says {entry.size_bytes:,}"
            raise BundleError(str(file), problem)
        if verify:
            found = digest_file(file)
            if found != entry.sha256:
                problem = f"was changed: its sha256 is {found}, the manifest says {entry.sha256}"
                raise BundleError(str(file), problem)


def _map_array(file: Path, entry: ArrayEntry, is_writable: bool) -> AnyArray:
    try:
        mapped = np.lib.format.open_memmap(file, mode="c" if is_writable else "r")
    except Exception as error:  # numpy reports damaged headers in many ways
        raise BundleError(str(file), f"is not an array file ({error})") from error
    dtype = format_dtype(mapped.dtype)
    if (dtype, mapped.shape) != (entry.dtype, entry.shape):
        found, expected = f"{dtype} {mapped.shape}", f"{entry.dtype} {entry.shape}"
        raise BundleError(str(file), f"holds {found}, the manifest says {expected}")
    # A plain view: results computed from a np.memmap would be np.memmaps too.
    return mapped.view(np.ndarray)
