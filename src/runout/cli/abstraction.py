"""`runout abstraction`: buckets of hands that play alike, built, looked up and inspected."""

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer
from rich.table import Table

from runout.cards.deck import combo_index, format_cards, format_combo, parse_board
from runout.cli.console import output, print_json, print_note, using_kernels
from runout.cli.formatting import Json, format_bytes, format_count, format_count_of, format_percent
from runout.cli.options import (
    ExecutorOption,
    JsonFlag,
    OptionError,
    RequiredBoardOption,
    WorkersOption,
    parse_hand,
    read_path,
)
from runout.cli.plots import BoundaryPlot, write_png
from runout.cli.targets import (
    OutputOption,
    OverwriteFlag,
    count_checkpoints,
    describe_build,
    describe_end,
    estimate_build,
    note_done_before,
    remove_checkpoints,
    require_free,
    require_resources,
    solving_into,
)
from runout.errors import RunoutError
from runout.events import reporting_phase
from runout.storage.bundle import digest_config, has_bundle, read_manifest
from runout.storage.files import PathLock
from runout.storage.ledger import claiming
from runout.trees.betting import Street

if TYPE_CHECKING:
    from runout.abstraction.card_abstraction import AbstractionConfig, CardAbstraction


# --------------------------------------------------------------------------------------------------
# What is said about the buckets of each street, as a table and as JSON.


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


# --------------------------------------------------------------------------------------------------
# `runout abstraction build`: cutting hands into buckets, resumably.


#: The options that fill and are checked by the fields of `AbstractionConfig`.
OPTION_BY_FIELD = {
    "flop_buckets": "--flop-buckets",
    "turn_buckets": "--turn-buckets",
    "river_buckets": "--river-buckets",
    "samples_per_street": "--samples",
}


class Mode(StrEnum):
    """The values of `SurveyMode`, which takes numba to import."""

    EXHAUSTIVE = "exhaustive"
    SAMPLED = "sampled"


class Feature(StrEnum):
    """The values of `StrengthFeature`, which takes numba to import."""

    EHS2 = "ehs2"
    EHS_SQUARED = "ehs_squared"


ModeOption = Annotated[Mode, typer.Option(help="Cut all deals into buckets, or a sample.")]
FlopOption = Annotated[int | None, typer.Option(metavar="N", help="Default 5,000.")]
TurnOption = Annotated[int | None, typer.Option(metavar="N", help="Default 5,000.")]
RiverOption = Annotated[int | None, typer.Option(metavar="N", help="Default 20,000.")]
SamplesOption = Annotated[
    int | None, typer.Option(metavar="N", help="Deals to sample on each street, default 100,000.")
]
FeatureOption = Annotated[Feature, typer.Option(help="What orders hands: E[HS] or E[HS^2].")]
SeedOption = Annotated[int, typer.Option(metavar="S", help="Decides which deals are sampled.")]
RiverTableFlag = Annotated[
    bool, typer.Option("--river-table", help="Also store the bucket of every river deal.")
]


def build_abstraction(
    path: OutputOption,
    mode: ModeOption = Mode.EXHAUSTIVE,
    flop_buckets: FlopOption = None,
    turn_buckets: TurnOption = None,
    river_buckets: RiverOption = None,
    samples: SamplesOption = None,
    feature: FeatureOption = Feature.EHS2,
    seed: SeedOption = 0,
    workers: WorkersOption = None,
    executor: ExecutorOption = "threads",
    river_table: RiverTableFlag = False,
    overwrite: OverwriteFlag = False,
    json: JsonFlag = False,
) -> None:
    """Cut the hands of each street into buckets of equal size and similar strength.

    An interrupted build goes on from where it was when the same command is given again.
    """
    if seed < 0:
        raise OptionError("--seed", f"{seed} is negative, seeds start at 0")
    if samples is not None and mode is Mode.EXHAUSTIVE:
        raise OptionError("--samples", "goes with --mode sampled only")
    counts = dict(
        zip(OPTION_BY_FIELD, (flop_buckets, turn_buckets, river_buckets, samples), strict=True)
    )
    started = time.perf_counter()
    with solving_into(path, workers, executor) as workplace:
        from runout.abstraction.card_abstraction import KIND, build_card_abstraction

        config = _make_config(mode, feature, counts)
        require_free(path, KIND, True)
        facts = {**asdict(config), "seed": seed, "river_table": river_table}
        with claiming(path, digest_config(facts)) as claim:
            abstraction = None if overwrite else _find_finished(path, config, seed, river_table)
            is_done_before = abstraction is not None
            if abstraction is not None:
                note_done_before(path)
                remove_checkpoints(checkpoint_directory(path))
            else:
                cost = estimate_build(config, river_table, workplace.num_threads)
                require_resources(cost, "the build", path)
                print_note(f"{path}:\n{describe_build(cost)}")
                with _keeping_finished_parts(path, claim) as checkpoints:
                    workplace = replace(workplace, checkpoints=checkpoints)
                    abstraction = build_card_abstraction(config, seed, workplace, river_table)
                    with reporting_phase(workplace.on_event, "writing"):
                        _save(path, abstraction, overwrite)
    _report(path, abstraction, time.perf_counter() - started, is_done_before, json)


