"""A joint game before it is solved: its trees after the flop, its flops, and what it needs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from runout.cards.flops import FlopList
from runout.cfr.discounting import DCFR_JOINT, DiscountSchedule
from runout.cfr.parallel import Team
from runout.cfr.stopping import StoppingRule
from runout.execution.memory import PROGRAM_BYTES
from runout.postflop.needs import Needs, Saving, limit_seconds
from runout.preflop.joint.flop_deals import FlopDeals
from runout.preflop.joint.flop_sampling import FlopSampler
from runout.preflop.joint.flop_strategies import KEPT_BYTES_PER_CELL, count_value_bytes
from runout.preflop.joint.joint_leaves import JointLeaves, Players
from runout.preflop.joint.played_flops import PlayedFlops
from runout.preflop.joint.subgames import Engine, EngineNeeds, Subgame
from runout.trees.betting import BettingRules, Street
from runout.trees.postflop_tree import PostflopTree
from runout.trees.pot_types import PotType, build_flop_trees
from runout.trees.preflop_tree import PreflopTree

#: The program, with what compiling kernels and preparing flops takes for a while.
JOINT_PROGRAM_BYTES = PROGRAM_BYTES + 280_000_000


@dataclass(frozen=True, eq=False)
class JointGame:
    """Everything that decides a joint game, and nothing about how long it is solved.

    Attributes:
        tree: the betting before the flop.
        flops: the flops that are played, and their weights.
        betting: the betting after the flop, by the type of the pot.
        engine: plays the flops.
        flops_per_iteration: flops that an iteration visits; None for all.
        seed: of the draws, if not all flops are visited.
    """

    tree: PreflopTree
    flops: FlopList
    betting: Mapping[PotType, BettingRules]
    engine: Engine
    flops_per_iteration: int | None = None
    seed: int = 0

    @cached_property
    def flop_trees(self) -> tuple[PostflopTree, ...]:
        """The betting after the flop at each flop leaf, in pots.

        Raises:
            TreeError: if one is too large.
        """
        return build_flop_trees(self.tree, self.betting)

    def estimate(self, rule: StoppingRule, num_workers: int, *, keeps_rivers: bool = True) -> Needs:
        """Returns what solving the game takes, before anything is allocated.

        Args:
            rule: when the solve ends.
            num_workers: threads in all.
            keeps_rivers: whether strategies of rivers are kept, and not only of flops and turns.
        """
        need = self._estimate(self.engine, num_workers)
        kept = need.cells_by_street if keeps_rivers else need.cells_by_street[: Street.RIVER]
        result = KEPT_BYTES_PER_CELL * int(kept.sum())
        result += count_value_bytes(self.flops.flops, self.flop_trees)
        result += need.river_map_bytes if keeps_rivers else 0
        share = (self.flops_per_iteration or len(self.flops)) / len(self.flops)
        per_iteration = self.engine.seconds_per_cell * int(need.cells_by_street.sum()) * share
        savings = {
            change: self._estimate(engine, num_workers).memory.total
            for change, engine in self.engine.savings.items()
        }
        return Needs(
            seconds=limit_seconds(rule, per_iteration / num_workers),
            memory_bytes=JOINT_PROGRAM_BYTES + need.memory.total,
            disk_bytes=result,
            # A checkpoint holds all tables, and there is one while the next is written.
            disk_bytes_until_done=2 * need.memory.tables + result,
            savings=tuple(
                Saving(each, JOINT_PROGRAM_BYTES + size) for each, size in savings.items()
            ),
            advice=f"give fewer flops, fewer sizes, or {self.engine.advice}",
        )

    def _estimate(self, engine: Engine, num_workers: int) -> EngineNeeds:
        return engine.estimate(self.flops.flops, self.flop_trees, num_workers)

    def play_flops(self, team: Team, flops: Sequence[int] | None = None) -> PlayedFlops[Subgame]:
        """Allocates the tables of flops; everybody begins with all actions equally likely.

        Args:
            team: threads that share the subgames.
            flops: their numbers, by default all of them.
        """
        numbers = range(len(self.flops)) if flops is None else flops
        cards = [self.flops.flops[number] for number in numbers]
        weights = {number: float(self.flops.weights[number]) for number in numbers}
        return PlayedFlops(weights, self.engine.play(cards, self.flop_trees, team), team)

    def make_leaves(
        self, players: Players, schedule: DiscountSchedule = DCFR_JOINT
    ) -> JointLeaves[Players]:
        """Returns the leaves of the game.

        Args:
            players: play all of its flops.
            schedule: how iterations are weighted after the flop.
        """
        sampler = FlopSampler(self.flops.weights, self.flops_per_iteration, self.seed)
        return JointLeaves(self.tree, FlopDeals.of(self.flops), players, schedule, sampler)
