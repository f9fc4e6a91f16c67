"""A flop leaf of the preflop tree on one flop: betting with real cards, and what is learned."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from runout.arrays import AnyArray, Float32Array, IntArray
from runout.cards.card import card_rank, card_suit
from runout.cards.flops import Flop
from runout.cfr.parallel import Team
from runout.holdem.all_ins import played_templates
from runout.holdem.card_game import CardGame
from runout.holdem.cards_to_come import CardsToCome
from runout.holdem.rake import NO_RAKE
from runout.holdem.spot import Spot
from runout.holdem.spot_game import SpotGame
from runout.holdem.street_kernels import Step
from runout.holdem.street_template import StreetTemplate
from runout.holdem.tables import (
    LearnedTables,
    MemoryNeed,
    Precision,
    StreetSize,
    count_table_bytes,
    estimate_memory,
    exact_sizes,
)
from runout.ranges.hand_range import HandRange
from runout.trees.betting import Street
from runout.trees.postflop_tree import PostflopTree


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
