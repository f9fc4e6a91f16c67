"""The convergence of a solve as bars on the terminal."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from runout.arrays import FloatArray, IntArray

_CURVE_WIDTH = 70
_CURVE_HEIGHT = 8

_BLOCKS = " ▁▂▃▄▅▆▇█"
_ASCII_BLOCKS = " #"


@dataclass(frozen=True)
class ExploitabilityCurve:
    """A plot that rich can print of rising iterations and mbb/hand; both axes are logarithmic."""

    points: Sequence[tuple[int, float]]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yields bars, the scale to their left and the iterations below."""
        logs = curve_columns(self.points, _CURVE_WIDTH)
        low = math.floor(logs.min())
        high = max(math.ceil(logs.max()), low + 1)
        heights = np.rint(1000 * (logs - low) / (high - low)).astype(np.int64)
        labels = {0: f"{10.0**high:,g}", _CURVE_HEIGHT - 1: f"{10.0**low:,g}"}
        width = max(map(len, labels.values()))
        blocks = _ASCII_BLOCKS if options.ascii_only else _BLOCKS
        bars = draw_bars(np.append(heights, 1000), _CURVE_HEIGHT, blocks)
        for number, line in enumerate(bars):
            label = labels.get(number, "").rjust(width)
            yield Text.assemble((f"{label} ", "dim"), (line[:-1].rstrip(), "cyan"))
        first, last = (f"{self.points[end][0]:,}" for end in (0, -1))
        axis = first + last.rjust(_CURVE_WIDTH - len(first))
        yield Text(" " * (width + 1) + axis, style="dim")


def curve_columns(points: Sequence[tuple[int, float]], width: int) -> FloatArray:
    """Returns ``[width]`` log10 of a curve at iterations evenly spaced by their logarithm."""
    iterations, values = np.array(points, dtype=np.float64).T
    # An exploitability of 0 has no logarithm, and rounding can make it slightly negative.
    logs = np.log10(np.maximum(values, 1e-6))
    at = np.log(np.maximum(iterations, 1.0))
    columns: FloatArray = np.interp(np.linspace(at[0], at[-1], width), at, logs)
    return columns


def draw_bars(counts: IntArray, height: int, blocks: str) -> list[str]:
    """Returns lines, top first, with a bar for each of ``counts[columns]``, if only a small one.

    The largest count fills all ``height`` lines; ``blocks`` fill none up to all of a cell.
    """
    full = len(blocks) - 1
    scaled = counts * height * full / max(int(counts.max()), 1)
    levels = np.where(counts > 0, np.maximum(np.rint(scaled), 1), 0).astype(np.int64)
    rows = [np.clip(levels - full * row, 0, full) for row in reversed(range(height))]
    return ["".join(blocks[level] for level in row) for row in rows]
