"""A result as a whole: the course of a solve, values of flops, and what a directory holds."""

from dataclasses import asdict
from functools import partial
from pathlib import Path

import numpy as np
from rich.text import Text

from runout.cards.deck import format_cards
from runout.cli import formatting, node_tables
from runout.cli.console import Answer, Shown
from runout.cli.formatting import Json, bold, dim, format_count_of, format_percent, format_seconds
from runout.cli.targets import count_checkpoints
from runout.errors import BundleError, OptionError
from runout.solutions import preflop, tables
from runout.solutions.flop_bundles import FLOPS_KIND, SPOT_KIND
from runout.solutions.node import Curve
from runout.solutions.preflop import PreflopSolution
from runout.solutions.reports import REPORT_KIND
from runout.solutions.run import ABSTRACTION_KIND, find_result
from runout.solutions.sheet import Column, Sheet, json_number
from runout.solutions.values import VALUES_KIND, PostflopValues, ValueBundle, ValueSource
from runout.storage.bundle import Manifest, has_bundle, load_bundle, read_manifest
from runout.storage.ledger import Ledger
from runout.trees.betting import BB, SB

ABSTRACTION_SCHEMA_VERSION = 1

#: Titles of bundles, by their kind.
_TITLES = {
    VALUES_KIND: "values of flops",
    preflop.PREFLOP_KIND: "a preflop solution",
    FLOPS_KIND: "the flops of a run",
    ABSTRACTION_KIND: "buckets of hands",
    SPOT_KIND: "a solved spot",
    REPORT_KIND: "a report over flops",
}
_MANIFEST_KEYS = {
    *("kind", "schema_version", "package_version", "machine", "seed", "config_digest"),
    *("command", "content_digest"),
}


# The course of a preflop solve.


def report_parts(view: PreflopSolution) -> list[Shown]:
    """Returns the course of a preflop solve; the value and the exploitability come last."""
    report = view.report
    parts: list[Shown] = []
    if len(report.curve_mbb) > 1:
        parts += [bold("Exploitability by iteration"), curve_sheet(report.curve_mbb), ""]
    if report.flop_leaves:
        parts += [*_leaf_parts(view), ""]
    values = [view.game_value_bb(player) for player in (SB, BB)]
    sb, bb = map(formatting.format_signed, values)
    value = f"game value {sb} bb/hand for SB, {bb} bb/hand for BB"
    return [*parts, value, *node_tables.quality_lines(view.quality)]


def _leaf_parts(view: PreflopSolution) -> list[Shown]:
    """Returns the flops that are seen, and the source of their values."""
    leaves = view.report.flop_leaves
    sources = [leaf.source for leaf in leaves.values()]
    if set(sources) == {ValueSource.RAW_EQUITY}:
        flops = "1 flop is" if len(leaves) == 1 else f"all {len(leaves)} flops are"
        checked_down = f"{flops} checked down: raw equity, no bets after the flop"
        return [Text(checked_down, style=tables.GUESSED_STYLE)]
    parts: list[Shown] = [bold("Flops and the source of their values"), tables.leaves_sheet(view)]
    if num_guessed := sources.count(ValueSource.EXTRAPOLATED):
        were = "flop was" if num_guessed == 1 else "flops were"
        advice = "add the SPR to postflop_sprs, or write auto"
        text = f"! {num_guessed} {were} extrapolated: {advice}"
        parts.append(Text(text, style=tables.GUESSED_STYLE))
    return parts


def curve_sheet(points: Curve) -> Sheet:
    """Returns the last point of a curve, and earlier ones with half of the iterations each."""
    chosen = [points[-1]]
    for point in reversed(points):
        if 2 * point[0] <= chosen[-1][0]:
            chosen.append(point)
    shown = Column("iterations", form="{:,}".format), Column("mbb/hand", form=formatting.format_mbb)
    return Sheet(shown, list(reversed(chosen)))


# Values of flops.


def open_values(path: Path) -> ValueBundle:
    """Opens the values of a run's directory, or of the bundle itself."""
    where = preflop.find_bundle(path, preflop.VALUES_FOLDER)
    if not has_bundle(where) or read_manifest(where).kind != VALUES_KIND:
        raise BundleError(str(path), "holds no values of flops")
    return ValueBundle.load(where)


