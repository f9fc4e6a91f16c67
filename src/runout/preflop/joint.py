"""Preflop and postflop as one game: its leaves are flops that are played and learned from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from runout.arrays import FloatArray, IntArray, RealArray
from runout.cards.deck import HAND_BY_COMBO, NUM_HANDS, format_cards
from runout.cards.flops import Flop, FlopList
from runout.cfr.leaves import Evaluation, LeafGroup, MatrixLeaves, Pass, StreetReach
from runout.cfr.schedules import DCFR_JOINT, DiscountSchedule, StoppingRule
from runout.cfr.team import Team
from runout.errors import FlopListError
from runout.execution.pool import PROGRAM_BYTES
from runout.flops.backend import Cost, limit_seconds
from runout.flops.cards import CardBackend
from runout.flops.live_spot import LiveSpot, store_spot
from runout.holdem.cards import make_layouts
from runout.holdem.street_kernels import EVALUATING, LEARN, RESPONDING, Step
from runout.preflop.solver import known_groups, preflop_edge, share_of_matchups, value_groups
from runout.preflop.subgames import (
    FlopDeals,
    FlopPlayers,
    FlopVisit,
    LearningFlops,
    PlayedFlops,
    Subgame,
    SubgameNeeds,
    count_alike,
    estimate_subgames,
    make_subgames,
)
from runout.solutions.flop_bundles import (
    FLOPS_KIND,
    FLOPS_SCHEMA_VERSION,
    LAYOUT,
    names_of_flop,
)
from runout.solutions.preflop import FlopLeafSource, PreflopSolution
from runout.solutions.stored import BOUNDS, VALUES, StoredLayout
from runout.solutions.values import ValueSource
from runout.storage.bundle import digest_config
from runout.storage.writer import BundleWriter
from runout.trees.betting import SB, BettingRules, Street
from runout.trees.layout import NUM_PLAYERS
from runout.trees.tree import PostflopTree, PotType, PreflopTree, build_flop_trees

# --------------------------------------------------------------------------------------------------
# Which flops an iteration visits: all of them, or a few drawn by weight.


class DrawnFlops(NamedTuple):
    """The flops of one iteration.

    Attributes:
        number: ``[n]`` their numbers, ascending.
        scale: ``[n]`` one over the probability that each is drawn: sums over the drawn flops,
            scaled by it, have the mean of sums over all flops.
    """

    number: IntArray
    scale: FloatArray


@dataclass(frozen=True, eq=False)
class FlopSampler:
    """Draws flops with probabilities proportional to their weights.

    Attributes:
        weights: ``[F]`` of the flops.
        per_iteration: how many are drawn each time; None for all of them.
        seed: of the draws. What an iteration draws depends on it and on the iteration alone.
    """

    weights: FloatArray
    per_iteration: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        count = self.per_iteration
        if count is not None and not 1 <= count <= len(self.weights):
            problem = f"{count} cannot be drawn of {len(self.weights)} flops"
            raise FlopListError("flops_per_iteration", problem)

    def draw(self, iteration: int) -> DrawnFlops:
        """Returns the flops of an iteration.

        Systematic sampling: equally spaced points along the weights in a random order, so that no
        flop is drawn twice and the number drawn is always the same. A flop heavier than the
        spacing is certain to be drawn.
        """
        everything = np.arange(len(self.weights))
        if self.per_iteration is None or self.per_iteration == len(self.weights):
            return DrawnFlops(everything, np.ones(len(self.weights)))
        generator = np.random.default_rng([self.seed, iteration])
        probability = self.probabilities()
        order = generator.permutation(everything)
        ends = probability[order].cumsum()
        points = np.arange(self.per_iteration) + generator.random()
        # Rounding can leave the last point beyond the end.
        positions = np.minimum(np.searchsorted(ends, points, side="right"), len(order) - 1)
        drawn = np.unique(order[positions])
        return DrawnFlops(drawn, 1.0 / probability[drawn])

    def probabilities(self) -> FloatArray:
        """Returns ``[F]`` how likely each flop is drawn in an iteration."""
        if self.per_iteration is None:
            return np.ones(len(self.weights))
        is_certain = np.zeros(len(self.weights), dtype=np.bool_)
        while True:
            left = self.per_iteration - int(is_certain.sum())
            open_weight = self.weights[~is_certain].sum()
            probability = np.where(is_certain, 1.0, self.weights * left / max(open_weight, 1e-300))
            grown = is_certain | (probability >= 1.0)
            if (grown == is_certain).all():
                return probability
            is_certain = grown


# --------------------------------------------------------------------------------------------------
# The leaves of the joint game: folds and all-ins known, flops played and learned from.
#
# The game deals real hands, and its folds and called all-ins are exact. A flop leaf is worth what
# its hands win when the flop is checked down, exactly, plus what betting changes about that, which
# only the subset's flops say: both hands are dealt beside each of them, and the flop is played with
# the reach that arrives. All three parts are zero-sum, so the sum is a game.


#: Who plays the flops: they learn, or only judge.
Players = TypeVar("Players", bound=FlopPlayers)

_JUDGING = {Evaluation.EVALUATE: EVALUATING, Evaluation.BEST_RESPOND: RESPONDING}


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

    def fill_leaf_values(self, arrival: StreetReach, out_value: RealArray) -> None:
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

    def leaf_values(self, player: int, opponent_reach: FloatArray, judge: Evaluation) -> FloatArray:
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
            groups.append(LeafGroup(missed, nodes, self.tree.leaf_stake[nodes]))
        return groups

    def _drawn(self, iteration: int) -> DrawnFlops:
        assert self.sampler is not None
        return self.sampler.draw(iteration)

    def _play_flops(self, player: int, step: Pass, reach: Sequence[FloatArray]) -> list[FloatArray]:
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

    def _visits(self, step: Pass) -> list[_Visit]:
        if isinstance(step, Evaluation):
            number = len(self.deals.flops)
            drawn = DrawnFlops(np.arange(number), np.ones(number))
        else:
            drawn = self._drawn(self.iteration)
        return [
            _Visit(flop, scale)
            for flop, scale in zip(drawn.number.tolist(), drawn.scale.tolist(), strict=True)
        ]

    def _flop_step(self, step: Pass, flop: int) -> Step:
        """Returns what is done on a flop, which has been visited so often."""
        if isinstance(step, Evaluation):
            return _JUDGING[step]
        weights = self.schedule.weights(int(self.num_visits[flop]))
        return Step(LEARN, *np.array(weights, np.float32))


#: The leaves of a game that is being solved, or was.
LearningLeaves = JointLeaves[LearningFlops]


# --------------------------------------------------------------------------------------------------
# Average strategies of a joint solve at every flop leaf on every flop, saved to be opened later.
#
# `runout.solutions.flop_bundles` has the layout, and opens them without a solver.


#: Of a probability that is kept.
KEPT_BYTES_PER_CELL = 1


def save_flop_strategies(
    path: Path,
    leaves: LearningLeaves,
    solution: PreflopSolution,
    config_text: str,
    *,
    keep_rivers: bool = True,
    overwrite: bool = False,
) -> None:
    """Writes what was learned after the flop as a bundle, all of it or nothing.

    Args:
        path: the bundle.
        leaves: of the solved game.
        solution: what is done before the flop, and so what arrives there.
        config_text: of the run.
        keep_rivers: whether rivers are kept, and not only flops and turns.
        overwrite: whether to replace a bundle that is at ``path``.

    Raises:
        BundleError: if it cannot be written, or exists and is not to be overwritten.
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
                way = None if game.rivers.is_exact else game.card_tables.bucket_games
                ways += [] if way in ways else [way]
                bucket_numbers.append(ways.index(way))
                parts = names_of_flop(flop, leaf, bucket_numbers[-1]).items()
                names = {part: name for part, name in parts if name not in written}
                live, tables = live_subgame(subgame, arriving[leaf]), subgame.tables
                store_spot(writer.create_array, live, tables, names, last_street, np.uint8)
                written.update(names.values())
        layout = {
            "flops": [format_cards(flop) for flop in leaves.deals.flops.flops],
            "weights": leaves.deals.flops.weights.tolist(),
            "leaves": [leaf.path for leaf in leaves.flop_leaves],
            "last_street": last_street.label,
            "bucket_numbers": bucket_numbers,
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


def count_value_bytes(flops: Sequence[Flop], trees: Sequence[PostflopTree]) -> int:
    """Returns what values, and equities, of some flops take on the disk."""
    total, by_leaf = 0, [make_layouts(tree) for tree in trees]
    for cards, number in count_alike(flops):
        stored = [StoredLayout(streets, cards) for streets in by_leaf]
        of_values = sum(2 * leaf.size(VALUES) + 4 * leaf.size(BOUNDS) for leaf in stored)
        total += number * (of_values + 2 * len(cards.players[0].combos) ** 2)
    return total


# --------------------------------------------------------------------------------------------------
# A joint game before it is solved: its trees after the flop, its flops, and what it needs.


#: The program, with what compiling kernels and preparing flops takes for a while.
JOINT_PROGRAM_BYTES = PROGRAM_BYTES + 280_000_000


@dataclass(frozen=True, eq=False)
class JointGame:
    """Everything that decides a joint game, and nothing about how long it is solved.

    Attributes:
        tree: the betting before the flop.
        flops: the flops that are played, and their weights.
        betting: the betting after the flop, by the type of the pot.
        backend: makes the games of the flops; how long it solves them does not matter.
        flops_per_iteration: flops that an iteration visits; None for all.
        seed: of the draws, if not all flops are visited.
    """

    tree: PreflopTree
    flops: FlopList
    betting: Mapping[PotType, BettingRules]
    backend: CardBackend
    flops_per_iteration: int | None = None
    seed: int = 0

    @cached_property
    def flop_trees(self) -> tuple[PostflopTree, ...]:
        """The betting after the flop at each flop leaf, in pots.

        Raises:
            TreeError: if one is too large.
        """
        return build_flop_trees(self.tree, self.betting)

    def estimate(self, rule: StoppingRule, num_workers: int, *, keeps_rivers: bool = True) -> Cost:
        """Returns what solving the game takes, before anything is allocated.

        Args:
            rule: when the solve ends.
            num_workers: threads in all.
            keeps_rivers: whether strategies of rivers are kept, and not only of flops and turns.
        """
        need = self._estimate(self.backend, num_workers)
        kept = need.cells_by_street if keeps_rivers else need.cells_by_street[: Street.RIVER]
        result = KEPT_BYTES_PER_CELL * int(kept.sum())
        result += count_value_bytes(self.flops.flops, self.flop_trees)
        result += need.river_map_bytes if keeps_rivers else 0
        share = (self.flops_per_iteration or len(self.flops)) / len(self.flops)
        per_iteration = self.backend.seconds_per_cell * int(need.cells_by_street.sum()) * share
        savings: dict[str, int | None] = {
            change: JOINT_PROGRAM_BYTES + self._estimate(backend, num_workers).memory.total
            for change, backend in self.backend.savings.items()
        }
        is_exact = self.backend.rivers.is_exact
        cheaper = "solve_type: compact" if is_exact else "fewer river_buckets"
        return Cost(
            seconds=limit_seconds(rule, per_iteration / num_workers),
            memory_bytes=JOINT_PROGRAM_BYTES + need.memory.total,
            disk_bytes=result,
            # A checkpoint holds all tables, and there is one while the next is written.
            checkpoint_bytes=2 * need.memory.tables,
            savings=savings | {f"give fewer flops, fewer sizes, or {cheaper}": None},
        )

    def _estimate(self, backend: CardBackend, num_workers: int) -> SubgameNeeds:
        return estimate_subgames(backend, self.flops.flops, self.flop_trees, num_workers)

    def play_flops(self, team: Team, flops: Sequence[int] | None = None) -> PlayedFlops[Subgame]:
        """Allocates the tables of flops; everybody begins with all actions equally likely.

        Args:
            team: threads that share the subgames.
            flops: their numbers, by default all of them.
        """
        numbers = range(len(self.flops)) if flops is None else flops
        cards = [self.flops.flops[number] for number in numbers]
        weights = {number: float(self.flops.weights[number]) for number in numbers}
        subgames = make_subgames(self.backend, cards, self.flop_trees, team)
        return PlayedFlops(weights, subgames, team)

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
