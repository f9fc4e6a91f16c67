"""Where a joint solve stands: all tables, so that it goes on with the same bits.

    commit/          the iteration, the tables before the flop, and which of these is in force:
    flops-N/flopF/   the tables of flop F after iteration N

Flops are saved by whoever plays them, maybe on several machines, and the commit comes last. Until
it is there the one before it counts, with its flops.
"""

import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np

from runout.arrays import AnyArray
from runout.errors import BundleError
from runout.preflop.joint.joint_leaves import LearningLeaves
from runout.preflop.solver import PreflopSolver
from runout.storage.autosave import Finish
from runout.storage.bundle import has_bundle, load_bundle
from runout.storage.writer import BundleWriter
from runout.version import __version__

KIND = "joint_checkpoint"
SCHEMA_VERSION = 2

_COMMIT = "commit"
_FLOPS = "flops-"
_STATE = "state"


def has_commit(directory: Path) -> bool:
    """Returns whether a solve can go on from a directory."""
    return has_bundle(directory / _COMMIT)


def flops_directory(directory: Path, iteration: int) -> Path:
    """Returns where flops are saved after an iteration."""
    return directory / f"{_FLOPS}{iteration}"


def begin_saving(
    directory: Path,
    solver: PreflopSolver,
    leaves: LearningLeaves,
    seconds: float,
    digest: str,
) -> Finish:
    """Copies all tables into files, and returns what makes a checkpoint of them.

    Learning may go on before that is called, by whichever thread.

    Args:
        directory: of the checkpoint; an earlier one is replaced.
        solver: of the whole game.
        leaves: its leaves.
        seconds: time that the solve has taken so far.
        digest: stands for everything that decides the game.

    Raises:
        BundleError: if they cannot be written.
    """
    flops = flops_directory(directory, solver.cfr.iteration)
    finish_flops = leaves.players.begin_saving(flops)
    with ExitStack() as stack:
        writer = stack.enter_context(
            BundleWriter(
                directory / _COMMIT,
                kind=KIND,
                schema_version=SCHEMA_VERSION,
                package_version=__version__,
                config_digest=digest,
                overwrite=True,
            )
        )
        for name, array in _tables(solver, leaves):
            writer.add_array(name, array)
        state = {
            "iteration": solver.cfr.iteration,
            "seconds": seconds,
            "curve_mbb": list(solver.curve_mbb.items()),
            "flops": flops.name,
        }
        writer.add_document(_STATE, state)
        still_open = stack.pop_all()

    def finish() -> None:
        with still_open:
            finish_flops()
            writer.commit()
        for other in directory.glob(f"{_FLOPS}*"):
            if other != flops:
                shutil.rmtree(other, ignore_errors=True)

    return finish


def restore(directory: Path, solver: PreflopSolver, leaves: LearningLeaves, digest: str) -> float:
    """Goes on where a saved solve of the same game was; returns the seconds it had taken.

    Raises:
        BundleError: if it is missing, damaged, of another version, or of another game.
    """
    path = directory / _COMMIT
    bundle = load_bundle(path, KIND, SCHEMA_VERSION)
    if bundle.manifest.config_digest != digest:
        raise BundleError(str(path), "is the checkpoint of another game")
    try:
        state, arrays = bundle.documents[_STATE], bundle.arrays
        for name, table in _tables(solver, leaves):
            np.copyto(table, arrays[name], casting="no")
        learned = {name: table.copy() for name, table in solver.learned().items()}
        curve = {int(iteration): float(mbb) for iteration, mbb in state["curve_mbb"]}
        solver.restore(learned, int(state["iteration"]), curve)
        leaves.iteration = int(state["iteration"])
        leaves.players.restore(directory / str(state["flops"]))
        return float(state["seconds"])
    except (KeyError, TypeError, ValueError) as error:
        raise BundleError(str(path), f"lacks or garbles {error}") from error


def _tables(solver: PreflopSolver, leaves: LearningLeaves) -> Iterator[tuple[str, AnyArray]]:
    """Yields the name of every table of this process and the table itself."""
    for name, table in solver.learned().items():
        yield f"preflop_{name}", table
    yield "num_visits", leaves.num_visits
