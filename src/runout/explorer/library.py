"""Solutions that lie below the given directories, each with an id that stands for its path.

Nobody outside ever names a path: pages ask for ids, and ids are looked up among what was found.
Symbolic links are not followed, so nothing outside of the directories is found.
"""

import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from runout.errors import BundleError, RunoutError
from runout.results import preflop_bundle, value_bundle
from runout.storage.bundle import read_manifest
from runout.storage.manifest import MANIFEST_FILE, Manifest

#: The folders of a run's directory, as in `runout.pipeline.run`, which takes numba to import.
SOLUTION_FOLDER = "preflop"
FLOPS_FOLDER = "flops"

#: What spots and the flops of joint games are saved as, for the same reason.
SPOT_KIND = "spot"
JOINT_KIND = "joint_flops"

#: Directories deeper than this below a given one are not looked at.
MAX_DEPTH = 6
#: More solutions than this are not listed; a page of thousands would help nobody.
MAX_RUNS = 2000

_NUM_ID_DIGITS = 6


class RunKind(StrEnum):
    """What a solution is, for the page."""

    PREFLOP = "preflop"
    JOINT = "joint"
    SPOT = "spot"
    VALUES = "values"


@dataclass(frozen=True)
class FoundRun:
    """A solution that was found.

    Attributes:
        id: what pages call it.
        name: its directory, below the given one.
        path: what the command line is given to look at it: a bundle, or the directory of a run.
        bundle: where its main bundle is.
        kind: what it is.
        manifest: what the bundle says about itself; None if that cannot be read.
        problem: why it cannot be opened, empty if nothing is known to be wrong.
    """

    id: str
    name: str
    path: Path
    bundle: Path
    kind: RunKind
    manifest: Manifest | None
    problem: str = ""


class Library:
    """The given directories and what was found below them at the last look."""

    def __init__(self, directories: Sequence[Path]) -> None:
        """Looks for the first time.

        Raises:
            BundleError: if one of them is no directory.
        """
        for directory in directories:
            if not directory.is_dir():
                raise BundleError(str(directory), "is no directory, give one that holds solutions")
        self.directories = tuple(directories)
        self.runs: dict[str, FoundRun] = {}
        self.look()

    def look(self) -> dict[str, FoundRun]:
        """Looks again; returns what was found by id, in the order of names."""
        found: dict[str, FoundRun] = {}
        for place, name in self._bundles():
            if len(found) == MAX_RUNS:
                break
            run = _describe(place, name, _make_id(name, found))
            if run is not None:
                found[run.id] = run
        self.runs = found
        return found

    def get(self, run_id: str) -> FoundRun:
        """Returns the solution with an id, and looks again if there was none.

        Raises:
            BundleError: if there is none.
        """
        run = self.runs.get(run_id) or self.look().get(run_id)
        if run is None:
            raise BundleError("solution", "there is none of this name, it may have been removed")
        return run

    def _bundles(self) -> Iterator[tuple[Path, str]]:
        """Yields every directory that holds a manifest, with its name."""
        for directory in self.directories:
            root = Path(os.path.realpath(directory))
            for place, folders, files in os.walk(root):
                path = Path(place)
                depth = len(path.relative_to(root).parts)
                folders[:] = sorted(
                    folder
                    for folder in folders
                    if not folder.startswith(".") and depth < MAX_DEPTH and folder != "checkpoints"
                )
                if MANIFEST_FILE in files:
                    folders.clear()
                    yield path, _name(directory, root, path)


def _name(directory: Path, root: Path, path: Path) -> str:
    inside = path.relative_to(root)
    return (directory / inside).as_posix() if inside.parts else (str(directory) or root.name)


def _make_id(name: str, taken: dict[str, FoundRun]) -> str:
    """Returns letters and digits of a name; names that look the same get digits of their own."""
    tidy = re.sub(r"[^A-Za-z0-9.]+", "-", name).strip("-.") or "run"
    if tidy not in taken:
        return tidy
    return f"{tidy}-{hashlib.sha256(name.encode()).hexdigest()[:_NUM_ID_DIGITS]}"


def _describe(place: Path, name: str, run_id: str) -> FoundRun | None:
    """Returns what a bundle is to the page, None if it is nothing to look at."""
    try:
        require_plain_files(place, [MANIFEST_FILE])
        manifest = read_manifest(place)
    except RunoutError as error:
        problem = error.problem
        return FoundRun(run_id, name, place, place, RunKind.SPOT, None, problem)
    if manifest.kind == SPOT_KIND:
        return FoundRun(run_id, name, place, place, RunKind.SPOT, manifest)
    if manifest.kind == value_bundle.KIND:
        return FoundRun(run_id, name, place, place, RunKind.VALUES, manifest)
    if manifest.kind != preflop_bundle.KIND:
        return None
    is_in_run = place.name == SOLUTION_FOLDER
    path = place.parent if is_in_run else place
    has_flops = is_in_run and (path / FLOPS_FOLDER / MANIFEST_FILE).is_file()
    kind = RunKind.JOINT if has_flops else RunKind.PREFLOP
    own_name = name.removesuffix(f"/{SOLUTION_FOLDER}") if is_in_run else name
    return FoundRun(run_id.removesuffix("-preflop"), own_name, path, place, kind, manifest)


def require_plain_files(directory: Path, names: Sequence[str]) -> None:
    """Refuses a directory in which one of the files is a link to somewhere else, or no file.

    Raises:
        BundleError: naming the first.
    """
    for name in names:
        place = directory / name
        if place.is_symlink() or not place.is_file():
            raise BundleError(str(place), "is no plain file of this bundle")
