"""`runout solve-preflop`: from a config to a solved preflop game, resumably."""

import time
from pathlib import Path

from runout.cli.config_files import ConfigOption, flops_of_run
from runout.cli.console import output, print_json, print_note
from runout.cli.formatting import format_count_of, format_seconds
from runout.cli.node_view import print_decisions
from runout.cli.options import JsonFlag, OptionError, WorkersOption, require_positive
from runout.cli.preflop_report import print_report, report_to_json
from runout.cli.solutions import SOLUTION_FOLDER, SolvedNodes
from runout.cli.solve_needs import tell_solve_needs
from runout.cli.solve_postflop import describe_flops
from runout.cli.targets import (
    OutputOption,
    OverwriteFlag,
    ResumeFlag,
    keeping_checkpoints,
    require_free,
    solving_into,
)
from runout.config.load import load_run_config
from runout.config.run import RunConfig
from runout.results import preflop_bundle, value_bundle
from runout.results.preflop_solution import PreflopSolution
from runout.storage.manifest import MANIFEST_FILE


def solve_game(
    config: ConfigOption,
    path: OutputOption,
    workers: WorkersOption = None,
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
    with solving_into(path) as sink:
        from runout.execution.local import count_cores
        from runout.pipeline.run import CHECKPOINT_FOLDER, solve_preflop
        from runout.pipeline.workplace import Workplace

        _require_free(path, run_config, overwrite)
        num_workers = workers or count_cores()
        _tell_needs(config, run_config, path, num_workers)
        checkpoints = path / CHECKPOINT_FOLDER
        with keeping_checkpoints(checkpoints, resume):
            workplace = Workplace(
                num_workers,
                sink,
                checkpoints,
                on_solution=_ignore_solution if json else _print_solution,
            )
            run = solve_preflop(run_config, workplace)
            run.save(path, overwrite=overwrite)
    seconds = time.perf_counter() - started
    if json:
        print_json({"path": str(path), "seconds": seconds, **report_to_json(run.solution)})
        return
    nodes = SolvedNodes(run.solution)
    console = output()
    print_decisions(console, nodes, nodes.standard_nodes())
    console.print()
    print_report(console, nodes)
    if run.values is not None:
        console.print(describe_flops(run.values))
    console.print(
        f"wrote {path} in {format_seconds(seconds)}; runout show {path} --node PATH for more",
        soft_wrap=True,
        markup=False,
    )


def _print_solution(solution: PreflopSolution) -> None:
    """Shows the main decisions as they are in the middle of a solve."""
    nodes = SolvedNodes(solution)
    console = output()
    mbb = solution.report.exploitability_mbb
    iterations = format_count_of(solution.report.iterations, "iteration")
    console.print(f"\nafter {iterations}, {mbb:.3g} mbb/hand")
    print_decisions(console, nodes, nodes.standard_nodes())


def _ignore_solution(solution: PreflopSolution) -> None:
    """Keeps the output of ``--json`` one document."""


def _require_free(path: Path, config: RunConfig, overwrite: bool) -> None:
    """Finds out before the work whether both bundles of a run can be written.

    Values without a solution are left from an interrupted save of this run and may be replaced.

    Raises:
        RunoutError: if something is in the way that may not be replaced, which spells out how its
            config differs, or nothing can be written.
    """
    from runout.pipeline.run import VALUES_FOLDER, check_directory

    if (path / MANIFEST_FILE).is_file():
        raise OptionError(str(path), "is a bundle by itself, give another directory for the run")
    if not overwrite:
        check_directory(path, config)
    require_free(path / SOLUTION_FOLDER, preflop_bundle.KIND, overwrite)
    is_left_over = not (path / SOLUTION_FOLDER / MANIFEST_FILE).is_file()
    require_free(path / VALUES_FOLDER, value_bundle.KIND, overwrite or is_left_over)


def _tell_needs(file: Path, config: RunConfig, path: Path, num_workers: int) -> None:
    """Says what flops have to be solved and what that needs.

    Raises:
        OptionError: if the machine does not have it.
    """
    if not config.needs_flop_values:
        has_flops = config.preflop.tree().counts.flops > 0
        why = "flops are checked down" if has_flops else "no flop is ever seen"
        print_note(f"{file}: {why}, none is solved")
        return
    if config.postflop_model is None:
        values = config.postflop_model_path
        if values is not None and values.exists():
            print_note(f"{file}: values of flops come from {values}")
        return
    model = flops_of_run(file, config)
    tell_solve_needs(file, model, path, num_workers, config.ranges_rounds)
