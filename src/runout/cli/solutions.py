"""Saved preflop solutions: opening them, and the options that name their nodes."""

from pathlib import Path
from typing import Annotated

import typer

from runout.cli.options import read_path
from runout.results.preflop_bundle import load_solution
from runout.storage.bundle import read_manifest
from runout.storage.manifest import MANIFEST_FILE
from runout.views.preflop_view import PreflopView
from runout.views.quality import Provenance

#: The folders of the bundles in the directory of a run, as in `runout.pipeline.run`, which takes
#: numba to import.
SOLUTION_FOLDER = "preflop"
VALUES_FOLDER = "values"

#: A hand that plays towards a node less often than this is not shown there.
SMALLEST_REACH = 5e-4

SolutionArgument = Annotated[
    Path, typer.Argument(metavar="DIR", parser=read_path, help="What `runout solve-preflop` wrote.")
]
NodeOption = Annotated[
    str | None,
    typer.Option("--node", "-n", metavar="PATH", help="Actions from the start, such as r2.5-c."),
]


def open_solution(path: Path) -> PreflopView:
    """Opens the solution of a run's directory, or of the bundle itself.

    Raises:
        BundleError: if it is missing, damaged, or of another kind or version.
    """
    bundle = find_bundle(path, SOLUTION_FOLDER)
    return PreflopView(load_solution(bundle), Provenance.of(read_manifest(bundle)))


def find_bundle(path: Path, folder: str) -> Path:
    """Returns where the bundle of a folder is, if the path is a run's directory, or else the path.

    Whether there is a bundle at all is found out when it is opened.
    """
    inside = path / folder
    is_run = (inside / MANIFEST_FILE).exists() and not (path / MANIFEST_FILE).exists()
    return inside if is_run else path
