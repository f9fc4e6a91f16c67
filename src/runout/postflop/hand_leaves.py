"""The leaves of a postflop tree between the 169 hands: one product for folds, one for showdowns."""

import numpy as np
import numpy.typing as npt

from runout.cfr.matrix_leaves import LeafGroup, MatrixLeaves
from runout.cfr.parallel import Team
from runout.postflop.flop_game import FlopGame
from runout.trees.postflop_tree import NOT_A_LEAF, OOP, SHOWDOWN, PostflopTree

#: The group of showdowns, whose payoff is what sampling backends replace.
SHOWDOWN_GROUP = 0


def make_hand_leaves(
    tree: PostflopTree, game: FlopGame, dtype: npt.DTypeLike, team: Team
) -> MatrixLeaves:
    """Returns the leaves of a game whose strategies do not look at the turn and river cards.

    Args:
        tree: the betting, in pots.
        game: the flop.
        dtype: of the solver's tables.
        team: threads to share the work.
    """
    showdowns = np.flatnonzero(tree.leaf_kind == SHOWDOWN)
    folds = np.flatnonzero((tree.leaf_kind != SHOWDOWN) & (tree.leaf_kind != NOT_A_LEAF))
    gain_of_oop = np.where(tree.leaf_kind == OOP, -tree.leaf_stake, tree.leaf_stake)
    groups = [
        LeafGroup(game.matchup_share * game.edge, showdowns, tree.leaf_stake[showdowns]),
        LeafGroup(game.matchup_share, folds, gain_of_oop[folds]),
    ]
    return MatrixLeaves(tree.layout, groups, dtype, team)
