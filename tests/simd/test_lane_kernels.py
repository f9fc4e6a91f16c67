"""Tests of `runout.simd.lane_kernels`."""

import numpy as np
import pytest

from runout.holdem.tables import make_transfer
from runout.jit import kernel
from runout.simd import lane_kernels
from runout.simd import lane_kernels as bucket_simd_kernels
from runout.simd import lane_kernels as lane_simd_kernels
from runout.simd.lane_kernels import PRODUCT_BLOCK
from runout.simd.vector_kernels import LANES, MAX_LISTED

# --------------------------------------------------------------------------------------------------
# Vector instructions of bucket games against plain loops; wrappers turn arrays into addresses.


SENTINEL = np.float32(-77.0)
every_size = pytest.mark.parametrize("num_buckets", [16, 32, 48, 80, 240])


@kernel
def divide(out, numerator, num_bytes):
    bucket_simd_kernels.divide(out.ctypes.data, numerator.ctypes.data, num_bytes)


@kernel
def multiply(matrix, x, row, out, node, scale):
    bucket_simd_kernels.multiply(
        matrix.ctypes.data,
        matrix.shape[1] * 4,
        x.ctypes.data,
        row.ctypes.data,
        out.ctypes.data,
        node.ctypes.data,
        scale.ctypes.data,
    )


@kernel
def multiply_add(matrix, x, row, out, node, scale):
    bucket_simd_kernels.multiply_add(
        matrix.ctypes.data,
        matrix.shape[1] * 4,
        x.ctypes.data,
        row.ctypes.data,
        out.ctypes.data,
        node.ctypes.data,
        scale.ctypes.data,
    )


def rows(number, length, seed=0):
    """Returns rows with one more number than is used, which must stay as it is."""
    found = np.random.default_rng(seed).normal(size=(number, length + 1)).astype(np.float32)
    found[:, -1] = SENTINEL
    return found


def check(found, expected):
    np.testing.assert_allclose(found[:-1], expected[:-1], rtol=1e-5, atol=1e-5)
    assert found[-1] == SENTINEL


@every_size
def test_nothing_is_won_where_nothing_is_met(num_buckets):
    met, won = rows(2, num_buckets)
    met[:-1:3] = 0.0
    met[:-1] = np.abs(met[:-1])
    expected = np.divide(won, met, out=np.zeros_like(met), where=met > 0.0)
    divide(met, won, num_buckets * 4)
    check(met, expected)


@every_size
def test_products_are_products(num_buckets):
    rng = np.random.default_rng(2)
    matrix = rng.normal(size=(num_buckets, num_buckets)).astype(np.float32)
    x = rng.normal(size=(11, num_buckets)).astype(np.float32)
    row = rng.integers(0, 11, PRODUCT_BLOCK).astype(np.int32)
    node = rng.permutation(13)[:PRODUCT_BLOCK].astype(np.int32)
    scale = rng.normal(size=PRODUCT_BLOCK).astype(np.float32)
    out = np.full((13, num_buckets), SENTINEL)
    expected = out.astype(np.float64)
    expected[node] = scale[:, None] * (x[row].astype(np.float64) @ matrix)
    multiply(matrix, x, row, out, node, scale)
    np.testing.assert_allclose(out, expected, rtol=1e-4, atol=1e-4)
    expected[node] *= 2.0
    multiply_add(matrix, x, row, out, node, scale)
    np.testing.assert_allclose(out, expected, rtol=1e-4, atol=1e-4)


WIDTH = 24
every_number = pytest.mark.parametrize("number", [1, 7, 8, 9, 16])


def random_rows(number, seed=0):
    rows = np.random.default_rng(seed).normal(size=(number, WIDTH)).astype(np.float32)
    return rows, np.random.default_rng(seed + 1).permutation(number).astype(np.int32)


@every_number
def test_rows_become_lanes(number):
    rows, order = random_rows(20)
    lanes = np.full((WIDTH, LANES), np.nan, np.float32)
    lane_kernels.rows_to_lanes(order[:number], rows, make_transfer(WIDTH), lanes)
    np.testing.assert_array_equal(lanes[:, :number], rows[order[:number]].T)


@pytest.mark.parametrize("adds", [False, True])
@every_number
def test_lanes_become_rows_and_no_other_row_changes(number, adds):
    before, order = random_rows(20)
    lanes = np.random.default_rng(3).normal(size=(WIDTH, LANES)).astype(np.float32)
    scales = np.linspace(-1.0, 2.0, LANES).astype(np.float32)
    rows, expected = before.copy(), before.copy()
    numbers = order[:number]
    lane_kernels.lanes_to_rows(numbers, scales, adds, lanes, make_transfer(WIDTH), rows)
    expected[numbers] = expected[numbers] * adds + (lanes * scales).T[:number]
    np.testing.assert_allclose(rows, expected, rtol=1e-6, atol=1e-6)


