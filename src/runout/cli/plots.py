"""Pictures of abstractions and buckets as PNG files."""

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
    from runout.runs.diagnose import FlopDiagnosis, RoundDiagnosis


MAX_WIDTH = 80
HEIGHT = 4

_BLOCKS = " ▁▂▃▄▅▆▇█"
_ASCII_BLOCKS = " #"
_AXIS = "0%", "strength", "100%"
# Colours that are told apart by colour-blind eyes (Okabe and Ito, 2008), and shapes besides.
_LINES = (("#0072B2", "-"), ("#D55E00", "--"), ("#009E73", ":"))
_POINTS = (("#0072B2", "o"), ("#D55E00", "^"), ("#009E73", "s"))
_SPREADS_ON_LOG_SCALE_FROM = 0.01  # percentage points; below it, and for the many zeros, linear
_SIZE_INCHES = (11.0, 4.8)
_DOTS_PER_INCH = 120


@dataclass(frozen=True)
class BoundaryPlot:
    """A plot that rich can print: where on the scale of strengths the boundaries lie dense.

    Attributes:
        boundaries: ascending strengths in [0, 1].
    """

    boundaries: FloatArray

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yields bars whose height is the number of boundaries, and the axis below them."""
        width = min(options.max_width, MAX_WIDTH)
        blocks = plot_blocks(options)
        counts = np.histogram(self.boundaries, bins=width, range=(0.0, 1.0))[0]
        for line in draw_bars(counts, HEIGHT, blocks):
            yield Text(line, style="cyan", no_wrap=True)
        left, middle, right = _AXIS
        yield Text(left + middle.center(width - len(left) - len(right)) + right, style="dim")


def plot_blocks(options: ConsoleOptions) -> str:
    """Returns the characters that bars are drawn with on a console."""
    return _ASCII_BLOCKS if options.ascii_only else _BLOCKS


def draw_bars(counts: IntArray, height: int, blocks: str) -> list[str]:
    """Returns lines, top first, with a bar for each count; the largest count is ``height`` lines.

    Args:
        counts: ``[columns]`` not negative; any that is not 0 can be seen.
        height: number of lines.
        blocks: characters that fill none up to all of a cell.
    """
    full = len(blocks) - 1
    scaled = counts * height * full / max(int(counts.max()), 1)
    levels = np.where(counts > 0, np.maximum(np.rint(scaled), 1), 0).astype(np.int64)
    rows = [np.clip(levels - full * row, 0, full) for row in reversed(range(height))]
    return ["".join(blocks[level] for level in row) for row in rows]


def write_png(path: Path, abstraction: "CardAbstraction", title: str) -> None:
    """Writes a picture of an abstraction: the boundaries, and the spread within buckets.

    Raises:
        OptionError: naming the file, if it cannot be written.
    """
    # Takes as long as most commands altogether; a figure of its own needs no display.
    from matplotlib.figure import Figure

    figure = Figure(figsize=_SIZE_INCHES, layout="constrained")
    figure.suptitle(title)
    left, right = figure.subplots(1, 2)
    _draw_boundaries(left, abstraction)
    _draw_spreads(right, abstraction)
    save_figure(figure, path, "--png")


def save_figure(figure: "Figure", path: Path, option: str, form: str = "png") -> None:
    """Writes a picture.

    Raises:
        OptionError: naming the option and the file, if it cannot be written.
    """
    with naming_file(option, path), replacing_file(path) as part:
        figure.savefig(part, format=form, dpi=_DOTS_PER_INCH)


def _draw_boundaries(axes: "Axes", abstraction: "CardAbstraction") -> None:
    for street, (colour, style) in zip(Street, _LINES, strict=True):
        boundaries = abstraction.boundaries.of_street(street)
        statistics = abstraction.statistics.get(street)
        if statistics is None:
            shares = np.arange(1, len(boundaries) + 1) / (len(boundaries) + 1)
        else:
            shares = (statistics.population.cumsum() / statistics.population.sum())[:-1]
        label = f"{street.label}, {format_count_of(len(boundaries) + 1, 'bucket')}"
        axes.plot(100 * shares, 100 * boundaries, style, color=colour, label=label)
    axes.set(
        title="Boundaries of the buckets",
        xlabel="deals below the boundary (%)",
        ylabel=f"strength ({abstraction.feature.value}, %)",
        xlim=(0, 100),
        ylim=(0, 100),
    )
    axes.grid(alpha=0.3)
    axes.legend()


def _draw_spreads(axes: "Axes", abstraction: "CardAbstraction") -> None:
    for street, (colour, marker) in zip(Street, _POINTS, strict=True):
        if street in abstraction.statistics:
            statistics = abstraction.statistics[street]
            spread = 100 * (statistics.highest - statistics.lowest)
            axes.plot(
                100 * statistics.mean,
                spread,
                marker,
                color=colour,
                label=street.label,
                markersize=2,
            )
    axes.set(
        title="Spread within buckets",
        xlabel="mean strength of the bucket (%)",
        ylabel="strongest minus weakest deal (percentage points)",
        xlim=(0, 100),
    )
    axes.grid(alpha=0.3)
    if abstraction.statistics:
        axes.set_yscale("symlog", linthresh=_SPREADS_ON_LOG_SCALE_FROM)
        axes.set_ylim(-_SPREADS_ON_LOG_SCALE_FROM / 10, 100)
        axes.yaxis.set_major_formatter("{x:g}")
        axes.legend(markerscale=3)


_ROW_INCHES = (13.0, 3.6)
_NUM_PANELS = 3
_COLOUR = "#0072B2"
_COLOURS = "viridis"


def write_bucket_plots(path: Path, diagnoses: Sequence["FlopDiagnosis"]) -> None:
    """Writes a PNG file with a row of three panels for every flop and round.

    Raises:
        OptionError: naming the file, if it cannot be written.
    """
    # Takes as long as most commands altogether; a figure of its own needs no display.
    from matplotlib.figure import Figure

    rows = [(diagnosis, entry) for diagnosis in diagnoses for entry in diagnosis.rounds]
    width, height = _ROW_INCHES
    figure = Figure(figsize=(width, height * len(rows)), layout="constrained")
    panels = figure.subplots(len(rows), _NUM_PANELS, squeeze=False)
    for (diagnosis, entry), (strength, value, spread) in zip(rows, panels, strict=True):
        name = f"{diagnosis.flop.name}, SPR {diagnosis.spr:.4g}, round {entry.round}"
        _draw_histograms(strength, entry.strength_histograms, (0.0, 100.0))
        strength.set(title=name, ylabel="river strength (%)")
        largest = 0.5 + diagnosis.spr
        _draw_histograms(value, entry.ev_histograms, (-largest, largest))
        value.set(title="EV against the opponent's buckets", ylabel="EV (flop pots)")
        _draw_histogram_spreads(spread, entry)
    save_figure(figure, path, "--png")


def _draw_histograms(axes: "Axes", shares: FloatArray, scale: tuple[float, float]) -> None:
    """Draws a column for each bucket; brighter is more."""
    lowest, highest = scale
    half_bin = (highest - lowest) / (shares.shape[1] - 1) / 2.0
    extent = (-0.5, len(shares) - 0.5, lowest - half_bin, highest + half_bin)
    axes.imshow(shares.T, aspect="auto", origin="lower", extent=extent, cmap=_COLOURS)
    axes.set_xlabel("bucket, weak to strong")


def _draw_histogram_spreads(axes: "Axes", entry: "RoundDiagnosis") -> None:
    """Draws the lowest, mean and highest value of each bucket's hands."""
    numbers = np.arange(len(entry.buckets))
    lowest, mean, highest = (
        np.array([getattr(contents.ev_pot, name) for contents in entry.buckets])
        for name in ("lowest", "mean", "highest")
    )
    axes.vlines(numbers, lowest, highest, color=_COLOUR, alpha=0.5)
    axes.plot(numbers, mean, ".", color=_COLOUR, markersize=3)
    axes.set(
        title=f"EV within buckets, variance {entry.ev_variance:.5f}",
        xlabel="bucket, weak to strong",
        ylabel="EV (flop pots)",
    )
    axes.grid(alpha=0.3)
