"""`runout report`: one spot on many flops, and looking at such a report."""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from runout.cards.flops import (
    NUM_CANONICAL_FLOPS,
    SHIPPED_SUBSET_SIZES,
    FlopList,
    all_flops,
    read_flops,
    subset_flops,
)
from runout.cards.textures import TextureKind
from runout.cli.console import output, print_json, print_note
from runout.cli.formatting import format_bytes, format_count_of
from runout.cli.options import (
    ExecutorOption,
    JsonFlag,
    OptionError,
    WorkersOption,
    read_path,
    require_positive,
)
from runout.cli.report_tables import TableChoice, print_report, report_to_json
from runout.cli.spot_options import (
    BetsOption,
    ConfigOption,
    FromOption,
    IpOption,
    MaxIterationsOption,
    NodeOption,
    OopOption,
    PotOption,
    RaisesOption,
    RiversOption,
    StackOption,
    TargetOption,
    keys_from_run,
    naming_options,
    require_keys,
)
from runout.cli.targets import OverwriteFlag, remove_checkpoints, require_free, solving_into
from runout.errors import FlopListError, quote
from runout.results.run_folders import LEDGER_FOLDER, REPORT_FOLDER, SPOTS_FOLDER
from runout.storage.bundle import has_bundle, read_manifest
from runout.views.flop_rows import FlopRow
from runout.views.flop_table import ROOT, WEIGHT_KEY, FlopsReport
from runout.views.report_bundle import KIND, load_report, save_report
from runout.views.report_files import has_parquet, write_files

if TYPE_CHECKING:
    from runout.pipeline.report_plan import ReportPlan
    from runout.postflop.spot.spot_setup import SpotSize

DEFAULT_FLOPS = "25"
DEFAULT_LINES = (ROOT, "x")

_EVERYTHING = "all"
_REQUIRED_KEYS = ("oop", "ip", "pot", "stack")
_SPOT_KEYS = (
    "oop",
    "ip",
    "pot",
    "stack",
    "bet_sizes",
    "raise_sizes",
    "target",
    "max_iterations",
    "rivers",
)

#: Kinds of pictures.
PLOT_SUFFIXES = (".png", ".svg")

_Directory = Annotated[
    Path | None,
    typer.Argument(metavar="[DIR]", help="A report that is there: shows it, and solves nothing."),
]
_Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="DIR", parser=read_path, help="Directory to write."),
]
_Flops = Annotated[
    str | None,
    typer.Option(
        "--flops",
        metavar="WHICH",
        help="all, 8, 13, 25, 50, 100 or 200 that stand for all, a file, or AhKd7s,Th9h6c "
        f"(default {DEFAULT_FLOPS}).",
    ),
]
_Lines = Annotated[
    list[str] | None,
    typer.Option(
        "--line",
        "-l",
        metavar="PATH",
        help="root, x, x:b33, ...; again for more (default root, x).",
    ),
]
_Keep = Annotated[
    bool, typer.Option("--keep-strategies", help="Keep the solution of each flop, in DIR/spots.")
]
_SizeCosts = Annotated[
    bool,
    typer.Option(
        "--size-costs", help="Solve each flop with every first bet alone, too: what it costs."
    ),
]
_Sort = Annotated[
    str,
    typer.Option(
        "--sort", "-s", metavar="COLUMN", help="weight, flop, b33, ev-ip, ...; -ev-ip from below."
    ),
]
_Where = Annotated[
    list[str] | None,
    typer.Option(
        "--where", metavar="TEXTURE", help="suits=monotone, high=A,K, ...; again for more."
    ),
]
_By = Annotated[
    list[TextureKind] | None,
    typer.Option("--by", help="Groups to show; again for more (default all four)."),
]
_Rows = Annotated[
    str, typer.Option("--rows", metavar="N", help="Single flops to show, 0 for none, or all.")
]
_Plot = Annotated[
    Path | None,
    typer.Option(
        "--plot", metavar="FILE", parser=read_path, help="A bar for each flop, as .png or .svg."
    ),
]


