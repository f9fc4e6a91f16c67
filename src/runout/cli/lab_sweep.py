"""`runout lab sweep`: a grid of keys and several seeds, as one table with error bars."""

import csv
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from runout.cli.config_files import ConfigOption
from runout.cli.console import output, print_note
from runout.cli.formatting import Json, format_count_of, format_json, format_seconds, json_number
from runout.cli.options import ExecutorOption, WorkersOption, read_path, require_positive
from runout.cli.spot_node import print_wide
from runout.cli.targets import solving_into
from runout.config.sweep import load_sweep_config
from runout.execution.cancel import CancelledError
from runout.results.run_folders import LEDGER_FOLDER
from runout.storage.files import replace_file, replacing_file, reporting_os_errors

if TYPE_CHECKING:
    from runout.config.sweep import SweepPoint
    from runout.lab.sweep import Estimate, SweepMean, SweepRow

ROWS_FILE, TABLE_FILE, JSON_FILE = "rows.csv", "table.csv", "sweep.json"

_NO_VALUE = "-"
_LEGEND = """\
in % of the flop pot, mean ± standard error over seeds: real, exploitability with real cards; own,
as the backend says; OOP and IP, what each gains by a best response; difference: real less that of
the first line, seed by seed: beyond two errors it is no accident"""


def sweep(
    config: ConfigOption,
    path: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="DIR", parser=read_path, help="Directory to write."),
    ],
    workers: WorkersOption = None,
    executor: ExecutorOption = "threads",
) -> None:
    """Solve flops with every choice of a grid of keys and several seeds; show means and errors.

    Finished solves are kept in DIR: Ctrl-C loses one of them, the same command goes on, and a
    larger grid solves only what is new.
    """
    require_positive("--workers", workers)
    points = load_sweep_config(config)
    rows: list[SweepRow] = []
    try:
        with solving_into(path, workers, executor) as workplace:
            from runout.lab.sweep import list_tasks, run_sweep

            num_solves = format_count_of(len(list_tasks(points)), "solve")
            print_note(f"{config}: {format_count_of(len(points), 'choice')}, {num_solves}")
            workplace = replace(workplace, checkpoints=path / LEDGER_FOLDER)
            for row in run_sweep(points, workplace):
                rows.append(row)
    except (KeyboardInterrupt, CancelledError):
        _report(path, points, rows)
        kept = f"{path} keeps {format_count_of(len(rows), 'solve')}"
        text = f"interrupted; give the same command again to go on, {kept}"
        raise KeyboardInterrupt(text) from None
    _report(path, points, rows)


def _report(path: Path, points: Sequence["SweepPoint"], rows: Sequence["SweepRow"]) -> None:
    """Prints the table and writes the files, if anything is finished."""
    if not rows:
        return
    from runout.lab.sweep import summarize

    means = summarize(points, rows)
    console = output()
    print_wide(console, sweep_table(points, means))
    console.print(_LEGEND, style="dim", soft_wrap=True)
    with reporting_os_errors(path, "written"):
        path.mkdir(parents=True, exist_ok=True)
        _write_csv(path / ROWS_FILE, [_row_cells(points, row) for row in rows])
        pairs = list(zip(points, means, strict=True))
        _write_csv(path / TABLE_FILE, [_mean_cells(*pair) for pair in pairs])
        document: Json = {"points": [_mean_to_json(*pair) for pair in pairs]}
        replace_file(path / JSON_FILE, f"{format_json(document)}\n".encode())
    print_note(f"wrote {path}: {ROWS_FILE}, {TABLE_FILE}, {JSON_FILE}")


def sweep_table(points: Sequence["SweepPoint"], means: Sequence["SweepMean"]) -> Table:
    """Returns a line for each choice."""
    keys = list(dict.fromkeys(key for point in points for key, _ in point.choice))
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for key in keys:
        table.add_column(key, no_wrap=True)
    for heading in ("seeds", "real", "difference", "own", "OOP", "IP", "iterations", "time"):
        table.add_column(heading, justify="right", no_wrap=True)
    for point, mean in zip(points, means, strict=True):
        choice, found = dict(point.choice), mean.by_measure
        difference = _NO_VALUE if mean.difference is None else _percent(mean.difference, "+")
        iterations, seconds = found["iterations"].mean, found["seconds"].mean
        table.add_row(
            *(choice.get(key, _NO_VALUE) for key in keys),
            str(mean.num_seeds),
            _percent(found["real"]),
            difference,
            *(_percent(found[name]) for name in ("own", "oop", "ip")),
            _NO_VALUE if math.isnan(iterations) else f"{iterations:.0f}",
            _NO_VALUE if math.isnan(seconds) else format_seconds(seconds),
        )
    return table


def _percent(estimate: "Estimate", sign: str = "") -> str:
    if math.isnan(estimate.mean):
        return _NO_VALUE
    error = "" if math.isnan(estimate.error) else f" ± {100 * estimate.error:.3f}"
    return f"{100 * estimate.mean:{sign}.3f}{error}"


def _row_cells(points: Sequence["SweepPoint"], row: "SweepRow") -> Json:
    task = row.task
    choice = points[task.point].label
    return {"choice": choice, "seed": task.seed, "flop": task.flop, "spr": task.spr, **row.values}


def _mean_cells(point: "SweepPoint", mean: "SweepMean") -> Json:
    cells: dict[str, Any] = {
        "choice": point.label,
        "seeds": mean.num_seeds,
        "solves": mean.num_solves,
    }
    for name, estimate in (*mean.by_measure.items(), ("difference", mean.difference)):
        cells[name] = None if estimate is None else json_number(estimate.mean)
        cells[f"{name}_error"] = None if estimate is None else json_number(estimate.error)
    return cells


def _mean_to_json(point: "SweepPoint", mean: "SweepMean") -> Json:
    return {"keys": dict(point.choice), **_mean_cells(point, mean)}


def _write_csv(path: Path, rows: Sequence[Json]) -> None:
    with replacing_file(path) as part, part.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
