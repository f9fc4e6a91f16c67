"""How numbers, lines and sheets look: as text for people, and at full precision for JSON."""

import json
import math
from collections.abc import Mapping
from typing import Any, Literal

from rich.console import Console
from rich.table import Table
from rich.text import Text

from runout.arrays import AnyArray
from runout.execution.pool import format_bytes as format_bytes
from runout.solutions.sheet import NO_VALUE as NO_VALUE
from runout.solutions.sheet import Sheet
from runout.solutions.sheet import format_chips as format_chips
from runout.solutions.sheet import format_count as format_count
from runout.solutions.sheet import format_percent as format_percent
from runout.solutions.sheet import json_number as json_number

Json = Mapping[str, Any]


def bold(text: str) -> Text:
    """Returns a heading."""
    return Text(text, style="bold")


def dim(text: str) -> Text:
    """Returns a remark."""
    return Text(text, style="dim")


def format_bound(share: float, is_upper_bound: bool, decimals: int = 2) -> str:
    """Returns a fraction as percent, ``≤0.32%`` if it cannot be larger but may be smaller."""
    return ("≤" if is_upper_bound else "") + format_percent(share, decimals)


def format_seconds(seconds: float) -> str:
    """Returns a duration: tenths of a second up to a minute, then ``h:mm:ss``."""
    if seconds < 60.0:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}"


def format_time_limit(seconds: float) -> str:
    """Returns a duration rounded up, so as to tell a minute from an hour: ``20 s``, ``3 min``."""
    if seconds <= 60.0:
        return f"{10 * math.ceil(seconds / 10)} s"
    minutes = math.ceil(seconds / 60.0)
    return f"{minutes} min" if minutes <= 120 else f"{math.ceil(minutes / 60)} h"


def format_count_of(number: float, noun: str) -> str:
    """Returns how many there are of something: ``1 flop``, ``1,755 flops``, ``70.50 combos``."""
    count = format_count(number)
    return f"{count} {noun}" if count == "1" else f"{count} {noun}s"


def format_signed(amount: float) -> str:
    """Returns a number with three decimals and its sign, which 0 has not."""
    text = f"{amount:+.3f}"
    return text[1:] if float(text) == 0.0 else text


def format_mbb(mbb: float) -> str:
    """Returns thousandths of a big blind with three digits that count: ``0.482``, ``12.3``."""
    return f"{mbb:.3g}" if mbb < 999.5 else f"{mbb:,.0f}"


def json_numbers(array: AnyArray) -> Any:
    """Returns an array of any shape as nested lists, with None where a number is undefined."""
    if array.ndim > 1:
        return [json_numbers(row) for row in array]
    return [json_number(value) for value in array.tolist()]


def format_json(document: Json) -> str:
    """Returns one JSON object: a line for each key, so that large tables stay readable."""
    lines = [
        f"  {json.dumps(key)}: {json.dumps(value, allow_nan=False)}"
        for key, value in document.items()
    ]
    return "{\n" + ",\n".join(lines) + "\n}"


# Sheets in the terminal.

#: No table needs as many columns, and a measured width is at most that of the console.
_WIDER_THAN_TABLES = 10_000


def sheet_table(sheet: Sheet) -> Table:
    """Returns the table of a sheet, which has no lines, and headings if it has any."""
    shown = [number for number, c in enumerate(sheet.columns) if c.heading is not None]
    has_header = any(column.heading for column in sheet.columns)
    table = Table(box=None, pad_edge=False, padding=(0, sheet.gap, 0, 0), show_header=has_header)
    for column in (sheet.columns[number] for number in shown):
        side: Literal["left", "right"] = "left" if column.form is None else "right"
        wraps, style = column.wraps, column.style
        table.add_column(column.heading or "", justify=side, no_wrap=not wraps, style=style)
    for number, row in enumerate(sheet.rows):
        cells = []
        for column, cell in ((sheet.columns[n], row[n]) for n in shown if n < len(row)):
            if isinstance(cell, int | float):  # words are as they are
                form = column.form or str
                cell = NO_VALUE if math.isnan(cell) else form(cell)
            cells.append(cell)
        table.add_row(*cells, style=sheet.styles.get(number) or None)
    return table


def print_sheet(console: Console, sheet: Sheet) -> None:
    """Prints a sheet, in full where the console is narrower unless a column wraps."""
    table, wraps = sheet_table(sheet), any(column.wraps for column in sheet.columns)
    if not wraps:
        table.width = full_width(console, table)
    console.print(table, soft_wrap=not wraps)


def full_width(console: Console, table: Table) -> int:
    """Returns how many characters a table takes where nothing is cut."""
    anywhere = console.options.update_width(_WIDER_THAN_TABLES)
    return console.measure(table, options=anywhere).maximum
