"""`runout abstraction`: buckets of hands that play alike, built, looked up and inspected."""

import time
from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
import typer
from rich.console import RenderableType

from runout.cards.deck import combo_index, format_cards, format_combo, parse_board
from runout.cli.console import print_note, show, using_kernels
from runout.cli.formatting import NO_VALUE, Json, format_bytes, format_count, format_percent
from runout.cli.options import (
    ExecutorOption,
    JsonFlag,
    OptionError,
    OutputOption,
    OverwriteFlag,
    RequiredBoardOption,
    WorkersOption,
    argument,
    flag,
    not_negative,
    option,
    parse_hand,
)
from runout.cli.plots import BoundaryPlot, write_png
from runout.cli.sheets import Sheet, columns
from runout.cli.targets import (
    LongWork,
    checkpoints_beside,
    describe_build,
    describe_end,
    estimate_build,
    require_free,
    require_resources,
    solving_into,
)
from runout.storage.bundle import digest_config, has_bundle, read_manifest
from runout.storage.ledger import claiming
from runout.trees.betting import Street

if TYPE_CHECKING:
    from runout.abstraction.card_abstraction import (
        AbstractionConfig,
        BucketStatistics,
        CardAbstraction,
    )

SPREAD_DECIMALS = 3


def summarize(abstraction: "CardAbstraction") -> dict[str, Json]:
    """Returns what is said about flop, turn and river, under JSON names.

    Requested are the buckets asked for, effective those there are (fewer where equal strengths
    fill more than one), supported those whose size the surveyed deals can tell. Deals are those
    that the boundaries were cut from; a spread is the strongest minus the weakest strength.
    """
    return {
        street.label: {
            "num_requested": abstraction.boundaries.requested[street],
            "num_effective": abstraction.num_buckets(street),
            "num_supported": abstraction.origin.get("supported", {}).get(street.label),
            "has_table": street in abstraction.tables,
            **_summarize_contents(abstraction.statistics.get(street)),
        }
        for street in Street
    }


def _summarize_contents(statistics: "BucketStatistics | None") -> Json:
    """Returns how many deals are in a bucket, and how much their strengths differ."""
    if statistics is None:
        return {"deals_in_bucket": None, "strength_spread_in_bucket": None}
    population, spread = statistics.population, statistics.highest - statistics.lowest
    return {
        "deals_in_bucket": {
            "smallest": int(population.min()),
            "median": float(np.median(population)),
            "largest": int(population.max()),
        },
        "strength_spread_in_bucket": {
            "mean": float(np.average(spread, weights=population)),
            "max": float(spread.max()),
        },
    }


def summary_sheet(summaries: Mapping[str, Json]) -> Sheet:
    """Returns a column for each street."""
    cells_by_street = [_cells(summary) for summary in summaries.values()]
    rows = [
        (row, *(cells.get(row, NO_VALUE) for cells in cells_by_street))
        for row in max(cells_by_street, key=len)
    ]
    return Sheet(columns("", *(f">{street}" for street in summaries)), list(rows))


def _cells(summary: Json) -> dict[str, str]:
    """Returns the text of each row of a street's column."""
    supported = summary["num_supported"]
    cells = {
        "buckets requested": format_count(summary["num_requested"]),
        "buckets effective": format_count(summary["num_effective"]),
        "buckets supported": NO_VALUE if supported is None else format_count(supported),
        "buckets are": "looked up" if summary["has_table"] else "computed",
    }
    for name, number in (summary["deals_in_bucket"] or {}).items():
        cells[f"deals in the {name}"] = format_count(number)
    for name, share in (summary["strength_spread_in_bucket"] or {}).items():
        cells[f"spread of strength, {name}"] = format_percent(share, SPREAD_DECIMALS)
    return cells


# The values of `SurveyMode` and `StrengthFeature`, which take numba to import.
Mode = Literal["exhaustive", "sampled"]
Feature = Literal["ehs2", "ehs_squared"]


