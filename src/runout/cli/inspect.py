"""What a directory holds: `show --check`, and values of hands on solved flops."""

from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from runout.arrays import FloatArray, divide
from runout.cards.deck import HAND_NAMES, format_cards, matchup_weights, parse_canonical_hand
from runout.cards.flops import GivenFlop
from runout.cli import formatting
from runout.cli.console import Shown, show
from runout.cli.formatting import Json, bold, dim, format_bytes, format_count_of, format_percent
from runout.cli.grids import value_grid
from runout.cli.targets import count_checkpoints
from runout.equity.preflop import preflop_table
from runout.errors import BundleError, CardError, OptionError
from runout.solutions import preflop
from runout.solutions.flop_bundles import FLOPS_KIND, SPOT_KIND
from runout.solutions.reports import REPORT_KIND
from runout.solutions.run import find_result
from runout.solutions.sheet import Column, Sheet, columns, json_number
from runout.solutions.values import VALUES_KIND, PostflopValues, ValueBundle
from runout.storage.bundle import Manifest, has_bundle, load_bundle, read_manifest
from runout.trees.tree import POSITION_NAMES

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
        facts |= {"processor": machine.processor, "libraries": f"{machine.blas}, {versions}"}
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
    more = [f"runout show {path} --values AA --versus KK"]
    more += [f"runout show {path} --flop {bundle.flops.names[0]}"] if bundle.solutions else []
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


#: The share of the pot that each player owns before the first bet.
SUNK_SHARE = 0.5

_MEANING = "value: won back minus put in after the flop, in flop pots; v = value - 1/2"

#: By stack-to-pot ratio and position, ``[169]`` values against each hand.
_Values = Mapping[float, Mapping[str, FloatArray]]


def show_hand_values(
    path: Path,
    hero: str,
    villain: str | None,
    flop: str | None,
    spr: float | None,
    player: str | None,
    json: bool,
) -> None:
    """Shows the value of a hand on a flop, or on average, against one hand or each.

    A value is won back minus put in after the flop, in flop pots; v = value - 1/2.
    """
    hand = parse_canonical_hand(hero)
    opponent = None if villain is None else parse_canonical_hand(villain)
    given, bundle = None if flop is None else GivenFlop.parse(flop), open_values(path)
    is_one = spr is not None or opponent is None
    solved = [bundle.at_spr(spr)] if is_one else sorted(bundle.values, key=lambda v: v.spr)
    numbers = range(len(bundle.flops)) if given is None else [solved[0].find_flop(given)]
    flops = bundle.flops
    # [169] ways to deal both hands, flops counted by their weights.
    dealt = [flops.weights[n] * matchup_weights(flops.flops[n])[hand] for n in numbers]
    ways = np.sum(dealt, axis=0)
    name, other = HAND_NAMES[hand], None if opponent is None else HAND_NAMES[opponent]
    if not (ways.any() if opponent is None else ways[opponent]):
        place = "any solved flop" if given is None else given.name
        if other is None:
            raise CardError(name, f"cannot be dealt on {place}")
        raise CardError(f"{name} against {other}", f"cannot both be dealt on {place}")
    asked = [one for one in POSITION_NAMES if one.lower() == player] or POSITION_NAMES
    by_spr: _Values = {
        values.spr: {
            position: values.average(place)[hand]
            if given is None
            else values.value_pot[numbers[0], place, hand]
            for place, position in enumerate(POSITION_NAMES)
            if position in asked
        }
        for values in solved
    }
    mean = f"on average over {format_count_of(len(numbers), 'flop')}"
    where = mean if given is None else f"on {given.name}"
    if opponent is None:
        parts = _value_grids(name, where, by_spr, ways)
    else:
        equity = format_percent(preflop_table().equity(hand, opponent))
        more = f"all-in equity before the flop {equity}"
        if given is not None:
            more = f"all-in equities: runout flop-equity {given.name} --versus {other}"
        sheet = _pair_sheet(name, opponent, by_spr)
        parts = [bold(f"{name} against {other} {where}\n"), sheet, dim(_MEANING), more]
    show(json, _hand_values_to_json(hand, opponent, given, len(numbers), by_spr), *parts)


def _hand_values_to_json(
    hero: int, villain: int | None, flop: GivenFlop | None, num_flops: int, by_spr: _Values
) -> Json:
    def told(by_hand: FloatArray) -> Any:
        return formatting.json_numbers(by_hand) if villain is None else float(by_hand[villain])

    return {
        "hero": HAND_NAMES[hero],
        "villain": None if villain is None else HAND_NAMES[villain],
        "flop": None if flop is None else format_cards(flop.canonical),
        "num_flops": num_flops,
        "preflop_equity_fraction": told(preflop_table().equities()[hero]),
        **({"hands": list(HAND_NAMES)} if villain is None else {}),
        "sprs": [
            {"spr": spr}
            | {
                position.lower(): {"value_pot": told(value), "v_pot": told(value - SUNK_SHARE)}
                for position, value in by_position.items()
            }
            for spr, by_position in by_spr.items()
        ],
    }


def _value_grids(hero: str, where: str, by_spr: _Values, ways: FloatArray) -> list[Shown]:
    """Returns a grid of values for each position, with the mean over ``ways[169]`` to be dealt."""
    parts: list[Shown] = []
    ((spr, by_position),) = by_spr.items()
    for position, value_pot in by_position.items():
        mean = divide((np.nan_to_num(value_pot) * ways).sum(), ways.sum())
        random = f"{format_percent(float(mean), 1)} against a random hand"
        title = f"{hero} {position} against each hand {where}, SPR {spr:.4g}"
        parts += [bold(("\n" if parts else "") + title)]
        parts += [f"value in % of the flop pot, {random}\n", value_grid(value_pot)]
    return parts


def _pair_sheet(hero: str, villain: int, by_spr: _Values) -> Sheet:
    numbers = Column("value", form="{:.3f}".format), Column("v", form=formatting.format_signed)
    sheet = Sheet((*columns(">SPR", hero), *numbers))
    for spr, by_position in by_spr.items():
        for number, (position, value_pot) in enumerate(by_position.items()):
            value = float(value_pot[villain])
            sheet.add("" if number else f"{spr:.4g}", position, value, value - SUNK_SHARE)
    return sheet
