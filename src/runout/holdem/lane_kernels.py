"""Compiled ways from rows of hands or buckets to lanes, and back.

Sixteen rows stand side by side as *lanes*: a lane row holds one number of each, so that what is
done to all of them for one hand is one vector instruction.
"""

from typing import NamedTuple

import numpy as np

from runout.arrays import Float32Array, Int32Array, IntArray
from runout.holdem import simd_kernels as simd
from runout.jit import kernel

_FLOAT_BYTES = 4
_ADDRESS_BYTES = 8
_BLOCK_BYTES = simd.ROW_BLOCK * _FLOAT_BYTES


class Transfer(NamedTuple):
    """Working space of a transfer between rows and lanes.

    Attributes:
        rows: ``[16]`` addresses of rows.
        scales: ``[16]`` what rows are multiplied with.
        nowhere: as long as a row, where unused lanes are written.
    """

    rows: IntArray
    scales: Float32Array
    nowhere: Float32Array


@kernel
def rows_to_lanes(
    numbers: Int32Array, rows: Float32Array, transfer: Transfer, out_lanes: Float32Array
) -> None:
    """Transposes up to sixteen of ``rows[n, w]`` into ``out_lanes[w, 16]``.

    Unused lanes of a half repeat the last row; a half that is not used at all is left alone.
    """
    last = numbers.shape[0] - 1
    start, row_bytes = np.int64(rows.ctypes.data), rows.shape[1] * _FLOAT_BYTES
    for lane in range(simd.LANES):
        transfer.rows[lane] = start + np.int64(numbers[min(lane, last)]) * row_bytes
    addresses, out = np.int64(transfer.rows.ctypes.data), np.int64(out_lanes.ctypes.data)
    for half in range(0, last + 1, simd.ROW_BLOCK):
        half_rows, half_out = addresses + half * _ADDRESS_BYTES, out + half * _FLOAT_BYTES
        for offset in range(0, row_bytes, _BLOCK_BYTES):
            block = half_out + offset // _FLOAT_BYTES * simd.LANE_ROW_BYTES
            simd.rows_to_lanes(half_rows, offset, block)


@kernel
def lanes_to_rows(
    numbers: Int32Array,
    scales: Float32Array,
    adds: bool,
    lanes: Float32Array,
    transfer: Transfer,
    out_rows: Float32Array,
) -> None:
    """Transposes ``lanes[w, 16]`` into up to sixteen of ``out_rows[n, w]``, each times its scale.

    Args:
        numbers: of the rows.
        scales: of the rows.
        adds: whether rows are added to rather than set.
        lanes: what is transposed.
        transfer: working space.
        out_rows: all other rows are left alone.
    """
    num_rows = numbers.shape[0]
    start, row_bytes = np.int64(out_rows.ctypes.data), out_rows.shape[1] * _FLOAT_BYTES
    for lane in range(simd.LANES):
        if lane < num_rows:
            transfer.rows[lane] = start + np.int64(numbers[lane]) * row_bytes
            transfer.scales[lane] = scales[lane]
        else:
            transfer.rows[lane] = np.int64(transfer.nowhere.ctypes.data)
            transfer.scales[lane] = 0.0
    addresses, values = np.int64(transfer.rows.ctypes.data), np.int64(lanes.ctypes.data)
    factors = np.int64(transfer.scales.ctypes.data)
    for half in range(0, num_rows, simd.ROW_BLOCK):
        half_rows, half_values = addresses + half * _ADDRESS_BYTES, values + half * _FLOAT_BYTES
        half_factors = factors + half * _FLOAT_BYTES
        for offset in range(0, row_bytes, _BLOCK_BYTES):
            block = half_values + offset // _FLOAT_BYTES * simd.LANE_ROW_BYTES
            if adds:
                simd.add_lanes_to_rows(block, half_rows, offset, half_factors)
            else:
                simd.lanes_to_rows(block, half_rows, offset, half_factors)
