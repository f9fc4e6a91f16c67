"""CFR pair by pair, compiled: what the vector solver is compared with."""

from typing import NamedTuple

import numpy as np

from runout.arrays import FloatArray, Int32Array, IntArray, RealArray
from runout.jit import kernel
from runout.trees.layout import TreeArrays


class PairTables(NamedTuple):
    """What one iteration reads and adds to, ``[N, H]`` each."""

    strategy: RealArray
    regret: RealArray
    strategy_sum: RealArray


@kernel
def traverse_pairs(
    tree: TreeArrays,
    leaf_kind: Int32Array,
    leaf_stake: RealArray,
    edge: FloatArray,
    num_rows: int,
    out_tables: PairTables,
) -> None:
    """Adds an iteration of both players against one snapshot, for the first rows of hands.

    Args:
        tree: the betting.
        leaf_kind: ``[N]`` the player who folds, 2 at a showdown.
        leaf_stake: ``[N]`` what the loser loses.
        edge: ``[H, H]`` twice the equity of player 0's hand minus one.
        num_rows: hands of player 0 to traverse, each against every hand of player 1.
        out_tables: the strategy is read, the others are added to.
    """
    num_nodes = tree.actor.shape[0]
    reach = np.empty((num_nodes, 2), dtype=np.float32)
    value = np.empty(num_nodes, dtype=np.float32)  # of player 0
    hands = np.empty(2, dtype=np.int64)
    for hand in range(num_rows):
        for other in range(edge.shape[1]):
            hands[0], hands[1] = hand, other
            _carry_reach(tree, hands, out_tables, reach)
            for node in range(num_nodes - 1, -1, -1):
                if tree.num_children[node] == 0:
                    kind = leaf_kind[node]
                    share = edge[hand, other] if kind == 2 else (-1.0 if kind == 0 else 1.0)
                    value[node] = leaf_stake[node] * share
                else:
                    _learn_at(tree, node, hands, reach, out_tables, value)


@kernel
def _carry_reach(
    tree: TreeArrays, hands: IntArray, tables: PairTables, out_reach: RealArray
) -> None:
    out_reach[0] = 1.0
    for node in range(tree.actor.shape[0]):
        actor = tree.actor[node]
        for child in range(
            tree.first_child[node], tree.first_child[node] + tree.num_children[node]
        ):
            out_reach[child] = out_reach[node]
            out_reach[child, actor] *= tables.strategy[child, hands[actor]]


@kernel
def _learn_at(
    tree: TreeArrays,
    node: int,
    hands: IntArray,
    reach: RealArray,
    out_tables: PairTables,
    out_value: RealArray,
) -> None:
    actor = tree.actor[node]
    hand, first = hands[actor], tree.first_child[node]
    end = first + tree.num_children[node]
    mean = np.float32(0.0)
    for child in range(first, end):
        mean += out_tables.strategy[child, hand] * out_value[child]
    out_value[node] = mean
    sign = np.float32(1.0) if actor == 0 else np.float32(-1.0)
    for child in range(first, end):
        gain = sign * (out_value[child] - mean)
        out_tables.regret[child, hand] += reach[node, 1 - actor] * gain
        out_tables.strategy_sum[child, hand] += reach[child, actor]
