"""Preflop and postflop as one game: its leaves are flops that are played and learned from."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import numpy as np

from runout.arrays import AnyArray, Float32Array, FloatArray, IntArray, RealArray
from runout.cards.deck import HAND_BY_COMBO, NUM_HANDS, card_rank, card_suit
from runout.cards.flops import ALL_RUNOUTS, Flop, FlopList, RunoutSubset
from runout.cfr.cfr_kernels import LEARN, Step
from runout.cfr.leaves import LeafGroup, MatrixLeaves, StreetReach
from runout.cfr.schedules import DCFR_JOINT, Schedule, StoppingRule
from runout.cfr.team import Team
from runout.equity.board import compute_board_equity
from runout.errors import FlopListError
from runout.execution.pool import PROGRAM_BYTES
from runout.execution.tasks import ShardGroup, Worker
from runout.flops.backend import EVERYONE, Cost, limit_seconds
from runout.flops.cards import CardBackend
from runout.holdem.cards import CardsToCome, make_layouts
from runout.holdem.game import CardGame, Workspace
from runout.holdem.rivers import BucketRivers, Rivers
from runout.holdem.tables import LearnedTables, MemoryNeed, Plan
from runout.preflop.solver import known_groups, preflop_edge, share_of_matchups
from runout.solutions.flop_bundles import BOUNDS, VALUES, StoredLayout
from runout.solutions.preflop import FlopLeafSource
from runout.solutions.values import ValueSource
from runout.storage.bundle import load_bundle, reading_contents
from runout.storage.writer import BundleWriter, Finish, begin_bundles
from runout.trees.betting import SB, BettingRules, Street
from runout.trees.tree import (
    PostflopTree,
    PotType,
    PreflopTree,
    build_flop_trees,
    postflop_position,
)

# --------------------------------------------------------------------------------------------------
# Which flops an iteration visits: all of them, or a few drawn by weight.


class DrawnFlops(NamedTuple):
    """The flops of one iteration: sums over them, scaled, have the mean of sums over all flops."""

    number: IntArray  # [n], ascending
    scale: FloatArray  # [n] one over the probability that each is drawn


@dataclass(frozen=True, eq=False)
class FlopSampler:
    """Draws flops with probabilities proportional to their weights.

    What an iteration draws depends on the seed and on the iteration alone.
    """

    weights: FloatArray  # [F]
    per_iteration: int | None = None  # all flops by default
    seed: int = 0

    def __post_init__(self) -> None:
        count = self.per_iteration
        if count is not None and not 1 <= count <= len(self.weights):
            problem = f"{count} cannot be drawn of {len(self.weights)} flops"
            raise FlopListError("flops_per_iteration", problem)

    def draw(self, iteration: int | None) -> DrawnFlops:
        """Returns the flops of an iteration; all of them, each once, for None.

        Systematic sampling: equally spaced points along the weights in a random order, so that no
        flop is drawn twice and the number drawn is always the same. A flop heavier than the
        spacing is certain to be drawn.
        """
        if iteration is None or self.per_iteration in (None, len(self.weights)):
            return DrawnFlops(np.arange(len(self.weights)), np.ones(len(self.weights)))
        generator = np.random.default_rng([self.seed, iteration])
        probability = self.probabilities()
        order = generator.permutation(np.arange(len(self.weights)))
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
# The flops of the game: betting with real cards, and what is learned on each.
#
# A process that has a flop has all of its leaves, with their tables. What hands win is told flop by
# flop, so that sums can be made in one order however the flops are divided.

#: Pairs of combos that can be dealt beside a flop: 49 cards for one player, 47 for the other.
PAIRS_BESIDE_A_FLOP = 1_176 * 1_081

FLOP_KIND = "joint_flop_checkpoint"
FLOP_SCHEMA_VERSION = 1


def checked_down_edge(flops: FlopList) -> FloatArray:
    """Returns ``[169, 169]`` what the row wins at a stake of 1 on flops that are checked down.

    It is times the probability that the two hands are dealt: the flop comes first, drawn by weight.
    """
    edge = np.zeros((NUM_HANDS, NUM_HANDS))
    for flop, weight in zip(flops.flops, flops.weights.tolist(), strict=True):
        equity = compute_board_equity(flop)
        table = equity.hand_table()
        scale = weight / (PAIRS_BESIDE_A_FLOP * equity.num_runouts)
        edge += scale * (2 * table.wins + table.ties - table.totals)
    return edge


class Playable(Protocol):
    """A flop leaf on one flop that can be visited; players are `OOP` and `IP`."""

    combos: IntArray  # [n] the combos that both players can hold, in the order of rows
    width: int  # the length of a row of hands, padding included
    cost: int  # how long a visit takes, in any unit that all subgames of a game share

    def visit(self, player: int, step: Step, root_reach: Float32Array, worker: int) -> Float32Array:
        """Returns ``[width]`` counterfactual values of a player's hands, in pots.

        Args:
            player: whose hands are valued.
            step: what to do; `LEARN` adds to the tables.
            root_reach: ``[width]`` the opponent's reach on entering the flop.
            worker: the number of the thread that visits; no two visit at once with the same one.
        """


class Subgame:
    """A flop leaf on one flop that learns; see `Playable`."""

    def __init__(self, game: CardGame, spaces: Sequence[Workspace]) -> None:
        """Allocates the tables; both players begin with all actions equally likely.

        There is a working space for each worker, maybe shared with other subgames.
        """
        self.game = game
        self._spaces = spaces
        game.workspace = spaces[0]  # for looks from outside, one at a time
        self.tables = LearnedTables.allocate(game.templates, game.table_sizes(), game.precision)
        hands = game.cards.players[0]
        self.combos, self.width = hands.combos, hands.width
        self.cost = sum(table.size for table in self.learned().values())

    def visit(self, player: int, step: Step, root_reach: Float32Array, worker: int) -> Float32Array:
        """Returns ``[width]`` counterfactual values of a player's hands, in pots."""
        return self.game.visit(player, step, self.tables, root_reach, self._spaces[worker])

    def learned(self) -> Mapping[str, AnyArray]:
        """Returns the tables themselves, by name: to save them, and to fill them when resuming."""
        return dict(self.tables.named_arrays())