# --------------------------------------------------------------------------------------------------
# Every vector instruction on lane rows against plain sums; wrappers turn arrays into addresses.


NUM_HANDS, NUM_BUCKETS = 40, 7


@kernel
def clear(out_row):
    lane_simd_kernels.clear(np.int64(out_row.ctypes.data), np.int64(4 * LANES))


@kernel
def sum_by_bucket(lanes, order, end, out):
    lane_simd_kernels.sum_by_bucket(
        np.int64(out.ctypes.data),
        np.int64(lanes.ctypes.data),
        np.int64(order.ctypes.data),
        np.int64(end.ctypes.data),
        end.shape[0],
    )


@kernel
def add_listed_by_bucket(lanes, numbers, bucket, share, out):
    lane_simd_kernels.add_listed_by_bucket(
        np.int64(out.ctypes.data),
        np.int64(lanes.ctypes.data),
        np.int64(numbers.ctypes.data),
        np.int64(bucket.ctypes.data),
        share,
    )


@kernel
def add_with_card(lanes, numbers, out):
    lane_simd_kernels.add_with_card(
        np.int64(out.ctypes.data), np.int64(lanes.ctypes.data), np.int64(numbers.ctypes.data)
    )


@kernel
def add_kin(num_kin, bucket, cards, ends, values, blocked, num_cards, out_shares, out_by_card):
    arguments = (
        np.int64(out_shares.ctypes.data),
        np.int64(out_by_card.ctypes.data),
        num_kin,
        np.int64(bucket.ctypes.data),
        np.int64(cards.ctypes.data),
        np.int64(ends.ctypes.data),
        np.int64(values.ctypes.data),
        np.int64(blocked.ctypes.data),
        np.int64(num_cards.ctypes.data),
        bucket[0].nbytes,
        values[0].nbytes,
    )
    if bucket.shape[0] == 4:
        lane_simd_kernels.add_kin_4(*arguments)
    else:
        lane_simd_kernels.add_kin_1(*arguments)


@kernel
def add_met(mass, kin, place, shares, by_card, out):
    lane_simd_kernels.add_met(
        np.int64(out.ctypes.data),
        kin.shape[0],
        np.int64(mass.ctypes.data),
        np.int64(kin.ctypes.data),
        np.int64(place.ctypes.data),
        np.int64(shares.ctypes.data),
        np.int64(by_card.ctypes.data),
    )


@kernel
def subtract_held(mass, numbers, bucket, values, blocked, lanes, same, nothing, out):
    lane_simd_kernels.subtract_held(
        np.int64(out.ctypes.data),
        np.int64(mass.ctypes.data),
        np.int64(numbers.ctypes.data),
        np.int64(bucket.ctypes.data),
        np.int64(values.ctypes.data),
        np.int64(blocked.ctypes.data),
        np.int64(lanes.ctypes.data),
        np.int64(same.ctypes.data),
        np.int64(nothing.ctypes.data),
    )


def random_lanes(number, seed=7):
    """Returns lane rows and one more, which must stay as it is."""
    rows = np.random.default_rng(seed).normal(size=(number + 1, LANES)).astype(np.float32)
    rows[number] = SENTINEL
    return rows


def random_buckets(seed=8):
    bucket = np.random.default_rng(seed).integers(0, NUM_BUCKETS, NUM_HANDS)
    bucket[bucket == 2] = 3  # nobody is in one of them
    return bucket.astype(np.uint8)


def listed(*numbers):
    """Returns a list of hands that ends with -1."""
    found = np.full(MAX_LISTED, -1)
    found[: len(numbers)] = numbers
    return found


def assert_rows(found, expected):
    np.testing.assert_allclose(found[:-1], expected[:-1], rtol=1e-5, atol=1e-5)
    assert (found[-1] == SENTINEL).all()


def test_a_lane_row_is_cleared_and_no_more():
    rows = random_lanes(1)
    clear(rows[0])
    assert_rows(rows, np.zeros_like(rows))


