"""The one door for products of matrices of fractions.

A linear algebra library sums in an order of its own, which depends on its threads, on the shapes
and on the processor, so the last bits of its products do too. Everything that a result depends on
goes through here instead (see `product_kernels`), and no slower. Whole numbers are exact in any
order and may be multiplied by numpy.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from runout.arrays import RealArray, aligned_zeros
from runout.simd import product_kernels
from runout.simd.product_kernels import PANEL_BYTES


def panel_shape(shape: Sequence[int], dtype: npt.DTypeLike) -> tuple[int, int, int]:
    """Returns the shape ``(P, K, W)`` of panels for a matrix of a shape ``(K, N)``."""
    depth, width = shape
    panel_width = PANEL_BYTES // np.dtype(dtype).itemsize
    return -(-width // panel_width), depth, panel_width


def fill_panels(matrix: RealArray, out_panels: RealArray) -> None:
    """Writes a ``[K, N]`` matrix into panels that were made for its shape."""
    num_panels, depth, panel_width = out_panels.shape
    num_full = matrix.shape[1] // panel_width
    full = matrix[:, : num_full * panel_width].reshape(depth, num_full, panel_width)
    out_panels[:num_full] = full.transpose(1, 0, 2)
    if num_full < num_panels:
        rest = matrix[:, num_full * panel_width :]
        out_panels[num_full, :, : rest.shape[1]] = rest


def pack_panels(matrix: RealArray, dtype: npt.DTypeLike) -> RealArray:
    """Returns a ``[K, N]`` matrix as panels ``[P, K, W]`` of numbers of a type."""
    panels: RealArray = aligned_zeros(panel_shape(matrix.shape, dtype), dtype)
    fill_panels(matrix, panels)
    return panels


def make_product_rows(num_rows: int, panels: RealArray) -> RealArray:
    """Returns working space for the product of some rows with panels, ``[n, P * W]``."""
    return aligned_zeros((num_rows, panels.shape[0] * panels.shape[2]), panels.dtype)


def multiply(left: RealArray, right: RealArray) -> npt.NDArray[Any]:
    """Returns ``[M, N]`` the product of ``left[M, K]`` and ``right[K, N]``, of their wider type."""
    assert left.ndim == right.ndim == 2
    assert left.shape[1] == right.shape[0]
    dtype = np.result_type(left, right)
    panels = pack_panels(right, dtype)
    product = make_product_rows(len(left), panels)
    rows = np.arange(len(left))
    product_kernels.multiply_rows(np.ascontiguousarray(left, dtype), rows, panels, product)
    return product[:, : right.shape[1]]
