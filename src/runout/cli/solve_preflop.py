"""`runout solve-preflop`: from a config to a solved preflop game, resumably."""

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from runout.cli.config_files import ConfigOption
from runout.cli.console import output, print_json, print_note
from runout.cli.formatting import format_count_of, format_seconds
from runout.cli.node_view import print_decisions
from runout.cli.options import (
    ExecutorOption,
    JsonFlag,
    OptionError,
    WorkersOption,
    require_positive,
)
from runout.cli.preflop_report import print_report, report_to_json
from runout.cli.solve_needs import describe_joint_game, require_resources, tell_plan
from runout.cli.solve_postflop import describe_flops
from runout.cli.targets import (
    OutputOption,
    OverwriteFlag,
    ResumeFlag,
    keeping_checkpoints,
    note_done_before,
    remove_checkpoints,
    require_free,
    solving_into,
)
from runout.config.load import load_run_config
from runout.errors import BundleError
from runout.results import preflop_bundle, value_bundle
from runout.results.preflop_solution import PreflopSolution
from runout.results.run_folders import CHECKPOINT_FOLDER, SOLUTION_FOLDER, VALUES_FOLDER
from runout.storage.bundle import has_bundle
from runout.storage.claim import claiming
from runout.storage.manifest import digest_config
from runout.views.preflop_view import PreflopView

if TYPE_CHECKING:
    from runout.pipeline.plan import RunPlan
    from runout.pipeline.run import PreflopRun


def solve_game(
    config: ConfigOption,
    path: OutputOption,
    workers: WorkersOption = None,
    executor: ExecutorOption = "threads",
    resume: ResumeFlag = True,
    overwrite: OverwriteFlag = False,
    json: JsonFlag = False,
) -> None:
    """Solve a preflop game and the flops behind it, and show the main decisions.

    An interrupted run goes on where it was when the same command is given again.
    """
    require_positive("--workers", workers)
    run_config = load_run_config(config)
    started = time.perf_counter()
    # One process plays a joint game; the flops of two phases can be shared.
    is_shared = resume and run_config.method != "joint"
    digest = digest_config(run_config.to_mapping()) if is_shared else None
    with solving_into(path, workers, executor) as workplace, claiming(path, digest) as claim:
        from runout.pipeline.plan import RunPlan
        from runout.pipeline.run import carry_out, find_finished_run

        plan = RunPlan.make(run_config, workers)
        _require_free(path, plan, resume, overwrite)
        checkpoints = path / CHECKPOINT_FOLDER
        run = None if overwrite else find_finished_run(path, plan)
        is_done_before = run is not None
        if run is not None:
            note_done_before(path)
            remove_checkpoints(checkpoints)
        else:
            _tell_plan(config, plan, path)
            workplace = replace(workplace, checkpoints=checkpoints)
            with keeping_checkpoints(checkpoints, resume, claim):
                run = carry_out(plan, workplace, _ignore_solution if json else _print_solution)
                _save(path, run, overwrite)
    _report(path, run, time.perf_counter() - started, is_done_before, json)


def _save(path: Path, run: "PreflopRun", overwrite: bool) -> None:
    """Writes the bundles, unless a process that shared the work was first."""
    from runout.pipeline.run import find_finished_run

    try:
        run.save(path, overwrite=overwrite)
    except BundleError:
        if overwrite or find_finished_run(path, run.plan) is None:
            raise


def _report(
    path: Path, run: "PreflopRun", seconds: float, is_done_before: bool, json: bool
) -> None:
    if json:
        print_json({"path": str(path), "seconds": seconds, **report_to_json(run.solution)})
        return
    nodes = PreflopView(run.solution)
    console = output()
    print_decisions(console, [nodes.node_at(node) for node in nodes.standard_nodes()])
    console.print()
    print_report(console, nodes)
    if run.values is not None:
        console.print(describe_flops(run.values))
    done = "was done before" if is_done_before else f"in {format_seconds(seconds)}"
    what = f"{path}, {done}" if is_done_before else f"wrote {path} {done}"
    console.print(
        f"{what}; runout show {path} --node PATH for more",
        soft_wrap=True,
        markup=False,
    )


def _print_solution(solution: PreflopSolution) -> None:
    """Shows the main decisions as they are in the middle of a solve."""
    nodes = PreflopView(solution)
    console = output()
    mbb = solution.report.exploitability_mbb
    iterations = format_count_of(solution.report.iterations, "iteration")
    console.print(f"\nafter {iterations}, {mbb:.3g} mbb/hand")
    print_decisions(console, [nodes.node_at(node) for node in nodes.standard_nodes()])


def _ignore_solution(solution: PreflopSolution) -> None:
    """Keeps the output of ``--json`` one document."""


def _require_free(path: Path, plan: "RunPlan", resume: bool, overwrite: bool) -> None:
    """Finds out before the work whether both bundles of a run can be written.

    What is there already is this very run, or refused for its config, if the run may be resumed.
    Values without a solution are left from an interrupted save of this run and may be replaced.

    Raises:
        RunoutError: if something is in the way that may not be replaced, which spells out how its
            config differs, or nothing can be written.
    """
    from runout.pipeline.run import check_directory

    if has_bundle(path):
        raise OptionError(str(path), "is a bundle by itself, give another directory for the run")
    if not overwrite:
        check_directory(path, plan)
    require_free(path / SOLUTION_FOLDER, preflop_bundle.KIND, overwrite or resume)
    is_left_over = not has_bundle(path / SOLUTION_FOLDER)
    require_free(path / VALUES_FOLDER, value_bundle.KIND, overwrite or resume or is_left_over)


def _tell_plan(file: Path, plan: "RunPlan", path: Path) -> None:
    """Says what flops have to be solved and what that needs.

    Raises:
        OptionError: if the machine does not have it.
    """
    if plan.joint is not None:
        assert plan.needs is not None
        require_resources(plan.needs, path)
        print_note(f"{file}: {describe_joint_game(plan.joint, plan.needs)}")
    elif plan.flops is not None:
        tell_plan(file, plan.flops, path, plan.config.ranges_rounds)
    elif plan.given_values is not None:
        print_note(f"{file}: values of flops come from {plan.config.postflop_model_path}")
    else:
        why = "flops are checked down" if plan.tree.flop_leaves() else "no flop is ever seen"
        print_note(f"{file}: {why}, none is solved")
