"""The flops of a joint game: betting with real cards, and what is learned on each.

A process that has a flop has all of its leaves, with their tables. What hands win is told flop by
flop, so that sums can be made in one order however the flops are divided.
"""

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, NamedTuple, Protocol, TypeVar

import numpy as np

from runout.arrays import AnyArray, Float32Array, FloatArray, IntArray
from runout.cards.deck import HAND_BY_COMBO, NUM_HANDS, card_rank, card_suit
from runout.cards.flops import Flop, FlopList
from runout.cfr.team import Team
from runout.equity.board import compute_board_equity
from runout.errors import BundleError
from runout.flops.backend import EVERYONE
from runout.flops.cards import CardBackend
from runout.holdem.cards import CardsToCome
from runout.holdem.game import CardGame, Workspace
from runout.holdem.rivers import Rivers
from runout.holdem.street_kernels import Step
from runout.holdem.tables import LearnedTables, MemoryNeed, Plan
from runout.storage.bundle import load_bundle
from runout.storage.writer import BundleWriter, Finish
from runout.trees.betting import Street
from runout.trees.tree import PostflopTree, postflop_position

#: Pairs of combos that can be dealt beside a flop: 49 cards for one player, 47 for the other.
PAIRS_BESIDE_A_FLOP = 1_176 * 1_081

_GAME_NUMBER_BYTES = 4  # of a runout


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


class Subgame:
    """A flop leaf on one flop that learns; see `Playable`.

    Attributes:
        game: the cards and the betting.
        tables: what both players have learned.
    """

    def __init__(self, game: CardGame, spaces: Sequence[Workspace]) -> None:
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
        # Hands of a bucket do not meet quite the same hands.
        self.is_zero_sum = game.rivers.is_exact
        self.cost = sum(table.size for table in self.learned().values())

    def visit(self, player: int, step: Step, root_reach: Float32Array, worker: int) -> Float32Array:
        """Returns ``[width]`` counterfactual values of a player's hands, in pots."""
        return self.game.visit(player, step, self.tables, root_reach, self._spaces[worker])

    def learned(self) -> Mapping[str, AnyArray]:
        """Returns the tables themselves, by name: to save them, and to fill them when resuming."""
        return dict(self.tables.named_arrays())


def make_subgames(
    backend: CardBackend, flops: Sequence[Flop], trees: Sequence[PostflopTree], team: Team
) -> list[list[Subgame]]:
    """Returns for each flop one subgame for each tree.

    Those of a flop share its cards. Where `Rivers.shares_workspace`, all of them share one working
    space for each worker; else each has its own, as one worker at a time visits it.

    Args:
        backend: makes the games.
        flops: the flops.
        trees: the betting of each flop leaf, in pots.
        team: threads that share the work, now and when the subgames are visited.
    """
    games = [backend.make_games(flop, trees, team) for flop in flops]
    plans = [[game.plan_workspace() for game in of_flop] for of_flop in games]
    kind, num_workers = backend.rivers.worker_space(len(Street)), team.num_workers
    if not backend.rivers.shares_workspace:
        return [
            [
                Subgame(game, [Workspace(plan, kind)] * num_workers)
                for game, plan in zip(*of_flop, strict=True)
            ]
            for of_flop in zip(games, plans, strict=True)
        ]
    every = [plan for of_flop in plans for plan in of_flop]
    spaces = [Workspace(Plan.covering(every), kind) for _ in range(num_workers)] if every else []
    return [[Subgame(game, spaces) for game in of_flop] for of_flop in games]


class SubgameNeeds(NamedTuple):
    """What the subgames of some flops take together.

    Attributes:
        memory: in bytes.
        cells_by_street: ``[3]`` probabilities that the tables of flop, turn and river hold.
        river_map_bytes: what says which column of a river's tables a hand has, where it is kept.
    """

    memory: MemoryNeed
    cells_by_street: IntArray
    river_map_bytes: int = 0


def estimate_subgames(
    backend: CardBackend, flops: Sequence[Flop], trees: Sequence[PostflopTree], num_workers: int
) -> SubgameNeeds:
    """Returns what `make_subgames` will allocate, and what is kept of it."""
    cells, tables, of_cards, maps = np.zeros(len(Street), np.int64), 0, 0, 0
    own_space = 0
    spaces: list[Plan] = []
    for cards, number in count_alike(flops):
        shared: dict[Rivers, Plan] = {}
        for tree in trees:
            plan = backend.plan(cards.board, tree, 1, cards)
            tables += number * plan.tables.num_bytes
            cells += number * plan.count_cells()
            spaces.append(plan.working_space)
            own_space += number * plan.working_space.num_bytes
            rivers = backend.rivers.at_depth(tree.stakes.spr)
            # Trees without all-ins need no products.
            known = shared.get(rivers, plan.cards)
            shared[rivers] = Plan({**known.arrays, **plan.cards.arrays})
        of_cards += number * sum(plan.num_bytes for plan in shared.values())
        maps += number * sum(_map_bytes(rivers, cards) for rivers in shared)
    space = own_space
    if spaces and backend.rivers.shares_workspace:
        space = num_workers * Plan.covering(spaces).num_bytes
    return SubgameNeeds(MemoryNeed(tables, space, of_cards), cells, maps)


def _map_bytes(rivers: Rivers, cards: CardsToCome) -> int:
    """Returns what keeping the bucket of each hand, the same for both players, takes on a flop."""
    if rivers.is_exact:
        return 0
    num_games = rivers.table_sizes(cards)[-1].num_boards
    return num_games * len(cards.players[0].combos) + _GAME_NUMBER_BYTES * len(cards.deals[1].card)


def count_alike(flops: Sequence[Flop]) -> list[tuple[CardsToCome, int]]:
    """Returns the cards of one flop of each pattern of suits and ranks, and how many are like it.

    They have as many turn and river boards, so they need as much memory.
    """
    alike = Counter(_pattern(flop) for flop in flops)
    example = {_pattern(flop): flop for flop in flops}
    return [
        (CardsToCome.plan(example[pattern], EVERYONE), number) for pattern, number in alike.items()
    ]


def _pattern(flop: Flop) -> tuple[tuple[int, int], ...]:
    ranks = sorted({card_rank(card) for card in flop})
    return tuple((ranks.index(card_rank(card)), card_suit(card)) for card in sorted(flop))


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
