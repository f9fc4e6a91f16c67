"""Array type aliases; the shape of an array is part of its docstring, not of its type."""

import math
from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
Float32Array = npt.NDArray[np.float32]
IntArray = npt.NDArray[np.int64]
Int8Array = npt.NDArray[np.int8]
Int16Array = npt.NDArray[np.int16]
Int32Array = npt.NDArray[np.int32]
BoolArray = npt.NDArray[np.bool_]
Uint8Array = npt.NDArray[np.uint8]
Uint16Array = npt.NDArray[np.uint16]
Uint32Array = npt.NDArray[np.uint32]
Uint64Array = npt.NDArray[np.uint64]
#: Tables that are float32 where memory matters and float64 in tests.
RealArray = npt.NDArray[np.floating[Any]]
AnyArray = npt.NDArray[np.generic]
#: Arrays by name.
Arrays = Mapping[str, AnyArray]

CACHE_LINE_BYTES = 64

ArrayT = TypeVar("ArrayT", bound=AnyArray)


def read_only(array: ArrayT) -> ArrayT:
    """Returns ``array`` itself after making it immutable, for shared tables."""
    array.setflags(write=False)
    return array


def divide(amount: FloatArray | IntArray, weight: FloatArray | IntArray) -> FloatArray:
    """Returns amounts over weights, NaN where there is no weight."""
    share: FloatArray = np.divide(
        amount, weight, out=np.full(np.shape(weight), np.nan), where=np.asarray(weight > 0)
    )
    return share


def aligned_zeros(shape: tuple[int, ...], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Returns zeros that begin on a cache line, so that rows of 64 bytes never straddle two."""
    item = np.dtype(dtype).itemsize
    num_bytes = math.prod(shape) * item
    buffer = np.zeros(num_bytes + CACHE_LINE_BYTES, dtype=np.uint8)
    start = -buffer.ctypes.data % CACHE_LINE_BYTES
    return buffer[start : start + num_bytes].view(dtype).reshape(shape)
