"""The preflop solver: vector CFR over 169 x 169 hands with exact card removal."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from runout.arrays import FloatArray, RealArray
from runout.cards.deck import NUM_HANDS, matchup_weights
from runout.cfr.leaves import Evaluation, LeafEvaluator, LeafGroup, MatrixLeaves
from runout.cfr.schedules import DCFR_PLUS, DiscountSchedule, SolveProgress, StoppingRule
from runout.cfr.solver import CfrSolver, StreetSolver, ignore_progress
from runout.equity.preflop import preflop_table
from runout.execution.tasks import CancelToken
from runout.simd.products import multiply
from runout.solutions.preflop import MBB_PER_BB, FlopLeafSource, PreflopReport, PreflopSolution
from runout.solutions.values import LeafValues, ValueBook
from runout.trees.betting import SB
from runout.trees.layout import NUM_PLAYERS, own_reach
from runout.trees.tree import IP, SHOWDOWN, PreflopTree, postflop_position

# What the preflop solver asks of leaves, whichever way flops are solved.


class GameLeaves(Protocol):
    """The leaves of a preflop game."""

    @property
    def matchup_share(self) -> FloatArray:
        """``[169, 169]`` probability that SB is dealt the row and BB the column."""

    @property
    def is_zero_sum(self) -> bool:
        """Whether what one player wins is what the other loses, but for rounding."""

    def evaluator(self, tree: PreflopTree) -> LeafEvaluator:
        """Returns the leaves as CFR wants them."""

    def leaf_values(self, player: int, opponent_reach: FloatArray, judge: Evaluation) -> FloatArray:
        """Returns ``[N, 169]`` what a player's hands win at the leaves, times how often they meet.

        Args:
            player: `SB` or `BB`.
            opponent_reach: ``[N, 169]`` the other's own reach of each node.
            judge: whether the player best-responds after the flop; the other plays its average.
        """

    def sources(self) -> dict[str, FlopLeafSource]:
        """Returns where the values of flop leaves come from, by path."""


# What each hand wins at each node under given strategies.


def expected_values(tree: PreflopTree, leaves: GameLeaves, strategy: FloatArray) -> FloatArray:
    """Returns ``[2, N, 169]`` what SB's and BB's hands win once a node is reached, in big blinds.

    It is NaN where the opponent never comes. Blinds count: a small blind that folds wins -0.5.

    Args:
        tree: the betting.
        leaves: what hands win at its leaves.
        strategy: ``[N, 169]`` action probabilities of both players.
    """
    values = np.zeros((NUM_PLAYERS, *strategy.shape))
    for player in range(NUM_PLAYERS):
        opponent_reach = own_reach(tree.layout, strategy, 1 - player)
        value = values[player]
        value[:] = leaves.leaf_values(player, opponent_reach, Evaluation.EVALUATE)
        for node in range(tree.num_nodes - 1, -1, -1):
            children = tree.layout.children(node)
            if not children:
                continue
            of_actions = value[children.start : children.stop]
            is_own = tree.layout.actor[node] == player
            weight = strategy[children.start : children.stop] if is_own else 1.0
            value[node] = (weight * of_actions).sum(axis=0)
        arrival = multiply(opponent_reach, leaves.matchup_share)
        np.divide(value, arrival, out=value, where=arrival > 0.0)
        value[arrival <= 0.0] = np.nan
    return values


def best_response(
    tree: PreflopTree, leaves: GameLeaves, strategy: FloatArray, player: int
) -> FloatArray:
    """Returns ``[169]`` what a player's hands win at most, times how often they are dealt, in bb.

    Their sum is what the player wins per hand.

    Args:
        tree: the betting.
        leaves: what hands win at its leaves, if the player best-responds there as well.
        strategy: ``[N, 169]`` action probabilities; the opponent's count.
        player: who responds.
    """
    opponent_reach = own_reach(tree.layout, strategy, 1 - player)
    value = leaves.leaf_values(player, opponent_reach, Evaluation.BEST_RESPOND)
    for node in range(tree.num_nodes - 1, -1, -1):
        children = tree.layout.children(node)
        if children:
            of_actions = value[children.start : children.stop]
            is_own = tree.layout.actor[node] == player
            value[node] = of_actions.max(axis=0) if is_own else of_actions.sum(axis=0)
    root: FloatArray = value[0]
    return root


# The leaves of the preflop tree: folds, called all-ins, and flops by the value book.


@dataclass(frozen=True, eq=False)
class PreflopLeaves:
    """What two hands win from each other at every leaf.

    Attributes:
        matchup_share: ``[169, 169]`` probability that SB is dealt the row and BB the column.
        groups: all leaves, with what SB wins in big blinds.
        flops: what was used at each leaf that sees a flop, by path.
    """

    matchup_share: FloatArray
    groups: tuple[LeafGroup, ...]
    flops: dict[str, LeafValues]

    @property
    def is_zero_sum(self) -> bool:
        """Always."""
        return True

    def evaluator(self, tree: PreflopTree) -> MatrixLeaves:
        """Returns the leaves as the solver wants them."""
        return MatrixLeaves(tree.layout, self.groups)

    def leaf_values(self, player: int, opponent_reach: FloatArray, judge: Evaluation) -> FloatArray:
        """Returns ``[N, 169]`` what a player's hands win at the leaves, times how often they meet.

        Args:
            player: `SB` or `BB`.
            opponent_reach: ``[N, 169]`` the other's own reach of each node.
            judge: whether the player best-responds after the flop; the other plays its average.
        """
        return value_groups(self.groups, player, opponent_reach)

    def sources(self) -> dict[str, FlopLeafSource]:
        """Returns where the values of flop leaves come from, by path."""
        return {
            path: FlopLeafSource(values.source, values.detail)
            for path, values in self.flops.items()
        }


def value_leaves(tree: PreflopTree, book: ValueBook) -> PreflopLeaves:
    """Returns the value of every leaf of a tree.

    Args:
        tree: the betting.
        book: what flops are worth.
    """
    assert postflop_position(SB) == IP  # the book speaks of the player in position
    share = share_of_matchups()
    stake = tree.leaf_stake
    groups = known_groups(tree, share)
    flops: dict[str, LeafValues] = {}
    for leaf in tree.flop_leaves():
        values = book.at_leaf(leaf.path, leaf.spr)
        flops[leaf.path] = values
        payoff = share * (2.0 * values.share_of_ip - 1.0)
        groups.append(LeafGroup(payoff, np.array([leaf.node]), stake[[leaf.node]]))
    return PreflopLeaves(share, tuple(groups), flops)


def share_of_matchups() -> FloatArray:
    """Returns ``[169, 169]`` the probability that SB is dealt the row and BB the column."""
    weights = matchup_weights()
    share: FloatArray = weights / weights.sum()
    return share


def known_groups(tree: PreflopTree, share: FloatArray) -> list[LeafGroup]:
    """Returns the folds and the called all-ins of a tree, which no flop has to be solved for.

    Args:
        tree: the betting.
        share: ``[169, 169]`` how often SB is dealt the row and BB the column.
    """
    folds = np.flatnonzero(tree.is_fold)
    all_ins = np.flatnonzero(tree.leaf_kind == SHOWDOWN)
    groups = [
        LeafGroup(share, folds, tree.fold_gain[folds]),
        LeafGroup(share * preflop_edge(), all_ins, tree.leaf_stake[all_ins]),
    ]
    return [group for group in groups if len(group.node)]


def preflop_edge() -> FloatArray:
    """Returns ``[169, 169]`` what the row wins from the column at a stake of 1, all-in preflop."""
    return 2.0 * preflop_table().equities() - 1.0


def value_groups(
    groups: Sequence[LeafGroup], player: int, opponent_reach: FloatArray
) -> FloatArray:
    """Returns ``[N, 169]`` what a player's hands win at the leaves of some groups, by deals."""
    values = np.zeros(opponent_reach.shape)
    for group in groups:
        payoff = group.payoff if player == SB else -group.payoff.T
        won = multiply(opponent_reach[group.node], payoff.T)
        values[group.node] = group.stake[:, None] * won
    return values


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
