"""`runout report`: solving one spot on many flops, and showing a report."""

import math
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from runout.cards import flops as flop_lists
from runout.cards.flops import FlopList, TextureKind
from runout.cli import formatting, options
from runout.cli.console import Shown, print_note, show
from runout.cli.formatting import bold, dim, format_bytes, format_count_of, format_percent
from runout.cli.node_tables import RARE_REACH, roughness
from runout.cli.options import flag, option
from runout.cli.targets import GO_ON, collect, remove_checkpoints, require_free, solving_into
from runout.errors import FlopListError, OptionError, quote
from runout.solutions import reports
from runout.solutions.preflop import LEDGER_FOLDER, REPORT_FOLDER, SPOTS_FOLDER
from runout.solutions.reports import FlopsReport, TableChoice
from runout.solutions.sheet import has_parquet
from runout.storage.bundle import has_bundle, read_manifest

if TYPE_CHECKING:
    from runout.runs.report import ReportPlan


_LEGEND = """\
in %, EVs and costs in chips; weight: frequency of the flop on this line;
EQR: EV over equity times pot; nuts: share of the range among the best 5 % of
made hands; all X: cost of X with every hand against the same opponent"""
_ONLY = "only X: cost of X as the only size on the flop, both players solved again"


def report_parts(report: FlopsReport, choice: TableChoice) -> list[Shown]:
    """Returns every chosen line with groups, flops and means, and what the numbers are."""
    parts: list[Shown] = []
    tables = choice.tables(report)
    for shown in tables:
        table = shown[0]
        parts.append(bold(table.line.heading("   ")))
        reach = table.column("reach").mean(table.everything())
        if reach < RARE_REACH:
            text = f"! reached in {format_percent(reach)} of deals: strategies here are rough"
            parts.append(Text(text, style="yellow"))
        parts += ["", reports.line_sheet(shown, choice), ""]
    has_size_costs = any(len(table.values["size_cost"].T) for table, *_ in tables)
    worst = max((row.exploitability_pot for row in report.rows), default=math.nan)
    done = format_count_of(len(report.rows), "flop")
    of_all = "" if len(report.rows) == report.num_flops else f" of {report.num_flops:,}"
    seconds = formatting.format_seconds(sum(row.seconds for row in report.rows))
    most = f"exploitability ({report.meaning.value}) at most {format_percent(worst)}"
    return [
        *parts,
        dim(f"{_LEGEND}\n{_ONLY}" if has_size_costs else _LEGEND),
        f"{done}{of_all}, {most} of the pot, {seconds} of solving",
        *roughness(report.quality),
    ]


DEFAULT_FLOPS = "25"

_EVERYTHING = "all"

_DIRECTORY = "An existing report to display; nothing is solved."
_FLOPS = "all, a subset (8 to 200), file or list (AhKd7s,Th9h6c)."
_LINES = "Lines to report: root, x, x:b33. Repeatable (default root, x)."
_KEEP = "Keep the solution of each flop, in DIR/spots."
_SIZE_COSTS = "Solve each flop with every bet size alone, too."
_SORT = "Order: weight, flop, b33, ev-ip; -ev-ip is ascending."
_WHERE = "Only these textures: suits=monotone, high=A,K. Repeatable."
_BY = "Groups to show. Repeatable (default all four)."
_ROWS = "Number of flops to list, or all."


