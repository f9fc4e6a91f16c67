"""Compiled passes over the decisions of one street on one board: reach down, values up.

Seen from one player, the *hero*: its opponent's reach flows down, the values of its own hands flow
up. The opponent's average strategy is learned on the way down, because its reach is what weights
it; hero's regrets are learned on the way up. A strategy is never stored: it is the positive part of
the regrets, or of the strategy sums when a solution is judged.

Shape letters: ``n`` nodes, ``A`` actions of one player, ``H`` hero's hands, ``O`` the opponent's.
"""

from typing import NamedTuple

import numpy as np

from runout.arrays import Float32Array, Int32Array, Uint8Array
from runout.holdem import terminal_kernels
from runout.holdem.table_kernels import Learning, read_rows, write_rows
from runout.holdem.terminal_kernels import FOLDS, RAKE, SHOWDOWNS, Lanes, Meeting
from runout.jit import kernel

#: Kinds of node, seen from the hero; all others are terminals.
HERO_ACTS, VILLAIN_ACTS = 0, 1

#: What a visit does: learn, answer the opponent's average as well as possible, or play the average.
LEARN, RESPOND, EVALUATE = 0, 1, 2

#: A total below it counts as none: float32 cannot hold its reciprocal.
_SMALLEST_TOTAL = np.float32(1.2e-38)


class Step(NamedTuple):
    """What a visit does, and how it discounts what it adds to.

    Attributes:
        mode: `LEARN`, `RESPOND` or `EVALUATE`.
        positive_regret: multiplies positive regrets.
        negative_regret: multiplies negative regrets.
        strategy: multiplies strategy sums.
    """

    mode: int
    positive_regret: np.float32
    negative_regret: np.float32
    strategy: np.float32


_NOTHING = np.float32(0.0)

#: Visits that learn nothing: one side answers as well as possible, or both play their averages.
RESPONDING = Step(RESPOND, _NOTHING, _NOTHING, _NOTHING)
EVALUATING = Step(EVALUATE, _NOTHING, _NOTHING, _NOTHING)
#: A visit that leaves in the tables only what it adds itself.
LEARNING_AFRESH = Step(LEARN, _NOTHING, _NOTHING, _NOTHING)


class Forest(NamedTuple):
    """The betting of one street after every way to enter it, seen from one player.

    Roots are handled in groups whose rows fit into the processor's cache. Numbers of nodes and of
    rows count within the group, children of a node are consecutive, and parents come first.

    Attributes:
        group: ``[groups, 9]`` beginning and end of the group's nodes, roots, folds and showdowns,
            and the number of its rows of reach.
        kind: ``[n]`` `HERO_ACTS`, `VILLAIN_ACTS`, or something else at terminals.
        first_child: ``[n]`` the first child.
        num_children: ``[n]`` number of actions.
        first_action: ``[n]`` the first action's row in the tables of the player who acts.
        row: ``[n]`` the row of the opponent's reach; only its own actions begin a new row.
        root: ``[roots]`` the first node of each tree.
        fold: ``[folds]`` nodes.
        fold_row: ``[folds]`` their rows of reach.
        fold_gain: ``[folds]`` what hero wins there.
        showdown: ``[showdowns]`` nodes.
        showdown_row: ``[showdowns]`` their rows of reach.
        showdown_stake: ``[showdowns]`` what the winner wins.
        showdown_rake: ``[showdowns]`` what hero gains there whoever wins, which is negative;
            empty without rake.
        chance: ``[chances]`` nodes, in the order of the next street's roots.
        chance_row: ``[chances]`` their rows of reach.
    """

    group: Int32Array
    kind: Int32Array
    first_child: Int32Array
    num_children: Int32Array
    first_action: Int32Array
    row: Int32Array
    root: Int32Array
    fold: Int32Array
    fold_row: Int32Array
    fold_gain: Float32Array
    showdown: Int32Array
    showdown_row: Int32Array
    showdown_stake: Float32Array
    showdown_rake: Float32Array
    chance: Int32Array
    chance_row: Int32Array


class Scratch(NamedTuple):
    """Working space of one worker on one street.

    Attributes:
        reach: ``[rows, O]`` the opponent's reach.
        value: ``[n, H]`` hero's counterfactual values.
        lanes: of the terminals.
        total: ``[max(H, O)]``.
        share: ``[max(H, O)]``.
        rows: ``[actions, max(H, O)]`` for decoded tables; empty with 32-bit tables.
        more_rows: ``[actions, max(H, O)]`` likewise.
    """

    reach: Float32Array
    value: Float32Array
    lanes: Lanes
    total: Float32Array
    share: Float32Array
    rows: Float32Array
    more_rows: Float32Array


