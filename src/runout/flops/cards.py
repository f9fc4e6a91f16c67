"""The backend with real cards: every combo on the flop, turns and rivers exact or in buckets."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from operator import mul

from runout.arrays import Arrays
from runout.cards.flops import ALL_RUNOUTS, RunoutSubset
from runout.cfr.schedules import DCFR_SPOT, Schedule, StoppingRule
from runout.cfr.team import Team
from runout.events import Phase, reporting_phase
from runout.flops import backend
from runout.flops.backend import Cost, FlopGame, FlopSolution, ProgressSink
from runout.flops.spot_solution import KEPT_NAMES, StoredStrategy, strategy_of_sums
from runout.flops.turn_buckets import StrengthBuckets, sort_by_gains
from runout.flops.values import RunoutSample, extract_pair_values, taking_values_bytes
from runout.holdem.cards import CardsToCome, Spot, make_layouts
from runout.holdem.game import CardGame, GamePlan, plan_game
from runout.holdem.rivers import EXACT_RIVERS, BucketRivers, CardTables, Rivers
from runout.holdem.solver import SpotSolver
from runout.holdem.tables import Precision
from runout.solutions import flop_bundles as stored
from runout.solutions.values import ExploitabilityMeaning
from runout.trees.betting import Street
from runout.trees.tree import PostflopTree

#: Boards from which values are taken, as many as a solve can afford.
DEFAULT_SAMPLE = RunoutSample(num_turns=24, num_rivers=8)

#: Iterations between two measurements of exploitability, each of which takes as long as two.
CHECK_EVERY = 20


#: To measure what hands gain, and to make buckets of it.
_SECONDS_TO_SORT = 1.5

#: Buckets of a turn card that are proposed where memory is short.
_FEW_TURN_BUCKETS = 100


@dataclass(frozen=True)
class CardBackend:
    """Solves a flop with real cards: every combo on the flop, turns and rivers as the choice says.

    Exploitability is a fraction of the flop pot, in the real game or, where rivers are bucket
    games, in the game with these; best responses tell all hands apart on turns. Values are taken
    from a sample of boards.

    Attributes:
        rounds: how often the flop is solved; from the second round on, turn buckets are also made
            of what hands have gained by actions in the round before.
        first_iterations: of a round that serves this only.
        runout_subset: the runouts of a joint game.
    """

    rule: StoppingRule
    rivers: Rivers = EXACT_RIVERS
    precision: Precision = Precision.SINGLE
    schedule: Schedule = DCFR_SPOT
    sample: RunoutSample = DEFAULT_SAMPLE
    rounds: int = 1
    first_iterations: int = 25
    runout_subset: RunoutSubset = ALL_RUNOUTS

    @property
    def meaning(self) -> ExploitabilityMeaning:
        """What the exploitability of its reports is measured against."""
        if self.rivers.is_exact:
            return ExploitabilityMeaning.REAL_GAME
        is_bound = self.rivers.turns is not None
        return ExploitabilityMeaning.UPPER_BOUND if is_bound else ExploitabilityMeaning.OWN_GAME

    def seconds_per_iteration(self, plan: GamePlan) -> float:
        """Returns the time of an iteration on one core: so much for each probability.

        Tables of a turn card's buckets are lent to its hands, which takes as long as if they were
        theirs.
        """
        cells = plan.count_cells()
        if self.rivers.turns is not None:
            num_actions, cards = plan.templates[Street.TURN].num_actions, plan.hands
            of_a_card = sum(map(mul, num_actions, cards.widths))
            cells[Street.TURN] = len(cards.deals[0].card) * of_a_card
        return int(cells.sum()) * (3.4e-9 if self.rivers.is_exact else 5e-9)

    @property
    def savings(self) -> Mapping[str, "CardBackend"]:
        """Backends that need less memory, by what to write in a config."""
        solve_type = "exact" if self.rivers.is_exact else "compact"
        cheaper: dict[str, CardBackend] = {}
        if self.precision != Precision.HALF:
            cheaper[f"{solve_type}_precision: 16"] = replace(self, precision=Precision.HALF)
        if isinstance(self.rivers, BucketRivers) and self.rivers.turns is None:
            rivers = replace(self.rivers, turns=StrengthBuckets(_FEW_TURN_BUCKETS))
            cheaper[f"turn_buckets: {_FEW_TURN_BUCKETS}"] = replace(self, rivers=rivers)
        return cheaper

    def solve(
        self, game: FlopGame, tree: PostflopTree, on_progress: ProgressSink, team: Team
    ) -> FlopSolution:
        """Solves one flop with one betting tree."""
        spot, outcomes = Spot(game.flop, game.hand_ranges(), tree), []
        card_tables: CardTables | None = None
        for number in range(1, self.rounds + 1):
            is_last = number == self.rounds
            in_round = backend.in_round(on_progress, number, self.rounds)
            rule = self.rule if is_last else StoppingRule(self.first_iterations)
            with reporting_phase(in_round, Phase.LAYOUT):
                solver = SpotSolver(
                    spot, self.schedule, team, self.precision, self.rivers, card_tables
                )
            with reporting_phase(in_round, Phase.SOLVING, rule.max_iterations):
                outcomes.append(solver.solve(rule, in_round, team.cancel))
            if not is_last:
                with reporting_phase(in_round, Phase.REBUCKETING):
                    card_tables = self._sort_turns(solver)
                del solver  # before the next one takes as much memory
        sums = [(oop.strategy_sum, ip.strategy_sum) for oop, ip in solver.tables.by_street]
        strategy = strategy_of_sums(sums, solver.game)
        del solver  # and with it the regrets, before values take as much memory
        values = extract_pair_values(strategy.game, strategy, self.sample, on_progress, team)
        report = backend.report_outcome(backend.join_rounds(outcomes), self.meaning)
        return FlopSolution(strategy, values.by_hand(), report)

    def _sort_turns(self, solver: SpotSolver) -> CardTables:
        """Returns the tables of cards with turn buckets of what hands have gained."""
        assert isinstance(self.rivers.turns, StrengthBuckets)
        columns = sort_by_gains(solver, self.rivers.turns)
        return replace(solver.game.card_tables, turn_columns=columns)

    def estimate(self, flop: tuple[int, ...], tree: PostflopTree, num_workers: int) -> Cost:
        """Returns what `solve` will take; suits that the flop does not tell apart count once."""
        plan = self.plan(flop, tree, num_workers)
        cells = int(plan.count_cells().sum())
        num_hands = sum(len(player.combos) for player in plan.hands.players)
        buckets = self.rivers.map_bytes(plan.hands, num_hands)
        to_take_values, cheaper = 5.0, "solve_type: bucketed"
        if not self.rivers.is_exact:
            to_take_values, cheaper = 2.0, "fewer river_buckets"
        savings: dict[str, int | None] = {
            change: held_bytes(other.plan(flop, tree, num_workers))
            for change, other in self.savings.items()
        }
        per_iteration = self.seconds_per_iteration(plan)
        to_sort = (self.rounds - 1) * (_SECONDS_TO_SORT + self.first_iterations * per_iteration)
        return Cost(
            backend.limit_seconds(self.rule, per_iteration) + to_sort + to_take_values,
            held_bytes(plan),
            disk_bytes=backend.KEPT_BYTES * cells + buckets,
            shared_bytes=buckets,
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
        spot = Spot(flop, backend.EVERYONE, tree, runout_subset=self.runout_subset)
        return plan_game(spot, self.rivers, self.precision, num_workers, hands)

    def make_games(
        self, flop: tuple[int, ...], trees: Sequence[PostflopTree], team: Team | None = None
    ) -> list[CardGame]:
        """Returns a game with all hands for each tree; they share what depends on cards only."""
        subset = self.runout_subset
        spots = [Spot(flop, backend.EVERYONE, tree, runout_subset=subset) for tree in trees]
        kept = [self.rivers.at_depth(tree.stakes.spr) for tree in trees]
        first = dict(zip(reversed(kept), reversed(spots), strict=True))
        cards = {rivers: CardTables.build(first[rivers], rivers, team) for rivers in first}
        return [
            CardGame(spot, rivers, self.precision, card_tables=cards[rivers])
            for spot, rivers in zip(spots, kept, strict=True)
        ]

    def read_strategy(
        self, kept: Arrays, flop: tuple[int, ...], tree: PostflopTree
    ) -> StoredStrategy:
        """Returns the strategies that were kept."""
        if stored.SHARES not in kept:  # one array for each table, as once kept
            (game,) = self.make_games(flop, [tree])
            names = [f"{template.street.label}_{{}}_strategy" for template in game.templates]
            sums = [(kept[name.format("oop")], kept[name.format("ip")]) for name in names]
            kept = strategy_of_sums(sums, game).to_arrays()
        cards = CardsToCome.plan(flop, backend.EVERYONE)
        arrays = stored.StoredArrays("kept flop", kept, KEPT_NAMES)
        return StoredStrategy(arrays.read_shares(make_layouts(tree), cards), cards, kept)

    @classmethod
    def for_warm_up(cls) -> Sequence["CardBackend"]:
        """Returns backends with buckets and each precision; spots have exact rivers."""
        return [
            cls(backend.ONCE, BucketRivers(16, turns=turns), precision)
            for turns in (None, StrengthBuckets(2))
            for precision in Precision
        ]


def held_bytes(plan: GamePlan) -> int:
    """Returns the most that `CardBackend.solve` holds at a time, before anything is allocated."""
    need = plan.memory
    taking_values = taking_values_bytes(plan.templates, plan.hands)
    return max(need.total, need.total - need.tables // 2 + taking_values)