def test_hands_are_added_up_bucket_by_bucket():
    lanes, out, bucket = random_lanes(NUM_HANDS), random_lanes(NUM_BUCKETS, 3), random_buckets()
    order = np.argsort(bucket, kind="stable").astype(np.uint16)
    end = np.cumsum(np.bincount(bucket, minlength=NUM_BUCKETS)).astype(np.uint16)
    expected = np.zeros_like(out)
    np.add.at(expected, bucket, lanes[:-1])
    sum_by_bucket(lanes, order, end, out)
    assert_rows(out, expected)


@pytest.mark.parametrize("numbers", [listed(), listed(3, 11, 3, 39), np.arange(MAX_LISTED) % 40])
def test_listed_hands_are_added_to_their_buckets(numbers):
    lanes, out, bucket = random_lanes(NUM_HANDS), random_lanes(NUM_BUCKETS, 3), random_buckets()
    share, expected = np.float32(-0.3), out.copy()
    for hand in numbers[numbers >= 0]:
        expected[bucket[hand]] += lanes[hand] * share
    add_listed_by_bucket(lanes, numbers, bucket, share, out)
    assert_rows(out, expected)


def test_hands_with_each_card_are_added_to_the_rows_of_the_cards():
    lanes, out = random_lanes(NUM_HANDS), random_lanes(52, 3)
    numbers = np.where(np.arange(52) % 3 == 0, -1, np.arange(52) % NUM_HANDS)
    expected = out.copy()
    for card, hand in enumerate(numbers):
        expected[card] += lanes[hand] if hand >= 0 else 0.0
    add_with_card(lanes, numbers, out)
    assert_rows(out, expected)


def test_what_listed_hands_meet_is_taken_back():
    mass, out, lanes = (random_lanes(NUM_HANDS, seed) for seed in (1, 2, 3))
    values, (blocked, _) = random_lanes(NUM_BUCKETS, 4), random_lanes(1, 5)
    bucket, nothing = random_buckets(), np.zeros(LANES, np.float32)
    same = np.where(np.arange(NUM_HANDS) % 2 == 0, -1, NUM_HANDS - 1 - np.arange(NUM_HANDS))
    numbers, expected = listed(0, 5, 17, 38), out.copy()
    for hand in numbers[:4]:
        theirs = lanes[same[hand]] if same[hand] >= 0 else nothing
        expected[hand] -= values[bucket[hand]] * (mass[hand] - blocked + theirs)
    subtract_held(mass, numbers, bucket, values, blocked, lanes, same, nothing, out)
    assert_rows(out, expected)


@pytest.mark.parametrize("num_games", [1, 4])
def test_kin_win_by_their_number_of_cards_and_by_each_card(num_games):
    rng = np.random.default_rng(9)
    num_kin, ends = 5, np.array([3, 5, 5, 9, 11, 99], np.uint16)  # the last one is not looked at
    cards = rng.integers(0, 52, 11).astype(np.uint8)
    bucket = rng.integers(0, NUM_BUCKETS, (num_games, 8)).astype(np.uint8)
    values = rng.normal(size=(num_games, NUM_BUCKETS, LANES)).astype(np.float32)
    blocked = rng.normal(size=(num_games, 52, LANES)).astype(np.float32)
    num_cards = np.array([3, 1, 4, 2])[:num_games]
    shares, by_card = random_lanes(num_kin, 3), random_lanes(11, 4)
    expected_shares, expected_by_card = shares.copy(), by_card.copy()
    for game in range(num_games):
        first = 0
        for kin in range(num_kin):
            won = values[game, bucket[game, kin]]
            expected_shares[kin] += num_cards[game] * won
            for entry in range(first, ends[kin]):
                expected_by_card[entry] += won * blocked[game, cards[entry]]
            first = ends[kin]
    add_kin(num_kin, bucket, cards, ends, values, blocked, num_cards, shares, by_card)
    assert_rows(shares, expected_shares)
    assert_rows(by_card, expected_by_card)


def test_hands_win_what_their_kin_win_of_what_they_meet():
    rng = np.random.default_rng(10)
    mass, out = random_lanes(NUM_HANDS, 1), random_lanes(NUM_HANDS, 2)
    shares, by_card = random_lanes(6, 3), random_lanes(11, 4)
    kin = rng.integers(0, 6, NUM_HANDS).astype(np.uint16)
    place = rng.integers(0, 11, (NUM_HANDS, 2)).astype(np.uint16)
    expected = out.copy()
    for hand in range(NUM_HANDS):
        low, high = place[hand]
        expected[hand] += mass[hand] * shares[kin[hand]] + by_card[low] + by_card[high]
    add_met(mass, kin, place, shares, by_card, out)
    assert_rows(out, expected)
