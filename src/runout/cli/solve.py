"""`runout solve-preflop`, `solve-postflop` and `solve-spot`."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from runout.cfr.schedules import StopReason
from runout.cli import formatting, options, targets
from runout.cli.console import Shown, print_json, print_note, print_parts, show
from runout.cli.formatting import format_bytes, format_count_of, format_percent
from runout.cli.node_tables import decision_parts, node_parts, quality_lines
from runout.cli.options import flag, option
from runout.cli.overview import report_parts, solve_parts, solves_sheet
from runout.cli.targets import LongWork
from runout.config.load import load_config, parse_config
from runout.config.run import RunConfig
from runout.config.spot import SpotConfig
from runout.errors import OptionError
from runout.execution.pool import PROGRAM_BYTES
from runout.solutions import preflop
from runout.solutions.flop_bundles import SPOT_KIND
from runout.solutions.run import open as open_solution
from runout.solutions.values import VALUES_KIND
from runout.storage.bundle import has_bundle, read_manifest
from runout.storage.files import reporting_os_errors
from runout.trees.betting import Stakes, Street
from runout.trees.tree import POSITION_NAMES

if TYPE_CHECKING:
    from runout.flops.solve import PostflopPlan
    from runout.flops.spot_setup import SpotSize
    from runout.flops.spot_solution import SpotSolution
    from runout.runs.plan import RunPlan


_JUDGE = "Measure the exploitability with real cards, too."


def solve_flops(
    config: options.ConfigOption,
    path: options.OutputOption,
    workers: options.WorkersOption = None,
    executor: options.ExecutorOption = "threads",
    resume: options.ResumeFlag = True,
    overwrite: options.OverwriteFlag = False,
    judges: Annotated[bool, flag("--judge", _JUDGE)] = False,
    json: options.JsonFlag = False,
) -> None:
    """Solve the flops of a config and keep their values.

    The same command resumes an interrupted run.
    """
    model = options.load_flops_config(config)
    if judges and not model.keep_strategies:
        raise OptionError("--judge", "needs keep_strategies: true")
    targets.require_free(path, VALUES_KIND, overwrite or resume)
    with targets.solving_into(path, workers, executor) as context:
        from runout.flops.solve import PostflopPlan
        from runout.runs import compare
        from runout.runs.plan import find_finished_values

        find = partial(find_finished_values, path, model)
        work = LongWork(path, find, model.to_mapping(), resume, overwrite)
        with work.going_on() as bundle:
            if bundle is None:
                plan = PostflopPlan.make(model, workers)
                targets.announce(f"{config}: {describe_plan(plan)}", plan.cost, path)
                bundle = work.save(plan.carry_out(work.resume(context)), context)
        everywhere = range(len(bundle.flops)), range(len(bundle.trees))
        judged = list(compare.judge_kept(bundle, *everywhere, context)) if judges else []
    size_bytes, num_flops = read_manifest(path).size_bytes, len(bundle.flops)
    document: formatting.Json = {
        "path": str(path),
        "size_bytes": size_bytes,
        "seconds": work.end.seconds,
        "num_flops": num_flops,
        "sprs": solves_sheet(bundle).records(),
    }
    what = f"{path}, {format_count_of(num_flops, 'flop')}, {format_bytes(size_bytes)}"
    parts = solve_parts(bundle)
    if judges:
        document = {**document, "judged": compare.comparison_to_json(judged)}
        parts += ["", compare.comparison_sheet(judged)]
    show(json, document, *parts, work.end.describe(what))


def describe_plan(plan: "PostflopPlan") -> str:
    """Returns how many flops are solved how often."""
    flops = format_count_of(len(plan.flops.flops), "flop")
    return f"{flops} at {format_count_of(len(plan.trees), 'SPR')}"


def solve_game(
    config: options.ConfigOption,
    path: options.OutputOption,
    workers: options.WorkersOption = None,
    executor: options.ExecutorOption = "threads",
    resume: options.ResumeFlag = True,
    overwrite: options.OverwriteFlag = False,
    json: options.JsonFlag = False,
) -> None:
    """Solve a preflop game with the flops behind it.

    The same command resumes an interrupted run.
    """
    run_config = load_config(config, RunConfig)
    # One process plays a joint game; the flops of two phases can be shared.
    facts = None if run_config.method == "joint" else run_config.to_mapping()
    with targets.solving_into(path, workers, executor) as context:
        from runout.runs.plan import RunPlan
        from runout.runs.preflop import carry_out, find_finished_run

        plan = RunPlan.make(run_config, workers)
        _require_free(path, plan, resume, overwrite)
        find, checkpoints = partial(find_finished_run, path, plan), path / preflop.CHECKPOINT_FOLDER
        work = LongWork(path, find, facts, resume, overwrite, checkpoints)
        with work.going_on() as run:
            if run is None:
                targets.announce(f"{config}: {_describe_run(plan)}", plan.cost, path)
                shown = plan if json else replace(plan, on_solution=_print_solution)
                run = carry_out(shown, work.resume(context))
                work.save(run, context)
    document = {"path": str(path), "seconds": work.end.seconds, **run.solution.summary_to_json()}
    flops = [] if run.values is None else [*solve_parts(run.values), ""]
    more = f"{work.end.describe(str(path))}; runout show {path} --node PATH for more"
    report = report_parts(run.solution)
    show(json, document, *_standard_parts(run.solution), "", *flops, *report, more)


def _standard_parts(solution: preflop.PreflopSolution) -> list[Shown]:
    """Returns the main decisions of a solution."""
    return decision_parts([solution.node_at(node) for node in solution.standard_nodes()])


def _print_solution(solution: preflop.PreflopSolution) -> None:
    """Shows the main decisions as they are in the middle of a solve."""
    mbb = solution.report.exploitability_mbb
    iterations = format_count_of(solution.report.iterations, "iteration")
    print_parts(f"\nafter {iterations}, {mbb:.3g} mbb/hand", *_standard_parts(solution))


def _require_free(path: Path, plan: "RunPlan", resume: bool, overwrite: bool) -> None:
    """Finds out before the work whether both bundles of a run can be written.

    What is there already is this very run, or refused for its config, if the run may be resumed.
    Values without a solution are left from an interrupted save of this run and may be replaced.
    """
    from runout.runs.preflop import check_directory

    if has_bundle(path):
        raise OptionError(str(path), "is a bundle, give another directory for the run")
    if not overwrite:
        check_directory(path, plan)
    solution, can_replace = path / preflop.SOLUTION_FOLDER, overwrite or resume
    targets.require_free(solution, preflop.PREFLOP_KIND, can_replace)
    can_replace |= not has_bundle(solution)
    targets.require_free(path / preflop.VALUES_FOLDER, VALUES_KIND, can_replace)


def _describe_run(plan: "RunPlan") -> str:
    """Returns what flops have to be solved."""
    if (game := plan.joint) is not None:
        flops = format_count_of(len(game.flops), "flop")
        leaves = format_count_of(len(game.flop_trees), "way")
        nodes = format_count_of(sum(tree.num_nodes for tree in game.flop_trees), "node")
        return f"one game, {leaves} to see {flops}, {nodes} of betting after each"
    if plan.flops is not None:
        return describe_plan(plan.flops)
    if plan.given_values is not None:
        return f"values of flops come from {plan.config.postflop_model_path}"
    why = "flops are checked down" if plan.tree.flop_leaves() else "no flop is ever seen"
    return f"{why}, none is solved"


#: The option to increase, by the reason for which a solve has ended.
_LIMITS = {StopReason.ITERATIONS: "--max-iterations", StopReason.SECONDS: "--max-seconds"}
#: Fractions of the pot by which rounding to chips may change a bet without a word.
_NOTABLE_ROUNDING = 0.02
_OUTPUT = "Directory to write, none by default."
_ESTIMATE = "Print the size and memory of the spot only."
_LOCK = "Change to lock in the solution of --config; repeatable."
_LOCK_FILE = "File with a change in each line."


@options.taking_spot(*options.SPOT_KEYS)
def solve_spot(
    *,
    config: options.SpotConfigOption = None,
    run: options.FromOption = None,
    node: options.SpotNodeOption = None,
    given: dict[str, Any],
    path: Annotated[Path | None, option("--output -o", "DIR", _OUTPUT)] = None,
    locks: Annotated[list[str] | None, option("--lock", "CHANGE", _LOCK)] = None,
    lock_file: Annotated[Path | None, option("--lock-file", "FILE", _LOCK_FILE)] = None,
    workers: options.WorkersOption = None,
    resume: options.ResumeFlag = True,
    overwrite: options.OverwriteFlag = False,
    estimate: Annotated[bool, flag("--estimate", _ESTIMATE)] = False,
    json: options.JsonFlag = False,
) -> None:
    """Solve a board with two ranges and real cards.

    The same command resumes an interrupted solve, and a finished one with a lower target. With the
    directory of a solution as --config, --lock 'x:b33% raise=0' or --lock 'x fold+=10%' solves it
    again with a part of a strategy changed and locked.
    """
    required = ("board", "oop", "ip", "pot", "stack")
    with options.reading_spot(config, run, node, given, *required) as keys:
        if config is not None and config.is_dir():
            spot = _locked_spot(config, [*(locks or ()), *_read_lines(lock_file)], keys)
        elif locks or lock_file is not None:
            raise OptionError("--lock", "changes a solution, give its directory by --config")
        else:
            spot = load_config(config, SpotConfig, keys)
    if estimate:
        from runout.flops.spot_setup import choose_rivers, measure_spot

        chosen = choose_rivers(spot, None, workers)
        size = measure_spot(chosen, workers)
        document: formatting.Json = {
            "rivers": chosen.rivers,
            "num_nodes": size.num_nodes,
            "num_boards": list(size.num_boards),
            "num_hands": list(size.num_hands),
            **{f"memory_bytes_{bits}": needed for bits, needed in size.memory_bytes.items()},
            "seconds_per_iteration": size.seconds_per_iteration,
            "seconds_to_evaluate": size.seconds_to_evaluate,
        }
        show(json, document, *describe_rivers(spot, chosen), describe_size(chosen, size))
        return
    solution, end = _solve(spot, path, workers, resume, overwrite)
    if json:
        print_json({**_spot_to_json(solution), "path": None if path is None else str(path)})
    else:
        _report_spot(solution, path, end)


def _read_lines(file: Path | None) -> list[str]:
    if file is None:
        return []
    with reporting_os_errors(file, "read"):
        lines = file.read_text("utf-8").splitlines()
    return [text for line in lines if (text := line.partition("#")[0].strip())]


def _locked_spot(directory: Path, locks: list[str], keys: dict[str, Any]) -> SpotConfig:
    """Returns the config of a solved spot with parts of its strategies locked, and other keys."""
    from runout.runs.study import edited_lock

    solution = open_solution(directory)
    if solution.kind != SPOT_KIND:
        raise OptionError("--config", f"{directory} holds no spot, give a file or a solved spot")
    base = parse_config(solution.config_text, SpotConfig)
    changed = [edited_lock(solution, text) for text in locks]
    nodes = [lock["node"] for lock in changed]
    if twice := [node for node in nodes if nodes.count(node) > 1]:
        raise OptionError("--lock", f"{twice[0]} is locked twice, give its changes in one --lock")
    kept = [lock.to_mapping() for lock in base.locks if solution.node(lock.node).path not in nodes]
    return SpotConfig.parse(base.to_mapping() | {"locks": [*kept, *changed]} | keys)


def _solve(
    config: SpotConfig, path: Path | None, workers: int | None, resume: bool, overwrite: bool
) -> tuple["SpotSolution", targets.End]:
    """Solves, and returns the seconds of this sitting without compiling."""
    if path is not None:
        targets.require_free(path, SPOT_KIND, overwrite or resume)
    before = read_manifest(path) if path is not None and has_bundle(path) else None
    with targets.solving_into(path, workers) as context:
        from runout.flops.spot_setup import measure_spot
        from runout.jit import solve_time
        from runout.runs.spot import settle_rivers, solve_spot

        given, config = config, settle_rivers(config, path, context.num_threads)
        size = measure_spot(config, context.num_threads)
        for line in describe_rivers(given, config):
            print_note(line)
        print_note(describe_size(config, size))
        if (rounding := describe_rounding(config)) is not None:
            print_note(rounding)
        if path is None:
            print_note("nothing will be kept, give --output DIR to keep it")
        else:
            targets.require_disk(path, 2 * size.memory[config.precision].tables)  # type: ignore[index]
        started = solve_time()
        solution = solve_spot(config, context, directory=path, resume=resume, overwrite=overwrite)
        seconds = solve_time() - started
    return solution, targets.End(seconds, path is not None and read_manifest(path) == before)


def describe_size(config: SpotConfig, size: "SpotSize") -> str:
    """Returns how large a spot is and what it needs, as three lines."""
    streets = [street.label for street in Street][-len(size.num_boards) :]
    boards = ", ".join(map(format_count_of, size.num_boards, streets))
    needed = {int(bits): format_bytes(need.total) for bits, need in size.memory.items()}
    chosen = needed.pop(config.precision)
    others = ", ".join(f"{each} with precision {bits}" for bits, each in needed.items())
    program = f"{format_bytes(PROGRAM_BYTES)} for the program"
    memory = f"memory: {chosen} for the spot ({others}), {program}"
    if size.seconds_to_evaluate:
        seconds = formatting.format_seconds(size.seconds_to_evaluate)
        memory += f"\nreal cards: evaluated at the end, about {seconds}"
    return f"{config.board}: {size}\nboards: {boards}\n{memory}"


def describe_rivers(given: SpotConfig, chosen: SpotConfig) -> list[str]:
    """Returns a line that says which rivers were chosen for a flop, if a choice was left."""
    if given.rivers == chosen.rivers or given.first_street != Street.FLOP:
        return []
    others = {
        "exact": "--rivers compact is faster and takes less memory",
        "compact": "exact ones take more than half of the free memory, --rivers exact tries them",
    }
    return [f"rivers: {chosen.rivers}; {others[chosen.rivers]}"]


def describe_rounding(config: SpotConfig) -> str | None:
    """Returns which first bet is far from its size because it is whole chips, None if none is."""
    stakes = Stakes.in_chips(config.pot, config.stack)
    menu = config.betting_rules().menus[config.first_street][0]
    for share in (size.number for size in menu.bets if size.unit == "%"):
        chips = max(stakes.rounded(share * stakes.pot), stakes.minimum_bet)
        if abs(chips / stakes.pot - share) > _NOTABLE_ROUNDING and chips < stakes.stack:
            wanted, came = format_percent(share, 0), format_percent(chips / stakes.pot, 1)
            finer = f"--pot {100 * stakes.pot:g} --stack {100 * stakes.stack:g}"
            return f"bets are whole chips: {wanted} is {chips:g} ({came}), {finer} is finer"
    return None


def _spot_to_json(solution: "SpotSolution") -> formatting.Json:
    root, outcome, config = solution.view.node(), solution.outcome, solution.config
    return {
        "board": config.board,
        "pot_chips": config.pot,
        "stack_chips": config.stack,
        "rivers": config.rivers,
        "iterations": outcome.iterations,
        "seconds": outcome.seconds,
        "stopped_by": outcome.reason.value,
        "exploitability_chips": outcome.exploitability,
        "real_exploitability_pot": solution.quality.real,
        "exploitability_pot": solution.exploitability_pot,
        "exploitability_meaning": solution.meaning,
        "ev_chips": {name: root.range_ev(p) for p, name in enumerate(POSITION_NAMES)},
        "equity": {name: root.range_equity(p) for p, name in enumerate(POSITION_NAMES)},
        "actions": [
            {"action": action.code, "label": action.label, "frequency": frequency}
            for action, frequency in zip(root.actions, root.frequency().tolist(), strict=True)
        ],
    }


def _report_spot(solution: "SpotSolution", path: Path | None, end: targets.End) -> None:
    outcome, config, root = solution.outcome, solution.config, solution.view.node()
    quality, reason = quality_lines(solution.quality), outcome.reason.value
    parts: list[Shown] = [*node_parts(root), "", *quality, f"ended: {reason}"]
    if (origin := config.origin) is not None:
        counted = enumerate(zip(POSITION_NAMES, (origin.oop_ev, origin.ip_ev), strict=True))
        changes = (f"{name} {root.range_ev(player) - ev:+.1f}" for player, (name, ev) in counted)
        parts.append(f"{origin.describe()}; on this board {', '.join(changes)}")
    if config.rake_rate > 0.0:
        parts.append("raked: not a zero-sum game, the EVs add up to the pot less rake")
    option = _LIMITS.get(outcome.reason)
    is_missed = config.target is not None and solution.exploitability_pot > config.target
    if option is not None and is_missed:
        missed = f"the target of {config.to_mapping()['target']} was not reached"
        print_note(f"{missed}, increase {option} to continue")
    if path is not None:
        what = f"{path}, {format_bytes(read_manifest(path).size_bytes)}"
        parts.append(f"{end.describe(what)}; runout show {path} --node PATH for more")
    print_parts(*parts)
