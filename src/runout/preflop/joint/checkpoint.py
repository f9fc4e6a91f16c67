"""Where a joint solve stands: all tables, so that it goes on with the same bits."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np

from runout.arrays import AnyArray
from runout.errors import BundleError
from runout.preflop.joint.joint_leaves import JointLeaves
from runout.preflop.joint.subgames import Subgame
from runout.preflop.solver import PreflopSolver
from runout.storage.autosave import Finish
from runout.storage.bundle import load_bundle
from runout.storage.writer import BundleWriter
from runout.version import __version__

KIND = "joint_checkpoint"
SCHEMA_VERSION = 1

_STATE = "state"


def begin_saving(
    path: Path, solver: PreflopSolver, leaves: JointLeaves[Subgame], seconds: float, digest: str
) -> Finish:
    """Copies all tables into files, and returns what makes a bundle of them.

    Learning may go on before that is called, by whichever thread.

    Args:
        path: the bundle; an earlier one is replaced.
        solver: of the whole game.
        leaves: its leaves.
        seconds: time that the solve has taken so far.
        digest: stands for everything that decides the game.

    Raises:
        BundleError: if they cannot be written.
    """
    with ExitStack() as stack:
        writer = stack.enter_context(
            BundleWriter(
                path,
                kind=KIND,
                schema_version=SCHEMA_VERSION,
                package_version=__version__,
                config_digest=digest,
                overwrite=True,
            )
        )
        for name, array in _tables(solver, leaves):
            writer.add_array(name, array)  # written at once: maps of files would count as memory
        state = {
            "iteration": solver.cfr.iteration,
            "seconds": seconds,
            "curve_mbb": list(solver.curve_mbb.items()),
        }
        writer.add_document(_STATE, state)
        still_open = stack.pop_all()

    def finish() -> None:
        with still_open:
            writer.commit()

    return finish


def restore(path: Path, solver: PreflopSolver, leaves: JointLeaves[Subgame], digest: str) -> float:
    """Goes on where a saved solve of the same game was; returns the seconds it had taken.

    Raises:
        BundleError: if it is missing, damaged, of another version, or of another game.
    """
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
        return float(state["seconds"])
    except (KeyError, TypeError, ValueError) as error:
        raise BundleError(str(path), f"lacks or garbles {error}") from error


def _tables(solver: PreflopSolver, leaves: JointLeaves[Subgame]) -> Iterator[tuple[str, AnyArray]]:
    """Yields the name of every table and the table itself."""
    for name, table in solver.learned().items():
        yield f"preflop_{name}", table
    yield "num_visits", leaves.num_visits
    for flop, subgames in enumerate(leaves.subgames):
        for leaf, subgame in enumerate(subgames):
            for name, array in subgame.learned().items():
                yield f"flop{flop}_leaf{leaf}_{name}", array
