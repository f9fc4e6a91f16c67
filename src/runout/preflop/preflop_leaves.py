"""The leaves of the preflop tree: folds, called all-ins, and flops by the value book."""

from dataclasses import dataclass

import numpy as np

from runout.arrays import FloatArray
from runout.cards.canonical_hands import matchup_weights
from runout.cfr.matrix_leaves import LeafGroup, MatrixLeaves
from runout.equity.preflop_equity import preflop_table
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

    def evaluator(self, tree: PreflopTree) -> MatrixLeaves:
        """Returns the leaves as the solver wants them."""
        return MatrixLeaves(tree.layout, self.groups)


def value_leaves(tree: PreflopTree, book: ValueBook) -> PreflopLeaves:
    """Returns the value of every leaf of a tree.

    Args:
        tree: the betting.
        book: what flops are worth.
    """
    assert postflop_position(SB) == IP  # the book speaks of the player in position
    weights = matchup_weights()
    share = weights / weights.sum()
    kind, stake = tree.leaf_kind, tree.leaf_stake_bb
    folds = np.flatnonzero((kind == FOLD_BY_SB) | (kind == FOLD_BY_BB))
    gain_at_fold = np.where(kind == FOLD_BY_SB, -stake, stake)
    all_ins = np.flatnonzero(kind == ALL_IN)
    edge = 2.0 * preflop_table().equities() - 1.0
    groups = [
        LeafGroup(share, folds, gain_at_fold[folds]),
        LeafGroup(share * edge, all_ins, stake[all_ins]),
    ]
    flops: dict[str, LeafValues] = {}
    for leaf in tree.flop_leaves():
        values = book.at_leaf(leaf.path, leaf.spr)
        flops[leaf.path] = values
        payoff = share * (2.0 * values.share_of_ip - 1.0)
        groups.append(LeafGroup(payoff, np.array([leaf.node]), stake[[leaf.node]]))
    return PreflopLeaves(share, tuple(group for group in groups if len(group.node)), flops)
