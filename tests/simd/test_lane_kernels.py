"""Every piece on lane rows and bucket rows against plain sums, in both forms."""

import numpy as np
import pytest

from runout.simd import lane_kernels, product_kernels
from runout.simd.lane_kernels import Marked, Ranked
from runout.simd.product_kernels import PRODUCT_BLOCK
from runout.simd.vector_kernels import LANES
from tests.simd.forms import both_forms, in_form

SENTINEL = np.float32(-77.0)
NUM_HANDS, NUM_BUCKETS, WIDTH = 40, 7, 24
every_size = pytest.mark.parametrize("num_buckets", [16, 32, 48, 80, 240])
every_number = pytest.mark.parametrize("number", [1, 7, 8, 9, 16])


@both_forms
@every_size
def test_products_are_products(num_buckets, form):
    rng = np.random.default_rng(2)
    matrix = rng.normal(size=(num_buckets, num_buckets)).astype(np.float32)
    x = rng.normal(size=(11, num_buckets)).astype(np.float32)
    row = rng.integers(0, 11, 2 * PRODUCT_BLOCK).astype(np.int32)
    node = rng.permutation(19)[: 2 * PRODUCT_BLOCK].astype(np.int32)
    scale = rng.normal(size=2 * PRODUCT_BLOCK).astype(np.float32)
    out = np.full((19, num_buckets), SENTINEL)
    expected = out.astype(np.float64)
    expected[node] = scale[:, None] * (x[row].astype(np.float64) @ matrix)
    multiply = in_form(product_kernels.multiply_buckets, form)
    multiply(matrix, x, row, node, scale, False, out)
    np.testing.assert_allclose(out, expected, rtol=1e-4, atol=1e-4)
    expected[node] *= 2.0
    multiply(matrix, x, row, node, scale, True, out)
    np.testing.assert_allclose(out, expected, rtol=1e-4, atol=1e-4)


def random_rows(number, seed=0):
    rows = np.random.default_rng(seed).normal(size=(number, WIDTH)).astype(np.float32)
    return rows, np.random.default_rng(seed + 1).permutation(number).astype(np.int32)


@both_forms
@every_number
def test_rows_become_lanes_and_no_more_than_lanes(number, form):
    rows, order = random_rows(20)
    lanes = np.full((WIDTH + 1, LANES), SENTINEL)
    in_form(lane_kernels.rows_to_lanes, form)(order[:number], rows, lanes[:WIDTH])
    np.testing.assert_array_equal(lanes[:WIDTH, :number], rows[order[:number]].T)
    np.testing.assert_array_equal(lanes[WIDTH], SENTINEL)


@both_forms
@pytest.mark.parametrize("adds", [False, True])
@every_number
def test_lanes_become_rows_and_no_other_row_changes(number, adds, form):
    before, order = random_rows(20)
    lanes = np.random.default_rng(3).normal(size=(WIDTH, LANES)).astype(np.float32)
    scales = np.linspace(-1.0, 2.0, LANES).astype(np.float32)
    rows, expected, numbers = before.copy(), before.copy(), order[:number]
    in_form(lane_kernels.lanes_to_rows, form)(numbers, scales, adds, lanes, rows)
    expected[numbers] = expected[numbers] * adds + (lanes * scales).T[:number]
    np.testing.assert_allclose(rows, expected, rtol=1e-6, atol=1e-6)


@both_forms
def test_there_and_back_nothing_changes(form):
    rows, order = random_rows(LANES)
    lanes, back = np.zeros((WIDTH, LANES), np.float32), np.zeros_like(rows)
    in_form(lane_kernels.rows_to_lanes, form)(order, rows, lanes)
    ones = np.ones(LANES, np.float32)
    in_form(lane_kernels.lanes_to_rows, form)(order, ones, False, lanes, back)
    np.testing.assert_array_equal(back, rows)


def random_lanes(number, seed=7):
    """Returns lane rows and one more, which must stay as it is."""
    rows = np.random.default_rng(seed).normal(size=(number + 1, LANES)).astype(np.float32)
    rows[number] = SENTINEL
    return rows


def random_buckets(seed=8):
    bucket = np.random.default_rng(seed).integers(0, NUM_BUCKETS, NUM_HANDS)
    bucket[bucket == 2] = 3  # nobody is in one of them
    return bucket.astype(np.uint8)


def assert_rows(found, expected):
    np.testing.assert_allclose(found[:-1], expected[:-1], rtol=1e-5, atol=1e-5)
    assert (found[-1] == SENTINEL).all()


def marked_hands(number, seed):
    """Returns some hands of two marks out of ten, and of some the other side's twin."""
    rng = np.random.default_rng(seed)
    pairs = np.array([(low, high) for high in range(10) for low in range(high)])
    marks, order = pairs[:number], rng.permutation(number)[: number - 5].astype(np.int16)
    return Marked(order, marks)


