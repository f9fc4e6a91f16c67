"""What commands show: columns and rows, and one renderer each for terminal, JSON and CSV."""

import csv
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TextIO

from rich.console import Console
from rich.table import Table

from runout.cli.formatting import NO_VALUE
from runout.solutions.node_files import rounded

#: No table needs as many columns, and a measured width is at most that of the console.
_WIDER_THAN_TABLES = 10_000


@dataclass(frozen=True)
class Column:
    """A column of a sheet.

    Attributes:
        heading: in the terminal; None for a column that only files have.
        key: its name in JSON and CSV; empty for a column that only the terminal has.
        form: writes a number in the terminal; None for words, which stand on the left.
        style: of its cells in the terminal.
        wraps: whether long words go on in the next line, where the terminal is narrow.
    """

    heading: str | None = ""
    key: str = ""
    form: Callable[[Any], str] | None = None
    style: str | None = None
    wraps: bool = False

    def text(self, cell: Any) -> Any:
        """Returns a cell for the terminal: numbers in their form, words as they are."""
        is_number = isinstance(cell, int | float)
        if is_number and math.isnan(cell):
            return NO_VALUE
        return self.form(cell) if is_number and self.form is not None else cell


def columns(*headings: str) -> tuple[Column, ...]:
    """Returns columns of the terminal: of words, and after a ``>`` of numbers as they are."""
    return tuple(Column(h.removeprefix(">"), form=str if h[:1] == ">" else None) for h in headings)


@dataclass(frozen=True)
class Sheet:
    """Rows that are shown as a table, or written to JSON and CSV.

    Attributes:
        columns: of all rows.
        rows: words, or numbers with NaN where there is none; rows without cells are blank lines.
        styles: of rows in the terminal, by their number.
        to_plain: what files have of a number, None for NaN.
        gap: spaces after each column in the terminal.
    """

    columns: tuple[Column, ...]
    rows: list[Sequence[Any]] = field(default_factory=list)
    styles: dict[int, str] = field(default_factory=dict)
    to_plain: Callable[[float], float | None] = rounded
    gap: int = 3

    def add(self, *cells: Any, style: str = "") -> None:
        """Adds a row."""
        self.styles[len(self.rows)] = style
        self.rows.append(cells)

    def table(self) -> Table:
        """Returns the table of the terminal, which has no lines, and headings if it has any."""
        shown = [number for number, c in enumerate(self.columns) if c.heading is not None]
        has_header = any(column.heading for column in self.columns)
        table = Table(box=None, pad_edge=False, padding=(0, self.gap, 0, 0), show_header=has_header)
        for column in (self.columns[number] for number in shown):
            table.add_column(
                column.heading or "",
                justify="left" if column.form is None else "right",
                no_wrap=not column.wraps,
                style=column.style,
            )
        for number, row in enumerate(self.rows):
            cells = [self.columns[n].text(row[n]) for n in shown if n < len(row)]
            table.add_row(*cells, style=self.styles.get(number) or None)
        return table

    def print(self, console: Console) -> None:
        """Prints the table, in full where the console is narrower unless a column wraps."""
        if any(column.wraps for column in self.columns):
            console.print(self.table())
        else:
            print_wide(console, self.table())

    def plain_rows(self) -> list[list[Any]]:
        """Returns the rows as files have them: None where there is no number."""
        kept = [number for number, column in enumerate(self.columns) if column.key]
        rows = [[row[number] for number in kept] for row in self.rows]
        return [[self.to_plain(c) if isinstance(c, float) else c for c in row] for row in rows]

    @property
    def keys(self) -> list[str]:
        """The names of the columns that files have."""
        return [column.key for column in self.columns if column.key]

    def records(self) -> list[dict[str, Any]]:
        """Returns the rows for JSON, each by the names of columns."""
        return [dict(zip(self.keys, row, strict=True)) for row in self.plain_rows()]

    def write_csv(self, stream: TextIO) -> int:
        """Writes the rows as CSV, and returns how many there are."""
        return write_csv(self.keys, self.plain_rows(), stream)


def write_csv(keys: Iterable[str], rows: Iterable[Iterable[Any]], stream: TextIO) -> int:
    """Writes names and rows, with empty cells for None and NaN; returns how many rows there are."""
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(keys)
    num_rows = 0
    for row in rows:
        writer.writerow(["" if cell is None or cell != cell else cell for cell in row])
        num_rows += 1
    return num_rows


def full_width(console: Console, table: Table) -> int:
    """Returns how many characters a table takes where nothing is cut."""
    anywhere = console.options.update_width(_WIDER_THAN_TABLES)
    return console.measure(table, options=anywhere).maximum


def print_wide(console: Console, table: Table) -> None:
    """Prints a table in full, also where the console is narrower."""
    table.width = full_width(console, table)
    console.print(table, soft_wrap=True)