#: What is visited: subgames that learn, or others.
Played = TypeVar("Played", bound=Playable)


@dataclass(eq=False)
class PlayedFlops(Generic[Played]):
    """Flops that are played in this process; threads of a team share the subgames."""

    weights: Mapping[int, float]  # share of each flop, by its number in the game
    subgames: Sequence[Sequence[Played]]  # of each flop, one for each of the tree's flop leaves
    team: Team = field(default_factory=Team)

    @cached_property
    def _of_flop(self) -> dict[int, Sequence[Played]]:
        return dict(zip(self.weights, self.subgames, strict=True))

    def play(self, player: int, steps: Mapping[int, Step], reach: FloatArray) -> FloatArray:
        """Returns ``[n, L, 169]`` what a player's hands win on each flop at each leaf, in pots.

        Args:
            player: `SB` or `BB`.
            steps: what to do on each of n flops, by its number in the game.
            reach: ``[L, 169]`` the opponent's own reach of each leaf.
        """
        won = np.zeros((len(steps), len(reach), NUM_HANDS))
        # The longest first, so that no thread is left with a long one at the end.
        visits = sorted(
            (
                (number, flop, leaf, subgame)
                for number, flop in enumerate(steps)
                for leaf, subgame in enumerate(self._of_flop[flop])
            ),
            key=lambda visit: -visit[3].cost,
        )
        left, position = iter(visits), postflop_position(player)

        def work(worker: int) -> None:
            for number, flop, leaf, subgame in left:  # threads share what is left
                hand = HAND_BY_COMBO[subgame.combos]
                arriving = np.zeros(subgame.width, np.float32)
                share = self.weights[flop] / PAIRS_BESIDE_A_FLOP
                arriving[: len(hand)] = reach[leaf][hand] * share
                value = subgame.visit(position, steps[flop], arriving, worker)
                by_combo = value[: len(hand)].astype(np.float64)
                won[number, leaf] = np.bincount(hand, by_combo, NUM_HANDS)

        if self.team.num_workers == 1:  # a team of one is not worth a detour to a reader
            work(0)
        else:
            self.team.run(work, range(self.team.num_workers))
        return won

    def begin_saving(self: "PlayedFlops[Subgame]", directory: Path) -> Finish:
        """Copies all tables into files, and returns what makes a bundle for each flop of them.

        Learning may go on before that is called, in any thread.
        """

        def fill(subgames: Sequence[Subgame], writer: BundleWriter) -> None:
            for name, array in tables_of(subgames):
                writer.add_array(name, array)  # at once: maps of files would count as memory

        open_writer = partial(
            BundleWriter, kind=FLOP_KIND, schema_version=FLOP_SCHEMA_VERSION, overwrite=True
        )
        return begin_bundles(
            (open_writer(directory / f"flop{flop}"), partial(fill, subgames))
            for flop, subgames in self._of_flop.items()
        )

    def save(self: "PlayedFlops[Subgame]", directory: Path) -> None:
        """Saves all tables."""
        self.begin_saving(directory)()

    def restore(self: "PlayedFlops[Subgame]", directory: Path) -> None:
        """Fills all tables with what was saved; refuses what is missing or damaged."""
        for flop, subgames in self._of_flop.items():
            path = directory / f"flop{flop}"
            arrays = load_bundle(path, FLOP_KIND, FLOP_SCHEMA_VERSION).arrays
            with reading_contents(path):
                for name, table in tables_of(subgames):
                    np.copyto(table, arrays[name], casting="no")


