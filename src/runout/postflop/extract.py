"""What every hand gets against every hand under given strategies, by matrix products."""

import numpy as np

from runout.arrays import FloatArray
from runout.cfr.street_solver import NUM_PLAYERS
from runout.postflop.backend import Float32Array
from runout.postflop.flop_game import FlopGame
from runout.trees.layout import TreeArrays
from runout.trees.postflop_tree import IP, NOT_A_LEAF, OOP, SHOWDOWN, PostflopTree


def extract_values(tree: PostflopTree, game: FlopGame, strategy: Float32Array) -> Float32Array:
    """Returns ``[2, 169, 169]`` values by the hero's position, exact for the given strategies.

    A value is what comes back from the pot minus what is put in after the flop, over the flop
    pot: both players' values sum to 1. It is NaN where the hands cannot meet.

    Args:
        tree: the betting, in pots.
        game: the flop.
        strategy: ``[N, 169]`` action probabilities of both players.
    """
    reach = [_own_reach(tree.layout, strategy, player) for player in range(NUM_PLAYERS)]
    is_showdown = tree.leaf_kind == SHOWDOWN
    is_fold = ~is_showdown & (tree.leaf_kind != NOT_A_LEAF)
    fold_gain_of_oop = np.where(tree.leaf_kind == OOP, -tree.leaf_stake, tree.leaf_stake)
    by_folds = (reach[OOP][is_fold].T * fold_gain_of_oop[is_fold]) @ reach[IP][is_fold]
    stake_at_showdown = (reach[OOP][is_showdown].T * tree.leaf_stake[is_showdown]) @ reach[IP][
        is_showdown
    ]
    gain_of_oop = by_folds + stake_at_showdown * game.edge
    gain_of_oop[game.table.totals == 0] = np.nan
    # One is computed from the other, so that the two sum to 1 in the stored precision too.
    value_of_oop = (0.5 + gain_of_oop).astype(np.float32)
    return np.stack([value_of_oop, (np.float32(1.0) - value_of_oop).T])


def _own_reach(layout: TreeArrays, strategy: Float32Array, player: int) -> FloatArray:
    """Returns ``[N, H]`` the probability that ``player`` plays towards each node."""
    reach = np.ones(strategy.shape)
    for level in range(1, layout.num_levels):
        nodes = np.arange(layout.level_start[level], layout.level_start[level + 1])
        parents = layout.parent[nodes]
        is_own = (layout.actor[parents] == player)[:, None]
        reach[nodes] = reach[parents] * np.where(is_own, strategy[nodes], 1.0)
    return reach
