"""Compiled passes of one CFR iteration over a tree: match regrets, reach down, values up.

Shape letters are those of `runout.trees.layout`; an action's data live in the row of the child it
leads to. Every pass treats each hand by itself, so workers take ranges of hands, and results do
not depend on how hands are divided. Rows are handled one after another, hands innermost: that is
what the compiler turns into SIMD instructions.
"""

from typing import NamedTuple

import numpy as np

from runout.arrays import IntArray, RealArray
from runout.cfr.discounting import DiscountWeights
from runout.jit import inlined, kernel
from runout.trees.layout import TreeArrays

#: A total of regrets below it counts as none: float32 cannot hold its reciprocal.
_SMALLEST_TOTAL = 1.2e-38


class HandSpan(NamedTuple):
    """The hands that a worker handles, ``begin`` up to but not including ``end``."""

    begin: int
    end: int


class LearningTables(NamedTuple):
    """What a player has learned: tables ``[N, H]`` with one row per action.

    Attributes:
        regret: discounted cumulative counterfactual regret.
        strategy_sum: discounted sum of own reach times strategy.
        strategy: what is played now.
    """

    regret: RealArray
    strategy_sum: RealArray
    strategy: RealArray


@inlined
def _part(table, row, hands):  # type: ignore[no-untyped-def]
    """The worker's part of a row, as a view: plain indices from 0 are what vectorizes."""
    return table[row][hands.begin : hands.end]


@kernel
def match_regrets(
    tree: TreeArrays, player: int, source: RealArray, hands: HandSpan, out_strategy: RealArray
) -> float:
    """Makes ``player`` act in proportion to the positive part of ``source[N, H]``.

    Where nothing is positive all actions are equally likely. Normalizing a strategy sum, which is
    never negative, is the same operation.

    Returns:
        The largest absolute change of an entry of ``out_strategy[N, H]``.
    """
    zero, one = source.dtype.type(0.0), source.dtype.type(1.0)
    smallest = source.dtype.type(_SMALLEST_TOTAL)
    num_hands = hands.end - hands.begin
    total = np.empty(num_hands, dtype=source.dtype)
    scale = np.empty(num_hands, dtype=source.dtype)
    change = np.zeros(num_hands, dtype=source.dtype)
    for node in range(tree.actor.shape[0]):
        if tree.actor[node] != player:
            continue
        first, num_actions = tree.first_child[node], tree.num_children[node]
        total[:] = zero
        for child in range(first, first + num_actions):
            weight = _part(source, child, hands)
            for hand in range(num_hands):
                total[hand] += max(weight[hand], zero)
        share = one / source.dtype.type(num_actions)
        for hand in range(num_hands):
            is_positive = total[hand] > smallest
            scale[hand] = one / total[hand] if is_positive else zero
            total[hand] = zero if is_positive else share  # from here on what everybody gets
        for child in range(first, first + num_actions):
            weight, played = _part(source, child, hands), _part(out_strategy, child, hands)
            for hand in range(num_hands):
                probability = max(weight[hand], zero) * scale[hand] + total[hand]
                change[hand] = max(change[hand], abs(probability - played[hand]))
                played[hand] = probability
    largest = zero
    for hand in range(num_hands):
        largest = max(largest, change[hand])
    return float(largest)


@kernel
def propagate_reach(
    tree: TreeArrays,
    player: int,
    row: IntArray,
    strategy: RealArray,
    hands: HandSpan,
    out_reach: RealArray,
) -> None:
    """Pushes ``player``'s own reach from the root through the actions it takes.

    Args:
        row: ``[N]`` each node's row in ``out_reach``; only own actions begin a new row.
        strategy: ``[N, H]`` action probabilities.
        out_reach: ``[R, H]``; row 0 is given, the others are overwritten.
    """
    for node in range(tree.actor.shape[0]):
        if tree.actor[node] != player:
            continue
        before = _part(out_reach, row[node], hands)
        first = tree.first_child[node]
        for child in range(first, first + tree.num_children[node]):
            after, played = _part(out_reach, row[child], hands), _part(strategy, child, hands)
            for hand in range(before.shape[0]):
                after[hand] = before[hand] * played[hand]


