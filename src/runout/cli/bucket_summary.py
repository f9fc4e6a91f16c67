"""What is said about the buckets of each street, as a table and as JSON."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from rich.table import Table

from runout.cli.formatting import Json, format_count, format_percent
from runout.trees.betting import Street

if TYPE_CHECKING:
    from runout.abstraction.card_abstraction import CardAbstraction

NO_VALUE = "-"
SPREAD_DECIMALS = 3


@dataclass(frozen=True)
class Contents:
    """What is in the buckets of a street; deals are those that the boundaries were cut from.

    Attributes:
        smallest, median, largest: deals in a bucket.
        mean_spread: strongest minus weakest strength in a bucket, mean over deals.
        max_spread: the same of the bucket where it is largest.
    """

    smallest: int
    median: float
    largest: int
    mean_spread: float
    max_spread: float


@dataclass(frozen=True)
class StreetSummary:
    """What is said about a street.

    Attributes:
        street: its name.
        requested: buckets asked for.
        effective: buckets there are; fewer where equal strengths fill more than one.
        supported: buckets whose size the surveyed deals can tell, None if unknown.
        has_table: whether buckets are looked up, not computed.
        contents: None if the abstraction was not made from deals.
    """

    street: str
    requested: int
    effective: int
    supported: int | None
    has_table: bool
    contents: Contents | None

    def to_json(self) -> Json:
        """Returns the same facts under their JSON names."""
        contents = self.contents
        return {
            "num_requested": self.requested,
            "num_effective": self.effective,
            "num_supported": self.supported,
            "has_table": self.has_table,
            "deals_in_bucket": None
            if contents is None
            else {
                "smallest": contents.smallest,
                "median": contents.median,
                "largest": contents.largest,
            },
            "strength_spread_in_bucket": None
            if contents is None
            else {"mean": contents.mean_spread, "max": contents.max_spread},
        }


def summarize(abstraction: "CardAbstraction") -> list[StreetSummary]:
    """Returns the summaries of flop, turn and river."""
    return [
        StreetSummary(
            street.label,
            abstraction.boundaries.num_requested(street),
            abstraction.num_buckets(street),
            abstraction.origin.get("supported", {}).get(street.label),
            street in abstraction.tables,
            _summarize_contents(abstraction, street),
        )
        for street in Street
    ]


def _summarize_contents(abstraction: "CardAbstraction", street: Street) -> Contents | None:
    if street not in abstraction.statistics:
        return None
    statistics = abstraction.statistics[street]
    population = statistics.population
    spread = statistics.highest - statistics.lowest
    return Contents(
        int(population.min()),
        float(np.median(population)),
        int(population.max()),
        float(np.average(spread, weights=population)),
        float(spread.max()),
    )


def summary_table(summaries: Sequence[StreetSummary]) -> Table:
    """Returns a table with a column for each street."""
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    table.add_column("")
    for summary in summaries:
        table.add_column(summary.street, justify="right", no_wrap=True)
    cells_by_street = [_cells(summary) for summary in summaries]
    rows = max(cells_by_street, key=len)
    for row in rows:
        table.add_row(row, *(cells.get(row, NO_VALUE) for cells in cells_by_street))
    return table


def _cells(summary: StreetSummary) -> dict[str, str]:
    """Returns the text of each row of a street's column."""
    contents, supported = summary.contents, summary.supported
    cells = {
        "buckets requested": format_count(summary.requested),
        "buckets effective": format_count(summary.effective),
        "buckets supported": NO_VALUE if supported is None else format_count(supported),
        "buckets are": "looked up" if summary.has_table else "computed",
    }
    if contents is None:
        return cells
    return cells | {
        "deals in the smallest": format_count(contents.smallest),
        "deals in the median": format_count(contents.median),
        "deals in the largest": format_count(contents.largest),
        "spread of strength, mean": format_percent(contents.mean_spread, SPREAD_DECIMALS),
        "spread of strength, max": format_percent(contents.max_spread, SPREAD_DECIMALS),
    }
