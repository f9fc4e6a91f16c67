"""CFR of any two-player zero-sum game: one iteration, the loop around it, and its worth."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from runout.arrays import RealArray
from runout.cfr import cfr_kernels
from runout.cfr.cfr_kernels import EVALUATING, LEARN, RESPONDING, LearningTables, Step, TreeSpan
from runout.cfr.games import Game, GameTables
from runout.cfr.leaves import LeafEvaluator, StreetReach
from runout.cfr.schedules import (
    DCFR,
    Measurement,
    Schedule,
    SolveOutcome,
    SolveProgress,
    StoppingRule,
    StopReason,
)
from runout.cfr.team import Team, TreeParts, split_tree
from runout.errors import TreeError
from runout.execution.tasks import CancelToken
from runout.jit import solve_time
from runout.trees.layout import NUM_PLAYERS, TreeArrays, own_reach_rows
from runout.trees.tree import BettingTree

# CFR over one betting street (or a whole game without chance).
#
# Visiting a street is three passes: reach flows down, the leaves are valued, values flow up. Only
# the middle pass knows poker.


class StreetSolver:
    """The learned tables of one street, ``[N, H]``, and the passes over them."""

    def __init__(
        self,
        tree: TreeArrays,
        leaves: LeafEvaluator,
        num_hands: int,
        dtype: npt.DTypeLike = np.float64,
        team: Team | None = None,
    ) -> None:
        """Allocates the tables; every player begins with all actions equally likely.

        Tables of float32 halve memory and time.
        """
        self.tree, self.leaves, self._team = tree, leaves, team or Team()
        self._divided: dict[int, TreeParts] = {}
        shape = (tree.num_nodes, num_hands)
        self._tables = LearningTables(*(np.zeros(shape, dtype) for _ in LearningTables._fields))
        self._value = np.zeros(shape, dtype)
        self._row = (own_reach_rows(tree, 0), own_reach_rows(tree, 1))
        self._reach = tuple(np.zeros((1 + int(row.max()), num_hands), dtype) for row in self._row)
        self._root_reach: RealArray = np.zeros((NUM_PLAYERS, num_hands), dtype)
        self._is_reach_known = [False, False]
        self._plays_regrets = False
        self._play(averages=False)

    def visit(self, root_reach: RealArray, player: int, step: Step) -> RealArray:
        """Returns ``[H]`` counterfactual values of ``player`` at the root.

        Args:
            root_reach: ``[2, H]`` reach of both players on entering the street. What is known
                of an array that was given before is not computed again: do not change it.
            player: the player whose values are wanted.
            step: what to play, and whether to learn from it.
        """
        self._play(averages=step.mode != LEARN)
        if root_reach is not self._root_reach:
            self._root_reach = root_reach
            self._is_reach_known = [False, False]
        for who in range(NUM_PLAYERS):
            if not self._is_reach_known[who]:
                self._propagate_reach(who)
        self.leaves.fill_leaf_values(
            StreetReach(player, step, (self._reach[0], self._reach[1]), self._row), self._value
        )
        self._pull_values_up(player, step)
        root_value: RealArray = self._value[0].copy()
        return root_value

    def visit_nodes(self, root_reach: RealArray, player: int, step: Step) -> RealArray:
        """Returns ``[N, H]`` counterfactual values of ``player`` at all nodes; see `visit`."""
        self.visit(root_reach, player, step)
        return self._value.copy()

    def refresh(self, player: int) -> float:
        """Lets ``player`` play what it has learned; returns the largest change of probability."""
        self._play(averages=False)
        return max(self._match(player, self._tables.regret), self.leaves.refresh(player))

    def average_strategy(self) -> RealArray:
        """Returns ``[N, H]`` the average strategy, the one that converges to equilibrium."""
        self._play(averages=True)
        return self._tables.strategy.copy()

    def learned(self) -> dict[str, RealArray]:
        """Returns the tables ``[N, H]`` themselves, by name; strategies follow from them."""
        return {"regret": self._tables.regret, "strategy_sum": self._tables.strategy_sum}

    def restore(self, learned: Mapping[str, RealArray]) -> None:
        """Goes on with tables that `learned` returned earlier."""
        for name, table in self.learned().items():
            np.copyto(table, learned[name])
        self._plays_regrets = False
        self._play(averages=False)

    def _play(self, averages: bool) -> None:
        """Puts average or current strategies into the one strategy table."""
        # The table is shared to save memory: a current strategy can be matched again any time.
        if averages or not self._plays_regrets:
            source = self._tables.strategy_sum if averages else self._tables.regret
            for player in range(NUM_PLAYERS):
                self._match(player, source)
        self._plays_regrets = not averages

    def _match(self, player: int, source: RealArray) -> float:
        strategy = self._tables.strategy

        def match(span: TreeSpan) -> float:
            return float(cfr_kernels.match_regrets(self.tree, player, source, span, strategy))

        self._is_reach_known[player] = False
        tops, subtrees = self._divide()
        return max(self._team.run(match, [*tops, *subtrees]))

    def _propagate_reach(self, player: int) -> None:
        row, reach, strategy = self._row[player], self._reach[player], self._tables.strategy
        reach[0] = self._root_reach[player]

        def propagate(span: TreeSpan) -> None:
            cfr_kernels.propagate_reach(self.tree, player, row, strategy, span, reach)

        for parts in self._divide():
            self._team.run(propagate, parts)
        self._is_reach_known[player] = True

    def _pull_values_up(self, player: int, step: Step) -> None:
        row, reach = self._row[player], self._reach[player]
        typed = Step(step.mode, *np.array(step[1:], self._value.dtype))

        def pull(span: TreeSpan) -> None:
            cfr_kernels.pull_values(
                self.tree, player, typed, row, reach, span, self._tables, self._value
            )

        for parts in reversed(self._divide()):
            self._team.run(pull, parts)

    def _divide(self) -> TreeParts:
        """Returns the top of the tree, and below as many parts as threads are ready for them.

        The top comes first on the way down, and last on the way up.
        """
        number = self._team.num_ready
        if number not in self._divided:
            self._divided[number] = split_tree(self.tree, number)
        return self._divided[number]


# The iteration loop of CFR, and what a solution is worth.


def ignore_progress(progress: object) -> None:
    """The sink of callers who only want the result."""


class IterativeSolver(ABC):
    """A solver that goes on as long as it is asked to.

    Attributes:
        iteration: iterations done.
        strategy_delta: largest change of an action's probability in the last one.
        seconds: time that `solve` has taken, but for compiling.
        history: exploitability whenever `solve` measured it.
        has_short_iterations: whether they take microseconds; calls take longer.
    """

    iteration = 0
    strategy_delta = 1.0
    seconds = 0.0
    history: tuple[Measurement, ...] = ()
    has_short_iterations = False

    @abstractmethod
    def run(self, num_iterations: int) -> object:
        """Runs more iterations, each updating both players."""

    @abstractmethod
    def exploitability(self) -> float:
        """Returns the mean gain of a best response to the average strategies."""

    def solve(
        self,
        rule: StoppingRule,
        on_progress: Callable[[SolveProgress], None] = ignore_progress,
        cancel: CancelToken | None = None,
        tells_all: bool = False,
    ) -> SolveOutcome:
        """Iterates until a limit of the rule is met; counts earlier iterations, but no compiling.

        A token that is set raises `CancelledError`; everything that was learned is in the solver.

        Args:
            rule: when to stop; its seconds are of this call.
            on_progress: called after every iteration, or after several short ones.
            cancel: looked at whenever progress is told.
            tells_all: whether progress is told after every iteration, however short.
        """
        started, cancel = solve_time(), cancel or CancelToken()
        earlier_seconds, reached = self.seconds, None
        batch = rule.check_every if self.has_short_iterations and not tells_all else 1
        batch = math.gcd(batch, rule.history_every or batch)
        while True:
            # Earlier iterations may have ended anywhere; measurements come where they always do.
            step = batch - self.iteration % batch
            self.run(min(step, max(rule.max_iterations - self.iteration, 1)))
            is_check = rule.is_check(self.iteration, self.history)
            if is_check:
                reached = self.exploitability()
                self.history += ((self.iteration, reached),)
            seconds = solve_time() - started
            self.seconds = earlier_seconds + seconds
            known = seconds, self.strategy_delta, reached, is_check
            progress = SolveProgress(self.iteration, rule.max_iterations, *known)
            reason = progress.reason_to_stop(rule)
            if reason is not None:
                break
            on_progress(progress)
            cancel.raise_if_set()
        outcome = self.outcome(reason)
        self.history, reached = outcome.history, outcome.exploitability
        on_progress(replace(progress, exploitability=reached, is_measured=True, stop_reason=reason))
        return outcome

    def outcome(self, reason: StopReason = StopReason.INTERRUPTED) -> SolveOutcome:
        """Returns what has been reached, measured now unless it was after the last iteration."""
        history = self.history
        if not history or history[-1][0] != self.iteration:
            history += ((self.iteration, self.exploitability()),)
        reached = self.seconds, self.strategy_delta, history[-1][1]
        return SolveOutcome(reason, self.iteration, *reached, history)


class CfrSolver(IterativeSolver):
    """CFR of a two-player zero-sum game.

    >>> from runout import CfrSolver, games
    >>> solver = CfrSolver(games.kuhn(), "cfr+")
    >>> [round(nash_conv, 4) for _, nash_conv in solver.run(3, history_every=1)]
    [0.9167, 0.5278, 0.2826]
    >>> solver
    CfrSolver(kuhn, cfr+, 3 iterations)
    """

    def __init__(
        self,
        game: "Game | BettingTree | StreetSolver",
        schedule: Schedule | str = DCFR,
        *,
        leaves: LeafEvaluator | None = None,
        hands: int | RealArray | None = None,
        is_simultaneous: bool = False,
        is_zero_sum: bool = True,
    ) -> None:
        """Begins with all actions equally likely.

        Args:
            game: a game of `runout.games`, or a betting tree with ``leaves`` and ``hands``.
            schedule: the CFR variant, also by name: vanilla, linear, cfr+, dcfr, dcfr+, ...
            leaves: values the leaves of a betting tree.
            hands: the number of hands of each player of a betting tree, or ``[2, H]`` their
                weights, by default 1.
            is_simultaneous: whether both players update against the same snapshot of strategies.
                By default they take turns, which needs far fewer iterations.
            is_zero_sum: whether the two players' values sum to zero. Where leaves are valued by
                approximations that do not, `nash_conv` is measured from the values themselves.
        """
        self.schedule = Schedule.parse(schedule)
        self._name = game.name if isinstance(game, Game) else "tree"
        self._is_simultaneous, self._is_zero_sum = is_simultaneous, is_zero_sum
        if isinstance(game, BettingTree):
            if leaves is None or hands is None:
                problem = "a betting tree needs leaves=... and hands=... to be solved"
                raise TreeError("tree", problem)
            num_hands = hands if isinstance(hands, int) else hands.shape[1]
            game = StreetSolver(game.layout, leaves, num_hands)
        #: The game as it is visited: a street with all that follows, or a `Game`.
        self.root = GameTables(game) if isinstance(game, Game) else game
        if isinstance(game, Game) or hands is None or isinstance(hands, int):
            table = np.zeros((1, 1)) if isinstance(game, Game) else game.learned()["regret"]
            hands = np.ones((NUM_PLAYERS, table.shape[1]), table.dtype)
        self._root_reach = hands

    def __repr__(self) -> str:
        return f"CfrSolver({self._name}, {self.schedule}, {self.iteration} iterations)"

    def run(self, num_iterations: int, history_every: int | None = None) -> list[Measurement]:
        """Runs ``num_iterations`` more iterations, each updating both players.

        Returns:
            (iteration, `nash_conv`) after every ``history_every`` iterations; nothing by default.
        """
        history, players = [], range(NUM_PLAYERS)
        for _ in range(num_iterations):
            step = Step(LEARN, *self.schedule.weights(self.iteration))
            deltas = []
            for player in players:
                self.root.visit(self._root_reach, player, step)
                if not self._is_simultaneous:
                    deltas.append(self.root.refresh(player))
            self.strategy_delta = max(deltas or [self.root.refresh(player) for player in players])
            self.iteration += 1
            if history_every and self.iteration % history_every == 0:
                history.append((self.iteration, self.nash_conv()))
        return history

    def policy(self, player: int) -> dict[object, dict[object, float]]:
        """Returns the average strategy of a `Game`: action to probability, by what is seen."""
        assert isinstance(self.root, GameTables), "trees have root.average_strategy()"
        return self.root.policy(player)

    def game_value(self, player: int) -> float:
        """Returns expected winnings of ``player`` under the average strategies."""
        return self._root_value(player, EVALUATING)

    def nash_conv(self) -> float:
        """Returns what both players together gain by best-responding."""
        players = range(NUM_PLAYERS)
        gains = sum(self._root_value(player, RESPONDING) for player in players)
        if not self._is_zero_sum:
            gains = gains - sum(self.game_value(player) for player in players)
        return gains

    def exploitability(self) -> float:
        """Returns half of `nash_conv`: the mean gain of a best response."""
        return 0.5 * self.nash_conv()

    def _root_value(self, player: int, step: Step) -> float:
        value = self.root.visit(self._root_reach, player, step).astype(np.float64)
        return float((self._root_reach[player].astype(np.float64) * value).sum())
