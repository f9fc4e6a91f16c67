"""The flops of a joint game, or some of them: played with the reach that arrives, and learned from.

Whoever has a flop has all of its leaves, with their tables. What hands win is told flop by flop, so
that sums can be made in one order however the flops are divided.
"""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, NamedTuple, Protocol, TypeVar

import numpy as np

from runout.arrays import AnyArray, Float32Array, FloatArray
from runout.cards.canonical_hands import HAND_BY_COMBO, NUM_HANDS
from runout.cfr.parallel import Team
from runout.errors import BundleError
from runout.holdem.street_kernels import Step
from runout.preflop.joint.flop_deals import PAIRS_BESIDE_A_FLOP
from runout.preflop.joint.subgames import Playable, Subgame
from runout.storage.autosave import Finish
from runout.storage.bundle import load_bundle
from runout.storage.writer import BundleWriter
from runout.trees.preflop_tree import postflop_position
from runout.version import __version__

#: What is visited: subgames that learn, or others.
Played = TypeVar("Played", bound=Playable)

FLOP_KIND = "joint_flop_checkpoint"
FLOP_SCHEMA_VERSION = 1


class FlopVisit(NamedTuple):
    """A flop to play, at all of its leaves.

    Attributes:
        flop: its number in the game.
        step: what is played, and whether to learn from it.
    """

    flop: int
    step: Step


class FlopPlayers(Protocol):
    """Whoever plays the flops of a joint game."""

    @property
    def is_zero_sum(self) -> bool:
        """Whether what one player wins is what the other loses, but for rounding."""

    def play(self, player: int, visits: Sequence[FlopVisit], reach: FloatArray) -> FloatArray:
        """Returns ``[n, L, 169]`` what a player's hands win on each flop at each leaf, in pots.

        Args:
            player: `SB` or `BB`.
            visits: the n flops.
            reach: ``[L, 169]`` the opponent's own reach of each leaf.
        """


class LearningFlops(FlopPlayers, Protocol):
    """Whoever plays flops and learns from it."""

    @property
    def subgames(self) -> Sequence[Sequence[Subgame]]:
        """For each flop of the game, one for each of the tree's flop leaves."""

    def begin_saving(self, directory: Path) -> Finish:
        """Copies all tables into files, and returns what makes bundles of them."""

    def restore(self, directory: Path) -> None:
        """Fills all tables with what was saved."""


