"""Compiled visit of one bucket game: the river with buckets in the place of hands.

The same three passes as on any street (`street_kernels`): the opponent's reach down, terminals,
hero's values up. A terminal is one product of a row of reach with the matrix of who meets whom.
"""

import numpy as np

from runout.arrays import Float32Array
from runout.holdem import bucket_action_kernels as actions
from runout.holdem import bucket_simd_kernels as simd
from runout.holdem.compact_layouts import BucketBetting, BucketScratch, Terminals
from runout.holdem.spot_layouts import Knowledge
from runout.holdem.street_kernels import (
    EVALUATE,
    HERO_ACTS,
    LEARN,
    RESPOND,
    VILLAIN_ACTS,
    Forest,
    Step,
)
from runout.holdem.table_kernels import Learning, read_rows, write_rows
from runout.jit import kernel

_FLOAT_BYTES = 4


@kernel
def push_buckets(forest: Forest, villain: Learning, step: Step, out_scratch: BucketScratch) -> None:
    """Pushes the opponent's reach down, and adds it to its strategy sums when learning."""
    start, row_bytes = out_scratch.reach.ctypes.data, out_scratch.reach.shape[1] * _FLOAT_BYTES
    for node in range(forest.kind.shape[0]):
        if forest.kind[node] != VILLAIN_ACTS:
            continue
        number, first = int(forest.num_children[node]), int(forest.first_action[node])
        arriving = start + forest.row[node] * row_bytes
        out = start + forest.row[forest.first_child[node]] * row_bytes
        sums = read_rows(
            villain.strategy_sum, villain.sum_scale, first, first + number, out_scratch.rows
        )
        if step.mode != LEARN:
            _play(sums.ctypes.data, arriving, out, row_bytes, number)
            continue
        regrets = read_rows(
            villain.regret, villain.regret_scale, first, first + number, out_scratch.more_rows
        )
        weights, added = regrets.ctypes.data, sums.ctypes.data
        _play_and_add(weights, arriving, out, added, step.strategy, row_bytes, number)
        write_rows(villain.strategy_sum, villain.sum_scale, first, first + number, sums)


@kernel
def pull_buckets(forest: Forest, hero: Learning, step: Step, out_scratch: BucketScratch) -> None:
    """Pulls hero's values up, and adds to its regrets when learning."""
    start, row_bytes = out_scratch.value.ctypes.data, out_scratch.value.shape[1] * _FLOAT_BYTES
    positive, negative = step.positive_regret, step.negative_regret
    for node in range(forest.kind.shape[0] - 1, -1, -1):
        kind = forest.kind[node]
        if kind != HERO_ACTS and kind != VILLAIN_ACTS:
            continue
        number, first = int(forest.num_children[node]), int(forest.first_action[node])
        values = start + forest.first_child[node] * row_bytes
        out = start + node * row_bytes
        if kind == VILLAIN_ACTS:
            _add_up(values, out, row_bytes, number)
        elif step.mode == RESPOND:
            actions.take_best_any(np.int64(values), np.int64(out), row_bytes, number)
        elif step.mode == EVALUATE:
            sums = read_rows(
                hero.strategy_sum, hero.sum_scale, first, first + number, out_scratch.rows
            )
            _mix(sums.ctypes.data, values, out, row_bytes, number)
        else:
            regrets = read_rows(
                hero.regret, hero.regret_scale, first, first + number, out_scratch.rows
            )
            weights = regrets.ctypes.data
            _mix_and_learn(weights, values, out, positive, negative, row_bytes, number)
            write_rows(hero.regret, hero.regret_scale, first, first + number, regrets)


@kernel
def _play(weights: int, arriving: int, out: int, row_bytes: int, number: int) -> None:
    """Divides reach among the actions of a decision; like the rest, by addresses of rows."""
    if number == 2:
        actions.play_2(weights, arriving, out, row_bytes)
    elif number == 3:
        actions.play_3(weights, arriving, out, row_bytes)
    else:
        actions.play_any(weights, arriving, out, row_bytes, number)


@kernel
def _play_and_add(
    weights: int,
    arriving: int,
    out: int,
    sums: int,
    decay: np.float32,
    row_bytes: int,
    number: int,
) -> None:
    if number == 2:
        actions.play_and_add_2(weights, arriving, out, sums, decay, row_bytes)
    elif number == 3:
        actions.play_and_add_3(weights, arriving, out, sums, decay, row_bytes)
    else:
        actions.play_and_add_any(weights, arriving, out, sums, decay, row_bytes, number)


@kernel
def _add_up(values: int, out: int, row_bytes: int, number: int) -> None:
    if number == 2:
        actions.add_up_2(values, out, row_bytes)
    elif number == 3:
        actions.add_up_3(values, out, row_bytes)
    else:
        actions.add_up_any(values, out, row_bytes, number)


@kernel
def _mix(weights: int, values: int, out: int, row_bytes: int, number: int) -> None:
    if number == 2:
        actions.mix_2(weights, values, out, row_bytes)
    elif number == 3:
        actions.mix_3(weights, values, out, row_bytes)
    else:
        actions.mix_any(weights, values, out, row_bytes, number)


@kernel
def _mix_and_learn(
    regrets: int,
    values: int,
    out: int,
    positive: np.float32,
    negative: np.float32,
    row_bytes: int,
    number: int,
) -> None:
    if number == 2:
        actions.mix_and_learn_2(regrets, values, out, positive, negative, row_bytes)
    elif number == 3:
        actions.mix_and_learn_3(regrets, values, out, positive, negative, row_bytes)
    else:
        actions.mix_and_learn_any(regrets, values, out, positive, negative, row_bytes, number)


@kernel
def value_rows(
    terminals: Terminals,
    matrix: Float32Array,
    adds: bool,
    reach: Float32Array,
    out_value: Float32Array,
) -> None:
    """Sets the rows of terminals to payoff times reach times matrix, or adds it."""
    row_bytes = np.int64(matrix.shape[1] * _FLOAT_BYTES)
    table, x = np.int64(matrix.ctypes.data), np.int64(reach.ctypes.data)
    out = np.int64(out_value.ctypes.data)
    rows, nodes = np.int64(terminals.row.ctypes.data), np.int64(terminals.node.ctypes.data)
    payoffs = np.int64(terminals.payoff.ctypes.data)
    for i in range(0, terminals.row.shape[0], simd.PRODUCT_BLOCK):
        offset = i * _FLOAT_BYTES  # of an int32 as well
        row, node, payoff = rows + offset, nodes + offset, payoffs + offset
        if adds:
            simd.multiply_add(table, row_bytes, x, row, out, node, payoff)
        else:
            simd.multiply(table, row_bytes, x, row, out, node, payoff)


@kernel
def play_game(
    river: BucketBetting,
    meets: Float32Array,
    wins: Float32Array,
    knowledge: Knowledge,
    step: Step,
    out_scratch: BucketScratch,
) -> None:
    """Visits one bucket game; the rows of its roots hold the opponent's reach already."""
    reach, value = out_scratch.reach, out_scratch.value
    value_rows(river.roots, meets, False, reach, out_scratch.met)
    push_buckets(river.forest, knowledge.villain, step, out_scratch)
    value_rows(river.folds, meets, False, reach, value)
    value_rows(river.showdowns, wins, False, reach, value)
    value_rows(river.rake, meets, True, reach, value)
    pull_buckets(river.forest, knowledge.hero, step, out_scratch)
