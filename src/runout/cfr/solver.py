"""CFR over a tree: one iteration, the loop around it, and what a solution is worth."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import product
from typing import Protocol

import numpy as np
import numpy.typing as npt

from runout.arrays import FloatArray, RealArray
from runout.cfr import cfr_kernels
from runout.cfr.cfr_kernels import LearningTables, TreeSpan
from runout.cfr.leaves import Evaluation, LeafEvaluator, Pass, StreetReach, Update
from runout.cfr.schedules import (
    DCFR,
    DiscountSchedule,
    DiscountWeights,
    Measurement,
    SolveOutcome,
    SolveProgress,
    StoppingRule,
)
from runout.cfr.team import Team, solve_time, split_tree
from runout.execution.tasks import CancelToken
from runout.trees.layout import NUM_PLAYERS, TreeArrays, own_reach_rows

# CFR over one betting street (or a whole game without chance), on several boards at once.
#
# Visiting a street is three passes: reach flows down, the leaves are valued, values flow up. Only
# the middle pass knows poker.


#: A board and a part of the tree.
_Part = tuple[int, TreeSpan]


class StreetSolver:
    """The learned tables of one street, ``[B, N, H]``, and the passes over them."""

    def __init__(
        self,
        tree: TreeArrays,
        leaves: LeafEvaluator,
        num_boards: int,
        num_hands: int,
        dtype: npt.DTypeLike = np.float64,
        team: Team | None = None,
    ) -> None:
        """Allocates the tables; every player begins with all actions equally likely.

        Args:
            tree: the street's betting.
            leaves: values its leaves.
            num_boards: boards solved side by side.
            num_hands: hands of each player.
            dtype: of the tables; float32 halves memory and time.
            team: threads to share the work.
        """
        self.tree = tree
        self.leaves = leaves
        self._team = team or Team()
        self._num_boards = num_boards
        self._divided: dict[int, tuple[list[_Part], list[_Part]]] = {}
        shape = (num_boards, tree.num_nodes, num_hands)
        self._regret = np.zeros(shape, dtype)
        self._strategy_sum = np.zeros(shape, dtype)
        self._strategy = np.zeros(shape, dtype)
        self._value = np.zeros(shape, dtype)
        self._row = (own_reach_rows(tree, 0), own_reach_rows(tree, 1))
        self._reach = tuple(
            np.zeros((num_boards, 1 + int(row.max()), num_hands), dtype) for row in self._row
        )
        self._is_averaged = False
        self._root_reach: RealArray = np.zeros((num_boards, NUM_PLAYERS, num_hands), dtype)
        self._is_reach_known = [False, False]
        for player in range(NUM_PLAYERS):
            self._match(player, self._regret)

    def visit(self, root_reach: RealArray, player: int, step: Pass) -> RealArray:
        """Returns ``[B, H]`` counterfactual values of ``player`` at the root.

        Args:
            root_reach: ``[B, 2, H]`` reach of both players on entering the street. What is known
                of an array that was given before is not computed again: do not change it.
            player: the player whose values are wanted.
            step: what to play, and whether to learn from it.
        """
        self._play(isinstance(step, Evaluation))
        if root_reach is not self._root_reach:
            self._root_reach = root_reach
            self._is_reach_known = [False, False]
        for who in range(NUM_PLAYERS):
            if not self._is_reach_known[who]:
                self._propagate_reach(who)
        self.leaves.fill_leaf_values(
            StreetReach(player, step, (self._reach[0], self._reach[1]), self._row), self._value
        )
        if isinstance(step, Update):
            self._learn(player, step.weights)
        else:
            self._judge(player, step)
        root_value: RealArray = self._value[:, 0].copy()
        return root_value

    def visit_nodes(self, root_reach: RealArray, player: int, judge: Evaluation) -> RealArray:
        """Returns ``[B, N, H]`` counterfactual values of ``player`` at all nodes; see `visit`."""
        self.visit(root_reach, player, judge)
        return self._value.copy()

    def refresh(self, player: int) -> float:
        """Lets ``player`` play what it has learned; returns the largest change of probability."""
        self._play(averages=False)
        return max(self._match(player, self._regret), self.leaves.refresh(player))

    def average_strategy(self) -> RealArray:
        """Returns ``[B, N, H]`` the average strategy, the one that converges to equilibrium."""
        self._play(averages=True)
        return self._strategy.copy()

    def learned(self) -> dict[str, RealArray]:
        """Returns the tables ``[B, N, H]`` themselves, by name; strategies follow from them."""
        return {"regret": self._regret, "strategy_sum": self._strategy_sum}

    def restore(self, learned: Mapping[str, RealArray]) -> None:
        """Goes on with tables that `learned` returned earlier."""
        for name, table in self.learned().items():
            np.copyto(table, learned[name])
        self._is_averaged = False
        for player in range(NUM_PLAYERS):
            self._match(player, self._regret)

    def _play(self, averages: bool) -> None:
        """Puts average or current strategies into the one strategy table."""
        # The table is shared to save memory: a current strategy can be matched again any time.
        if averages != self._is_averaged or averages:
            for player in range(NUM_PLAYERS):
                self._match(player, self._strategy_sum if averages else self._regret)
        self._is_averaged = averages

    def _match(self, player: int, source: RealArray) -> float:
        def match(part: _Part) -> float:
            board, span = part
            strategy = self._strategy[board]
            return float(
                cfr_kernels.match_regrets(self.tree, player, source[board], span, strategy)
            )

        self._is_reach_known[player] = False
        tops, subtrees = self._divide()
        return max(self._team.run(match, [*tops, *subtrees]))

    def _propagate_reach(self, player: int) -> None:
        self._reach[player][:, 0] = self._root_reach[:, player]

        def propagate(part: _Part) -> None:
            board, span = part
            row, reach = self._row[player], self._reach[player][board]
            cfr_kernels.propagate_reach(self.tree, player, row, self._strategy[board], span, reach)

        for parts in self._divide():
            self._team.run(propagate, parts)
        self._is_reach_known[player] = True

    def _learn(self, player: int, weights: DiscountWeights) -> None:
        typed = DiscountWeights(*(self._regret.dtype.type(weight) for weight in weights))

        def learn(part: _Part) -> None:
            board, span = part
            tables = LearningTables(
                self._regret[board], self._strategy_sum[board], self._strategy[board]
            )
            cfr_kernels.update_tables(
                self.tree,
                player,
                self._row[player],
                self._reach[player][board],
                typed,
                span,
                tables,
                self._value[board],
            )

        for parts in reversed(self._divide()):
            self._team.run(learn, parts)

    def _judge(self, player: int, judge: Evaluation) -> None:
        def propagate(part: _Part) -> None:
            board, span = part
            value = self._value[board]
            if judge is Evaluation.BEST_RESPOND:
                cfr_kernels.propagate_best_response(self.tree, player, span, value)
            else:
                strategy = self._strategy[board]
                cfr_kernels.propagate_values(self.tree, player, strategy, span, value)

        for parts in reversed(self._divide()):
            self._team.run(propagate, parts)

    def _divide(self) -> tuple[list[_Part], list[_Part]]:
        """Returns the top of the tree, and below as many parts as threads are ready for them.

        The top comes first on the way down, and last on the way up.
        """
        number = self._team.num_ready
        if number not in self._divided:
            boards, (top, subtrees) = range(self._num_boards), split_tree(self.tree, number)
            self._divided[number] = list(product(boards, top)), list(product(boards, subtrees))
        return self._divided[number]


# The iteration loop of CFR, and what a solution is worth.


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
    on_progress: Callable[[SolveProgress], None] = ignore_progress,
    cancel: CancelToken | None = None,
    batch: int = 1,
    measured: Measurement | None = None,
) -> SolveOutcome:
    """Iterates until a limit of the rule is met; counts earlier iterations too, but no compiling.

    Args:
        solver: what iterates.
        rule: when to stop.
        on_progress: called after every batch.
        cancel: ends the solve after a batch; by default never set.
        batch: iterations done at once, a divisor of ``rule.check_every``.
        measured: the last measurement of an earlier sitting: later ones come when they would have.

    Raises:
        CancelledError: if the token was set; everything that was learned is in the solver.
    """
    started, cancel = solve_time(), cancel or CancelToken()
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
        """Iterates until a limit of the rule is met; see `iterate_until`."""
        return iterate_until(self, rule, on_progress, cancel, measured=measured)

    def worst_exploitability(self) -> float:
        """Returns the largest `exploitability` of all boards."""
        return float(self.exploitability().max())

    def game_value(self, player: int) -> FloatArray:
        """Returns ``[B]`` expected winnings of ``player`` under the average strategies."""
        return self._root_value(player, Evaluation.EVALUATE)

    def nash_conv(self) -> FloatArray:
        """Returns ``[B]`` what both players together gain by best-responding."""
        players = range(NUM_PLAYERS)
        gains: FloatArray = np.sum(
            [self._root_value(player, Evaluation.BEST_RESPOND) for player in players], axis=0
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

    def _root_value(self, player: int, judge: Evaluation) -> FloatArray:
        value = self.root.visit(self._root_reach, player, judge).astype(np.float64)
        mine = self._root_reach[:, player].astype(np.float64)
        expected: FloatArray = (mine * value).sum(axis=1)
        return expected
