"""Every vector instruction against plain loops; the wrappers turn arrays into addresses."""

import platform

import numba
import numpy as np
import pytest

from runout.jit import kernel
from runout.simd import vector_kernels as simd_kernels
from runout.simd.vector_kernels import LANES, ROW_BLOCK

SENTINEL = np.float32(-77.0)
FLUSH_DENORMALS, ROUND_TO_NEAREST = np.uint32(0x9FC0), np.uint32(0x1F80)


@kernel
def address_of(array):
    return np.int64(array.ctypes.data)


@kernel
def add_and_subtract(x, y, out_sum, out_difference):
    a, b = simd_kernels.load(x.ctypes.data), simd_kernels.load(y.ctypes.data)
    simd_kernels.store(simd_kernels.add(a, b), np.int64(out_sum.ctypes.data))
    simd_kernels.store(simd_kernels.subtract(a, b), np.int64(out_difference.ctypes.data))


@kernel
def add_up(rows, out):
    total = simd_kernels.no_sum()
    for i in range(rows.shape[0]):
        total = simd_kernels.add_to_sum(total, simd_kernels.load(rows[i].ctypes.data))
    simd_kernels.store(simd_kernels.rounded(total), np.int64(out.ctypes.data))


@kernel
def rows_to_lanes(addresses, first_hand, half, out_lanes):
    simd_kernels.rows_to_lanes(
        np.int64(addresses.ctypes.data),
        np.int64(4 * first_hand),
        np.int64(out_lanes.ctypes.data) + 4 * half,
    )


@kernel
def lanes_to_rows(lanes, half, scales, first_hand, out_addresses):
    simd_kernels.lanes_to_rows(
        np.int64(lanes.ctypes.data) + 4 * half,
        np.int64(out_addresses.ctypes.data),
        np.int64(4 * first_hand),
        np.int64(scales.ctypes.data),
    )


@kernel
def add_lanes_to_rows(lanes, half, scales, first_hand, out_addresses):
    simd_kernels.add_lanes_to_rows(
        np.int64(lanes.ctypes.data) + 4 * half,
        np.int64(out_addresses.ctypes.data),
        np.int64(4 * first_hand),
        np.int64(scales.ctypes.data),
    )


@kernel
def set_float_mode(mode):
    return simd_kernels.set_float_mode(mode)


@kernel
def multiply(left, right, out_product):
    for i in range(left.shape[0]):
        out_product[i] = left[i] * right[i]


def between_sentinels(row):
    """Returns an array with a row in its middle, and the view of the row."""
    padded = np.full(len(row) + 2 * LANES, SENTINEL, row.dtype)
    padded[LANES:-LANES] = row
    return padded, padded[LANES:-LANES]


def assert_sentinels(padded):
    np.testing.assert_array_equal(padded[:LANES], SENTINEL)
    np.testing.assert_array_equal(padded[-LANES:], SENTINEL)


def test_rows_are_added_and_subtracted_and_their_neighbours_are_not_touched():
    x, y = np.random.default_rng(0).normal(size=(2, LANES)).astype(np.float32)
    padded, outs = zip(
        *(between_sentinels(np.zeros(LANES, np.float32)) for _ in range(2)), strict=True
    )
    add_and_subtract(x, y, *outs)
    np.testing.assert_array_equal(outs[0], x + y)
    np.testing.assert_array_equal(outs[1], x - y)
    for whole in padded:
        assert_sentinels(whole)


def test_long_sums_are_in_double_precision_and_rounded_once():
    """In float32 the ones would vanish beside 2**25."""
    rows = np.ones((20, LANES), np.float32)
    rows[0], rows[-1] = 2.0**25, -(2.0**25)
    rows[1:-1] *= np.linspace(0.1, 1.0, LANES, dtype=np.float32)
    padded, out = between_sentinels(np.zeros(LANES, np.float32))
    add_up(rows, out)
    expected = rows.astype(np.float64).sum(axis=0)
    np.testing.assert_allclose(out, expected, rtol=1e-7)
    assert_sentinels(padded)


def row_addresses(rows, order):
    return np.array([address_of(rows[i]) for i in order], dtype=np.int64)