def describe_values(path: Path, with_flops: bool) -> Answer:
    """Returns how flops were solved, and how to see more of them."""
    bundle = ValueBundle.load(path)
    document, _ = _describe_manifest(path, read_manifest(path))
    contents, parts = _describe_contents(bundle, with_flops)
    spr, flop = bundle.values[0].spr, bundle.flops.names[0]
    more = f'hand against hand, in Python:\nrunout.open("{path}").at_spr({spr:.4g}).average(0)'
    kept = f"\nrunout show {path} --flop {flop}" if bundle.solutions else ""
    return {**document, **contents}, [*parts, dim(more + kept)]


def _describe_contents(bundle: ValueBundle, with_flops: bool) -> Answer:
    sprs = solves_sheet(bundle).records()
    parts: list[Shown] = [*solve_parts(bundle), ""]
    for summary, values in zip(sprs, bundle.values if with_flops else (), strict=False):
        sheet, num_flops = _flops_sheet(values), format_count_of(len(values.flops), "flop")
        summary["flops"] = sheet.records()
        parts += [bold(f"{num_flops} at SPR {values.spr:.4g}"), sheet, ""]
    has_ranges = bundle.values[0].ranges is not None
    held = "only a part of the hands" if has_ranges else "all hands"
    parts.append(f"{bundle.title}; both players held {held}")
    return {"num_flops": len(bundle.flops), "has_ranges": has_ranges, "sprs": sprs}, parts


def _flops_sheet(values: PostflopValues) -> Sheet:
    """Returns how the solve of each flop went; the delta is NaN where none was measured."""
    has_deals, meaning = any(r.num_deals for r in values.reports), values.reports[0].meaning
    share = partial(formatting.format_bound, is_upper_bound=meaning.is_upper_bound, decimals=3)
    shown = (
        Column("flop"),
        Column(None, "flop"),
        Column("weight", "weight_fraction", partial(format_percent, decimals=3)),
        Column("iterations", "iterations", "{:,}".format),
        Column("exploitability", "exploitability_pot", share),
        Column(None, "strategy_delta"),
        Column("solving", "seconds", format_seconds),
        Column("deals sampled" if has_deals else None, "num_deals", "{:.3g}".format),
        Column(None, "meaning"),
    )
    sheet = Sheet(shown, to_plain=json_number)
    flops = values.flops
    for name, flop, weight, report in zip(
        flops.names, flops.flops, flops.weights.tolist(), values.reports, strict=True
    ):
        facts = asdict(report)
        sheet.add(name, format_cards(flop), weight, *map(facts.get, sheet.keys[2:]))
    return sheet


def solves_sheet(bundle: ValueBundle) -> Sheet:
    """Returns how the solves at each stack-to-pot ratio went."""
    meaning = bundle.values[0].reports[0].meaning
    share = partial(formatting.format_bound, is_upper_bound=meaning.is_upper_bound, decimals=3)
    has_deals = any(report.num_deals for values in bundle.values for report in values.reports)
    sheet = Sheet(
        (
            Column("SPR", "spr", "{:.4g}".format),
            Column("exploitability, mean", "mean_exploitability_pot", share),
            Column("worst", "worst_exploitability_pot", share),
            Column(None, "exploitability_meaning"),
            Column("iterations, mean", "mean_iterations", "{:,.0f}".format),
            Column("solving", "solve_seconds", format_seconds),
            Column("deals" if has_deals else None, "num_deals", "{:.3g}".format),
        ),
        to_plain=json_number,
    )
    for values in bundle.values:
        reports = values.reports
        exploitability = [report.exploitability_pot for report in reports]
        sheet.add(
            values.spr,
            sum(exploitability) / len(reports),
            max(exploitability),
            reports[0].meaning,
            sum(report.iterations for report in reports) / len(reports),
            sum(report.seconds for report in reports),
            sum(report.num_deals for report in reports),
        )
    return sheet


