"""The leaves of the preflop tree: folds, called all-ins, and flops by the value book."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from runout.arrays import FloatArray
from runout.cards.canonical_hands import matchup_weights
from runout.cfr.leaves import Judge
from runout.cfr.matrix_leaves import LeafGroup, MatrixLeaves
from runout.equity.preflop_equity import preflop_table
from runout.products import multiply
from runout.results.preflop_solution import FlopLeafSource
from runout.results.value_book import LeafValues, ValueBook
from runout.trees.postflop_tree import IP
from runout.trees.preflop_betting import SB
from runout.trees.preflop_tree import (
    ALL_IN,
    FOLD_BY_BB,
    FOLD_BY_SB,
    PreflopTree,
    postflop_position,
)


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

    def leaf_values(self, player: int, opponent_reach: FloatArray, judge: Judge) -> FloatArray:
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
    stake = tree.leaf_stake_bb
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
    kind, stake = tree.leaf_kind, tree.leaf_stake_bb
    folds = np.flatnonzero((kind == FOLD_BY_SB) | (kind == FOLD_BY_BB))
    gain_at_fold = np.where(kind == FOLD_BY_SB, -stake, stake)
    all_ins = np.flatnonzero(kind == ALL_IN)
    groups = [
        LeafGroup(share, folds, gain_at_fold[folds]),
        LeafGroup(share * preflop_edge(), all_ins, stake[all_ins]),
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
