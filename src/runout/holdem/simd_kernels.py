"""Sixteen rows side by side: LLVM vector instructions that plain loops do not become.

A *lane row* holds one number of each of `LANES` terminals, or ways to enter a river. Sums over the
opponent's hands are lane rows of float64, the numbers that go in and come out are float32;
`lane_simd_kernels` has what needs float32 alone. Everything here takes addresses of memory and
**checks nothing**: callers pass rows padded to a multiple of `ROW_BLOCK` hands. `lane_kernels` and
`terminal_kernels` are the only users; `tests/holdem/test_simd_kernels.py` compares every function
with plain loops.
"""

# The bodies build LLVM code and have llvmlite's types, which are not annotated.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc"

import platform

from llvmlite import ir
from numba.core import cgutils, types

from runout.holdem.vector_kernels import vector_intrinsic

LANES = 16
ROW_BLOCK = 8  # rows that are transposed at once; half of the lanes
LANE_ROW_BYTES = LANES * 4
SUM_ROW_BYTES = LANES * 8
#: Hands that hold a card.
MAX_LISTED = 51

_FLOAT, _DOUBLE = ir.FloatType(), ir.DoubleType()
_INT32, _INT64 = ir.IntType(32), ir.IntType(64)
_LANE_ROW = ir.VectorType(_FLOAT, LANES)
_SUM_ROW = ir.VectorType(_DOUBLE, LANES)
_BLOCK = ir.VectorType(_FLOAT, ROW_BLOCK)
_FLOAT_BYTES, _DOUBLE_BYTES = 4, 8

_IS_X86 = platform.machine().lower() in {"x86_64", "amd64"}


def _load(builder, address, vector, align):
    return builder.load(builder.inttoptr(address, vector.as_pointer()), align=align)


def _store(builder, value, address, vector, align):
    builder.store(value, builder.inttoptr(address, vector.as_pointer()), align=align)


def _load_sum(builder, address):
    return _load(builder, address, _SUM_ROW, _DOUBLE_BYTES)


def _load_lanes(builder, address):
    return builder.fpext(_load(builder, address, _LANE_ROW, _FLOAT_BYTES), _SUM_ROW)


def _store_lanes(builder, value, address):
    _store(builder, builder.fptrunc(value, _LANE_ROW), address, _LANE_ROW, _FLOAT_BYTES)


def _address_at(builder, addresses, i):
    index = ir.Constant(_INT64, i) if isinstance(i, int) else i
    offset = builder.mul(index, ir.Constant(_INT64, 8))
    return _load(builder, builder.add(addresses, offset), _INT64, 8)


def _void(num_addresses):
    return types.void(*([types.int64] * num_addresses))


@vector_intrinsic
def clear_sum(typing_context, sum_row):
    """Sets a row of sums to zero."""

    def generate(context, builder, signature, args):
        _store(builder, ir.Constant(_SUM_ROW, None), args[0], _SUM_ROW, _DOUBLE_BYTES)
        return context.get_dummy_value()

    return _void(1), generate


@vector_intrinsic
def add_hand(typing_context, hand, total, by_first_card, by_second_card):
    """Adds a hand's lane row to the total and to the sums of its two cards."""

    def generate(context, builder, signature, args):
        lanes = _load_lanes(builder, args[0])
        for address in args[1:]:
            added = builder.fadd(_load_sum(builder, address), lanes)
            _store(builder, added, address, _SUM_ROW, _DOUBLE_BYTES)
        return context.get_dummy_value()

    return _void(4), generate


def _unblocked(builder, args):
    """The total without the hands that hold one of two cards."""
    total, by_first, by_second = (_load_sum(builder, address) for address in args)
    return builder.fsub(builder.fsub(total, by_first), by_second)


