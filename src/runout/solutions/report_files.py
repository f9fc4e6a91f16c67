"""A report over flops on disk: as a bundle, and as files that other programs read.

The bundle has an array of numbers for each line, with a row for each flop. Each line of play has a
directory as well: ``report.csv`` with PioSOLVER's columns and percentages, ``table.csv`` and
``table.parquet`` with all numbers as fractions and chips.
"""

import csv
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from runout.arrays import FloatArray
from runout.cards.deck import format_card, parse_cards
from runout.solutions.node import NodeAction, Provenance
from runout.solutions.preflop import LINES_FOLDER, REPORT_FOLDER, find_bundle
from runout.solutions.reports import (
    FlopRow,
    FlopsReport,
    Form,
    LineTable,
    ReportLine,
    name_of_line,
    split_values,
)
from runout.solutions.sheet import has_parquet, write_csv, write_parquet
from runout.solutions.values import ExploitabilityMeaning
from runout.storage.bundle import Bundle, Manifest, load_bundle, reading_contents
from runout.storage.files import replacing_file, reporting_os_errors
from runout.storage.writer import write_bundle
from runout.trees.actions import AGGRESSIVE_KINDS, ActionKind, format_amount
from runout.trees.tree import POSITION_NAMES

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
    facts = [row[1 : 1 + _NUM_FACTS] for row in report.rows]
    lines = {
        f"line{number}": np.array([row.lines[number] for row in report.rows])
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
        measured=[_FACTS],
        overwrite=True,
    )


def load_report(path: Path) -> FlopsReport:
    """Opens the report of a directory, or the bundle itself."""
    place = find_bundle(path, REPORT_FOLDER)
    bundle = load_bundle(place, REPORT_KIND, REPORT_SCHEMA_VERSION)
    with reading_contents(place):
        return _read(bundle, bundle.documents[_DOCUMENT], bundle.arrays)


def _read(bundle: Bundle, document: Mapping[str, Any], arrays: Mapping[str, Any]) -> FlopsReport:
    lines = tuple(map(ReportLine.from_json, document["lines"]))
    flops, facts = document["flops"], arrays[_FACTS]
    tables: list[FloatArray] = [arrays[f"line{number}"] for number in range(len(lines))]
    if facts.shape != (len(flops), _NUM_FACTS) or any(len(t) != len(flops) for t in tables):
        raise ValueError("there are not as many rows as flops")
    for line, table in zip(lines, tables, strict=True):
        split_values(table, len(line.actions))  # refuses the numbers of another line
    rows = [
        FlopRow._make([*known, tuple(table[number] for table in tables)])
        for number, known in enumerate(zip(flops, *facts.T.tolist(), strict=True))
    ]
    return FlopsReport(
        title=document["title"],
        lines=lines,
        rows=tuple(rows),
        num_flops=int(document["num_flops"]),
        meaning=ExploitabilityMeaning(document["meaning"]),
        has_strategies=bool(document["has_strategies"]),
        config_text=bundle.config_text or "",
        provenance=Provenance.of(bundle.manifest),
    )


PIO_FILE, TABLE_FILE, PARQUET_FILE = "report.csv", "table.csv", "table.parquet"

#: The last row of PioSOLVER's file, the mean by weights.
_MEAN = "All"
_PERCENT_DIGITS, _CHIP_DIGITS = 3, 4


def write_files(directory: Path, report: FlopsReport) -> list[Path]:
    """Writes the files of all lines, and returns their directories."""
    folders = []
    for line in report.lines:
        name = name_of_line(line.path)
        # In letters that every system has.
        folder, table = directory / LINES_FOLDER / name.replace(":", "-"), report.table(name)
        with reporting_os_errors(folder, "written"):
            folder.mkdir(parents=True, exist_ok=True)
            for file, write in ((PIO_FILE, write_pio), (TABLE_FILE, write_table)):
                with replacing_file(folder / file) as part, part.open("w", newline="") as stream:
                    write(report, table, stream)
            if has_parquet():
                with replacing_file(folder / PARQUET_FILE) as part:
                    write_parquet(part, [table.to_columns()])
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
    columns = table.to_columns()
    write_csv(columns, zip(*columns.values(), strict=True), stream)


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
