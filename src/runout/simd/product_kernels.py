"""Matrix products whose bits depend on the numbers alone.

Every number of a product is one sum, from the first term to the last. How many rows are multiplied
at once, where they lie in memory and how wide the processor's registers are changes no bit. A term
is multiplied and added with one rounding where the processor has an instruction for that (every
x86 since 2013, every 64-bit Arm) and with two elsewhere.

The right matrix comes as *panels*: columns side by side, as many as fill registers, row after row.
"""

import llvmlite.binding
import numba
from llvmlite import ir

from runout.arrays import Int32Array, IntArray, RealArray
from runout.jit import kernel
from runout.simd.vector_kernels import vectorised

# The functions that write LLVM code have llvmlite's types, which are not annotated.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc"

#: What kernels are compiled for. Numba keys its cache on it, so this cannot outlive a change.
_FEATURES = numba.config.CPU_FEATURES  # type: ignore[attr-defined]
if _FEATURES is None:
    _FEATURES = llvmlite.binding.get_host_cpu_features().flatten()

#: Of a row of a panel: with the six rows of a block, as much as the registers hold.
PANEL_BYTES = 128 if "+avx512f" in _FEATURES else 64

_ROWS_PER_BLOCK = 6
_MAY_ROUND_ONCE = ("contract",)


def _write_multiply_rows(code, left, rows, panels, product):
    builder, size = code.builder, panels.kind.bitwidth // 8
    number = code.context.get_data_type(panels.kind)
    lanes, depth = ir.VectorType(number, PANEL_BYTES // size), panels.shape[1]
    last = builder.sub(rows.shape[0], code.whole(1))

    def multiply_panel(index):
        offset = code.times(index, PANEL_BYTES)
        panel = code.at(panels.start, code.times(offset, depth))

        def multiply_block(first):
            places = [code.at(first, i) for i in range(_ROWS_PER_BLOCK)]
            # The last block repeats the last row.
            places = [builder.select(builder.icmp_signed("<", i, last), i, last) for i in places]
            lefts = [code.row(left, code.number(rows, i)) for i in places]
            sums = [code.slot(lanes) for _ in places]

            def add(k):
                right = code.load(code.at(panel, code.times(k, PANEL_BYTES)), lanes, size)
                for row, total in zip(lefts, sums, strict=True):
                    factor = code.load(code.at(row, code.times(k, size)), number, size)
                    term = builder.fmul(code.spread(factor, lanes), right, flags=_MAY_ROUND_ONCE)
                    added = builder.fadd(builder.load(total), term, flags=_MAY_ROUND_ONCE)
                    builder.store(added, total)

            code.each(depth, add)
            for i, total in zip(places, sums, strict=True):
                code.store(builder.load(total), code.at(code.row(product, i), offset), size)

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
