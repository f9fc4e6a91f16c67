"""Compiled sums over boards of what combos win from each other.

Shape letters: ``C`` combos, ``m`` rows of OOP's combos that are added at once.
"""

import numpy as np

from runout.arrays import Float32Array, FloatArray, Int16Array
from runout.jit import kernel


@kernel
def add_folds(
    first_row: int, weight: Float32Array, folds: Float32Array, out_gain: FloatArray
) -> None:
    """Adds what is won by folds on a board to some rows of ``out_gain[C, C]``.

    Args:
        first_row: of the rows.
        weight: ``[C]`` how many boards the board stands for, 0 where it makes a combo impossible.
        folds: ``[m, .]`` what the combos of the rows win.
        out_gain: the sums.
    """
    num_combos = weight.shape[0]
    for i in range(folds.shape[0]):
        if weight[first_row + i] > 0.0:
            won, gain = folds[i], out_gain[first_row + i]
            for j in range(num_combos):
                gain[j] += weight[j] * won[j]


@kernel
def add_showdowns(
    first_row: int,
    weight: Float32Array,
    ranks: Float32Array,
    stakes: Float32Array,
    out_gain: FloatArray,
    out_stake: FloatArray,
    out_outcome: Int16Array,
) -> None:
    """Adds what is won at showdowns on a board to some rows of sums ``[C, C]``.

    Args:
        first_row: of the rows.
        weight: ``[C]`` as in `add_folds`.
        ranks: ``[C]`` strengths, larger is better.
        stakes: ``[m, .]`` what the combos of the rows play for.
        out_gain: what they win.
        out_stake: what they play for.
        out_outcome: how many boards they win more than they lose.
    """
    num_combos = weight.shape[0]
    outcome = np.empty(num_combos, np.float32)
    for i in range(stakes.shape[0]):
        row = first_row + i
        if weight[row] == 0.0:
            continue
        rank, stake = ranks[row], stakes[i]
        # One pass for each sum: the fewer arrays a loop has, the wider its instructions.
        for j in range(num_combos):
            sign = np.float32(rank > ranks[j]) - np.float32(rank < ranks[j])
            outcome[j] = sign * weight[j]
        gain, played_for, num_won = out_gain[row], out_stake[row], out_outcome[row]
        for j in range(num_combos):
            gain[j] += outcome[j] * stake[j]
        for j in range(num_combos):
            played_for[j] += weight[j] * stake[j]
        for j in range(num_combos):
            num_won[j] += np.int16(outcome[j])
