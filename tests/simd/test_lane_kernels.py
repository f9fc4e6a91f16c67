"""Every piece on lane rows and bucket rows against plain sums, in both forms."""

from typing import Any, NamedTuple

import numpy as np
import pytest

from runout.simd import lane_kernels, product_kernels
from runout.simd.product_kernels import PRODUCT_BLOCK
from runout.simd.vector_kernels import LANES
from tests.simd.forms import both_forms, in_form

SENTINEL = np.float32(-77.0)
NUM_HANDS, NUM_BUCKETS, WIDTH = 40, 7, 24
every_size = pytest.mark.parametrize("num_buckets", [16, 32, 48, 80, 240])
every_number = pytest.mark.parametrize("number", [1, 7, 8, 9, 16])


class Targets(NamedTuple):
    """Rows of a product: what they are set to, which rows are multiplied, and by how much."""

    node: Any
    row: Any
    scale: Any


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
    targets = Targets(node, row, scale)
    multiply(matrix, x, targets, False, out)
    np.testing.assert_allclose(out, expected, rtol=1e-4, atol=1e-4)
    expected[node] *= 2.0
    multiply(matrix, x, targets, True, out)
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


@both_forms
def test_hands_are_added_up_bucket_by_bucket(form):
    lanes, out, bucket = random_lanes(NUM_HANDS), random_lanes(NUM_BUCKETS, 3), random_buckets()
    order = np.argsort(bucket, kind="stable").astype(np.uint16)
    end = np.cumsum(np.bincount(bucket, minlength=NUM_BUCKETS)).astype(np.uint16)
    expected = np.zeros_like(out)
    np.add.at(expected, bucket, lanes[:-1])
    in_form(lane_kernels.sum_by_bucket, form)(lanes, order, end, out)
    assert_rows(out, expected)
