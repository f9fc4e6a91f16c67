"""What a bundle says about itself: `Manifest`, its JSON text, and digests of configs.

The manifest lists every file with its size and sha256, and ends with a digest of its own other
fields, so that an edited seed is noticed like an edited array.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from runout.errors import BundleError, quote, shorten
from runout.storage.machine import Machine

MANIFEST_FILE = "manifest.json"
CONFIG_FILE = "config.yaml"

# Names become file names: the pattern keeps them inside the bundle, and distinct on file systems
# that ignore case.
NAME_PATTERN = r"^[a-z0-9][a-z0-9_.-]*$"
NAME_RULE = "lower-case letters, digits, '_', '-' and '.', a letter or digit first"

#: Headers of arrays are a tenth of it; numpy takes minutes to find out what a long one is not.
MAX_HEADER_BYTES = 1000

_FIELD_OF_OWN_DIGEST = "digest"

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Name = Annotated[str, Field(pattern=NAME_PATTERN)]


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


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
        config_digest: what `digest_config` said of the run's config, None without a config.
        config: the file ``config.yaml``, None without one.
        arrays: by array name; the file is ``NAME.npy``.
        documents: by document name; the file is ``NAME.json``.
        digest: sha256 of all fields above, and so a name for exactly these contents.
    """

    kind: str
    schema_version: int
    package_version: str
    seed: int | None
    created_at: AwareDatetime
    machine: Machine | None = None
    config_digest: str | None
    config: FileEntry | None
    arrays: Mapping[Name, ArrayEntry]
    documents: Mapping[Name, FileEntry]
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

    Raises:
        BundleError: if the mapping holds something that JSON does not know.
    """
    if isinstance(config, str):
        text = config.replace("\r\n", "\n")
    else:
        text = format_json("config", config, indent=None)
    return hashlib.sha256(text.encode()).hexdigest()


def format_json(where: str, value: Any, indent: int | None) -> str:
    """Returns strict JSON text (no NaN), with sorted keys if it is written without indent.

    Raises:
        BundleError: naming ``where``, if the value holds something that JSON does not know.
    """
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
    """Returns a manifest of all fields but ``digest``, which is added.

    Raises:
        BundleError: naming the first field with a value that it cannot have.
    """
    try:
        unsigned = Manifest(**fields, digest="0" * 64)
    except ValidationError as error:
        raise BundleError("manifest", _first_problem(error)) from error
    return unsigned.model_copy(update={"digest": _own_digest(unsigned.model_dump(mode="json"))})


def format_manifest(manifest: Manifest) -> str:
    """Returns the text of ``manifest.json``."""
    return manifest.model_dump_json(indent=2) + "\n"


def parse_manifest(
    where: str, content: bytes, kind: str | None = None, schema_version: int | None = None
) -> Manifest:
    """Reads the text of ``manifest.json``.

    Kind and version are looked at first, if given: the fields of a later version may be others.

    Raises:
        BundleError: naming ``where``, if the text is no manifest, was edited, or is not of the
            kind and version asked for.
    """
    try:
        raw = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise BundleError(where, f"is not JSON ({error})") from error
    if not isinstance(raw, dict):
        raise BundleError(where, "is not a JSON object")
    if kind is not None and raw.get("kind", kind) != kind:
        raise BundleError(where, f"is of kind {quote(raw['kind'])}, expected {kind!r}")
    version = raw.get("schema_version", schema_version)
    if schema_version is not None and version != schema_version:
        raise BundleError(where, f"has schema version {quote(version)}, expected {schema_version}")
    try:
        manifest = Manifest.model_validate_json(content)
    except ValidationError as error:
        raise BundleError(where, _first_problem(error)) from error
    if manifest.digest != _own_digest(raw):
        raise BundleError(where, "was edited, its fields do not have the digest that it states")
    return manifest


def _own_digest(raw: Mapping[str, Any]) -> str:
    return digest_config({key: raw[key] for key in raw if key != _FIELD_OF_OWN_DIGEST})


def _first_problem(error: ValidationError) -> str:
    first = error.errors()[0]
    return shorten(f"{'.'.join(map(str, first['loc']))}: {first['msg']}")
