"""Forged bundles: any file of a result is another one, most of the time signed anew.

A stranger can make all digests right. So every kind of result is changed in every way that a file
can be, and then opened by every command and route of the page that opens it: an answer is exit code
0, one line of error, or a status below 500, and nothing outside of the result is ever touched.
"""

import hashlib
import io
import json
import os
import random
import shutil
import tarfile
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from fastapi.testclient import TestClient
from typer.testing import CliRunner

from runout.cli.program import app
from runout.config.load import parse_config
from runout.config.run import RunConfig
from runout.explorer.library import Library
from runout.explorer.server import LOOPBACK_NAMES, Explorer, Guard, make_app
from runout.runs.preflop import solve_preflop
from runout.runs.spot import solve_spot
from runout.storage.bundle import BLOCK_BYTES, BLOCKS_FILE, CONFIG_FILE, MANIFEST_FILE
from tools.fuzzing.campaign import Kind
from tools.fuzzing.file_kinds import HEADERS, described, other_array, save_array, sign
from tools.fuzzing.mutations import mutate_bytes, mutate_document, mutate_text

_OLD = Path(__file__).parents[2] / "tests" / "data" / "bundles_86d1cbc"
_RIVER: dict[str, Any] = {
    "board": "QsJh2h8c3d",
    "oop": "22+,KTs+,T9s",
    "ip": "22+,QTs+,AJo+",
    "pot": 180,
    "stack": 910,
    "bet_sizes": "50%",
    "max_iterations": 5,
}
_FLOP: dict[str, Any] = {
    "board": "Td9d6h",
    "oop": "QQ+,87s",
    "ip": "JJ+,76s",
    "pot": 180,
    "stack": 100,
    "bet_sizes": "a",
    "raise_sizes": [],
    "rivers": "compact",
    "river_buckets": 16,
    "max_iterations": 2,
}
_JOINT = """\
preflop: {stacks_bb: 6, raise_sizes: [[allin]], raise_cap: 1}
method: joint
iterations: 2
postflop_model:
  solve_type: exact
  bet_sizes: {flop: [a], turn: [a], river: [a]}
  max_raises_per_street: 0
  fixed_flops: [QsTs5s]
"""

#: What opens every kind, and what opens some; DIR is the result, OUT a place to write to.
_OF_ALL = (
    "show DIR",
    "show DIR --json",
    "show DIR --check --json",
    "export DIR",
    "tree show -c DIR",
    "export-site DIR -o OUT --max-nodes 2",
    "GET /api/runs",
    *(f"GET /api/{question}/ID" for question in ("facts", "node", "lines", "flops", "cards")),
    "GET /api/v1/solutions",
    "GET /api/v1/solutions/ID/node",
    "GET /api/v1/solutions/ID/report",
)
_OF_SPOTS = (
    "show DIR --node x --json",
    "show DIR --by class",
    "show DIR --node x --by equity --ev net",
    "show DIR --ranges --exact",
    "export DIR --node x --depth 1 --format csv",
    "GET /api/node/ID?n=x",
    "lab judge DIR",
    "solve-spot -c DIR/config.yaml -o DIR --max-iterations 6",
)
_OF_FLOPS = (
    "show DIR --node x:x --by card --json",
    "GET /api/cards/ID?n=x:x",
    "show DIR -n x:x:2c",
)
_OF_GAMES = (
    "show DIR --node c --json",
    "show DIR --trace A5s",
    "solve-spot --from DIR --node c:x --board QsTs5s --estimate",
    "GET /api/flops/ID?n=c:x",
)
_OF_JOINT = (
    "show DIR --node c:x:QsTs5s:x --json",
    "show DIR --node c:x:QsTs5s --by card",
    "GET /api/node/ID?n=c:x:QsTs5s:x:x:2c",
    "lab judge DIR",
)
_OF_VALUES = ("show DIR --flops", "show DIR --hand AA", "show DIR --check --flops")
_OF_REPORTS = ("report DIR --line x", "report DIR --line x --where suits=monotone --json")
_OF_BUCKETS = ("abstraction bucket DIR --board AhKsQd --hand JcTc",)

#: Marks what no answer may hold.
SECRET = "years-of-work-of-somebody-else"