@kernel
def push_reach(
    forest: Forest, group: int, villain: Learning, step: Step, out_scratch: Scratch
) -> None:
    """Pushes the opponent's reach down a group, and adds it to its strategy sums when learning."""
    reach, total, share = out_scratch.reach, out_scratch.total, out_scratch.share
    kind, num_children, first_action = forest.kind, forest.num_children, forest.first_action
    row, first_child = forest.row, forest.first_child
    begin = forest.group[group, 0]
    is_learning = step.mode == LEARN
    for node in range(begin, forest.group[group, 1]):
        if kind[node] != VILLAIN_ACTS:
            continue
        first, end = first_action[node], first_action[node] + num_children[node]
        first_row = row[begin + first_child[node]]
        sums = read_rows(villain.strategy_sum, villain.sum_scale, first, end, out_scratch.rows)
        if is_learning:
            regrets = read_rows(
                villain.regret, villain.regret_scale, first, end, out_scratch.more_rows
            )
            decay = step.strategy
            _split_and_add(regrets, row[node], first_row, decay, total, share, reach, sums)
            write_rows(villain.strategy_sum, villain.sum_scale, first, end, sums)
        else:
            _split_reach(sums, row[node], first_row, total, share, reach)


@kernel
def _match(weights: Float32Array, out_total: Float32Array, out_share: Float32Array) -> None:
    """Sets what turns ``weights[A, H]`` into probabilities: ``max(w, 0) * total + share``.

    Where nothing is positive all actions are equally likely.
    """
    zero, one = np.float32(0.0), np.float32(1.0)
    equal = one / np.float32(weights.shape[0])
    num_hands = weights.shape[1]
    for hand in range(num_hands):
        out_total[hand] = zero
    for action in range(weights.shape[0]):
        weight = weights[action]
        for hand in range(num_hands):
            out_total[hand] += max(weight[hand], zero)
    for hand in range(num_hands):
        is_positive = out_total[hand] > _SMALLEST_TOTAL
        out_share[hand] = zero if is_positive else equal
        out_total[hand] = one / out_total[hand] if is_positive else zero


@kernel
def _split_reach(
    weights: Float32Array,
    parent_row: int,
    first_row: int,
    total: Float32Array,
    share: Float32Array,
    out_reach: Float32Array,
) -> None:
    """Divides the reach of a node among its actions in proportion to positive weights."""
    zero = np.float32(0.0)
    _match(weights, total, share)
    arriving = out_reach[parent_row]
    for action in range(weights.shape[0]):
        weight, leaving = weights[action], out_reach[first_row + action]
        for hand in range(weight.shape[0]):
            leaving[hand] = (max(weight[hand], zero) * total[hand] + share[hand]) * arriving[hand]


@kernel
def _split_and_add(
    weights: Float32Array,
    parent_row: int,
    first_row: int,
    decay: np.float32,
    total: Float32Array,
    share: Float32Array,
    out_reach: Float32Array,
    out_sums: Float32Array,
) -> None:
    """Like `_split_reach`, adding the divided reach to strategy sums in the same pass."""
    zero = np.float32(0.0)
    _match(weights, total, share)
    arriving = out_reach[parent_row]
    for action in range(weights.shape[0]):
        weight, leaving, strategy_sum = (
            weights[action],
            out_reach[first_row + action],
            out_sums[action],
        )
        for hand in range(weight.shape[0]):
            reached = (max(weight[hand], zero) * total[hand] + share[hand]) * arriving[hand]
            leaving[hand] = reached
            strategy_sum[hand] = strategy_sum[hand] * decay + reached


@kernel
def pull_values(
    forest: Forest, group: int, hero: Learning, step: Step, out_scratch: Scratch
) -> None:
    """Pulls hero's values up a group, and adds to its regrets when learning."""
    kind, num_children, first_action = forest.kind, forest.num_children, forest.first_action
    first_child, values = forest.first_child, out_scratch.value
    total, share = out_scratch.total, out_scratch.share
    begin, end = forest.group[group, 0], forest.group[group, 1]
    has_locks = hero.lock.shape[0] > 0
    for node in range(end - 1, begin - 1, -1):
        value = values[node - begin]
        actions = values[first_child[node] : first_child[node] + num_children[node]]
        if kind[node] == VILLAIN_ACTS:
            _add_up(actions, value)
        elif kind[node] == HERO_ACTS:
            first, last = first_action[node], first_action[node] + num_children[node]
            if step.mode == EVALUATE:
                sums = read_rows(hero.strategy_sum, hero.sum_scale, first, last, out_scratch.rows)
                _mix(sums, actions, total, share, value)
            elif step.mode == RESPOND:
                _take_best(actions, value)
                if has_locks:
                    regrets = read_rows(
                        hero.regret, hero.regret_scale, first, last, out_scratch.rows
                    )
                    _mix_locked(regrets, actions, hero.lock[first], value)
            else:
                regrets = read_rows(hero.regret, hero.regret_scale, first, last, out_scratch.rows)
                _mix(regrets, actions, total, share, value)
                if has_locks:
                    _learn_unlocked(actions, hero.lock[first], step, value, regrets)
                else:
                    _learn(actions, step, value, regrets)
                write_rows(hero.regret, hero.regret_scale, first, last, regrets)


