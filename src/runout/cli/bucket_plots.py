"""A picture of the buckets of flops: the histograms they were made from, and what they merge."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from runout.arrays import FloatArray
from runout.cli.options import OptionError
from runout.storage.files import replacing_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from runout.lab.bucket_diagnosis import FlopDiagnosis, RoundDiagnosis

_ROW_INCHES = (13.0, 3.6)
_DOTS_PER_INCH = 120
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
        _draw_spreads(spread, entry)
    try:
        with replacing_file(path) as part:
            figure.savefig(part, format="png", dpi=_DOTS_PER_INCH)
    except OSError as error:
        raise OptionError(f"--png {path}", error.strerror or str(error)) from None


def _draw_histograms(axes: "Axes", shares: FloatArray, scale: tuple[float, float]) -> None:
    """Draws a column for each bucket; brighter is more."""
    lowest, highest = scale
    half_bin = (highest - lowest) / (shares.shape[1] - 1) / 2.0
    extent = (-0.5, len(shares) - 0.5, lowest - half_bin, highest + half_bin)
    axes.imshow(shares.T, aspect="auto", origin="lower", extent=extent, cmap=_COLOURS)
    axes.set_xlabel("bucket, weak to strong")


def _draw_spreads(axes: "Axes", entry: "RoundDiagnosis") -> None:
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
