"""Compiled passes over the decisions of one street on one board: reach down, values up.

Seen from one player, the *hero*: its opponent's reach flows down, the values of its own hands flow
up. The opponent's average strategy is learned on the way down, because its reach is what weights
it; hero's regrets are learned on the way up. A strategy is never stored: it is the positive part of
the regrets, or of the strategy sums when a solution is judged.

Shape letters: ``n`` nodes, ``A`` actions of one player, ``H`` hero's hands, ``O`` the opponent's.
"""

from typing import NamedTuple

import numpy as np

from runout.arrays import AnyArray, Float32Array, Int32Array
from runout.holdem import terminal_kernels
from runout.holdem.terminal_kernels import Ends, Lanes, Meeting
from runout.jit import inlined, kernel
from runout.simd import decision_kernels as decisions
from runout.simd.decision_kernels import Learning

#: Kinds of node, seen from the hero; all others are terminals.
HERO_ACTS, VILLAIN_ACTS = 0, 1

#: What a visit does: learn, answer the opponent's average as well as possible, or play the average.
LEARN, RESPOND, EVALUATE = 0, 1, 2

_FLOAT_BYTES = 4
_NEAR_BYTES = 8_192
_SMALL_TABLE_BYTES = 65_536


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
        group: ``[groups, 10]`` beginning and end of the group's nodes, roots, folds and showdowns,
            the number of its rows of reach, and how many of its folds have the reach of a showdown,
            because hero can fold or call: they are the first of both, in the same order.
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
        rows: ``[actions, max(H, O)]`` what becomes 16-bit numbers; empty with 32-bit tables.
    """

    reach: Float32Array
    value: Float32Array
    lanes: Lanes
    rows: Float32Array


@kernel
def push_reach(
    forest: Forest, group: int, villain: Learning, step: Step, out_scratch: Scratch
) -> None:
    """Pushes the opponent's reach down a group, and adds it to its strategy sums when learning."""
    kind, num_children, first_action = forest.kind, forest.num_children, forest.first_action
    row, first_child = forest.row, forest.first_child
    regret, regret_scale, sums, sum_scale, _ = villain
    start, space = np.int64(out_scratch.reach.ctypes.data), np.int64(out_scratch.rows.ctypes.data)
    row_bytes = np.int64(out_scratch.reach.shape[1] * _FLOAT_BYTES)
    begin, is_learning, decay = forest.group[group, 0], step.mode == LEARN, step.strategy
    ahead = _look_ahead(regret, _NEAR_BYTES)
    for node in range(begin, forest.group[group, 1]):
        if kind[node] != VILLAIN_ACTS:
            continue
        number, first = int(num_children[node]), int(first_action[node])
        reach = start + row[node] * row_bytes
        out = start + row[begin + first_child[node]] * row_bytes
        if is_learning:
            decisions.play_and_add(
                regret,
                regret_scale,
                sums,
                sum_scale,
                first,
                reach,
                out,
                decay,
                space,
                ahead,
                row_bytes,
                number,
            )
        else:
            decisions.play(sums, sum_scale, first, reach, out, row_bytes, number)


@kernel
def pull_values(
    forest: Forest, group: int, hero: Learning, step: Step, out_scratch: Scratch
) -> None:
    """Pulls hero's values up a group, and adds to its regrets when learning."""
    kind, num_children, first_action = forest.kind, forest.num_children, forest.first_action
    first_child, mode, begin = forest.first_child, step.mode, forest.group[group, 0]
    regret, scale, sums, sum_scale, lock = hero
    start, space = np.int64(out_scratch.value.ctypes.data), np.int64(out_scratch.rows.ctypes.data)
    num_hands, has_locks = out_scratch.value.shape[1], lock.shape[0] > 0
    row_bytes, locks = np.int64(num_hands * _FLOAT_BYTES), np.int64(lock.ctypes.data)
    positive, negative = step.positive_regret, step.negative_regret
    ahead = _look_ahead(regret, -_NEAR_BYTES)
    for node in range(forest.group[group, 1] - 1, begin - 1, -1):
        if kind[node] != HERO_ACTS and kind[node] != VILLAIN_ACTS:
            continue
        number, first = int(num_children[node]), int(first_action[node])
        values = start + first_child[node] * row_bytes
        out = start + (node - begin) * row_bytes
        lock_row = locks + first * num_hands
        if kind[node] == VILLAIN_ACTS:
            decisions.add_up(values, out, row_bytes, number)
        elif mode == EVALUATE:
            decisions.mix(sums, sum_scale, first, values, out, row_bytes, number)
        elif mode == RESPOND:
            decisions.take_best(values, out, row_bytes, number)
            if has_locks:
                decisions.keep_locked(
                    regret, scale, first, values, out, lock_row, row_bytes, number
                )
        elif has_locks:
            decisions.mix_and_learn_unlocked(
                regret,
                scale,
                first,
                values,
                out,
                lock_row,
                positive,
                negative,
                space,
                ahead,
                row_bytes,
                number,
            )
        else:
            decisions.mix_and_learn(
                regret,
                scale,
                first,
                values,
                out,
                positive,
                negative,
                space,
                ahead,
                row_bytes,
                number,
            )


@kernel
def _look_ahead(table: AnyArray, near: int) -> int:
    """Returns how far ahead of its use a number of ``table[A, H]`` is fetched, in bytes.

    From a small table it is the same place in the next board's table, which follows.
    """
    num_bytes: int = table.nbytes
    return num_bytes if num_bytes <= _SMALL_TABLE_BYTES else near


@kernel
def value_folds(forest: Forest, meeting: Meeting, out_scratch: Scratch) -> None:
    """Values the folds of a street before the river."""
    folds = _folds(forest, 0, forest.fold.shape[0])
    terminal_kernels.value_folds(
        folds, False, meeting, out_scratch.reach, out_scratch.lanes, out_scratch.value
    )


@kernel
def value_all_ins(
    forest: Forest, net_wins: Float32Array, meeting: Meeting, out_scratch: Scratch
) -> None:
    """Values the showdowns of a settled street; ``net_wins[P, O, W]`` are those of its board."""
    terminal_kernels.value_all_ins(
        Ends(forest.showdown, forest.showdown_row, forest.showdown_stake),
        forest.showdown_rake,
        net_wins,
        meeting,
        out_scratch.reach,
        out_scratch.lanes,
        out_scratch.value,
    )


@kernel
def value_terminals(forest: Forest, group: int, meeting: Meeting, out_scratch: Scratch) -> None:
    """Values the folds and showdowns of a group of a river."""
    bounds = forest.group[group]
    reach, value, lanes = out_scratch.reach, out_scratch.value, out_scratch.lanes
    first, middle, last = bounds[4], bounds[4] + bounds[9], bounds[5]
    showdowns = slice(bounds[6], bounds[7])
    terminal_kernels.value_showdowns(
        Ends(
            forest.showdown[showdowns],
            forest.showdown_row[showdowns],
            forest.showdown_stake[showdowns],
        ),
        forest.showdown_rake[showdowns],
        _folds(forest, first, middle),
        meeting,
        reach,
        lanes,
        value,
    )
    folds = _folds(forest, middle, last)
    terminal_kernels.value_folds(folds, False, meeting, reach, lanes, value)


@inlined
def _folds(forest: Forest, begin: int, end: int) -> Ends:
    """Returns some of the folds."""
    return Ends(forest.fold[begin:end], forest.fold_row[begin:end], forest.fold_gain[begin:end])
