"""The flops of a joint game: betting with real cards, and what is learned on each."""

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Generic, NamedTuple, Protocol, TypeVar

import numpy as np

from runout.arrays import AnyArray, Float32Array, FloatArray, IntArray
from runout.cards.deck import HAND_BY_COMBO, NUM_HANDS, card_rank, card_suit
from runout.cards.flops import Flop, FlopList
from runout.cards.ranges import HandRange
from runout.cfr.team import Team
from runout.equity.board import compute_board_equity
from runout.errors import BundleError
from runout.flops.cards import SECONDS_PER_CELL
from runout.holdem.cards import NO_RAKE, CardsToCome, Spot
from runout.holdem.compact_game import ONE_GROUP, CompactGame
from runout.holdem.forest import StreetTemplate, make_templates, played_templates
from runout.holdem.game import CardGame, SpotGame
from runout.holdem.rivers import CompactCards, RiverBuckets, choose_buckets
from runout.holdem.street_kernels import Step
from runout.holdem.tables import (
    LearnedTables,
    MemoryNeed,
    Precision,
    StreetSize,
    count_table_bytes,
    estimate_memory,
    exact_sizes,
)
from runout.holdem.workspace import (
    Workspace,
    compact_sizes,
    estimate_compact_memory,
    river_map_bytes,
)
from runout.storage.bundle import load_bundle
from runout.storage.writer import BundleWriter, Finish
from runout.trees.betting import Street
from runout.trees.tree import PostflopTree, postflop_position

# --------------------------------------------------------------------------------------------------
# Which hands meet beside the flops of a subset, and what a checked-down flop is worth there.


#: Pairs of combos that can be dealt beside a flop: 49 cards for one player, 47 for the other.
PAIRS_BESIDE_A_FLOP = 1_176 * 1_081


@dataclass(frozen=True, eq=False)
class FlopDeals:
    """Deals in which the flop comes first, drawn by weight, and then both hands.

    Attributes:
        flops: the flops and their weights.
        share: ``[169, 169]`` probability that the row is dealt to one player and the column to the
            other.
        edge: ``[169, 169]`` that probability times what the row wins at a stake of 1 if the flop is
            checked down.
    """

    flops: FlopList
    share: FloatArray
    edge: FloatArray

    @classmethod
    def of(cls, flops: FlopList) -> "FlopDeals":
        """Counts the deals beside some flops and who wins them."""
        share, edge = np.zeros((NUM_HANDS, NUM_HANDS)), np.zeros((NUM_HANDS, NUM_HANDS))
        for flop, weight in zip(flops.flops, flops.weights.tolist(), strict=True):
            equity = compute_board_equity(flop)
            table = equity.hand_table()
            scale = weight / (PAIRS_BESIDE_A_FLOP * equity.num_runouts)
            share += scale * table.totals
            edge += scale * (2 * table.wins + table.ties - table.totals)
        return cls(flops, share, edge)


# --------------------------------------------------------------------------------------------------
# A flop leaf of the preflop tree on one flop: betting with real cards, and what is learned.


class Playable(Protocol):
    """A flop leaf on one flop that can be visited; players are `OOP` and `IP`.

    Attributes:
        combos: ``[n]`` the combos that both players can hold, in the order of rows.
        width: the length of a row of hands, padding included.
        cost: how long a visit takes, in any unit that all subgames of a game share.
        is_zero_sum: whether what one player wins is what the other loses, but for rounding.
    """

    combos: IntArray
    width: int
    cost: int
    is_zero_sum: bool

    def visit(self, player: int, step: Step, root_reach: Float32Array, worker: int) -> Float32Array:
        """Returns ``[width]`` counterfactual values of a player's hands, in pots.

        Args:
            player: whose hands are valued.
            step: what to do; `LEARN` adds to the tables.
            root_reach: ``[width]`` the opponent's reach on entering the flop.
            worker: the number of the thread that visits; no two visit at once with the same one.
        """


