"""Slow, obvious twins of the CFR kernels: recursion over nodes, a loop over hands."""

import numpy as np


def match_regrets(tree, player, source):
    """Returns ``[N, H]`` the strategy of ``player``, NaN in rows that are not its actions."""
    strategy = np.full(source.shape, np.nan)
    for node in range(tree.num_nodes):
        if tree.actor[node] != player:
            continue
        children = tree.children(node)
        for hand in range(source.shape[1]):
            positive = [max(float(source[child, hand]), 0.0) for child in children]
            for child, weight in zip(children, positive, strict=True):
                is_known = sum(positive) > 0.0
                strategy[child, hand] = weight / sum(positive) if is_known else 1 / len(children)
    return strategy


def own_reach(tree, player, strategy, root_reach, node):
    """Returns ``[H]`` the product of the player's own probabilities on the way to a node."""
    if node == 0:
        return np.array(root_reach, dtype=np.float64)
    parent = tree.parent[node]
    before = own_reach(tree, player, strategy, root_reach, parent)
    return before * strategy[node] if tree.actor[parent] == player else before


def node_value(tree, player, leaf_value, node, choose):
    """Returns ``[H]`` the counterfactual value of a node.

    Args:
        leaf_value: ``[N, H]``, read at leaves only.
        choose: makes one value of those of an own decision, given the children and their values.
    """
    children = tree.children(node)
    if not children:
        return np.array(leaf_value[node], dtype=np.float64)
    values = [node_value(tree, player, leaf_value, child, choose) for child in children]
    return choose(children, values) if tree.actor[node] == player else sum(values)


def mixing(strategy):
    """Plays ``strategy[N, H]`` at own decisions."""
    return lambda children, values: sum(
        strategy[child] * value for child, value in zip(children, values, strict=True)
    )


def maximizing(children, values):
    """Takes the best action with every hand."""
    return np.max(values, axis=0)


def update_tables(tree, player, regret, strategy_sum, strategy, root_reach, leaf_value, weights):
    """Returns the new regrets and strategy sums after one iteration of ``player``."""
    regret, strategy_sum = regret.astype(np.float64), strategy_sum.astype(np.float64)
    for child in range(1, tree.num_nodes):
        node = tree.parent[child]
        if tree.actor[node] != player:
            continue
        gain = node_value(tree, player, leaf_value, child, mixing(strategy)) - node_value(
            tree, player, leaf_value, node, mixing(strategy)
        )
        reach = own_reach(tree, player, strategy, root_reach, child)
        for hand in range(regret.shape[1]):
            is_positive = regret[child, hand] > 0.0
            decay = weights.positive_regret if is_positive else weights.negative_regret
            regret[child, hand] = regret[child, hand] * decay + gain[hand]
            strategy_sum[child, hand] = strategy_sum[child, hand] * weights.strategy + reach[hand]
    return regret, strategy_sum
