"""Files that a disk or an editor has changed: manifests, arrays, documents, ledger entries.

Digests guard them all, so most mutations are signed anew: what is tested is what comes after.
"""

import hashlib
import json
import random
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from runout.arrays import Arrays
from runout.storage.bundle import digest_config, parse_manifest
from runout.storage.ledger import ENTRY_ENDING, Ledger, TaskId, TaskRecord
from tools.fuzzing.campaign import Kind
from tools.fuzzing.mutations import mutate_bytes, mutate_document, mutate_text
from tools.fuzzing.sample_bundles import SampleBundle, sample_bundles

_TASK = TaskId("AhKd7s", "0" * 64)


def file_kinds() -> list[Kind]:
    """Returns the kinds of changed files."""
    return [
        Kind("manifests", 0.04, _make_manifest, _read_manifest),
        Kind("npy files", 0.025, _make_array, _read_bundle),
        Kind("json documents", 0.025, _make_document, _read_bundle),
        Kind("ledger entries", 0.007, _make_entry, _read_entry),
    ]


def _make_manifest(rng: random.Random) -> bytes:
    bundle = rng.choice(sample_bundles())
    content = bundle.files[bundle.manifest_path]
    if rng.random() < 0.3:
        others = [sample.files[sample.manifest_path] for sample in sample_bundles()]
        return mutate_bytes(rng, content, others)
    return sign(mutate_document(rng, json.loads(content)))


def sign(document: Any) -> bytes:
    """Returns a manifest with the digest that its fields have, if it can have one."""
    try:
        unsigned = {key: document[key] for key in document if key != "digest"}
        document = {**unsigned, "digest": digest_config(unsigned)}
    except Exception:  # no mapping, or nothing that has a digest: goes in as it is
        pass
    return json.dumps(document).encode("utf-8", "surrogatepass")


def _read_manifest(content: bytes) -> object:
    manifest = parse_manifest("manifest.json", content)
    return manifest.size_bytes


def _make_array(rng: random.Random) -> tuple[int, dict[str, bytes]]:
    """Changes the header or the numbers of an array, and signs the bundle anew."""
    number = rng.randrange(len(sample_bundles()))
    bundle = sample_bundles()[number]
    path = rng.choice(bundle.named(".npy"))
    content = bundle.files[path]
    length = 10 + int.from_bytes(content[8:10], "little")
    match rng.randrange(4):
        case 0:
            header = mutate_text(rng, content[10:length].decode("latin-1"), HEADERS)
            encoded = header.encode("latin-1", "replace")
            size = min(len(encoded), 0xFFFF).to_bytes(2, "little")
            content = content[:8] + size + encoded + content[length:]
        case 1:
            others = [bundle.files[name] for name in bundle.named(".npy")]
            content = mutate_bytes(rng, content[:length], others) + content[length:]
        case 2:
            content = save_array(other_array(rng))
        case _:
            content = content[:length] + mutate_bytes(rng, content[length:], [content])
    return number, _signed_files(rng, bundle, path, content)


HEADERS = (
    "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 169), }\n",
    "{'descr': [('a', '<f4'), ('b', '|O')], 'fortran_order': True, 'shape': (10**12,), }\n",
    "{'descr': '|u1', 'fortran_order': False, 'shape': (99999999999999999999, 2), }\n",
    "{'descr': '<U99999999', 'fortran_order': False, 'shape': (-1, 0), }\n",
    "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((\n",
)


def other_array(rng: random.Random) -> np.ndarray[Any, Any]:
    """Returns an array of a shape and type that nobody asked for."""
    shape = tuple(rng.choice((0, 1, 2, 3, 169)) for _ in range(rng.randrange(4)))
    numbers = np.full(shape, rng.choice((0.0, -1.0, 1e308, np.nan, np.inf, 300.0)))
    dtype = rng.choice(("<f8", "<f4", "|u1", "<i8", "|b1", "<c16", "<U3", "|S2", "<M8[s]", ">f8"))
    with np.errstate(all="ignore"):
        return numbers.astype(dtype) if dtype != "<M8[s]" else np.zeros(shape, dtype)


