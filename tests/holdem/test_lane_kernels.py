import numpy as np
import pytest

from runout.holdem import lane_kernels
from runout.holdem.simd_kernels import LANES
from runout.holdem.tables import make_transfer

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