@kernel
def _add_up(actions: Float32Array, out_value: Float32Array) -> None:
    for hand in range(out_value.shape[0]):
        out_value[hand] = actions[0, hand]
    for action in range(1, actions.shape[0]):
        action_value = actions[action]
        for hand in range(out_value.shape[0]):
            out_value[hand] += action_value[hand]


@kernel
def _mix(
    weights: Float32Array,
    actions: Float32Array,
    total: Float32Array,
    share: Float32Array,
    out_value: Float32Array,
) -> None:
    """Sets the value of a decision to the mean of its actions, by the positive part of weights."""
    zero = np.float32(0.0)
    _match(weights, total, share)
    for hand in range(out_value.shape[0]):
        out_value[hand] = zero
    for action in range(weights.shape[0]):
        weight, action_value = weights[action], actions[action]
        for hand in range(out_value.shape[0]):
            played = max(weight[hand], zero) * total[hand] + share[hand]
            out_value[hand] += played * action_value[hand]


@kernel
def _take_best(actions: Float32Array, out_value: Float32Array) -> None:
    for hand in range(out_value.shape[0]):
        out_value[hand] = actions[0, hand]
    for action in range(1, actions.shape[0]):
        action_value = actions[action]
        for hand in range(out_value.shape[0]):
            out_value[hand] = max(out_value[hand], action_value[hand])


@kernel
def _learn(
    actions: Float32Array, step: Step, value: Float32Array, out_regrets: Float32Array
) -> None:
    """Adds to regrets what each action wins beyond the decision."""
    zero = np.float32(0.0)
    positive, negative = step.positive_regret, step.negative_regret
    for action in range(actions.shape[0]):
        regret, action_value = out_regrets[action], actions[action]
        for hand in range(value.shape[0]):
            old = regret[hand]
            decay = positive if old > zero else negative
            regret[hand] = old * decay + (action_value[hand] - value[hand])


@kernel
def _learn_unlocked(
    actions: Float32Array,
    lock: Uint8Array,
    step: Step,
    value: Float32Array,
    out_regrets: Float32Array,
) -> None:
    """Like `_learn`, leaving alone the regrets of locked hands, which hold their strategy."""
    zero = np.float32(0.0)
    for action in range(actions.shape[0]):
        regret, action_value = out_regrets[action], actions[action]
        for hand in range(value.shape[0]):
            if lock[hand] == 0:
                old = regret[hand]
                decay = step.positive_regret if old > zero else step.negative_regret
                regret[hand] = old * decay + (action_value[hand] - value[hand])


@kernel
def _mix_locked(
    strategy: Float32Array, actions: Float32Array, lock: Uint8Array, out_value: Float32Array
) -> None:
    """Gives locked hands the value of the strategy that they are bound to."""
    for hand in range(out_value.shape[0]):
        if lock[hand] != 0:
            out_value[hand] = np.float32(0.0)
            for action in range(actions.shape[0]):
                out_value[hand] += strategy[action, hand] * actions[action, hand]


@kernel
def value_terminals(forest: Forest, group: int, meeting: Meeting, out_scratch: Scratch) -> None:
    """Values the folds and showdowns of a group."""
    bounds = forest.group[group]
    reach, value, lanes = out_scratch.reach, out_scratch.value, out_scratch.lanes
    folds = slice(bounds[4], bounds[5])
    terminal_kernels.value_nodes(
        FOLDS,
        forest.fold[folds],
        forest.fold_row[folds],
        forest.fold_gain[folds],
        meeting,
        reach,
        lanes,
        value,
    )
    showdowns = slice(bounds[6], bounds[7])
    nodes, rows = forest.showdown[showdowns], forest.showdown_row[showdowns]
    stakes = forest.showdown_stake[showdowns]
    terminal_kernels.value_nodes(SHOWDOWNS, nodes, rows, stakes, meeting, reach, lanes, value)
    if forest.showdown_rake.shape[0] > 0:
        rake = forest.showdown_rake[showdowns]
        terminal_kernels.value_nodes(RAKE, nodes, rows, rake, meeting, reach, lanes, value)