@vector_intrinsic
def set_unblocked(typing_context, out, total, by_first_card, by_second_card):
    """Sets ``out`` to the total without the hands that hold one of two cards."""

    def generate(context, builder, signature, args):
        _store_lanes(builder, _unblocked(builder, args[1:]), args[0])
        return context.get_dummy_value()

    return _void(4), generate


@vector_intrinsic
def subtract_unblocked(typing_context, out, total, by_first_card, by_second_card):
    """Subtracts the total without the hands that hold one of two cards from ``out``."""

    def generate(context, builder, signature, args):
        old = _load_lanes(builder, args[0])
        _store_lanes(builder, builder.fsub(old, _unblocked(builder, args[1:])), args[0])
        return context.get_dummy_value()

    return _void(4), generate


@vector_intrinsic
def set_unblocked_but_same(typing_context, out, total, by_first_card, by_second_card, same):
    """Like `set_unblocked` where the opponent can hold the same two cards: taken out once only."""

    def generate(context, builder, signature, args):
        rest = builder.fadd(_unblocked(builder, args[1:4]), _load_lanes(builder, args[4]))
        _store_lanes(builder, rest, args[0])
        return context.get_dummy_value()

    return _void(5), generate


@vector_intrinsic
def sum_listed(typing_context, out, rows, numbers):
    """Sets a row of sums to that of the lane rows whose int64 numbers stand in a list, until -1."""

    def generate(context, builder, signature, args):
        out, rows, numbers = args
        total = cgutils.alloca_once(builder, _SUM_ROW)
        builder.store(ir.Constant(_SUM_ROW, None), total)
        with cgutils.for_range(builder, ir.Constant(_INT64, MAX_LISTED), intp=_INT64) as loop:
            number = _address_at(builder, numbers, loop.index)
            with builder.if_then(builder.icmp_signed("<", number, ir.Constant(_INT64, 0))):
                loop.do_break()
            offset = builder.mul(number, ir.Constant(_INT64, LANE_ROW_BYTES))
            row = _load_lanes(builder, builder.add(rows, offset))
            builder.store(builder.fadd(builder.load(total), row), total)
        _store(builder, builder.load(total), out, _SUM_ROW, _DOUBLE_BYTES)
        return context.get_dummy_value()

    return _void(3), generate


@vector_intrinsic
def sum_halves(typing_context, out, sums, number):
    """Sets a row of sums to half of the sum of rows that follow each other."""

    def generate(context, builder, signature, args):
        out, sums, number = args
        total = cgutils.alloca_once(builder, _SUM_ROW)
        builder.store(ir.Constant(_SUM_ROW, None), total)
        with cgutils.for_range(builder, number, intp=_INT64) as loop:
            offset = builder.mul(loop.index, ir.Constant(_INT64, SUM_ROW_BYTES))
            row = _load_sum(builder, builder.add(sums, offset))
            builder.store(builder.fadd(builder.load(total), row), total)
        half = builder.fmul(builder.load(total), ir.Constant(_SUM_ROW, [0.5] * LANES))
        _store(builder, half, out, _SUM_ROW, _DOUBLE_BYTES)
        return context.get_dummy_value()

    return _void(3), generate


def _shuffle(builder, left, right, indices):
    mask = ir.Constant(ir.VectorType(_INT32, ROW_BLOCK), indices)
    return builder.shuffle_vector(left, right, mask)


def transpose_block(builder, rows):
    """Turns eight rows of eight numbers into eight columns, by three rounds of exchanges."""
    pairs = []
    for i in range(0, 8, 2):
        for indices in ([0, 8, 1, 9, 4, 12, 5, 13], [2, 10, 3, 11, 6, 14, 7, 15]):
            pairs.append(_shuffle(builder, rows[i], rows[i + 1], indices))
    fours = []
    for i in (0, 1, 4, 5):
        for indices in ([0, 1, 8, 9, 4, 5, 12, 13], [2, 3, 10, 11, 6, 7, 14, 15]):
            fours.append(_shuffle(builder, pairs[i], pairs[i + 2], indices))
    low, high = [0, 1, 2, 3, 8, 9, 10, 11], [4, 5, 6, 7, 12, 13, 14, 15]
    return [
        _shuffle(builder, fours[i], fours[i + 4], indices)
        for indices in (low, high)
        for i in range(4)
    ]


