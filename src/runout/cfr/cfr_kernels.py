"""Compiled passes of one CFR iteration over a tree: match regrets, reach down, values up.

Shape letters are those of `runout.trees.layout`; an action's data live in the row of the child it
leads to. Workers take whole subtrees, so they need not wait for each other, and what happens at a
node does not depend on how nodes are divided. Rows are handled one after another, hands
innermost: that is what the compiler turns into SIMD instructions. Tables are taken out of their
tuples before the loops, because a look into a tuple costs as much as a short row.
"""

from typing import Any, NamedTuple

import numpy as np

from runout.arrays import IntArray, RealArray
from runout.jit import kernel
from runout.trees.layout import TreeArrays

#: A total of regrets below it counts as none: float32 cannot hold its reciprocal.
_SMALLEST_TOTAL = 1.2e-38

#: What a visit does: learn, answer the opponent's average as well as possible, or play the average.
LEARN, RESPOND, EVALUATE = 0, 1, 2


class Step(NamedTuple):
    """What a visit of a game does, and how it discounts what it adds to.

    Attributes:
        mode: `LEARN`, `RESPOND` or `EVALUATE`.
        positive_regret: multiplies positive regrets, a number of the tables' type.
        negative_regret: multiplies negative regrets.
        strategy: multiplies strategy sums.
    """

    mode: int
    positive_regret: float | np.floating[Any]
    negative_regret: float | np.floating[Any]
    strategy: float | np.floating[Any]


_NOTHING = np.zeros(3, np.float32)

#: Visits that learn nothing: one side answers as well as possible, or both play their averages.
RESPONDING, EVALUATING = Step(RESPOND, *_NOTHING), Step(EVALUATE, *_NOTHING)
#: A visit that leaves in the tables only what it adds itself.
LEARNING_AFRESH = Step(LEARN, *_NOTHING)


class TreeSpan(NamedTuple):
    """The nodes that a worker handles, some of each level."""

    begin: IntArray  # [L] the first node of a level
    end: IntArray  # [L] the node after the last one of a level


class LearningTables(NamedTuple):
    """What a player has learned: tables ``[N, H]`` with one row per action."""

    regret: RealArray  # discounted cumulative counterfactual regret
    strategy_sum: RealArray  # discounted sum of own reach times strategy
    strategy: RealArray  # what is played now


@kernel
def match_regrets(
    tree: TreeArrays, player: int, source: RealArray, span: TreeSpan, out_strategy: RealArray
) -> float:
    """Makes ``player`` act in proportion to the positive part of ``source[N, H]``.

    Where nothing is positive all actions are equally likely. Normalizing a strategy sum, which is
    never negative, is the same. Returns the largest change of an entry of ``out_strategy[N, H]``.
    """
    zero, one = source.dtype.type(0.0), source.dtype.type(1.0)
    smallest = source.dtype.type(_SMALLEST_TOTAL)
    num_hands = source.shape[1]
    total = np.empty(num_hands, dtype=source.dtype)
    scale = np.empty(num_hands, dtype=source.dtype)
    change = np.zeros(num_hands, dtype=source.dtype)
    actor, first_child, num_children = tree.actor, tree.first_child, tree.num_children
    for level in range(span.begin.shape[0]):
        for node in range(span.begin[level], span.end[level]):
            if actor[node] != player:
                continue
            first, num_actions = first_child[node], num_children[node]
            total[:] = zero
            for child in range(first, first + num_actions):
                weight = source[child]
                for hand in range(num_hands):
                    total[hand] += max(weight[hand], zero)
            share = one / source.dtype.type(num_actions)
            for hand in range(num_hands):
                is_positive = total[hand] > smallest
                scale[hand] = one / total[hand] if is_positive else zero
                total[hand] = zero if is_positive else share  # from here on what everybody gets
            for child in range(first, first + num_actions):
                weight, played = source[child], out_strategy[child]
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
    span: TreeSpan,
    out_reach: RealArray,
) -> None:
    """Pushes ``player``'s own reach down through the actions of ``strategy[N, H]``.

    A node has ``row[N]`` in ``out_reach[R, H]``; only own actions begin a new row, which is
    overwritten. The rows of the first nodes of the span are known.
    """
    actor, first_child, num_children = tree.actor, tree.first_child, tree.num_children
    for level in range(span.begin.shape[0]):
        for node in range(span.begin[level], span.end[level]):
            if actor[node] != player:
                continue
            before, first = out_reach[row[node]], first_child[node]
            for child in range(first, first + num_children[node]):
                after, played = out_reach[row[child]], strategy[child]
                for hand in range(before.shape[0]):
                    after[hand] = before[hand] * played[hand]


