"""Vector instructions for bucket games: lanes of hands, rows of buckets, products with a matrix.

A *lane row* holds one number for each way to enter the river, padded to a multiple of
`LANE_BLOCK`; a *bucket row* one number for each bucket, padded to a multiple of `ROW_BLOCK`.
Plain loops over so many arrays are not vectorised, because any two of them might overlap. As in
`simd_kernels`, everything takes addresses and **checks nothing**; `bucket_game_kernels` and
`crossing_kernels` are the only users; `tests/holdem/test_bucket_simd_kernels.py` compares every
function with plain loops.
"""

# The bodies build LLVM code and have llvmlite's types, which are not annotated.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc"

from llvmlite import ir
from numba.core import cgutils, types

from runout.holdem.simd_kernels import transpose_block
from runout.holdem.vector_kernels import (
    ADDRESS_BYTES,
    FLOAT,
    FLOAT_BYTES,
    INT32,
    INT32_BYTES,
    INT64,
    VectorCode,
    vector_intrinsic,
)

LANE_BLOCK = 8
ROW_BLOCK = 16
#: Lists of rows that are multiplied are padded to a multiple of it.
PRODUCT_BLOCK = 8

#: Nothing is met where less is.
SMALLEST_MET = 1e-30

#: Rows whose sums, factors and a line of the matrix fit into the registers, by a vector's width.
_ROWS_AT_ONCE = {16: 4, 8: 2, 4: 1}


def _each_lane(context, builder, num_bytes, body):
    """Calls ``body(code, offset)`` for every vector of a lane row, the last one a block wide."""
    rest = VectorCode(context, builder, LANE_BLOCK)
    code = VectorCode(context, builder)
    wide = code if code.width > LANE_BLOCK else rest
    wide.each_with_rest(num_bytes, rest, body)


def _elementwise(num_rows, num_scalars, compute):
    """Returns what an intrinsic needs that sets a lane row from rows and float32 scalars.

    The first address is the row that is set; the last argument is the number of bytes.
    """
    signature = types.void(
        *([types.int64] * num_rows), *([types.float32] * num_scalars), types.int64
    )

    def generate(context, builder, _, args):
        rows, scalars, num_bytes = args[:num_rows], args[num_rows:-1], args[-1]

        def one(code, offset):
            loaded = [code.load(code.at(row, offset)) for row in rows]
            factors = [code.spread(scalar) for scalar in scalars]
            code.store(compute(code, *loaded, *factors), code.at(rows[0], offset))

        _each_lane(context, builder, num_bytes, one)
        return context.get_dummy_value()

    return signature, generate


@vector_intrinsic
def add(typing_context, out, row, num_bytes):
    """``out += row``."""
    return _elementwise(2, 0, lambda code, out, row: code.builder.fadd(out, row))


@vector_intrinsic
def add_scaled(typing_context, out, row, scale, num_bytes):
    """``out += row * scale``."""
    return _elementwise(2, 1, lambda code, out, row, scale: code.multiply_add(row, scale, out))


@vector_intrinsic
def set_unblocked(typing_context, out, total, by_first_card, by_second_card, num_bytes):
    """``out = total - by_first_card - by_second_card``."""

    def compute(code, _, total, first, second):
        return code.builder.fsub(code.builder.fsub(total, first), second)

    return _elementwise(4, 0, compute)


@vector_intrinsic
def add_met(typing_context, out, value, mass, first, second, times, num_bytes):
    """``out += value * (times * mass + first + second)``."""

    def compute(code, out, value, mass, first, second, times):
        met = code.multiply_add(mass, times, code.builder.fadd(first, second))
        return code.multiply_add(value, met, out)

    return _elementwise(5, 1, compute)


@vector_intrinsic
def subtract_met(typing_context, out, value, mass, blocked, same, num_bytes):
    """``out -= value * (mass - blocked + same)``."""

    def compute(code, out, value, mass, blocked, same):
        met = code.builder.fadd(code.builder.fsub(mass, blocked), same)
        return code.builder.fsub(out, code.builder.fmul(value, met))

    return _elementwise(5, 0, compute)


@vector_intrinsic
def add_hand(typing_context, total, by_first_card, by_second_card, row, num_bytes):
    """Adds a row to three others."""

    def generate(context, builder, _, args):
        def one(code, offset):
            row = code.load(code.at(args[3], offset))
            for address in args[:3]:
                out = code.at(address, offset)
                code.store(builder.fadd(code.load(out), row), out)

        _each_lane(context, builder, args[4], one)
        return context.get_dummy_value()

    return types.void(*[types.int64] * 5), generate


@vector_intrinsic
def rows_to_lanes(typing_context, rows, offset, out, lane_bytes, scale):
    """Writes eight numbers of eight rows as one block of eight lane rows, times a scale.

    Args:
        rows: address of the eight rows' addresses.
        offset: bytes from the beginning of a row to the first of the eight numbers.
        out: address of the block in the first lane row.
        lane_bytes: from one lane row to the next.
        scale: float32.
    """

    def generate(context, builder, _, args):
        code = VectorCode(context, builder, LANE_BLOCK)
        rows, offset, out, lane_bytes, scale = args
        addresses = [code.load(code.at(rows, ADDRESS_BYTES * i), INT64) for i in range(LANE_BLOCK)]
        factor = code.spread(scale)
        block = [code.load(builder.add(address, offset)) for address in addresses]
        for column in transpose_block(builder, block):
            code.store(builder.fmul(column, factor), out)
            out = builder.add(out, lane_bytes)
        return context.get_dummy_value()

    return types.void(*[types.int64] * 4, types.float32), generate


@vector_intrinsic
def lanes_to_rows(typing_context, lanes, lane_bytes, rows, offset):
    """The reverse of `rows_to_lanes`, without a scale."""

    def generate(context, builder, _, args):
        code = VectorCode(context, builder, LANE_BLOCK)
        lanes, lane_bytes, rows, offset = args
        block = []
        for _ in range(LANE_BLOCK):
            block.append(code.load(lanes))
            lanes = builder.add(lanes, lane_bytes)
        for i, row in enumerate(transpose_block(builder, block)):
            address = code.load(code.at(rows, ADDRESS_BYTES * i), INT64)
            code.store(row, builder.add(address, offset))
        return context.get_dummy_value()

    return types.void(*[types.int64] * 4), generate


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
