"""Twins for the 169-hand game on a flop: whole matrices of hand pairs, passed up the tree."""

import numpy as np

from runout.trees.tree import NOT_A_LEAF, OOP, SHOWDOWN
from tests.reference import cfr as reference


def leaf_payoff(tree, game, node):
    """Returns ``[H, H]`` what OOP wins with the row against the column, or None."""
    stake, kind = tree.leaf_stake[node], tree.leaf_kind[node]
    if kind == NOT_A_LEAF:
        return None
    if kind == SHOWDOWN:
        return stake * game.edge
    return np.full(game.edge.shape, -stake if kind == OOP else stake)


def pair_gains(tree, game, strategy, node=0):
    """Returns ``[H, H]`` what OOP wins from a node on with every pair of hands."""
    children = tree.layout.children(node)
    if not children:
        return leaf_payoff(tree, game, node)
    is_oop = tree.layout.actor[node] == OOP
    return sum(
        (strategy[child][:, None] if is_oop else strategy[child])
        * pair_gains(tree, game, strategy, child)
        for child in children
    )


def best_response_value(tree, game, strategy, player):
    """Returns what ``player`` wins by the best action with every hand, against ``strategy``."""
    leaf_value = np.zeros(strategy.shape)
    ones = np.ones(strategy.shape[1])
    for node in range(tree.num_nodes):
        payoff = leaf_payoff(tree, game, node)
        if payoff is None:
            continue
        reach = reference.own_reach(tree.layout, 1 - player, strategy, ones, node)
        weighted = game.matchup_share * payoff
        leaf_value[node] = weighted @ reach if player == OOP else -weighted.T @ reach
    value = reference.node_value(tree.layout, player, leaf_value, 0, reference.maximizing)
    return value.sum()


def exploitability(tree, game, strategy):
    """Returns the mean gain of a best response, in the unit of the tree."""
    wide = strategy.astype(np.float64)
    return sum(best_response_value(tree, game, wide, player) for player in (0, 1)) / 2


def fold_probability(tree, game, strategy):
    """Returns how often a hand ends with a fold."""
    total = 0.0
    ones = np.ones(strategy.shape[1])
    for node in range(tree.num_nodes):
        if tree.leaf_kind[node] in (NOT_A_LEAF, SHOWDOWN):
            continue
        oop, ip = (
            reference.own_reach(tree.layout, p, strategy.astype(np.float64), ones, node)
            for p in (0, 1)
        )
        total += oop @ game.matchup_share @ ip
    return total
