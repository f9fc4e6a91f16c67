"""The backend with real cards: every combo on flop and turn, rivers exact or in buckets."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from runout.arrays import AnyArray, Float32Array, IntArray
from runout.cache import Arrays
from runout.cards.deck import permute_combos
from runout.cards.ranges import HandRange
from runout.cfr.schedules import DCFR_SPOT, DiscountSchedule, StoppingRule
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
from runout.holdem.cards import CardsToCome, Spot
from runout.holdem.forest import StreetTemplate
from runout.holdem.game import CardGame, GamePlan, plan_game
from runout.holdem.rivers import EXACT_RIVERS, BucketRivers, CardTables, Rivers
from runout.holdem.solver import SpotSolver
from runout.holdem.tables import LearnedTables, Precision, name_of_table, only_strategy
from runout.solutions.flop import normalize_sums
from runout.solutions.values import ExploitabilityMeaning
from runout.trees.layout import NUM_PLAYERS
from runout.trees.tree import PostflopTree

EVERYONE = (HandRange.full(), HandRange.full())

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
                only_strategy(kept[name_of_table(template.street, player, _KEPT_PART)])
                for player in range(NUM_PLAYERS)
            )
            by_street.append((oop, ip))
        return cls(LearnedTables(by_street, game.templates[0].street), game)


def forget_regrets(tables: LearnedTables) -> LearnedTables:
    """Returns tables that share the average strategies, and have nothing else."""
    by_street = [
        (only_strategy(oop.strategy_sum), only_strategy(ip.strategy_sum))
        for oop, ip in tables.by_street
    ]
    return LearnedTables(by_street, tables.first_street)


#: Boards from which values are taken, as many as a solve can afford.
DEFAULT_SAMPLE = RunoutSample(num_turns=24, num_rivers=8)

#: Iterations between two measurements of exploitability, each of which takes as long as two.
CHECK_EVERY = 20


@dataclass(frozen=True)
class CardBackend:
    """Solves a flop with real cards: every combo on flop and turn, rivers as the choice says.

    Attributes:
        rule: when to stop; exploitability is a fraction of the flop pot, in the real game or, where
            rivers are bucket games, in the game with these.
        rivers: how they are kept.
        precision: bits of a stored number.
        schedule: the CFR variant.
        sample: boards from which values are taken.
    """

    rule: StoppingRule
    rivers: Rivers = EXACT_RIVERS
    precision: Precision = Precision.SINGLE
    schedule: DiscountSchedule = DCFR_SPOT
    sample: RunoutSample = DEFAULT_SAMPLE

    @property
    def meaning(self) -> ExploitabilityMeaning:
        """What the exploitability of its reports is measured against."""
        is_exact = self.rivers.is_exact
        return ExploitabilityMeaning.REAL_GAME if is_exact else ExploitabilityMeaning.OWN_GAME

    @property
    def seconds_per_cell(self) -> float:
        """Time of an iteration on one core, for each probability that the tables hold."""
        return 3.4e-9 if self.rivers.is_exact else 5e-9

    @property
    def savings(self) -> Mapping[str, "CardBackend"]:
        """Backends that need less memory, by what to write in a config."""
        if self.precision == Precision.HALF:
            return {}
        solve_type = "exact" if self.rivers.is_exact else "compact"
        return {f"{solve_type}_precision: 16": replace(self, precision=Precision.HALF)}

    def solve(
        self, game: FlopGame, tree: PostflopTree, on_progress: ProgressSink, team: Team
    ) -> FlopSolution:
        """Solves one flop with one betting tree."""
        with reporting_phase(on_progress, Phase.LAYOUT):
            spot = Spot(game.flop, game.hand_ranges(), tree)
            solver = SpotSolver(spot, self.schedule, team, self.precision, self.rivers)
        with reporting_phase(on_progress, Phase.SOLVING, self.rule.max_iterations):
            outcome = solver.solve(self.rule, on_progress, team.cancel)
        strategy = TableStrategy(forget_regrets(solver.tables), solver.game)
        del solver  # and with it the regrets, before values take as much memory
        values = extract_pair_values(strategy.game, strategy, self.sample, on_progress, team)
        return FlopSolution(strategy, values.by_hand(), report_outcome(outcome, self.meaning))

    def estimate(self, flop: tuple[int, ...], tree: PostflopTree, num_workers: int) -> Cost:
        """Returns what `solve` will take; suits that the flop does not tell apart count once."""
        plan = self.plan(flop, tree, num_workers)
        cells = int(plan.count_cells().sum())
        to_take_values = 5.0 if self.rivers.is_exact else 2.0
        cheaper = "solve_type: bucketed" if self.rivers.is_exact else "fewer river_buckets"
        savings: dict[str, int | None] = {
            change: held_bytes(backend.plan(flop, tree, num_workers))
            for change, backend in self.savings.items()
        }
        return Cost(
            limit_seconds(self.rule, self.seconds_per_cell * cells) + to_take_values,
            held_bytes(plan),
            disk_bytes=KEPT_BYTES * cells,
            savings=savings | {f"give fewer sizes or raises, or {cheaper}": None},
        )

    def plan(
        self,
        flop: tuple[int, ...],
        tree: PostflopTree,
        num_workers: int,
        hands: CardsToCome | None = None,
    ) -> GamePlan:
        """Returns what a game with all hands will allocate; `hands` are the flop's, if known."""
        return plan_game(
            Spot(flop, EVERYONE, tree), self.rivers, self.precision, num_workers, hands
        )

    def make_games(
        self, flop: tuple[int, ...], trees: Sequence[PostflopTree], team: Team | None = None
    ) -> list[CardGame]:
        """Returns a game with all hands for each tree; they share what depends on cards only."""
        spots = [Spot(flop, EVERYONE, tree) for tree in trees]
        kept = [self.rivers.at_depth(tree.stakes.spr) for tree in trees]
        first = dict(zip(reversed(kept), reversed(spots), strict=True))
        cards = {rivers: CardTables.build(first[rivers], rivers, team) for rivers in first}
        return [
            CardGame(spot, rivers, self.precision, card_tables=cards[rivers])
            for spot, rivers in zip(spots, kept, strict=True)
        ]

    def read_strategy(
        self, kept: Arrays, flop: tuple[int, ...], tree: PostflopTree
    ) -> TableStrategy:
        """Returns the strategies that were kept; bucket games are made again."""
        (game,) = self.make_games(flop, [tree])
        return TableStrategy.from_arrays(kept, game)

    @classmethod
    def warm_up_jobs(cls) -> list[Callable[[], object]]:
        """Returns solves of a small flop with buckets and tables of each precision.

        The kernels of exact rivers are those of spots and of other backends' values.
        """
        return [
            solving_a_small_flop(cls(ONCE, BucketRivers(16), precision)) for precision in Precision
        ]


def held_bytes(plan: GamePlan) -> int:
    """Returns the most that `CardBackend.solve` holds at a time, before anything is allocated."""
    need = plan.memory
    taking_values = taking_values_bytes(plan.betting.templates, plan.hands)
    return max(need.total, need.total - need.tables // 2 + taking_values)
