import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from runout.simd.products import fill_panels, multiply, pack_panels, panel_shape

BOTH_TYPES = pytest.mark.parametrize("dtype", [np.float32, np.float64])


@BOTH_TYPES
@pytest.mark.parametrize("width", [1, 15, 16, 17, 169])
def test_panels_hold_every_column_in_its_place(dtype, width):
    matrix = np.random.default_rng(1).random((7, width)).astype(dtype)
    panels = pack_panels(matrix, dtype)
    side_by_side = panels.transpose(1, 0, 2).reshape(7, -1)
    np.testing.assert_array_equal(side_by_side[:, :width], matrix)
    assert (side_by_side[:, width:] == 0.0).all()


def test_panels_take_another_matrix():
    first, second = np.random.default_rng(2).random((2, 20, 30))
    panels = np.zeros(panel_shape((20, 30), np.float64))
    fill_panels(first, panels)
    fill_panels(second, panels)
    np.testing.assert_array_equal(panels, pack_panels(second, np.float64))


@pytest.mark.parametrize("left_dtype", [np.float32, np.float64])
@pytest.mark.parametrize("right_dtype", [np.float32, np.float64])
def test_a_product_is_that_of_the_library_within_rounding(left_dtype, right_dtype):
    random = np.random.default_rng(3)
    left = random.normal(size=(31, 40)).astype(left_dtype)
    right = random.normal(size=(40, 53)).astype(right_dtype)
    product = multiply(left, right)
    assert product.dtype == np.result_type(left, right)
    rounding = 82 * np.finfo(product.dtype).eps * (np.abs(left) @ np.abs(right))
    assert (np.abs(product - left @ right) <= rounding).all()


def test_matrices_may_lie_in_memory_in_any_order():
    left, right = np.random.default_rng(4).normal(size=(2, 40, 40))
    expected = multiply(left.copy(), right.copy())
    turned_left, turned_right = np.asfortranarray(left), np.asfortranarray(right)
    np.testing.assert_array_equal(multiply(turned_left, turned_right), expected)
    spread = np.zeros((80, 80))
    spread[::2, ::2] = left
    np.testing.assert_array_equal(multiply(spread[::2, ::2], right), expected)


def test_threads_of_the_linear_algebra_library_change_no_bit():
    left, right = np.random.default_rng(5).normal(size=(2, 500, 500))
    products = []
    for limit in (1, 2):
        with threadpool_limits(limit):
            products.append(multiply(left, right))
    np.testing.assert_array_equal(*products)
