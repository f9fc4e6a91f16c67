"""How likely players are to play towards a node; plain array code, nothing is compiled."""

import numpy as np

from runout.arrays import FloatArray, IntArray, RealArray
from runout.trees.layout import TreeArrays

NUM_PLAYERS = 2


def own_reach(layout: TreeArrays, strategy: RealArray, player: int) -> FloatArray:
    """Returns ``[N, H]`` the probability that ``player`` plays towards each node.

    Args:
        layout: the tree.
        strategy: ``[N, H]`` probability of the action that leads to each node.
        player: whose actions count.
    """
    reach = np.ones(strategy.shape)
    for level in range(1, layout.num_levels):
        nodes = np.arange(layout.level_start[level], layout.level_start[level + 1])
        parents = layout.parent[nodes]
        is_own = (layout.actor[parents] == player)[:, None]
        reach[nodes] = reach[parents] * np.where(is_own, strategy[nodes], 1.0)
    return reach


def own_reach_rows(tree: TreeArrays, player: int) -> IntArray:
    """Returns ``[N]`` the row of each node's reach by ``player``: a new one after own actions."""
    row = np.zeros(tree.num_nodes, dtype=np.int64)
    num_rows = 1
    for node in range(1, tree.num_nodes):
        parent = tree.parent[node]
        if tree.actor[parent] == player:
            row[node] = num_rows
            num_rows += 1
        else:
            row[node] = row[parent]
    return row