def report_flops(
    directory: _Directory = None,
    config: ConfigOption = None,
    run: FromOption = None,
    node: NodeOption = None,
    flops: _Flops = None,
    lines: _Lines = None,
    path: _Output = None,
    oop: OopOption = None,
    ip: IpOption = None,
    pot: PotOption = None,
    stack: StackOption = None,
    bets: BetsOption = None,
    raises: RaisesOption = None,
    target: TargetOption = None,
    max_iterations: MaxIterationsOption = None,
    rivers: RiversOption = None,
    keep: _Keep = False,
    size_costs: _SizeCosts = False,
    overwrite: OverwriteFlag = False,
    workers: WorkersOption = None,
    executor: ExecutorOption = "threads",
    sort: _Sort = WEIGHT_KEY,
    where: _Where = None,
    by: _By = None,
    rows: _Rows = "20",
    plot: _Plot = None,
    json: JsonFlag = False,
) -> None:
    """Solve one spot on many flops, and show what is done and won on each.

    Rows are printed as they finish; Ctrl-C keeps them, and the same command goes on. DIR has a
    folder for each line with CSV as PioSOLVER writes it, CSV and Parquet with everything.
    """
    require_positive("--workers", workers)
    _require_plot(plot)
    filters, kinds = tuple(where or ()), tuple(by or TextureKind)
    choice = TableChoice(tuple(lines or ()), filters, sort, kinds, _read_rows(rows))
    values = (oop, ip, pot, stack, bets, raises, target, max_iterations, rivers)
    given = {key: v for key, v in zip(_SPOT_KEYS, values, strict=True) if v is not None}
    solving = [config, run, node, path, flops, overwrite, keep, size_costs, *given]
    if directory is not None:
        if any(solving):
            problem = "shows a report that is there; to solve one give --output instead"
            raise OptionError(str(directory), problem)
        report, _ = load_report(directory)
    elif path is None:
        raise OptionError("--output", "is missing, say where to write the report")
    else:
        keys = {**keys_from_run(run, node, given), **given}
        spots = path.absolute() / SPOTS_FOLDER if keep else None
        plan = _make_plan(config, keys, _read_flops(flops), choice, size_costs, spots)
        choice = replace(choice, lines=())
        report = _solve(plan, path, (workers, executor), overwrite)
    _show(report, choice, plot, json)


def _make_plan(
    config: Path | None,
    given: dict[str, Any],
    flops: FlopList,
    choice: TableChoice,
    has_size_costs: bool,
    spots: Path | None,
) -> "ReportPlan":
    """Reads what to solve, and finds out before the work whether it can be shown as asked for."""
    from runout.pipeline.flop_report import collect_report
    from runout.pipeline.report_plan import ReportPlan

    if config is None:
        require_keys(given, _REQUIRED_KEYS)
    with naming_options(given):
        plan = ReportPlan.make(
            config,
            given,
            flops,
            choice.lines or DEFAULT_LINES,
            has_size_costs=has_size_costs,
            spots=spots,
        )
    replace(choice, lines=()).tables(collect_report(plan, []))
    return plan


def _solve(
    plan: "ReportPlan", path: Path, how: tuple[int | None, str], overwrite: bool
) -> FlopsReport:
    """Solves the flops that are not finished yet, and writes everything."""
    _require_same_spot(path, plan, overwrite)
    rows: list[FlopRow] = []
    with solving_into(path, *how) as workplace:
        from runout.execution.cancel import CancelledError
        from runout.pipeline.flop_report import collect_report, measure_flop, report_flops

        _tell_needs(plan, measure_flop(plan.spot))
        workplace = replace(workplace, checkpoints=path / LEDGER_FOLDER)
        try:
            for row in report_flops(plan, workplace):
                rows.append(row)
        except (KeyboardInterrupt, CancelledError):
            if not rows:
                remove_checkpoints(path / LEDGER_FOLDER)
                with suppress(OSError):  # was not made, or has a flop that was interrupted
                    (path / SPOTS_FOLDER).rmdir()
                raise KeyboardInterrupt("interrupted before any flop was finished") from None
            _write(path, plan, collect_report(plan, rows))
            kept = f"{path} keeps {len(rows):,} of {format_count_of(len(plan.flops), 'flop')}"
            text = f"interrupted; give the same command again to go on, {kept}"
            raise KeyboardInterrupt(text) from None
        report = collect_report(plan, rows)
        _write(path, plan, report)
    return report


