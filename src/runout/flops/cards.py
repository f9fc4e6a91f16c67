"""Backends with real cards: every combo on flop and turn, rivers exact or in buckets."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from runout.arrays import AnyArray, Float32Array, IntArray
from runout.cache import Arrays
from runout.cards.deck import permute_combos
from runout.cards.ranges import HandRange
from runout.cfr.schedules import DCFR6, DCFR_SPOT, DiscountSchedule, StoppingRule
from runout.cfr.team import Team
from runout.events import Phase, reporting_phase
from runout.flops.backend import (
    KEPT_BYTES,
    ONCE,
    Cost,
    FlopGame,
    FlopSolution,
    ProgressSink,
    limit_seconds,
    pack_probabilities,
    report_outcome,
    solving_a_small_flop,
)
from runout.flops.values import RunoutSample, extract_pair_values, taking_values_bytes
from runout.holdem.cards import NO_RAKE, CardsToCome, Spot
from runout.holdem.compact_game import ONE_GROUP, CompactGame
from runout.holdem.forest import StreetTemplate, make_templates, played_templates
from runout.holdem.game import CardGame, SpotGame
from runout.holdem.rivers import CompactCards, RiverBuckets, choose_buckets
from runout.holdem.solver import SpotSolver
from runout.holdem.tables import (
    LearnedTables,
    MemoryNeed,
    Precision,
    StreetSize,
    count_boards,
    estimate_memory,
    name_of_table,
)
from runout.holdem.workspace import compact_sizes, estimate_compact_memory
from runout.simd.decision_kernels import Learning
from runout.solutions.flop import normalize_sums
from runout.solutions.values import ExploitabilityMeaning
from runout.trees.betting import Street
from runout.trees.layout import NUM_PLAYERS
from runout.trees.tree import PostflopTree

# --------------------------------------------------------------------------------------------------
# Average strategies in the tables of a game with real cards, however its rivers are kept.


_KEPT_PART = "strategy"


@dataclass(frozen=True, eq=False)
class TableStrategy:
    """Average strategies of a solved game, combo by combo and board by board.

    Attributes:
        tables: what was learned.
        game: says where the tables keep a board and a hand.
    """

    tables: LearnedTables
    game: CardGame
    _board_number: list[dict[tuple[int, ...], int]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        runouts = self.game.cards.runouts
        numbers: list[dict[tuple[int, ...], int]] = [{(): 0}]
        numbers += [{dealt: i for i, dealt in enumerate(street)} for street in runouts]
        object.__setattr__(self, "_board_number", numbers)

    def rows(
        self, template: StreetTemplate, player: int, dealt: tuple[int, ...], combos: IntArray
    ) -> Float32Array:
        """Returns ``[A, C]`` how likely a player takes each action with each combo.

        A board that was not solved because it differs by suits only is looked up under the names
        of the one that was.
        """
        cards, numbers = self.game.cards, self._board_number[len(dealt)]
        mapping = next(m for m in cards.symmetries if m.map_cards(dealt) in numbers)
        board = numbers[mapping.map_cards(dealt)]
        place = self.game.find_columns(template.street, board, player)
        hands = cards.players[player].positions()[permute_combos(mapping.new_suits)[combos]]
        learning = self.tables.on_board(template.street, place.board)[player]
        # Hands of a bucket share a column, so columns are fewer than hands.
        sums = learning.strategy_sum.astype(np.float32)
        shares = normalize_sums(sums, template.decisions_of(player)[1])
        return shares[:, place.of_hands[hands]]

    def to_arrays(self) -> Arrays:
        """Returns the strategies in few bytes: a quarter of tables of single precision."""
        kept: dict[str, AnyArray] = {}
        pairs = zip(self.game.templates, self.tables.by_street, strict=True)
        for template, pair in pairs:
            for player, learning in enumerate(pair):
                _, counts = template.decisions_of(player)
                packed = np.empty(learning.strategy_sum.shape, dtype=np.uint16)
                for board, sums in enumerate(learning.strategy_sum):
                    shares = normalize_sums(sums.astype(np.float32), counts)
                    packed[board] = pack_probabilities(shares)
                kept[name_of_table(template.street, player, _KEPT_PART)] = packed
        return kept

    @classmethod
    def from_arrays(cls, kept: Arrays, game: CardGame) -> "TableStrategy":
        """Returns what `to_arrays` wrote of a game with the same cards and betting."""
        by_street = []
        for template in game.templates:
            oop, ip = (
                _only_strategy(kept[name_of_table(template.street, player, _KEPT_PART)])
                for player in range(NUM_PLAYERS)
            )
            by_street.append((oop, ip))
        return cls(LearnedTables(by_street, game.templates[0].street), game)


def forget_regrets(tables: LearnedTables) -> LearnedTables:
    """Returns tables that share the average strategies, and have nothing else."""
    by_street = [
        (_only_strategy(oop.strategy_sum), _only_strategy(ip.strategy_sum))
        for oop, ip in tables.by_street
    ]
    return LearnedTables(by_street, tables.first_street)


def _only_strategy(sums: AnyArray) -> Learning:
    # The actions of a decision share one scale, which does not change their shares.
    no_scale = np.zeros((len(sums), 0), dtype=np.float32)
    nothing = np.zeros((len(sums), 0, 0), dtype=np.uint8)
    return Learning(nothing, no_scale, sums, no_scale, nothing)


# --------------------------------------------------------------------------------------------------
# What the backends with real cards have in common: a solve in phases, and values taken from it.


def held_bytes(need: MemoryNeed, templates: list[StreetTemplate], cards: CardsToCome) -> int:
    """Returns the most that `solve_with_cards` holds at a time, before anything is allocated."""
    taking_values = taking_values_bytes(templates, cards)
    return max(need.total, need.total - need.tables // 2 + taking_values)


def solve_with_cards(
    make_solver: Callable[[], SpotSolver],
    rule: StoppingRule,
    sample: RunoutSample,
    meaning: ExploitabilityMeaning,
    on_progress: ProgressSink,
    team: Team,
) -> FlopSolution:
    """Solves one flop with one betting tree.

    Args:
        make_solver: allocates what the solve needs.
        rule: when to stop.
        sample: boards from which values are taken.
        meaning: of the exploitability that is reached.
        on_progress: is told all phases.
        team: threads to share the taking of values, and what ends the solve.
    """
    with reporting_phase(on_progress, Phase.LAYOUT):
        solver = make_solver()
    with reporting_phase(on_progress, Phase.SOLVING, rule.max_iterations):
        outcome = solver.solve(rule, on_progress, team.cancel)
    strategy = TableStrategy(forget_regrets(solver.tables), solver.game)
    del solver  # and with it the regrets, before values take as much memory
    values = extract_pair_values(strategy.game, strategy, sample, on_progress, team)
    return FlopSolution(strategy, values.by_hand(), report_outcome(outcome, meaning))


# --------------------------------------------------------------------------------------------------
# The exact backend: every combo on every turn and river card, no abstraction at all.


#: Boards from which values are taken, as many as a solve can afford.
DEFAULT_SAMPLE = RunoutSample(num_turns=24, num_rivers=8)

_SECONDS_PER_NODE = 4e-6  # of an iteration, on one river board
_SECONDS_TO_TAKE_VALUES = 5.0

_BYTES_OF_A_CELL = 8  # regret and sum, in single precision


@dataclass(frozen=True)
class ExactBackend:
    """Solves a flop without abstraction.

    Attributes:
        rule: when to stop; exploitability is a fraction of the flop pot, in the real game.
        schedule: the CFR variant.
        precision: bits of a stored number.
        sample: boards from which values are taken.
    """

    rule: StoppingRule
    schedule: DiscountSchedule = DCFR_SPOT
    precision: Precision = Precision.SINGLE
    sample: RunoutSample = DEFAULT_SAMPLE

    meaning: ClassVar[ExploitabilityMeaning] = ExploitabilityMeaning.REAL_GAME

    def solve(
        self, game: FlopGame, tree: PostflopTree, on_progress: ProgressSink, team: Team
    ) -> FlopSolution:
        """Solves one flop with one betting tree."""

        def make_solver() -> SpotSolver:
            spot = Spot(game.flop, game.hand_ranges(), tree)
            return SpotSolver(spot, self.schedule, team, self.precision)

        return solve_with_cards(
            make_solver, self.rule, self.sample, self.meaning, on_progress, team
        )

    def estimate(self, flop: tuple[int, ...], tree: PostflopTree, num_workers: int) -> Cost:
        """Returns what `solve` will take; suits that the flop does not tell apart count once."""
        everyone = HandRange.full()
        cards = CardsToCome.plan(flop, (everyone, everyone))
        templates = played_templates(tree, NO_RAKE, cards)
        memory, tables = {}, {}
        for precision in Precision:
            need = estimate_memory(templates, cards, num_workers, precision)
            tables[precision] = need.tables
            memory[precision] = held_bytes(need, templates, cards)
        per_iteration = _SECONDS_PER_NODE * tree.num_nodes * count_boards(cards)[-1]
        others: dict[str, int | None] = {"exact_precision: 16": memory[Precision.HALF]}
        return Cost(
            limit_seconds(self.rule, per_iteration) + _SECONDS_TO_TAKE_VALUES,
            memory[self.precision],
            disk_bytes=KEPT_BYTES * tables[Precision.SINGLE] // _BYTES_OF_A_CELL,
            savings=({} if self.precision == Precision.HALF else others)
            | {"give fewer sizes or raises, or solve_type: bucketed": None},
        )

    def read_strategy(
        self, kept: Arrays, flop: tuple[int, ...], tree: PostflopTree
    ) -> TableStrategy:
        """Returns the strategies that were kept."""
        everyone = HandRange.full()
        return TableStrategy.from_arrays(kept, SpotGame(Spot(flop, (everyone, everyone), tree)))

    @classmethod
    def warm_up_jobs(cls) -> list[Callable[[], object]]:
        """Returns nothing: its kernels are those of spots and of other backends' values."""
        return []


