"""A joint game divided among shards, its checkpoints, and the strategies that it keeps."""

import shutil
from collections.abc import Iterator
from dataclasses import astuple
from pathlib import Path

import numpy as np

from runout.arrays import AnyArray, FloatArray
from runout.cards.deck import HAND_BY_COMBO, format_cards
from runout.cards.flops import suit_stabilizer
from runout.errors import BundleError
from runout.flops.spot_solution import LiveSpot, store_spot
from runout.preflop.joint import JointGame, JointLeaves, Subgame
from runout.preflop.solver import PreflopSolver
from runout.solutions.flop_bundles import FLOPS_KIND, FLOPS_SCHEMA_VERSION, LAYOUT, names_of_flop
from runout.solutions.preflop import PreflopSolution
from runout.storage.bundle import digest_config, has_bundle, load_bundle, reading_contents
from runout.storage.writer import BundleWriter, Finish, begin_bundles
from runout.trees.betting import Street
from runout.trees.layout import NUM_PLAYERS

# Average strategies of a joint solve at every flop leaf on every flop, saved to be opened later.
#
# `runout.solutions.flop_bundles` has the layout, and opens them without a solver.


def save_flop_strategies(
    path: Path,
    leaves: JointLeaves,
    solution: PreflopSolution,
    config_text: str,
    *,
    keep_rivers: bool = True,
    overwrite: bool = False,
) -> None:
    """Writes what was learned after the flop as a bundle, all of it or nothing.

    The solution before the flop says what arrives there. Rivers are kept, or only flops and turns.
    """
    last_street = Street.RIVER if keep_rivers else Street.TURN
    arriving = [solution.arriving_ranges(leaf.node) for leaf in leaves.flop_leaves]
    with BundleWriter(
        path,
        kind=FLOPS_KIND,
        schema_version=FLOPS_SCHEMA_VERSION,
        config_text=config_text,
        config_digest=digest_config(config_text),
        overwrite=overwrite,
    ) as writer:
        bucket_numbers: list[int] = []
        for flop, subgames in enumerate(leaves.subgames):
            ways: list[object] = []
            written: set[str] = set()  # what the leaves of a flop share
            bucket_numbers = []
            for leaf, subgame in enumerate(subgames):
                game = subgame.game
                way = None if game.rivers.is_exact else game.card_tables
                ways += [] if way in ways else [way]
                bucket_numbers.append(ways.index(way))
                parts = names_of_flop(flop, leaf, bucket_numbers[-1]).items()
                names = {part: name for part, name in parts if name not in written}
                live = live_subgame(subgame, arriving[leaf])
                store_spot(writer.create_array, live, names, last_street, np.uint8)
                written.update(names.values())
        layout = {
            "flops": [format_cards(flop) for flop in leaves.flops.flops],
            "weights": leaves.flops.weights.tolist(),
            "leaves": [leaf.path for leaf in leaves.flop_leaves],
            "last_street": last_street.label,
            "bucket_numbers": bucket_numbers,
            "runouts": astuple(leaves.runout_subset),
        }
        writer.add_document(LAYOUT, layout)
        writer.commit()


def live_subgame(subgame: Subgame, arriving: FloatArray) -> LiveSpot:
    """Returns a subgame with what ``arriving[2, 169]`` OOP and IP bring."""
    reach = []
    for player in range(NUM_PLAYERS):
        brought = arriving[1 - player][HAND_BY_COMBO[subgame.combos]]
        row = np.zeros(subgame.width, np.float32)
        # Only ratios matter, and the largest should not be a tiny number.
        row[: len(brought)] = brought / (brought.max() or 1.0)
        reach.append(row)
    return LiveSpot(subgame.game, subgame.tables, reach)


# Where a joint solve stands: all tables, so that it goes on with the same bits.
#
#     commit/          the iteration, the tables before the flop, and which of these is in force:
#     flops-N/flopF/   the tables of flop F after iteration N
#
# Flops are saved where they are played, maybe on several machines, and the commit comes last. Until
# it is there the one before it counts, with its flops.

KIND = "joint_checkpoint"
SCHEMA_VERSION = 3

_COMMIT = "commit"
_FLOPS = "flops-"
_STATE = "state"


def has_commit(directory: Path) -> bool:
    """Returns whether a solve can go on from a directory."""
    return has_bundle(directory / _COMMIT)


def begin_saving(
    directory: Path, solver: PreflopSolver, leaves: JointLeaves, digest: str
) -> Finish:
    """Copies all tables into files, and returns what makes a checkpoint of them.

    Learning may go on before that is called, in any thread. An earlier checkpoint is
    replaced; the digest stands for everything that decides the game.
    """
    flops = directory / f"{_FLOPS}{solver.iteration}"
    finish_flops = leaves.players.begin_saving(flops)
    commit = BundleWriter(
        directory / _COMMIT,
        kind=KIND,
        schema_version=SCHEMA_VERSION,
        config_digest=digest,
        overwrite=True,
    )

    def fill(writer: BundleWriter) -> None:
        for name, array in _tables(solver, leaves):
            writer.add_array(name, array)
        state = {
            "iteration": solver.iteration,
            "seconds": solver.seconds,
            "history_bb": solver.history,
            "flops": flops.name,
        }
        writer.add_document(_STATE, state)

    finish_commit = begin_bundles([(commit, fill)], first=finish_flops)

    def finish() -> None:
        finish_commit()
        for other in directory.glob(f"{_FLOPS}*"):
            if other != flops:
                shutil.rmtree(other, ignore_errors=True)

    return finish


def restore(directory: Path, solver: PreflopSolver, leaves: JointLeaves, digest: str) -> None:
    """Goes on where a saved solve of the same game was."""
    path = directory / _COMMIT
    bundle = load_bundle(path, KIND, SCHEMA_VERSION)
    if bundle.manifest.config_digest != digest:
        raise BundleError(str(path), "is the checkpoint of another game")
    with reading_contents(path):
        state, arrays = bundle.documents[_STATE], bundle.arrays
        for name, table in _tables(solver, leaves):
            np.copyto(table, arrays[name].reshape(table.shape), casting="no")
        solver.street.restore(solver.street.learned())
        solver.iteration = leaves.iteration = int(state["iteration"])
        solver.seconds = float(state["seconds"])
        solver.history = tuple((int(number), float(bb)) for number, bb in state["history_bb"])
        leaves.players.restore(directory / str(state["flops"]))


def _tables(solver: PreflopSolver, leaves: JointLeaves) -> Iterator[tuple[str, AnyArray]]:
    """Yields the name of every table of this process and the table itself."""
    for name, table in solver.street.learned().items():
        yield f"preflop_{name}", table
    yield "num_visits", leaves.num_visits


def divide_flops(game: JointGame, num_shards: int) -> list[tuple[int, ...]]:
    """Returns for each shard its flops, so that all have about as much to do.

    Flops with most different runouts take longest; they are dealt out first, like cards.
    """
    order = sorted(
        range(len(game.flops)), key=lambda flop: len(suit_stabilizer(game.flops.flops[flop]))
    )
    return [tuple(sorted(order[shard::num_shards])) for shard in range(num_shards)]