class Sample(NamedTuple):
    """A result: its files by path, and what opens it."""

    files: Mapping[str, bytes]
    openers: Sequence[str]

    @property
    def bundles(self) -> list[str]:
        """Where its bundles are, such as ``preflop/``, or nothing for the result itself."""
        return [path.removesuffix(MANIFEST_FILE) for path in self.files if _is_manifest(path)]


def _is_manifest(path: str) -> bool:
    return path.rpartition("/")[2] == MANIFEST_FILE


@cache
def samples() -> Mapping[str, Sample]:
    """Returns a small result of every kind, of the schema now and of the one before."""
    with tempfile.TemporaryDirectory(prefix="runout-fuzz-") as scratch:
        root = Path(scratch)
        solve_spot(directory=root / "river", **_RIVER)
        solve_spot(directory=root / "flop", **_FLOP)
        solve_preflop(parse_config(_JOINT, RunConfig)).save(root / "joint")
        old = ("buckets", "report", "values_bucketed", "pushfold", "flop_compact", "river")
        for name in old:
            with tarfile.open(_OLD / f"{name}.tar.xz") as archive:
                archive.extractall(root / "old", filter="data")
        openers = {
            "river": _OF_SPOTS,
            "flop": (*_OF_SPOTS, *_OF_FLOPS),
            "joint": (*_OF_GAMES, *_OF_JOINT),
            "old/buckets": _OF_BUCKETS,
            "old/report": _OF_REPORTS,
            "old/values_bucketed": _OF_VALUES,
            "old/pushfold": _OF_GAMES[:2],
            "old/flop_compact": (*_OF_SPOTS, *_OF_FLOPS),
            "old/river": _OF_SPOTS,
        }
        return {
            name: Sample(_files_below(root / name), (*_OF_ALL, *own))
            for name, own in openers.items()
        }


def _files_below(directory: Path) -> dict[str, bytes]:
    files = (path for path in sorted(directory.rglob("*")) if path.is_file())
    return {path.relative_to(directory).as_posix(): path.read_bytes() for path in files}


# What is changed: new contents by path, or what stands in the place of a file.


@dataclass(frozen=True)
class NoFile:
    """What is where a file should be: ``nothing``, or a link, pipe, directory or sparse file."""

    kind: str


Change = Mapping[str, bytes | NoFile]


def forge(rng: random.Random, sample: Sample) -> Change:
    """Returns a forgery of one file, or now and then of several."""
    changed: dict[str, bytes | NoFile] = {}
    for _ in range(rng.choice((1, 1, 1, 2))):
        path = rng.choice(list(sample.files))
        if rng.random() < 0.06:
            changed[path] = NoFile(rng.choice(("nothing", "link", "pipe", "directory", "sparse")))
        else:
            changed[path] = _other_content(rng, sample, path)
    is_signed = rng.random() < 0.93
    return _sign_all(sample, changed) if is_signed else changed


def _other_content(rng: random.Random, sample: Sample, path: str) -> bytes:
    content = sample.files[path]
    if path.endswith(".npy"):
        return _other_array_file(rng, content)
    if path.endswith((".json", ".result")) and rng.random() < 0.8:
        try:
            document = mutate_document(rng, json.loads(content))
        except ValueError:
            return mutate_bytes(rng, content, [content])
        text = json.dumps(document)
        if rng.random() < 0.05:
            text = rng.choice(("[" * 100_000, "NaN", '{"a": 1e999}', '{"a": NaN}', "9" * 5000))
        return text.encode("utf-8", "surrogatepass")
    if path.endswith(".yaml") and rng.random() < 0.8:
        return mutate_text(rng, content.decode(), [content.decode()]).encode("utf-8", "replace")
    return mutate_bytes(rng, content[:200_000], [content[:5000]])


_BAD_NUMBERS = (np.nan, np.inf, -np.inf, -1.0, 1e308, 1e-40, 1e-320, 0.0, 255.0, 32767.0, 2.0**31)


