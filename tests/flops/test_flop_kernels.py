"""Tests of `runout.flops.flop_kernels`."""

import numpy as np
import pytest

from runout.flops import flop_kernels as bucket_kernels
from runout.flops import flop_kernels as pair_kernels
from tests.reference import buckets as twin

FIRST = np.array([0, 2, 5], dtype=np.int32)
COUNT = np.array([2, 3, 1], dtype=np.int32)
NUM_ACTIONS, NUM_BUCKETS, NUM_HANDS = 6, 4, 9


def random_buckets(seed):
    """Buckets of hands, some of which have none."""
    drawn = np.random.default_rng(seed).integers(-1, NUM_BUCKETS, NUM_HANDS)
    return drawn.astype(np.int16)


@pytest.mark.parametrize("seed", range(3))
def test_hands_get_what_their_bucket_has(seed):
    by_bucket = np.random.default_rng(seed).normal(size=(NUM_ACTIONS, NUM_BUCKETS))
    found = np.full((NUM_ACTIONS, NUM_HANDS), 9.0, dtype=np.float32)
    bucket_kernels.expand_buckets(by_bucket, random_buckets(seed), found)
    expected = twin.expand_buckets(by_bucket, random_buckets(seed))
    np.testing.assert_array_equal(found, expected.astype(np.float32))


@pytest.mark.parametrize("seed", range(3))
def test_buckets_get_the_weighted_sums_of_their_hands(seed):
    random = np.random.default_rng(seed)
    by_hand = random.normal(size=(NUM_ACTIONS, NUM_HANDS)).astype(np.float32)
    weight = random.random(NUM_HANDS).astype(np.float32)
    found = np.ones((NUM_ACTIONS, NUM_BUCKETS))  # added to, not replaced
    bucket_kernels.collect_buckets(by_hand, random_buckets(seed), weight, found)
    expected = 1.0 + twin.collect_buckets(by_hand, random_buckets(seed), weight, NUM_BUCKETS)
    np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_actions_are_as_likely_as_their_positive_weights(seed):
    weights = np.random.default_rng(seed).normal(size=(NUM_ACTIONS, NUM_BUCKETS))
    weights[:, 0] = -1.0  # nothing to choose by
    played = np.empty_like(weights)
    bucket_kernels.match_decisions(FIRST, COUNT, weights, played)
    np.testing.assert_allclose(played, twin.match_decisions(FIRST, COUNT, weights), rtol=1e-15)
    np.testing.assert_allclose(played[:2, 0], 0.5)
    np.testing.assert_allclose(played[2:5, 0], 1.0 / 3.0)


def follow(first, count, sums, reached, average):
    """Brings an average up to date, and returns how much it has moved."""
    before = average.copy()
    bucket_kernels.match_decisions(first, count, sums, average)
    return bucket_kernels.measure_movement(first, count, before, average, reached)


@pytest.mark.parametrize("seed", range(3))
def test_the_average_is_followed_and_its_movement_counted(seed):
    random = np.random.default_rng(seed)
    before, sums = (random.random((NUM_ACTIONS, NUM_BUCKETS)) for _ in range(2))
    before = twin.match_decisions(FIRST, COUNT, before)
    sums[:, 1] = 0.0  # never reached
    reached = random.random((NUM_ACTIONS, NUM_BUCKETS))
    average = before.copy()
    moved = follow(FIRST, COUNT, sums, reached, average)
    after = twin.match_decisions(FIRST, COUNT, sums)
    np.testing.assert_allclose(average, after, rtol=1e-15)
    assert moved == pytest.approx(twin.movement(FIRST, COUNT, before, after, reached))


def test_an_average_that_stays_the_same_has_not_moved():
    """Identical strategies have no delta, whatever the scale of the sums."""
    sums = np.array([[3.0], [1.0], [0.0]])
    first, count = np.array([0], dtype=np.int32), np.array([3], dtype=np.int32)
    average = np.zeros((3, 1))
    follow(first, count, sums, np.ones((3, 1)), average)
    moved = follow(first, count, 2.0 * sums, np.ones((3, 1)), average)
    assert moved == 0.0


def test_a_changed_average_has_moved_by_all_its_probabilities():
    """From (3/4, 1/4, 0) to (1/2, 1/2, 0), with a reach of 1."""
    first, count = np.array([0], dtype=np.int32), np.array([3], dtype=np.int32)
    average = np.array([[0.75], [0.25], [0.0]])
    sums, reached = np.array([[1.0], [1.0], [0.0]]), np.array([[0.5], [0.5], [0.0]])
    moved = follow(first, count, sums, reached, average)
    assert moved == pytest.approx(0.25 + 0.25)
    np.testing.assert_array_equal(average[:, 0], [0.5, 0.5, 0.0])


# --------------------------------------------------------------------------------------------------
# Sums over pairs of combos against loops.


NUM_COMBOS, FIRST_TEST_PAIR_KERNELS, NUM_ROWS = 11, 3, 4


def board(seed=1):
    """Returns weights, strengths with ties, and what some rows win or play for."""
    rng = np.random.default_rng(seed)
    weight = (3.0 * (rng.random(NUM_COMBOS) > 0.3)).astype(np.float32)
    weight[FIRST_TEST_PAIR_KERNELS + 1] = 0.0  # one of the rows is impossible
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
            if weight[FIRST_TEST_PAIR_KERNELS + i] > 0:
                expected[FIRST_TEST_PAIR_KERNELS + i, j] += weight[j] * rows[i, j]
    pair_kernels.add_folds(FIRST_TEST_PAIR_KERNELS, weight, rows, gain)
    np.testing.assert_allclose(gain, expected, rtol=1e-6)


def test_showdowns_add_what_is_won_what_is_played_for_and_who_wins():
    weight, ranks, rows = board()
    gain, stake, outcome = sums(np.float64, 2), sums(np.float64, 3), sums(np.int16, 4)
    expected = [gain.copy(), stake.copy(), outcome.copy()]
    for i in range(NUM_ROWS):
        for j in range(NUM_COMBOS):
            if weight[FIRST_TEST_PAIR_KERNELS + i] > 0:
                sign = np.sign(ranks[FIRST_TEST_PAIR_KERNELS + i] - ranks[j])
                expected[0][FIRST_TEST_PAIR_KERNELS + i, j] += weight[j] * sign * rows[i, j]
                expected[1][FIRST_TEST_PAIR_KERNELS + i, j] += weight[j] * rows[i, j]
                expected[2][FIRST_TEST_PAIR_KERNELS + i, j] += int(weight[j] * sign)
    pair_kernels.add_showdowns(FIRST_TEST_PAIR_KERNELS, weight, ranks, rows, gain, stake, outcome)
    np.testing.assert_allclose(gain, expected[0], rtol=1e-6)
    np.testing.assert_allclose(stake, expected[1], rtol=1e-6)
    np.testing.assert_array_equal(outcome, expected[2])
