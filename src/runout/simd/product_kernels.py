"""Matrix products whose bits depend on the numbers alone.

Every number of a product is one sum, from the first term to the last. How many rows are multiplied
at once, where they lie in memory and how wide the processor's registers are changes no bit. A term
is multiplied and added with one rounding where the processor has an instruction for that (every
x86 since 2013, every 64-bit Arm) and with two elsewhere.

The right matrix comes as *panels*: columns side by side, as many as fill registers, row after row.
The vector instructions take addresses and **check nothing**; `multiply_rows` is their only user.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from runout.arrays import Int32Array, IntArray, RealArray
from runout.jit import HAS_WIDE_REGISTERS, kernel

# The bodies build LLVM code and have llvmlite's types, which are not annotated.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc"


#: Of a row of a panel: with the six rows of a block, as much as the registers hold.
PANEL_BYTES = 128 if HAS_WIDE_REGISTERS else 64

_ROWS_PER_BLOCK = 6
_ADDRESS_BYTES = 8
_INT32, _INT64 = ir.IntType(32), ir.IntType(64)
_FLOAT_BYTES = 4
_MAY_ROUND_ONCE = ("contract",)


def _load(builder, address, kind, align):
    return builder.load(builder.inttoptr(address, kind.as_pointer()), align=align)


def _make_block_product(number, number_bytes):
    """Returns the product of `_ROWS_PER_BLOCK` rows and a panel, for one type of numbers."""
    num_lanes = PANEL_BYTES // number_bytes
    lanes = ir.VectorType(number, num_lanes)
    everywhere = ir.Constant(ir.VectorType(_INT32, num_lanes), [0] * num_lanes)

    def at_index(builder, base, index, size):
        return builder.add(base, builder.mul(index, ir.Constant(_INT64, size)))

    def address_of(builder, table, i):
        return _load(builder, at_index(builder, table, ir.Constant(_INT64, i), 8), _INT64, 8)

    def generate(context, builder, signature, args):
        row_table, panel, depth, out_table = args
        rows = [address_of(builder, row_table, i) for i in range(_ROWS_PER_BLOCK)]
        # LLVM turns the variables of the loop into registers.
        sums = [cgutils.alloca_once_value(builder, ir.Constant(lanes, None)) for _ in rows]
        undefined = ir.Constant(lanes, ir.Undefined)
        with cgutils.for_range(builder, depth) as loop:
            of_panel = at_index(builder, panel, loop.index, PANEL_BYTES)
            right = _load(builder, of_panel, lanes, number_bytes)
            for row, total in zip(rows, sums, strict=True):
                of_row = at_index(builder, row, loop.index, number_bytes)
                first = builder.insert_element(
                    undefined, _load(builder, of_row, number, number_bytes), ir.Constant(_INT32, 0)
                )
                left = builder.shuffle_vector(first, undefined, everywhere)
                term = builder.fmul(left, right, flags=_MAY_ROUND_ONCE)
                added = builder.fadd(builder.load(total), term, flags=_MAY_ROUND_ONCE)
                builder.store(added, total)
        for i, total in enumerate(sums):
            out = builder.inttoptr(address_of(builder, out_table, i), lanes.as_pointer())
            builder.store(builder.load(total), out, align=number_bytes)
        return context.get_dummy_value()

    def multiply_block(typing_context, row_table, panel, depth, out_table):
        return types.void(types.int64, types.int64, types.int64, types.int64), generate

    return intrinsic(multiply_block)


# Called with addresses only: the first parameter above is numba's own.
_multiply_singles: Any = _make_block_product(ir.FloatType(), _FLOAT_BYTES)
_multiply_doubles: Any = _make_block_product(ir.DoubleType(), 2 * _FLOAT_BYTES)


@kernel
def multiply_rows(
    left: RealArray,
    rows: IntArray | Int32Array,
    panels: RealArray,
    out_product: RealArray,
) -> None:
    """Sets row i of ``out_product`` to row ``rows[i]`` of ``left`` times a matrix.

    Args:
        left: ``[n, K]`` rows without gaps.
        rows: ``[m]`` numbers of rows.
        panels: ``[P, K, W]`` the matrix as `runout.simd.products.pack_panels` makes it.
        out_product: ``[m, P * W]`` without gaps; 0 in columns that the matrix does not have.
    """
    num_rows, depth = rows.shape[0], panels.shape[1]
    row_table = np.empty(_ROWS_PER_BLOCK, np.int64)
    out_table = np.empty(_ROWS_PER_BLOCK, np.int64)
    row_tables, out_tables = np.int64(row_table.ctypes.data), np.int64(out_table.ctypes.data)
    left_start, left_bytes = np.int64(left.ctypes.data), left.shape[1] * left.itemsize
    out_start = np.int64(out_product.ctypes.data)
    out_bytes = out_product.shape[1] * out_product.itemsize
    is_single = left.itemsize == _FLOAT_BYTES
    for number in range(panels.shape[0]):
        panel = np.int64(panels.ctypes.data) + number * depth * PANEL_BYTES
        for first in range(0, num_rows, _ROWS_PER_BLOCK):
            for i in range(_ROWS_PER_BLOCK):
                row = min(first + i, num_rows - 1)  # the last block repeats the last row
                row_table[i] = left_start + rows[row] * left_bytes
                out_table[i] = out_start + row * out_bytes + number * PANEL_BYTES
            if is_single:
                _multiply_singles(row_tables, panel, depth, out_tables)
            else:
                _multiply_doubles(row_tables, panel, depth, out_tables)