class Subgame(Playable, Protocol):
    """A flop leaf on one flop that learns.

    Attributes:
        tables: what both players have learned.
    """

    tables: LearnedTables

    @property
    def game(self) -> CardGame:
        """The cards and the betting."""

    def learned(self) -> Mapping[str, AnyArray]:
        """Returns the tables themselves, by name: to save them, and to fill them when resuming."""


class EngineNeeds(NamedTuple):
    """What the subgames of some flops take together.

    Attributes:
        memory: in bytes.
        cells_by_street: ``[3]`` probabilities that the tables of flop, turn and river hold.
        river_map_bytes: what says which column of a river's tables a hand has, where it is kept.
    """

    memory: MemoryNeed
    cells_by_street: IntArray
    river_map_bytes: int = 0


class Engine(Protocol):
    """Makes subgames; those of a flop may share what depends on cards only."""

    @property
    def seconds_per_cell(self) -> float:
        """Time of an iteration on one core, for each probability that its tables hold."""

    @property
    def savings(self) -> "Mapping[str, Engine]":
        """Engines that need less memory, by what to write in a config."""

    @property
    def advice(self) -> str:
        """What else would, in words."""

    def make_games(
        self, flops: Sequence[Flop], trees: Sequence[PostflopTree], team: Team
    ) -> Sequence[Sequence[CardGame]]:
        """Returns for each flop one game for each tree, without tables."""

    def play(
        self, flops: Sequence[Flop], trees: Sequence[PostflopTree], team: Team
    ) -> Sequence[Sequence[Subgame]]:
        """Returns for each flop one subgame for each tree.

        Args:
            flops: the flops.
            trees: the betting of each flop leaf, in pots.
            team: threads that share the work, now and when the subgames are visited.
        """

    def estimate(
        self, flops: Sequence[Flop], trees: Sequence[PostflopTree], num_workers: int
    ) -> EngineNeeds:
        """Returns what the subgames of some flops take together, before they are made."""


@dataclass(frozen=True)
class ExactEngine:
    """Every combo on every turn and river: for small trees.

    Attributes:
        precision: bits of a stored number.
    """

    precision: Precision = Precision.SINGLE

    @property
    def seconds_per_cell(self) -> float:
        """Time of an iteration on one core, for each probability that its tables hold."""
        return 3.4e-9

    @property
    def savings(self) -> "Mapping[str, Engine]":
        """Engines that need less memory, by what to write in a config."""
        half = Precision.HALF
        return {} if self.precision == half else {"exact_precision: 16": ExactEngine(half)}

    @property
    def advice(self) -> str:
        """What else would, in words."""
        return "solve_type: compact"

    def make_games(
        self, flops: Sequence[Flop], trees: Sequence[PostflopTree], team: Team
    ) -> Sequence[Sequence[SpotGame]]:
        """Returns for each flop one game for each tree, without tables."""
        everyone = (HandRange.full(), HandRange.full())
        return [
            [SpotGame(Spot(flop, everyone, tree), precision=self.precision) for tree in trees]
            for flop in flops
        ]

    def play(
        self, flops: Sequence[Flop], trees: Sequence[PostflopTree], team: Team
    ) -> Sequence[Sequence[Subgame]]:
        """Returns for each flop one subgame for each tree."""
        games = self.make_games(flops, trees, team)
        return [[ExactSubgame(game) for game in of_flop] for of_flop in games]

    def estimate(
        self, flops: Sequence[Flop], trees: Sequence[PostflopTree], num_workers: int
    ) -> EngineNeeds:
        """Returns what the subgames of some flops take together, before they are made."""
        memory, cells = MemoryNeed(0, 0, 0), np.zeros(len(Street), np.int64)
        for cards, number in count_alike(flops):
            for tree in trees:
                streets = played_templates(tree, NO_RAKE, cards)
                need = estimate_memory(streets, cards, 1, self.precision)
                memory = MemoryNeed(
                    memory.tables + number * need.tables,
                    memory.working_space + number * need.working_space,
                    memory.cards + number * need.cards,
                )
                cells += number * count_cells(streets, exact_sizes(cards))
        return EngineNeeds(memory, cells)


