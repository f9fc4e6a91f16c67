"""Sums over pairs of combos against loops."""

import numpy as np

from runout.postflop import pair_kernels

NUM_COMBOS, FIRST, NUM_ROWS = 11, 3, 4


def board(seed=1):
    """Returns weights, strengths with ties, and what some rows win or play for."""
    rng = np.random.default_rng(seed)
    weight = (3.0 * (rng.random(NUM_COMBOS) > 0.3)).astype(np.float32)
    weight[FIRST + 1] = 0.0  # one of the rows is impossible
    ranks = rng.integers(0, 4, NUM_COMBOS).astype(np.float32)
    rows = rng.normal(size=(NUM_ROWS, NUM_COMBOS + 5)).astype(np.float32)  # padded
    return weight, ranks, rows


def sums(dtype, seed=2):
    shape = (NUM_COMBOS, NUM_COMBOS)
    return (100 * np.random.default_rng(seed).random(shape)).astype(dtype)


def test_folds_are_added_where_both_combos_are_possible():
    weight, _, rows = board()
    gain = sums(np.float64)
    expected = gain.copy()
    for i in range(NUM_ROWS):
        for j in range(NUM_COMBOS):
            if weight[FIRST + i] > 0:
                expected[FIRST + i, j] += weight[j] * rows[i, j]
    pair_kernels.add_folds(FIRST, weight, rows, gain)
    np.testing.assert_allclose(gain, expected, rtol=1e-6)


def test_showdowns_add_what_is_won_what_is_played_for_and_who_wins():
    weight, ranks, rows = board()
    gain, stake, outcome = sums(np.float64, 2), sums(np.float64, 3), sums(np.int16, 4)
    expected = [gain.copy(), stake.copy(), outcome.copy()]
    for i in range(NUM_ROWS):
        for j in range(NUM_COMBOS):
            if weight[FIRST + i] > 0:
                sign = np.sign(ranks[FIRST + i] - ranks[j])
                expected[0][FIRST + i, j] += weight[j] * sign * rows[i, j]
                expected[1][FIRST + i, j] += weight[j] * rows[i, j]
                expected[2][FIRST + i, j] += int(weight[j] * sign)
    pair_kernels.add_showdowns(FIRST, weight, ranks, rows, gain, stake, outcome)
    np.testing.assert_allclose(gain, expected[0], rtol=1e-6)
    np.testing.assert_allclose(stake, expected[1], rtol=1e-6)
    np.testing.assert_array_equal(outcome, expected[2])
