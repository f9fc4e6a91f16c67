"""Compiled visit of one bucket game: the river with buckets in the place of hands.

The same three passes as on any street (`street_kernels`): the opponent's reach down, terminals,
hero's values up. A terminal is one product of a row of reach with the matrix of who meets whom.
"""

import numpy as np

from runout.arrays import Float32Array
from runout.holdem import bucket_simd_kernels as simd
from runout.holdem import street_kernels
from runout.holdem.compact_layouts import BucketBetting, BucketScratch, Terminals
from runout.holdem.spot_layouts import Knowledge
from runout.holdem.street_kernels import Step
from runout.jit import kernel

_FLOAT_BYTES = 4


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
    street_kernels.push_reach(river.forest, 0, knowledge.villain, step, out_scratch)
    value_rows(river.folds, meets, False, reach, value)
    value_rows(river.showdowns, wins, False, reach, value)
    value_rows(river.rake, meets, True, reach, value)
    street_kernels.pull_values(river.forest, 0, knowledge.hero, step, out_scratch)
