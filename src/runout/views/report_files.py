"""A report over flops as files that other programs read: CSV as PioSOLVER writes it, CSV, Parquet.

Each line of play has a directory: ``report.csv`` with PioSOLVER's columns and percentages,
``table.csv`` and ``table.parquet`` with all numbers as fractions and chips.
"""

import csv
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO

from runout.cards.card import format_card, parse_cards
from runout.cards.textures import TextureKind
from runout.results.run_folders import LINES_FOLDER
from runout.storage.files import replacing_file, reporting_os_errors
from runout.trees.actions import AGGRESSIVE_KINDS, ActionKind, format_amount
from runout.trees.postflop_tree import PLAYER_NAMES
from runout.views.flop_table import (
    FLOP_KEY,
    FlopsReport,
    Form,
    LineTable,
    name_of_line,
)
from runout.views.node import NodeAction

PIO_FILE, TABLE_FILE, PARQUET_FILE = "report.csv", "table.csv", "table.parquet"

#: The last row of PioSOLVER's file, the mean by weights.
_MEAN = "All"
_PERCENT_DIGITS, _CHIP_DIGITS = 3, 4


def has_parquet() -> bool:
    """Returns whether Parquet can be written, which takes the extra package pyarrow."""
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        return False
    return True


def folder_of_line(path: str) -> str:
    """Returns the name of a line's directory, in letters that every system has."""
    return name_of_line(path).replace(":", "-")


def write_files(directory: Path, report: FlopsReport) -> list[Path]:
    """Writes the files of all lines, and returns their directories.

    Raises:
        BundleError: if they cannot be written.
    """
    folders = []
    for line in report.lines:
        folder = directory / LINES_FOLDER / folder_of_line(line.path)
        table = report.table(name_of_line(line.path))
        with reporting_os_errors(folder, "written"):
            folder.mkdir(parents=True, exist_ok=True)
            for name, write in ((PIO_FILE, write_pio), (TABLE_FILE, write_table)):
                with replacing_file(folder / name) as part, part.open("w", newline="") as stream:
                    write(report, table, stream)
            if has_parquet():
                with replacing_file(folder / PARQUET_FILE) as part:
                    _write_parquet(table, part)
        folders.append(folder)
    return folders


def write_pio(report: FlopsReport, table: LineTable, stream: TextIO) -> None:
    """Writes what PioSOLVER's reports have: three lines of text, then percentages and chips."""
    writer = csv.writer(stream, lineterminator="\n")
    path = ":".join(filter(None, ("r:0", table.line.path.replace("x", "c"))))
    writer.writerow([f"runout report, {report.title}"])
    writer.writerow([f"line {path}, pot {format_amount(table.line.pot)}"])
    writer.writerow([f"{len(report.rows)} of {report.num_flops} flops, the last row is the mean"])
    actions = _from_largest(table.line.actions)
    keys = ["reach"]
    headings = ["Flop", "Global %"]
    for name in PLAYER_NAMES:
        end = name.lower()
        headings += [f"{name} Equity", f"{name} EV", f"{name} EQR"]
        keys += [f"equity_{end}", f"ev_{end}", f"eqr_{end}"]
    writer.writerow([*headings, *(f"{_pio_name(a, table.line.actions)} freq" for a in actions)])
    columns = [table.column(key) for key in [*keys, *(f"freq_{a.code}" for a in actions)]]
    for number, row in enumerate(table.rows):
        cells = [_pio_number(float(c.values[number]), c.form) for c in columns]
        cards = " ".join(map(format_card, parse_cards(row.flop)))
        writer.writerow([cards, *cells])
    everything = table.everything()
    writer.writerow([_MEAN, *(_pio_number(c.mean(everything), c.form) for c in columns)])


def write_table(report: FlopsReport, table: LineTable, stream: TextIO) -> None:
    """Writes all columns, a row for each flop; nothing where there is no value."""
    writer = csv.writer(stream, lineterminator="\n")
    columns = table_columns(table)
    writer.writerow(columns)
    for cells in zip(*columns.values(), strict=True):
        writer.writerow(["" if _is_missing(cell) else cell for cell in cells])


def table_columns(table: LineTable) -> dict[str, list[Any]]:
    """Returns all columns by name: the flop, its textures, and numbers."""
    columns: dict[str, list[Any]] = {FLOP_KEY: [row.flop for row in table.rows]}
    for kind in TextureKind:
        columns[kind.value] = [names[kind] for names in table.labels]
    for column in table.columns:
        numbers = column.values.tolist()
        is_count = column.form is Form.COUNT
        columns[column.key] = [int(number) for number in numbers] if is_count else numbers
    return columns


def _write_parquet(table: LineTable, path: Path) -> None:
    import pyarrow as arrow
    from pyarrow import parquet

    columns = {
        name: [None if _is_missing(cell) else cell for cell in cells]
        for name, cells in table_columns(table).items()
    }
    parquet.write_table(arrow.table(columns), path)


def _is_missing(cell: Any) -> bool:
    return isinstance(cell, float) and math.isnan(cell)


def _from_largest(actions: Sequence[NodeAction]) -> list[NodeAction]:
    """Returns actions in PioSOLVER's order: the largest bet first, fold last."""
    return sorted(actions, key=lambda a: (a.kind in AGGRESSIVE_KINDS, a.amount, a.kind))[::-1]


def _pio_name(action: NodeAction, actions: Sequence[NodeAction]) -> str:
    if action.kind not in AGGRESSIVE_KINDS:
        return action.kind.name
    faces_bet = any(other.kind is ActionKind.FOLD for other in actions)
    return f"{'RAISE' if faces_bet else 'BET'} {format_amount(action.amount)}"


def _pio_number(value: float, form: Form) -> str:
    if math.isnan(value):
        return ""
    if form is Form.SHARE:
        return f"{100.0 * value:.{_PERCENT_DIGITS}f}"
    return f"{value:.{_CHIP_DIGITS}f}"