def _make_config(
    mode: Mode, feature: Feature, counts: dict[str, int | None]
) -> "AbstractionConfig":
    """Returns the config of the counts that were given, and defaults of the others."""
    from runout.abstraction.card_abstraction import AbstractionConfig, SurveyMode
    from runout.abstraction.survey import StrengthFeature
    from runout.equity.hand_strength import AbstractionError

    given: dict[str, Any] = {field: count for field, count in counts.items() if count is not None}
    try:
        return AbstractionConfig(mode=SurveyMode(mode), feature=StrengthFeature(feature), **given)
    except AbstractionError as error:
        raise OptionError(OPTION_BY_FIELD[error.where], error.problem) from None


def _find_finished(
    path: Path, config: "AbstractionConfig", seed: int, with_river_table: bool
) -> "CardAbstraction | None":
    """Returns the abstraction that is at a path if it is the one asked for, None if none is there.

    Raises:
        RunoutError: naming every fact that differs, with both values, or if it cannot be opened.
    """
    from runout.abstraction.card_abstraction import CardAbstraction
    from runout.config.section import list_differences

    if not has_bundle(path):
        return None
    found = CardAbstraction.load(path)
    wanted = asdict(config) | {"seed": seed}
    if config.mode.value == Mode.EXHAUSTIVE:  # draws nothing
        del wanted["seed"], wanted["samples_per_street"]
    there = {key: found.origin.get(key) for key in wanted}
    differences = list(
        list_differences(
            there | {"river table": Street.RIVER in found.tables},
            wanted | {"river table": with_river_table},
        )
    )
    if differences:
        which = "; ".join(differences)
        problem = f"is another abstraction, give --overwrite to replace it: {which}"
        raise OptionError(str(path), problem)
    return found


def _save(path: Path, abstraction: "CardAbstraction", overwrite: bool) -> None:
    """Writes the bundle, unless a process that shared the work was first."""
    try:
        abstraction.save(path, overwrite=overwrite)
    except RunoutError:
        if overwrite or not has_bundle(path):
            raise


@contextmanager
def _keeping_finished_parts(path: Path, claim: PathLock) -> Iterator[Path]:
    """Yields where to keep finished parts; they go when the block ends well, and not before."""
    directory = checkpoint_directory(path)
    num_finished = count_checkpoints(directory)
    if num_finished:
        parts = format_count_of(num_finished, "finished part")
        print_note(f"using what fits of {parts} in {directory}")
    try:
        yield directory
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            f"interrupted; give the same command again to go on, finished parts are in {directory}"
        ) from None
    if claim.is_last():
        remove_checkpoints(directory)


def checkpoint_directory(path: Path) -> Path:
    """Returns where the finished parts of a build are: in plain sight, next to its result."""
    target = Path(os.path.realpath(path))
    return target.with_name(f"{target.name}.checkpoint")


def _report(
    path: Path, abstraction: "CardAbstraction", seconds: float, is_done_before: bool, json: bool
) -> None:
    summaries = summarize(abstraction)
    size_bytes = read_manifest(path).size_bytes
    if json:
        print_json(
            {
                "path": str(path),
                "size_bytes": size_bytes,
                "seconds": seconds,
                **{summary.street: summary.to_json() for summary in summaries},
            }
        )
        return
    console = output()
    console.print(summary_table(summaries))
    what = f"{path}, {format_bytes(size_bytes)}"
    console.print(
        describe_end(what, seconds, is_done_before),
        soft_wrap=True,
        markup=False,
    )


# --------------------------------------------------------------------------------------------------
# `runout abstraction`: buckets of hands that play alike, built, looked up and inspected.


STRENGTH_DECIMALS = 4  # thousands of buckets lie hundredths of a percent apart

DirectoryArgument = Annotated[
    Path,
    typer.Argument(metavar="DIR", parser=read_path, help="What `runout abstraction build` wrote."),
]

app = typer.Typer(no_args_is_help=True, help="Build, look up and inspect buckets of hands.")
app.command("build", epilog="Example: runout abstraction build -o buckets --flop-buckets 1000")(
    build_abstraction
)


