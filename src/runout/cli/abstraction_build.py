"""`runout abstraction build`: cutting hands into buckets, resumably."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from runout.cli.bucket_summary import summarize, summary_table
from runout.cli.build_needs import estimate_needs
from runout.cli.console import output, print_json, print_note
from runout.cli.formatting import format_bytes, format_count_of
from runout.cli.options import (
    ExecutorOption,
    JsonFlag,
    OptionError,
    WorkersOption,
    require_positive,
)
from runout.cli.targets import (
    OutputOption,
    OverwriteFlag,
    count_checkpoints,
    describe_end,
    note_done_before,
    remove_checkpoints,
    require_free,
    solving_into,
)
from runout.errors import RunoutError
from runout.events import reporting_phase
from runout.storage.bundle import has_bundle, read_manifest
from runout.storage.claim import Claim, claiming
from runout.storage.manifest import digest_config
from runout.trees.betting import Street

if TYPE_CHECKING:
    from runout.abstraction.card_abstraction import CardAbstraction
    from runout.abstraction.generator import AbstractionConfig

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
    require_positive("--workers", workers)
    if seed < 0:
        raise OptionError("--seed", f"{seed} is negative, seeds start at 0")
    if samples is not None and mode is Mode.EXHAUSTIVE:
        raise OptionError("--samples", "goes with --mode sampled only")
    counts = dict(
        zip(OPTION_BY_FIELD, (flop_buckets, turn_buckets, river_buckets, samples), strict=True)
    )
    started = time.perf_counter()
    with solving_into(path, workers, executor) as workplace:
        from runout.abstraction.build import build_card_abstraction
        from runout.abstraction.card_abstraction import KIND

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
                needs = estimate_needs(config, river_table, workplace.num_threads)
                needs.require_resources(path)
                print_note(f"{path}:\n{needs.describe()}")
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
    from runout.abstraction.errors import AbstractionError
    from runout.abstraction.generator import AbstractionConfig, SurveyMode
    from runout.abstraction.strength_survey import StrengthFeature

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
    from runout.config.differences import list_differences

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
def _keeping_finished_parts(path: Path, claim: Claim) -> Iterator[Path]:
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
