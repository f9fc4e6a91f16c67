"""Matrix products whose bits depend on the numbers alone.

Every number of a product is one sum, from the first term to the last. How many rows are multiplied
at once, where they lie in memory and how wide the processor's registers are changes no bit. A term
is multiplied and added with one rounding where the processor has an instruction for that (every
x86 since 2013, every 64-bit Arm) and with two elsewhere.

A large right matrix comes as *panels*: columns side by side, as many as fill registers, row after
row. A small one, of buckets, comes as it is: a *bucket row* holds one number for each bucket,
padded to a multiple of `ROW_BLOCK`.
"""

from functools import partial

import numpy as np

from runout.arrays import Float32Array, Int32Array, IntArray, RealArray
from runout.jit import kernel, processor
from runout.simd.vector_kernels import FLOAT_BYTES, fused_kernel, ir, vectorised

# The functions that write LLVM code have llvmlite's types, which are not annotated.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc"

#: Of a row of a panel: with the six rows of a block, as much as the registers hold.
PANEL_BYTES = 128 if "+avx512f" in processor()[1] else 64

#: Rows of panels, and by a vector's width of buckets, whose sums, factors and a line of the matrix
#: fit into the registers.
_ROWS_PER_BLOCK, _BUCKET_ROWS = 6, {16: 4, 8: 2, 4: 1}

ROW_BLOCK = 16
#: Lists of bucket rows that are multiplied are padded to a multiple of it.
PRODUCT_BLOCK = 8

_ZERO = np.float32(0.0)


def _write_sums(code, lefts, lines, depth, columns, lanes, size):
    """Returns the product of some rows with some columns of a matrix; sums stay in registers.

    Args:
        code: writes the instructions.
        lefts: addresses of the rows.
        lines: the address of the matrix, and bytes from one of its lines to the next.
        depth: number of lines.
        columns: bytes from the beginning of a line to each vector of type ``lanes``.
        size: bytes of a number.
    """
    builder, (start, line_bytes) = code.builder, lines
    sums = [[code.slot(lanes) for _ in columns] for _ in lefts]

    def add(k):
        line, place = code.at(start, code.times(k, line_bytes)), code.times(k, size)
        factors = [
            code.spread(code.load(code.at(row, place), lanes.element, size), lanes) for row in lefts
        ]
        for i, offset in enumerate(columns):
            entry = code.load(code.at(line, offset), lanes, size)
            for factor, row in zip(factors, sums, strict=True):
                builder.store(code.multiply_add(factor, entry, builder.load(row[i])), row[i])

    code.each(depth, add)
    return [[builder.load(total) for total in row] for row in sums]


def _write_multiply_rows(code, left, rows, panels, product):
    size, depth = panels.kind.bitwidth // 8, panels.shape[1]
    lanes = ir.VectorType(code.context.get_data_type(panels.kind), PANEL_BYTES // size)

    def multiply_panel(index):
        offset = code.times(index, PANEL_BYTES)
        panel = code.at(panels.start, code.times(offset, depth)), PANEL_BYTES

        def multiply_block(first):
            places = code.numbers_from(first, _ROWS_PER_BLOCK, rows.shape[0])
            lefts = [code.row(left, code.number(rows, i)) for i in places]
            sums = _write_sums(code, lefts, panel, depth, [0], lanes, size)
            for i, (total,) in zip(places, sums, strict=True):
                code.store(total, code.at(code.row(product, i), offset), size)

        code.each(rows.shape[0], multiply_block, step=_ROWS_PER_BLOCK)

    code.each(panels.shape[0], multiply_panel)


@vectorised(_write_multiply_rows, fused=True)
def multiply_panels(
    left: RealArray, rows: IntArray | Int32Array, panels: RealArray, out_product: RealArray
) -> None:
    """What `multiply_rows` does, for kernels only."""
    width = panels.shape[2]
    for number in range(panels.shape[0]):
        for i in range(rows.shape[0]):
            row, out = left[rows[i]], out_product[i]
            begin = number * width
            out[begin : begin + width] = 0.0
            for k in range(panels.shape[1]):
                factor, line = row[k], panels[number, k]
                for j in range(width):
                    out[begin + j] += factor * line[j]


@kernel
def multiply_rows(
    left: RealArray, rows: IntArray | Int32Array, panels: RealArray, out_product: RealArray
) -> None:
    """Sets row i of ``out_product`` to row ``rows[i]`` of ``left`` times a matrix.

    Args:
        left: ``[n, K]`` rows without gaps.
        rows: ``[m]`` numbers of rows.
        panels: ``[P, K, W]`` the matrix as `runout.simd.products.pack_panels` makes it.
        out_product: ``[m, P * W]`` without gaps; 0 in columns that the matrix does not have.
    """
    multiply_panels(left, rows, panels, out_product)


def _write_multiply_buckets(code, matrix, x, targets, adds, out):
    builder, per_block, (nodes, rows, scales) = code.builder, _BUCKET_ROWS[code.width], targets
    row_bytes, narrow = code.times(matrix.shape[1], FLOAT_BYTES), ROW_BLOCK * FLOAT_BYTES
    wide = 3 * narrow
    rest = code.times(builder.udiv(row_bytes, code.whole(wide)), wide)

    def multiply_some(is_added, first):
        chosen = [code.at(first, i) for i in range(per_block)]
        lefts = [code.row(x, code.number(rows, i)) for i in chosen]
        outs = [code.row(out, code.number(nodes, i)) for i in chosen]
        factors = [code.spread(code.number(scales, i)) for i in chosen]

        def multiply_columns(num_bytes, begin):
            columns, lines = range(0, num_bytes, code.bytes), code.at(matrix.start, begin)
            lanes = code.vector, FLOAT_BYTES
            sums = _write_sums(code, lefts, (lines, row_bytes), matrix.shape[0], columns, *lanes)
            for node, factor, row in zip(outs, factors, sums, strict=True):
                for offset, total in zip(columns, row, strict=True):
                    place = code.at(code.at(node, begin), offset)
                    scaled = builder.fmul(total, factor)
                    if is_added:
                        scaled = builder.fadd(code.load(place), scaled)
                    code.store(scaled, place)

        code.each(rest, partial(multiply_columns, wide), step=wide)
        code.each(row_bytes, partial(multiply_columns, narrow), rest, narrow)

    code.either(
        adds,
        lambda is_added: code.each(rows.shape[0], partial(multiply_some, is_added), step=per_block),
    )


@vectorised(_write_multiply_buckets)
def multiply_buckets(
    matrix: Float32Array,
    x: Float32Array,
    targets: tuple[Int32Array, Int32Array, Float32Array],
    adds: bool,
    out: Float32Array,
) -> None:
    """Sets ``out[nodes[i]]`` to ``scales[i] * (x[rows[i]] @ matrix)``, or adds it; rows have K.

    ``targets`` is a NamedTuple of nodes, rows and scales ``[n]``, padded to a multiple of
    `PRODUCT_BLOCK`; the matrix is ``[K, K]``.
    """
    nodes, rows, scales = targets
    product = np.empty(matrix.shape[1], np.float32)
    for i in range(rows.shape[0]):
        product[:] = _ZERO
        for k in range(matrix.shape[0]):
            _add_times(x[rows[i], k], matrix[k], product)
        row = out[nodes[i]]
        for j in range(row.shape[0]):
            scaled = product[j] * scales[i]
            row[j] = row[j] + scaled if adds else scaled


@fused_kernel
def _add_times(factor: np.float32, line: Float32Array, out_sum: Float32Array) -> None:
    for j in range(out_sum.shape[0]):
        out_sum[j] += factor * line[j]
