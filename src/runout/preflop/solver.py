"""The preflop solver: vector CFR over 169 x 169 hands with exact card removal."""

from collections.abc import Callable, Mapping

import numpy as np

from runout.arrays import RealArray
from runout.cards.canonical_hands import NUM_HANDS
from runout.cfr.discounting import DCFR_PLUS, DiscountSchedule
from runout.cfr.reach import NUM_PLAYERS
from runout.cfr.solver import CfrSolver, ignore_progress
from runout.cfr.stopping import SolveProgress, StoppingRule
from runout.cfr.street_solver import StreetSolver
from runout.execution.cancel import CancelToken
from runout.preflop.expected_values import expected_values
from runout.preflop.game_leaves import GameLeaves
from runout.results.preflop_solution import (
    MBB_PER_BB,
    PreflopReport,
    PreflopSolution,
)
from runout.trees.preflop_tree import PreflopTree

#: Shown solutions as they are in the middle of a solve.
SnapshotSink = Callable[[PreflopSolution], None]


def ignore_snapshot(solution: PreflopSolution) -> None:
    """The sink of callers who only want the result."""


class PreflopSolver:
    """Solves a preflop tree, given its leaves; players are SB = 0 and BB = 1."""

    def __init__(
        self, tree: PreflopTree, leaves: GameLeaves, schedule: DiscountSchedule = DCFR_PLUS
    ) -> None:
        """Begins with all actions equally likely.

        Args:
            tree: the betting.
            leaves: what is won at its leaves: known from a book, or learned on the way.
            schedule: the CFR variant.
        """
        self.tree = tree
        self.leaves = leaves
        self._street = StreetSolver(tree.layout, leaves.evaluator(tree), 1, NUM_HANDS)
        everyone = np.ones((1, NUM_PLAYERS, NUM_HANDS))
        self.cfr = CfrSolver(self._street, everyone, schedule, is_zero_sum=leaves.is_zero_sum)
        #: Exploitability whenever it was measured, in thousandths of a big blind, by iteration.
        self.curve_mbb: dict[int, float] = {}

    def learned(self) -> dict[str, RealArray]:
        """Returns the tables before the flop themselves, by name."""
        return self._street.learned()

    def restore(
        self, learned: Mapping[str, RealArray], iteration: int, curve_mbb: Mapping[int, float]
    ) -> None:
        """Goes on where an earlier solve of the same game was.

        Args:
            learned: what `learned` returned then.
            iteration: iterations done.
            curve_mbb: exploitability whenever it was measured, by iteration.
        """
        self._street.restore(learned)
        self.cfr.iteration = iteration
        self.curve_mbb = dict(curve_mbb)

    def solve(
        self,
        rule: StoppingRule,
        on_progress: Callable[[SolveProgress], None] = ignore_progress,
        on_snapshot: SnapshotSink = ignore_snapshot,
        snapshot_every: int = 0,
        cancel: CancelToken | None = None,
    ) -> PreflopSolution:
        """Iterates until a limit is met.

        Args:
            rule: exploitability is in big blinds.
            on_progress: called after every iteration.
            on_snapshot: called with the solution so far, which changes nothing.
            snapshot_every: iterations between two snapshots, 0 for none.
            cancel: ends the solve after an iteration; by default nobody does.

        Raises:
            CancelledError: if the token was set.
        """
        curve = self.curve_mbb

        def record(progress: SolveProgress) -> None:
            if progress.exploitability is not None and progress.is_measured:
                curve[progress.iteration] = progress.exploitability * MBB_PER_BB
            on_progress(progress)
            if snapshot_every and progress.iteration % snapshot_every == 0:
                measured = float(self.cfr.exploitability().max())
                on_snapshot(self._solution(progress.iteration, measured, progress.seconds))

        last = max(curve, default=None)
        measured = None if last is None else (last, curve[last] / MBB_PER_BB)
        outcome = self.cfr.solve(rule, record, cancel, measured)
        curve[outcome.iterations] = outcome.exploitability * MBB_PER_BB
        return self._solution(outcome.iterations, outcome.exploitability, outcome.seconds)

    def _solution(
        self, iterations: int, exploitability_bb: float, seconds: float
    ) -> PreflopSolution:
        """Returns the average strategies as they are now."""
        report = PreflopReport(
            iterations=iterations,
            exploitability_mbb=exploitability_bb * MBB_PER_BB,
            seconds=seconds,
            flop_leaves=self.leaves.sources(),
            curve_mbb=tuple(self.curve_mbb.items()),
        )
        strategy = self._street.average_strategy()[0].astype(np.float64, copy=False)
        ev_bb = expected_values(self.tree, self.leaves, strategy)
        return PreflopSolution(self.tree, strategy, ev_bb, report)