@app.command(
    "bucket", epilog="Example: runout abstraction bucket buckets --board AhKsQd --hand JcTc"
)
def show_bucket(
    path: DirectoryArgument,
    board: RequiredBoardOption,
    hand: Annotated[str, typer.Option("--hand", metavar="CARDS", help="Two cards, such as JcTc.")],
    json: JsonFlag = False,
) -> None:
    """Show the bucket of a hand on a board, and which strengths are in it."""
    known_cards = parse_board(board)
    holding = parse_hand(hand, known_cards)
    with using_kernels():
        from runout.abstraction.card_abstraction import CardAbstraction
        from runout.equity.hand_strength import HandStrengthCalculator, street_of_board

        abstraction = CardAbstraction.load(path)
        street = street_of_board(len(known_cards))
        bucket = abstraction.get_bucket(known_cards, holding)
        strength = HandStrengthCalculator().calculate(known_cards, holding)
    value = getattr(strength, abstraction.feature.value)
    num_buckets = abstraction.num_buckets(street)
    inner = abstraction.boundaries.of_street(street)
    above = float(inner[bucket - 1]) if bucket > 0 else None
    up_to = float(inner[bucket]) if bucket < num_buckets - 1 else 1.0
    statistics = abstraction.statistics.get(street)
    num_deals = None if statistics is None else int(statistics.population[bucket])
    hand_text = format_combo(combo_index(*holding))
    if json:
        print_json(
            {
                "board": format_cards(known_cards),
                "hand": hand_text,
                "street": street.label,
                "bucket": bucket,
                "num_buckets": num_buckets,
                "feature": abstraction.feature.value,
                "strength": value,
                "strength_above": above,
                "strength_up_to": up_to,
                "num_deals": num_deals,
            }
        )
        return
    lowest = "0%, up to" if above is None else f"above {_exact_percent(above)}, up to"
    rows = {
        "bucket": f"{bucket:,} of 0 (weakest) to {num_buckets - 1:,}",
        "strength": f"{_exact_percent(value)} ({abstraction.feature.value})",
        "in the bucket": f"{lowest} {_exact_percent(up_to)}",
        "deals in it": "unknown" if num_deals is None else format_count(num_deals),
    }
    console = output()
    console.print(f"{hand_text} on the {street.label} {format_cards(known_cards)}")
    console.print(_two_columns(rows))


@app.command("inspect", epilog="Example: runout abstraction inspect buckets --png buckets.png")
def inspect_abstraction(
    path: DirectoryArgument,
    png: Annotated[
        Path | None,
        typer.Option("--png", metavar="FILE", parser=read_path, help="Also write a picture."),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Show how many buckets there are, how large and how mixed, and where they part."""
    with using_kernels():
        from runout.abstraction.card_abstraction import CardAbstraction

        abstraction = CardAbstraction.load(path)
        manifest = read_manifest(path)
        summaries = summarize(abstraction)
        origin = describe_origin(abstraction)
        boundaries = {street.label: abstraction.boundaries.of_street(street) for street in Street}
        if png is not None:
            write_png(png, abstraction, f"{path.resolve().name}: {origin}")
    if json:
        by_street = {
            summary.street: {
                **summary.to_json(),
                "boundaries": boundaries[summary.street].tolist(),
            }
            for summary in summaries
        }
        print_json(
            {
                "path": str(path),
                "size_bytes": manifest.size_bytes,
                "created_at": manifest.created_at.isoformat(),
                "package_version": manifest.package_version,
                "feature": abstraction.feature.value,
                "origin": dict(abstraction.origin),
                **by_street,
            }
        )
        return
    console = output()
    console.print(f"{path}: {origin}", soft_wrap=True, markup=False)
    console.print(
        f"{format_bytes(manifest.size_bytes)}, written {manifest.created_at:%Y-%m-%d %H:%M} UTC "
        f"by runout {manifest.package_version}\n"
    )
    console.print(summary_table(summaries))
    for label, inner in boundaries.items():
        console.print(f"\n{label} boundaries, {len(inner):,} in all")
        console.print(BoundaryPlot(inner))


def describe_origin(abstraction: "CardAbstraction") -> str:
    """Returns in words what the boundaries were cut from."""
    origin, feature = abstraction.origin, abstraction.feature.value
    mode = origin.get("mode")
    if mode == "exhaustive":
        return f"{feature} of every deal"
    if mode == "sampled":
        num_samples = format_count(origin["samples_per_street"])
        return f"{feature} of {num_samples} sampled deals per street, seed {origin['seed']}"
    return f"{feature}, of unknown origin"


def _exact_percent(strength: float) -> str:
    return format_percent(strength, STRENGTH_DECIMALS)


def _two_columns(rows: dict[str, str]) -> Table:
    table = Table.grid(padding=(0, 3, 0, 0))
    for name, text in rows.items():
        table.add_row(name, text)
    return table