def solve_parts(bundle: ValueBundle) -> list[Shown]:
    """Returns a line for each stack-to-pot ratio, and what the numbers are."""
    units = "exploitability in % of the flop pot; solving: all flops added up"
    meaning = bundle.values[0].reports[0].meaning
    return [solves_sheet(bundle), dim(f"{units}\n{meaning.explanation}")]


# What a directory holds.


def check_bundles(path: Path, with_flops: bool) -> Answer:
    """Returns what bundles a result has and where they come from; all files are verified."""
    places = [path]
    if path.is_dir() and not has_bundle(path):
        places = [one for one in sorted(path.iterdir()) if one.is_dir() and has_bundle(one)]
    num_finished = count_checkpoints(path / preflop.CHECKPOINT_FOLDER)
    if not num_finished and path / preflop.VALUES_FOLDER not in places:
        find_result(path)  # says what is there instead
    if with_flops and VALUES_KIND not in (read_manifest(place).kind for place in places):
        raise OptionError("--flops", f"{path} holds no values of flops")
    documents: list[Json] = []
    parts: list[Shown] = []
    for place in places:
        manifest = read_manifest(place)
        document, facts = _describe_manifest(place, manifest)
        contents: Json = {}
        if manifest.kind == VALUES_KIND:
            contents, of_values = _describe_contents(ValueBundle.load(place), with_flops)
            facts += ["", *of_values]
        elif manifest.kind == preflop.PREFLOP_KIND:
            contents = preflop.load_solution(place).summary_to_json()
        else:
            is_buckets = manifest.kind == ABSTRACTION_KIND
            version = ABSTRACTION_SCHEMA_VERSION if is_buckets else manifest.schema_version
            load_bundle(place, manifest.kind, version)
        documents.append({**document, **contents})
        parts += ["", *facts]
    if num_finished:
        kept = format_count_of(num_finished, "finished flop")
        parts += ["", f"{path} is unfinished, {kept} kept; rerun its command to resume"]
    document = {"path": str(path), "num_finished_flops": num_finished, "bundles": documents}
    if (folder := path / preflop.LEDGER_FOLDER).is_dir():  # of a report or a sweep
        damaged: list[str] = []
        whole = list(Ledger(folder, on_damage=lambda e: damaged.append(e.problem)).entries())
        document["ledger"] = {"num_finished": len(whole), "damaged": damaged}
        parts += ["", f"{folder}: {format_count_of(len(whole), 'finished part')}"]
        parts += [f"{len(damaged)} damaged, to be computed again: {damaged[0]}"] if damaged else []
    return document, parts[1:]


def _describe_manifest(path: Path, manifest: Manifest) -> Answer:
    """Returns where a bundle comes from and what it holds."""
    shape = Column("shape", form=str), Column(None, "shape")
    size = Column("size", "size_bytes", formatting.format_bytes)
    arrays = Sheet((Column("array"), Column("type", "dtype", str), *shape, size))
    for name, entry in manifest.arrays.items():
        # float32 for <f4; a list of named fields stays as it is.
        dtype = entry.dtype if entry.dtype.startswith("[") else np.dtype(entry.dtype).name
        lengths = " x ".join(f"{length:,}" for length in entry.shape)
        arrays.add(name, dtype, lengths, list(entry.shape), entry.size_bytes)
    facts = manifest.model_dump(include=_MANIFEST_KEYS)
    facts["created_at"] = manifest.created_at.isoformat()
    document = {
        "path": str(path),
        **facts,
        "size_bytes": manifest.size_bytes,
        "arrays": dict(zip(manifest.arrays, arrays.records(), strict=True)),
    }
    facts |= facts.pop("machine") or {}
    shown = {name.replace("_", " "): str(fact) for name, fact in facts.items() if fact is not None}
    shown["size"] = f"{formatting.format_bytes(manifest.size_bytes)}, all files verified"
    known = Sheet((Column(), Column(wraps=True)), list(shown.items()), gap=1)
    title = _TITLES.get(manifest.kind, "written by a newer version of runout")
    return document, [bold(f"{path}: {title}"), known, "", arrays]
