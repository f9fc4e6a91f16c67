import numpy as np
import pytest

from runout.simd import product_kernels
from runout.simd.products import make_product_rows, pack_panels
from tests.simd.forms import in_form

BOTH_TYPES = pytest.mark.parametrize("dtype", [np.float32, np.float64])


def random_matrix(seed, shape, dtype):
    return np.random.default_rng(seed).normal(size=shape).astype(dtype)


def multiply_rows(left, rows, right):
    panels = pack_panels(right, right.dtype)
    product = make_product_rows(len(rows), panels)
    product_kernels.multiply_rows(left, np.asarray(rows), panels, product)
    plain = make_product_rows(len(rows), panels)
    in_form(product_kernels.multiply_panels, "plain")(left, np.asarray(rows), panels, plain)
    np.testing.assert_array_equal(plain, product)
    return product


def product_by_loops(left, rows, right):
    """Returns the product and the most by which rounding may change each number of it."""
    expected, bound = np.zeros((2, len(rows), right.shape[1]))
    for i, row in enumerate(rows):
        for column in range(right.shape[1]):
            terms = [float(a) * float(b) for a, b in zip(left[row], right[:, column], strict=True)]
            expected[i, column] = sum(terms)
            # n products and n sums, each of which rounds to within half a unit in the last place.
            rounding = (len(terms) + 1) * np.finfo(left.dtype).eps
            bound[i, column] = rounding * sum(abs(term) for term in terms)
    return expected, bound


@BOTH_TYPES
@pytest.mark.parametrize("num_rows", [1, 5, 6, 7, 13])
@pytest.mark.parametrize(("depth", "width"), [(1, 1), (3, 16), (5, 8), (2, 33), (19, 40)])
def test_rows_are_multiplied_as_by_loops(dtype, num_rows, depth, width):
    left, right = random_matrix(1, (9, depth), dtype), random_matrix(2, (depth, width), dtype)
    rows = np.random.default_rng(3).integers(0, 9, num_rows)
    product = multiply_rows(left, rows, right)
    expected, bound = product_by_loops(left, rows, right)
    assert (np.abs(product[:, :width] - expected) <= bound).all()
    assert (product[:, width:] == 0.0).all()


@BOTH_TYPES
def test_no_rows_and_no_terms_have_a_product(dtype):
    assert (
        multiply_rows(np.ones((3, 4), dtype), np.zeros(0, np.int64), np.ones((4, 2), dtype)).size
        == 0
    )
    nothing = multiply_rows(np.ones((3, 0), dtype), [0, 1, 2], np.ones((0, 2), dtype))
    assert (nothing == 0.0).all()


@BOTH_TYPES
def test_whole_numbers_are_exact(dtype):
    random = np.random.default_rng(4)
    left = random.integers(-50, 50, (20, 169)).astype(dtype)
    right = random.integers(-50, 50, (169, 169)).astype(dtype)
    product = multiply_rows(left, np.arange(20), right)[:, :169]
    np.testing.assert_array_equal(product, left.astype(np.int64) @ right.astype(np.int64))


@BOTH_TYPES
@pytest.mark.parametrize("num_at_once", [1, 2, 6, 7])
def test_no_bit_depends_on_how_many_rows_are_multiplied_at_once(dtype, num_at_once):
    left, right = random_matrix(5, (23, 169), dtype), random_matrix(6, (169, 169), dtype)
    whole = multiply_rows(left, np.arange(23), right)
    parts = [
        multiply_rows(left, rows, right)
        for rows in np.split(np.arange(23), range(num_at_once, 23, num_at_once))
    ]
    np.testing.assert_array_equal(np.concatenate(parts), whole)


@BOTH_TYPES
def test_no_bit_depends_on_where_a_column_stands(dtype):
    left, right = random_matrix(7, (6, 50), dtype), random_matrix(8, (50, 70), dtype)
    product = multiply_rows(left, np.arange(6), right)[:, :70]
    turned = multiply_rows(left, np.arange(6), right[:, ::-1])[:, :70]
    np.testing.assert_array_equal(turned[:, ::-1], product)


@BOTH_TYPES
@pytest.mark.parametrize("offset", [1, 3, 5])
def test_no_bit_depends_on_alignment(dtype, offset):
    left, right = random_matrix(9, (8, 169), dtype), random_matrix(10, (169, 169), dtype)
    panels = pack_panels(right, dtype)
    product = make_product_rows(8, panels)
    product_kernels.multiply_rows(left, np.arange(8), panels, product)
    moved = []
    for array in (left, panels, np.zeros_like(product)):
        buffer = np.empty(array.size + offset, dtype)
        buffer[offset:] = array.ravel()
        moved.append(buffer[offset:].reshape(array.shape))
    product_kernels.multiply_rows(moved[0], np.arange(8), moved[1], moved[2])
    np.testing.assert_array_equal(moved[2], product)
