"""How numbers, lines and sheets look: as text for people, and at full precision for JSON."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from runout.execution.pool import format_bytes as format_bytes
from runout.solutions.sheet import NO_VALUE as NO_VALUE
from runout.solutions.sheet import Sheet
from runout.solutions.sheet import format_chips as format_chips
from runout.solutions.sheet import format_count as format_count
from runout.solutions.sheet import format_percent as format_percent
from runout.solutions.sheet import format_time_limit as format_time_limit
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


def format_json(document: Json) -> str:
    """Returns one JSON object: a line for each key, so that large tables stay readable."""
    lines = [
        f"  {json.dumps(key)}: {json.dumps(value, allow_nan=False)}"
        for key, value in document.items()
    ]
    return "{\n" + ",\n".join(lines) + "\n}"


# Sheets in the terminal.

#: Terminals are as wide, or wider.
MAX_COLUMNS = 80

#: The least width of a column that wraps.
_NARROWEST_WORDS = 20


def print_sheet(console: Console, sheet: Sheet) -> None:
    """Prints a sheet; one too wide for the console in parts, each with the first column.

    Only columns that wrap are made narrower; nothing is cut.
    """
    for number, table in enumerate(sheet_tables(sheet, max(console.width, MAX_COLUMNS))):
        if number > 0:
            console.print()
        console.print(table, soft_wrap=table.width is not None)


def sheet_tables(sheet: Sheet, max_width: int) -> Iterator[Table]:
    """Yields tables without lines that fit a width, with headings if the sheet has any."""
    first, *others = [n for n, column in enumerate(sheet.columns) if column.heading is not None]
    cells = {number: _format_column(sheet, number) for number in (first, *others)}
    widths = {number: max(cell_len(str(cell)) for cell in texts) for number, texts in cells.items()}
    wrapping = {number for number in cells if sheet.columns[number].wraps}
    widths |= {number: min(widths[number], _NARROWEST_WORDS) for number in wrapping}

    def width_of(part: Sequence[int]) -> int:
        return sum(widths[number] + sheet.gap for number in part) - sheet.gap

    parts = [[first]]
    for number in others:
        if len(parts[-1]) > 1 and width_of([*parts[-1], number]) > max_width:
            parts.append([first])
        parts[-1].append(number)
    has_header = any(column.heading for column in sheet.columns)
    for part in parts:
        table = Table(
            box=None, pad_edge=False, padding=(0, sheet.gap, 0, 0), show_header=has_header
        )
        table.width = None if wrapping.intersection(part) else width_of(part)
        for number in part:
            column, heading = sheet.columns[number], cells[number][0]
            side: Literal["left", "right"] = "left" if column.form is None else "right"
            table.add_column(heading, justify=side, no_wrap=not column.wraps, style=column.style)
        for row, words in enumerate(zip(*(cells[number][1:] for number in part), strict=True)):
            table.add_row(*words, style=sheet.styles.get(row) or None)
        yield table


def _format_column(sheet: Sheet, number: int) -> list[str | Text]:
    """Returns the heading and cells of a column; words are as they are, missing cells blank."""
    column = sheet.columns[number]
    form, texts = column.form or str, list[str | Text]([column.heading or ""])
    for row in sheet.rows:
        cell = row[number] if number < len(row) else ""
        if isinstance(cell, int | float):
            cell = NO_VALUE if math.isnan(cell) else form(cell)
        texts.append(cell)
    return texts