@both_forms
def test_rows_that_share_no_mark_are_added_up(form):
    theirs, own = marked_hands(30, 1), marked_hands(25, 2)
    same = np.where(np.isin(np.arange(25), theirs.order), np.arange(25), -1)
    lanes, value, by_mark = np.abs(random_lanes(30)), random_lanes(25, 3), random_lanes(10, 4)
    untouched = np.setdiff1d(np.arange(25), own.order)
    expected = value.astype(np.float64)
    for hand in own.order:
        apart = [o for o in theirs.order if not set(theirs.marks[o]) & set(own.marks[hand])]
        expected[hand] = lanes[apart].astype(np.float64).sum(axis=0)
    piece = in_form(lane_kernels.sum_disjoint, form)
    piece(lanes, theirs, own, same, by_mark[:10], value)
    np.testing.assert_allclose(value[own.order], expected[own.order], rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(value[untouched], expected[untouched].astype(np.float32))
    assert (value[-1] == SENTINEL).all()
    assert (by_mark[-1] == SENTINEL).all()


@both_forms
@pytest.mark.parametrize("finds_met", [False, True])
def test_rows_are_compared_by_running_sums(finds_met, form):
    lanes, running = np.abs(random_lanes(3)), np.zeros((20, LANES), np.float32)
    value, met = random_lanes(3, 1), random_lanes(3, 2)
    untouched = met.copy()
    # Three rows with marks (0, 1), (0, 2), (1, 2): sums of all in 0-3, of each mark from 4, 8, 12.
    places = np.array([[5, 9], [6, 13], [10, 14]], np.int16)
    order = np.array([0, 1, 2], np.int16)
    sums = np.array([[0, 1, 4, 5, 8, 9, 6, 10], [1, 2, 5, 6, 12, 13, 6, 14]], np.int16)
    own = Ranked(np.array([2, 0], np.int16), sums, np.array([1, 0, -1]))
    piece = in_form(lane_kernels.compare_disjoint, form)
    piece(lanes, order, places, own, finds_met, running, value, met)
    # The first meets row 2 of theirs only by what is left after its marks; so does the second.
    for hand, (below, upto, low, low_upto, high, high_upto, all_low, all_high) in zip(
        own.order, sums, strict=True
    ):
        without = running[3] - running[all_low] - running[all_high]
        expected = (running[below] - running[low] - running[high]) + (
            running[upto] - running[low_upto] - running[high_upto]
        )
        np.testing.assert_array_equal(value[hand], expected - without)
        twin = lanes[own.same[hand]] if own.same[hand] >= 0 else np.float32(0.0)
        np.testing.assert_array_equal(met[hand], without + twin if finds_met else untouched[hand])
    np.testing.assert_allclose(running[3], lanes[:3].sum(axis=0), rtol=1e-6)
    np.testing.assert_allclose(running[6], lanes[0] + lanes[1], rtol=1e-6)
    np.testing.assert_allclose(running[14], lanes[1] + lanes[2], rtol=1e-6)
    np.testing.assert_array_equal(value[1], random_lanes(3, 1)[1])
    assert (value[-1] == SENTINEL).all()


@both_forms
def test_long_sums_are_in_double_precision_and_rounded_once(form):
    """In float32 the ones would vanish beside 2**25."""
    lanes, running = np.ones((20, LANES), np.float32), np.zeros((63, LANES), np.float32)
    lanes[0], lanes[-1] = 2.0**25, -(2.0**25)
    lanes[1:-1] *= np.linspace(0.1, 1.0, LANES, dtype=np.float32)
    order = np.arange(20, dtype=np.int16)
    places = np.stack([order + 22, order + 43], axis=1)
    nobody = Ranked(order[:0], np.zeros((0, 8), np.int16), np.zeros(0, np.int64))
    nothing = np.zeros((0, LANES), np.float32)
    piece = in_form(lane_kernels.compare_disjoint, form)
    piece(lanes, order, places, nobody, False, running, nothing, nothing)
    expected = lanes.astype(np.float64).sum(axis=0)
    np.testing.assert_allclose(running[20], expected, rtol=1e-7)


@both_forms
def test_hands_are_added_up_bucket_by_bucket(form):
    lanes, out, bucket = random_lanes(NUM_HANDS), random_lanes(NUM_BUCKETS, 3), random_buckets()
    order = np.argsort(bucket, kind="stable").astype(np.uint16)
    end = np.cumsum(np.bincount(bucket, minlength=NUM_BUCKETS)).astype(np.uint16)
    expected = np.zeros_like(out)
    np.add.at(expected, bucket, lanes[:-1])
    in_form(lane_kernels.sum_by_bucket, form)(lanes, order, end, out)
    assert_rows(out, expected)


@both_forms
@pytest.mark.parametrize("num_games", [1, 3, 4])
def test_groups_win_by_their_number_of_cards_and_by_each_card(num_games, form):
    rng = np.random.default_rng(9)
    ends = np.array([3, 5, 5, 9, 11], np.uint16)
    cards = rng.integers(0, 52, 11).astype(np.uint8)
    bucket = rng.integers(0, NUM_BUCKETS, (num_games, 8)).astype(np.uint8)
    values = rng.normal(size=(num_games, NUM_BUCKETS, LANES)).astype(np.float32)
    blocked = rng.normal(size=(num_games, 52, LANES)).astype(np.float32)
    num_cards = np.array([3, 1, 4, 2])[:num_games]
    shares, by_card = random_lanes(len(ends), 3), random_lanes(11, 4)
    expected_shares, expected_by_card = shares.copy(), by_card.copy()
    for game in range(num_games):
        first = 0
        for group, end in enumerate(ends):
            won = values[game, bucket[game, group]]
            expected_shares[group] += num_cards[game] * won
            for entry in range(first, end):
                expected_by_card[entry] += won * blocked[game, cards[entry]]
            first = end
    piece = in_form(lane_kernels.add_games, form)
    piece(bucket, cards, ends, values, blocked, num_cards, shares, by_card)
    assert_rows(shares, expected_shares)
    assert_rows(by_card, expected_by_card)


@both_forms
def test_chosen_rows_are_added_to_the_next_row(form):
    lanes, out = random_lanes(NUM_HANDS), random_lanes(52, 3)
    numbers = np.where(np.arange(52) % 3 == 0, -1, np.arange(52) % NUM_HANDS)
    expected = out.copy()
    for card, hand in enumerate(numbers):
        expected[card] += lanes[hand] if hand >= 0 else 0.0
    in_form(lane_kernels.add_chosen, form)(lanes, numbers, out)
    assert_rows(out, expected)


@both_forms
def test_what_listed_hands_meet_is_taken_back(form):
    mass, out, lanes = (random_lanes(NUM_HANDS, seed) for seed in (1, 2, 3))
    values, (blocked, _) = random_lanes(NUM_BUCKETS, 4), random_lanes(1, 5)
    bucket, nothing = random_buckets(), np.zeros(LANES, np.float32)
    same = np.where(np.arange(NUM_HANDS) % 2 == 0, -1, NUM_HANDS - 1 - np.arange(NUM_HANDS))
    numbers, expected = np.array([0, 5, 17, 38, -1, -1]), out.copy()
    for hand in numbers[:4]:
        theirs = lanes[same[hand]] if same[hand] >= 0 else nothing
        expected[hand] -= values[bucket[hand]] * (mass[hand] - blocked + theirs)
    subtract = in_form(lane_kernels.subtract_held, form)
    subtract(mass, numbers, bucket, values, blocked[None], lanes, same, out)
    assert_rows(out, expected)


@both_forms
def test_listed_hands_are_added_to_their_buckets(form):
    rng = np.random.default_rng(21)
    lanes = rng.random((NUM_HANDS, LANES)).astype(np.float32)
    buckets = rng.integers(0, NUM_BUCKETS, NUM_HANDS).astype(np.uint8)
    numbers = np.array([3, 17, 39, 4, -1, -1])
    out = np.ones((NUM_BUCKETS, LANES), np.float32)
    expected = out.astype(np.float64)
    for hand in numbers[:4]:
        expected[buckets[hand]] += lanes[hand] * -0.25
    add = in_form(lane_kernels.add_by_bucket, form)
    add(lanes, numbers, buckets, np.float32(-0.25), out)
    np.testing.assert_allclose(out, expected, rtol=1e-6)


@both_forms
def test_hands_get_their_groups_share_of_what_they_meet_and_what_their_cards_win(form):
    rng = np.random.default_rng(22)
    mass, out = rng.normal(size=(2, NUM_HANDS, LANES)).astype(np.float32)
    shares, by_card = rng.normal(size=(2, NUM_BUCKETS, LANES)).astype(np.float32)
    groups = rng.integers(0, NUM_BUCKETS, NUM_HANDS).astype(np.uint16)
    places = rng.integers(0, NUM_BUCKETS, (NUM_HANDS, 2)).astype(np.uint16)
    expected = out + shares[groups].astype(np.float64) * mass + by_card[places].sum(axis=1)
    in_form(lane_kernels.add_met, form)(mass, groups, places, shares, by_card, out)
    np.testing.assert_allclose(out, expected, rtol=1e-5, atol=1e-5)
