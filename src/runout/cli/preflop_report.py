"""How a preflop solve went: value, exploitability, rounds, and where its values come from."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from runout.arrays import FloatArray
from runout.cli.formatting import (
    Json,
    format_bb,
    format_exploitability,
    format_mbb,
    format_percent,
)
from runout.cli.plots import draw_bars, plot_blocks
from runout.cli.quality_lines import print_quality
from runout.results.preflop_solution import PreflopSolution, RangesRound
from runout.results.value_book import ValueSource
from runout.trees.actions import format_amount
from runout.trees.preflop_betting import BB, SB
from runout.views.preflop_view import PreflopView

_CURVE_WIDTH = 70
_CURVE_HEIGHT = 8
_EXTRAPOLATED = "bold yellow"


def print_report(console: Console, nodes: PreflopView) -> None:
    """Prints all of it; the value and the exploitability come last."""
    solution = nodes.solution
    report = solution.report
    if len(report.curve_mbb) > 1:
        console.print("Exploitability in mbb/hand, by iteration", style="bold")
        console.print(ExploitabilityCurve(report.curve_mbb))
        console.print()
    if report.ranges_rounds:
        console.print("Rounds with the ranges that arrive on the flop", style="bold")
        console.print(_table_of_rounds(report.ranges_rounds))
        console.print()
    if report.flop_leaves:
        _print_leaves(console, nodes)
        console.print()
    sb, bb = (format_bb(solution.game_value_bb(player)) for player in (SB, BB))
    console.print(f"game value {sb} bb/hand for SB, {bb} bb/hand for BB")
    print_quality(console, nodes.quality)


def report_to_json(solution: PreflopSolution) -> Json:
    """Returns the same facts under their JSON names."""
    report = solution.report
    return {
        "game_value_bb": solution.game_value_bb(SB),
        "exploitability_mbb": report.exploitability_mbb,
        "real_exploitability_mbb": report.real_exploitability_mbb,
        "iterations": report.iterations,
        "preflop_seconds": report.seconds,
        "flop_leaves": {path: asdict(leaf) for path, leaf in report.flop_leaves.items()},
        "ranges_rounds": [asdict(done) for done in report.ranges_rounds],
        "curve_mbb": [list(point) for point in report.curve_mbb],
    }


def _print_leaves(console: Console, nodes: PreflopView) -> None:
    leaves = nodes.solution.report.flop_leaves
    sources = {leaf.source for leaf in leaves.values()}
    if sources == {ValueSource.RAW_EQUITY}:
        flops = "1 flop is" if len(leaves) == 1 else f"all {len(leaves)} flops are"
        console.print(
            f"{flops} checked down: raw equity, no bets after the flop",
            style=_EXTRAPOLATED,
        )
        return
    console.print("Flops and where their values come from", style="bold")
    console.print(_table_of_leaves(nodes))
    num_guessed = sum(leaf.source is ValueSource.EXTRAPOLATED for leaf in leaves.values())
    if num_guessed:
        were = "flop was" if num_guessed == 1 else "flops were"
        console.print(
            f"! {num_guessed} {were} extrapolated: add the SPR to postflop_sprs, or write auto",
            style=_EXTRAPOLATED,
        )


def _table_of_leaves(nodes: PreflopView) -> Table:
    solution = nodes.solution
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    table.add_column("")
    table.add_column("node")
    for heading in ("pot, bb", "SPR", "seen"):
        table.add_column(heading, justify="right")
    table.add_column("values")
    for leaf in solution.tree.flop_leaves():
        source = solution.report.flop_leaves[leaf.path]
        is_guessed = source.source in (ValueSource.EXTRAPOLATED, ValueSource.RAW_EQUITY)
        is_named = source.detail.startswith(source.source.value)
        words = source.detail if is_named else f"{source.source.value}, {source.detail}"
        table.add_row(
            "!" if is_guessed else "",
            leaf.path,
            format_amount(leaf.pot_bb),
            format_amount(leaf.spr),
            format_percent(nodes.share_of_deals(leaf.node), 1),
            words,
            style=_EXTRAPOLATED if is_guessed else None,
        )
    return table


def _table_of_rounds(rounds: Sequence[RangesRound]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    headings = ("round", "actions moved by", "preflop, mbb/hand", "worst flop, % of the pot")
    for heading in headings:
        table.add_column(heading, justify="right")
    for done in rounds:
        table.add_row(
            str(done.number),
            format_percent(done.change),
            format_mbb(done.exploitability_mbb),
            format_exploitability(done.flop_exploitability_pot, done.flop_exploitability_meaning),
        )
    return table


@dataclass(frozen=True)
class ExploitabilityCurve:
    """A plot that rich can print; both axes are logarithmic.

    Attributes:
        points: iteration and exploitability in mbb/hand, iterations rising.
    """

    points: Sequence[tuple[int, float]]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yields bars, the scale to their left and the iterations below."""
        logs = curve_columns(self.points, _CURVE_WIDTH)
        low, high = math.floor(logs.min()), math.ceil(logs.max())
        high = max(high, low + 1)
        heights = np.rint(1000 * (logs - low) / (high - low)).astype(np.int64)
        labels = {0: f"{10.0**high:,g}", _CURVE_HEIGHT - 1: f"{10.0**low:,g}"}
        width = max(map(len, labels.values()))
        bars = draw_bars(np.append(heights, 1000), _CURVE_HEIGHT, plot_blocks(options))
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
