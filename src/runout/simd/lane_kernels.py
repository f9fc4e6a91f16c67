"""Sixteen rows side by side: transposes, and sums of lane rows.

A *lane row* holds one number of each of sixteen rows, so that an operation on all of them for one
hand is one vector instruction: ``[w, 16]`` instead of ``[16, w]``.
"""

from functools import partial

import numpy as np

from runout.arrays import Float32Array, Int32Array, Uint16Array
from runout.jit import inlined, kernel
from runout.simd.vector_kernels import (
    FLOAT_BYTES,
    LANES,
    LL,
    choose,
    ir,
    lane_vectorised,
    load,
    spread,
    store,
)

# The functions that write LLVM code have llvmlite's types, which are not annotated.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc"

#: Rows that are transposed at once, half of the lanes.
_TRANSPOSED = 8

_ZERO = np.float32(0.0)


def _block():
    return ir.VectorType(LL.FLOAT, _TRANSPOSED)


def _shuffle(code, left, right, indices):
    mask = ir.Constant(ir.VectorType(LL.INT32, _TRANSPOSED), indices)
    return code.builder.shuffle_vector(left, right, mask)


def _transpose(code, rows):
    """Turns eight rows of eight numbers into eight columns, by three rounds of exchanges."""
    pairs = []
    for i in range(0, 8, 2):
        for indices in ([0, 8, 1, 9, 4, 12, 5, 13], [2, 10, 3, 11, 6, 14, 7, 15]):
            pairs.append(_shuffle(code, rows[i], rows[i + 1], indices))
    fours = []
    for i in (0, 1, 4, 5):
        for indices in ([0, 1, 8, 9, 4, 5, 12, 13], [2, 3, 10, 11, 6, 7, 14, 15]):
            fours.append(_shuffle(code, pairs[i], pairs[i + 2], indices))
    low, high = [0, 1, 2, 3, 8, 9, 10, 11], [4, 5, 6, 7, 12, 13, 14, 15]
    return [
        _shuffle(code, fours[i], fours[i + 4], indices) for indices in (low, high) for i in range(4)
    ]


def _each_block(code, numbers, rows, lanes, body):
    """Calls ``body(first, addresses, offset, block)`` for eight numbers of up to eight rows.

    ``first`` counts lanes; the address of the last row is repeated;
    ``block`` is the address of the half lane row of the first number.
    """
    row_bytes = code.times(rows.shape[-1], FLOAT_BYTES)

    def half(first):
        known = code.numbers_from(first, _TRANSPOSED, numbers.shape[0])
        addresses = [code.row(rows, code.number(numbers, i)) for i in known]
        start = code.at(lanes.start, code.times(first, FLOAT_BYTES))

        def each(offset):
            body(first, addresses, offset, code.at(start, code.times(offset, LANES)))

        code.each(row_bytes, each, step=_TRANSPOSED * FLOAT_BYTES)

    code.each(numbers.shape[0], half, step=_TRANSPOSED)


def _write_rows_to_lanes(code, numbers, rows, lanes):
    def transpose(first, addresses, offset, block):
        found = [code.load(code.at(row, offset), _block()) for row in addresses]
        for i, column in enumerate(_transpose(code, found)):
            code.store(column, code.at(block, i * LANES * FLOAT_BYTES))

    _each_block(code, numbers, rows, lanes, transpose)


@lane_vectorised(_write_rows_to_lanes)
def rows_to_lanes(numbers: Int32Array, rows: Float32Array, out_lanes: Float32Array) -> None:
    """Transposes up to sixteen of ``rows[n, w]`` into ``out_lanes[w, 16]``.

    Lanes that are not used hold anything afterwards.
    """
    for lane in range(numbers.shape[0]):
        row = rows[numbers[lane]]
        for i in range(row.shape[0]):
            out_lanes[i, lane] = row[i]


def _write_lanes_to_rows(code, numbers, scales, adds, lanes, rows):
    builder, nowhere = code.builder, code.builder.ptrtoint(code.slot(_block()), LL.INT64)
    halves = [i * LANES * FLOAT_BYTES for i in range(_TRANSPOSED)]

    def transpose(is_added, first, addresses, offset, block):
        found = [code.load(code.at(block, half), _block()) for half in halves]
        for i, row in enumerate(_transpose(code, found)):
            lane = code.at(first, i)
            is_used = builder.icmp_signed("<", lane, numbers.shape[0])
            scale = code.number(scales, builder.select(is_used, lane, code.whole(0)))
            scaled = builder.fmul(row, code.spread(scale, _block()))
            out = builder.select(is_used, code.at(addresses[i], offset), nowhere)
            if is_added:
                scaled = builder.fadd(code.load(out, _block()), scaled)
            code.store(scaled, out)

    code.either(
        adds,
        lambda is_added: _each_block(code, numbers, rows, lanes, partial(transpose, is_added)),
    )


@lane_vectorised(_write_lanes_to_rows)
def lanes_to_rows(
    numbers: Int32Array,
    scales: Float32Array,
    adds: bool,
    lanes: Float32Array,
    out_rows: Float32Array,
) -> None:
    """Transposes ``lanes[w, 16]`` into up to sixteen of ``out_rows[n, w]``, each times its scale.

    Rows are set, or added to; those without a number do not change.
    """
    for lane in range(numbers.shape[0]):
        row, scale = out_rows[numbers[lane]], scales[lane]
        for i in range(row.shape[0]):
            scaled = lanes[i, lane] * scale
            row[i] = row[i] + scaled if adds else scaled


@inlined
def load_or_nothing(lanes: Float32Array, number: int) -> Float32Array:
    """Returns the lane row of a number, zero for -1."""
    row: Float32Array = choose(number >= 0, load(lanes, max(number, 0)), spread(_ZERO))
    return row


@kernel
def sum_by_bucket(
    lanes: Float32Array, order: Uint16Array, ends: Uint16Array, out: Float32Array
) -> None:
    """Sets ``out[buckets, 16]`` to the sums of the ``lanes[hands, 16]`` of each bucket's hands.

    Hands are in ``order``, bucket by bucket; ``ends[buckets]`` is where each one's part ends.
    """
    nothing, begin = spread(_ZERO), np.int64(0)
    for bucket in range(ends.shape[0]):
        one, two, three, four = nothing, nothing, nothing, nothing  # do not wait for each other
        end = np.int64(ends[bucket])
        rest = begin + ((end - begin) & -4)
        for i in range(begin, rest, 4):
            one, two = one + load(lanes, order[i]), two + load(lanes, order[i + 1])
            three, four = three + load(lanes, order[i + 2]), four + load(lanes, order[i + 3])
        for i in range(rest, end):
            one = one + load(lanes, order[i])
        store((one + two) + (three + four), out, bucket)
        begin = end
