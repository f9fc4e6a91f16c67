"""`runout lab`: what strategies lose in the game with real cards."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from runout.cards.deck import format_cards, parse_board
from runout.cards.flops import GivenFlop, canonical_flop
from runout.cli import options
from runout.cli.console import naming_file, print_note, print_parts, using_kernels
from runout.cli.formatting import (
    NO_VALUE,
    Json,
    dim,
    format_bytes,
    format_count_of,
    format_exploitability,
    format_json,
    format_mbb,
    format_seconds,
    json_number,
)
from runout.cli.inspect import find_flop, open_values
from runout.cli.options import argument, option, positive
from runout.cli.targets import GO_ON, collect, solving_into
from runout.config.flops import BACKENDS, FlopsConfig
from runout.config.load import SweepPoint, load_sweep_config
from runout.errors import ConfigError, OptionError
from runout.execution.context import RunContext
from runout.solutions.preflop import LEDGER_FOLDER
from runout.solutions.run import open_run
from runout.solutions.sheet import Column, Sheet, columns, write_csv
from runout.storage.files import replace_file, replacing_file, reporting_os_errors
from runout.trees.betting import BLIND_NAMES

if TYPE_CHECKING:
    from runout.config.load import SweepPoint
    from runout.runs.compare import BackendMean, BackendRow, BackendUnderTest
    from runout.runs.sweep import Estimate, SweepMean, SweepRow
    from runout.trees.tree import PostflopTree

app = typer.Typer(no_args_is_help=True, help="Measure solves against the game with real cards.")

ROWS_FILE, TABLE_FILE, JSON_FILE = "rows.csv", "table.csv", "sweep.json"

_SWEEP_LEGEND = """\
in % of the flop pot, mean ± standard error over seeds: real, exploitability with real cards; own,
as the backend says; OOP and IP, what each gains by a best response; difference: real less that of
the first line, seed by seed: beyond two errors it is no accident"""
#: Unpaired and dry, connected and two-tone, paired, monotone, low and connected.
DEFAULT_FLOPS = ("AsKd7h", "Th9h6c", "8s8d3c", "Qh7h2h", "6d5c4s")

_EVERYTHING = "all"
_LEGEND = """\
in % of the flop pot: own, exploitability as the backend says, in its own game, ≤ if it is
only a bound (of exact in the real game); real, with real cards;
OOP and IP, what each gains there by a best response; hand and pair, RMS distance of values
from the exact ones; time of the solve and its values"""

_SOLVE_TYPES = f"Of {', '.join(BACKENDS)}, keys after colons (bucketed:2); or all."
_JSON = "Write everything as JSON, too."


@app.command("exploit", epilog="Example: runout lab exploit -c configs/lab_exploit.yaml")
def show_exploitability(
    run: Annotated[
        Path | None, argument("[RUN]", "A joint solution that solve-preflop wrote.")
    ] = None,
    config: Annotated[Path | None, option("--config -c", "FILE", "A config, YAML.")] = None,
    solve_types: Annotated[str, option("--solve-type", "LIST", _SOLVE_TYPES)] = _EVERYTHING,
    flops: Annotated[
        list[str] | None,
        option("--flop", "CARDS", "Again for more (default fixed_flops, or five)."),
    ] = None,
    sprs: Annotated[
        list[float] | None,
        option("--spr", "X", "Again for more (default those of the config).", positive),
    ] = None,
    file: Annotated[Path | None, option("--json", "FILE", _JSON)] = None,
    workers: options.WorkersOption = None,
    executor: options.ExecutorOption = "threads",
) -> None:
    """Show what strategies lose to a best response with real cards.

    Of a RUN: what a joint solution loses, preflop and all; the run keeps the number. Of a config:
    flops are solved by several backends, with its sizes, limits and buckets; Ctrl-C shows what is
    finished. Whoever responds sees every card.
    """
    if (run is None) == (config is None):
        raise OptionError("lab exploit", "give either a RUN or --config, one of them")
    if run is not None:
        with solving_into(None, workers, executor) as context:
            _judge_run(run, file, context)
    elif config is not None:
        _compare(config, solve_types, flops, sprs, file, (workers, executor))


def _compare(
    config: Path,
    solve_types: str,
    flops: list[str] | None,
    sprs: list[float] | None,
    file: Path | None,
    how: tuple[int | None, str],
) -> None:
    """Solves flops by several backends and shows what each of them loses."""
    model = options.load_flops_config(config)
    names = flops or model.fixed_flops or DEFAULT_FLOPS
    boards = [GivenFlop.parse(text).cards for text in names]
    if sprs:
        model = model.with_sprs(list(dict.fromkeys(sprs)))
    _require_writable(file)
    with solving_into(None, *how) as context:
        from runout.flops.solve import PostflopPlan
        from runout.runs.compare import compare_backends

        backends = _make_tested(model, solve_types)
        trees = PostflopPlan.make(model).trees
        _tell_memory(backends, boards, trees, context.num_threads)
        rows, is_complete = collect(compare_backends(backends, boards, trees, context))
    if not is_complete and not rows:
        raise KeyboardInterrupt("interrupted before any flop was finished")
    _report(config, rows, file, is_complete)
    if not is_complete:
        total = format_count_of(len(backends) * len(boards) * len(trees), "solve")
        raise KeyboardInterrupt(f"interrupted, {len(rows)} of {total} in the table")


def _judge_run(path: Path, file: Path | None, context: RunContext) -> None:
    """Measures a joint solution in the real game."""
    from runout.runs.judge import judge_run

    loss = judge_run(path, context)
    solution = open_run(path).solution
    if file is not None:
        facts: Json = {
            "path": str(path),
            "own_exploitability_mbb": solution.report.exploitability_mbb,
            "real_exploitability_mbb": loss.exploitability_mbb,
            "best_response_mbb": dict(zip(BLIND_NAMES, loss.best_response_mbb, strict=True)),
        }
        _write_json(file, facts)
    sb, bb = (format_mbb(won) for won in loss.best_response_mbb)
    print_parts(
        f"own game {format_mbb(solution.report.exploitability_mbb)} mbb/hand, "
        f"real game {format_mbb(loss.exploitability_mbb)} mbb/hand\n"
        f"best responses with real cards win {sb} as SB and {bb} as BB"
    )


@app.command("judge", epilog="Example: runout lab judge runs/spr --flop AhKd7s")
def judge_strategies(
    path: Annotated[Path, argument("DIR", "What `runout solve-postflop` or a run wrote.")],
    flops: Annotated[
        list[str] | None, option("--flop", "CARDS", "Again for more (default all of them).")
    ] = None,
    file: Annotated[Path | None, option("--json", "FILE", _JSON)] = None,
    workers: options.WorkersOption = None,
) -> None:
    """Show what strategies that were kept lose to a best response; nothing is solved again."""
    _require_writable(file)
    bundle = open_values(path)
    if not bundle.solutions:
        raise OptionError(str(path), "has no strategies, solve with keep_strategies: true")
    values = bundle.values[0]
    indices = [find_flop(path, values, GivenFlop.parse(text)) for text in flops or []]
    with using_kernels() as on_event:
        from runout.flops.solve import PostflopAbstraction
        from runout.runs.compare import judge_kept

        solved = PostflopAbstraction.from_bundle(bundle)
        chosen = indices or list(range(len(values.flops)))
        sprs = range(len(solved.trees))
        rows = list(judge_kept(solved, chosen, sprs, on_event, workers))
    _report(path, rows, file, is_complete=True)


def _require_writable(file: Path | None) -> None:
    """Finds out before the work whether a file can be written."""
    if file is None:
        return
    is_there = file.exists()
    with naming_file("--json", file):
        file.open("a").close()
        if not is_there:
            file.unlink()


def _write_json(file: Path, document: Json) -> None:
    with naming_file("--json", file):
        replace_file(file, f"{format_json(document)}\n".encode())


def _make_tested(model: FlopsConfig, text: str) -> list["BackendUnderTest"]:
    from runout.runs.compare import all_labels, label_backend

    labels = all_labels() if text == _EVERYTHING else [label.strip() for label in text.split(",")]
    try:
        backends = [label_backend(model, label) for label in labels]
    except ConfigError as error:
        if error.where != "solve_type":
            raise
        raise OptionError("--solve-type", f"{error.problem}, or all") from None
    by_label = {tested.label: tested for tested in backends}
    return list(by_label.values())


def _tell_memory(
    backends: Sequence["BackendUnderTest"],
    flops: Sequence[tuple[int, ...]],
    trees: Sequence["PostflopTree"],
    num_workers: int,
) -> None:
    """Says what the largest of the solves will need, and refuses it if there is less."""
    costs = [
        (tested.estimate(flop, tree, num_workers), tested.label, flop, tree.stakes.spr)
        for tested, flop, tree in itertools.product(backends, flops, trees)
    ]
    cost, label, flop, spr = max(costs, key=lambda each: each[0].memory_bytes)
    where = f" of memory for {format_cards(flop)} at SPR {spr:.4g}"
    savings = {change: size for change, size in cost.savings.items() if size is not None}
    leaving_out = f"give fewer sizes or raises, or leave {label} out of --solve-type"
    replace(cost, savings=savings | {leaving_out: None}).require_memory(label, where)
    print_note(f"{label} needs {format_bytes(cost.memory_bytes)}{where}")


def _report(file: Path, rows: Sequence["BackendRow"], json: Path | None, is_complete: bool) -> None:
    from runout.runs.compare import mean_by_backend

    means = mean_by_backend(rows)
    print_parts(exploit_sheet(rows, means), dim(_LEGEND))
    if json is None:
        return
    canonical = [format_cards(canonical_flop(parse_board(row.flop))) for row in rows]
    document: Json = {
        "config": str(file),
        "is_complete": is_complete,
        "rows": [asdict(row) | {"flop": flop} for row, flop in zip(rows, canonical, strict=True)],
        "means": [asdict(mean) for mean in means],
    }
    _write_json(json, document)
    print_note(f"wrote {json}, {format_count_of(len(rows), 'row')}")


def exploit_sheet(rows: Sequence["BackendRow"], means: Sequence["BackendMean"]) -> Sheet:
    """Returns a line for each solve, and the mean of each backend below."""
    percent, names = "{:.2f}".format, ("real", "OOP", "IP", "hand", "pair")
    shares = (Column(heading, form=percent) for heading in names)
    time = Column("time", form=format_seconds)
    sheet = Sheet((*columns("flop", ">SPR", "backend", ">own"), *shares, time), gap=2)

    def add(flop: str, spr: str, row: "BackendRow | BackendMean", style: str = "") -> None:
        own = format_exploitability(row.own_exploitability_pot, row.own_meaning).rstrip("%")
        found = (row.real_exploitability_pot, *row.real_gains_pot)
        errors = (row.hand_error_pot, row.pair_error_pot)
        numbers = [math.nan if share is None else 100 * share for share in (*found, *errors)]
        sheet.add(flop, spr, row.label, own, *numbers, row.seconds, style=style)

    before = None
    for row in rows:
        here = (row.flop, f"{row.spr:.4g}")
        if before is not None and here != before:
            sheet.add()
        add(*(here if here != before else ("", "")), row)
        before = here
    sheet.add()
    for number, mean in enumerate(means):
        add("" if number else "mean", "", mean, "bold")
    return sheet


@app.command(
    "sweep",
    epilog="Example: runout lab sweep -c configs/sweep_rebucketing.yaml -o runs/rebucketing",
)
def sweep(
    config: options.ConfigOption,
    path: options.OutputOption,
    workers: options.WorkersOption = None,
    executor: options.ExecutorOption = "threads",
) -> None:
    """Solve flops with every choice of a grid of keys and several seeds; show means and errors.

    Finished solves are kept in DIR: Ctrl-C loses one of them, the same command goes on, and a
    larger grid solves only what is new.
    """
    points = load_sweep_config(config)
    with solving_into(path, workers, executor) as context:
        from runout.runs.sweep import list_tasks, run_sweep

        num_solves = format_count_of(len(list_tasks(points)), "solve")
        print_note(f"{config}: {format_count_of(len(points), 'choice')}, {num_solves}")
        context = replace(context, checkpoints=path / LEDGER_FOLDER)
        rows, is_complete = collect(run_sweep(points, context))
    if rows:
        _report_sweep(path, points, rows)
    if not is_complete:
        kept = f"{path} keeps {format_count_of(len(rows), 'solve')}"
        raise KeyboardInterrupt(f"{GO_ON}, {kept}")


def _report_sweep(path: Path, points: Sequence["SweepPoint"], rows: Sequence["SweepRow"]) -> None:
    """Prints the table and writes the files."""
    from runout.runs.sweep import summarize

    means = summarize(points, rows)
    print_parts(sweep_sheet(points, means), dim(_SWEEP_LEGEND))
    with reporting_os_errors(path, "written"):
        path.mkdir(parents=True, exist_ok=True)
        pairs = list(zip(points, means, strict=True))
        for name, records in (
            (ROWS_FILE, [_row_cells(points[row.task.point].label, row) for row in rows]),
            (TABLE_FILE, [_mean_cells(*pair) for pair in pairs]),
        ):
            with replacing_file(path / name) as part, part.open("w", newline="") as stream:
                write_csv(records[0], (record.values() for record in records), stream)
        document: Json = {
            "points": [{"keys": dict(point.choice), **_mean_cells(point, m)} for point, m in pairs]
        }
        replace_file(path / JSON_FILE, f"{format_json(document)}\n".encode())
    print_note(f"wrote {path}: {ROWS_FILE}, {TABLE_FILE}, {JSON_FILE}")


def sweep_sheet(points: Sequence["SweepPoint"], means: Sequence["SweepMean"]) -> Sheet:
    """Returns a line for each choice."""
    keys = list(dict.fromkeys(key for point in points for key, _ in point.choice))
    measures = columns(">seeds", ">real", ">difference", ">own", ">OOP", ">IP")
    solves = (Column("iterations", form="{:.0f}".format), Column("time", form=format_seconds))
    sheet = Sheet((*columns(*keys), *measures, *solves), gap=2)
    for point, mean in zip(points, means, strict=True):
        choice, found = dict(point.choice), mean.by_measure
        sheet.add(
            *(choice.get(key, NO_VALUE) for key in keys),
            mean.num_seeds,
            _percent(found["real"]),
            NO_VALUE if mean.difference is None else _percent(mean.difference, "+"),
            *(_percent(found[name]) for name in ("own", "oop", "ip")),
            found["iterations"].mean,
            found["seconds"].mean,
        )
    return sheet


def _percent(estimate: "Estimate", sign: str = "") -> str:
    if math.isnan(estimate.mean):
        return NO_VALUE
    error = "" if math.isnan(estimate.error) else f" ± {100 * estimate.error:.3f}"
    return f"{100 * estimate.mean:{sign}.3f}{error}"


def _row_cells(choice: str, row: "SweepRow") -> Json:
    task = row.task
    return {"choice": choice, "seed": task.seed, "flop": task.flop, "spr": task.spr, **row.values}


def _mean_cells(point: "SweepPoint", mean: "SweepMean") -> Json:
    cells: dict[str, Any] = {"choice": point.label}
    cells |= {"seeds": mean.num_seeds, "solves": mean.num_solves}
    for name, estimate in (*mean.by_measure.items(), ("difference", mean.difference)):
        cells[name] = None if estimate is None else json_number(estimate.mean)
        cells[f"{name}_error"] = None if estimate is None else json_number(estimate.error)
    return cells
