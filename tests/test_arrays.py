import numpy as np
import pytest

from runout.arrays import read_only


def test_read_only_returns_the_same_array_and_forbids_writing():
    array = np.zeros(3)
    assert read_only(array) is array
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 1.0
