"""Rounds of bucketed solving: solve, see what hands earn, make flop buckets of it, solve again.

The first round's buckets are made of strength alone. Strength cannot tell hands apart that win
equally often and earn differently; expected values of a solve can. Only flop buckets change.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from runout.abstraction.bucket_map import FlopBuckets, build_flop_buckets
from runout.abstraction.clustering import Metric
from runout.abstraction.ev_rebucketing import (
    average_isomorphic_combos,
    build_ev_histograms,
    recluster_flop_buckets,
)
from runout.arrays import FloatArray, IntArray
from runout.cards.combos import NUM_COMBOS, disjoint_combos
from runout.cfr.discounting import LINEAR, DiscountSchedule
from runout.cfr.parallel import Team
from runout.cfr.solver import ignore_progress
from runout.cfr.stopping import SolveOutcome, SolveProgress, StoppingRule
from runout.events import BucketEvent, FlopPlace, Phase, reporting_phase
from runout.holdem.spot_game import SpotGame
from runout.postflop.backend import ProgressSink
from runout.postflop.bucketed.bucket_strategy import BucketStrategy
from runout.postflop.bucketed.bucketed_solver import NUM_RIVERS, NUM_TURNS, BucketedSolver
from runout.postflop.pair_values import PairValues, RunoutSample, extract_pair_values

#: Boards from which values are taken: twelve turns, four rivers after each (docs/bucketed.md).
DEFAULT_SAMPLE = RunoutSample(num_turns=12, num_rivers=4)


@dataclass(frozen=True)
class BucketPlan:
    """How hands are sorted into buckets, and how often anew.

    Attributes:
        num_buckets: on flop, turn and river, at most.
        metric: ``emd`` or ``cramer``.
        rounds: 1 uses strength alone; each further one makes flop buckets of the values before it.
        is_warm_started: whether a round begins with what the one before it has learned.
    """

    num_buckets: tuple[int, int, int]
    metric: Metric = "emd"
    rounds: int = 1
    is_warm_started: bool = False


@dataclass(frozen=True, eq=False)
class FlopSolveResult:
    """A solved round.

    Attributes:
        buckets: with which it was solved.
        strategy: the average strategies.
        outcome: how the solve ended.
        values: what combos win from each other.
    """

    buckets: FlopBuckets
    strategy: BucketStrategy
    outcome: SolveOutcome
    values: PairValues

    @property
    def final_delta(self) -> float:
        """How much the average strategies moved in the last iteration."""
        return self.outcome.strategy_delta

    @property
    def iterations_used(self) -> int:
        """Iterations of the round."""
        return self.outcome.iterations

    def flop_labels(self) -> IntArray:
        """Returns ``[C]`` the flop bucket of each live combo."""
        return self.buckets.by_flop[self.values.combos].astype(np.int64)


@dataclass(frozen=True)
class RoundsSolver:
    """Solves a flop in rounds.

    Attributes:
        plan: the buckets.
        rule: when a round's solve stops.
        schedule: the CFR variant.
        seed: of everything random.
        sample: boards from which values are taken.
    """

    plan: BucketPlan
    rule: StoppingRule
    schedule: DiscountSchedule = LINEAR
    seed: int = 0
    sample: RunoutSample = DEFAULT_SAMPLE

    def solve(
        self, game: SpotGame, on_progress: ProgressSink, team: Team | None = None
    ) -> Iterator[FlopSolveResult]:
        """Yields the result of each round.

        Args:
            game: the flop with all hands and all cards, in pots.
            on_progress: told about iterations, values and buckets.
            team: threads to share the work.
        """
        plan, sample = self.plan, replace(self.sample, seed=self.seed)
        team = team or Team()
        sharing = team.for_solve(game.spot.tree.num_nodes * NUM_TURNS * NUM_RIVERS * NUM_COMBOS)
        in_round = _in_round(on_progress, 1, plan.rounds)
        buckets = build_flop_buckets(
            game.cards.board, plan.num_buckets, plan.metric, self.seed, in_round, team
        )
        before: BucketedSolver | None = None
        for number in range(1, plan.rounds + 1):
            seed = int(np.random.SeedSequence([self.seed, number]).generate_state(1)[0])
            with reporting_phase(in_round, Phase.LAYOUT):
                solver = BucketedSolver(game, buckets, self.schedule, seed, sharing)
            if before is not None and plan.is_warm_started:
                solver.begin_with(before)
            with reporting_phase(in_round, Phase.SOLVING, self.rule.max_iterations):
                outcome = solver.solve(self.rule, in_round, team.cancel)
            strategy = solver.strategy()
            values = extract_pair_values(game, strategy, sample, in_round, team)
            result = FlopSolveResult(buckets, strategy, outcome, values)
            yield result
            if number < plan.rounds:
                in_round = _in_round(on_progress, number + 1, plan.rounds)
                buckets = self._rebucket(game, result, in_round)
                before = solver

    def _rebucket(
        self, game: SpotGame, result: FlopSolveResult, on_progress: ProgressSink
    ) -> FlopBuckets:
        features = ev_features(game, result, on_progress)
        labels = recluster_flop_buckets(
            features,
            np.ones(len(features)),
            self.plan.num_buckets[0],
            self.plan.metric,
            seed=self.seed,
            order_key=mean_values(game, result.values).mean(axis=1),
            name="flop",
            on_event=on_progress,
        )
        return result.buckets.replace_flop(labels, int(labels.max()) + 1)


def ev_features(
    game: SpotGame, result: FlopSolveResult, on_progress: ProgressSink = ignore_progress
) -> FloatArray:
    """Returns ``[C, 20]`` what each combo earns against the opponent's buckets, as OOP and IP."""
    values = both_positions(result.values)
    features = build_ev_histograms(
        values,
        _villain_weights(game, result.values),
        result.flop_labels(),
        result.buckets.num_buckets[0],
        game.spot.tree.stakes.spr,
        on_progress,
    )
    return average_isomorphic_combos(features, game.cards.board, result.values.combos)


def mean_values(game: SpotGame, values: PairValues) -> FloatArray:
    """Returns ``[C, 2]`` what each combo wins on average as OOP and as IP, beyond half the pot."""
    weights = _villain_weights(game, values)
    totals = (both_positions(values) * weights).sum(axis=2)
    means = (totals / weights.sum(axis=2)).T
    return average_isomorphic_combos(means, game.cards.board, values.combos)


def both_positions(values: PairValues) -> FloatArray:
    """Returns ``[2, C, C]`` what the row wins from the column, by the row's position; 0 for NaN."""
    gain = np.nan_to_num(values.gain_of_oop)
    return np.stack([gain, -gain.T])


def _villain_weights(game: SpotGame, values: PairValues) -> FloatArray:
    """Returns ``[2, C, C]`` how much the column is held by the other position, if they can meet."""
    can_meet = disjoint_combos(values.combos, values.combos).astype(np.float64)
    oop, ip = (player.weights for player in game.cards.players)
    return np.stack([can_meet * ip, can_meet * oop])


def _in_round(on_progress: ProgressSink, number: int, total: int) -> ProgressSink:
    """Returns a sink that tells which round everything is about."""

    def report(progress: SolveProgress | BucketEvent) -> None:
        if isinstance(progress, SolveProgress):
            on_progress(replace(progress, round=number, total_rounds=total))
        else:
            on_progress(replace(progress, place=FlopPlace(round=number, total_rounds=total)))

    return report
