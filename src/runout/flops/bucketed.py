"""The bucketed backend: CFR in buckets on one flop, in rounds that recluster hands on their EVs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar, NamedTuple

import numpy as np

from runout.abstraction import bucket_map
from runout.abstraction.bucket_map import Abstraction, FlopBuckets, build_flop_buckets
from runout.abstraction.card_abstraction import PercentileBuckets
from runout.abstraction.clustering import Metric, cluster_features
from runout.arrays import AnyArray, Arrays, FloatArray
from runout.cards.deck import NUM_CARDS, NUM_COMBOS, disjoint_combos
from runout.cfr.schedules import LINEAR, Schedule, SolveOutcome, StoppingRule
from runout.cfr.solver import ignore_progress
from runout.cfr.team import Team
from runout.errors import ConfigError
from runout.events import Phase, reporting_phase
from runout.flops import backend, bucketed_solver
from runout.flops.backend import Cost, FlopGame, FlopSolution, ProgressSink
from runout.flops.bucketed_solver import NUM_RIVERS, NUM_TURNS, BucketedSolver, BucketStrategy
from runout.flops.values import PairValues, RunoutSample, extract_pair_values, taking_values_bytes
from runout.holdem.cards import Spot
from runout.holdem.game import CardGame, plan_game
from runout.holdem.tables import Precision, StreetSize, plan_tables
from runout.solutions.values import ExploitabilityMeaning
from runout.trees.betting import Street
from runout.trees.tree import PostflopTree

# Rounds of bucketed solving: solve, see what hands earn, make flop buckets of it, solve again.
#
# The first round's buckets are made of strength alone. Strength cannot tell hands apart that win
# equally often and earn differently; expected values of a solve can. Only flop buckets change.

#: Boards from which values are taken: twelve turns, four rivers after each (docs/bucketed.md).
DEFAULT_SAMPLE = RunoutSample(num_turns=12, num_rivers=4)


@dataclass(frozen=True, eq=False)
class SolvedRound:
    """Buckets, average strategies, how the solve ended, and what combos win from each other."""

    buckets: FlopBuckets
    strategy: BucketStrategy
    outcome: SolveOutcome
    values: PairValues


def ev_features(
    game: CardGame, result: SolvedRound, on_progress: ProgressSink = ignore_progress
) -> FloatArray:
    """Returns ``[C, 20]`` what each combo earns against the opponent's buckets, as OOP and IP."""
    earned, (number, *_) = _earned(game, result.values), result.buckets.num_buckets
    labels, spr = result.buckets.flop_labels(), game.spot.tree.stakes.spr
    features = bucket_map.build_ev_histograms(*earned, labels, number, spr, on_progress)
    return bucket_map.average_isomorphic_combos(features, game.cards.board, result.values.combos)


def mean_values(game: CardGame, values: PairValues) -> FloatArray:
    """Returns ``[C, 2]`` what each combo wins on average as OOP and as IP, beyond half the pot."""
    won, weights = _earned(game, values)
    means = ((won * weights).sum(axis=2) / weights.sum(axis=2)).T
    return bucket_map.average_isomorphic_combos(means, game.cards.board, values.combos)


def _earned(game: CardGame, values: PairValues) -> tuple[FloatArray, FloatArray]:
    """Returns ``[2, C, C]`` what the row wins from the column, and how much the column is held.

    Both are by the row's position, and 0 where the combos cannot meet.
    """
    gain = np.nan_to_num(values.gain_of_oop)
    can_meet = disjoint_combos(values.combos, values.combos).astype(np.float64)
    oop, ip = (player.weights for player in game.cards.players)
    return np.stack([gain, -gain.T]), np.stack([can_meet * ip, can_meet * oop])


class KeptRounds(NamedTuple):
    """What is kept of the R rounds of a flop; turns and rivers have the same buckets in all.

    Attributes:
        flop_buckets: ``[R, 1326]``, the largest number of the type where blocked.
        ev_features: ``[R, C, 20]``, see `ev_features`.
        mean_values: ``[R, C, 2]``, see `mean_values`.
        facts: ``[R, 3]`` iterations, what a best response in the same buckets gains at most, in
            pots, and how much the average strategies moved in the last iteration.
    """

    flop_buckets: AnyArray
    ev_features: AnyArray
    mean_values: AnyArray
    facts: AnyArray

    def to_arrays(self) -> Arrays:
        """Returns the arrays by the names that files have."""
        return {f"round_{name}": array for name, array in self._asdict().items()}