def save_array(array: np.ndarray[Any, Any]) -> bytes:
    """Returns an array as a file."""
    file = tempfile.SpooledTemporaryFile(max_size=2**24)
    with file:
        np.lib.format.write_array(file, array)
        file.seek(0)
        return bytes(file.read())


def _make_document(rng: random.Random) -> tuple[int, dict[str, bytes]]:
    """Changes a document or the config of a bundle, and signs the bundle anew."""
    numbers = [n for n, bundle in enumerate(sample_bundles()) if bundle.named(".json")]
    number = rng.choice(numbers)
    bundle = sample_bundles()[number]
    path = rng.choice([*bundle.named(".json"), *bundle.named(".yaml")])
    content = bundle.files[path]
    if path.endswith(".yaml") or rng.random() < 0.2:
        content = mutate_bytes(rng, content, [content])
    else:
        document = mutate_document(rng, json.loads(content))
        content = json.dumps(document).encode("utf-8", "surrogatepass")
    return number, _signed_files(rng, bundle, path, content)


def _signed_files(
    rng: random.Random, bundle: SampleBundle, path: str, content: bytes
) -> dict[str, bytes]:
    """Returns the file and a manifest that says the same of it, most of the time."""
    if rng.random() < 0.05:
        return {path: content}
    manifest = json.loads(bundle.files[bundle.manifest_path])
    name, _, ending = path.rpartition("/")[2].rpartition(".")
    section = {"npy": manifest["arrays"], "json": manifest["documents"]}.get(ending)
    entry = manifest["config"] if section is None else section[name]
    entry["size_bytes"] = len(content)
    entry["sha256"] = hashlib.sha256(content).hexdigest()
    if ending == "npy" and rng.random() < 0.9:
        entry.update(described(content))
    return {path: content, bundle.manifest_path: sign(manifest)}


def described(content: bytes) -> dict[str, Any]:
    """Returns dtype and shape as the header has them, nothing if it cannot be read."""
    file = tempfile.SpooledTemporaryFile(max_size=2**24)
    try:
        with file:
            file.write(content)
            file.seek(6)
            shape, _, dtype = np.lib.format.read_array_header_1_0(file)
            return {"dtype": np.lib.format.dtype_to_descr(dtype), "shape": list(shape)}
    except Exception:
        return {}


def _read_bundle(given: tuple[int, dict[str, bytes]]) -> object:
    number, changed = given
    bundle, directory = sample_bundles()[number], _scratch(f"bundle{number}")
    for path, content in bundle.files.items():
        file = directory / path
        wanted = changed.get(path, content)
        if path in changed or not file.exists() or file.read_bytes() != wanted:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(wanted)
    return bundle.read(directory)


def _make_entry(rng: random.Random) -> bytes:
    stated, _, body = _ledger_entry().partition(b"\n")
    body = mutate_bytes(rng, body, [body, *(text.encode() for text in HEADERS)])
    if rng.random() < 0.95:
        stated = hashlib.sha256(body).hexdigest().encode()
    return stated + b"\n" + body


def _read_entry(content: bytes) -> object:
    directory = _scratch("ledger")
    _make_ledger(directory)
    (file,) = directory.glob(f"*{ENTRY_ENDING}")
    file.write_bytes(content)
    ledger = Ledger(directory)
    return ledger.find(_TASK), list(ledger.entries())


@cache
def _make_ledger(directory: Path) -> None:
    arrays: Arrays = {"a": np.zeros((3, 4)), "b": np.arange(5, dtype=np.uint8)}
    Ledger(directory).save(_TASK, arrays, TaskRecord.of_this_process(0.5), {"seconds": [1.0]})


@cache
def _ledger_entry() -> bytes:
    directory = _scratch("ledger sample")
    _make_ledger(directory)
    (file,) = directory.glob(f"*{ENTRY_ENDING}")
    return file.read_bytes()


@cache
def _scratch(name: str) -> Path:
    """Returns a directory of this process for a purpose."""
    return Path(_scratch_root().name) / name.replace(" ", "_")


@cache
def _scratch_root() -> "tempfile.TemporaryDirectory[str]":
    return tempfile.TemporaryDirectory(prefix="runout-fuzz-")