@vector_intrinsic
def rows_to_lanes(typing_context, rows, offset, out):
    """Writes eight hands of eight rows as half lane rows.

    Args:
        rows: address of the eight rows' addresses.
        offset: bytes from the beginning of a row to the first of the eight hands.
        out: address of the first of eight lane rows, or of their second half.
    """

    def generate(context, builder, signature, args):
        rows, offset, out = args
        block = [
            _load(builder, builder.add(_address_at(builder, rows, i), offset), _BLOCK, _FLOAT_BYTES)
            for i in range(ROW_BLOCK)
        ]
        for column in transpose_block(builder, block):
            _store(builder, column, out, _BLOCK, _FLOAT_BYTES)
            out = builder.add(out, ir.Constant(_INT64, LANE_ROW_BYTES))
        return context.get_dummy_value()

    return _void(3), generate


def _make_lanes_to_rows(adds):
    def generate(context, builder, signature, args):
        lanes, rows, offset, scales = args
        block = []
        for _ in range(ROW_BLOCK):
            block.append(_load(builder, lanes, _BLOCK, _FLOAT_BYTES))
            lanes = builder.add(lanes, ir.Constant(_INT64, LANE_ROW_BYTES))
        for i, row in enumerate(transpose_block(builder, block)):
            address = builder.add(scales, ir.Constant(_INT64, _FLOAT_BYTES * i))
            scale = _load(builder, address, _FLOAT, _FLOAT_BYTES)
            undefined = ir.Constant(_BLOCK, ir.Undefined)
            first = builder.insert_element(undefined, scale, ir.Constant(_INT32, 0))
            scaled = builder.fmul(row, _shuffle(builder, first, undefined, [0] * ROW_BLOCK))
            out = builder.add(_address_at(builder, rows, i), offset)
            if adds:
                scaled = builder.fadd(_load(builder, out, _BLOCK, _FLOAT_BYTES), scaled)
            _store(builder, scaled, out, _BLOCK, _FLOAT_BYTES)
        return context.get_dummy_value()

    return generate


@vector_intrinsic
def lanes_to_rows(typing_context, lanes, rows, offset, scales):
    """Writes half lane rows of eight hands into eight rows, each times its scale.

    Args:
        lanes: address of the first of eight lane rows, or of their second half.
        rows: address of the eight rows' addresses.
        offset: bytes from the beginning of a row to the first of the eight hands.
        scales: address of eight float32 factors.
    """
    return _void(4), _make_lanes_to_rows(adds=False)


@vector_intrinsic
def add_lanes_to_rows(typing_context, lanes, rows, offset, scales):
    """Like `lanes_to_rows`, adding to what is in the rows."""
    return _void(4), _make_lanes_to_rows(adds=True)


@vector_intrinsic
def set_float_mode(typing_context, mode):
    """Sets the processor's floating-point mode and returns the one before; only x86 has it."""

    def generate(context, builder, signature, args):
        if not _IS_X86:
            return args[0]
        of_pointer = ir.FunctionType(ir.VoidType(), [ir.IntType(8).as_pointer()])
        store = cgutils.get_or_insert_function(builder.module, of_pointer, "llvm.x86.sse.stmxcsr")
        load = cgutils.get_or_insert_function(builder.module, of_pointer, "llvm.x86.sse.ldmxcsr")
        slot = cgutils.alloca_once(builder, _INT32)
        pointer = builder.bitcast(slot, ir.IntType(8).as_pointer())
        builder.call(store, [pointer])
        old = builder.load(slot)
        builder.store(args[0], slot)
        builder.call(load, [pointer])
        return old

    return types.uint32(types.uint32), generate
