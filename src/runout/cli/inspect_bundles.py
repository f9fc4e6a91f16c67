"""`runout inspect`: what a bundle is, or everything in the directory of a run."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from runout.cards.card import format_cards
from runout.cli.console import output, print_json
from runout.cli.formatting import (
    Json,
    format_bytes,
    format_count_of,
    format_exploitability,
    format_percent,
    format_seconds,
    json_number,
)
from runout.cli.options import JsonFlag, OptionError, read_path
from runout.cli.preflop_report import print_report, report_to_json
from runout.cli.solve_postflop import (
    checkpoint_directory,
    describe_flops,
    solve_table,
    summarize,
)
from runout.cli.solve_spot import SPOT_KIND
from runout.cli.targets import count_checkpoints, describe_parts
from runout.results import preflop_bundle, value_bundle
from runout.results.postflop_values import PostflopValues
from runout.results.run_folders import CHECKPOINT_FOLDER
from runout.results.value_bundle import ValueBundle
from runout.storage.bundle import load_bundle, read_manifest
from runout.storage.files import reporting_os_errors
from runout.storage.manifest import MANIFEST_FILE, Manifest
from runout.views import report_bundle
from runout.views.preflop_view import PreflopView

#: What buckets are saved as, as in `runout.abstraction.card_abstraction`, which imports numba.
ABSTRACTION_KIND = "card_abstraction"
ABSTRACTION_SCHEMA_VERSION = 1

_TITLE_BY_KIND = {
    value_bundle.KIND: "values of flops",
    preflop_bundle.KIND: "a preflop solution",
    ABSTRACTION_KIND: "buckets of hands",
    SPOT_KIND: "a spot with real cards",
    report_bundle.KIND: "a report over flops",
}
_NUM_DIGEST_DIGITS = 16


@dataclass(frozen=True, eq=False)
class InspectedBundle:
    """A bundle whose files are all as they were written.

    Attributes:
        path: its directory.
        manifest: where it comes from and what is in it.
        contents: what it holds, None if only the manifest is understood here.
    """

    path: Path
    manifest: Manifest
    contents: ValueBundle | PreflopView | None


def inspect_bundles(
    path: Annotated[
        Path,
        typer.Argument(
            metavar="DIR", parser=read_path, help="A bundle, or the directory of a run."
        ),
    ],
    flops: Annotated[
        bool, typer.Option("--flops", help="Also list the solved flops and how each went.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Show what a bundle is, where it comes from and how well it is solved; all files are checked.

    In the directory of a run, all of its bundles are shown.
    """
    bundles = [open_any_bundle(place) for place in _find_bundles(path)]
    num_finished = count_checkpoints(path / CHECKPOINT_FOLDER)
    if flops and not any(isinstance(bundle.contents, ValueBundle) for bundle in bundles):
        raise OptionError("--flops", f"{path} holds no values of flops")
    if json:
        documents = [_to_json(bundle, flops) for bundle in bundles]
        print_json({"path": str(path), "num_finished_flops": num_finished, "bundles": documents})
        return
    console = output()
    for number, bundle in enumerate(bundles):
        _print_bundle(console, bundle, flops)
        if number + 1 < len(bundles) or num_finished:
            console.print()
    if num_finished:
        kept = f"{path / CHECKPOINT_FOLDER} keeps {describe_parts(num_finished)}"
        console.print(f"{kept} of an interrupted run", soft_wrap=True, markup=False)


def open_any_bundle(path: Path) -> InspectedBundle:
    """Opens a bundle of whichever kind and checks all its files.

    Raises:
        BundleError: if it is missing, damaged, or of a version that cannot be read.
    """
    manifest = read_manifest(path)
    contents: ValueBundle | PreflopView | None = None
    if manifest.kind == value_bundle.KIND:
        contents = ValueBundle.load(path)
    elif manifest.kind == preflop_bundle.KIND:
        contents = PreflopView(preflop_bundle.load_solution(path))
    elif manifest.kind == ABSTRACTION_KIND:
        load_bundle(path, ABSTRACTION_KIND, ABSTRACTION_SCHEMA_VERSION)
    else:
        load_bundle(path, manifest.kind, manifest.schema_version)
    return InspectedBundle(path, manifest, contents)


