import numpy as np
import pytest

from runout.arrays import CACHE_LINE_BYTES, aligned_zeros, read_only


def test_read_only_returns_the_same_array_and_forbids_writing():
    array = np.zeros(3)
    assert read_only(array) is array
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 1.0


@pytest.mark.parametrize(
    ("shape", "dtype"), [((3, 16), np.float32), ((5,), np.float64), ((2, 3, 32), np.int16)]
)
def test_aligned_zeros_begin_on_a_cache_line(shape, dtype):
    array = aligned_zeros(shape, dtype)
    assert array.shape == shape
    assert array.dtype == dtype
    assert array.ctypes.data % CACHE_LINE_BYTES == 0
    assert array.flags.c_contiguous
    assert not array.any()
