"""The bucketed backend: hands in buckets, real cards, buckets made anew from expected values."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

from runout.cache import Arrays
from runout.cfr.parallel import Team
from runout.holdem.spot import Spot
from runout.holdem.spot_game import SpotGame
from runout.postflop.backend import FlopNeeds, FlopSolution, ProgressSink, report_outcome
from runout.postflop.bucketed.bucket_strategy import BucketStrategy
from runout.postflop.bucketed.bucketed_solver import NUM_RIVERS, NUM_TURNS
from runout.postflop.bucketed.needs import estimate_rounds
from runout.postflop.bucketed.round_records import RoundRecord, pack_records
from runout.postflop.bucketed.rounds import BucketPlan, RoundsSolver
from runout.postflop.flop_game import FlopGame
from runout.postflop.pair_values import RunoutSample
from runout.postflop.warm_up import ONCE, solving_a_small_flop
from runout.results.solve_report import ExploitabilityMeaning
from runout.trees.postflop_tree import PostflopTree

_PAIRS_PER_RIVER = 1_081 * 990


@dataclass(frozen=True)
class BucketedBackend:
    """Solves a flop with buckets.

    Attributes:
        rounds: how.
    """

    rounds: RoundsSolver

    meaning: ClassVar[ExploitabilityMeaning] = ExploitabilityMeaning.UPPER_BOUND

    def solve(
        self, game: FlopGame, tree: PostflopTree, on_progress: ProgressSink, team: Team
    ) -> FlopSolution:
        """Solves one flop with one betting tree."""
        spot = Spot(game.flop, game.hand_ranges(), tree, merges_suits=False)
        spot_game = SpotGame(spot)
        results = list(self.rounds.solve(spot_game, on_progress, team))
        last = results[-1]
        # Work is that of all rounds; how good it is, that of the last.
        outcome = replace(
            last.outcome,
            iterations=sum(result.outcome.iterations for result in results),
            seconds=sum(result.outcome.seconds for result in results),
        )
        num_deals = outcome.iterations * NUM_TURNS * NUM_RIVERS * _PAIRS_PER_RIVER
        report = report_outcome(outcome, self.meaning, num_deals)

        def make_records() -> Arrays:
            return pack_records([RoundRecord.of(spot_game, result) for result in results])

        return FlopSolution(last.strategy, last.values.by_hand(), report, make_records)

    def read_strategy(
        self, kept: Arrays, flop: tuple[int, ...], tree: PostflopTree
    ) -> BucketStrategy:
        """Returns the strategies that were kept."""
        return BucketStrategy.from_arrays(kept, flop)

    def estimate(self, flop: tuple[int, ...], tree: PostflopTree, num_workers: int) -> FlopNeeds:
        """Returns what `solve` will take."""
        return estimate_rounds(self.rounds, flop, tree, num_workers)

    @classmethod
    def warm_up_jobs(cls) -> list[Callable[[], object]]:
        """Returns small jobs that call every kernel of the backend."""
        one_bucket = RoundsSolver(BucketPlan((1, 1, 1)), ONCE, sample=RunoutSample(6, 3))
        return [solving_a_small_flop(cls(one_bucket))]