def tables_of(subgames: Sequence[Subgame]) -> Iterator[tuple[str, AnyArray]]:
    """Yields the name of every table of a flop, and the table itself."""
    for leaf, subgame in enumerate(subgames):
        for name, array in subgame.learned().items():
            yield f"leaf{leaf}_{name}", array


class ShardedFlops:
    """The flops of a joint game, played by shards that are `PlayedFlops` of some flops each.

    An iteration sends the reach of all leaves to every shard and gathers what hands win, flop by
    flop. So the result is the one without shards, bit by bit.
    """

    def __init__(
        self, game: "JointGame", group: ShardGroup, parts: Sequence[Sequence[int]]
    ) -> None:
        """Takes shards that have started, each with its part of the flops."""
        self._game, self._group, self._parts = game, group, parts
        self._saved: Path | None = None

    @property
    def subgames(self) -> Iterator[Sequence[Subgame]]:
        """For each flop of the game what was last saved of it, read flop by flop."""
        assert self._saved is not None, "nothing was saved"
        for flop in range(len(self._game.flops)):
            played = self._game.play_flops(Team(), [flop])
            played.restore(self._saved)
            yield played.subgames[0]

    def play(self, player: int, steps: Mapping[int, Step], reach: FloatArray) -> FloatArray:
        """Returns ``[n, L, 169]`` as `PlayedFlops.play` does."""
        own_steps = [{flop: steps[flop] for flop in steps if flop in part} for part in self._parts]
        answers = self._group.call("play", [(player, own, reach) for own in own_steps])
        won = np.zeros((len(steps), len(reach), NUM_HANDS))
        places = {flop: place for place, flop in enumerate(steps)}
        for own, answer in zip(own_steps, answers, strict=True):
            won[[places[flop] for flop in own]] = answer
        return won

    def begin_saving(self, directory: Path) -> Finish:
        """Saves all tables, each shard its own; nothing is left to do afterwards."""
        self._tell("save", directory)
        return lambda: None

    def restore(self, directory: Path) -> None:
        """Fills all tables with what was saved, by however many shards."""
        self._tell("restore", directory)

    def _tell(self, method: str, directory: Path) -> None:
        self._group.call(method, [(directory,) for _ in self._parts])
        self._saved = directory


#: The flops of a joint game, wherever they are played, and whether they learn or only judge.
Flops = PlayedFlops[Any] | ShardedFlops


# --------------------------------------------------------------------------------------------------
# The leaves of the joint game: folds and all-ins known, flops played and learned from.
#
# The game deals real hands, and its folds and called all-ins are exact. A flop leaf is worth what
# its hands win when the flop is checked down, exactly, plus what betting changes about that, which
# only the subset's flops say: both hands are dealt beside each of them, and the flop is played with
# the reach that arrives. All three parts are zero-sum, so the sum is a game.


