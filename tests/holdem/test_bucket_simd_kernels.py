"""Vector instructions of bucket games against plain loops; wrappers turn arrays into addresses."""

import numpy as np
import pytest

from runout.holdem import bucket_simd_kernels
from runout.holdem.bucket_simd_kernels import PRODUCT_BLOCK
from runout.jit import kernel

SENTINEL = np.float32(-77.0)
every_size = pytest.mark.parametrize("num_buckets", [16, 32, 48, 80, 240])


@kernel
def divide(out, numerator, num_bytes):
    bucket_simd_kernels.divide(out.ctypes.data, numerator.ctypes.data, num_bytes)


@kernel
def multiply(matrix, x, row, out, node, scale):
    bucket_simd_kernels.multiply(
        matrix.ctypes.data,
        matrix.shape[1] * 4,
        x.ctypes.data,
        row.ctypes.data,
        out.ctypes.data,
        node.ctypes.data,
        scale.ctypes.data,
    )


@kernel
def multiply_add(matrix, x, row, out, node, scale):
    bucket_simd_kernels.multiply_add(
        matrix.ctypes.data,
        matrix.shape[1] * 4,
        x.ctypes.data,
        row.ctypes.data,
        out.ctypes.data,
        node.ctypes.data,
        scale.ctypes.data,
    )


def rows(number, length, seed=0):
    """Returns rows with one more number than is used, which must stay as it is."""
    found = np.random.default_rng(seed).normal(size=(number, length + 1)).astype(np.float32)
    found[:, -1] = SENTINEL
    return found


def check(found, expected):
    np.testing.assert_allclose(found[:-1], expected[:-1], rtol=1e-5, atol=1e-5)
    assert found[-1] == SENTINEL


@every_size
def test_nothing_is_won_where_nothing_is_met(num_buckets):
    met, won = rows(2, num_buckets)
    met[:-1:3] = 0.0
    met[:-1] = np.abs(met[:-1])
    expected = np.divide(won, met, out=np.zeros_like(met), where=met > 0.0)
    divide(met, won, num_buckets * 4)
    check(met, expected)


@every_size
def test_products_are_products(num_buckets):
    rng = np.random.default_rng(2)
    matrix = rng.normal(size=(num_buckets, num_buckets)).astype(np.float32)
    x = rng.normal(size=(11, num_buckets)).astype(np.float32)
    row = rng.integers(0, 11, PRODUCT_BLOCK).astype(np.int32)
    node = rng.permutation(13)[:PRODUCT_BLOCK].astype(np.int32)
    scale = rng.normal(size=PRODUCT_BLOCK).astype(np.float32)
    out = np.full((13, num_buckets), SENTINEL)
    expected = out.astype(np.float64)
    expected[node] = scale[:, None] * (x[row].astype(np.float64) @ matrix)
    multiply(matrix, x, row, out, node, scale)
    np.testing.assert_allclose(out, expected, rtol=1e-4, atol=1e-4)
    expected[node] *= 2.0
    multiply_add(matrix, x, row, out, node, scale)
    np.testing.assert_allclose(out, expected, rtol=1e-4, atol=1e-4)
