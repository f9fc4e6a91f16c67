"""A joint game divided among shards, and its checkpoints."""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from runout.arrays import AnyArray, FloatArray
from runout.cards.deck import NUM_HANDS
from runout.cards.flops import suit_stabilizer
from runout.cfr.team import Team
from runout.errors import BundleError
from runout.execution.tasks import ShardGroup, Worker
from runout.preflop.joint import JOINT_PROGRAM_BYTES, JointGame, LearningLeaves
from runout.preflop.solver import PreflopSolver
from runout.preflop.subgames import (
    FlopVisit,
    PlayedFlops,
    SavedSubgames,
    Subgame,
    estimate_subgames,
)
from runout.storage.bundle import has_bundle, load_bundle
from runout.storage.writer import BundleWriter, Finish

# Where a joint solve stands: all tables, so that it goes on with the same bits.
#
#     commit/          the iteration, the tables before the flop, and which of these is in force:
#     flops-N/flopF/   the tables of flop F after iteration N
#
# Flops are saved by whoever plays them, maybe on several machines, and the commit comes last. Until
# it is there the one before it counts, with its flops.

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


# A joint game divided among shards: each plays some of its flops, with their tables.
#
# An iteration sends the reach of all leaves to every shard and gathers what hands win, flop by
# flop; sums are made by whoever asked, in the order of flops. So the result is the one without
# shards, bit by bit.


@dataclass(frozen=True, eq=False)
class JointShards:
    """Makes the shards of a joint game; see `ShardJob`.

    Attributes:
        game: what is solved.
    """

    game: JointGame

    def start(self, part: Sequence[int], worker: Worker) -> PlayedFlops[Subgame]:
        """Allocates the tables of some flops, by their numbers in the game."""
        return self.game.play_flops(Team.of(worker), part)

    def memory_bytes(self, part: Sequence[int]) -> int:
        """Returns what the tables of some flops need, and the program beside them."""
        cards = [self.game.flops.flops[number] for number in part]
        needs = estimate_subgames(self.game.backend, cards, self.game.flop_trees, 1)
        return JOINT_PROGRAM_BYTES + needs.memory.total


def divide_flops(game: JointGame, num_shards: int) -> list[tuple[int, ...]]:
    """Returns for each shard its flops, so that all have about as much to do.

    Flops with most different runouts take longest; they are dealt out first, like cards.
    """
    order = sorted(
        range(len(game.flops)), key=lambda flop: len(suit_stabilizer(game.flops.flops[flop]))
    )
    return [tuple(sorted(order[shard::num_shards])) for shard in range(num_shards)]


class ShardedFlops:
    """The flops of a joint game, played by shards; see `LearningFlops`."""

    def __init__(self, game: JointGame, group: ShardGroup, parts: Sequence[Sequence[int]]) -> None:
        """Takes shards that have started.

        Args:
            game: what they play.
            group: the shards.
            parts: the flops of each.
        """
        self._game = game
        self._group = group
        self._parts = parts
        self._saved: Path | None = None
        self.is_zero_sum = all(group.call("are_zero_sum", [() for _ in parts]))

    @property
    def subgames(self) -> SavedSubgames:
        """For each flop of the game what was last saved of it, read flop by flop."""
        assert self._saved is not None, "nothing was saved"
        return SavedSubgames(len(self._game.flops), self._make_subgames, self._saved)

    def play(self, player: int, visits: Sequence[FlopVisit], reach: FloatArray) -> FloatArray:
        """Returns ``[n, L, 169]`` what a player's hands win on each flop at each leaf, in pots."""
        places = [
            [place for place, visit in enumerate(visits) if visit.flop in part]
            for part in self._parts
        ]
        answers = self._group.call(
            "play", [(player, [visits[place] for place in own], reach) for own in places]
        )
        won = np.zeros((len(visits), len(reach), NUM_HANDS))
        for own, answer in zip(places, answers, strict=True):
            won[own] = answer
        return won

    def begin_saving(self, directory: Path) -> Finish:
        """Saves all tables, each shard its own; nothing is left to do afterwards."""
        self._group.call("save", [(directory,) for _ in self._parts])
        self._saved = directory
        return _do_nothing

    def restore(self, directory: Path) -> None:
        """Fills all tables with what was saved, by however many shards."""
        self._group.call("restore", [(directory,) for _ in self._parts])
        self._saved = directory

    def _make_subgames(self, flop: int) -> Sequence[Subgame]:
        return self._game.play_flops(Team(), [flop]).subgames[0]


def _do_nothing() -> None:
    """Finishes a save that is finished."""
