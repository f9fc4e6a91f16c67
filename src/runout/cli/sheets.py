"""Sheets in the terminal."""

import math
from typing import Any

from rich.console import Console
from rich.table import Table

from runout.cli.formatting import NO_VALUE
from runout.solutions.sheet import Column, Sheet

#: No table needs as many columns, and a measured width is at most that of the console.
_WIDER_THAN_TABLES = 10_000


def sheet_table(sheet: Sheet) -> Table:
    """Returns the table of a sheet, which has no lines, and headings if it has any."""
    shown = [number for number, c in enumerate(sheet.columns) if c.heading is not None]
    has_header = any(column.heading for column in sheet.columns)
    table = Table(box=None, pad_edge=False, padding=(0, sheet.gap, 0, 0), show_header=has_header)
    for column in (sheet.columns[number] for number in shown):
        table.add_column(
            column.heading or "",
            justify="left" if column.form is None else "right",
            no_wrap=not column.wraps,
            style=column.style,
        )
    for number, row in enumerate(sheet.rows):
        cells = [_cell(sheet.columns[n], row[n]) for n in shown if n < len(row)]
        table.add_row(*cells, style=sheet.styles.get(number) or None)
    return table


def _cell(column: Column, cell: Any) -> Any:
    """Returns a cell for the terminal: numbers in their form, words as they are."""
    is_number = isinstance(cell, int | float)
    if is_number and math.isnan(cell):
        return NO_VALUE
    return column.form(cell) if is_number and column.form is not None else cell


def print_sheet(console: Console, sheet: Sheet) -> None:
    """Prints a sheet, in full where the console is narrower unless a column wraps."""
    table = sheet_table(sheet)
    if any(column.wraps for column in sheet.columns):
        console.print(table)
    else:
        print_wide(console, table)


def full_width(console: Console, table: Table) -> int:
    """Returns how many characters a table takes where nothing is cut."""
    anywhere = console.options.update_width(_WIDER_THAN_TABLES)
    return console.measure(table, options=anywhere).maximum


def print_wide(console: Console, table: Table) -> None:
    """Prints a table in full, also where the console is narrower."""
    table.width = full_width(console, table)
    console.print(table, soft_wrap=True)
