import numpy as np
import pytest

from runout.cfr import leaf_kernels


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_scattered_rows_are_scaled_and_the_others_left_alone(dtype):
    padded = np.arange(14.0).astype(dtype).reshape(2, 7)
    source = padded[:, :5]
    value = np.full((6, 5), 7.0, dtype)
    position, node = np.array([1, 0, 1]), np.array([5, 2, 0])
    scale = np.array([2.0, -1.0, 0.5], dtype)
    leaf_kernels.scatter_scaled_rows(padded, position, scale, node, value)
    expected = np.full((6, 5), 7.0)
    expected[5], expected[2], expected[0] = 2.0 * source[1], -source[0], 0.5 * source[1]
    np.testing.assert_array_equal(value, expected)
