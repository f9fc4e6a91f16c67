"""Lane rows of float32: transposes, sums by bucket, quotients, products with a matrix."""

from typing import NamedTuple

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types

from runout.arrays import Float32Array, Int32Array, IntArray
from runout.jit import kernel
from runout.simd import vector_kernels as simd
from runout.simd.vector_kernels import (
    FLOAT,
    FLOAT_BYTES,
    INT32,
    INT32_BYTES,
    INT64,
    LANE_ROW_BYTES,
    LANES,
    MAX_LISTED,
    VectorCode,
    vector_intrinsic,
)

# --------------------------------------------------------------------------------------------------
# Vector instructions for lane rows of float32: sums by bucket, and the way back.
#
# As in `simd_kernels`, everything takes addresses and **checks nothing**. `crossing_kernels`
# and `terminal_kernels` are the only users; `tests/holdem/test_lane_simd_kernels.py` compares every
# function with plain sums.


# The bodies build LLVM code and have llvmlite's types, which are not annotated.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc"


NUM_CARDS = 52

_FLOAT, _BYTE, _SHORT = ir.FloatType(), ir.IntType(8), ir.IntType(16)
_INT64 = ir.IntType(64)

#: Sums that do not wait for each other.
_SUMS_AT_ONCE = 4


def _of_addresses(number):
    return types.void(*[types.int64] * number)


