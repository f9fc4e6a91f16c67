"""`runout lab`: what strategies lose in the game with real cards."""

import itertools
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from runout.cards.deck import format_cards
from runout.cards.flops import GivenFlop
from runout.cli import options
from runout.cli.console import Shown, print_note, show
from runout.cli.formatting import (
    dim,
    format_bytes,
    format_count_of,
    format_json,
    format_mbb,
    format_percent,
    format_seconds,
)
from runout.cli.node_tables import quality_lines
from runout.cli.options import argument, option, positive
from runout.cli.overview import open_values
from runout.cli.targets import GO_ON, collect, solving_into
from runout.config.flops import BACKENDS
from runout.config.load import SweepConfig, load_config
from runout.errors import OptionError
from runout.solutions.flop import StoredSpot
from runout.solutions.flop_bundles import SPOT_KIND
from runout.solutions.preflop import LEDGER_FOLDER, SOLUTION_FOLDER, VALUES_FOLDER, load_solution
from runout.solutions.run import find_result
from runout.solutions.run import open as open_result
from runout.storage.bundle import has_bundle
from runout.storage.files import replace_file, replacing_file, reporting_os_errors
from runout.trees.betting import BLIND_NAMES
from runout.trees.tree import POSITION_NAMES

ROWS_FILE, TABLE_FILE, JSON_FILE = "rows.csv", "table.csv", "sweep.json"

_SWEEP_LEGEND = """\
in % of the flop pot, mean ± 95 % confidence interval over seeds (Student's t): real, exploitability
with real cards; difference: real less that of the first line, seed by seed; significant if its
interval excludes 0; own, as the backend measures it; hand, RMS distance of the values of hands from
those of a choice with solve_type exact; nuts, pairs of nuts and second nuts that some turn tells
apart; memory, as announced; time of the solve and its values"""
#: Unpaired and dry, connected and two-tone, paired, monotone, low and connected.
DEFAULT_FLOPS = ("AsKd7h", "Th9h6c", "8s8d3c", "Qh7h2h", "6d5c4s")

_EVERYTHING = "all"
_LEGEND = """\
in % of the flop pot: own, exploitability in the backend's own game, ≤ if it is only a bound;
real, with real cards; OOP and IP, gain of a best response with real cards; hand and pair, RMS
distance of values from the exact ones; time of the solve and its values;
exhaustive and mccfr play 169 hands, without turn and river"""

_SOLVE_TYPES = f"{', '.join(BACKENDS)} with keys (bucketed:2), or all."
_FLOP = "Repeatable. Default: the config's fixed_flops, or five standard flops."
_SOLVED_FLOP = "Repeatable. Default: all solved flops."
_SPR = "Repeatable. Default: those of the config."


def show_exploitability(
    config: options.ConfigOption,
    solve_types: Annotated[str, option("--solve-type", "LIST", _SOLVE_TYPES)] = _EVERYTHING,
    flops: Annotated[list[str] | None, option("--flop", "CARDS", _FLOP)] = None,
    sprs: Annotated[list[float] | None, option("--spr", "X", _SPR, positive)] = None,
    workers: options.WorkersOption = None,
    executor: options.ExecutorOption = "threads",
    json: options.JsonFlag = False,
) -> None:
    """Compare backends by their exploitability with real cards.

    Each backend solves the same flops with the sizes, limits and buckets of the config. Ctrl-C
    shows the solves that are finished. The best response sees every card.
    """
    model = options.load_flops_config(config)
    boards = [GivenFlop.parse(text).cards for text in flops or model.fixed_flops or DEFAULT_FLOPS]
    if sprs:
        model = model.with_sprs(list(dict.fromkeys(sprs)))
    with solving_into(None, workers, executor) as context:
        from runout.flops.solve import PostflopPlan
        from runout.runs import compare

        is_everything = solve_types == _EVERYTHING
        labels = compare.all_labels() if is_everything else solve_types.split(",")
        found = [compare.label_backend(model, label.strip()) for label in labels]
        backends = list({tested.label: tested for tested in found}.values())
        trees = PostflopPlan.make(model).trees
        # The largest of the solves says what is needed, and is refused if there is less.
        costs = [
            (tested.estimate(flop, tree, context.num_threads), tested.label, flop, tree.stakes.spr)
            for tested, flop, tree in itertools.product(backends, boards, trees)
        ]
        cost, label, flop, spr = max(costs, key=lambda each: each[0].memory_bytes)
        where = f" of memory for {format_cards(flop)} at SPR {spr:.4g}"
        cost.require_memory(label, where)
        print_note(f"{label} needs {format_bytes(cost.memory_bytes)}{where}")
        rows, is_complete = collect(compare.compare_backends(backends, boards, trees, context))
    document = {"config": str(config), "is_complete": is_complete}
    document |= compare.comparison_to_json(rows)
    show(json, document, compare.comparison_sheet(rows), dim(_LEGEND))
    if not is_complete:
        total = format_count_of(len(backends) * len(boards) * len(trees), "solve")
        raise KeyboardInterrupt(f"interrupted, {len(rows)} of {total} in the table")


