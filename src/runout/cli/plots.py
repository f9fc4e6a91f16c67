"""Bars on the terminal, and pictures of abstractions and buckets as PNG files."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from runout.arrays import FloatArray, IntArray
from runout.cli.console import naming_file
from runout.cli.formatting import format_count_of
from runout.storage.files import replacing_file
from runout.trees.betting import Street

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from runout.abstraction.card_abstraction import CardAbstraction
    from runout.runs.diagnose import FlopDiagnosis


MAX_WIDTH = 80
HEIGHT = 4
_CURVE_WIDTH = 70
_CURVE_HEIGHT = 8

_BLOCKS = " ▁▂▃▄▅▆▇█"
_ASCII_BLOCKS = " #"
_AXIS = "0%", "strength", "100%"
# Colours that colour-blind eyes can distinguish (Okabe and Ito, 2008), with lines and points.
_LOOKS = (("#0072B2", "-", "o"), ("#D55E00", "--", "^"), ("#009E73", ":", "s"))
_SPREADS_ON_LOG_SCALE_FROM = 0.01  # percentage points; below it, and for the many zeros, linear
_BUCKETS = "bucket, weak to strong"
_DOTS_PER_INCH = 120


@dataclass(frozen=True)
class BoundaryPlot:
    """A plot that rich can print: where in [0, 1] ascending boundaries of strengths lie dense."""

    boundaries: FloatArray

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yields bars whose height is the number of boundaries, and the axis below them."""
        width = min(options.max_width, MAX_WIDTH)
        counts = np.histogram(self.boundaries, bins=width, range=(0.0, 1.0))[0]
        for line in draw_bars(counts, HEIGHT, _blocks(options)):
            yield Text(line, style="cyan", no_wrap=True)
        left, middle, right = _AXIS
        yield Text(left + middle.center(width - len(left) - len(right)) + right, style="dim")


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
        bars = draw_bars(np.append(heights, 1000), _CURVE_HEIGHT, _blocks(options))
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


def _blocks(options: ConsoleOptions) -> str:
    return _ASCII_BLOCKS if options.ascii_only else _BLOCKS


def draw_bars(counts: IntArray, height: int, blocks: str) -> list[str]:
    """Returns lines, top first, with a bar for each of ``counts[columns]``, if only a small one.

    The largest count fills all ``height`` lines; ``blocks`` fill none up to all of a cell.
    """
    full = len(blocks) - 1
    scaled = counts * height * full / max(int(counts.max()), 1)
    levels = np.where(counts > 0, np.maximum(np.rint(scaled), 1), 0).astype(np.int64)
    rows = [np.clip(levels - full * row, 0, full) for row in reversed(range(height))]
    return ["".join(blocks[level] for level in row) for row in rows]


def write_png(path: Path, abstraction: "CardAbstraction", title: str) -> None:
    """Writes a picture of an abstraction: the boundaries, and the spread within buckets."""
    # Takes as long as most commands altogether; a figure of its own needs no display.
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11.0, 4.8), layout="constrained")
    figure.suptitle(title)
    left, right = figure.subplots(1, 2)
    for street, (colour, line, marker) in zip(Street, _LOOKS, strict=True):
        boundaries = abstraction.boundaries.by_street[street]
        shares = np.arange(1, len(boundaries) + 1) / (len(boundaries) + 1)
        if statistics := abstraction.statistics.get(street):
            shares = (statistics.population.cumsum() / statistics.population.sum())[:-1]
            spread = 100 * (statistics.highest - statistics.lowest)
            dots = {"color": colour, "label": street.label, "markersize": 2}
            right.plot(100 * statistics.mean, spread, marker, **dots)
        label = f"{street.label}, {format_count_of(len(boundaries) + 1, 'bucket')}"
        left.plot(100 * shares, 100 * boundaries, line, color=colour, label=label)
    left.set(title="Boundaries of the buckets", xlim=(0, 100), ylim=(0, 100))
    left.set_xlabel("deals below the boundary (%)")
    left.set_ylabel(f"strength ({abstraction.feature.value}, %)")
    right.set(title="Spread within buckets", xlim=(0, 100))
    right.set_xlabel("mean strength of the bucket (%)")
    right.set_ylabel("strongest minus weakest deal (percentage points)")
    for axes in (left, right):
        axes.grid(alpha=0.3)
    left.legend()
    if abstraction.statistics:
        right.set_yscale("symlog", linthresh=_SPREADS_ON_LOG_SCALE_FROM)
        right.set_ylim(-_SPREADS_ON_LOG_SCALE_FROM / 10, 100)
        right.yaxis.set_major_formatter("{x:g}")
        right.legend(markerscale=3)
    save_figure(figure, path, "--png")


def save_figure(figure: "Figure", path: Path, option: str, form: str = "png") -> None:
    """Writes a picture; an error names the option and the file."""
    with naming_file(option, path), replacing_file(path) as part:
        figure.savefig(part, format=form, dpi=_DOTS_PER_INCH)


def write_bucket_plots(path: Path, diagnoses: Sequence["FlopDiagnosis"]) -> None:
    """Writes a PNG file with a row of three panels for every flop and round."""
    # Takes as long as most commands altogether; a figure of its own needs no display.
    from matplotlib.figure import Figure

    rows = [(diagnosis, entry) for diagnosis in diagnoses for entry in diagnosis.rounds]
    figure = Figure(figsize=(13.0, 3.6 * len(rows)), layout="constrained")
    panels = figure.subplots(len(rows), 3, squeeze=False)
    for (diagnosis, entry), (strength, value, spread) in zip(rows, panels, strict=True):
        name = f"{diagnosis.flop.name}, SPR {diagnosis.spr:.4g}, round {entry.round}"
        _draw_histograms(strength, entry.strength_histograms, (0.0, 100.0))
        strength.set(title=name, ylabel="river strength (%)")
        largest = 0.5 + diagnosis.spr
        _draw_histograms(value, entry.ev_histograms, (-largest, largest))
        value.set(title="EV against the opponent's buckets", ylabel="EV (flop pots)")
        numbers, evs = np.arange(len(entry.buckets)), [each.ev_pot for each in entry.buckets]
        lowest, mean, highest = np.array([(ev.lowest, ev.mean, ev.highest) for ev in evs]).T
        spread.vlines(numbers, lowest, highest, color=_LOOKS[0][0], alpha=0.5)
        spread.plot(numbers, mean, ".", color=_LOOKS[0][0], markersize=3)
        title = f"EV within buckets, variance {entry.ev_variance:.5f}"
        spread.set(title=title, xlabel=_BUCKETS, ylabel="EV (flop pots)")
        spread.grid(alpha=0.3)
    save_figure(figure, path, "--png")


def _draw_histograms(axes: "Axes", shares: FloatArray, scale: tuple[float, float]) -> None:
    """Draws a column for each bucket; brighter is more."""
    lowest, highest = scale
    half_bin = (highest - lowest) / (shares.shape[1] - 1) / 2.0
    extent = (-0.5, len(shares) - 0.5, lowest - half_bin, highest + half_bin)
    axes.imshow(shares.T, aspect="auto", origin="lower", extent=extent, cmap="viridis")
    axes.set_xlabel(_BUCKETS)
