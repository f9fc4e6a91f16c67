"""The preflop solver: vector CFR over 169 x 169 hands with exact card removal."""

from typing import TYPE_CHECKING

import numpy as np

from runout.arrays import FloatArray, RealArray
from runout.cards.deck import NUM_HANDS, matchup_weights
from runout.cfr.cfr_kernels import EVALUATING, RESPONDING
from runout.cfr.leaves import LeafEvaluator, LeafGroup, MatrixLeaves
from runout.cfr.schedules import DCFR_PLUS, Schedule, SolveOutcome
from runout.cfr.solver import CfrSolver, StreetSolver
from runout.equity.matchups import preflop_table
from runout.simd.products import multiply
from runout.solutions.preflop import MBB_PER_BB, FlopLeafSource, PreflopReport, PreflopSolution
from runout.solutions.values import LeafValues, ValueBook
from runout.trees.betting import BB, SB
from runout.trees.layout import LEAF, NUM_PLAYERS, own_reach
from runout.trees.tree import IP, SHOWDOWN, PreflopTree, postflop_position

if TYPE_CHECKING:
    from runout.preflop.joint import JointLeaves

_EVERYONE = np.ones((NUM_PLAYERS, NUM_HANDS))


class BookLeaves(MatrixLeaves):
    """The leaves of a preflop tree: folds, called all-ins, and flops by the value book."""

    is_zero_sum = True

    def __init__(self, tree: PreflopTree, book: ValueBook) -> None:
        """Values the leaves of a tree whose flops are worth what a book says, in big blinds."""
        assert postflop_position(SB) == IP  # the book speaks of the player in position
        self.matchup_share = share = share_of_matchups()
        self.groups = known_groups(tree, share)
        self.flops: dict[str, LeafValues] = {}
        for leaf in tree.flop_leaves():
            values = self.flops[leaf.path] = book.at_spr(leaf.spr)
            payoff = share * (2.0 * values.share_of_ip - 1.0)
            node = np.array([leaf.node])
            self.groups.append(LeafGroup(payoff, node, tree.leaf_stake[node]))
        super().__init__(tree.layout, self.groups)

    def sources(self) -> dict[str, FlopLeafSource]:
        """Returns where the values of flop leaves come from, by path."""
        return {
            path: FlopLeafSource(values.source, values.detail)
            for path, values in self.flops.items()
        }


def share_of_matchups() -> FloatArray:
    """Returns ``[169, 169]`` the probability that SB is dealt the row and BB the column."""
    weights = matchup_weights()
    share: FloatArray = weights / weights.sum()
    return share


def known_groups(tree: PreflopTree, share: FloatArray) -> list[LeafGroup]:
    """Returns the folds and called all-ins of a tree, whose values need no flop.

    ``share[169, 169]`` is how often SB is dealt the row and BB the column.
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


def play_strategy(tree: PreflopTree, leaves: LeafEvaluator, strategy: FloatArray) -> StreetSolver:
    """Returns a solver whose average strategies are ``strategy[N, 169]``, to be judged."""
    street = StreetSolver(tree.layout, leaves, NUM_HANDS)
    street.restore({"regret": np.zeros_like(strategy), "strategy_sum": strategy})
    return street


def best_response(
    tree: PreflopTree, leaves: LeafEvaluator, strategy: FloatArray, player: int
) -> RealArray:
    """Returns ``[169]`` what a player's hands win at most, times how often they are dealt, in bb.

    Their sum is what the player wins per hand against ``strategy[N, 169]`` of the opponent.
    """
    street = play_strategy(tree, leaves, strategy)
    values: RealArray = street.visit(_EVERYONE, player, RESPONDING)
    return values


def expected_values(street: StreetSolver, matchup_share: FloatArray) -> FloatArray:
    """Returns ``[2, N, 169]`` what SB's and BB's hands win once a node is reached, in big blinds.

    The average strategies of the street are played. It is NaN where the opponent never comes.
    Blinds count: a small blind that folds wins -0.5. Where the winnings of both do not add up to
    nothing at a leaf, each hand gives half of the excess, in proportion to what it meets.
    """
    tree, strategy = street.tree, street.average_strategy()
    reach = [own_reach(tree, strategy, player) for player in range(NUM_PLAYERS)]
    met = [multiply(reach[1 - player], matchup_share) for player in range(NUM_PLAYERS)]
    won = [
        street.visit_nodes(_EVERYONE, player, EVALUATING).astype(np.float64)
        for player in range(NUM_PLAYERS)
    ]
    leaves = np.flatnonzero(tree.actor == LEAF)
    excess = sum((reach[player] * won[player])[leaves].sum(axis=1) for player in (SB, BB))
    deals = (reach[SB] * met[SB])[leaves].sum(axis=1)
    share = np.divide(excess / 2.0, deals, out=np.zeros(len(leaves)), where=deals > 0.0)
    values = np.full((NUM_PLAYERS, *strategy.shape), np.nan)
    for player in range(NUM_PLAYERS):
        won[player][leaves] -= share[:, None] * met[player][leaves]
        for node in reversed(np.flatnonzero(tree.actor != LEAF).tolist()):
            after = tree.children(node)
            played = strategy[after] if tree.actor[node] == player else 1.0
            won[player][node] = (played * won[player][after]).sum(axis=0)
        np.divide(won[player], met[player], out=values[player], where=met[player] > 0.0)
    return values


class PreflopSolver(CfrSolver):
    """Solves a preflop tree, given its leaves; players are SB = 0 and BB = 1, values big blinds."""

    def __init__(
        self, tree: PreflopTree, leaves: "BookLeaves | JointLeaves", schedule: Schedule = DCFR_PLUS
    ) -> None:
        """Begins with all actions equally likely; leaves come from a book, or learn on the way."""
        self.tree, self.leaves = tree, leaves
        self.street = StreetSolver(tree.layout, leaves, NUM_HANDS)
        super().__init__(self.street, schedule, is_zero_sum=leaves.is_zero_sum)

    def solution(self, outcome: SolveOutcome | None = None) -> PreflopSolution:
        """Returns the average strategies as they are now; an outcome says what they reach."""
        outcome = outcome or self.outcome()
        report = PreflopReport(
            iterations=outcome.iterations,
            exploitability_mbb=outcome.exploitability * MBB_PER_BB,
            seconds=outcome.seconds,
            flop_leaves=self.leaves.sources(),
            curve_mbb=tuple((number, bb * MBB_PER_BB) for number, bb in outcome.history),
        )
        ev_bb = expected_values(self.street, self.leaves.matchup_share)
        strategy = self.street.average_strategy().astype(np.float64, copy=False)
        return PreflopSolution(self.tree, strategy, ev_bb, report)