def pack_rounds(game: CardGame, results: Sequence[SolvedRound]) -> Arrays:
    """Returns all rounds of a flop as arrays of `KeptRounds`."""
    outcomes = [result.outcome for result in results]
    return KeptRounds(
        np.stack([result.buckets.by_flop.astype(np.uint16) for result in results]),
        np.stack([ev_features(game, result) for result in results]).astype(np.float32),
        np.stack([mean_values(game, result.values) for result in results]).astype(np.float32),
        np.array([(o.iterations, o.exploitability, o.strategy_delta) for o in outcomes], float),
    ).to_arrays()


#: Features of all hands on all rivers, 1.3 million rows, and their copies in order.
_MAKING_BUCKETS_BYTES = 220_000_000
#: Which bucket each combo is in on every board, and the values of a round.
_KEPT_OF_A_ROUND_BYTES = 16_000_000
#: Of an action and bucket: regrets, strategy sums, what is played, and the average; and in each
#: visit the sum of what every turn card adds.
_CELL_BYTES = 8 * (4 + 1 + NUM_TURNS)

_NUM_LIVE_COMBOS = 1_176  # on a flop; as many pairs of turn and river
_NUM_BOARDS = 1 + NUM_CARDS + _NUM_LIVE_COMBOS  # that have buckets
#: What hands earn in a round, and their flop buckets.
_RECORD_BYTES = _NUM_LIVE_COMBOS * (20 + 2) * 4 + NUM_COMBOS * 2

_SECONDS_TO_MAKE_BUCKETS = 3.5
_SECONDS_TO_TAKE_VALUES = 2.5
_SECONDS_PER_NODE = 50e-6  # of an iteration

_PAIRS_PER_RIVER = 1_081 * 990


