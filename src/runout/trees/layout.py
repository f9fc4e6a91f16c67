"""Flat-array form of a two-player game tree, as all CFR kernels read it, and reach in it.

Shape letters used across the package:

* ``N`` tree nodes, decision nodes and leaves together, numbered breadth-first
* ``L`` levels: level l holds the nodes that are l actions away from the root
* ``H`` hands in the solver's hand space (3 in Kuhn, 169, a number of buckets, or 1326)
* ``B`` boards solved side by side (1 for a game without a board)

An action has no number of its own: what belongs to an action lives in the row of the child that
the action leads to. Regrets, strategies and values are therefore all tables ``[N, H]`` with the
same rows, and row 0 (the root, to which no action leads) is unused in those of actions.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from runout.arrays import FloatArray, Int32Array, IntArray, RealArray, read_only
from runout.errors import TreeError

#: The actor of a node where nobody acts, and of one where something is dealt.
LEAF, CHANCE = -1, 2

#: The parent of the root and the first child of a leaf.
NO_NODE = -1

#: Trees beyond this many nodes are refused: most often a forgotten limit on raises.
MAX_NODES = 1_000_000

NodeT = TypeVar("NodeT")


class TreeArrays(NamedTuple):
    """One game tree as read-only int32 arrays.

    Nodes are numbered level by level, a node's children are consecutive, and a parent comes
    before its children: a sweep over levels downwards sees reach probabilities in order, a sweep
    upwards sees values in order, and the nodes of one level can be done in parallel.

    Attributes:
        actor: ``[N]`` the acting player, 0 or 1, `LEAF`, or `CHANCE` in `runout.cfr.games`.
        parent: ``[N]`` the node before the action, `NO_NODE` at the root.
        first_child: ``[N]`` the child of the first action, `NO_NODE` at leaves.
        num_children: ``[N]`` number of actions, 0 at leaves.
        level_start: ``[L + 1]`` the nodes of level l are ``level_start[l]:level_start[l + 1]``.
    """

    actor: Int32Array
    parent: Int32Array
    first_child: Int32Array
    num_children: Int32Array
    level_start: Int32Array

    @property
    def num_nodes(self) -> int:
        """N, decision nodes and leaves together."""
        return len(self.actor)

    @property
    def num_levels(self) -> int:
        """L, one more than the number of actions on the longest way to a leaf."""
        return len(self.level_start) - 1

    def children(self, node: int) -> range:
        """Returns the children of a node, in the order of its actions."""
        first = int(self.first_child[node])
        return range(first, first + int(self.num_children[node]))


def layout_tree(
    root: NodeT,
    expand: Callable[[NodeT], tuple[int, Sequence[NodeT]]],
    max_nodes: int = MAX_NODES,
) -> tuple[TreeArrays, list[NodeT]]:
    """Numbers the nodes of any two-player tree breadth-first and flattens it.

    Args:
        root: the first node, of whatever type describes a node best.
        expand: returns a node's actor and its children in the order of the actions; of a leaf,
            `LEAF` and nothing. It is called once per node, in the order of their numbers.
        max_nodes: the size at which to give up.

    Returns:
        The arrays, and the nodes in the order of their numbers.

    Raises:
        TreeError: if the tree has more than ``max_nodes`` nodes.
        ValueError: if a leaf has children, or a player acts without an action.
    """
    nodes = [root]
    actor: list[int] = []
    parent = [NO_NODE]
    first_child: list[int] = []
    num_children: list[int] = []
    level_start = [0]
    while level_start[-1] < len(nodes):
        level = range(level_start[-1], len(nodes))
        level_start.append(len(nodes))
        for number in level:
            player, children = expand(nodes[number])
            if player not in (LEAF, 0, 1, CHANCE) or (player == LEAF) != (not children):
                raise ValueError(f"node {number}: actor {player} with {len(children)} actions")
            actor.append(player)
            first_child.append(len(nodes) if children else NO_NODE)
            num_children.append(len(children))
            nodes.extend(children)
            parent.extend([number] * len(children))
            if len(nodes) > max_nodes:
                raise TreeError("tree", f"more than {max_nodes:,} nodes, allow fewer actions")
    arrays = (actor, parent, first_child, num_children, level_start)
    return TreeArrays(*(read_only(np.array(array, dtype=np.int32)) for array in arrays)), nodes


def subtree_sizes(layout: TreeArrays) -> IntArray:
    """Returns ``[N]`` the number of nodes in each subtree, the node itself included."""
    sizes = np.ones(layout.num_nodes, dtype=np.int64)
    for level in range(layout.num_levels - 1, 0, -1):
        nodes = slice(layout.level_start[level], layout.level_start[level + 1])
        np.add.at(sizes, layout.parent[nodes], sizes[nodes])
    return sizes


NUM_PLAYERS = 2


def own_reach(layout: TreeArrays, strategy: RealArray, player: int) -> FloatArray:
    """Returns ``[N, H]`` the probability that ``player`` plays towards each node.

    The strategy has ``[N, H]`` the probability of the action that leads to each node.
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
