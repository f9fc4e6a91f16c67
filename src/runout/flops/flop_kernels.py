"""Compiled sums over boards, and bridges between hands and buckets."""

import numpy as np

from runout.arrays import AnyArray, Float32Array, FloatArray, Int16Array, Int32Array
from runout.jit import kernel

# Shape letters: ``C`` combos, ``m`` rows of OOP's combos that are added at once, ``A`` actions of
# one player on a street, ``B`` buckets, ``H`` hands.


@kernel
def add_folds(
    first_row: int, weight: Float32Array, folds: Float32Array, out_gain: FloatArray
) -> None:
    """Adds what rows of combos win by folds on a board, ``[m, .]``, to rows of ``out_gain[C, C]``.

    ``weight[C]`` is how many boards the board stands for, 0 where it makes a combo impossible.
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

    The weight is as in `add_folds`, ``ranks[C]`` are strengths, and ``stakes[m, .]`` is what the
    combos of the rows play for. The sums are what they win, what they play for, and how many boards
    they win more than they lose.
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


@kernel
def expand_buckets(
    by_bucket: FloatArray, bucket_by_hand: Int16Array, out_by_hand: AnyArray
) -> None:
    """Gives every hand what its bucket has: ``[A, B]`` to float32 ``[A, H]``, 0 without one."""
    for action in range(by_bucket.shape[0]):
        source, target = by_bucket[action], out_by_hand[action]
        for hand in range(bucket_by_hand.shape[0]):
            bucket = bucket_by_hand[hand]
            target[hand] = np.float32(source[bucket]) if bucket >= 0 else np.float32(0.0)


@kernel
def collect_buckets(
    by_hand: AnyArray, bucket_by_hand: Int16Array, weight: Float32Array, out_by_bucket: FloatArray
) -> None:
    """Adds float32 ``[A, H]`` of hands, times ``weight[H]``, to their buckets: ``[A, B]``."""
    for action in range(by_hand.shape[0]):
        source, target = by_hand[action], out_by_bucket[action]
        for hand in range(bucket_by_hand.shape[0]):
            bucket = bucket_by_hand[hand]
            if bucket >= 0:
                target[bucket] += np.float64(source[hand] * weight[hand])


@kernel
def match_decisions(
    first_action: Int32Array, num_actions: Int32Array, weights: FloatArray, out_played: FloatArray
) -> None:
    """Makes every decision's actions as likely as the positive part of ``weights[A, B]``.

    Weights are regrets or strategy sums; ``first_action[D]`` is the row of each decision's first
    action.
    """
    for decision in range(first_action.shape[0]):
        first = first_action[decision]
        end = first + num_actions[decision]
        for bucket in range(weights.shape[1]):
            total = 0.0
            for action in range(first, end):
                total += max(weights[action, bucket], 0.0)
            for action in range(first, end):
                played = 1.0 / (end - first)
                if total > 0.0:
                    played = max(weights[action, bucket], 0.0) / total
                out_played[action, bucket] = played


@kernel
def measure_movement(
    first_action: Int32Array,
    num_actions: Int32Array,
    before: FloatArray,
    after: FloatArray,
    reached: FloatArray,
) -> float:
    """Returns how much probabilities ``[A, B]`` have moved.

    That is their absolute change, summed over actions, times the reach of the decision, summed over
    decisions and buckets; ``reached[A, B]`` is how each action was reached.
    """
    moved = 0.0
    for decision in range(first_action.shape[0]):
        first = first_action[decision]
        end = first + num_actions[decision]
        for bucket in range(before.shape[1]):
            arrived, change = 0.0, 0.0
            for action in range(first, end):
                arrived += reached[action, bucket]
                change += abs(after[action, bucket] - before[action, bucket])
            moved += change * arrived
    return moved
