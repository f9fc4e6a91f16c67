"""Small commands whose work is kept on the way, and what their results are, bit by bit."""

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from runout.solutions.values import FlopReport
from runout.storage.bundle import has_bundle, load_bundle, read_manifest
from runout.storage.ledger import ENTRY_ENDING

FLOPS = """\
postflop_model:
  solve_type: exhaustive
  fixed_flops: [AhKsQd, 2c3h4d, 7h7d2s]
  postflop_sprs: [1.0]
  bet_sizes: [1.0]
  max_raises_per_street: 0
  postflop_solve_iterations: 3
"""
OTHER_FLOPS = FLOPS.replace("postflop_solve_iterations: 3", "postflop_solve_iterations: 2")
LIMPS = """\
preflop:
  stacks_bb: 10
  raise_sizes: [[3bb]]
  raise_cap: 1
iterations: 10
postflop_model:
  solve_type: exhaustive
  fixed_flops: [AhKsQd, 2c3h4d]
  postflop_sprs: auto
  bet_sizes: [1.0]
  max_raises_per_street: 0
  postflop_solve_iterations: 2
"""
TURN = """\
board: QsJh2h8c
oop: AA,QQ,JTs
ip: KK,T9s
pot: 20
stack: 60
max_raises_per_street: 1
target: null
max_iterations: 25
checkpoint_minutes: 0.0001
"""
RIVER = """\
board: 2c3d4h8s9c
oop: AA,QQ
ip: KK
pot: 100
stack: 100
precision: 16
target: 0.0001%
max_iterations: 3000
checkpoint_minutes: 0.0001
"""
OTHER_RIVER = RIVER.replace("pot: 100", "pot: 80").replace("3000", "10")

Names = dict[str, str]


@dataclass(frozen=True)
class Job:
    """A command that writes into ``DIRECTORY/out`` and goes on when it is given again.

    Attributes:
        name: in the table of results.
        words: the command, without its config and directory.
        config: the text of its config, if it has one.
        before: the text of the config of an earlier result that it replaces, if it does.
        folders: where bundles are in the result; one is the result itself.
    """

    name: str
    words: tuple[str, ...]
    config: str | None = None
    before: str | None = None
    folders: tuple[str, ...] = (".",)
    extra: tuple[str, ...] = field(default=())

    def arguments(self, directory: Path, text: str | None = None) -> list[str]:
        """Returns the command line, for its own config or another."""
        words = [*self.words, "-o", str(directory / "out"), "--workers", "1", *self.extra]
        text = text or self.config
        if text is not None:
            # Next to the directory: everything in it is the command's own.
            file = directory.with_name(
                f"{directory.name}-{hashlib.sha256(text.encode()).hexdigest()[:8]}.yaml"
            )
            file.write_text(text)
            words += ["-c", str(file)]
        return words

    @property
    def is_of_one_process(self) -> bool:
        """Whether a second process is refused instead of helping."""
        return self.words == ("solve-spot",)

    def bundles(self, directory: Path) -> list[Path]:
        """Returns where its bundles are going to be."""
        return [directory / "out" / folder for folder in self.folders]


JOBS = (
    Job("solve-preflop", ("solve-preflop",), LIMPS, folders=("preflop", "values")),
    Job("solve-postflop", ("solve-postflop",), FLOPS),
    Job("solve-spot", ("solve-spot",), TURN),
    Job(
        "solve-postflop --overwrite",
        ("solve-postflop",),
        FLOPS,
        before=OTHER_FLOPS,
        extra=("--overwrite",),
    ),
    Job(
        "solve-spot --overwrite", ("solve-spot",), RIVER, before=OTHER_RIVER, extra=("--overwrite",)
    ),
)


def fingerprint(path: Path) -> Names:
    """Returns digests of all that a bundle holds except times, after a check of every file."""
    manifest = read_manifest(path)
    bundle = load_bundle(path, manifest.kind, manifest.schema_version)
    digests = {"config": hashlib.sha256((bundle.config_text or "").encode()).hexdigest()}
    for name, array in bundle.arrays.items():
        if name.startswith("reports"):
            column = list(FlopReport.__dataclass_fields__).index("seconds")
            array = np.delete(array, column, axis=1)
        digests[name] = hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()
    for name, document in bundle.documents.items():
        digests[name] = json.dumps(_without_times(document), sort_keys=True)
    return digests


def fingerprints(paths: list[Path]) -> dict[str, Names]:
    """Returns the fingerprints of the bundles that are there, by folder name."""
    return {path.name: fingerprint(path) for path in paths if has_bundle(path)}


def finished_parts(directory: Path) -> dict[str, str]:
    """Returns the digest of every finished part that waits for its result, by its path."""
    return {
        str(file.relative_to(directory)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in directory.rglob(f"*{ENTRY_ENDING}")
        if file.is_file()
    }


def iterations_of(path: Path) -> int:
    """Returns how far the spot at a path is solved, -1 if there is none or it is no spot."""
    if not has_bundle(path):
        return -1
    manifest = read_manifest(path)
    if manifest.kind != "spot":
        return -1
    report = load_bundle(path, manifest.kind, manifest.schema_version, verify=False).documents
    return int(report["report"]["iterations"])


def _without_times(document):
    if isinstance(document, dict):
        return {key: _without_times(value) for key, value in document.items() if key != "seconds"}
    if isinstance(document, list):
        return [_without_times(value) for value in document]
    return document