@kernel
def pull_values(
    tree: TreeArrays,
    player: int,
    step: Step,
    row: IntArray,
    reach: RealArray,
    span: TreeSpan,
    out_tables: LearningTables,
    out_value: RealArray,
) -> None:
    """Pulls counterfactual values up, and may add one iteration of ``player`` to its tables.

    Args:
        step: what the player does where it acts; weights are of the tables' dtype.
        row: ``[N]`` each node's row in ``reach``.
        reach: ``[R, H]`` the player's own reach, under the strategy it plays.
        span: nodes whose children are leaves, in the span, or known.
        out_tables: the strategy is played; regrets and strategy sum are modified by `LEARN`.
        out_value: ``[N, H]``; leaf rows are given, those of decisions are overwritten.
    """
    regrets, sums, strategy = out_tables.regret, out_tables.strategy_sum, out_tables.strategy
    zero = out_value.dtype.type(0.0)
    actor, first_child, num_children = tree.actor, tree.first_child, tree.num_children
    for level in range(span.begin.shape[0] - 1, -1, -1):
        for node in range(span.begin[level], span.end[level]):
            first, end = first_child[node], first_child[node] + num_children[node]
            if actor[node] != player:
                _add_actions(first, end, node, out_value)
                continue
            if step.mode == RESPOND:
                _take_best_action(first, end, node, out_value)
                continue
            _mix_actions(first, end, strategy, node, out_value)
            if step.mode != LEARN:
                continue
            value = out_value[node]
            for child in range(first, end):
                regret, action_value = regrets[child], out_value[child]
                for hand in range(value.shape[0]):
                    old = regret[hand]
                    decay = step.positive_regret if old > zero else step.negative_regret
                    regret[hand] = old * decay + (action_value[hand] - value[hand])
                strategy_sum, own_reach = sums[child], reach[row[child]]
                for hand in range(value.shape[0]):
                    strategy_sum[hand] = strategy_sum[hand] * step.strategy + own_reach[hand]


@kernel
def _take_best_action(first: int, end: int, node: int, out_value: RealArray) -> None:
    """Sets the value of a node to the largest of its actions' values, hand by hand."""
    value, first_value = out_value[node], out_value[first]
    for hand in range(value.shape[0]):
        value[hand] = first_value[hand]
    for child in range(first + 1, end):
        action_value = out_value[child]
        for hand in range(value.shape[0]):
            value[hand] = max(value[hand], action_value[hand])


@kernel
def _mix_actions(
    first: int, end: int, strategy: RealArray, node: int, out_value: RealArray
) -> None:
    """Sets the value of a node to the mean of its actions' values, weighted by the strategy."""
    value = out_value[node]
    value[:] = 0.0
    for child in range(first, end):
        played, action_value = strategy[child], out_value[child]
        for hand in range(value.shape[0]):
            value[hand] += played[hand] * action_value[hand]


@kernel
def _add_actions(first: int, end: int, node: int, out_value: RealArray) -> None:
    """Sets the value of a node to the sum of its actions' values; a leaf keeps its own."""
    if first >= end:
        return
    value = out_value[node]
    value[:] = 0.0
    for child in range(first, end):
        action_value = out_value[child]
        for hand in range(value.shape[0]):
            value[hand] += action_value[hand]


@kernel
def scatter_scaled_rows(
    source: RealArray,
    position: IntArray,
    scale: RealArray,
    node: IntArray,
    out_value: RealArray,
) -> None:
    """Sets row ``node[i]`` of ``out_value[N, H]`` to ``scale[i]`` times ``source[position[i]]``.

    Rows of ``source`` may be longer: they are panels, see `runout.simd.products`.
    """
    for i in range(node.shape[0]):
        row, out_row, factor = source[position[i]], out_value[node[i]], scale[i]
        for hand in range(out_row.shape[0]):
            out_row[hand] = factor * row[hand]
