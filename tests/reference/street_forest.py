"""Reach and values of the decisions of a street, node by node, in float64.

Every node has a row of its own here; nothing is shared and nothing is overwritten. Node numbers
count within the group, tables are ``[actions, hands]``.
"""

import numpy as np

from runout.holdem.street_kernels import HERO_ACTS, VILLAIN_ACTS
from tests.reference.slow_spot import probabilities


def actions_of(forest, group, node):
    """Returns the children of a node of a group and its actions' rows in the tables."""
    here = forest.group[group, 0] + node
    count = int(forest.num_children[here])
    child, action = int(forest.first_child[here]), int(forest.first_action[here])
    return range(child, child + count), slice(action, action + count)


def nodes_of(forest, group, kind):
    """Returns the nodes of a group at which somebody acts."""
    begin, end = forest.group[group, :2]
    return np.flatnonzero(forest.kind[begin:end] == kind).tolist()


def push_reach(forest, group, weights, root_reach):
    """Returns ``[n, O]`` the opponent's reach of all nodes when it plays by positive weights."""
    begin, end, first_root, last_root = forest.group[group, :4]
    reach = np.full((end - begin, root_reach.shape[1]), np.nan)
    for root, arriving in zip(forest.root[first_root:last_root], root_reach, strict=True):
        reach[root] = arriving
    for node in range(end - begin):
        children, actions = actions_of(forest, group, node)
        if not children:
            continue
        if forest.kind[begin + node] == VILLAIN_ACTS:
            reach[children] = probabilities(weights[actions]) * reach[node]
        else:
            reach[children] = reach[node]
    return reach


def pull_values(forest, group, weights, leaf_value):
    """Returns ``[n, H]`` hero's values when it plays by positive weights, its best if None."""
    value = leaf_value.astype(np.float64).copy()
    for node in reversed(range(len(value))):
        children, actions = actions_of(forest, group, node)
        if not children:
            continue
        if forest.kind[forest.group[group, 0] + node] != HERO_ACTS:
            value[node] = value[children].sum(axis=0)
        elif weights is None:
            value[node] = value[children].max(axis=0)
        else:
            value[node] = (probabilities(weights[actions]) * value[children]).sum(axis=0)
    return value
