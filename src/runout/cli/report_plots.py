"""A report over flops as a picture: one thin upright bar for each flop, what is done on it."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from runout.cli.options import OptionError
from runout.cli.report_tables import TableChoice
from runout.storage.files import replacing_file
from runout.trees.actions import AGGRESSIVE_KINDS, ActionKind, format_amount
from runout.trees.postflop_tree import PLAYER_NAMES
from runout.views.flop_table import FlopsReport, LineTable, name_of_line
from runout.views.node import NodeAction

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WIDTH_INCHES, _HEIGHT_INCHES = 11.0, 3.2
_DOTS_PER_INCH = 120
#: Fewer flops have their names below their bars.
_MOST_NAMES = 60
# Fold blue, check and call green, bets warm by size; told apart by colour-blind eyes, too.
_COLOURS = {ActionKind.FOLD: "#0072B2", ActionKind.CHECK: "#009E73", ActionKind.CALL: "#009E73"}
_WARM = ("#F6C85F", "#E69F00", "#D55E00", "#A63603", "#5C1A00")
_EV_COLOURS = ("#0072B2", "#D55E00")


def write_strips(path: Path, report: FlopsReport, choice: TableChoice) -> None:
    """Writes a picture with a strip of bars for each line, in the order and choice of the table.

    Raises:
        OptionError: naming the file, if it cannot be written.
        FilterError: if there is no such line, column or texture.
    """
    # Takes as long as most commands altogether; a figure of its own needs no display.
    from matplotlib.figure import Figure

    tables = choice.tables(report)
    size = (_WIDTH_INCHES, _HEIGHT_INCHES * len(tables) + 0.4)
    figure = Figure(figsize=size, layout="constrained")
    figure.suptitle(report.title, fontsize=10)
    places = figure.subplots(len(tables), 1, squeeze=False)[:, 0]
    for axes, table in zip(places, tables, strict=True):
        _draw(axes, table, choice)
    try:
        with replacing_file(path) as part:
            suffix = path.suffix.lower().removeprefix(".")
            figure.savefig(part, format=suffix, dpi=_DOTS_PER_INCH)
    except OSError as error:
        raise OptionError(f"--plot {path}", error.strerror or str(error)) from None


def _draw(axes: "Axes", table: LineTable, choice: TableChoice) -> None:
    order, line = choice.order(table), table.line
    # A bar is as wide as its flop is frequent.
    widths = table.weights[order] / max(float(table.weights[order].sum()), 1e-300)
    lefts = np.concatenate([[0.0], np.cumsum(widths)[:-1]]) if order else np.zeros(0)
    below = np.zeros(len(order))
    colours = colours_of(line.actions)
    for action, colour in zip(line.actions, colours, strict=True):
        heights = np.nan_to_num(table.column(f"freq_{action.code}").values[order])
        axes.bar(
            lefts,
            100 * heights,
            widths,
            100 * below,
            align="edge",
            color=colour,
            label=action.label,
            linewidth=0,
        )
        below += heights
    if not line.actions:
        for name, colour in zip(PLAYER_NAMES, _EV_COLOURS, strict=True):
            values = table.column(f"ev_{name.lower()}").values[order]
            axes.step(lefts, values, where="post", color=colour, label=f"{name} EV")
    who = line.label if line.actor is None else f"{PLAYER_NAMES[line.actor]} acts"
    place = f"line {name_of_line(line.path)}, pot {format_amount(line.pot)}"
    axes.set(
        title=f"{who}, {place}: {len(order):,} flops by {choice.sort}",
        ylabel="actions (%)" if line.actions else "EV (chips)",
        xlim=(0, 1),
    )
    if line.actions:
        axes.set_ylim(0, 100)
    axes.set_xticks([])
    if 0 < len(order) <= _MOST_NAMES:
        names = [table.rows[number].flop for number in order]
        axes.set_xticks(lefts + widths / 2, names, rotation=90, fontsize=6, family="monospace")
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=8, frameon=False)


def colours_of(actions: tuple[NodeAction, ...]) -> list[str]:
    """Returns a colour for each action: folds and calls their own, bets warmer by size."""
    bets = [action.code for action in actions if action.kind in AGGRESSIVE_KINDS]
    last = max(len(bets) - 1, 1)
    by_code = {code: _WARM[round(n * (len(_WARM) - 1) / last)] for n, code in enumerate(bets)}
    return [by_code.get(action.code) or _COLOURS[action.kind] for action in actions]
