"""What every hand gets against every hand under given strategies, by matrix products."""

import numpy as np

from runout.arrays import Float32Array, FloatArray
from runout.cfr.reach import NUM_PLAYERS, own_reach
from runout.postflop.flop_game import FlopGame
from runout.products import multiply
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
    reach = [own_reach(tree.layout, strategy, player) for player in range(NUM_PLAYERS)]
    is_showdown = tree.leaf_kind == SHOWDOWN
    is_fold = ~is_showdown & (tree.leaf_kind != NOT_A_LEAF)
    fold_gain_of_oop = np.where(tree.leaf_kind == OOP, -tree.leaf_stake, tree.leaf_stake)
    by_folds = multiply(reach[OOP][is_fold].T * fold_gain_of_oop[is_fold], reach[IP][is_fold])
    stake_at_showdown = multiply(
        reach[OOP][is_showdown].T * tree.leaf_stake[is_showdown], reach[IP][is_showdown]
    )
    gain_of_oop = by_folds + stake_at_showdown * game.edge
    gain_of_oop[game.table.totals == 0] = np.nan
    return pack_values(gain_of_oop)


def pack_values(gain_of_oop: FloatArray) -> Float32Array:
    """Returns ``[2, H, H]`` values by the hero's position from what OOP wins beyond half the pot.

    The larger value is rounded and leaves the other exactly, so that they sum to 1 in the stored
    precision too. The rest of the smaller one, where it is below -1, would be rounded again.
    """
    larger = (0.5 + np.abs(gain_of_oop)).astype(np.float32)
    smaller = np.float32(1.0) - larger
    value_of_oop = np.where(gain_of_oop > 0.0, larger, smaller)
    value_of_ip = np.where(gain_of_oop > 0.0, smaller, larger)
    return np.stack([value_of_oop, value_of_ip.T])