def _other_array_file(rng: random.Random, content: bytes) -> bytes:
    length = 10 + int.from_bytes(content[8:10], "little")
    match rng.randrange(8):
        case 0:
            header = mutate_text(rng, content[10:length].decode("latin-1"), HEADERS)
            encoded = header.encode("latin-1", "replace")
            size = min(len(encoded), 0xFFFF).to_bytes(2, "little")
            return content[:8] + size + encoded + content[length:]
        case 1:
            return save_array(other_array(rng))
        case 2:
            return content[:length] + mutate_bytes(rng, content[length:], [content])
    array = np.load(io.BytesIO(content), allow_pickle=False)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        match rng.randrange(5):
            case 0:  # other numbers in some places
                array = array.copy()
                flat = array.reshape(-1)
                for _ in range(rng.choice((1, 3, 1000))):
                    if flat.size:
                        bad = np.float64(rng.choice(_BAD_NUMBERS))
                        flat[rng.randrange(flat.size)] = bad.astype(array.dtype)
            case 1:  # another type, of the same size or not
                kinds = ("|O", "<f4", "<f8", ">f8", "<i8", "|u1", "<u2", "<c8", "<m8[s]", "|S8")
                dtype = np.dtype(rng.choice(kinds))
                if dtype.hasobject:
                    return _with_object_dtype(content, length, array)
                array = array.astype(dtype) if dtype.kind != "m" else np.zeros(array.shape, dtype)
            case 2:  # another shape
                array = rng.choice(
                    (array.T, array.ravel(), array[:-1], array[None], array[..., :1])
                )
            case 3:
                array = np.full(array.shape, rng.choice(_BAD_NUMBERS)).astype(array.dtype)
            case _:
                array = np.concatenate([array, array]) if array.ndim else np.zeros(3)
    return save_array(np.asarray(array))


def _with_object_dtype(content: bytes, length: int, array: Any) -> bytes:
    """Returns a file whose bytes, taken as pointers, would end the process."""
    size = array.size * array.itemsize // 8
    header = f"{{'descr': '|O', 'fortran_order': False, 'shape': ({size},), }}"
    padded = header.encode().ljust(117) + b"\n"
    return content[:8] + len(padded).to_bytes(2, "little") + padded + content[length:][: 8 * size]


def _sign_all(sample: Sample, changed: Mapping[str, bytes | NoFile]) -> Change:
    """Returns the same with manifests, and lists of blocks, that say what the files hold."""
    signed = dict(changed)
    for place in sample.bundles:
        inside = [path for path in changed if path.startswith(place)]
        name = f"{place}{MANIFEST_FILE}"
        given = changed.get(name, sample.files[name])
        if not inside or isinstance(given, NoFile):
            continue
        try:
            manifest = json.loads(given)
            _describe_files(sample, place, manifest, signed)
            signed[name] = sign(manifest)
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            continue  # a manifest that lists no files stays as it is
    return signed


