"""A report over flops as a bundle: one array of numbers for each line, a row for each flop."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from runout.arrays import FloatArray
from runout.results.run_folders import REPORT_FOLDER, find_bundle
from runout.results.solve_report import ExploitabilityMeaning
from runout.storage.bundle import Bundle, load_bundle, reading_contents
from runout.storage.manifest import Manifest
from runout.storage.writer import write_bundle
from runout.version import __version__
from runout.views.flop_rows import FlopRow, LineValues, ReportLine
from runout.views.flop_table import FlopsReport
from runout.views.quality import ExploitabilityUnit, Provenance, Quality

KIND = "flop_report"
SCHEMA_VERSION = 1

_DOCUMENT = "report"
_FACTS = "facts"
_NUM_FACTS = 5


def save_report(
    directory: Path, report: FlopsReport, config_text: str, config_digest: str
) -> Manifest:
    """Writes the report of a directory, in place of an earlier one.

    Args:
        directory: of the report.
        report: what is finished.
        config_text: the spot without its board, as YAML.
        config_digest: names the spot and how well it is solved.

    Raises:
        BundleError: if it cannot be written.
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
        kind=KIND,
        schema_version=SCHEMA_VERSION,
        package_version=__version__,
        arrays={_FACTS: np.array(facts, dtype=np.float64), **lines},
        documents={_DOCUMENT: document},
        config_text=config_text,
        config_digest=config_digest,
        overwrite=True,
    )


def load_report(path: Path) -> tuple[FlopsReport, Bundle]:
    """Opens the report of a directory, or the bundle itself.

    Raises:
        BundleError: if it is missing, damaged, or of another kind or version.
    """
    place = find_bundle(path, REPORT_FOLDER)
    bundle = load_bundle(place, KIND, SCHEMA_VERSION)
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
        exploitability=max((row.exploitability_pot for row in report.rows), default=0.0),
        unit=ExploitabilityUnit.POT,
        meaning=report.meaning,
        real_exploitability=None,
        iterations=max((row.iterations for row in report.rows), default=0),
        seconds=sum(row.seconds for row in report.rows),
        provenance=provenance,
    )
