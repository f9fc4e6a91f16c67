"""`runout solve-spot`: one board, two ranges, real cards, resumably."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from runout.cfr.stopping import StopReason
from runout.cli.build_needs import require_disk
from runout.cli.console import output, print_json, print_note
from runout.cli.formatting import (
    Json,
    format_bytes,
    format_count_of,
    format_percent,
    format_seconds,
)
from runout.cli.options import JsonFlag, WorkersOption, require_positive
from runout.cli.quality_lines import print_roughness
from runout.cli.spot_node import format_chips, print_node
from runout.cli.spot_options import (
    OPTION_BY_KEY,
    BetsOption,
    BoardOption,
    ConfigOption,
    DonksOption,
    FromOption,
    IpOption,
    MaxIterationsOption,
    MaxRaisesOption,
    MaxSecondsOption,
    NodeOption,
    OopOption,
    OutputOption,
    PotOption,
    PrecisionOption,
    RaisesOption,
    RakeCapOption,
    RakeOption,
    RiversOption,
    StackOption,
    TargetOption,
    keys_from_run,
    naming_options,
    require_keys,
)
from runout.cli.targets import OverwriteFlag, ResumeFlag, require_free, solving_into
from runout.config.load import load_spot_config
from runout.config.spot import SpotConfig
from runout.config.spot_readers import plain_target
from runout.execution.memory import PROGRAM_BYTES
from runout.storage.bundle import has_bundle, read_manifest
from runout.trees.bet_sizing import PotFraction
from runout.trees.betting import Stakes, Street
from runout.trees.postflop_tree import PLAYER_NAMES

if TYPE_CHECKING:
    from runout.postflop.spot.spot_setup import SpotSize
    from runout.postflop.spot.spot_solution import SpotSolution

#: What spots are saved as, as in `runout.postflop.spot.spot_solution`, which takes numba to import.
SPOT_KIND = "spot"

#: What allows more, by the reason for which a solve has ended.
OPTION_BY_LIMIT = {
    StopReason.ITERATIONS: "--max-iterations",
    StopReason.SECONDS: "--max-seconds",
}
_REQUIRED_KEYS = ("board", "oop", "ip", "pot", "stack")
#: Fractions of the pot by which rounding to chips may change a bet without a word.
_NOTABLE_ROUNDING = 0.02
#: Fraction of all memory that another precision has to save or cost to be mentioned.
_NOTABLE_MEMORY = 0.1
_Estimate = Annotated[
    bool, typer.Option("--estimate", help="Only say how large the spot is and what it needs.")
]


def solve_spot(
    config: ConfigOption = None,
    run: FromOption = None,
    node: NodeOption = None,
    board: BoardOption = None,
    oop: OopOption = None,
    ip: IpOption = None,
    pot: PotOption = None,
    stack: StackOption = None,
    bets: BetsOption = None,
    raises: RaisesOption = None,
    donks: DonksOption = None,
    max_raises: MaxRaisesOption = None,
    rake: RakeOption = None,
    rake_cap: RakeCapOption = None,
    target: TargetOption = None,
    max_iterations: MaxIterationsOption = None,
    max_seconds: MaxSecondsOption = None,
    precision: PrecisionOption = None,
    rivers: RiversOption = None,
    path: OutputOption = None,
    workers: WorkersOption = None,
    resume: ResumeFlag = True,
    overwrite: OverwriteFlag = False,
    estimate: _Estimate = False,
    json: JsonFlag = False,
) -> None:
    """Solve a board with two ranges and real cards, and show the first decision.

    An interrupted solve goes on where it was when the same command is given again; so does a
    finished one with a lower target.
    """
    require_positive("--workers", workers)
    values = [board, oop, ip, pot, stack, bets, raises, donks, max_raises, rake, rake_cap]
    limits = [target, max_iterations, max_seconds, precision, rivers]
    options = zip(OPTION_BY_KEY, [*values, *limits], strict=True)
    given = {key: value for key, value in options if value is not None}
    spot = read_config(config, {**keys_from_run(run, node, given), **given})
    if estimate:
        _tell_size(spot, workers, json)
        return
    solution, seconds = _solve(spot, path, workers, resume, overwrite)
    if json:
        print_json({**report_to_json(solution), "path": None if path is None else str(path)})
        return
    _report(solution, path, seconds)


def read_config(file: Path | None, given: dict[str, Any]) -> SpotConfig:
    """Reads a config file with options that win over its keys; errors name the options.

    Raises:
        RunoutError: naming the option or key at fault.
    """
    if file is None:
        require_keys(given, _REQUIRED_KEYS)
    with naming_options(given):
        return load_spot_config(file, given)


def _solve(
    config: SpotConfig, path: Path | None, workers: int | None, resume: bool, overwrite: bool
) -> tuple["SpotSolution", float | None]:
    """Solves, and returns the seconds of this sitting without compiling; None if done before."""
    is_there = path is not None and has_bundle(path)
    if path is not None:
        require_free(path, SPOT_KIND, overwrite or (resume and is_there))
    with solving_into(path or Path(), workers) as workplace:
        from runout.cfr.solve_clock import solve_time
        from runout.pipeline import spot as pipeline
        from runout.postflop.spot.spot_setup import measure_spot, river_buckets
        from runout.postflop.spot.spot_solution import load_spot_facts
        from runout.views.spot_bundle import build_spot

        is_done = False
        if path is not None and is_there and not overwrite:
            pipeline.require_own_spot(path, config, resume)
            _, outcome, curve = load_spot_facts(path)
            is_done = pipeline.reason_to_rest(outcome, curve, config.stopping_rule()) is not None
        num_threads = workplace.num_threads
        size = measure_spot(build_spot(config), num_threads, config.locks, river_buckets(config))
        pipeline.require_memory(config, size)
        if path is not None:
            require_disk(path, 2 * _table_bytes(config, size))
        print_note(describe_size(config, size))
        if (rounding := describe_rounding(config)) is not None:
            print_note(rounding)
        if path is None:
            print_note("nothing will be kept, give --output DIR to keep it")
        started = solve_time()
        solution = pipeline.solve_spot(
            config, workplace, directory=path, resume=resume, overwrite=overwrite
        )
        seconds = solve_time() - started
    return solution, None if is_done else seconds


def _tell_size(config: SpotConfig, workers: int | None, json: bool) -> None:
    """Prints how large a spot is, without solving it."""
    from runout.execution.local import count_cores
    from runout.postflop.spot.spot_setup import measure_spot, river_buckets
    from runout.views.spot_bundle import build_spot

    size = measure_spot(
        build_spot(config), workers or count_cores(), config.locks, river_buckets(config)
    )
    if not json:
        output().print(describe_size(config, size), soft_wrap=True, markup=False)
        return
    print_json(
        {
            "num_nodes": size.num_nodes,
            "num_boards": list(size.num_boards),
            "num_hands": list(size.num_hands),
            **{f"memory_bytes_{bits}": needed for bits, needed in size.memory_bytes.items()},
        }
    )


def describe_size(config: SpotConfig, size: "SpotSize") -> str:
    """Returns how large a spot is and what it needs, as three lines."""
    streets = [street.label for street in Street][-len(size.num_boards) :]
    boards = ", ".join(map(format_count_of, size.num_boards, streets))
    oop, ip = size.num_hands
    nodes = format_count_of(size.num_nodes, "node")
    return (
        f"{config.board}: {nodes} of betting, {oop:,} against {ip:,} combos\n"
        f"boards: {boards}\n"
        f"memory: {_describe_memory(config.precision, size)}"
    )


def _describe_memory(precision: int, size: "SpotSize") -> str:
    """Returns what the spot and the program take, and another precision if that matters."""
    totals = {int(bits): need.total for bits, need in size.memory.items()}
    chosen = totals.pop(precision)
    notable = _NOTABLE_MEMORY * size.memory_bytes[precision]
    others = ", ".join(
        f"{format_bytes(total)} with precision {bits}"
        for bits, total in totals.items()
        if abs(total - chosen) >= notable
    )
    spot = f"{format_bytes(chosen)} for the spot" + (f" ({others})" if others else "")
    return f"{spot}, {format_bytes(PROGRAM_BYTES)} for the program"


def describe_rounding(config: SpotConfig) -> str | None:
    """Returns which first bet is far from its size because it is whole chips, None if none is."""
    stakes = Stakes.in_chips(config.pot, config.stack)
    menu = config.betting_rules().menus[config.first_street][0]
    for size in menu.bets:
        if not isinstance(size, PotFraction):
            continue
        chips = max(stakes.rounded(size.fraction * stakes.pot), stakes.minimum_bet)
        bet = chips / stakes.pot
        if abs(bet - size.fraction) > _NOTABLE_ROUNDING and chips < stakes.stack:
            wanted, came = format_percent(size.fraction, 0), format_percent(bet, 1)
            finer = f"--pot {100 * stakes.pot:g} --stack {100 * stakes.stack:g}"
            return f"bets are whole chips: {wanted} is {chips:g} ({came}), {finer} is finer"
    return None


def _table_bytes(config: SpotConfig, size: "SpotSize") -> int:
    return next(need.tables for bits, need in size.memory.items() if bits == config.precision)


def report_to_json(solution: "SpotSolution") -> Json:
    """Returns what a solve has come to, under JSON names."""
    root, outcome = solution.view.node(), solution.outcome
    return {
        "board": solution.config.board,
        "pot_chips": solution.config.pot,
        "stack_chips": solution.config.stack,
        "iterations": outcome.iterations,
        "seconds": outcome.seconds,
        "stopped_by": outcome.reason.value,
        "exploitability_chips": outcome.exploitability,
        "exploitability_pot": solution.exploitability_pot,
        "exploitability_meaning": solution.meaning,
        "ev_chips": {name: root.range_ev(p) for p, name in enumerate(PLAYER_NAMES)},
        "equity": {name: root.range_equity(p) for p, name in enumerate(PLAYER_NAMES)},
        "actions": [
            {"action": action.code, "label": action.label, "frequency": frequency}
            for action, frequency in zip(root.actions, root.frequency().tolist(), strict=True)
        ],
    }


def _compare_with_origin(solution: "SpotSolution") -> str:
    """Returns where a spot comes from, and how its EV differs from what was counted with."""
    origin, root = solution.config.origin, solution.view.node()
    assert origin is not None
    differences = ", ".join(
        f"{name} {root.range_ev(player) - counted:+.1f}"
        for player, (name, counted) in enumerate(
            zip(PLAYER_NAMES, (origin.oop_ev, origin.ip_ev), strict=True)
        )
    )
    return f"{origin.describe()}; on this board {differences}"


def _report(solution: "SpotSolution", path: Path | None, seconds: float | None) -> None:
    console, outcome, config = output(), solution.outcome, solution.config
    print_node(console, solution.view.node())
    console.print()
    chips, share = format_chips(outcome.exploitability), solution.exploitability_pot
    percent = format_percent(share, 3)
    iterations = format_count_of(outcome.iterations, "iteration")
    console.print(
        f"exploitability ({solution.meaning}) {chips} chips, {percent} of the pot, after "
        f"{iterations} in {format_seconds(outcome.seconds)}; {outcome.reason.value}",
        soft_wrap=True,
    )
    print_roughness(console, solution.quality)
    if config.origin is not None:
        console.print(_compare_with_origin(solution), soft_wrap=True, markup=False)
    if config.rake_rate > 0.0:
        console.print("raked: not a zero-sum game, the EVs add up to the pot less rake")
    option = OPTION_BY_LIMIT.get(outcome.reason)
    if option is not None and config.target is not None and share > config.target:
        way = f"{option} is the way on" if path is None else f"{option} goes on from here"
        print_note(f"the target of {plain_target(config.target)} was not reached, a larger {way}")
    if path is None:
        return
    size = format_bytes(read_manifest(path).size_bytes)
    if seconds is None:
        done = f"{path}, {size}, was done before"
    else:
        done = f"wrote {path}, {size}, in {format_seconds(seconds)}"
    console.print(
        f"{done}; runout spot show {path} --node PATH for more",
        soft_wrap=True,
        markup=False,
    )
