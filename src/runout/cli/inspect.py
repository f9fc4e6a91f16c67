"""What a directory holds: `show --check`, and how flops were solved."""

from dataclasses import asdict
from functools import partial
from pathlib import Path

import numpy as np

from runout.cards.deck import format_cards
from runout.cli import formatting
from runout.cli.console import Shown, show
from runout.cli.formatting import Json, bold, dim, format_bytes, format_count_of, format_percent
from runout.cli.targets import count_checkpoints
from runout.errors import BundleError, OptionError
from runout.solutions import preflop
from runout.solutions.flop_bundles import FLOPS_KIND, SPOT_KIND
from runout.solutions.reports import REPORT_KIND
from runout.solutions.run import find_result
from runout.solutions.sheet import Column, Sheet, columns, json_number
from runout.solutions.values import VALUES_KIND, PostflopValues, ValueBundle
from runout.storage.bundle import Manifest, has_bundle, load_bundle, read_manifest

#: What buckets are saved as, as in `runout.abstraction.card_abstraction`, which imports numba.
ABSTRACTION_KIND = "card_abstraction"
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
_NUM_DIGEST_DIGITS = 16
_MANIFEST_KEYS = {
    *("kind", "schema_version", "package_version", "machine", "seed", "config_digest"),
    *("command", "content_digest"),
}


def check_bundles(path: Path, with_flops: bool, json: bool) -> None:
    """Shows what bundles a result has and where they come from; all files are verified."""
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
            contents, of_values = _describe_values(ValueBundle.load(place), with_flops)
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
    show(json, document, *parts[1:])


def _describe_manifest(path: Path, manifest: Manifest) -> tuple[Json, list[Shown]]:
    """Returns where a bundle comes from and what it holds, as a document and for people."""
    facts = {
        "format": f"{manifest.kind}, version {manifest.schema_version}",
        "written": f"{manifest.created_at:%Y-%m-%d %H:%M} UTC by runout {manifest.package_version}",
        "command": manifest.command,
    }
    if (machine := manifest.machine) is not None:  # not noted in old bundles
        versions = f"numpy {machine.numpy_version}, numba {machine.numba_version}"
        facts |= {"processor": machine.processor, "libraries": versions}
        if machine.python_version is not None:
            workers = "" if machine.num_workers is None else f", {machine.num_workers} in use"
            versions = f"Python {machine.python_version}, {machine.num_cores} cores{workers}"
            facts["system"] = f"{machine.system}, {versions}"
    facts["seed"] = "none" if manifest.seed is None else str(manifest.seed)
    digests = {"config digest": manifest.config_digest, "content digest": manifest.content_digest}
    facts |= {name: (digest or "none")[:_NUM_DIGEST_DIGITS] for name, digest in digests.items()}
    facts["size"] = f"{format_bytes(manifest.size_bytes)}, all files verified"
    known = Sheet(columns("", ""), [fact for fact in facts.items() if fact[1] is not None])
    shape = Column("shape", form=str), Column(None, "shape")
    size = Column("size", "size_bytes", format_bytes)
    arrays = Sheet((Column("array"), Column("type", "dtype", str), *shape, size))
    for name, entry in manifest.arrays.items():
        # float32 for <f4; a list of named fields stays as it is.
        dtype = entry.dtype if entry.dtype.startswith("[") else np.dtype(entry.dtype).name
        lengths = " x ".join(f"{length:,}" for length in entry.shape)
        arrays.add(name, dtype, lengths, list(entry.shape), entry.size_bytes)
    document = {
        "path": str(path),
        **manifest.model_dump(include=_MANIFEST_KEYS),
        "created_at": manifest.created_at.isoformat(),
        "size_bytes": manifest.size_bytes,
        "arrays": dict(zip(manifest.arrays, arrays.records(), strict=True)),
    }
    title = _TITLES.get(manifest.kind, "written by a newer version of runout")
    return document, [bold(f"{path}: {title}"), known, "", arrays]


# Values of flops.


def show_values(path: Path, with_flops: bool, json: bool) -> None:
    """Shows how flops were solved, and how to see more of them."""
    bundle = ValueBundle.load(path)
    document, _ = _describe_manifest(path, read_manifest(path))
    contents, parts = _describe_values(bundle, with_flops)
    spr, flop = bundle.values[0].spr, bundle.flops.names[0]
    more = [f'hand against hand, in Python: runout.open("{path}").at_spr({spr:.4g}).average(0)']
    more += [f"runout show {path} --flop {flop}"] if bundle.solutions else []
    show(json, {**document, **contents}, *parts, dim("\n".join(more)))


def _describe_values(bundle: ValueBundle, with_flops: bool) -> tuple[Json, list[Shown]]:
    """Returns how flops were solved, as a document and for people."""
    from runout.cli.solve import describe_flops, solve_parts, solves_sheet

    sprs = solves_sheet(bundle).records()
    parts: list[Shown] = [*solve_parts(bundle), ""]
    for summary, values in zip(sprs, bundle.values if with_flops else (), strict=False):
        sheet, num_flops = _flops_sheet(values), format_count_of(len(values.flops), "flop")
        summary["flops"] = sheet.records()
        parts += [bold(f"{num_flops} at SPR {values.spr:.4g}"), sheet, ""]
    reports = [report for values in bundle.values for report in values.reports]
    seconds, num_deals = sum(r.seconds for r in reports), sum(r.num_deals for r in reports)
    deals = f"{num_deals:.3g} deals sampled" if num_deals else "no deals sampled"
    has_ranges = bundle.values[0].ranges is not None
    held = "only a part of the hands" if has_ranges else "all hands"
    solving = f"solving {formatting.format_seconds(seconds)}, flops added up"
    parts += [describe_flops(bundle), f"{solving}; {deals}, both players held {held}"]
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
        Column("solving", "seconds", formatting.format_seconds),
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


def open_values(path: Path) -> ValueBundle:
    """Opens the values of a run's directory, or of the bundle itself."""
    where = preflop.find_bundle(path, preflop.VALUES_FOLDER)
    if not has_bundle(where) or read_manifest(where).kind != VALUES_KIND:
        raise BundleError(str(path), "holds no values of flops")
    return ValueBundle.load(where)