@dataclass(frozen=True)
class BucketedBackend:
    """Solves a flop with hands in buckets and real cards, in rounds.

    Attributes:
        num_buckets: on flop, turn and river, at most.
        rule: when a round's solve stops.
        rounds: 1 uses strength alone; each further one makes flop buckets of the values before it.
        is_warm_started: whether a round begins with what the one before it has learned.
        sample: boards from which values are taken.
        abstraction: which hands play alike, in place of buckets of strength; for one round.
    """

    num_buckets: tuple[int, int, int]
    rule: StoppingRule
    schedule: Schedule = LINEAR
    metric: Metric = "emd"
    rounds: int = 1
    is_warm_started: bool = False
    seed: int = 0
    sample: RunoutSample = DEFAULT_SAMPLE
    abstraction: Abstraction | None = None

    meaning: ClassVar[ExploitabilityMeaning] = ExploitabilityMeaning.UPPER_BOUND

    def __post_init__(self) -> None:
        if self.abstraction is not None and self.rounds > 1:
            problem = f"{self.rounds} would replace the flop buckets of the abstraction, use 1"
            raise ConfigError("rebucket_rounds", problem)

    def solve(
        self, game: FlopGame, tree: PostflopTree, on_progress: ProgressSink, team: Team
    ) -> FlopSolution:
        """Solves one flop with one betting tree."""
        with_cards = CardGame(Spot(game.flop, game.hand_ranges(), tree, merges_suits=False))
        results = list(self.solve_rounds(with_cards, on_progress, team))
        last, outcome = results[-1], backend.join_rounds([result.outcome for result in results])
        num_deals = outcome.iterations * NUM_TURNS * NUM_RIVERS * _PAIRS_PER_RIVER
        report = backend.report_outcome(outcome, self.meaning, num_deals)
        make_records = partial(pack_rounds, with_cards, results)
        return FlopSolution(last.strategy, last.values.by_hand(), report, make_records)

    def solve_rounds(
        self, game: CardGame, on_progress: ProgressSink, team: Team | None = None
    ) -> Iterator[SolvedRound]:
        """Yields each round of a flop with all hands and all cards, in pots."""
        sample, team = replace(self.sample, seed=self.seed), team or Team()
        sharing = team.for_solve(game.spot.tree.num_nodes * NUM_TURNS * NUM_RIVERS * NUM_COMBOS)
        in_round = backend.in_round(on_progress, 1, self.rounds)
        flop, seeded = game.cards.board, (self.metric, self.seed, in_round, team)
        if self.abstraction is None:
            buckets = build_flop_buckets(flop, self.num_buckets, *seeded)
        else:
            if isinstance(self.abstraction, PercentileBuckets):
                self.abstraction.open(in_round)
            with reporting_phase(in_round, Phase.HAND_BUCKETS):
                buckets = FlopBuckets.of(flop, self.abstraction)
        before: BucketedSolver | None = None
        for number in range(1, self.rounds + 1):
            seed = int(np.random.SeedSequence([self.seed, number]).generate_state(1)[0])
            with reporting_phase(in_round, Phase.LAYOUT):
                solver = BucketedSolver(game, buckets, self.schedule, seed, sharing)
            if before is not None and self.is_warm_started:
                solver.begin_with(before)
            with reporting_phase(in_round, Phase.SOLVING, self.rule.max_iterations):
                outcome = solver.solve(self.rule, in_round, team.cancel)
            strategy = solver.strategy()
            values = extract_pair_values(game, strategy, sample, in_round, team)
            result = SolvedRound(buckets, strategy, outcome, values)
            yield result
            if number < self.rounds:
                in_round = backend.in_round(on_progress, number + 1, self.rounds)
                buckets = self._rebucket(game, result, in_round)
                before = solver

    def _rebucket(
        self, game: CardGame, result: SolvedRound, on_progress: ProgressSink
    ) -> FlopBuckets:
        features = ev_features(game, result, on_progress)
        with reporting_phase(on_progress, Phase.REBUCKETING, 100) as advance:
            clustering = cluster_features(
                features,
                self.num_buckets[0],
                self.metric,
                seed=self.seed,
                order_key=mean_values(game, result.values).mean(axis=1),
                name=Street.FLOP.label,
                on_event=on_progress,
                on_share=lambda share: advance(int(100 * share)),
            )
        return result.buckets.replace_flop(clustering.labels, clustering.num_buckets)

    def read_strategy(
        self, kept: Arrays, flop: tuple[int, ...], tree: PostflopTree
    ) -> BucketStrategy:
        """Returns the strategies that were kept."""
        return bucketed_solver.read_strategy(kept, flop)

    def estimate(self, flop: tuple[int, ...], tree: PostflopTree, num_workers: int) -> Cost:
        """Returns what `solve` will take.

        Tables and working space are counted from their shapes. What making buckets and taking
        values need on top does not depend on the tree and was measured (tracemalloc, AhKd7s).
        """
        spot = Spot(flop, backend.EVERYONE, tree, merges_suits=False)
        planned = plan_game(spot, num_workers=num_workers)
        need, cards, templates = planned.memory, planned.hands, planned.templates
        num_boards = (1, NUM_TURNS, NUM_TURNS * NUM_RIVERS)
        sizes = [StreetSize(number, cards.widths) for number in num_boards]
        num_buckets: tuple[int, ...] = self.num_buckets
        own = self.abstraction
        is_built_later = isinstance(own, PercentileBuckets) and own.directory is None
        if own is not None and not is_built_later:
            num_buckets = FlopBuckets.of(flop, own).num_buckets
        numbers = zip(templates, num_buckets, strict=True)
        cells = sum(sum(template.num_actions) * number for template, number in numbers)
        solver = plan_tables(templates, sizes, Precision.SINGLE).num_bytes + _CELL_BYTES * cells
        if self.rounds > 1:  # a round begins while the one before is still there
            solver += solver + need.working_space
        held = need.working_space + need.cards + self.rounds * _KEPT_OF_A_ROUND_BYTES
        most = max(_MAKING_BUCKETS_BYTES, solver + taking_values_bytes(templates, cards))
        seconds = backend.limit_seconds(self.rule, _SECONDS_PER_NODE * tree.num_nodes)
        bucket_bytes = 1 if max(num_buckets) < np.iinfo(np.uint8).max else 2
        buckets = bucket_bytes * _NUM_BOARDS * NUM_COMBOS
        seconds = _SECONDS_TO_MAKE_BUCKETS + self.rounds * (seconds + _SECONDS_TO_TAKE_VALUES)
        disk = backend.KEPT_BYTES * cells + self.rounds * _RECORD_BYTES + buckets
        return Cost(seconds, held + most, disk, buckets, savings=backend.FEWER_SIZES)

    @classmethod
    def for_warm_up(cls) -> Sequence["BucketedBackend"]:
        """Returns a backend whose solve of a small flop calls every kernel."""
        return [cls((1, 1, 1), backend.ONCE, sample=RunoutSample(6, 3))]