# --------------------------------------------------------------------------------------------------
# The compact backend: every combo on flop and turn, buckets of strength on rivers.


#: Boards from which values are taken, as many as a solve can afford.

#: Iterations between two measurements of exploitability, each of which takes as long as two.
CHECK_EVERY = 20

#: Time of an iteration on one core, for each number of a table on the turn or in a bucket game.
SECONDS_PER_CELL = 5e-9
_SECONDS_TO_TAKE_COMPACT_VALUES = 2.0


@dataclass(frozen=True)
class CompactBackend:
    """Solves a flop with all combos on flop and turn, and bucket games on rivers.

    Attributes:
        rule: when to stop; exploitability is a fraction of the flop pot, in the game whose rivers
            are bucket games.
        schedule: the CFR variant.
        num_buckets: of each river.
        blockers: whether buckets tell blockers apart: ``on``, ``off``, or ``auto``.
        precision: bits of a stored number.
        sample: boards from which values are taken.
    """

    rule: StoppingRule
    schedule: DiscountSchedule = DCFR6
    num_buckets: int = 48
    blockers: str = "auto"
    precision: Precision = Precision.SINGLE
    sample: RunoutSample = DEFAULT_SAMPLE

    meaning: ClassVar[ExploitabilityMeaning] = ExploitabilityMeaning.OWN_GAME

    def solve(
        self, game: FlopGame, tree: PostflopTree, on_progress: ProgressSink, team: Team
    ) -> FlopSolution:
        """Solves one flop with one betting tree."""

        def make_solver() -> SpotSolver:
            spot = Spot(game.flop, game.hand_ranges(), tree)
            return SpotSolver(spot, self.schedule, team, self.precision, self._buckets(tree))

        return solve_with_cards(
            make_solver, self.rule, self.sample, self.meaning, on_progress, team
        )

    def estimate(self, flop: tuple[int, ...], tree: PostflopTree, num_workers: int) -> Cost:
        """Returns what `solve` will take."""
        everyone = HandRange.full()
        cards = CardsToCome.plan(flop, (everyone, everyone))
        templates = make_templates(tree, NO_RAKE, ONE_GROUP)
        buckets = self._buckets(tree)
        memory = {}
        for precision in Precision:
            need = estimate_compact_memory(templates, cards, buckets, num_workers, precision)
            memory[precision] = held_bytes(need, templates, cards)
        streets = list(zip(templates, compact_sizes(cards, buckets), strict=True))
        cells = sum(_count_cells(*pair) for pair in streets[Street.TURN :])
        others: dict[str, int | None] = {"compact_precision: 16": memory[Precision.HALF]}
        return Cost(
            limit_seconds(self.rule, SECONDS_PER_CELL * cells) + _SECONDS_TO_TAKE_COMPACT_VALUES,
            memory[self.precision],
            disk_bytes=KEPT_BYTES * sum(_count_cells(*pair) for pair in streets),
            savings=({} if self.precision == Precision.HALF else others)
            | {"give fewer sizes or raises, or fewer river_buckets": None},
        )

    def read_strategy(
        self, kept: Arrays, flop: tuple[int, ...], tree: PostflopTree
    ) -> TableStrategy:
        """Returns the strategies that were kept; the bucket games are made again."""
        everyone = (HandRange.full(), HandRange.full())
        cards = CompactCards.plan(flop, everyone, self._buckets(tree))
        game = CompactGame(Spot(flop, everyone, tree), cards, self.precision)
        return TableStrategy.from_arrays(kept, game)

    def _buckets(self, tree: PostflopTree) -> RiverBuckets:
        stakes = tree.stakes
        return choose_buckets(self.num_buckets, self.blockers, stakes.stack / stakes.pot)

    @classmethod
    def warm_up_jobs(cls) -> list[Callable[[], object]]:
        """Returns solves of a small flop with tables of each precision."""
        return [
            solving_a_small_flop(cls(ONCE, num_buckets=16, precision=precision))
            for precision in Precision
        ]


def _count_cells(template: StreetTemplate, size: StreetSize) -> int:
    """Returns how many probabilities the tables of a street hold."""
    return size.num_boards * sum(
        actions * width for actions, width in zip(template.num_actions, size.widths, strict=True)
    )