class JointLeaves:
    """What hands win at the leaves of a preflop tree whose flops are played on the way.

    Attributes:
        num_visits: ``[F]`` iterations in which each flop was visited.
        iteration: iterations done.
        runout_subset: the turn and river cards of the game.
        is_zero_sum: whether what one player wins is what the other loses, but for rounding; hands
            of a river bucket do not meet quite the same hands.
    """

    def __init__(self, game: "JointGame", players: Flops, schedule: Schedule) -> None:
        """Takes all flops of a game, and how iterations are weighted after the flop."""
        self.tree, self.flops = game.tree, game.flops
        self.players, self.schedule = players, schedule
        self.runout_subset = game.backend.runout_subset
        self.sampler = FlopSampler(game.flops.weights, game.flops_per_iteration, game.seed)
        self.iteration = 0
        self.flop_leaves = self.tree.flop_leaves()
        self.is_zero_sum = game.backend.rivers.is_exact or not self.flop_leaves
        self.matchup_share = share_of_matchups()
        self.num_visits = np.zeros(len(game.flops), dtype=np.int64)
        self._nodes = np.array([leaf.node for leaf in self.flop_leaves], dtype=np.int64)
        self._pots = np.array([leaf.pot_bb for leaf in self.flop_leaves])
        groups = known_groups(self.tree, self.matchup_share)
        if self.flop_leaves:
            # Checked down on all flops, instead of on those that are played.
            missed = self.matchup_share * preflop_edge() - checked_down_edge(game.flops)
            groups.append(LeafGroup(missed, self._nodes, self.tree.leaf_stake[self._nodes]))
        self._known = MatrixLeaves(self.tree.layout, groups)

    @property
    def subgames(self) -> Iterable[Sequence[Subgame]]:
        """For each flop, one for each of the tree's flop leaves."""
        return self.players.subgames

    def fill_leaf_values(self, arrival: StreetReach, out_value: RealArray) -> None:
        """Writes counterfactual values of ``arrival.player``, in big blinds, into the leaf rows."""
        self._known.fill_leaf_values(arrival, out_value)
        if self.flop_leaves:
            rows = arrival.row[arrival.opponent][self._nodes]
            reach = arrival.reach[arrival.opponent][rows].astype(np.float64)
            out_value[self._nodes] += self.play_flops(arrival.player, arrival.step, reach)

    def play_flops(self, player: int, step: Step, reach: FloatArray) -> FloatArray:
        """Returns ``[L, 169]`` what a player wins on the flops at each leaf, in big blinds.

        Args:
            player: `SB` or `BB`.
            step: what is played, and whether to learn from it.
            reach: ``[L, 169]`` the opponent's own reach of each leaf.
        """
        drawn = self.draw(step)
        steps = dict.fromkeys(drawn.number.tolist(), step)
        if step.mode == LEARN:
            for flop in steps:
                weights = self.schedule.weights(int(self.num_visits[flop]))
                steps[flop] = Step(LEARN, *np.array(weights, np.float32))
        gained = np.zeros(reach.shape)
        won = self.players.play(player, steps, reach)
        for scale, of_flop in zip(drawn.scale, won, strict=True):  # in one order on any threads
            gained += scale * self._pots[:, None] * of_flop
        return gained

    def refresh(self, player: int) -> float:
        """Counts the iteration when the second player is done; flops play what they have learned.

        Regrets after the flop are matched whenever they are needed, so nothing is to be done, and
        how much strategies change there is not known.
        """
        if player != SB:
            self.num_visits[self.sampler.draw(self.iteration).number] += 1
            self.iteration += 1
        return 0.0

    def sources(self) -> dict[str, FlopLeafSource]:
        """Returns where the values of flop leaves come from, by path."""
        number = len(self.flops)
        flops = "1 flop" if number == 1 else f"{number} flops"
        return {
            leaf.path: FlopLeafSource(ValueSource.JOINT, f"played on {flops} at SPR {leaf.spr:.3g}")
            for leaf in self.flop_leaves
        }

    def draw(self, step: Step) -> DrawnFlops:
        """Returns the flops that a visit of the whole game goes to."""
        return self.sampler.draw(self.iteration if step.mode == LEARN else None)