def _lane_row_of(code, base, numbers, i, kind):
    """Returns the address of the lane row whose number stands in the i-th place of a list."""
    size = code.builder.mul(i, ir.Constant(_INT64, kind.width // 8))
    number = code.load(code.builder.add(numbers, size), kind)
    if kind != _INT64:
        number = code.builder.zext(number, _INT64)
    return _lane_row(code, base, number)


def _each_listed(code, numbers, body):
    """Calls ``body(number)`` for the int64 numbers of a list, until -1; the code is a loop."""
    builder = code.builder
    with cgutils.for_range(builder, ir.Constant(_INT64, MAX_LISTED), intp=_INT64) as loop:
        number = code.load(code.at(numbers, builder.shl(loop.index, _of_int64(3))), _INT64)
        with builder.if_then(builder.icmp_signed("<", number, _of_int64(0))):
            loop.do_break()
        body(number)


def _of_int64(number):
    return ir.Constant(_INT64, number)


def _lane_row(code, base, number):
    """Returns the address of the lane row of a number."""
    shift = _of_int64(LANE_ROW_BYTES.bit_length() - 1)
    return code.builder.add(base, code.builder.shl(number, shift))


@vector_intrinsic
def sum_by_bucket(typing_context, out, lanes, order, ends, num_buckets):
    """Sets the lane row of each bucket to the sum of those of its hands.

    Args:
        out: address of ``[buckets, 16]``.
        lanes: address of ``[hands, 16]``.
        order: address of ``[hands]`` uint16, their numbers, bucket by bucket.
        ends: address of ``[buckets]`` uint16, where each bucket's part of the order ends.
        num_buckets: how many there are.
    """

    def generate(context, builder, signature, args):
        code = VectorCode(context, builder, LANES)
        out, lanes, order, ends, num_buckets = args
        sums = [code.slot() for _ in range(_SUMS_AT_ONCE)]
        begin = cgutils.alloca_once_value(builder, _of_int64(0))

        def add(position, total):
            hand = builder.zext(
                code.load(code.at(order, builder.shl(position, _of_int64(1))), _SHORT), _INT64
            )
            row = code.load(_lane_row(code, lanes, hand))
            builder.store(builder.fadd(builder.load(total), row), total)

        with cgutils.for_range(builder, num_buckets, intp=_INT64) as bucket:
            for total in sums:
                builder.store(code.zero, total)
            first = builder.load(begin)
            place = code.at(ends, builder.shl(bucket.index, _of_int64(1)))
            end = builder.zext(code.load(place, _SHORT), _INT64)
            whole = builder.and_(builder.sub(end, first), _of_int64(-_SUMS_AT_ONCE))
            rest = builder.add(first, whole)
            step = _of_int64(_SUMS_AT_ONCE)
            with cgutils.for_range_slice(builder, first, rest, step, _INT64) as (position, _):
                for number, total in enumerate(sums):
                    add(builder.add(position, _of_int64(number)), total)
            with cgutils.for_range_slice(builder, rest, end, _of_int64(1), _INT64) as (position, _):
                add(position, sums[0])
            builder.store(end, begin)
            values = [builder.load(total) for total in sums]
            while len(values) > 1:
                values = [
                    builder.fadd(x, y) for x, y in zip(values[::2], values[1::2], strict=True)
                ]
            code.store(values[0], _lane_row(code, out, bucket.index))
        return context.get_dummy_value()

    return _of_addresses(5), generate


@vector_intrinsic
def add_listed_by_bucket(typing_context, out, lanes, numbers, buckets, share):
    """``out[bucket[h]] += lanes[h] * share`` for the hands of a list, until -1.

    Args:
        out: address of ``[buckets, 16]``.
        lanes: address of ``[hands, 16]``.
        numbers: address of the hands' int64 numbers.
        buckets: address of ``[hands]`` uint8.
        share: float32.
    """

    def generate(context, builder, signature, args):
        code = VectorCode(context, builder, LANES)
        out, lanes, numbers, buckets, share = args
        factor = code.spread(share)

        def add(hand):
            place = _lane_row_of(code, out, buckets, hand, _BYTE)
            row = code.load(_lane_row(code, lanes, hand))
            code.store(code.multiply_add(row, factor, code.load(place)), place)

        _each_listed(code, numbers, add)
        return context.get_dummy_value()

    return types.void(*[types.int64] * 4, types.float32), generate


@vector_intrinsic
def add_with_card(typing_context, out, lanes, numbers):
    """Adds the lane row of the hand with each of 52 cards to that of the card, -1 for no hand.

    Args:
        out: address of ``[52, 16]``.
        lanes: address of ``[hands, 16]``.
        numbers: address of ``[52]`` int64, the hands.
    """

    def generate(context, builder, signature, args):
        code = VectorCode(context, builder, LANES)
        out, lanes, numbers = args
        with cgutils.for_range(builder, _of_int64(NUM_CARDS), intp=_INT64) as card:
            hand = code.load(code.at(numbers, builder.shl(card.index, _of_int64(3))), _INT64)
            is_hand = builder.icmp_signed(">=", hand, _of_int64(0))
            place = _lane_row(code, out, card.index)
            # No hand reads what is there already, and adds nothing.
            source = builder.select(is_hand, _lane_row(code, lanes, hand), place)
            row = builder.select(is_hand, code.load(source), code.zero)
            code.store(builder.fadd(code.load(place), row), place)
        return context.get_dummy_value()

    return _of_addresses(3), generate


def _make_add_kin(num_games):
    def generate(context, builder, signature, args):
        code = VectorCode(context, builder, LANES)
        shares, by_card, num_kin, buckets, cards, ends, values, blocked, num_cards = args[:9]
        row_bytes, game_bytes = args[9:]
        games = [_of_int64(i) for i in range(num_games)]
        lists = [builder.add(buckets, builder.mul(row_bytes, i)) for i in games]
        value_of = [builder.add(values, builder.mul(game_bytes, i)) for i in games]
        card_bytes = _of_int64(NUM_CARDS * LANE_ROW_BYTES)
        of_card = [builder.add(blocked, builder.mul(card_bytes, i)) for i in games]
        counts = [code.load(code.at(num_cards, 8 * i), _INT64) for i in range(num_games)]
        times = [code.spread(builder.sitofp(count, _FLOAT)) for count in counts]
        begin = cgutils.alloca_once_value(builder, _of_int64(0))
        with cgutils.for_range(builder, num_kin, intp=_INT64) as kin:
            won = [
                code.load(_lane_row_of(code, value_of[i], lists[i], kin.index, _BYTE))
                for i in range(num_games)
            ]
            place = _lane_row(code, shares, kin.index)
            share = code.load(place)
            for i in range(num_games):
                share = code.multiply_add(won[i], times[i], share)
            code.store(share, place)
            end_place = code.at(ends, builder.shl(kin.index, _of_int64(1)))
            end = builder.zext(code.load(end_place, _SHORT), _INT64)
            first = builder.load(begin)
            with cgutils.for_range_slice(builder, first, end, _of_int64(1), _INT64) as (entry, _):
                number = builder.zext(code.load(code.at(cards, entry), _BYTE), _INT64)
                place = _lane_row(code, by_card, entry)
                total = code.load(place)
                for i in range(num_games):
                    met = code.load(_lane_row(code, of_card[i], number))
                    total = code.multiply_add(won[i], met, total)
                code.store(total, place)
            builder.store(end, begin)
        return context.get_dummy_value()

    return generate


@vector_intrinsic
def add_kin_1(
    typing_context,
    shares,
    by_card,
    num_kin,
    buckets,
    cards,
    ends,
    values,
    blocked,
    num_cards,
    row_bytes,
    game_bytes,
):
    """Adds what kin win in a game: for each unit that they meet, and beyond that by card.

    ``shares[k] += num_cards * values[bucket[k]]``, and ``by_card[e] += values[bucket[k]] *
    blocked[card[e]]`` for each of the cards e of kin k.

    Args:
        shares: address of ``[kin, 16]``.
        by_card: address of ``[cards of kin, 16]``.
        num_kin: how many there are.
        buckets: address of ``[kin]`` uint8.
        cards: address of ``[cards of kin]`` uint8, kin by kin.
        ends: address of ``[kin]`` uint16, where each one's cards end.
        values: address of ``[buckets, 16]``.
        blocked: address of ``[52, 16]``.
        num_cards: address of an int64.
        row_bytes: from the buckets of one game to those of the next.
        game_bytes: likewise of values.
    """
    return _of_addresses(11), _make_add_kin(1)


@vector_intrinsic
def add_kin_4(
    typing_context,
    shares,
    by_card,
    num_kin,
    buckets,
    cards,
    ends,
    values,
    blocked,
    num_cards,
    row_bytes,
    game_bytes,
):
    """Like `add_kin_1` with the buckets, values, cards of four games, one after the other."""
    return _of_addresses(11), _make_add_kin(4)


@vector_intrinsic
def add_met(typing_context, out, num_hands, mass, kin, places, shares, by_card):
    """``out[h] += mass[h] * shares[kin[h]] + by_card[place[h, 0]] + by_card[place[h, 1]]``.

    Args:
        out: address of ``[hands, 16]``.
        num_hands: how many there are.
        mass: address of ``[hands, 16]``.
        kin: address of ``[hands]`` uint16.
        places: address of ``[hands, 2]`` uint16.
        shares: address of ``[kin, 16]``.
        by_card: address of ``[cards of kin, 16]``.
    """

    def generate(context, builder, signature, args):
        code = VectorCode(context, builder, LANES)
        out, num_hands, mass, kin, places, shares, by_card = args
        with cgutils.for_range(builder, num_hands, intp=_INT64) as hand:
            place = _lane_row(code, out, hand.index)
            met = code.load(_lane_row(code, mass, hand.index))
            share = code.load(_lane_row_of(code, shares, kin, hand.index, _SHORT))
            first = builder.shl(hand.index, _of_int64(1))
            second = builder.add(first, _of_int64(1))
            with_low = code.load(_lane_row_of(code, by_card, places, first, _SHORT))
            with_high = code.load(_lane_row_of(code, by_card, places, second, _SHORT))
            beyond = builder.fadd(code.load(place), builder.fadd(with_low, with_high))
            code.store(code.multiply_add(share, met, beyond), place)
        return context.get_dummy_value()

    return _of_addresses(7), generate


@vector_intrinsic
def clear(typing_context, address, num_bytes):
    """Sets memory to zero."""

    def generate(context, builder, signature, args):
        pointer = builder.inttoptr(args[0], _BYTE.as_pointer())
        cgutils.memset(builder, pointer, args[1], 0)
        return context.get_dummy_value()

    return _of_addresses(2), generate


@vector_intrinsic
def subtract_held(
    typing_context, out, mass, numbers, buckets, values, blocked, lanes, same, nothing
):
    """``out[h] -= values[bucket[h]] * (mass[h] - blocked + lanes[same[h]])`` for listed hands.

    Args:
        out: address of ``[hands, 16]``.
        mass: address of ``[hands, 16]``.
        numbers: address of the hands' int64 numbers, until -1.
        buckets: address of ``[hands]`` uint8.
        values: address of ``[buckets, 16]``.
        blocked: address of a lane row.
        lanes: address of the opponent's ``[hands, 16]``.
        same: address of ``[hands]`` int64, the same hand of the opponent, -1 for none.
        nothing: address of a lane row of zeros.
    """

    def generate(context, builder, signature, args):
        code = VectorCode(context, builder, LANES)
        out, mass, numbers, buckets, values, blocked, lanes, same, nothing = args
        less = code.load(blocked)

        def subtract(hand):
            theirs = code.load(code.at(same, builder.shl(hand, _of_int64(3))), _INT64)
            is_hand = builder.icmp_signed(">=", theirs, _of_int64(0))
            own = code.load(builder.select(is_hand, _lane_row(code, lanes, theirs), nothing))
            met = builder.fadd(builder.fsub(code.load(_lane_row(code, mass, hand)), less), own)
            value = code.load(_lane_row_of(code, values, buckets, hand, _BYTE))
            place = _lane_row(code, out, hand)
            code.store(builder.fsub(code.load(place), builder.fmul(value, met)), place)

        _each_listed(code, numbers, subtract)
        return context.get_dummy_value()

    return _of_addresses(9), generate


# --------------------------------------------------------------------------------------------------
# Vector instructions for rows of buckets: quotients, and products with a matrix.
#
# A *bucket row* holds one number for each bucket, padded to a multiple of `ROW_BLOCK`. As in
# `simd_kernels`, everything takes addresses and **checks nothing**; `bucket_game_kernels` and
# `crossing_kernels` are the only users; `tests/holdem/test_bucket_simd_kernels.py` compares every
# function with plain loops.


# The bodies build LLVM code and have llvmlite's types, which are not annotated.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc"


ROW_BLOCK = 16
#: Lists of rows that are multiplied are padded to a multiple of it.
PRODUCT_BLOCK = 8

#: Nothing is met where less is.
SMALLEST_MET = 1e-30

#: Rows whose sums, factors and a line of the matrix fit into the registers, by a vector's width.
_ROWS_AT_ONCE = {16: 4, 8: 2, 4: 1}


@vector_intrinsic
def divide(typing_context, out, numerator, row_bytes):
    """``out = numerator / out`` in a bucket row; 0 where ``out`` is nothing."""

    def generate(context, builder, _, args):
        code = VectorCode(context, builder)
        out, numerator, row_bytes = args

        def one(offset):
            met = code.load(code.at(out, offset))
            is_met = builder.fcmp_ordered(">", met, code.constant(SMALLEST_MET))
            safe = builder.select(is_met, met, code.constant(1.0))
            share = builder.fdiv(code.load(code.at(numerator, offset)), safe)
            code.store(builder.select(is_met, share, code.zero), code.at(out, offset))

        code.each(row_bytes, one)
        return context.get_dummy_value()

    return types.void(*[types.int64] * 3), generate


def _multiply_columns(code, args, num_vectors, begin):
    """Multiplies some rows with some columns of the matrix; sums stay in registers."""
    builder = code.builder
    matrix, row_bytes, inputs, outputs, scales, adds = args
    num_rows = _ROWS_AT_ONCE[code.width]
    sums = [[code.slot() for _ in range(num_vectors)] for _ in range(num_rows)]
    for slot in (slot for row in sums for slot in row):
        builder.store(code.zero, slot)
    num_buckets = builder.udiv(row_bytes, ir.Constant(INT64, FLOAT_BYTES))
    with cgutils.for_range(builder, num_buckets, intp=INT64) as loop:
        offset = builder.mul(loop.index, ir.Constant(INT64, FLOAT_BYTES))
        line = builder.add(builder.add(matrix, builder.mul(loop.index, row_bytes)), begin)
        factors = [code.spread(code.load(code.at(row, offset), FLOAT)) for row in inputs]
        for i in range(num_vectors):
            entry = code.load(code.at(line, code.bytes * i))
            for row in range(num_rows):
                old = builder.load(sums[row][i])
                builder.store(code.multiply_add(factors[row], entry, old), sums[row][i])
    for row in range(num_rows):
        for i in range(num_vectors):
            out = code.at(builder.add(outputs[row], begin), code.bytes * i)
            scaled = builder.fmul(builder.load(sums[row][i]), scales[row])
            if adds:
                scaled = builder.fadd(code.load(out), scaled)
            code.store(scaled, out)


def _make_multiply(adds):
    """Returns code that multiplies `PRODUCT_BLOCK` rows with a square matrix."""

    def generate(context, builder, _, args):
        code = VectorCode(context, builder)
        matrix, row_bytes, x, row, out, node, scale = args
        per_block = _ROWS_AT_ONCE[code.width]
        of_three = ir.Constant(INT64, 3 * ROW_BLOCK * FLOAT_BYTES)
        of_one = ir.Constant(INT64, ROW_BLOCK * FLOAT_BYTES)
        for first in range(0, PRODUCT_BLOCK, per_block):
            chosen = range(first, first + per_block)

            def place(base, numbers, i):
                number = code.load(code.at(numbers, INT32_BYTES * i), INT32)
                return builder.add(base, builder.mul(builder.sext(number, INT64), row_bytes))

            inputs = [place(x, row, i) for i in chosen]
            outputs = [place(out, node, i) for i in chosen]
            scales = [
                code.spread(code.load(code.at(scale, FLOAT_BYTES * i), FLOAT)) for i in chosen
            ]
            parts = matrix, row_bytes, inputs, outputs, scales, adds
            num_wide = builder.udiv(row_bytes, of_three)
            with cgutils.for_range(builder, num_wide, intp=INT64) as loop:
                begin = builder.mul(loop.index, of_three)
                _multiply_columns(code, parts, 3 * ROW_BLOCK // code.width, begin)
            done = builder.mul(num_wide, of_three)
            rest = builder.udiv(builder.sub(row_bytes, done), of_one)
            with cgutils.for_range(builder, rest, intp=INT64) as loop:
                begin = builder.add(done, builder.mul(loop.index, of_one))
                _multiply_columns(code, parts, ROW_BLOCK // code.width, begin)
        return context.get_dummy_value()

    return types.void(*[types.int64] * 7), generate


@vector_intrinsic
def multiply(typing_context, matrix, row_bytes, x, row, out, node, scale):
    """``out[node[i]] = scale[i] * (x[row[i]] @ matrix)`` for `PRODUCT_BLOCK` rows.

    Args:
        matrix: address of ``[K, K]``.
        row_bytes: of a bucket row.
        x: address of the rows that are multiplied.
        row: address of eight int32, their numbers.
        out: address of the rows that are set.
        node: address of eight int32, their numbers.
        scale: address of eight float32.
    """
    return _make_multiply(adds=False)


@vector_intrinsic
def multiply_add(typing_context, matrix, row_bytes, x, row, out, node, scale):
    """Like `multiply`, adding to what is in the rows."""
    return _make_multiply(adds=True)


# --------------------------------------------------------------------------------------------------
# Compiled ways from rows of hands or buckets to lanes, and back.
#
# Sixteen rows stand side by side as *lanes*: a lane row holds one number of each, so that what is
# done to all of them for one hand is one vector instruction.


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
