"""`runout lab`: what strategies lose in the game with real cards."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from runout.cards.card import FLOP_SIZE, format_cards, parse_board
from runout.cards.flops import GivenFlop, canonical_flop
from runout.cli.config_files import load_flops_config
from runout.cli.console import output, print_note, using_kernels
from runout.cli.formatting import (
    Json,
    format_bytes,
    format_count_of,
    format_exploitability,
    format_json,
    format_mbb,
    format_seconds,
)
from runout.cli.lab_sweep import sweep
from runout.cli.options import (
    ExecutorOption,
    OptionError,
    WorkersOption,
    read_path,
    require_positive,
)
from runout.cli.targets import working_with
from runout.cli.values import find_flop, open_values
from runout.config.backends import BACKENDS
from runout.config.postflop import PostflopModelConfig
from runout.errors import CardError, ConfigError, ExecutionError, quote
from runout.execution.workplace import Workplace
from runout.storage.files import replace_file
from runout.trees.preflop_betting import PLAYER_NAMES
from runout.views.run_view import open_run

if TYPE_CHECKING:
    from runout.lab.backend_rows import BackendMean, BackendRow
    from runout.lab.compare_backends import Contender
    from runout.trees.postflop_tree import PostflopTree

#: Unpaired and dry, connected and two-tone, paired, monotone, low and connected.
DEFAULT_FLOPS = ("AsKd7h", "Th9h6c", "8s8d3c", "Qh7h2h", "6d5c4s")

_EVERYTHING = "all"
_HEADINGS = ("own", "real", "OOP", "IP", "hand", "pair", "time")
_NOTHING = "-"
_LEGEND = """\
in % of the flop pot: own, exploitability as the backend says, in its own game, ≤ if it is
only a bound (of exact in the real game); real, with real cards;
OOP and IP, what each gains there by a best response; hand and pair, RMS distance of values
from the exact ones; time of the solve and its values"""

app = typer.Typer(no_args_is_help=True, help="Measure solves against the game with real cards.")


@app.command("exploit", epilog="Example: runout lab exploit -c configs/lab_exploit.yaml")
def show_exploitability(
    run: Annotated[
        Path | None,
        typer.Argument(metavar="[RUN]", help="A joint solution that solve-preflop wrote."),
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option("--config", "-c", metavar="FILE", parser=read_path, help="A config, YAML."),
    ] = None,
    solve_types: Annotated[
        str,
        typer.Option(
            "--solve-type",
            metavar="LIST",
            help=f"Of {', '.join(BACKENDS)}, keys after colons (bucketed:2); or all.",
        ),
    ] = _EVERYTHING,
    flops: Annotated[
        list[str] | None,
        typer.Option(
            "--flop", metavar="CARDS", help="Again for more (default fixed_flops, or five)."
        ),
    ] = None,
    sprs: Annotated[
        list[float] | None,
        typer.Option("--spr", metavar="X", help="Again for more (default those of the config)."),
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option(
            "--json", metavar="FILE", parser=read_path, help="Write everything as JSON, too."
        ),
    ] = None,
    workers: WorkersOption = None,
    executor: ExecutorOption = "threads",
) -> None:
    """Show what strategies lose to a best response with real cards.

    Of a RUN: what a joint solution loses, preflop and all; the run keeps the number. Of a config:
    flops are solved by several backends, with its sizes, limits and buckets; Ctrl-C shows what is
    finished. Whoever responds sees every card.
    """
    require_positive("--workers", workers)
    if (run is None) == (config is None):
        raise OptionError("lab exploit", "give either a RUN or --config, one of them")
    if run is not None:
        with working_with(workers, executor) as workplace:
            _judge_run(run, file, workplace)
        return
    assert config is not None
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
    model = load_flops_config(config)
    boards = [_read_flop(text) for text in flops or model.fixed_flops or DEFAULT_FLOPS]
    if sprs:
        model = _with_sprs(model, sprs)
    if file is not None:
        _require_writable(file)
    rows: list[BackendRow] = []
    total = 0
    try:
        with working_with(*how) as workplace:
            from runout.lab.compare_backends import compare_backends
            from runout.postflop.plan import PostflopPlan

            contenders = _make_contenders(model, solve_types)
            trees = PostflopPlan.make(model).trees
            _tell_memory(contenders, boards, trees, workplace.num_threads)
            total = len(contenders) * len(boards) * len(trees)
            for row in compare_backends(contenders, boards, trees, workplace):
                rows.append(row)
    except KeyboardInterrupt:
        done = f"{len(rows)} of {format_count_of(total, 'solve')}"
        if not rows:
            raise KeyboardInterrupt("interrupted before any flop was finished") from None
        _report(config, rows, file, is_complete=False)
        raise KeyboardInterrupt(f"interrupted, {done} in the table") from None
    _report(config, rows, file, is_complete=True)


def _judge_run(path: Path, file: Path | None, workplace: Workplace) -> None:
    """Measures a joint solution in the real game."""
    from runout.lab.joint_game import judge_run

    loss = judge_run(path, workplace)
    solution = open_run(path).solution
    if file is not None:
        facts: Json = {
            "path": str(path),
            "own_exploitability_mbb": solution.report.exploitability_mbb,
            "real_exploitability_mbb": loss.exploitability_mbb,
            "best_response_mbb": {
                name: won for name, won in zip(PLAYER_NAMES, loss.best_response_mbb, strict=True)
            },
        }
        replace_file(file, (format_json(facts) + "\n").encode())
    console = output()
    sb, bb = (format_mbb(won) for won in loss.best_response_mbb)
    console.print(
        f"own game {format_mbb(solution.report.exploitability_mbb)} mbb/hand, "
        f"real game {format_mbb(loss.exploitability_mbb)} mbb/hand\n"
        f"best responses with real cards win {sb} as SB and {bb} as BB",
        soft_wrap=True,
    )


@app.command("judge", epilog="Example: runout lab judge runs/spr --flop AhKd7s")
def judge_strategies(
    path: Annotated[
        Path, typer.Argument(metavar="DIR", help="What `runout solve-postflop` or a run wrote.")
    ],
    flops: Annotated[
        list[str] | None,
        typer.Option("--flop", metavar="CARDS", help="Again for more (default all of them)."),
    ] = None,
    file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write everything as JSON, too.")
    ] = None,
    workers: WorkersOption = None,
) -> None:
    """Show what strategies that were kept lose to a best response; nothing is solved again."""
    require_positive("--workers", workers)
    if file is not None:
        _require_writable(file)
    bundle = open_values(path)
    if not bundle.solutions:
        raise OptionError(str(path), "has no strategies, solve with keep_strategies: true")
    values = bundle.values[0]
    indices = [find_flop(path, values, GivenFlop.parse(text)) for text in flops or []]
    with using_kernels() as on_event:
        from runout.lab.compare_backends import judge_kept
        from runout.postflop.postflop_abstraction import PostflopAbstraction

        solved = PostflopAbstraction.from_bundle(bundle)
        chosen = indices or list(range(len(values.flops)))
        sprs = range(len(solved.trees))
        rows = list(judge_kept(solved, chosen, sprs, on_event, workers))
    _report(path, rows, file, is_complete=True)


def _read_flop(text: str) -> tuple[int, ...]:
    cards = parse_board(text)
    if len(cards) != FLOP_SIZE:
        raise CardError(f"flop {quote(text)}", f"{len(cards)} cards, a flop has {FLOP_SIZE}")
    return cards


def _with_sprs(model: PostflopModelConfig, sprs: list[float]) -> PostflopModelConfig:
    for spr in sprs:
        if not 0.0 < spr < float("inf"):
            raise OptionError("--spr", f"{spr:g} is not a positive number")
    return model.with_sprs(list(dict.fromkeys(sprs)))


def _require_writable(file: Path) -> None:
    """Finds out before the work whether a file can be written."""
    is_there = file.exists()
    try:
        file.open("a").close()
        if not is_there:
            file.unlink()
    except OSError as error:
        raise OptionError(f"--json {file}", error.strerror or str(error)) from None


def _make_contenders(model: PostflopModelConfig, text: str) -> list["Contender"]:
    from runout.lab.compare_backends import all_labels, make_contender

    labels = all_labels() if text == _EVERYTHING else [label.strip() for label in text.split(",")]
    try:
        contenders = [make_contender(model, label) for label in labels]
    except ConfigError as error:
        if error.where != "solve_type":
            raise
        raise OptionError("--solve-type", f"{error.problem}, or all") from None
    by_label = {contender.label: contender for contender in contenders}
    return list(by_label.values())


def _tell_memory(
    contenders: Sequence["Contender"],
    flops: Sequence[tuple[int, ...]],
    trees: Sequence["PostflopTree"],
    num_workers: int,
) -> None:
    """Says what the largest of the solves will need.

    Raises:
        ExecutionError: if there is less, with what would need less.
    """
    from runout.execution.memory import available_memory_bytes

    needs, label, place = max(
        (
            (
                contender.estimate(flop, tree, num_workers),
                contender.label,
                f"{format_cards(flop)} at SPR {tree.stakes.spr:.4g}",
            )
            for contender in contenders
            for flop in flops
            for tree in trees
        ),
        key=lambda need: need[0].memory_bytes,
    )
    available = available_memory_bytes()
    where = f"{label} needs {format_bytes(needs.memory_bytes)} of memory for {place}"
    if needs.memory_bytes <= available:
        print_note(where)
        return
    less = [f"{change} needs {format_bytes(size)}" for change, size in needs.savings.items()]
    advice = "; ".join([*less, f"give fewer sizes or raises, or leave {label} out of --solve-type"])
    problem = f"{where}, {format_bytes(available)} are free; {advice}"
    raise ExecutionError("memory", problem)


def _report(file: Path, rows: Sequence["BackendRow"], json: Path | None, is_complete: bool) -> None:
    from runout.lab.backend_rows import mean_by_backend

    means = mean_by_backend(rows)
    console = output()
    console.print(exploit_table(rows, means))
    console.print(_LEGEND, style="dim", soft_wrap=True)
    if json is None:
        return
    document: Json = {
        "config": str(file),
        "is_complete": is_complete,
        "rows": [_row_to_json(row) for row in rows],
        "means": [asdict(mean) for mean in means],
    }
    try:
        replace_file(json, f"{format_json(document)}\n".encode())
    except OSError as error:
        raise OptionError(f"--json {json}", error.strerror or str(error)) from None
    print_note(f"wrote {json}, {format_count_of(len(rows), 'row')}")


def _row_to_json(row: "BackendRow") -> Json:
    return {**asdict(row), "flop": format_cards(canonical_flop(parse_board(row.flop)))}


def exploit_table(rows: Sequence["BackendRow"], means: Sequence["BackendMean"]) -> Table:
    """Returns a line for each solve, and the mean of each backend below."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("flop", no_wrap=True)
    table.add_column("SPR", justify="right", no_wrap=True)
    table.add_column("backend", no_wrap=True)
    for heading in _HEADINGS:
        table.add_column(heading, justify="right", no_wrap=True)
    before = None
    for row in rows:
        here = (row.flop, f"{row.spr:.4g}")
        if before is not None and here != before:
            table.add_row()
        table.add_row(*(here if here != before else ("", "")), row.label, *_cells(row))
        before = here
    table.add_row()
    for number, mean in enumerate(means):
        table.add_row("" if number else "mean", "", mean.label, *_cells(mean), style="bold")
    return table


def _cells(row: "BackendRow | BackendMean") -> list[str]:
    own = format_exploitability(row.own_exploitability_pot, row.own_meaning).rstrip("%")
    shares = [row.real_exploitability_pot, *row.real_gains_pot]
    errors = [row.hand_error_pot, row.pair_error_pot]
    texts = [_NOTHING if share is None else f"{100 * share:.2f}" for share in [*shares, *errors]]
    return [own, *texts, format_seconds(row.seconds)]


app.command(
    "sweep",
    epilog="Example: runout lab sweep -c configs/sweep_rebucketing.yaml -o runs/rebucketing",
)(sweep)
