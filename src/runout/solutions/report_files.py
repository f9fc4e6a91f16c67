"""A report over flops as a bundle, CSV and Parquet."""

import csv
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from runout.arrays import FloatArray
from runout.cards.deck import format_card, parse_cards
from runout.cards.flops import TextureKind
from runout.solutions.node import NodeAction, Provenance, Quality
from runout.solutions.preflop import LINES_FOLDER, REPORT_FOLDER, find_bundle
from runout.solutions.reports import (
    FLOP_KEY,
    FlopRow,
    FlopsReport,
    Form,
    LineTable,
    LineValues,
    ReportLine,
    name_of_line,
)
from runout.solutions.values import ExploitabilityMeaning
from runout.storage.bundle import Bundle, Manifest, load_bundle, reading_contents
from runout.storage.files import replacing_file, reporting_os_errors
from runout.storage.writer import write_bundle
from runout.trees.actions import AGGRESSIVE_KINDS, ActionKind, format_amount
from runout.trees.tree import POSITION_NAMES

# A report over flops as a bundle: one array of numbers for each line, a row for each flop.


REPORT_KIND = "flop_report"
REPORT_SCHEMA_VERSION = 1

_DOCUMENT = "report"
_FACTS = "facts"
_NUM_FACTS = 5


def save_report(
    directory: Path, report: FlopsReport, config_text: str, config_digest: str
) -> Manifest:
    """Writes the report of a directory, in place of an earlier one.

    The config is the spot without its board; its digest also names how well it is solved.
    """
    facts = [
        [row.share, row.deals, row.exploitability_pot, row.iterations, row.seconds]
        for row in report.rows
    ]
    lines = {
        f"line{number}": np.array([row.lines[number].to_array() for row in report.rows])
        for number in range(len(report.lines))
    }
    document = {
        "title": report.title,
        "lines": [line.to_json() for line in report.lines],
        "flops": [row.flop for row in report.rows],
        "num_flops": report.num_flops,
        "meaning": report.meaning.value,
        "has_strategies": report.has_strategies,
    }
    return write_bundle(
        directory / REPORT_FOLDER,
        kind=REPORT_KIND,
        schema_version=REPORT_SCHEMA_VERSION,
        arrays={_FACTS: np.array(facts, dtype=np.float64), **lines},
        documents={_DOCUMENT: document},
        config_text=config_text,
        config_digest=config_digest,
        overwrite=True,
    )


def load_report(path: Path) -> tuple[FlopsReport, Bundle]:
    """Opens the report of a directory, or the bundle itself."""
    place = find_bundle(path, REPORT_FOLDER)
    bundle = load_bundle(place, REPORT_KIND, REPORT_SCHEMA_VERSION)
    with reading_contents(place):
        return _read(bundle.documents[_DOCUMENT], bundle.arrays), bundle


def _read(document: Mapping[str, Any], arrays: Mapping[str, Any]) -> FlopsReport:
    lines = tuple(map(ReportLine.from_json, document["lines"]))
    flops, facts = document["flops"], arrays[_FACTS]
    tables: list[FloatArray] = [arrays[f"line{number}"] for number in range(len(lines))]
    if facts.shape != (len(flops), _NUM_FACTS) or any(len(t) != len(flops) for t in tables):
        raise ValueError("there are not as many rows as flops")
    rows = []
    for number, (flop, numbers) in enumerate(zip(flops, facts.tolist(), strict=True)):
        share, deals, exploitability, iterations, seconds = numbers
        values = tuple(
            LineValues.from_array(table[number], len(line.actions))
            for line, table in zip(lines, tables, strict=True)
        )
        rows.append(FlopRow(flop, share, deals, exploitability, int(iterations), seconds, values))
    return FlopsReport(
        title=document["title"],
        lines=lines,
        rows=tuple(rows),
        num_flops=int(document["num_flops"]),
        meaning=ExploitabilityMeaning(document["meaning"]),
        has_strategies=bool(document["has_strategies"]),
    )


def quality_of_report(report: FlopsReport, provenance: Provenance | None = None) -> Quality:
    """Returns how well the worst flop is solved."""
    return Quality(
        max((row.exploitability_pot for row in report.rows), default=0.0),
        report.meaning,
        max((row.iterations for row in report.rows), default=0),
        sum(row.seconds for row in report.rows),
        provenance=provenance,
    )


# A report over flops as files that other programs read: CSV as PioSOLVER writes it, CSV, Parquet.
#
# Each line of play has a directory: ``report.csv`` with PioSOLVER's columns and percentages,
# ``table.csv`` and ``table.parquet`` with all numbers as fractions and chips.


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
    """Writes the files of all lines, and returns their directories."""
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
    # In PioSOLVER's order: the largest bet first, fold last.
    actions = sorted(
        table.line.actions, key=lambda a: (a.kind in AGGRESSIVE_KINDS, a.amount, a.kind)
    )[::-1]
    kinds = [f"{name} {kind}" for name in POSITION_NAMES for kind in ("Equity", "EV", "EQR")]
    frequencies = [f"{_pio_name(action, table.line.actions)} freq" for action in actions]
    writer.writerow(["Flop", "Global %", *kinds, *frequencies])
    keys = ["_".join(reversed(kind.lower().split())) for kind in kinds]
    keys = ["reach", *keys, *(f"freq_{action.code}" for action in actions)]
    columns = [table.column(key) for key in keys]
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
    columns |= {kind.value: [names[kind] for names in table.labels] for kind in TextureKind}
    for column in table.columns:
        is_count = column.form is Form.COUNT
        columns[column.key] = column.values.astype(np.int64 if is_count else np.float64).tolist()
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
