"""What each hand wins at each node under given strategies."""

import numpy as np

from runout.arrays import FloatArray
from runout.cfr.leaves import Judge
from runout.cfr.reach import NUM_PLAYERS, own_reach
from runout.preflop.game_leaves import GameLeaves
from runout.products import multiply
from runout.trees.preflop_tree import PreflopTree


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
        value[:] = leaves.leaf_values(player, opponent_reach, Judge.EVALUATE)
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
    value = leaves.leaf_values(player, opponent_reach, Judge.BEST_RESPOND)
    for node in range(tree.num_nodes - 1, -1, -1):
        children = tree.layout.children(node)
        if children:
            of_actions = value[children.start : children.stop]
            is_own = tree.layout.actor[node] == player
            value[node] = of_actions.max(axis=0) if is_own else of_actions.sum(axis=0)
    root: FloatArray = value[0]
    return root