class ExactSubgame:
    """A flop leaf on one flop, played with every combo on every board."""

    def __init__(self, game: SpotGame) -> None:
        """Allocates the tables; both players begin with all actions equally likely."""
        self.game = game
        self.tables = LearnedTables.allocate(game.templates, game.table_sizes(), game.precision)
        hands = self.game.cards.players[0]
        self.combos, self.width = hands.combos, hands.width
        self.is_zero_sum = True
        self.cost = sum(table.size for table in self.learned().values())

    def visit(self, player: int, step: Step, root_reach: Float32Array, worker: int) -> Float32Array:
        """Returns ``[width]`` counterfactual values of a player's hands, in pots."""
        return self.game.visit(player, step, self.tables, root_reach)

    def learned(self) -> Mapping[str, AnyArray]:
        """Returns the tables themselves, by name."""
        return dict(self.tables.named_arrays())


def count_cells(templates: list[StreetTemplate], sizes: Sequence[StreetSize]) -> IntArray:
    """Returns ``[3]`` how many probabilities the tables of flop, turn and river hold."""
    pair_bytes = 2 * Precision.SINGLE // 8  # a regret and a sum
    streets = zip(templates, sizes, strict=True)
    by_street = [count_table_bytes([each], [size], Precision.SINGLE) for each, size in streets]
    return np.array(by_street) // pair_bytes


def count_alike(flops: Sequence[Flop]) -> list[tuple[CardsToCome, int]]:
    """Returns the cards of one flop of each pattern of suits and ranks, and how many are like it.

    They have as many turn and river boards, so they need as much memory.
    """
    everyone = (HandRange.full(), HandRange.full())
    alike = Counter(_pattern(flop) for flop in flops)
    example = {_pattern(flop): flop for flop in flops}
    return [
        (CardsToCome.plan(example[pattern], everyone), number) for pattern, number in alike.items()
    ]


def _pattern(flop: Flop) -> tuple[tuple[int, int], ...]:
    ranks = sorted({card_rank(card) for card in flop})
    return tuple((ranks.index(card_rank(card)), card_suit(card)) for card in sorted(flop))


# --------------------------------------------------------------------------------------------------
# Flops of a joint game with every combo on flop and turn, and rivers as bucket games.