def _describe_files(
    sample: Sample, place: str, manifest: Any, signed: dict[str, bytes | NoFile]
) -> None:
    """Notes size, digest, dtype and shape of the files of a bundle, and makes a list of blocks."""
    contents = {**sample.files, **signed}
    blocks = []
    entries = [(CONFIG_FILE, manifest["config"])]
    entries += [(f"{name}.npy", entry) for name, entry in manifest["arrays"].items()]
    entries += [(f"{name}.json", entry) for name, entry in manifest["documents"].items()]
    for name, entry in entries:
        content = contents.get(f"{place}{name}")
        if entry is None or not isinstance(content, bytes):
            continue
        if f"{place}{name}" in signed:
            entry |= {"size_bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
            entry |= described(content) if name.endswith(".npy") else {}
        if name.endswith(".npy"):
            blocks += [content[at:][:BLOCK_BYTES] for at in range(0, len(content), BLOCK_BYTES)]
    if manifest.get("blocks") is not None and f"{place}{BLOCKS_FILE}" not in signed:
        listed = b"".join(hashlib.sha256(block).digest() for block in blocks)
        signed[f"{place}{BLOCKS_FILE}"] = listed
        digest = hashlib.sha256(listed).hexdigest()
        manifest["blocks"] |= {"size_bytes": len(listed), "sha256": digest}


# A result on the disk of this process, and how it is opened.


class Desk:
    """A result that is changed, opened and put back."""

    def __init__(self, name: str) -> None:
        """Writes a sample into a directory of its own."""
        self.name, self.sample = name, samples()[name]
        self._scratch = tempfile.TemporaryDirectory(prefix="runout-fuzz-")
        root = Path(self._scratch.name)
        self.outside, self.given, self.output = root / "outside", root / "given", root / "output"
        self.directory = self.given / "result"
        self.outside.mkdir()
        self.put_back()

    def put_back(self) -> None:
        """Writes all files that are not as they were."""
        secret = self.outside / "secret"
        if not secret.exists() or secret.read_text() != SECRET:
            secret.write_text(SECRET)
        known = {self.directory / path for path in self.sample.files}
        for place in sorted(self.given.rglob("*"), reverse=True):
            if place.is_symlink() or not (place.is_dir() or place in known):
                place.unlink()
            elif place.is_dir() and not any(place in path.parents for path in known):
                shutil.rmtree(place)
        for path, content in self.sample.files.items():
            file = self.directory / path
            is_whole = file.is_file() and file.stat().st_size == len(content)
            if is_whole and file.read_bytes() == content:
                continue
            if file.is_dir():
                file.rmdir()
            file.unlink(missing_ok=True)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)

    def change(self, change: Change) -> None:
        """Writes a forgery."""
        for path, content in change.items():
            file = self.directory / path
            if isinstance(content, bytes):
                file.write_bytes(content)
                continue
            file.unlink()
            match content.kind:
                case "link":
                    file.symlink_to(self.outside / "secret")
                case "pipe":
                    os.mkfifo(file)
                case "directory":
                    file.mkdir()
                case "sparse":
                    with file.open("wb") as opened:
                        opened.truncate(2**33)

    def open(self, opener: str) -> tuple[int, str]:
        """Returns exit code or status, and the answer; raises whatever is no answer."""
        is_request = opener.startswith("GET ")
        status, answer = self._request(opener[4:]) if is_request else self._command(opener)
        files = list(self.outside.iterdir())
        assert [file.name for file in files] == ["secret"], f"outside there are {files}"
        assert files[0].read_text() == SECRET, "a file outside was written"
        assert SECRET not in answer, "a file outside was read"
        return status, answer

    def _command(self, opener: str) -> tuple[int, str]:
        shutil.rmtree(self.output, ignore_errors=True)
        places = {"DIR": str(self.directory), "OUT": str(self.output)}
        words = [places.get(word, word.replace("DIR", places["DIR"])) for word in opener.split()]
        result = CliRunner().invoke(app, words)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert result.exit_code in (0, 2), f"exit code {result.exit_code}"
        if result.exit_code == 2:
            errors = [line for line in result.stderr.splitlines() if line.startswith("error: ")]
            assert len(errors) == 1, f"{len(errors)} errors"
            return 2, ""
        if "--json" in words:
            json.loads(result.stdout, parse_constant=_refuse_constant)
        return 0, result.stdout

    def _request(self, path: str) -> tuple[int, str]:
        library = Library([self.given])
        ids = [run.id for run in library.runs.values()] or ["none"]
        explorer = make_app(Explorer(library), Guard(LOOPBACK_NAMES))
        client = TestClient(explorer, "http://127.0.0.1", raise_server_exceptions=True)
        answer = client.get(path.replace("ID", ids[0]))
        assert answer.status_code < 500, f"status {answer.status_code}"
        json.loads(answer.text, parse_constant=_refuse_constant)
        return answer.status_code, answer.text


def _refuse_constant(text: str) -> float:
    raise AssertionError(f"the answer has {text}")


@cache
def desk(name: str) -> Desk:
    """Returns the desk of this process for a sample."""
    return Desk(name)


def bundle_kinds() -> list[Kind]:
    """Returns the kind of forged bundles, an input being a sample, its opener and a number."""
    return [Kind("forged bundles", 0.02, _make, _read)]


#: Solving takes seconds, so it is tried less often.
_SLOW = ("lab judge", "solve-spot -c", "export-site")


def _make(rng: random.Random) -> tuple[str, str, int]:
    name = rng.choice(list(samples()))
    opener = rng.choice(samples()[name].openers)
    if opener.startswith(_SLOW) and rng.random() < 0.8:
        opener = samples()[name].openers[0]
    return name, opener, rng.randrange(2**32)


def _read(given: tuple[str, str, int]) -> object:
    name, opener, number = given
    place = desk(name)
    try:
        place.change(forge(random.Random(number), place.sample))
        return place.open(opener)[0]
    finally:
        place.put_back()
