"""Any solution by its path: a spot, or a run with its flops."""

from pathlib import Path

from runout.errors import BundleError
from runout.results.preflop_bundle import KIND as PREFLOP_KIND
from runout.results.run_folders import SOLUTION_FOLDER, find_bundle
from runout.storage.bundle import read_manifest
from runout.views.run_view import RunView, open_run
from runout.views.spot_bundle import KIND as SPOT_KIND
from runout.views.spot_bundle import load_spot
from runout.views.stored_spot import StoredSpot


def open_solution(path: Path | str) -> RunView | StoredSpot:
    """Opens what was solved, without a solver: ``open_solution("runs/river").node("x:b59")``.

    Args:
        path: the directory that `solve-spot` or `solve-preflop` wrote.

    Raises:
        BundleError: if nothing is there, it is damaged, or holds no solution.
    """
    bundle = find_bundle(Path(path), SOLUTION_FOLDER)
    kind = read_manifest(bundle).kind
    if kind == SPOT_KIND:
        return load_spot(bundle)
    if kind == PREFLOP_KIND:
        return open_run(path)
    raise BundleError(str(path), f"is of kind {kind!r}, expected a spot or a preflop solution")
