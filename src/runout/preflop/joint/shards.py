"""A joint game divided among shards: each plays some of its flops, with their tables.

An iteration sends the reach of all leaves to every shard and gathers what hands win, flop by flop;
sums are made by whoever asked, in the order of flops. So the result is the one without shards,
bit by bit.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from runout.arrays import FloatArray
from runout.cards.canonical_hands import NUM_HANDS
from runout.cards.isomorphism import suit_stabilizer
from runout.cfr.parallel import Team
from runout.execution.shards import ShardGroup
from runout.execution.tasks import Worker
from runout.preflop.joint.joint_game import JOINT_PROGRAM_BYTES, JointGame
from runout.preflop.joint.played_flops import (
    FlopVisit,
    PlayedFlops,
    SavedSubgames,
)
from runout.preflop.joint.subgames import Subgame
from runout.storage.autosave import Finish


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
        needs = self.game.engine.estimate(cards, self.game.flop_trees, 1)
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
