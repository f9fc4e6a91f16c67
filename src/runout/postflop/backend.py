"""What a postflop backend takes and gives."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

from runout.arrays import Float32Array
from runout.cache import Arrays
from runout.cfr.parallel import Team
from runout.cfr.stopping import SolveOutcome, SolveProgress
from runout.events import BucketEvent
from runout.postflop.flop_game import FlopGame
from runout.postflop.flop_strategy import FlopStrategy
from runout.results.solve_report import ExploitabilityMeaning, FlopReport
from runout.trees.postflop_tree import PostflopTree

#: Told about every iteration, and about buckets where a backend makes them.
ProgressSink = Callable[[SolveProgress | BucketEvent], None]


@dataclass(frozen=True, eq=False)
class FlopSolution:
    """Strategies of a flop at one stack-to-pot ratio, and what they are worth.

    Attributes:
        strategy: what both players do.
        value_pot: ``[2, 169, 169]`` what a hand gets back against a hand, as a fraction of the
            flop pot, by the hero's position; NaN where they cannot meet.
        report: how the solve went.
        make_records: what else is worth keeping, computed when it is kept.
    """

    strategy: FlopStrategy
    value_pot: Float32Array
    report: FlopReport
    make_records: Callable[[], Arrays] = dict

    def to_arrays(self) -> Arrays:
        """Returns what is kept of the flop besides its values."""
        return {**self.strategy.to_arrays(), **self.make_records()}


@dataclass(frozen=True)
class FlopNeeds:
    """What the solve of one flop with one betting tree takes.

    Attributes:
        seconds: of one core, if all iterations are needed.
        memory_bytes: at most at one time.
        kept_bytes: of the strategies, if they are kept.
        kept_once_bytes: of what is the same with all trees, such as buckets.
        savings: memory by what to write instead.
        advice: what else needs less memory.
    """

    seconds: float
    memory_bytes: int
    kept_bytes: int = 0
    kept_once_bytes: int = 0
    savings: Mapping[str, int] = field(default_factory=dict)
    advice: str = "give fewer sizes or raises"


class PostflopBackend(Protocol):
    """A way to solve a flop.

    Attributes:
        meaning: what the exploitability of its reports is measured against.
    """

    meaning: ClassVar[ExploitabilityMeaning]

    def solve(
        self, game: FlopGame, tree: PostflopTree, on_progress: ProgressSink, team: Team
    ) -> FlopSolution:
        """Solves one flop with one betting tree.

        Args:
            game: the flop.
            tree: the betting, in pots.
            on_progress: called after every iteration.
            team: threads to share the work; the result does not depend on how many. A solve that
                is too small for all of them takes `Team.for_solve`.
        """

    def estimate(self, flop: tuple[int, ...], tree: PostflopTree, num_workers: int) -> FlopNeeds:
        """Returns what `solve` will take, before anything is allocated.

        Args:
            flop: three cards.
            tree: the betting.
            num_workers: threads inside the solve.
        """

    def read_strategy(
        self, kept: Arrays, flop: tuple[int, ...], tree: PostflopTree
    ) -> FlopStrategy:
        """Returns the strategies that `FlopSolution.to_arrays` kept.

        Args:
            kept: the arrays.
            flop: three cards.
            tree: the betting.
        """

    @classmethod
    def warm_up_jobs(cls) -> list[Callable[[], object]]:
        """Returns small jobs that call every kernel of the backend as real work does."""


def report_outcome(
    outcome: SolveOutcome, meaning: ExploitabilityMeaning, num_deals: int = 0
) -> FlopReport:
    """Returns the report of a solve whose values are in pots."""
    return FlopReport(
        iterations=outcome.iterations,
        exploitability_pot=outcome.exploitability,
        strategy_delta=outcome.strategy_delta,
        seconds=outcome.seconds,
        num_deals=num_deals,
        meaning=meaning,
    )
