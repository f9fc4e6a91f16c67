"""Solutions that lie below the given directories, each with an id that stands for its path.

Nobody outside ever names a path: pages ask for ids, and ids are looked up among what was found.
Symbolic links are not followed, so nothing outside of the directories is found.
"""

import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path

from runout.errors import BundleError, RunoutError
from runout.solutions.flop_bundles import SPOT_KIND
from runout.solutions.preflop import (
    CHECKPOINT_FOLDER,
    FLOPS_FOLDER,
    PREFLOP_KIND,
    REPORT_FOLDER,
    SOLUTION_FOLDER,
    SPOTS_FOLDER,
)
from runout.solutions.reports import REPORT_KIND
from runout.solutions.values import VALUES_KIND
from runout.storage.bundle import MANIFEST_FILE, Manifest, read_manifest

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
    REPORT = "report"


#: By the kind of a bundle, what it is to the page, and its folder if it stands for what is around.
_KINDS = {
    PREFLOP_KIND: (RunKind.PREFLOP, SOLUTION_FOLDER),
    SPOT_KIND: (RunKind.SPOT, None),
    VALUES_KIND: (RunKind.VALUES, None),
    REPORT_KIND: (RunKind.REPORT, REPORT_FOLDER),
}


@dataclass(frozen=True)
class FoundRun:
    """A solution that was found.

    Attributes:
        id: what pages call it.
        name: its directory, below the given one.
        given: what the command line is given to look at it, from where the server was started.
        path: the same on the disk: a bundle, or the directory of a run.
        bundle: where its main bundle is.
        manifest: what the bundle says about itself; None if that cannot be read.
        problem: why it cannot be opened, empty if nothing is known to be wrong.
        report: the id of the report over flops that it belongs to; empty for most.
        spots: of a report, the ids of the flops whose solutions were kept, by flop.
    """

    id: str
    name: str
    given: str
    path: Path
    bundle: Path
    kind: RunKind
    manifest: Manifest | None
    problem: str = ""
    report: str = ""
    spots: dict[str, str] = field(default_factory=dict)


class Library:
    """The given directories and what was found below them at the last look."""

    def __init__(self, directories: Sequence[Path]) -> None:
        """Looks for the first time."""
        for directory in directories:
            if not directory.is_dir():
                raise BundleError(str(directory), "is no directory, give one that holds solutions")
        self.directories = tuple(directories)
        self.runs: dict[str, FoundRun] = {}
        self.look()

    def look(self) -> dict[str, FoundRun]:
        """Looks again; returns what was found by id, in the order of names."""
        found: dict[str, FoundRun] = {}
        num_listed = 0
        for directory in self.directories:
            reports: dict[Path, str] = {}
            for place, inside in _bundles(directory):
                if num_listed == MAX_RUNS:
                    break
                run = self._describe(directory, place, inside, found)
                if run is None:
                    continue
                if run.kind is RunKind.REPORT:
                    reports[run.path / SPOTS_FOLDER] = run.id
                # The folder of a report is found before that of its spots.
                run = replace(run, report=reports.get(run.path.parent, ""))
                if run.report:
                    found[run.report].spots[run.path.name] = run.id
                num_listed += not run.report
                found[run.id] = run
        self.runs = found
        return found

    def _describe(
        self, directory: Path, place: Path, inside: Path, taken: dict[str, FoundRun]
    ) -> FoundRun | None:
        """Returns what a bundle is to the page, None if it is nothing to look at."""
        try:
            manifest, problem = read_manifest(place), ""
        except RunoutError as error:
            manifest, problem = None, error.problem
        # What cannot be read is listed as if it were a spot.
        known = _KINDS.get(SPOT_KIND if manifest is None else manifest.kind)
        if known is None:
            return None
        kind, folder = known
        is_in_run = place.name == folder
        path, inside = (place.parent, inside.parent) if is_in_run else (place, inside)
        has_flops = is_in_run and (path / FLOPS_FOLDER / MANIFEST_FILE).is_file()
        kind = RunKind.JOINT if kind is RunKind.PREFLOP and has_flops else kind
        # Below the given directory; below one of several, with its name.
        name, own = inside.as_posix(), Path(os.path.realpath(directory)).name
        if len(self.directories) > 1:
            name = (Path(own) / inside).as_posix()
        elif not inside.parts:
            name = own
        return FoundRun(
            id=_make_id(name, taken),
            name=name,
            given=(directory / inside).as_posix(),
            path=path,
            bundle=place,
            kind=kind,
            manifest=manifest,
            problem=problem,
        )

    def get(self, run_id: str) -> FoundRun:
        """Returns the solution with an id, and looks again if there was none."""
        run = self.runs.get(run_id) or self.look().get(run_id)
        if run is None:
            raise BundleError("solution", "there is none of this name, it may have been removed")
        return run


def _bundles(directory: Path) -> Iterator[tuple[Path, Path]]:
    """Yields every directory that holds a manifest, absolute and below the given one."""
    root = Path(os.path.realpath(directory))
    for place, folders, files in os.walk(root):
        inside = Path(place).relative_to(root)
        is_deep = len(inside.parts) >= MAX_DEPTH
        seen = (name for name in folders if not name.startswith(".") and name != CHECKPOINT_FOLDER)
        folders[:] = [] if is_deep else sorted(seen)
        if MANIFEST_FILE in files:
            folders.clear()
            yield Path(place), inside


def _make_id(name: str, taken: dict[str, FoundRun]) -> str:
    """Returns letters and digits of a name; names that look the same get digits of their own."""
    tidy = re.sub(r"[^A-Za-z0-9.]+", "-", name).strip("-.") or "run"
    if tidy not in taken:
        return tidy
    return f"{tidy}-{hashlib.sha256(os.fsencode(name)).hexdigest()[:_NUM_ID_DIGITS]}"
