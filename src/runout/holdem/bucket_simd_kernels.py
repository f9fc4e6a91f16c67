"""Vector instructions for rows of buckets: quotients, and products with a matrix.

A *bucket row* holds one number for each bucket, padded to a multiple of `ROW_BLOCK`. As in
`simd_kernels`, everything takes addresses and **checks nothing**; `bucket_game_kernels` and
`crossing_kernels` are the only users; `tests/holdem/test_bucket_simd_kernels.py` compares every
function with plain loops.
"""

# The bodies build LLVM code and have llvmlite's types, which are not annotated.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc"

from llvmlite import ir
from numba.core import cgutils, types

from runout.holdem.vector_kernels import (
    FLOAT,
    FLOAT_BYTES,
    INT32,
    INT32_BYTES,
    INT64,
    VectorCode,
    vector_intrinsic,
)

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