@options.taking_spot(
    "oop", "ip", "pot", "stack", "bet_sizes", "raise_sizes", "target", "max_iterations", "rivers"
)
def report_flops(
    *,
    directory: Annotated[Path | None, typer.Argument(metavar="[DIR]", help=_DIRECTORY)] = None,
    config: options.SpotConfigOption = None,
    run: options.FromOption = None,
    node: options.SpotNodeOption = None,
    flops: Annotated[str | None, option("--flops", "WHICH", _FLOPS)] = None,
    lines: Annotated[list[str] | None, option("--line -l", "PATH", _LINES)] = None,
    path: Annotated[Path | None, option("--output -o", "DIR", "Directory to write.")] = None,
    given: dict[str, Any],
    keep: Annotated[bool, flag("--keep-strategies", _KEEP)] = False,
    size_costs: Annotated[bool, flag("--size-costs", _SIZE_COSTS)] = False,
    overwrite: options.OverwriteFlag = False,
    workers: options.WorkersOption = None,
    executor: options.ExecutorOption = "threads",
    sort: Annotated[str, option("--sort -s", "COLUMN", _SORT)] = reports.WEIGHT_KEY,
    where: Annotated[list[str] | None, option("--where", "TEXTURE", _WHERE)] = None,
    by: Annotated[list[TextureKind] | None, flag("--by", _BY)] = None,
    rows: Annotated[str, option("--rows", "N", _ROWS)] = "20",
    json: options.JsonFlag = False,
) -> None:
    """Solve one spot on many flops and summarize by texture.

    The default is the weighted subset of 25 flops. Tables have frequencies, EVs and costs.

    Rows are printed as they finish; after Ctrl-C the same command resumes. DIR gets a folder for
    each line with a CSV file like PioSOLVER's, and all columns as CSV and Parquet.
    """
    if rows != _EVERYTHING and not rows.isdecimal():
        raise OptionError("--rows", f"{quote(rows)} is not a whole number or all")
    num_rows = flop_lists.NUM_CANONICAL_FLOPS if rows == _EVERYTHING else int(rows)
    choice = TableChoice((), tuple(where or ()), sort, tuple(by or TextureKind), num_rows)
    if directory is not None:
        if any([config, run, node, path, flops, overwrite, keep, size_costs, *given]):
            problem = "is an existing report; to solve one use --output"
            raise OptionError(str(directory), problem)
        report = reports.load_report(directory)
        choice = replace(choice, lines=tuple(lines or ()))
    elif path is None:
        raise OptionError("--output", "missing, the directory to write the report to")
    else:
        from runout.runs.report import ReportPlan, collect_report

        spots = path.absolute() / SPOTS_FOLDER if keep else None
        which = _read_flops((flops or DEFAULT_FLOPS).strip())
        paths = lines or reports.DEFAULT_LINES
        with options.reading_spot(config, run, node, given, "oop", "ip", "pot", "stack") as keys:
            plan = ReportPlan.make(
                config, keys, which, paths, has_size_costs=size_costs, spots=spots
            )
        choice.tables(collect_report(plan, []))  # refuses now what cannot be shown as asked for
        report = _solve(plan, path, workers, executor, overwrite)
    document = reports.flops_report_to_json(report, choice) if json else {}
    show(json, document, *report_parts(report, choice))


def _solve(
    plan: "ReportPlan", path: Path, workers: int | None, executor: str, overwrite: bool
) -> FlopsReport:
    """Solves the flops that are not finished yet, and writes everything."""
    place = path / REPORT_FOLDER
    if has_bundle(path):
        raise OptionError(str(path), "is a bundle, choose another directory")
    require_free(place, reports.REPORT_KIND, overwrite=True)
    if has_bundle(place) and not overwrite:
        if read_manifest(place).config_digest != plan.spot_digest:
            problem = "has the report of another spot, choose another directory or --overwrite"
            raise OptionError(str(path), problem)
    with solving_into(path, workers, executor) as context:
        from runout.flops.spot_setup import measure_spot
        from runout.runs.report import collect_report, report_flops

        size = measure_spot(plan.spot, num_workers=1)
        num_flops = format_count_of(len(plan.flops), "flop")
        each = format_bytes(size.memory[plan.spot.precision].total)  # type: ignore[index]
        print_note(f"{plan.title}\n{num_flops}, about {each} each; {size} on {plan.spot.board}")
        if plan.variants:
            print_note(f"each flop is solved {len(plan.variants)} times more for costs of sizes")
        context = replace(context, checkpoints=path / LEDGER_FOLDER)
        try:
            rows, is_complete = collect(report_flops(plan, context))
        except KeyboardInterrupt:
            remove_checkpoints(path / LEDGER_FOLDER)
            with suppress(OSError):  # was not made, or has a flop that was interrupted
                (path / SPOTS_FOLDER).rmdir()
            raise
        report = collect_report(plan, rows)
        reports.save_report(path, report, plan.config_text(), plan.spot_digest)
        folders = reports.write_files(path, report)
        where = ", ".join(folder.relative_to(path).as_posix() for folder in folders)
        print_note(f"wrote {path}: {where}")
        if not has_parquet():
            print_note("Parquet files need pip install 'runout[reports]'")
        if not is_complete:
            raise KeyboardInterrupt(f"{GO_ON}, {path} keeps {len(rows):,} of {num_flops}")
    return report


def _read_flops(which: str) -> FlopList:
    """Reads which flops: all, a shipped subset, a file, or a list."""
    if which == _EVERYTHING:
        return flop_lists.all_flops()
    if which.isdecimal():
        return flop_lists.subset_flops(int(which))
    file = Path(which)
    try:
        return flop_lists.read_flops(file.read_text("utf-8") if file.is_file() else which)
    except FlopListError as error:
        if file.is_file():
            raise OptionError(f"--flops {file}, {error.where}", error.problem) from None
        sizes = ", ".join(map(str, flop_lists.SHIPPED_SUBSET_SIZES))
        allowed = f"give all, one of {sizes}, a file, or flops"
        raise OptionError("--flops", f"{error.problem}; {allowed}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise OptionError(f"--flops {file}", f"cannot be read ({error})") from None
