"""`runout solve-postflop`: all flops of a config solved, resumably, into a bundle of values."""

import os
import time
from dataclasses import replace
from pathlib import Path

from rich.table import Table

from runout.cli.config_files import ConfigOption, load_flops_config
from runout.cli.console import output, print_json
from runout.cli.formatting import (
    Json,
    format_bytes,
    format_count_of,
    format_exploitability,
    format_seconds,
)
from runout.cli.options import ExecutorOption, JsonFlag, WorkersOption, require_positive
from runout.cli.solve_needs import tell_plan
from runout.cli.targets import (
    OutputOption,
    OverwriteFlag,
    ResumeFlag,
    describe_end,
    keeping_checkpoints,
    note_done_before,
    remove_checkpoints,
    require_free,
    solving_into,
)
from runout.config.postflop import PostflopModelConfig
from runout.errors import BundleError
from runout.results.postflop_values import PostflopValues
from runout.results.value_bundle import KIND, ValueBundle
from runout.storage.bundle import read_manifest
from runout.storage.claim import claiming
from runout.storage.manifest import digest_config


def solve_flops(
    config: ConfigOption,
    path: OutputOption,
    workers: WorkersOption = None,
    executor: ExecutorOption = "threads",
    resume: ResumeFlag = True,
    overwrite: OverwriteFlag = False,
    json: JsonFlag = False,
) -> None:
    """Solve all flops of a config and write what hands are worth on them.

    An interrupted run goes on where it was when the same command is given again.
    """
    require_positive("--workers", workers)
    model = load_flops_config(config)
    require_free(path, KIND, overwrite or resume)
    started = time.perf_counter()
    digest = digest_config(model.to_mapping()) if resume else None
    with solving_into(path, workers, executor) as workplace, claiming(path, digest) as claim:
        from runout.pipeline.fit import find_finished_values
        from runout.postflop.plan import PostflopPlan
        from runout.postflop.postflop_abstraction import PostflopAbstraction

        checkpoints = checkpoint_directory(path)
        bundle = None if overwrite else find_finished_values(path, model)
        is_done_before = bundle is not None
        if bundle is not None:
            note_done_before(path)
            remove_checkpoints(checkpoints)
        else:
            plan = PostflopPlan.make(model, workers)
            tell_plan(config, plan, path)
            workplace = replace(workplace, checkpoints=checkpoints)
            with keeping_checkpoints(checkpoints, resume, claim):
                bundle = PostflopAbstraction.carry_out(plan, workplace).to_bundle()
                _save(path, bundle, model, overwrite)
    _report(path, bundle, time.perf_counter() - started, is_done_before, json)


def _save(path: Path, bundle: ValueBundle, model: PostflopModelConfig, overwrite: bool) -> None:
    """Writes the bundle, unless a process that shared the work was first."""
    from runout.pipeline.fit import find_finished_values

    try:
        bundle.save(path, overwrite=overwrite)
    except BundleError:
        if overwrite or find_finished_values(path, model) is None:
            raise


def checkpoint_directory(path: Path) -> Path:
    """Returns where finished flops are until the bundle is written: in plain sight, next to it."""
    target = Path(os.path.realpath(path))
    return target.with_name(f"{target.name}.checkpoints")


def _report(
    path: Path, bundle: ValueBundle, seconds: float, is_done_before: bool, json: bool
) -> None:
    size_bytes = read_manifest(path).size_bytes
    num_flops = len(bundle.values[0].flops.flops)
    if json:
        print_json(
            {
                "path": str(path),
                "size_bytes": size_bytes,
                "seconds": seconds,
                "num_flops": num_flops,
                "sprs": [summarize(values) for values in bundle.values],
            }
        )
        return
    console = output()
    console.print(solve_table(bundle))
    flops = format_count_of(num_flops, "flop")
    what = f"{path}, {flops}, {format_bytes(size_bytes)}"
    console.print(
        describe_end(what, seconds, is_done_before),
        soft_wrap=True,
        markup=False,
    )


def summarize(values: PostflopValues) -> Json:
    """Returns how the solves at one stack-to-pot ratio went, under JSON names."""
    reports = values.reports
    exploitability = [report.exploitability_pot for report in reports]
    return {
        "spr": values.spr,
        "mean_exploitability_pot": sum(exploitability) / len(reports),
        "worst_exploitability_pot": max(exploitability),
        "exploitability_meaning": reports[0].meaning,
        "mean_iterations": sum(report.iterations for report in reports) / len(reports),
        "solve_seconds": sum(report.seconds for report in reports),
        "num_deals": sum(report.num_deals for report in reports),
    }


def describe_flops(bundle: ValueBundle) -> str:
    """Returns in one line how well the flops are solved, over all stack-to-pot ratios."""
    summaries = [summarize(values) for values in bundle.values]
    mean = sum(summary["mean_exploitability_pot"] for summary in summaries) / len(summaries)
    worst = max(summary["worst_exploitability_pot"] for summary in summaries)
    meaning = bundle.values[0].reports[0].meaning
    return (
        f"{format_count_of(len(bundle.values[0].flops.flops), 'flop')} at "
        f"{format_count_of(len(summaries), 'SPR')}: "
        f"exploitability ({meaning}) {format_exploitability(mean, meaning)} of the pot on average, "
        f"{format_exploitability(worst, meaning)} at worst"
    )


def solve_table(bundle: ValueBundle) -> Table:
    """Returns a table with a line for each stack-to-pot ratio."""
    summaries = [summarize(values) for values in bundle.values]
    has_deals = any(summary["num_deals"] for summary in summaries)
    meaning = bundle.values[0].reports[0].meaning
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    headings = ["SPR", "exploitability, mean", "worst", "iterations, mean", "solving"]
    for heading in [*headings, *(["deals"] if has_deals else [])]:
        table.add_column(heading, justify="right", no_wrap=True)
    for summary in summaries:
        deals = [f"{summary['num_deals']:.3g}"] if has_deals else []
        table.add_row(
            f"{summary['spr']:.4g}",
            format_exploitability(summary["mean_exploitability_pot"], meaning, 3),
            format_exploitability(summary["worst_exploitability_pot"], meaning, 3),
            f"{summary['mean_iterations']:,.0f}",
            format_seconds(summary["solve_seconds"]),
            *deals,
        )
    table.caption = (
        f"exploitability in % of the flop pot; solving: all flops added up\n{meaning.explanation}"
    )
    table.caption_justify = "left"
    return table