def _find_bundles(path: Path) -> list[Path]:
    """Returns the bundle itself, or the bundles in the directory of a run.

    Raises:
        RunoutError: if there are neither bundles nor finished flops.
    """
    if (path / MANIFEST_FILE).exists() or not path.is_dir():
        beside = checkpoint_directory(path)
        num_finished = count_checkpoints(beside)
        if num_finished and not path.exists():
            kept = f"{beside} keeps {describe_parts(num_finished)}"
            raise OptionError(str(path), f"is not written yet, {kept} of an interrupted run")
        return [path]
    with reporting_os_errors(path, "read"):
        folders = sorted(
            folder
            for folder in path.iterdir()
            if not folder.name.startswith(".") and (folder / MANIFEST_FILE).exists()
        )
    if not folders and not count_checkpoints(path / CHECKPOINT_FOLDER):
        raise OptionError(str(path), "is no bundle, and no directory of a run that holds some")
    return folders


def _print_bundle(console: Console, bundle: InspectedBundle, with_flops: bool) -> None:
    manifest, contents = bundle.manifest, bundle.contents
    title = _TITLE_BY_KIND.get(manifest.kind, "a bundle of a kind unknown to this version")
    console.print(f"{bundle.path}: {title}", style="bold", soft_wrap=True, markup=False)
    digest = manifest.config_digest
    rows = {
        "kind": f"{manifest.kind}, version {manifest.schema_version}",
        "written": f"{manifest.created_at:%Y-%m-%d %H:%M} UTC by runout {manifest.package_version}",
        **_describe_machine(manifest),
        "seed": "none" if manifest.seed is None else str(manifest.seed),
        "config digest": "no config" if digest is None else digest[:_NUM_DIGEST_DIGITS],
        "size": f"{format_bytes(manifest.size_bytes)}, all files as they were written",
    }
    facts = Table.grid(padding=(0, 3, 0, 0))
    for name, text in rows.items():
        facts.add_row(name, text)
    console.print(facts)
    console.print()
    console.print(_table_of_arrays(manifest))
    console.print()
    if isinstance(contents, ValueBundle):
        _print_values(console, contents, with_flops)
        if contents.solutions:
            command = f"runout spot show {bundle.path} --flop {contents.values[0].flops.names[0]}"
            console.print(f"{command} shows strategies", style="dim", soft_wrap=True, markup=False)
    elif contents is not None:
        print_report(console, contents)
        command = f"runout show {bundle.path}"
        console.print(f"{command} shows its decisions", style="dim", soft_wrap=True, markup=False)
    elif manifest.kind == ABSTRACTION_KIND:
        command = f"runout abstraction inspect {bundle.path}"
        console.print(f"{command} shows the buckets", style="dim", soft_wrap=True, markup=False)
    elif manifest.kind == SPOT_KIND:
        command = f"runout spot show {bundle.path}"
        console.print(f"{command} shows its nodes", style="dim", soft_wrap=True, markup=False)
    elif manifest.kind == report_bundle.KIND:
        command = f"runout report {bundle.path}"
        console.print(f"{command} shows its flops", style="dim", soft_wrap=True, markup=False)


def _table_of_arrays(manifest: Manifest) -> Table:
    table = _table("array", right=("type", "shape", "size"))
    for name, entry in manifest.arrays.items():
        shape = " x ".join(f"{length:,}" for length in entry.shape)
        table.add_row(name, _dtype_name(entry.dtype), shape, format_bytes(entry.size_bytes))
    return table


def _dtype_name(text: str) -> str:
    """Returns ``float32`` for ``<f4``; a list of named fields stays as it is."""
    return text if text.startswith("[") else np.dtype(text).name


