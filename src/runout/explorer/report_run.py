"""A report over flops for the page: one row for each flop at a line, by texture."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from runout.errors import BundleError, quote
from runout.explorer.library import FoundRun
from runout.trees.postflop_tree import PLAYER_NAMES
from runout.views.flop_table import Column, FilterError, FlopsReport, LineTable, name_of_line
from runout.views.node import Unit
from runout.views.node_json import rounded
from runout.views.quality import Provenance, Quality
from runout.views.report_bundle import load_report, quality_of_report

Json = dict[str, Any]

#: Columns that the page shows besides those of every table of flops.
_MORE = ("reach", "nuts_oop", "nuts_ip")
_MORE_BEGINNINGS = ("cost_", "only_")


@dataclass(frozen=True, eq=False)
class ReportRun:
    """A report that is open.

    Attributes:
        flops: the report.
        quality: how well the worst flop is solved.
        config_text: the spot without its board.
        spots: the ids of the flops whose solutions were kept.
    """

    flops: FlopsReport
    quality: Quality
    config_text: str
    spots: Mapping[str, str]

    @classmethod
    def open(cls, found: FoundRun) -> "ReportRun":
        """Opens a report.

        Raises:
            BundleError: if it is missing, damaged, or of another kind or version.
        """
        report, bundle = load_report(found.bundle)
        quality = quality_of_report(report, Provenance.of(bundle.manifest))
        return cls(report, quality, bundle.config_text or "", found.spots)

    @property
    def title(self) -> str:
        """How many flops, and the spot."""
        return f"{len(self.flops.rows):,} flops, {self.flops.title}"

    @property
    def note(self) -> str:
        """Whether some flops are missing."""
        done, total = len(self.flops.rows), self.flops.num_flops
        return "" if done == total else f"{done:,} of {total:,} flops are solved"

    def report(self, choice: str) -> Json:
        """Returns one row per flop at a line; by default the first.

        Raises:
            BundleError: if it was not looked at.
        """
        names = [name_of_line(line.path) for line in self.flops.lines]
        chosen = choice or names[0]
        try:
            table = self.flops.table(chosen)
        except FilterError as error:
            raise BundleError(f"line {quote(choice)}", error.problem) from None
        line = table.line
        # Every deal gets to the root.
        more = [c for c in table.columns if _is_more(c) and (line.path or c.key != "reach")]
        who = line.label if line.actor is None else f"{PLAYER_NAMES[line.actor]} acts"
        return {
            "path": name_of_line(line.path),
            "choices": names,
            "choice": "line",
            "title": f"{who}, line {name_of_line(line.path)}",
            "unit": Unit.CHIPS.value,
            "players": list(PLAYER_NAMES),
            "more": [{"key": c.key, "label": c.heading, "form": c.form.value} for c in more],
            "flops": [self._row(table, number, more) for number in range(len(table.rows))],
        }

    def _row(self, table: LineTable, number: int, more: list[Column]) -> Json:
        row, values, line = table.rows[number], table.values[number], table.line
        eqrs = [table.column(f"eqr_{name.lower()}").values[number] for name in PLAYER_NAMES]
        return {
            "flop": row.flop,
            "path": line.path,
            "run": self.spots.get(row.flop),
            "pot": rounded(line.pot),
            "share": float(table.weights[number]),
            **table.labels[number],
            "actions": [
                {**action, "frequency": rounded(frequency)}
                for action, frequency in zip(
                    line.to_json()["actions"], values.frequency, strict=True
                )
            ],
            "ev": [rounded(value) for value in values.ev],
            "equity": [rounded(value) for value in values.equity],
            "eqr": [rounded(float(value)) for value in eqrs],
            "more": {column.key: rounded(float(column.values[number])) for column in more},
            "exploitability": row.exploitability_pot,
        }


def _is_more(column: Column) -> bool:
    return column.key in _MORE or column.key.startswith(_MORE_BEGINNINGS)