def _write(path: Path, plan: "ReportPlan", report: FlopsReport) -> None:
    save_report(path, report, plan.config_text(), plan.spot_digest)
    folders = write_files(path, report)
    where = ", ".join(folder.relative_to(path).as_posix() for folder in folders)
    print_note(f"wrote {path}: {where}")
    if not has_parquet():
        print_note("without Parquet, for which pip install 'runout[reports]'")


def _require_same_spot(path: Path, plan: "ReportPlan", overwrite: bool) -> None:
    """Refuses a directory that holds the report of another spot, or something else.

    Raises:
        RunoutError: if something is in the way that may not be replaced.
    """
    place = path / REPORT_FOLDER
    if has_bundle(path):
        raise OptionError(str(path), "is a bundle by itself, give another directory")
    require_free(place, KIND, overwrite=True)
    if has_bundle(place) and not overwrite:
        if read_manifest(place).config_digest != plan.spot_digest:
            problem = "holds the report of another spot, give another directory or --overwrite"
            raise OptionError(str(path), problem)


def _tell_needs(plan: "ReportPlan", size: "SpotSize") -> None:
    """Says what is going to be solved, and with how much memory."""
    oop, ip = size.num_hands
    need = next(need for bits, need in size.memory.items() if bits == plan.spot.precision)
    print_note(
        f"{plan.title}\n{format_count_of(len(plan.flops), 'flop')}, about "
        f"{format_bytes(need.total)} each; {size.num_nodes:,} nodes of betting, {oop:,} against "
        f"{ip:,} combos on {plan.spot.board}"
    )
    if plan.variants:
        print_note(f"each flop is solved {len(plan.variants)} times more for costs of sizes")


def _show(report: FlopsReport, choice: TableChoice, plot: Path | None, json: bool) -> None:
    if plot is not None:
        from runout.cli.report_plots import write_strips

        write_strips(plot, report, choice)
        print_note(f"wrote {plot}")
    if json:
        print_json(report_to_json(report, choice))
    else:
        print_report(output(), report, choice)


def _read_flops(text: str | None) -> FlopList:
    """Reads which flops: all, a shipped subset, a file, or a list.

    Raises:
        RunoutError: if it is none of these.
    """
    which = (DEFAULT_FLOPS if text is None else text).strip()
    if which == _EVERYTHING:
        return all_flops()
    if which.isdecimal():
        return subset_flops(int(which))
    file = Path(which)
    if not file.is_file():
        try:
            return read_flops(which)
        except FlopListError as error:
            sizes = ", ".join(map(str, SHIPPED_SUBSET_SIZES))
            allowed = f"use all, one of {sizes}, flops such as AhKd7s,Th9h6c, or such a file"
            problem = error.problem if "both are" in error.problem else f"{quote(which)} is no file"
            raise OptionError("--flops", f"{problem}; {allowed}") from None
    try:
        return read_flops(file.read_text("utf-8"))
    except FlopListError as error:
        raise OptionError(f"--flops {file}, {error.where}", error.problem) from None
    except (OSError, UnicodeDecodeError) as error:
        raise OptionError(f"--flops {file}", f"cannot be read ({error})") from None


def _read_rows(text: str) -> int:
    if text == _EVERYTHING:
        return NUM_CANONICAL_FLOPS
    if not text.isdecimal():
        raise OptionError("--rows", f"{quote(text)} is not a whole number or all")
    return int(text)


def _require_plot(plot: Path | None) -> None:
    if plot is not None and plot.suffix.lower() not in PLOT_SUFFIXES:
        ends = " or ".join(PLOT_SUFFIXES)
        raise OptionError(f"--plot {plot}", f"is no picture, give a name that ends with {ends}")