# --------------------------------------------------------------------------------------------------
# A joint game before it is solved: its trees after the flop, its flops, and what it needs.


#: The program, with what compiling kernels and preparing flops takes for a while.
JOINT_PROGRAM_BYTES = PROGRAM_BYTES + 280_000_000


class SubgameNeeds(NamedTuple):
    """What the subgames of some flops take together."""

    memory: MemoryNeed
    cells_by_street: IntArray  # [3] probabilities that the tables of flop, turn and river hold
    seconds: float  # of an iteration on one core
    river_map_bytes: int  # for the column of each hand in tables of buckets, where it is kept


def estimate_subgames(
    backend: CardBackend, flops: Sequence[Flop], trees: Sequence[PostflopTree], num_workers: int
) -> SubgameNeeds:
    """Returns what `JointGame.play_flops` will allocate, and what is kept of it."""
    cells, tables, of_cards, maps, own_space = np.zeros(len(Street), np.int64), 0, 0, 0, 0
    seconds = 0.0
    spaces: list[Plan] = []
    for cards, number in count_alike(tuple(flops), backend.runout_subset):
        shared: dict[Rivers, Plan] = {}
        for tree in trees:
            plan = backend.plan(cards.board, tree, 1, cards)
            tables += number * plan.tables.num_bytes
            cells += number * plan.count_cells()
            seconds += number * backend.seconds_per_iteration(plan)
            spaces.append(plan.working_space)
            own_space += number * plan.working_space.num_bytes
            rivers = backend.rivers.at_depth(tree.stakes.spr)
            # Trees without all-ins need no products.
            known = shared.get(rivers, plan.cards)
            shared[rivers] = Plan({**known.arrays, **plan.cards.arrays})
        of_cards += number * sum(plan.num_bytes for plan in shared.values())
        num_hands = len(cards.players[0].combos)  # their buckets are the same for both players
        maps += number * sum(rivers.map_bytes(cards, num_hands) for rivers in shared)
    space = own_space
    if spaces and backend.rivers.shares_workspace:
        space = num_workers * Plan.covering(spaces).num_bytes
    return SubgameNeeds(MemoryNeed(tables, space, of_cards), cells, seconds, maps)


@lru_cache(maxsize=4)  # estimates ask again and again
def count_alike(
    flops: tuple[Flop, ...], subset: RunoutSubset = ALL_RUNOUTS
) -> list[tuple[CardsToCome, int]]:
    """Returns the cards of one flop of each kind, and how many are like it.

    They have the same pattern of suits and ranks, or as many drawn cards, so they need as much
    memory.
    """
    alike: dict[Any, list[CardsToCome]] = {}
    for flop in flops:
        cards = CardsToCome.plan(flop, EVERYONE, subset=subset)
        ranks = sorted({card_rank(card) for card in flop})
        kind: Any = tuple((ranks.index(card_rank(card)), card_suit(card)) for card in sorted(flop))
        if cards.is_drawn:
            games = sum(map(len, BucketRivers().group_rivers(cards)))
            kind = *(len(deal.card) for deal in cards.deals), games
        alike.setdefault(kind, []).append(cards)
    return [(group[-1], len(group)) for group in alike.values()]


def count_value_bytes(
    flops: Sequence[Flop], trees: Sequence[PostflopTree], subset: RunoutSubset
) -> int:
    """Returns what values, and equities, of some flops take on the disk."""
    total, by_leaf = 0, [make_layouts(tree) for tree in trees]
    for cards, number in count_alike(tuple(flops), subset):
        stored = [StoredLayout(streets, cards) for streets in by_leaf]
        of_values = sum(2 * leaf.size(VALUES) + 4 * leaf.size(BOUNDS) for leaf in stored)
        total += number * (of_values + 2 * len(cards.players[0].combos) ** 2)
    return total


