"""Probabilities and values as 16-bit numbers.

A probability is kept as the square root of itself: near 0 the steps are small, so that a line that
is taken once in a million hands still has a range, and nowhere is the error above 3e-5. Values of a
row are kept as steps from its smallest one.
"""

from typing import NamedTuple

import numpy as np

from runout.arrays import AnyArray, Float32Array, FloatArray, Int16Array, IntArray, Uint16Array

_LARGEST_ROOT = 2**16 - 1
_LARGEST_SHARE = 2**8 - 1
_LARGEST_STEP = 2**15 - 1
_NO_VALUE = -(2**15)


def encode_shares(sums: AnyArray, first: IntArray, counts: IntArray) -> Uint16Array:
    """Returns ``[A, W]`` the shares of actions; where nothing was ever done all of them are 0.

    Args:
        sums: ``[A, W]`` how much each action was taken, in any scale that a decision's actions
            share.
        first: the row of the first action of each decision, ascending.
        counts: how many actions it has.
    """
    roots = np.sqrt(shares_of(sums, first, counts))
    codes: Uint16Array = np.rint(_LARGEST_ROOT * roots).astype(np.uint16)
    return codes


def shares_of(sums: AnyArray, first: IntArray, counts: IntArray) -> Float32Array:
    """Returns ``[A, W]`` sums of actions as shares of their decision, 0 where there are none."""
    numbers: Float32Array = sums.astype(np.float32)
    totals = np.repeat(np.add.reduceat(numbers, first, axis=0), counts, axis=0)
    known = totals > np.finfo(np.float32).tiny
    return np.where(known, numbers / np.where(known, totals, 1.0), np.float32(0.0))


def decode_shares(codes: AnyArray) -> FloatArray:
    """Returns ``[A, W]`` the probabilities of a decision's actions; all alike where none is known.

    Args:
        codes: of 16 bits, as `encode_shares` makes them, or whole numbers of 8 bits that are the
            shares of 255 themselves.
    """
    if codes.dtype == np.uint8:
        shares = codes.astype(np.float64) / _LARGEST_SHARE
    else:
        shares = (codes.astype(np.float64) / _LARGEST_ROOT) ** 2
    total = shares.sum(axis=0)
    played: FloatArray = np.where(
        total > 0.0, shares / np.where(total > 0.0, total, 1.0), 1.0 / len(codes)
    )
    return played


class EncodedValues(NamedTuple):
    """Rows of values.

    Attributes:
        codes: ``[.., n]``.
        bounds: ``[.., 2]`` the smallest value of a row, and a step.
    """

    codes: Int16Array
    bounds: Float32Array


def encode_values(values: FloatArray) -> EncodedValues:
    """Returns rows ``[C, n]`` of values as steps between the smallest and the largest of a row."""
    is_known = ~np.isnan(values)
    low = np.min(values, axis=1, where=is_known, initial=np.inf)
    high = np.max(values, axis=1, where=is_known, initial=-np.inf)
    low, high = (np.where(is_known.any(axis=1), bound, 0.0) for bound in (low, high))
    bounds = np.stack([low, (high - low) / (2 * _LARGEST_STEP)], axis=1).astype(np.float32)
    base, step = bounds[:, :1].astype(np.float64), bounds[:, 1:].astype(np.float64)
    steps = np.rint((np.nan_to_num(values) - base) / np.where(step > 0.0, step, 1.0))
    codes = np.clip(steps - _LARGEST_STEP, -_LARGEST_STEP, _LARGEST_STEP)
    return EncodedValues(np.where(is_known, codes, _NO_VALUE).astype(np.int16), bounds)


def decode_values(encoded: EncodedValues) -> FloatArray:
    """Returns what `encode_values` was given, up to half a step."""
    base, step = (encoded.bounds[..., end : end + 1].astype(np.float64) for end in (0, 1))
    values = base + (encoded.codes.astype(np.float64) + _LARGEST_STEP) * step
    known: FloatArray = np.where(encoded.codes == _NO_VALUE, np.nan, values)
    return known
