"""The iteration loop of CFR, and what a solution is worth."""

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

import numpy as np

from runout.arrays import FloatArray, RealArray
from runout.cfr.discounting import DCFR, DiscountSchedule
from runout.cfr.leaves import Judge, Update
from runout.cfr.reach import NUM_PLAYERS
from runout.cfr.solve_clock import solve_time
from runout.cfr.stopping import Measurement, SolveOutcome, SolveProgress, StoppingRule
from runout.cfr.street_solver import StreetSolver
from runout.execution.cancel import CancelToken


def ignore_progress(progress: object) -> None:
    """The sink of callers who only want the result."""


class Iterating(Protocol):
    """A solver that can go on."""

    iteration: int
    strategy_delta: float

    def run(self, num_iterations: int) -> None:
        """Runs more iterations."""

    def worst_exploitability(self) -> float:
        """Returns the exploitability of the average strategies, the worst over all boards."""


def iterate_until(
    solver: Iterating,
    rule: StoppingRule,
    on_progress: Callable[[SolveProgress], None],
    cancel: CancelToken,
    batch: int = 1,
    measured: Measurement | None = None,
) -> SolveOutcome:
    """Iterates until a limit of the rule is met; counts earlier iterations too, but no compiling.

    Args:
        solver: what iterates.
        rule: when to stop.
        on_progress: called after every batch.
        cancel: ends the solve after a batch.
        batch: iterations done at once, a divisor of ``rule.check_every``.
        measured: the last measurement of an earlier sitting: later ones come when they would have.

    Raises:
        CancelledError: if the token was set; everything that was learned is in the solver.
    """
    started = solve_time()
    exploitability: float | None = None
    while True:
        # Earlier iterations may have ended anywhere; measurements come at the same ones as ever.
        step = batch - solver.iteration % batch
        solver.run(min(step, max(rule.max_iterations - solver.iteration, 1)))
        is_check = rule.is_check(solver.iteration, measured)
        if is_check:
            exploitability = solver.worst_exploitability()
            measured = solver.iteration, exploitability
        progress = SolveProgress(
            solver.iteration,
            rule.max_iterations,
            solve_time() - started,
            solver.strategy_delta,
            exploitability,
            is_check,
        )
        reason = progress.reason_to_stop(rule)
        if reason is None:
            on_progress(progress)
            cancel.raise_if_set()
            continue
        if exploitability is None or not is_check:
            exploitability = solver.worst_exploitability()
        on_progress(
            replace(progress, exploitability=exploitability, is_measured=True, stop_reason=reason)
        )
        return SolveOutcome(
            reason, solver.iteration, progress.seconds, solver.strategy_delta, exploitability
        )


class CfrSolver:
    """CFR of a two-player zero-sum game that begins with the street ``root``."""

    def __init__(
        self,
        root: StreetSolver,
        root_reach: RealArray,
        schedule: DiscountSchedule = DCFR,
        is_simultaneous: bool = False,
        is_zero_sum: bool = True,
    ) -> None:
        """Begins with all actions equally likely.

        Args:
            root: the first street.
            root_reach: ``[B, 2, H]`` weight of each player's hands on entering it.
            schedule: the CFR variant.
            is_simultaneous: whether both players update against the same snapshot of strategies.
                By default they take turns, which needs far fewer iterations.
            is_zero_sum: whether the two players' values sum to zero. Where leaves are valued by
                approximations that do not, `nash_conv` is measured from the values themselves.
        """
        self.root = root
        self.schedule = schedule
        self.iteration = 0
        self.strategy_delta = 1.0
        self._root_reach = root_reach
        self._is_simultaneous = is_simultaneous
        self._is_zero_sum = is_zero_sum

    def run(self, num_iterations: int) -> None:
        """Runs ``num_iterations`` more iterations, each updating both players."""
        for _ in range(num_iterations):
            self._iterate()

    def solve(
        self,
        rule: StoppingRule,
        on_progress: Callable[[SolveProgress], None] = ignore_progress,
        cancel: CancelToken | None = None,
        measured: Measurement | None = None,
    ) -> SolveOutcome:
        """Iterates until a limit of the rule is met; counts earlier iterations too.

        Args:
            rule: when to stop.
            on_progress: called after every iteration.
            cancel: ends the solve after an iteration; by default nobody does.
            measured: the last measurement of an earlier sitting.

        Raises:
            CancelledError: if the token was set.
        """
        return iterate_until(self, rule, on_progress, cancel or CancelToken(), measured=measured)

    def worst_exploitability(self) -> float:
        """Returns the largest `exploitability` of all boards."""
        return float(self.exploitability().max())

    def game_value(self, player: int) -> FloatArray:
        """Returns ``[B]`` expected winnings of ``player`` under the average strategies."""
        return self._root_value(player, Judge.EVALUATE)

    def nash_conv(self) -> FloatArray:
        """Returns ``[B]`` what both players together gain by best-responding."""
        players = range(NUM_PLAYERS)
        gains: FloatArray = np.sum(
            [self._root_value(player, Judge.BEST_RESPOND) for player in players], axis=0
        )
        if not self._is_zero_sum:
            gains = gains - np.sum([self.game_value(player) for player in players], axis=0)
        return gains

    def exploitability(self) -> FloatArray:
        """Returns ``[B]`` half of `nash_conv`: the mean gain of a best response."""
        return 0.5 * self.nash_conv()

    def _iterate(self) -> None:
        step = Update(self.schedule.weights(self.iteration))
        deltas = []
        for player in range(NUM_PLAYERS):
            self.root.visit(self._root_reach, player, step)
            if not self._is_simultaneous:
                deltas.append(self.root.refresh(player))
        if self._is_simultaneous:
            deltas = [self.root.refresh(player) for player in range(NUM_PLAYERS)]
        self.strategy_delta = max(deltas)
        self.iteration += 1

    def _root_value(self, player: int, judge: Judge) -> FloatArray:
        value = self.root.visit(self._root_reach, player, judge).astype(np.float64)
        mine = self._root_reach[:, player].astype(np.float64)
        expected: FloatArray = (mine * value).sum(axis=1)
        return expected