def _print_values(console: Console, bundle: ValueBundle, with_flops: bool) -> None:
    console.print(solve_table(bundle))
    console.print()
    if with_flops:
        for values in bundle.values:
            num_flops = format_count_of(len(values.flops), "flop")
            console.print(f"{num_flops} at SPR {values.spr:.4g}", style="bold")
            console.print(_table_of_flops(values))
            console.print()
    console.print(describe_flops(bundle), soft_wrap=True)
    summaries = [summarize(values) for values in bundle.values]
    seconds = sum(summary["solve_seconds"] for summary in summaries)
    num_deals = sum(summary["num_deals"] for summary in summaries)
    deals = f"{num_deals:.3g} deals sampled" if num_deals else "no deals sampled"
    held = "all hands" if bundle.values[0].ranges is None else "only a part of the hands"
    solving = f"solving {format_seconds(seconds)}, flops added up"
    console.print(f"{solving}; {deals}, both players held {held}")


def _table_of_flops(values: PostflopValues) -> Table:
    has_deals = any(report.num_deals for report in values.reports)
    columns = ("weight", "iterations", "exploitability", "solving")
    table = _table("flop", right=(*columns, *(["deals sampled"] if has_deals else [])))
    rows = zip(values.flops.names, values.flops.weights, values.reports, strict=True)
    for name, weight, report in rows:
        table.add_row(
            name,
            format_percent(weight, 3),
            f"{report.iterations:,}",
            format_exploitability(report.exploitability_pot, report.meaning, 3),
            format_seconds(report.seconds),
            *([f"{report.num_deals:.3g}"] if has_deals else []),
        )
    return table


def _describe_machine(manifest: Manifest) -> dict[str, str]:
    """Returns on what a bundle was computed, as rows; none if that was not noted yet."""
    machine = manifest.machine
    if machine is None:
        return {}
    versions = f"numpy {machine.numpy_version}, numba {machine.numba_version}"
    return {"processor": machine.processor, "libraries": f"{machine.blas}, {versions}"}


def _table(left: str, right: tuple[str, ...]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    table.add_column(left, no_wrap=True)
    for heading in right:
        table.add_column(heading, justify="right", no_wrap=True)
    return table


def _to_json(bundle: InspectedBundle, with_flops: bool) -> Json:
    manifest, contents = bundle.manifest, bundle.contents
    document: dict[str, Any] = {
        "path": str(bundle.path),
        "kind": manifest.kind,
        "schema_version": manifest.schema_version,
        "package_version": manifest.package_version,
        "created_at": manifest.created_at.isoformat(),
        "machine": None if manifest.machine is None else manifest.machine.model_dump(),
        "seed": manifest.seed,
        "config_digest": manifest.config_digest,
        "size_bytes": manifest.size_bytes,
        "arrays": {
            name: {
                "dtype": _dtype_name(entry.dtype),
                "shape": list(entry.shape),
                "size_bytes": entry.size_bytes,
            }
            for name, entry in manifest.arrays.items()
        },
    }
    if isinstance(contents, PreflopView):
        return {**document, **report_to_json(contents.solution)}
    if isinstance(contents, ValueBundle):
        document["num_flops"] = len(contents.values[0].flops)
        document["has_ranges"] = contents.values[0].ranges is not None
        document["sprs"] = [
            {**summarize(values), **({"flops": _flops_to_json(values)} if with_flops else {})}
            for values in contents.values
        ]
    return document


def _flops_to_json(values: PostflopValues) -> list[Json]:
    rows = zip(values.flops.flops, values.flops.weights, values.reports, strict=True)
    return [
        {
            "flop": format_cards(flop),
            "weight_fraction": float(weight),
            **asdict(report),
            "strategy_delta": json_number(report.strategy_delta),  # `exact` compares none
        }
        for flop, weight, report in rows
    ]
