"""Compiled moves from the rows of the leaves' matrix products to the rows of the tree."""

from runout.arrays import IntArray, RealArray
from runout.jit import kernel


@kernel
def scatter_scaled_rows(
    source: RealArray,
    position: IntArray,
    scale: RealArray,
    node: IntArray,
    out_value: RealArray,
) -> None:
    """Sets row ``node[i]`` of ``out_value[N, H]`` to ``scale[i]`` times ``source[position[i]]``.

    Rows of ``source`` may be longer: they are panels, see `runout.products`.
    """
    for i in range(node.shape[0]):
        row, out_row, factor = source[position[i]], out_value[node[i]], scale[i]
        for hand in range(out_row.shape[0]):
            out_row[hand] = factor * row[hand]
