"""The bits of a result do not depend on workers, callers, other libraries' threads or memory."""

from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from tests.samples.small_results import RESULTS

SLOW = {"bucketed"}

every_result = pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.slow] if n in SLOW else []) for n in RESULTS]
)


@cache
def compute_plainly(name):
    return RESULTS[name](1).numbers


@every_result
def test_workers_change_no_bit(name):
    np.testing.assert_array_equal(RESULTS[name](3).numbers, compute_plainly(name))


@every_result
def test_a_caller_among_others_with_more_blas_threads_gets_the_same_bits(name):
    """Two at once, while the linear algebra library may use two threads and memory is in use."""
    in_the_way = [np.empty(1_000 + 8 * i, np.uint8) for i in range(100)]
    with threadpool_limits(2), ThreadPoolExecutor(2) as pool:
        results = [pool.submit(RESULTS[name], 1) for _ in range(2)]
        for result in results:
            np.testing.assert_array_equal(result.result().numbers, compute_plainly(name))
    assert len(in_the_way) == 100