@pytest.mark.parametrize("half", [0, ROW_BLOCK])
@pytest.mark.parametrize("first_hand", [0, 8, 16])
def test_eight_rows_become_half_lane_rows(first_hand, half):
    rng = np.random.default_rng(6)
    rows = rng.normal(size=(12, 24)).astype(np.float32)
    order = rng.permutation(12)[:ROW_BLOCK]
    lanes = np.full((ROW_BLOCK + 1, LANES), SENTINEL, np.float32)
    rows_to_lanes(row_addresses(rows, order), first_hand, half, lanes)
    expected = np.full_like(lanes, SENTINEL)
    for hand in range(ROW_BLOCK):
        for lane in range(ROW_BLOCK):
            expected[hand, half + lane] = rows[order[lane], first_hand + hand]
    np.testing.assert_array_equal(lanes, expected)


@pytest.mark.parametrize("half", [0, ROW_BLOCK])
@pytest.mark.parametrize("first_hand", [0, 8, 16])
@pytest.mark.parametrize("adds", [False, True])
def test_half_lane_rows_become_eight_rows_times_their_scales(adds, first_hand, half):
    rng = np.random.default_rng(7)
    lanes = rng.normal(size=(ROW_BLOCK, LANES)).astype(np.float32)
    scales = rng.normal(size=ROW_BLOCK).astype(np.float32)
    rows = rng.normal(size=(12, 24)).astype(np.float32)
    order = rng.permutation(12)[:ROW_BLOCK]
    expected = rows.copy()
    for lane in range(ROW_BLOCK):
        for hand in range(ROW_BLOCK):
            old = rows[order[lane], first_hand + hand] if adds else np.float32(0.0)
            scaled = lanes[hand, half + lane] * scales[lane]
            expected[order[lane], first_hand + hand] = old + scaled
    write = add_lanes_to_rows if adds else lanes_to_rows
    write(lanes, half, scales, first_hand, row_addresses(rows, order))
    # A multiplication and an addition may be fused, which rounds once instead of twice.
    np.testing.assert_allclose(rows, expected, rtol=1e-6, atol=1e-6 if adds else 0.0)


def test_there_and_back_nothing_changes():
    rows = np.random.default_rng(8).normal(size=(ROW_BLOCK, ROW_BLOCK)).astype(np.float32)
    lanes, back = np.zeros((ROW_BLOCK, LANES), np.float32), np.zeros_like(rows)
    rows_to_lanes(row_addresses(rows, range(ROW_BLOCK)), 0, 0, lanes)
    ones = np.ones(ROW_BLOCK, np.float32)
    lanes_to_rows(lanes, 0, ones, 0, row_addresses(back, range(ROW_BLOCK)))
    np.testing.assert_array_equal(back, rows)


@pytest.mark.skipif(platform.machine().lower() not in {"x86_64", "amd64"}, reason="x86 only")
def test_the_float_mode_flushes_denormals_until_it_is_set_back():
    small, product = np.full(LANES, 1e-20, np.float32), np.zeros(LANES, np.float32)
    multiply(small, small, product)
    assert (product > 0.0).all()
    before = set_float_mode(FLUSH_DENORMALS)
    try:
        multiply(small, small, product)
    finally:
        flushing = set_float_mode(np.uint32(before))
    np.testing.assert_array_equal(product, 0.0)
    # The low six bits say which exceptions have happened.
    assert np.uint32(flushing) & ~np.uint32(0x3F) == FLUSH_DENORMALS
    assert np.uint32(before) & ~np.uint32(0x3F) == ROUND_TO_NEAREST
    multiply(small, small, product)
    assert (product > 0.0).all()


def test_processors_without_a_float_mode_keep_denormals(monkeypatch):
    monkeypatch.setattr(simd_kernels, "_IS_X86", False)

    @numba.njit  # compiled here and now, and not kept
    def set_no_mode(mode):
        return simd_kernels.set_float_mode(mode)

    assert set_no_mode(FLUSH_DENORMALS) == FLUSH_DENORMALS
    small, product = np.full(LANES, 1e-20, np.float32), np.zeros(LANES, np.float32)
    multiply(small, small, product)
    assert (product > 0.0).all()
