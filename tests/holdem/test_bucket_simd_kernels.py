"""Vector instructions of bucket games against plain loops; wrappers turn arrays into addresses."""

import numpy as np
import pytest

from runout.holdem import bucket_simd_kernels
from runout.holdem.bucket_simd_kernels import LANE_BLOCK, PRODUCT_BLOCK
from runout.jit import kernel

SENTINEL = np.float32(-77.0)
#: One block; whole vectors and a rest; several vectors.
every_length = pytest.mark.parametrize("num_lanes", [8, 24, 40, 64])
every_size = pytest.mark.parametrize("num_buckets", [16, 32, 48, 80, 240])


@kernel
def add(out, row, num_bytes):
    bucket_simd_kernels.add(out.ctypes.data, row.ctypes.data, num_bytes)


@kernel
def add_scaled(out, row, scale, num_bytes):
    bucket_simd_kernels.add_scaled(out.ctypes.data, row.ctypes.data, scale, num_bytes)


@kernel
def set_unblocked(out, total, first, second, num_bytes):
    bucket_simd_kernels.set_unblocked(
        out.ctypes.data, total.ctypes.data, first.ctypes.data, second.ctypes.data, num_bytes
    )


@kernel
def add_met(out, rows, times, num_bytes):
    value, mass, first, second = rows[0], rows[1], rows[2], rows[3]
    bucket_simd_kernels.add_met(
        out.ctypes.data,
        value.ctypes.data,
        mass.ctypes.data,
        first.ctypes.data,
        second.ctypes.data,
        times,
        num_bytes,
    )


@kernel
def subtract_met(out, rows, num_bytes):
    value, mass, blocked, same = rows[0], rows[1], rows[2], rows[3]
    bucket_simd_kernels.subtract_met(
        out.ctypes.data,
        value.ctypes.data,
        mass.ctypes.data,
        blocked.ctypes.data,
        same.ctypes.data,
        num_bytes,
    )


@kernel
def add_hand(total, first, second, row, num_bytes):
    bucket_simd_kernels.add_hand(
        total.ctypes.data, first.ctypes.data, second.ctypes.data, row.ctypes.data, num_bytes
    )


@kernel
def rows_to_lanes(rows, addresses, offset, out, scale):
    for i in range(rows.shape[0]):
        addresses[i] = rows[i].ctypes.data
    bucket_simd_kernels.rows_to_lanes(
        addresses.ctypes.data, offset, out.ctypes.data, out.shape[1] * 4, scale
    )


@kernel
def lanes_to_rows(lanes, addresses, offset, out):
    for i in range(out.shape[0]):
        addresses[i] = out[i].ctypes.data
    bucket_simd_kernels.lanes_to_rows(
        lanes.ctypes.data, lanes.shape[1] * 4, addresses.ctypes.data, offset
    )


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


@every_length
def test_lane_rows_are_added(num_lanes):
    out, row = rows(2, num_lanes)
    once, scaled = out + row, out + row * np.float32(0.3)
    found = out.copy()
    add(found, row, num_lanes * 4)
    check(found, once)
    add_scaled(out, row, np.float32(0.3), num_lanes * 4)
    check(out, scaled)


@every_length
def test_a_hand_is_added_to_three_rows(num_lanes):
    total, first, second, row = rows(4, num_lanes)
    expected = [part + row for part in (total, first, second)]
    add_hand(total, first, second, row, num_lanes * 4)
    for found, wanted in zip((total, first, second), expected, strict=True):
        check(found, wanted)


@every_length
def test_what_is_not_blocked_is_the_rest(num_lanes):
    out, total, first, second = rows(4, num_lanes)
    set_unblocked(out, total, first, second, num_lanes * 4)
    check(out, total - first - second)


@every_length
def test_what_a_hand_meets_is_added_and_taken_back(num_lanes):
    out, *others = rows(5, num_lanes)
    value, mass, first, second = others
    found = out.copy()
    add_met(found, np.array(others), np.float32(3.0), num_lanes * 4)
    check(found, out + value * (np.float32(3.0) * mass + first + second))
    found = out.copy()
    subtract_met(found, np.array(others), num_lanes * 4)
    check(found, out - value * (mass - first + second))


def test_blocks_are_transposed_both_ways():
    source = rows(LANE_BLOCK, 20, seed=1)
    lanes = np.full((LANE_BLOCK, 24), SENTINEL)
    addresses = np.zeros(LANE_BLOCK, np.int64)
    rows_to_lanes(source, addresses, 3 * 4, lanes, np.float32(0.5))
    np.testing.assert_array_equal(lanes[:, :LANE_BLOCK], source[:, 3:11].T * np.float32(0.5))
    np.testing.assert_array_equal(lanes[:, LANE_BLOCK:], SENTINEL)
    back = np.full_like(source, SENTINEL)
    lanes_to_rows(lanes, addresses, 5 * 4, back)
    np.testing.assert_array_equal(back[:, 5:13], source[:, 3:11] * np.float32(0.5))
    np.testing.assert_array_equal(back[:, 13:], SENTINEL)


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