def build_abstraction(
    path: OutputOption,
    mode: Annotated[
        Mode, flag("--mode", "Cut all deals into buckets, or a sample.")
    ] = "exhaustive",
    flop_buckets: Annotated[int | None, option("--flop-buckets", "N", "Default 5,000.")] = None,
    turn_buckets: Annotated[int | None, option("--turn-buckets", "N", "Default 5,000.")] = None,
    river_buckets: Annotated[int | None, option("--river-buckets", "N", "Default 20,000.")] = None,
    samples: Annotated[
        int | None, option("--samples", "N", "Deals to sample on each street, default 100,000.")
    ] = None,
    feature: Annotated[Feature, flag("--feature", "What orders hands: E[HS] or E[HS^2].")] = "ehs2",
    seed: Annotated[
        int, option("--seed", "S", "Decides which deals are sampled.", not_negative)
    ] = 0,
    workers: WorkersOption = None,
    executor: ExecutorOption = "threads",
    river_table: Annotated[
        bool, flag("--river-table", "Also store the bucket of every river deal.")
    ] = False,
    overwrite: OverwriteFlag = False,
    json: JsonFlag = False,
) -> None:
    """Cut the hands of each street into buckets of equal size and similar strength.

    An interrupted build goes on from where it was when the same command is given again.
    """
    if samples is not None and mode == "exhaustive":
        raise OptionError("--samples", "goes with --mode sampled only")
    counts = {"flop_buckets": flop_buckets, "turn_buckets": turn_buckets}
    counts |= {"river_buckets": river_buckets, "samples_per_street": samples}
    started = time.perf_counter()
    with solving_into(path, workers, executor) as context:
        from runout.abstraction.card_abstraction import KIND, build_card_abstraction

        config = _make_config(mode, feature, counts)
        require_free(path, KIND, True)
        find = partial(_find_finished, path, config, seed, river_table)
        facts = {**asdict(config), "seed": seed, "river_table": river_table}
        with claiming(path, digest_config(facts)) as claim:
            checkpoints, kept = checkpoint_directory(path), "finished parts are in {directory}"
            work = LongWork(path, checkpoints, claim, find, overwrite, noun="part", kept=kept)
            abstraction = found = work.find_finished()
            if abstraction is None:
                cost = estimate_build(config, river_table, context.num_threads)
                require_resources(cost, "the build", path)
                print_note(f"{path}:\n{describe_build(cost)}")
                with work.going_on(context) as place:
                    abstraction = build_card_abstraction(config, seed, place, river_table)
                    work.save(abstraction, context)
    _report(path, abstraction, time.perf_counter() - started, found is not None, json)


def _report(
    path: Path, abstraction: "CardAbstraction", seconds: float, is_done_before: bool, json: bool
) -> None:
    summaries, size_bytes = summarize(abstraction), read_manifest(path).size_bytes
    document: Json = {
        "path": str(path),
        "size_bytes": size_bytes,
        "seconds": seconds,
        **summaries,
    }
    what = f"{path}, {format_bytes(size_bytes)}"
    show(json, document, summary_sheet(summaries), describe_end(what, seconds, is_done_before))


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
        name = error.where.removesuffix("_per_street").replace("_", "-")
        raise OptionError(f"--{name}", error.problem) from None


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
    if config.mode.value == "exhaustive":  # draws nothing
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


def checkpoint_directory(path: Path) -> Path:
    """Returns where the finished parts of a build are until its bundle is written."""
    return checkpoints_beside(path, "checkpoint")


STRENGTH_DECIMALS = 4  # thousands of buckets lie hundredths of a percent apart

DirectoryArgument = Annotated[Path, argument("DIR", "What `runout abstraction build` wrote.")]

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
    hand: Annotated[str, option("--hand", "CARDS", "Two cards, such as JcTc.")],
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
    document: Json = {
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
    lowest = "0%, up to" if above is None else f"above {_exact_percent(above)}, up to"
    rows = {
        "bucket": f"{bucket:,} of 0 (weakest) to {num_buckets - 1:,}",
        "strength": f"{_exact_percent(value)} ({abstraction.feature.value})",
        "in the bucket": f"{lowest} {_exact_percent(up_to)}",
        "deals in it": "unknown" if num_deals is None else format_count(num_deals),
    }
    title = f"{hand_text} on the {street.label} {format_cards(known_cards)}"
    show(json, document, title, Sheet(columns("", ""), list(rows.items())))


@app.command("inspect", epilog="Example: runout abstraction inspect buckets --png buckets.png")
def inspect_abstraction(
    path: DirectoryArgument,
    png: Annotated[Path | None, option("--png", "FILE", "Also write a picture.")] = None,
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
    document: Json = {
        "path": str(path),
        "size_bytes": manifest.size_bytes,
        "created_at": manifest.created_at.isoformat(),
        "package_version": manifest.package_version,
        "feature": abstraction.feature.value,
        "origin": dict(abstraction.origin),
        **{
            label: {**summary, "boundaries": boundaries[label].tolist()}
            for label, summary in summaries.items()
        },
    }
    written = (
        f"{format_bytes(manifest.size_bytes)}, written {manifest.created_at:%Y-%m-%d %H:%M} UTC "
        f"by runout {manifest.package_version}\n"
    )
    plots: list[RenderableType] = []
    for label, inner in boundaries.items():
        plots += [f"\n{label} boundaries, {len(inner):,} in all", BoundaryPlot(inner)]
    show(json, document, f"{path}: {origin}", written, summary_sheet(summaries), *plots)


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
