"""Rows and columns of what is shown or exported: as JSON, CSV, a DataFrame and Parquet.

This module imports the standard library only; `runout.cli.formatting` renders sheets as tables.
"""

import csv
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from pandas import DataFrame

#: Decimals of a number in a file; more would be noise of float32.
DECIMALS = 6

#: Parts of a Parquet file that are written at a time: each time has its price.
_PARTS_AT_A_TIME = 64

#: Stands in the terminal where there is no number.
NO_VALUE = "-"


def rounded(value: float) -> float | None:
    """Returns a number with few decimals and without a negative zero, None for NaN."""
    return None if math.isnan(value) else round(value, DECIMALS) + 0.0


def plain(value: Any) -> Any:
    """Returns what JSON can hold: floats as `rounded` has them, arrays and tuples as lists."""
    if isinstance(value, float):
        return rounded(value)
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    if hasattr(value, "tolist"):
        value = value.tolist()
    return list(map(plain, value)) if isinstance(value, list | tuple) else value


def json_number(value: float) -> float | None:
    """Returns a number with all its digits, None (JSON's null) for NaN."""
    return None if math.isnan(value) else value


def format_percent(fraction: float, decimals: int = 2) -> str:
    """Returns a fraction as percent, such as ``81.95%``, a dash where there is none."""
    # Adding 0 turns the -0 of a small loss into 0.
    percent = round(100 * fraction, decimals) + 0.0
    return NO_VALUE if math.isnan(fraction) else f"{percent:.{decimals}f}%"


def format_chips(amount: float, decimals: int = 2) -> str:
    """Returns an amount with a few decimals, a dash where there is none."""
    text = f"{round(amount, decimals) + 0.0:,.{decimals}f}"
    return NO_VALUE if math.isnan(amount) else text


def format_count(count: float) -> str:
    """Returns a count with thousands marks, with decimals only where weights make some."""
    rounded = round(count, 2)
    return f"{rounded:,.0f}" if rounded == round(rounded) else f"{rounded:,.2f}"


def format_time_limit(seconds: float) -> str:
    """Returns a duration rounded up, so as to tell a minute from an hour: ``20 s``, ``3 min``."""
    if seconds <= 60.0:
        return f"{10 * math.ceil(seconds / 10)} s"
    minutes = math.ceil(seconds / 60.0)
    return f"{minutes} min" if minutes <= 120 else f"{math.ceil(minutes / 60)} h"


@dataclass(frozen=True)
class Column:
    """A column of a sheet.

    Attributes:
        heading: in the terminal; None for a column that only files have.
        key: its name in JSON, CSV and frames; empty for a column that only the terminal has.
        form: writes a number in the terminal; None for words, which are aligned to the left.
        wraps: whether long words are wrapped where the terminal is narrow.
    """

    heading: str | None = ""
    key: str = ""
    form: Callable[[Any], str] | None = None
    style: str | None = None
    wraps: bool = False


def columns(*headings: str) -> tuple[Column, ...]:
    """Returns columns of the terminal: of words, and after a ``>`` of numbers as they are."""
    return tuple(Column(h.removeprefix(">"), form=str if h[:1] == ">" else None) for h in headings)


@dataclass(frozen=True)
class Sheet:
    """Rows that are shown as a table, or written to JSON, CSV, a frame or Parquet.

    Attributes:
        rows: words, numbers with NaN where there is none, or sheets, which only files have; rows
            without cells are blank lines.
        styles: of rows in the terminal, by their number.
        to_plain: writes a number for files, None for NaN: `rounded` or `json_number`.
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

    def plain_rows(self) -> list[list[Any]]:
        """Returns the rows as files have them: None where there is no number."""
        kept = [number for number, column in enumerate(self.columns) if column.key]
        return [[self._plain(row[number]) for number in kept] for row in self.rows]

    def _plain(self, cell: Any) -> Any:
        if isinstance(cell, Sheet):
            return cell.records()
        return self.to_plain(cell) if isinstance(cell, float) else cell

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

    def to_dataframe(self) -> "DataFrame":
        """Returns the columns that files have; needs pandas (``runout[frames]``)."""
        from pandas import DataFrame  # an extra

        return DataFrame(self.plain_rows(), columns=self.keys)


def write_csv(keys: Iterable[str], rows: Iterable[Iterable[Any]], stream: TextIO) -> int:
    """Writes names and rows, with empty cells for None and NaN; returns how many rows there are."""
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(keys)
    num_rows = 0
    for row in rows:
        writer.writerow(["" if cell is None or cell != cell else cell for cell in row])
        num_rows += 1
    return num_rows


def has_parquet() -> bool:
    """Returns whether Parquet can be written, which takes the extra package pyarrow."""
    return find_spec("pyarrow") is not None


def write_parquet(path: Path, parts: Iterable[Mapping[str, Any]]) -> int:
    """Writes columns by name, part by part, so that memory does not grow with the file.

    All parts have the same names and types; NaN and None become null. Needs pyarrow
    (``runout[reports]``). Returns the number of rows.
    """
    import pyarrow as arrow
    from pyarrow import parquet

    writer, num_rows, waiting = None, 0, []
    with ExitStack() as stack:
        for part in parts:
            made = {name: arrow.array(cells, from_pandas=True) for name, cells in part.items()}
            table = arrow.table(made)
            if writer is None:
                writer = stack.enter_context(parquet.ParquetWriter(path, table.schema))
            waiting.append(table.cast(writer.schema))
            num_rows += table.num_rows
            if len(waiting) == _PARTS_AT_A_TIME:
                writer.write_table(arrow.concat_tables(waiting))
                waiting = []
        if writer is not None and waiting:
            writer.write_table(arrow.concat_tables(waiting))
    return num_rows