@dataclass(frozen=True)
class CompactEngine:
    """Flop and turn by combo, rivers by buckets of strength.

    Attributes:
        num_buckets: of each river.
        blockers: whether buckets tell blockers apart: ``on``, ``off``, or ``auto``, which is on at
            leaves with deep stacks.
        precision: bits of a stored number.
    """

    num_buckets: int
    blockers: str = "off"
    precision: Precision = Precision.SINGLE

    @property
    def seconds_per_cell(self) -> float:
        """Time of an iteration on one core, for each probability that its tables hold."""
        return SECONDS_PER_CELL

    @property
    def savings(self) -> Mapping[str, Engine]:
        """Engines that need less memory, by what to write in a config."""
        if self.precision == Precision.HALF:
            return {}
        return {"compact_precision: 16": replace(self, precision=Precision.HALF)}

    @property
    def advice(self) -> str:
        """What else would, in words."""
        return "fewer river_buckets"

    def make_games(
        self, flops: Sequence[Flop], trees: Sequence[PostflopTree], team: Team
    ) -> Sequence[Sequence[CompactGame]]:
        """Returns for each flop one game for each tree; they share the flop's bucket games."""
        everyone = (HandRange.full(), HandRange.full())
        games = []
        for flop in flops:
            cards = {
                buckets: CompactCards.plan(flop, everyone, buckets, team=team)
                for buckets in self._distinct_buckets(trees)
            }
            games.append(
                [
                    CompactGame(
                        Spot(flop, everyone, tree), cards[self._buckets(tree)], self.precision
                    )
                    for tree in trees
                ]
            )
        return games

    def play(
        self, flops: Sequence[Flop], trees: Sequence[PostflopTree], team: Team
    ) -> Sequence[Sequence[Subgame]]:
        """Returns for each flop one subgame for each tree.

        All of them share one working space for each worker.
        """
        games = self.make_games(flops, trees, team)
        shapes = [game.workspace_shapes() for of_flop in games for game in of_flop]
        spaces = [Workspace(shapes) for _ in range(team.num_workers)] if shapes else []
        return [[CompactSubgame(game, spaces) for game in of_flop] for of_flop in games]

    def estimate(
        self, flops: Sequence[Flop], trees: Sequence[PostflopTree], num_workers: int
    ) -> EngineNeeds:
        """Returns what the subgames of some flops take together, before they are made.

        The trees of a flop share cards, and all of them the working space of the workers.
        """
        templates = [make_templates(tree, NO_RAKE, ONE_GROUP) for tree in trees]
        cells, tables, of_cards, largest_space = np.zeros(len(Street), np.int64), 0, 0, 0
        maps = 0
        for cards, number in count_alike(flops):
            card_bytes: dict[RiverBuckets, int] = {}
            for tree, streets in zip(trees, templates, strict=True):
                buckets = self._buckets(tree)
                need = estimate_compact_memory(streets, cards, buckets, 1, self.precision)
                tables += number * need.tables
                card_bytes[buckets] = number * need.cards
                largest_space = max(largest_space, need.working_space)
                cells += number * count_cells(streets, compact_sizes(cards, buckets))
            of_cards += sum(card_bytes.values())
            maps += number * sum(river_map_bytes(cards, buckets) for buckets in card_bytes)
        memory = MemoryNeed(tables, num_workers * largest_space, of_cards)
        return EngineNeeds(memory, cells, maps)

    def _buckets(self, tree: PostflopTree) -> RiverBuckets:
        return choose_buckets(self.num_buckets, self.blockers, tree.stakes.spr)

    def _distinct_buckets(self, trees: Sequence[PostflopTree]) -> list[RiverBuckets]:
        return list(dict.fromkeys(self._buckets(tree) for tree in trees))


class CompactSubgame:
    """A flop leaf on one flop whose rivers are bucket games."""

    def __init__(self, game: CompactGame, spaces: Sequence[Workspace]) -> None:
        """Allocates the tables; both players begin with all actions equally likely.

        Args:
            game: the cards and the betting.
            spaces: one for each worker, shared with other subgames.
        """
        self.game = game
        self._spaces = spaces
        game.workspace = spaces[0]  # for looks from outside, one at a time
        self.tables = LearnedTables.allocate(game.templates, game.table_sizes(), game.precision)
        hands = game.cards.players[0]
        self.combos, self.width = hands.combos, hands.width
        self.is_zero_sum = False  # hands of a bucket do not meet quite the same hands
        self.cost = sum(table.size for table in self.learned().values())

    def visit(self, player: int, step: Step, root_reach: Float32Array, worker: int) -> Float32Array:
        """Returns ``[width]`` counterfactual values of a player's hands, in pots."""
        return self.game.visit(player, step, self.tables, root_reach, self._spaces[worker])

    def learned(self) -> Mapping[str, AnyArray]:
        """Returns the tables themselves, by name."""
        return dict(self.tables.named_arrays())


# --------------------------------------------------------------------------------------------------
# The flops of a joint game, or some of them: played with the reach that arrives, and learned from.
#
# Whoever has a flop has all of its leaves, with their tables. What hands win is told flop by flop,
# so that sums can be made in one order however the flops are divided.


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