@kernel
def update_tables(
    tree: TreeArrays,
    player: int,
    row: IntArray,
    reach: RealArray,
    weights: DiscountWeights,
    hands: HandSpan,
    out_tables: LearningTables,
    out_value: RealArray,
) -> None:
    """Pulls counterfactual values up and adds one iteration of ``player`` to its tables.

    Args:
        row: ``[N]`` each node's row in ``reach``.
        reach: ``[R, H]`` the player's own reach, under the strategy it plays.
        weights: applied to what is already in the tables; of the tables' dtype.
        out_tables: regrets and strategy sum are modified, the strategy is not.
        out_value: ``[N, H]``; leaf rows are given, the others are overwritten.
    """
    zero = out_value.dtype.type(0.0)
    for node in range(tree.actor.shape[0] - 1, -1, -1):
        first, end = tree.first_child[node], tree.first_child[node] + tree.num_children[node]
        if tree.actor[node] != player:
            _add_actions(first, end, hands, node, out_value)
            continue
        _mix_actions(first, end, hands, out_tables.strategy, node, out_value)
        value = _part(out_value, node, hands)
        for child in range(first, end):
            regret = _part(out_tables.regret, child, hands)
            action_value = _part(out_value, child, hands)
            for hand in range(value.shape[0]):
                old = regret[hand]
                decay = weights.positive_regret if old > zero else weights.negative_regret
                regret[hand] = old * decay + (action_value[hand] - value[hand])
            strategy_sum = _part(out_tables.strategy_sum, child, hands)
            own_reach = _part(reach, row[child], hands)
            for hand in range(value.shape[0]):
                strategy_sum[hand] = strategy_sum[hand] * weights.strategy + own_reach[hand]


@kernel
def propagate_values(
    tree: TreeArrays, player: int, strategy: RealArray, hands: HandSpan, out_value: RealArray
) -> None:
    """Pulls counterfactual values up while ``player`` plays ``strategy[N, H]``.

    Args:
        out_value: ``[N, H]``; leaf rows are given, the others are overwritten.
    """
    for node in range(tree.actor.shape[0] - 1, -1, -1):
        first, end = tree.first_child[node], tree.first_child[node] + tree.num_children[node]
        if tree.actor[node] == player:
            _mix_actions(first, end, hands, strategy, node, out_value)
        else:
            _add_actions(first, end, hands, node, out_value)


@kernel
def propagate_best_response(
    tree: TreeArrays, player: int, hands: HandSpan, out_value: RealArray
) -> None:
    """Like `propagate_values`, with ``player`` taking the best action with every hand."""
    for node in range(tree.actor.shape[0] - 1, -1, -1):
        first, end = tree.first_child[node], tree.first_child[node] + tree.num_children[node]
        if tree.actor[node] == player:
            value, action_value = _part(out_value, node, hands), _part(out_value, first, hands)
            for hand in range(value.shape[0]):
                value[hand] = action_value[hand]
            for child in range(first + 1, end):
                action_value = _part(out_value, child, hands)
                for hand in range(value.shape[0]):
                    value[hand] = max(value[hand], action_value[hand])
        else:
            _add_actions(first, end, hands, node, out_value)


@kernel
def _mix_actions(
    first: int, end: int, hands: HandSpan, strategy: RealArray, node: int, out_value: RealArray
) -> None:
    """Sets the value of a node to the mean of its actions' values, weighted by the strategy."""
    value = _part(out_value, node, hands)
    value[:] = 0.0
    for child in range(first, end):
        played, action_value = _part(strategy, child, hands), _part(out_value, child, hands)
        for hand in range(value.shape[0]):
            value[hand] += played[hand] * action_value[hand]


@kernel
def _add_actions(first: int, end: int, hands: HandSpan, node: int, out_value: RealArray) -> None:
    """Sets the value of a node to the sum of its actions' values; a leaf keeps its own."""
    if first >= end:
        return
    value = _part(out_value, node, hands)
    value[:] = 0.0
    for child in range(first, end):
        action_value = _part(out_value, child, hands)
        for hand in range(value.shape[0]):
            value[hand] += action_value[hand]
