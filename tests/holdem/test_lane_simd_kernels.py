"""Every vector instruction on lane rows against plain sums; wrappers turn arrays into addresses."""

import numpy as np

from runout.holdem import lane_simd_kernels
from runout.holdem.simd_kernels import LANES
from runout.jit import kernel

SENTINEL = np.float32(-77.0)


@kernel
def clear(out_row):
    lane_simd_kernels.clear(np.int64(out_row.ctypes.data), np.int64(4 * LANES))


@kernel
def add(row, out):
    lane_simd_kernels.add(np.int64(out.ctypes.data), np.int64(row.ctypes.data))


@kernel
def add_scaled(row, scale, out):
    lane_simd_kernels.add_scaled(np.int64(out.ctypes.data), np.int64(row.ctypes.data), scale)


@kernel
def subtract_met(value, mass, blocked, same, out):
    lane_simd_kernels.subtract_met(
        np.int64(out.ctypes.data),
        np.int64(value.ctypes.data),
        np.int64(mass.ctypes.data),
        np.int64(blocked.ctypes.data),
        np.int64(same.ctypes.data),
    )


def random_lanes(number, seed=7):
    """Returns lane rows and one number more than they hold, which must stay as it is."""
    rows = np.random.default_rng(seed).normal(size=(number, LANES + 1)).astype(np.float32)
    rows[:, LANES] = SENTINEL
    return rows


def test_a_lane_row_is_cleared_and_no_more():
    (row,) = random_lanes(1)
    clear(row)
    np.testing.assert_array_equal(row, [0.0] * LANES + [SENTINEL])


def test_lane_rows_are_added_and_subtracted():
    row, value, mass, blocked, out = random_lanes(5)
    scale, before = np.float32(0.3), out.copy()
    expected = {
        add: (row, out + row),
        add_scaled: (row, scale, out + row * scale),
        subtract_met: (value, mass, blocked, row, out - value * (mass - blocked + row)),
    }
    for change, (*arguments, wanted) in expected.items():
        found = before.copy()
        change(*arguments, found)
        np.testing.assert_allclose(found[:LANES], wanted[:LANES], rtol=1e-5, atol=1e-6)
        assert found[LANES] == SENTINEL
