"""A report over flops in the terminal: groups by texture, single flops, means."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from rich.console import Console
from rich.table import Table

from runout.arrays import BoolArray
from runout.cards.textures import TextureKind
from runout.cli.formatting import Json, format_count_of, format_seconds, json_number
from runout.cli.quality_lines import RARE_REACH, print_roughness
from runout.cli.spot_node import format_chips, format_share, plain_table, print_wide
from runout.trees.actions import format_amount
from runout.trees.postflop_tree import PLAYER_NAMES
from runout.views.flop_table import (
    FLOP_KEY,
    WEIGHT_KEY,
    Column,
    FlopsReport,
    Form,
    LineTable,
    choose_flops,
    name_of_line,
)
from runout.views.report_bundle import quality_of_report
from runout.views.report_files import table_columns

OVERALL, FILTERED = "overall", "filtered"

_NO_VALUE = "-"
_LEGEND = """\
in %, EVs and costs in chips; weight: how often the flop comes on this line; EQR: EV over what
equity would give; nuts: share of the range among the best 5 % of made hands; all X: what it costs
to do X with every hand while the opponent plays on as it does"""
_ONLY = (
    "only X: what it costs in the whole game to have no other size on the flop, both solving anew"
)


@dataclass(frozen=True)
class TableChoice:
    """What of a report is shown.

    Attributes:
        lines: names of the lines; none for all.
        filters: textures, such as ``suits=monotone``.
        sort: key of the column that orders flops.
        by: kinds of texture that flops are grouped by.
        num_rows: single flops that are shown, the first of the order.
    """

    lines: tuple[str, ...] = ()
    filters: tuple[str, ...] = ()
    sort: str = WEIGHT_KEY
    by: tuple[TextureKind, ...] = tuple(TextureKind)
    num_rows: int = 20

    def tables(self, report: FlopsReport) -> list[LineTable]:
        """Returns the tables of the chosen lines, and finds out whether all of this can be shown.

        Raises:
            FilterError: if there is no such line, column or texture.
        """
        names = self.lines or tuple(name_of_line(line.path) for line in report.lines)
        tables = [report.table(name.strip()) for name in names]
        for table in tables:
            choose_flops(table, self.filters)
            self.order(table)
        return tables

    def order(self, table: LineTable) -> list[int]:
        """Returns the chosen flops of a table in their order."""
        chosen = choose_flops(table, self.filters)
        return [number for number in table.order(self.sort) if chosen[number]]


def print_report(console: Console, report: FlopsReport, choice: TableChoice) -> None:
    """Prints every chosen line: groups, flops and means.

    Raises:
        FilterError: if there is no such line, column or texture.
    """
    for table in choice.tables(report):
        _print_line(console, report, table, choice)
    console.print(_LEGEND, style="dim", soft_wrap=True)
    if any(line.size_cost for row in report.rows[:1] for line in row.lines):
        console.print(_ONLY, style="dim", soft_wrap=True)
    worst = max((row.exploitability_pot for row in report.rows), default=math.nan)
    done = format_count_of(len(report.rows), "flop")
    of_all = "" if len(report.rows) == report.num_flops else f" of {report.num_flops:,}"
    seconds = format_seconds(sum(row.seconds for row in report.rows))
    text = f"{done}{of_all}, exploitability ({report.meaning.value}) at most {format_share(worst)}"
    console.print(f"{text} of the pot, {seconds} of solving", soft_wrap=True)
    print_roughness(console, quality_of_report(report))


def _print_line(
    console: Console, report: FlopsReport, table: LineTable, choice: TableChoice
) -> None:
    line, chosen = table.line, choose_flops(table, choice.filters)
    who = line.label if line.actor is None else f"{PLAYER_NAMES[line.actor]} acts"
    title = f"{who}   line {name_of_line(line.path)}, pot {format_amount(line.pot)}"
    console.print(title, style="bold", soft_wrap=True, markup=False)
    reach = table.column("reach").mean(table.everything())
    if reach < RARE_REACH:
        text = f"! reached in {format_share(reach)} of deals: play here was hardly learned"
        console.print(text, style="yellow", soft_wrap=True, markup=False)
    console.print()
    columns = _shown_columns(table)
    headings = ("flops", *(column.heading for column in columns))
    shown = plain_table("", right=headings)
    for kind in choice.by:
        for label, is_in in table.groups(kind, chosen):
            _add_row(shown, label, str(int(is_in.sum())), columns, is_in)
        shown.add_row()
    for number in choice.order(table)[: choice.num_rows]:
        cells = [_format(column.form, float(column.values[number])) for column in columns]
        shown.add_row(table.rows[number].flop, "", *cells)
    left_out = int(chosen.sum()) - choice.num_rows
    if choice.num_rows and left_out > 0:
        shown.add_row(f"... {left_out:,} more", style="dim")
    if choice.num_rows:
        shown.add_row()
    if choice.filters:
        _add_row(shown, FILTERED, f"{int(chosen.sum()):,}", columns, chosen, "bold")
    everything = table.everything()
    _add_row(shown, OVERALL, f"{len(table.rows):,}", columns, everything, "bold")
    print_wide(console, shown)
    console.print()


def _shown_columns(table: LineTable) -> list[Column]:
    """Returns the columns of the terminal: what says the same on every flop is left to files."""
    hidden = {"share", "iterations", "seconds"}
    if not table.line.path:
        hidden.add("reach")
    return [column for column in table.columns if column.key not in hidden]


def _add_row(
    shown: Table,
    label: str,
    count: str,
    columns: Sequence[Column],
    chosen: BoolArray,
    style: str | None = None,
) -> None:
    cells = [_format(column.form, column.mean(chosen)) for column in columns]
    shown.add_row(label, count, *cells, style=style)


def _format(form: Form, value: float) -> str:
    if math.isnan(value):
        return _NO_VALUE
    if form is Form.SHARE:
        return f"{100.0 * value:.1f}"
    return format_chips(value)


def report_to_json(report: FlopsReport, choice: TableChoice) -> Json:
    """Returns the chosen lines by columns, with means, under JSON names."""
    lines = []
    for table in choice.tables(report):
        order, chosen = choice.order(table), choose_flops(table, choice.filters)
        columns = table_columns(table)
        lines.append(
            {
                **table.line.to_json(),
                "columns": {
                    name: [_plain(cells[number]) for number in order]
                    for name, cells in columns.items()
                },
                OVERALL: _means(table, table.everything()),
                FILTERED: _means(table, chosen),
            }
        )
    return {
        "title": report.title,
        "num_flops": report.num_flops,
        "num_finished": len(report.rows),
        "exploitability_meaning": report.meaning.value,
        "sorted_by": choice.sort if choice.sort else FLOP_KEY,
        "lines": lines,
    }


def _means(table: LineTable, chosen: BoolArray) -> Json:
    number = int(np.count_nonzero(chosen))
    return {"flops": number} | {c.key: json_number(c.mean(chosen)) for c in table.columns}


def _plain(cell: str | float) -> str | float | None:
    return json_number(cell) if isinstance(cell, float) else cell