@dataclass(eq=False)
class PlayedFlops(Generic[Played]):
    """Flops that are played in this process.

    Attributes:
        weights: share of each flop, by its number in the game.
        subgames: for each of these flops, one for each of the tree's flop leaves.
        team: threads that share the subgames.
    """

    weights: Mapping[int, float]
    subgames: Sequence[Sequence[Played]]
    team: Team = field(default_factory=Team)

    def __post_init__(self) -> None:
        self._place = {flop: place for place, flop in enumerate(self.weights)}
        self._hand = [HAND_BY_COMBO[games[0].combos] for games in self.subgames if games]

    @property
    def is_zero_sum(self) -> bool:
        """Whether what one player wins is what the other loses, but for rounding."""
        return self.are_zero_sum()

    def are_zero_sum(self) -> bool:
        """Returns the same; what shards are asked for are methods."""
        return all(subgame.is_zero_sum for of_flop in self.subgames for subgame in of_flop)

    def play(self, player: int, visits: Sequence[FlopVisit], reach: FloatArray) -> FloatArray:
        """Returns ``[n, L, 169]`` what a player's hands win on each flop at each leaf, in pots."""
        won = np.zeros((len(visits), len(reach), NUM_HANDS))
        # The longest first, so that nobody is left with a long one at the end.
        order = sorted(
            itertools.product(range(len(visits)), range(len(reach))),
            key=lambda pair: -self.subgames[self._place[visits[pair[0]].flop]][pair[1]].cost,
        )
        next_in_order = itertools.count()

        def work(worker: int) -> None:
            while (position := next(next_in_order)) < len(order):
                number, leaf = order[position]
                visit = visits[number]
                hand = self._hand[self._place[visit.flop]]
                value = self._visit(visit, leaf, player, reach[leaf], worker)
                by_combo = value[: len(hand)].astype(np.float64)
                won[number, leaf] = np.bincount(hand, by_combo, NUM_HANDS)

        self.team.run(work, range(self.team.num_workers))
        return won

    def begin_saving(self: "PlayedFlops[Subgame]", directory: Path) -> Finish:
        """Copies all tables into files, and returns what makes bundles of them.

        Learning may go on before that is called, by whichever thread.

        Args:
            directory: gets a bundle for each flop.

        Raises:
            BundleError: if they cannot be written.
        """
        with ExitStack() as stack:
            writers = []
            for flop, place in self._place.items():
                writer = stack.enter_context(
                    BundleWriter(
                        flop_path(directory, flop),
                        kind=FLOP_KIND,
                        schema_version=FLOP_SCHEMA_VERSION,
                        package_version=__version__,
                        overwrite=True,
                    )
                )
                for name, array in tables_of(self.subgames[place]):
                    writer.add_array(name, array)  # at once: maps of files would count as memory
                writers.append(writer)
            still_open = stack.pop_all()

        def finish() -> None:
            with still_open:
                for writer in writers:
                    writer.commit()

        return finish

    def save(self: "PlayedFlops[Subgame]", directory: Path) -> None:
        """Saves all tables."""
        self.begin_saving(directory)()

    def restore(self: "PlayedFlops[Subgame]", directory: Path) -> None:
        """Fills all tables with what was saved.

        Raises:
            BundleError: if something is missing or damaged.
        """
        for flop, place in self._place.items():
            read_tables_of(flop_path(directory, flop), self.subgames[place])

    def _visit(
        self, visit: FlopVisit, leaf: int, player: int, reach: FloatArray, worker: int
    ) -> Float32Array:
        """Returns ``[width]`` what a player's combos win on one flop, in pots."""
        place = self._place[visit.flop]
        subgame, hand = self.subgames[place][leaf], self._hand[place]
        arriving = np.zeros(subgame.width, np.float32)
        arriving[: len(hand)] = reach[hand] * (self.weights[visit.flop] / PAIRS_BESIDE_A_FLOP)
        return subgame.visit(postflop_position(player), visit.step, arriving, worker)


def flop_path(directory: Path, flop: int) -> Path:
    """Returns where the tables of a flop are saved."""
    return directory / f"flop{flop}"


def tables_of(subgames: Sequence[Subgame]) -> Iterator[tuple[str, AnyArray]]:
    """Yields the name of every table of a flop, and the table itself."""
    for leaf, subgame in enumerate(subgames):
        for name, array in subgame.learned().items():
            yield f"leaf{leaf}_{name}", array


def read_tables_of(path: Path, subgames: Sequence[Subgame]) -> None:
    """Fills the tables of a flop with what was saved.

    Raises:
        BundleError: if something is missing or damaged.
    """
    arrays = load_bundle(path, FLOP_KIND, FLOP_SCHEMA_VERSION).arrays
    try:
        for name, table in tables_of(subgames):
            np.copyto(table, arrays[name], casting="no")
    except (KeyError, TypeError, ValueError) as error:
        raise BundleError(str(path), f"lacks or garbles {error}") from error


#: Returns the subgames of a flop, by its number in the game.
MakeSubgames = Callable[[int], Sequence[Subgame]]


class SavedSubgames(Sequence[Sequence[Subgame]]):
    """The subgames of all flops, read from where they were saved, one flop at a time."""

    def __init__(self, num_flops: int, make: MakeSubgames, directory: Path) -> None:
        self._num_flops = num_flops
        self._make = make
        self._directory = directory

    def __len__(self) -> int:
        return self._num_flops

    def __getitem__(self, flop: int) -> Sequence[Subgame]:  # type: ignore[override]
        """Returns the subgames of a flop, with what was learned there."""
        if not 0 <= flop < self._num_flops:
            raise IndexError(flop)
        subgames = self._make(flop)
        read_tables_of(flop_path(self._directory, flop), subgames)
        return subgames
