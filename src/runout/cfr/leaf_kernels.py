"""Compiled moves between tree rows and the rows of the leaves' matrix products."""

from runout.arrays import IntArray, RealArray
from runout.jit import kernel


@kernel
def gather_rows(source: RealArray, rows: IntArray, out_rows: RealArray) -> None:
    """Sets ``out_rows[n, H]`` to the chosen rows of ``source``."""
    for i in range(rows.shape[0]):
        row, out_row = source[rows[i]], out_rows[i]
        for hand in range(row.shape[0]):
            out_row[hand] = row[hand]


@kernel
def scatter_scaled_rows(
    source: RealArray,
    position: IntArray,
    scale: RealArray,
    node: IntArray,
    out_value: RealArray,
) -> None:
    """Sets row ``node[i]`` of ``out_value[N, H]`` to ``scale[i]`` times ``source[position[i]]``."""
    for i in range(node.shape[0]):
        row, out_row, factor = source[position[i]], out_value[node[i]], scale[i]
        for hand in range(row.shape[0]):
            out_row[hand] = factor * row[hand]
