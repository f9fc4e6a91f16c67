import numpy as np
import pytest

from runout.cfr import leaf_kernels


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_gathered_rows_are_the_chosen_rows(dtype):
    source = np.arange(30.0).astype(dtype).reshape(6, 5)
    rows = np.array([4, 0, 4, 5])
    gathered = np.empty((4, 5), dtype)
    leaf_kernels.gather_rows(source, rows, gathered)
    np.testing.assert_array_equal(gathered, source[[4, 0, 4, 5]])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_scattered_rows_are_scaled_and_the_others_left_alone(dtype):
    source = np.arange(10.0).astype(dtype).reshape(2, 5)
    value = np.full((6, 5), 7.0, dtype)
    position, node = np.array([1, 0, 1]), np.array([5, 2, 0])
    scale = np.array([2.0, -1.0, 0.5], dtype)
    leaf_kernels.scatter_scaled_rows(source, position, scale, node, value)
    expected = np.full((6, 5), 7.0)
    expected[5], expected[2], expected[0] = 2.0 * source[1], -source[0], 0.5 * source[1]
    np.testing.assert_array_equal(value, expected)
