"""Learned tables in 32 or in 16 bits: the same reads and writes, chosen by the table's type.

A row of 16-bit numbers shares one float32 scale with the other actions of its decision. Reading
turns the rows of a decision into float32 in a working space, writing turns them back; 32-bit rows
are read and written in place and neither costs anything.
"""

# Overloads are typed by numba, not by annotations.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc"

from typing import NamedTuple

import numpy as np
from numba import types
from numba.extending import overload

from runout.arrays import AnyArray, Float32Array, Uint8Array

#: The largest number of the two 16-bit types: regrets have a sign, strategy sums do not.
_LARGEST_SIGNED = np.float32(32_767.0)
_LARGEST_UNSIGNED = np.float32(65_535.0)
_FLOAT_BYTES = 4

#: Rows without a larger number become zero: float32 cannot hold the reciprocal of their unit.
_SMALLEST_LARGEST = np.float32(1e-30)


class Learning(NamedTuple):
    """What a player has learned on a street: one row per action, one column per hand.

    With a leading axis for boards everywhere, or of one board.

    Attributes:
        regret: ``[A, H]`` discounted regrets; float32, or int16 with a scale.
        regret_scale: ``[A]`` in the row of a decision's first action; empty for float32.
        strategy_sum: ``[A, H]`` discounted sums of reach times strategy; float32, or uint16.
        sum_scale: ``[A]`` like ``regret_scale``.
        lock: ``[A, H]`` in the row of a decision's first action, 1 where the hand's strategy is
            fixed (its regrets then hold the strategy); empty if no decision is locked.
    """

    regret: AnyArray
    regret_scale: Float32Array
    strategy_sum: AnyArray
    sum_scale: Float32Array
    lock: Uint8Array


def read_rows(
    table: AnyArray, scale: Float32Array, first: int, number: int, out_rows: Float32Array
) -> int:
    """Returns the address of rows as float32: their own, or of ``out_rows`` if they are decoded."""
    raise NotImplementedError("compiled code only")


def write_rows(
    table: AnyArray, scale: Float32Array, first: int, number: int, rows: Float32Array
) -> None:
    """Encodes rows that `read_rows` decoded; does nothing where it returned their own address."""
    raise NotImplementedError("compiled code only")


@overload(read_rows)
def _read_rows(table, scale, first, number, out_rows):
    if table.dtype == types.float32:

        def find(table, scale, first, number, out_rows):
            return np.int64(table.ctypes.data) + np.int64(first) * table.shape[1] * _FLOAT_BYTES

        return find

    def decode(table, scale, first, number, out_rows):
        # The space is as wide as the player with more hands needs; rows are those of the table.
        num_hands = table.shape[1]
        rows = out_rows.ravel()
        unit = scale[first]
        for row in range(number):
            packed, begin = table[first + row], row * num_hands
            for hand in range(num_hands):
                rows[begin + hand] = np.float32(packed[hand]) * unit
        return np.int64(out_rows.ctypes.data)

    return decode


@overload(write_rows)
def _write_rows(table, scale, first, number, rows):
    if table.dtype == types.float32:

        def keep(table, scale, first, number, rows):
            pass

        return keep

    largest_code = _LARGEST_SIGNED if table.dtype == types.int16 else _LARGEST_UNSIGNED
    code = np.int16 if table.dtype == types.int16 else np.uint16
    half = np.float32(0.5)

    def encode(table, scale, first, number, rows):
        zero = np.float32(0.0)
        largest, num_hands = zero, table.shape[1]
        values = rows.ravel()
        for i in range(number * num_hands):
            largest = max(largest, abs(values[i]))
        unit = largest / largest_code
        per_unit = largest_code / largest if largest > _SMALLEST_LARGEST else zero
        scale[first] = unit
        for row in range(number):
            packed, begin = table[first + row], row * num_hands
            for hand in range(num_hands):
                scaled = values[begin + hand] * per_unit
                packed[hand] = code(np.int32(scaled + (half if scaled > zero else -half)))

    return encode