@dataclass(frozen=True, eq=False)
class JointGame:
    """Everything that decides a joint game, and nothing about how long it is solved."""

    tree: PreflopTree
    flops: FlopList
    betting: Mapping[PotType, BettingRules]  # after the flop
    backend: CardBackend  # makes the games of the flops; how long it solves them does not matter
    flops_per_iteration: int | None = None  # all flops by default
    seed: int = 0  # of the draws, if not all flops are visited

    @cached_property
    def flop_trees(self) -> tuple[PostflopTree, ...]:
        """The betting after the flop at each flop leaf, in pots."""
        return build_flop_trees(self.tree, self.betting)

    def estimate(self, rule: StoppingRule, num_workers: int, *, keeps_rivers: bool = True) -> Cost:
        """Returns what solving the game takes; rivers are kept, or only flops and turns."""

        def estimate(backend: CardBackend) -> SubgameNeeds:
            return estimate_subgames(backend, self.flops.flops, self.flop_trees, num_workers)

        need = estimate(self.backend)
        kept = need.cells_by_street if keeps_rivers else need.cells_by_street[: Street.RIVER]
        disk = int(kept.sum()) + (need.river_map_bytes if keeps_rivers else 0)  # a byte for each
        subset = self.backend.runout_subset
        disk += count_value_bytes(self.flops.flops, self.flop_trees, subset)
        share = (self.flops_per_iteration or len(self.flops)) / len(self.flops)
        per_iteration = need.seconds * share
        cheaper_games = dict(self.backend.savings)
        if self.backend.runout_subset == ALL_RUNOUTS:
            few = replace(self.backend, runout_subset=RunoutSubset(16, 16))
            cheaper_games["turns_per_flop: 16, rivers_per_turn: 16"] = few
        savings: dict[str, int | None] = {
            change: JOINT_PROGRAM_BYTES + estimate(backend).memory.total
            for change, backend in cheaper_games.items()
        }
        is_exact = self.backend.rivers.is_exact
        cheaper = "solve_type: compact" if is_exact else "fewer river_buckets"
        return Cost(
            seconds=limit_seconds(rule, per_iteration / num_workers),
            memory_bytes=JOINT_PROGRAM_BYTES + need.memory.total,
            disk_bytes=disk,
            # A checkpoint holds all tables, and there is one while the next is written.
            checkpoint_bytes=2 * need.memory.tables,
            savings=savings | {f"give fewer flops, fewer sizes, or {cheaper}": None},
        )

    def memory_bytes(self, flops: Sequence[int]) -> int:
        """Returns what one worker needs that plays some flops, by number, with the program."""
        cards = [self.flops.flops[number] for number in flops]
        need = estimate_subgames(self.backend, cards, self.flop_trees, 1)
        return JOINT_PROGRAM_BYTES + need.memory.total

    def play_flops(self, team: Team, flops: Sequence[int] | None = None) -> PlayedFlops[Subgame]:
        """Allocates the tables of flops; both players begin with all actions equally likely.

        The subgames of a flop share its cards. Where `Rivers.shares_workspace`, all of them share
        one working space for each worker; else each has its own, as one worker at a time visits it.
        Flops are given by their numbers, by default all of them.
        """
        numbers = range(len(self.flops)) if flops is None else flops
        weights = {number: float(self.flops.weights[number]) for number in numbers}
        games = [
            self.backend.make_games(self.flops.flops[number], self.flop_trees, team)
            for number in numbers
        ]
        rivers, number = self.backend.rivers, team.num_workers
        make_space = partial(Workspace, worker_space=rivers.worker_space)
        shared: list[Workspace] = []
        if rivers.shares_workspace and self.flop_trees:
            plan = Plan.covering([game.plan_workspace() for of_flop in games for game in of_flop])
            shared = [make_space(plan) for _ in range(number)]
        subgames = [
            [
                Subgame(game, shared or [make_space(game.plan_workspace())] * number)
                for game in of_flop
            ]
            for of_flop in games
        ]
        return PlayedFlops(weights, subgames, team)

    def start(self, part: Sequence[int], worker: Worker) -> PlayedFlops[Subgame]:
        """Begins to play some flops as a shard; a game is the `ShardJob` of its own shards."""
        return self.play_flops(Team.of(worker), part)

    def make_leaves(self, players: Flops, schedule: Schedule = DCFR_JOINT) -> JointLeaves:
        """Returns the leaves of the game, given all of its flops."""
        return JointLeaves(self, players, schedule)
