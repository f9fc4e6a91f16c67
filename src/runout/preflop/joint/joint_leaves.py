"""The leaves of the joint game: folds and all-ins known, flops played and learned from.

The game deals real hands, and its folds and called all-ins are exact. A flop leaf is worth what its
hands win when the flop is checked down, exactly, plus what betting changes about that, which only
the subset's flops say: both hands are dealt beside each of them, and the flop is played with the
reach that arrives. All three parts are zero-sum, so the sum is a game.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import numpy as np

from runout.arrays import FloatArray, IntArray, RealArray
from runout.cards.canonical_hands import NUM_HANDS
from runout.cfr.discounting import DCFR_JOINT, DiscountSchedule
from runout.cfr.leaves import Arrival, Judge, Step
from runout.cfr.matrix_leaves import LeafGroup, MatrixLeaves
from runout.holdem.street_kernels import EVALUATING, LEARN, RESPONDING
from runout.holdem.street_kernels import Step as FlopStep
from runout.preflop.joint.flop_deals import FlopDeals
from runout.preflop.joint.flop_sampling import DrawnFlops, FlopSampler
from runout.preflop.joint.played_flops import FlopPlayers, FlopVisit, LearningFlops
from runout.preflop.joint.subgames import Subgame
from runout.preflop.preflop_leaves import (
    known_groups,
    preflop_edge,
    share_of_matchups,
    value_groups,
)
from runout.results.preflop_solution import FlopLeafSource
from runout.results.value_book import ValueSource
from runout.trees.preflop_betting import SB
from runout.trees.preflop_tree import PreflopTree

#: Who plays the flops: they learn, or only judge.
Players = TypeVar("Players", bound=FlopPlayers)

_JUDGING = {Judge.EVALUATE: EVALUATING, Judge.BEST_RESPOND: RESPONDING}


@dataclass(frozen=True)
class _Visit:
    """A flop in one visit of the whole game."""

    flop: int
    scale: float


@dataclass(eq=False)
class JointLeaves(Generic[Players]):
    """What hands win at the leaves of a preflop tree whose flops are played on the way.

    Attributes:
        tree: the betting before the flop.
        deals: the flops and the deals beside them.
        players: play the flops.
        schedule: how iterations are weighted after the flop; before it they are weighted alike.
        sampler: which flops an iteration visits; by default all.
        num_visits: ``[F]`` iterations in which each flop was visited.
        iteration: iterations done.
    """

    tree: PreflopTree
    deals: FlopDeals
    players: Players
    schedule: DiscountSchedule = DCFR_JOINT
    sampler: FlopSampler | None = None
    num_visits: IntArray = field(init=False)
    iteration: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self.flop_leaves = self.tree.flop_leaves()
        self.matchup_share = share_of_matchups()
        flops = self.deals.flops
        self.sampler = self.sampler or FlopSampler(flops.weights)
        self.num_visits = np.zeros(len(flops), dtype=np.int64)
        self._known = MatrixLeaves(self.tree.layout, self._known_groups())

    @property
    def subgames(self: "JointLeaves[LearningFlops]") -> Sequence[Sequence[Subgame]]:
        """For each flop, one for each of the tree's flop leaves."""
        return self.players.subgames

    @property
    def is_zero_sum(self) -> bool:
        """Whether what one player wins is what the other loses, but for rounding."""
        return self.players.is_zero_sum

    def evaluator(self, tree: PreflopTree) -> "JointLeaves[Players]":
        """Returns the leaves as the solver wants them."""
        return self

    def fill_leaf_values(self, arrival: Arrival, out_value: RealArray) -> None:
        """Writes counterfactual values of ``arrival.player``, in big blinds, into the leaf rows."""
        self._known.fill_leaf_values(arrival, out_value)
        reach = [
            arrival.reach_of(arrival.opponent, leaf.node)[0].astype(np.float64)
            for leaf in self.flop_leaves
        ]
        gained = self._play_flops(arrival.player, arrival.step, reach)
        for leaf, gain in zip(self.flop_leaves, gained, strict=True):
            out_value[0, leaf.node] += gain

    def refresh(self, player: int) -> float:
        """Counts the iteration when the second player is done; flops play what they have learned.

        Regrets after the flop are matched whenever they are needed, so nothing is to be done, and
        how much strategies change there is not known.
        """
        if player != SB:
            self.num_visits[self._drawn(self.iteration).number] += 1
            self.iteration += 1
        return 0.0

    def leaf_values(self, player: int, opponent_reach: FloatArray, judge: Judge) -> FloatArray:
        """Returns ``[N, 169]`` what a player's hands win at the leaves, times how often they meet.

        Args:
            player: `SB` or `BB`.
            opponent_reach: ``[N, 169]`` the other's own reach of each node.
            judge: whether the player best-responds after the flop; the other plays its average.
        """
        values = value_groups(self._known_groups(), player, opponent_reach)
        reach = [opponent_reach[leaf.node] for leaf in self.flop_leaves]
        for leaf, gain in zip(
            self.flop_leaves, self._play_flops(player, judge, reach), strict=True
        ):
            values[leaf.node] += gain
        return values

    def sources(self) -> dict[str, FlopLeafSource]:
        """Returns where the values of flop leaves come from, by path."""
        number = len(self.deals.flops)
        flops = "1 flop" if number == 1 else f"{number} flops"
        return {
            leaf.path: FlopLeafSource(ValueSource.JOINT, f"played on {flops} at SPR {leaf.spr:.3g}")
            for leaf in self.flop_leaves
        }

    def _known_groups(self) -> list[LeafGroup]:
        groups = known_groups(self.tree, self.matchup_share)
        if self.flop_leaves:
            nodes = np.array([leaf.node for leaf in self.flop_leaves])
            # Checked down on all flops, instead of on those that are played.
            missed = self.matchup_share * preflop_edge() - self.deals.edge
            groups.append(LeafGroup(missed, nodes, self.tree.leaf_stake_bb[nodes]))
        return groups

    def _drawn(self, iteration: int) -> DrawnFlops:
        assert self.sampler is not None
        return self.sampler.draw(iteration)

    def _play_flops(self, player: int, step: Step, reach: Sequence[FloatArray]) -> list[FloatArray]:
        """Returns ``[169]`` for each leaf, what a player wins on the flops, in big blinds.

        Args:
            player: `SB` or `BB`.
            step: what is played, and whether to learn from it.
            reach: ``[169]`` for each leaf, the opponent's own reach of it.
        """
        gained = [np.zeros(NUM_HANDS) for _ in self.flop_leaves]
        if not gained:
            return gained
        visits = self._visits(step)
        steps = [FlopVisit(visit.flop, self._flop_step(step, visit.flop)) for visit in visits]
        won = self.players.play(player, steps, np.stack(reach))
        for number, leaf in enumerate(self.flop_leaves):
            for visit, by_leaf in zip(visits, won, strict=True):  # in one order, whoever was first
                gained[number] += visit.scale * leaf.pot_bb * by_leaf[number]
        return gained

    def _visits(self, step: Step) -> list[_Visit]:
        if isinstance(step, Judge):
            number = len(self.deals.flops)
            drawn = DrawnFlops(np.arange(number), np.ones(number))
        else:
            drawn = self._drawn(self.iteration)
        return [
            _Visit(flop, scale)
            for flop, scale in zip(drawn.number.tolist(), drawn.scale.tolist(), strict=True)
        ]

    def _flop_step(self, step: Step, flop: int) -> FlopStep:
        """Returns what is done on a flop, which has been visited so often."""
        if isinstance(step, Judge):
            return _JUDGING[step]
        weights = self.schedule.weights(int(self.num_visits[flop]))
        return FlopStep(LEARN, *np.array(weights, np.float32))


#: The leaves of a game that is being solved, or was.
LearningLeaves = JointLeaves[LearningFlops]