def judge_strategies(
    path: Annotated[Path, argument("DIR", "Directory of a solved spot, run or flops.")],
    flops: Annotated[list[str] | None, option("--flop", "CARDS", _SOLVED_FLOP)] = None,
    workers: options.WorkersOption = None,
    json: options.JsonFlag = False,
) -> None:
    """Measure saved strategies by their exploitability with real cards.

    A joint run is judged preflop and postflop, and keeps the number.
    """
    kind, _ = find_result(path)
    is_joint = has_bundle(path / SOLUTION_FOLDER) and not has_bundle(path / VALUES_FOLDER)
    document: dict[str, Any] = {"path": str(path)}
    with solving_into(None, workers) as context:
        from runout.flops.spot_setup import measure_spot
        from runout.runs import compare, judge

        if kind == SPOT_KIND:
            spot = open_result(path)
            assert isinstance(spot, StoredSpot)
            assert spot.config is not None
            seconds = measure_spot(spot.config, context.num_threads).seconds_to_evaluate
            print_note(f"{path}: real cards take about {format_seconds(seconds)}")
            loss = judge.judge_saved_spot(path, context)
            quality = spot.quality
            assert quality is not None  # all saved spots have it
            own, meaning = quality.exploitability, quality.meaning
            document |= {"real_exploitability_pot": loss.exploitability_pot}
            document |= {"real_gains_pot": dict(zip(POSITION_NAMES, loss.gains_pot, strict=True))}
            document |= {"own_exploitability_pot": own, "own_meaning": meaning}
            both = zip(POSITION_NAMES, loss.gains_pot, strict=True)
            won = ", ".join(f"{name} {format_percent(gain, 2)}" for name, gain in both)
            parts: list[Shown] = [*quality_lines(open_result(path).quality)]
            parts.append(f"best responses gain {won} of the pot")
        elif is_joint:
            of_run = judge.judge_run(path, context)
            real, gains = of_run.exploitability_mbb, of_run.best_response_mbb
            own = load_solution(path).report.exploitability_mbb
            document |= {"own_exploitability_mbb": own, "real_exploitability_mbb": real}
            document["best_response_mbb"] = dict(zip(BLIND_NAMES, gains, strict=True))
            sb, bb = map(format_mbb, gains)
            parts = [
                f"own game {format_mbb(own)} mbb/hand, real game {format_mbb(real)} mbb/hand",
                f"best responses with real cards win {sb} as SB and {bb} as BB",
            ]
        else:
            bundle = open_values(path)
            if not bundle.solutions:
                problem = "has no strategies, solve with keep_strategies: true"
                raise OptionError(str(path), problem)
            found = [bundle.flops.find(GivenFlop.parse(text)) for text in flops or []]
            chosen, sprs = found or range(len(bundle.flops)), range(len(bundle.trees))
            rows = list(compare.judge_kept(bundle, chosen, sprs, context))
            document |= {"is_complete": True, **compare.comparison_to_json(rows)}
            parts = [compare.comparison_sheet(rows), dim(_LEGEND)]
    show(json, document, *parts)


def sweep(
    config: options.ConfigOption,
    path: options.OutputOption,
    workers: options.WorkersOption = None,
    executor: options.ExecutorOption = "threads",
    json: options.JsonFlag = False,
) -> None:
    """Solve flops with every choice of keys and seeds.

    Shows means with confidence intervals. Finished solves are kept in DIR: Ctrl-C loses one of
    them, the same command resumes, and a larger grid solves only what is new.
    """
    given = load_config(config, SweepConfig)
    with solving_into(path, workers, executor) as context:
        from runout.runs.sweep import Sweep, list_points, list_tasks, run_sweep

        points = list_points(given)
        num_solves = format_count_of(len(list_tasks(points)), "solve")
        print_note(f"{config}: {format_count_of(len(points), 'choice')}, {num_solves}")
        context = replace(context, checkpoints=path / LEDGER_FOLDER)
        rows, is_complete = collect(run_sweep(points, context))
    found = Sweep.of(points, rows)
    means = found.sheet()
    choices = zip(points, means.records(), strict=True)
    document = {"points": [{"keys": dict(point.choice), **cells} for point, cells in choices]}
    with reporting_os_errors(path, "written"):
        path.mkdir(parents=True, exist_ok=True)
        for name, sheet in ((ROWS_FILE, found.rows_sheet()), (TABLE_FILE, means)):
            with (
                replacing_file(path / name) as part,
                part.open("w", newline="") as stream,
            ):
                sheet.write_csv(stream)
        replace_file(path / JSON_FILE, f"{format_json(document)}\n".encode())
    print_note(f"wrote {path}: {ROWS_FILE}, {TABLE_FILE}, {JSON_FILE}")
    show(json, document, means, dim(_SWEEP_LEGEND))
    if not is_complete:
        kept = f"{path} keeps {format_count_of(len(rows), 'solve')}"
        raise KeyboardInterrupt(f"{GO_ON}, {kept}")
