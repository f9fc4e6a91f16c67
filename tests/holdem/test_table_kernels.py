import numpy as np
import pytest

from runout.holdem import table_kernels
from runout.jit import kernel

HALF_TYPES = [(np.int16, 32_767), (np.uint16, 65_535)]
both_types = pytest.mark.parametrize(("dtype", "largest_code"), HALF_TYPES)


@kernel
def find(table, scale, first, number, out_rows):
    return table_kernels.read_rows(table, scale, first, number, out_rows)


@kernel
def write(table, scale, first, number, rows):
    table_kernels.write_rows(table, scale, first, number, rows)


def read(table, scale, first, number, space):
    """Returns the rows at the address that the kernel names: in the table or in the space."""
    address, shape = find(table, scale, first, number, space), (number, table.shape[1])
    inside = space if table.dtype != np.float32 else table
    assert inside.ctypes.data <= address < inside.ctypes.data + inside.nbytes
    start = (address - inside.ctypes.data) // inside.itemsize
    return inside.ravel()[start : start + number * table.shape[1]].reshape(shape)


def random_rows(dtype, shape, seed, spread=1.0):
    rows = np.random.default_rng(seed).normal(size=shape) * spread
    return (np.abs(rows) if dtype == np.uint16 else rows).astype(np.float32)


def there_and_back(dtype, rows, first=2):
    """Writes rows into the middle of a table and reads them again; returns them and the table."""
    num_rows, num_hands = rows.shape
    table = np.full((first + num_rows + 2, num_hands), 7, dtype)
    scale = np.full(len(table), 7.0, np.float32)
    write(table, scale, first, num_rows, rows)
    space = np.full((num_rows + 3, num_hands), np.nan, np.float32)
    return read(table, scale, first, num_rows, space).copy(), table, scale


@both_types
@pytest.mark.parametrize("spread", [1e-20, 1e-3, 1.0, 1e6, 1e30])
@pytest.mark.parametrize("shape", [(1, 16), (2, 48), (5, 1328)])
def test_numbers_come_back_within_half_a_unit(shape, spread, dtype, largest_code):
    rows = random_rows(dtype, shape, seed=shape[0], spread=spread)
    found, _, scale = there_and_back(dtype, rows)
    unit = float(np.abs(rows).max()) / largest_code
    assert scale[2] == pytest.approx(unit, rel=1e-6)
    # The codes themselves are computed in float32, which adds a hundredth of a unit.
    assert np.abs(found.astype(np.float64) - rows).max() <= 0.51 * unit


@both_types
def test_rounding_is_to_the_nearest_and_the_same_for_both_signs(dtype, largest_code):
    codes = [0.0, 0.4, 0.6, 1.4, 1.6, 100.49, 100.51, largest_code]
    rows = np.array([codes, codes], np.float32)
    if dtype == np.int16:
        rows[1] *= -1.0
    _, table, _ = there_and_back(dtype, rows)
    expected = [0, 0, 1, 1, 2, 100, 101, largest_code]
    np.testing.assert_array_equal(table[2], expected)
    np.testing.assert_array_equal(np.abs(table[3].astype(np.int64)), expected)


@both_types
def test_only_the_rows_of_the_decision_and_its_scale_are_written(dtype, largest_code):
    _, table, scale = there_and_back(dtype, random_rows(dtype, (3, 16), seed=0))
    for rows in (table[:2], table[5:], scale[:2], scale[3:]):
        np.testing.assert_array_equal(rows, 7)


@both_types
@pytest.mark.parametrize("number", [0.0, 1e-45, 1e-40, 1e-36, 1e-34])
def test_numbers_too_small_for_a_scale_come_back_as_next_to_nothing(number, dtype, largest_code):
    """The reciprocal of their unit is infinite, and zero times infinity is no number."""
    rows = np.full((2, 16), number, np.float32)
    rows[1, :8] = 0.0
    found, *_ = there_and_back(dtype, rows)
    np.testing.assert_array_equal(found[1, :8], 0.0)
    np.testing.assert_allclose(found, rows, atol=1e-30)


@both_types
@pytest.mark.parametrize("num_hands", [16, 32])
def test_rows_are_as_long_as_those_of_the_table_however_long_the_space(
    num_hands, dtype, largest_code
):
    """The space is shared with the other player, who may have more hands."""
    rows = random_rows(dtype, (3, num_hands), seed=1)
    table, scale = np.zeros((3, num_hands), dtype), np.zeros(3, np.float32)
    write(table, scale, 0, 3, rows)
    space = np.full((4, 48), 1e9, np.float32)
    found = read(table, scale, 0, 3, space)
    np.testing.assert_allclose(found, rows, atol=1e-3)
    write(table, scale, 0, 3, space)
    np.testing.assert_allclose(read(table, scale, 0, 3, space), rows, atol=1e-3)


def test_32_bit_rows_are_the_rows_themselves():
    table = random_rows(np.float32, (5, 16), seed=2)
    before, no_scale = table.copy(), np.zeros(0, np.float32)
    rows = read(table, no_scale, 1, 3, np.zeros((0, 16), np.float32))
    np.testing.assert_array_equal(rows, before[1:4])
    rows[0, 3] = 99.0
    assert table[1, 3] == 99.0
    write(table, no_scale, 1, 3, rows)
    before[1, 3] = 99.0
    np.testing.assert_array_equal(table, before)
