"""`runout inspect` and `runout values`: what a bundle is, and what a hand gets on the flop."""

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np

from runout.arrays import FloatArray, divide
from runout.cards.deck import (
    HAND_NAMES,
    card_rank,
    card_suit,
    format_cards,
    matchup_weights,
    parse_canonical_hand,
)
from runout.cards.flops import Flop, GivenFlop
from runout.cli.console import Shown, print_json, print_parts, show
from runout.cli.formatting import (
    Json,
    bold,
    dim,
    format_bytes,
    format_count_of,
    format_exploitability,
    format_percent,
    format_seconds,
    format_signed,
    json_number,
    json_numbers,
)
from runout.cli.grids import value_grid
from runout.cli.options import JsonFlag, argument, flag, option
from runout.cli.show import report_parts, report_to_json
from runout.cli.solve import describe_flops, solve_table, solves_sheet
from runout.cli.targets import checkpoints_beside, count_checkpoints
from runout.equity.preflop import preflop_table
from runout.errors import CardError, OptionError
from runout.solutions.flop_bundles import SPOT_KIND
from runout.solutions.preflop import (
    CHECKPOINT_FOLDER,
    PREFLOP_KIND,
    SOLUTION_FOLDER,
    VALUES_FOLDER,
    PreflopView,
    find_bundle,
    load_solution,
)
from runout.solutions.report_files import REPORT_KIND
from runout.solutions.sheet import Column, Sheet, columns
from runout.solutions.values import VALUES_KIND, PostflopValues, ValueBundle
from runout.storage.bundle import MANIFEST_FILE, Manifest, load_bundle, read_manifest
from runout.storage.files import reporting_os_errors
from runout.trees.tree import POSITION_NAMES

#: What buckets are saved as, as in `runout.abstraction.card_abstraction`, which imports numba.
ABSTRACTION_KIND = "card_abstraction"
ABSTRACTION_SCHEMA_VERSION = 1

#: What each kind of bundle is, and the command that shows more of it.
_KINDS = {
    VALUES_KIND: ("values of flops", ""),
    PREFLOP_KIND: ("a preflop solution", "show DIR shows its decisions"),
    ABSTRACTION_KIND: ("buckets of hands", "abstraction inspect DIR shows the buckets"),
    SPOT_KIND: ("a spot with real cards", "spot show DIR shows its nodes"),
    REPORT_KIND: ("a report over flops", "report DIR shows its flops"),
}
_NUM_DIGEST_DIGITS = 16
_SHAPE_COLUMNS = (Column("shape", form=str), Column(None, "shape"))
_MANIFEST_KEYS = {"kind", "schema_version", "package_version", "machine", "seed", "config_digest"}


class _Bundle(NamedTuple):
    """A bundle whose files are all as they were written; no contents if they are not read here."""

    path: Path
    manifest: Manifest
    contents: ValueBundle | PreflopView | None


_FLOPS = "Also list the solved flops and how each went."


def inspect_bundles(
    path: Annotated[Path, argument("DIR", "A bundle, or the directory of a run.")],
    flops: Annotated[bool, flag("--flops", _FLOPS)] = False,
    json: JsonFlag = False,
) -> None:
    """Show what a bundle is, where it comes from and how well it is solved; all files are checked.

    In the directory of a run, all of its bundles are shown.
    """
    bundles = [_open_bundle(place) for place in _find_bundles(path)]
    num_finished = count_checkpoints(path / CHECKPOINT_FOLDER)
    if flops and not any(isinstance(bundle.contents, ValueBundle) for bundle in bundles):
        raise OptionError("--flops", f"{path} holds no values of flops")
    documents = [_bundle_to_json(bundle, flops) for bundle in bundles]
    groups = [_bundle_parts(bundle, flops) for bundle in bundles]
    if num_finished:
        kept = f"{path / CHECKPOINT_FOLDER} keeps {format_count_of(num_finished, 'finished flop')}"
        groups.append([f"{kept} of an interrupted run"])
    parts = [part for group in groups for part in ("", *group)][1:]
    document = {"path": str(path), "num_finished_flops": num_finished, "bundles": documents}
    show(json, document, *parts)


def _open_bundle(path: Path) -> _Bundle:
    """Opens a bundle of whichever kind and checks all its files."""
    manifest = read_manifest(path)
    if manifest.kind == VALUES_KIND:
        return _Bundle(path, manifest, ValueBundle.load(path))
    if manifest.kind == PREFLOP_KIND:
        return _Bundle(path, manifest, PreflopView(load_solution(path)))
    is_abstraction = manifest.kind == ABSTRACTION_KIND
    version = ABSTRACTION_SCHEMA_VERSION if is_abstraction else manifest.schema_version
    load_bundle(path, manifest.kind, version)
    return _Bundle(path, manifest, None)


def _find_bundles(path: Path) -> list[Path]:
    """Returns the bundle itself, or the bundles in the directory of a run."""
    if (path / MANIFEST_FILE).exists() or not path.is_dir():
        beside = checkpoints_beside(path)
        num_finished = count_checkpoints(beside)
        if num_finished and not path.exists():
            kept = f"{beside} keeps {format_count_of(num_finished, 'finished flop')}"
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


def _bundle_parts(bundle: _Bundle, with_flops: bool) -> list[Shown]:
    path, manifest, contents = bundle
    title, command = _KINDS.get(manifest.kind, ("a bundle of a kind unknown to this version", ""))
    digest, machine = manifest.config_digest, manifest.machine
    facts = Sheet(columns("", ""))
    facts.add("kind", f"{manifest.kind}, version {manifest.schema_version}")
    written = f"{manifest.created_at:%Y-%m-%d %H:%M} UTC by runout {manifest.package_version}"
    facts.add("written", written)
    if machine is not None:  # not noted in old bundles
        versions = f"numpy {machine.numpy_version}, numba {machine.numba_version}"
        facts.add("processor", machine.processor)
        facts.add("libraries", f"{machine.blas}, {versions}")
    facts.add("seed", "none" if manifest.seed is None else str(manifest.seed))
    facts.add("config digest", "no config" if digest is None else digest[:_NUM_DIGEST_DIGITS])
    facts.add("size", f"{format_bytes(manifest.size_bytes)}, all files as they were written")
    parts: list[Shown] = [bold(f"{path}: {title}"), facts, "", _arrays_sheet(manifest), ""]
    if isinstance(contents, ValueBundle):
        parts += _values_parts(contents, with_flops)
        first = contents.values[0].flops.names[0]
        command = f"spot show DIR --flop {first} shows strategies" if contents.solutions else ""
    elif contents is not None:
        parts += report_parts(contents)
    return [*parts, dim(f"runout {command.replace('DIR', str(path))}")] if command else parts


def _arrays_sheet(manifest: Manifest) -> Sheet:
    size = Column("size", "size_bytes", format_bytes)
    sheet = Sheet((Column("array"), Column("type", "dtype", str), *_SHAPE_COLUMNS, size))
    for name, entry in manifest.arrays.items():
        # float32 for <f4; a list of named fields stays as it is.
        dtype = entry.dtype if entry.dtype.startswith("[") else np.dtype(entry.dtype).name
        shape = " x ".join(f"{length:,}" for length in entry.shape)
        sheet.add(name, dtype, shape, list(entry.shape), entry.size_bytes)
    return sheet


def _values_parts(bundle: ValueBundle, with_flops: bool) -> list[Shown]:
    parts: list[Shown] = [solve_table(bundle), ""]
    for values in bundle.values if with_flops else ():
        num_flops = format_count_of(len(values.flops), "flop")
        parts += [bold(f"{num_flops} at SPR {values.spr:.4g}"), _flops_sheet(values), ""]
    reports = [report for values in bundle.values for report in values.reports]
    seconds, num_deals = sum(r.seconds for r in reports), sum(r.num_deals for r in reports)
    deals = f"{num_deals:.3g} deals sampled" if num_deals else "no deals sampled"
    held = "all hands" if bundle.values[0].ranges is None else "only a part of the hands"
    solving = f"solving {format_seconds(seconds)}, flops added up"
    return [*parts, describe_flops(bundle), f"{solving}; {deals}, both players held {held}"]


def _flops_sheet(values: PostflopValues) -> Sheet:
    """Returns how the solve of each flop went; the delta is NaN where none was measured."""
    has_deals = any(report.num_deals for report in values.reports)
    share = partial(format_exploitability, meaning=values.reports[0].meaning, decimals=3)
    sheet = Sheet(
        (
            Column("flop"),
            Column(None, "flop"),
            Column("weight", "weight_fraction", partial(format_percent, decimals=3)),
            Column("iterations", "iterations", "{:,}".format),
            Column("exploitability", "exploitability_pot", share),
            Column(None, "strategy_delta"),
            Column("solving", "seconds", format_seconds),
            Column("deals sampled" if has_deals else None, "num_deals", "{:.3g}".format),
            Column(None, "meaning"),
        ),
        to_plain=json_number,
    )
    flops = values.flops
    for name, flop, weight, report in zip(
        flops.names, flops.flops, flops.weights.tolist(), values.reports, strict=True
    ):
        facts = asdict(report)
        sheet.add(name, format_cards(flop), weight, *map(facts.get, sheet.keys[2:]))
    return sheet


def _bundle_to_json(bundle: _Bundle, with_flops: bool) -> Json:
    manifest, contents = bundle.manifest, bundle.contents
    document: dict[str, Any] = {
        "path": str(bundle.path),
        **manifest.model_dump(include=_MANIFEST_KEYS),
        "created_at": manifest.created_at.isoformat(),
        "size_bytes": manifest.size_bytes,
        "arrays": dict(zip(manifest.arrays, _arrays_sheet(manifest).records(), strict=True)),
    }
    if isinstance(contents, PreflopView):
        return {**document, **report_to_json(contents.solution)}
    if isinstance(contents, ValueBundle):
        document["num_flops"] = len(contents.values[0].flops)
        document["has_ranges"] = contents.values[0].ranges is not None
        document["sprs"] = [
            {**summary, **({"flops": _flops_sheet(values).records()} if with_flops else {})}
            for summary, values in zip(
                solves_sheet(contents).records(), contents.values, strict=True
            )
        ]
    return document


#: How far a ``--spr`` may be from the one that is meant: ratios are shown with four digits.
SPR_ROUNDING = 1e-3

#: What both players own of the pot before the first bet, in flop pots.
SUNK_SHARE = 0.5


def show_values(
    path: Annotated[Path, argument("DIR", "What `runout solve-postflop` or a run wrote.")],
    hero: Annotated[str, option("--hero", "HAND", "Whose values: AA, AKs.")],
    villain: Annotated[
        str | None, option("--villain -v", "HAND", "Against this one (default each).")
    ] = None,
    flop: Annotated[
        str | None, option("--flop -f", "CARDS", "In any suits (default the mean).")
    ] = None,
    spr: Annotated[float | None, option("--spr", "X", "Stack over pot on the flop.")] = None,
    position: Annotated[
        Literal["oop", "ip"] | None, flag("--position -p", "The hero's (default both).")
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Show what a hand gets on a flop, or on average, against one hand or each.

    A value is won back minus put in after the flop, in flop pots; v = value - 1/2.
    """
    hand = parse_canonical_hand(hero)
    opponent = None if villain is None else parse_canonical_hand(villain)
    given = None if flop is None else GivenFlop.parse(flop)
    bundle = open_values(path)
    solved = _choose_sprs(bundle, spr, is_grid=opponent is None)
    index = None if given is None else find_flop(path, solved[0], given)
    found = _hero_values(solved, hand, slice(None) if index is None else slice(index, index + 1))
    _require_deal(found.ways, hand, opponent, given)
    positions = [n for n, name in enumerate(POSITION_NAMES) if position in (None, name.lower())]
    if json:
        print_json(_values_to_json(found, hand, opponent, given, positions))
        return
    place = f"on average over {format_count_of(found.num_flops, 'flop')}"
    place = place if given is None else f"on {given.name}"
    if opponent is None:
        print_parts(*_value_grids(found, f"against each hand {place}", hand, positions))
        return
    pair = f"{HAND_NAMES[hand]} against {HAND_NAMES[opponent]} {place}\n"
    print_parts(bold(pair), *_pair_parts(found, hand, opponent, given, positions))


def open_values(path: Path) -> ValueBundle:
    """Opens the values of a run's directory, or of the bundle itself."""
    where = find_bundle(path, VALUES_FOLDER)
    if where == path and find_bundle(path, SOLUTION_FOLDER) != path:
        raise OptionError(str(path), "holds a preflop solution, but no values of flops")
    return ValueBundle.load(where)


class _HeroValues(NamedTuple):
    """What a hand gets on a flop or on average over flops, at some stack-to-pot ratios.

    Attributes:
        sprs: the ``S`` ratios.
        value_pot: ``[S, 2, 169]`` by position against each hand, NaN if they cannot meet.
        ways: ``[169]`` to deal both, flops counted by their weights.
        num_flops: over which the mean is taken.
    """

    sprs: list[float]
    value_pot: FloatArray
    ways: FloatArray
    num_flops: int


def _hero_values(solved: Sequence[PostflopValues], hero: int, chosen: slice) -> _HeroValues:
    flops = solved[0].flops
    ways = np.stack([matchup_weights(flop)[hero] for flop in flops.flops[chosen]])
    joint: FloatArray = flops.weights[chosen, None] * ways
    by_position = joint[:, None]
    means = [
        (by_position * np.where(by_position > 0.0, values.value_pot[chosen, :, hero], 0.0)).sum(0)
        for values in solved
    ]
    value_pot = divide(np.stack(means), np.broadcast_to(joint.sum(0), np.shape(means)))
    return _HeroValues([values.spr for values in solved], value_pot, joint.sum(0), len(joint))


def _require_deal(
    ways: FloatArray, hero: int, villain: int | None, given: GivenFlop | None
) -> None:
    """Raises `CardError` if the hero, and the villain if given, cannot be dealt here."""
    here = "on any solved flop" if given is None else f"on {given.name}"
    if villain is None and not ways.any():
        raise CardError(HAND_NAMES[hero], f"cannot be dealt {here}")
    if villain is not None and not ways[villain]:
        names = f"{HAND_NAMES[hero]} against {HAND_NAMES[villain]}"
        raise CardError(names, f"cannot both be dealt {here}")


def _choose_sprs(bundle: ValueBundle, spr: float | None, is_grid: bool) -> list[PostflopValues]:
    if spr is not None:
        return [choose_ratio(bundle, spr)]
    if is_grid and len(bundle.values) > 1:
        problem = f"a grid is of one ratio, give one of {_list_ratios(bundle)}, or a --villain"
        raise OptionError("--spr", problem)
    return sorted(bundle.values, key=lambda values: values.spr)


def choose_ratio(bundle: ValueBundle, spr: float | None) -> PostflopValues:
    """Returns the values at a ratio that may be typed as it is shown, or at the only one."""
    if spr is not None:
        meant = find_ratio([values.spr for values in bundle.values], spr)
        return bundle.at_spr(spr if meant is None else meant)
    if len(bundle.values) > 1:
        raise OptionError("--spr", f"there are several ratios, give one of {_list_ratios(bundle)}")
    return bundle.values[0]


def find_ratio(sprs: Sequence[float], given: float) -> float | None:
    """Returns the ratio that was typed as it is shown, None if there is none like it."""
    nearest = min(sprs, key=lambda spr: abs(spr - given))
    return nearest if abs(nearest - given) <= SPR_ROUNDING * nearest else None


def _list_ratios(bundle: ValueBundle) -> str:
    return ", ".join(f"{spr:.4g}" for spr in sorted(values.spr for values in bundle.values))


def find_flop(path: Path, values: PostflopValues, given: GivenFlop) -> int:
    """Returns the place of a flop among those that were solved; an error names a close one."""
    flop, flops = given.canonical, values.flops.flops
    if flop in flops:
        return flops.index(flop)
    solved = format_count_of(len(flops), "solved flop")
    nearest = values.flops.names[flops.index(nearest_flop(flop, flops))]
    problem = f"is not among the {solved}, {nearest} comes close"
    raise OptionError(f"flop {given.name}", f"{problem}; `runout inspect {path} --flops` lists all")


def nearest_flop(flop: Flop, flops: Sequence[Flop]) -> Flop:
    """Returns the flop whose ranks are nearest to those of another one, then the suits."""

    def distance(other: Flop) -> tuple[int, int]:
        pairs = list(zip(flop, other, strict=True))
        ranks = sum(abs(card_rank(card) - card_rank(twin)) for card, twin in pairs)
        return ranks, sum(card_suit(card) != card_suit(twin) for card, twin in pairs)

    return min(flops, key=distance)


def _values_to_json(
    found: _HeroValues,
    hero: int,
    villain: int | None,
    given: GivenFlop | None,
    positions: Sequence[int],
) -> Json:
    def told(by_hand: FloatArray) -> Any:
        return json_numbers(by_hand) if villain is None else float(by_hand[villain])

    by_spr: list[Json] = [
        {"spr": spr}
        | {
            POSITION_NAMES[position].lower(): {
                "value_pot": told(value_pot[position]),
                "v_pot": told(value_pot[position] - SUNK_SHARE),
            }
            for position in positions
        }
        for spr, value_pot in zip(found.sprs, found.value_pot, strict=True)
    ]
    return {
        "hero": HAND_NAMES[hero],
        "villain": None if villain is None else HAND_NAMES[villain],
        "flop": None if given is None else format_cards(given.canonical),
        "num_flops": found.num_flops,
        "preflop_equity_fraction": told(preflop_table().equities()[hero]),
        **({"hands": list(HAND_NAMES)} if villain is None else {}),
        "sprs": by_spr,
    }


def _value_grids(
    found: _HeroValues, where: str, hero: int, positions: Sequence[int]
) -> list[Shown]:
    parts: list[Shown] = []
    (spr,), (by_position,) = found.sprs, found.value_pot
    for number, position in enumerate(positions):
        value_pot = by_position[position]
        mean = divide((np.nan_to_num(value_pot) * found.ways).sum(), found.ways.sum())
        title = f"{HAND_NAMES[hero]} {POSITION_NAMES[position]} {where}, SPR {spr:.4g}"
        random = f"{format_percent(float(mean), 1)} against a random hand"
        parts += [bold(("\n" if number else "") + title)]
        parts += [f"value in % of the flop pot, {random}\n", value_grid(value_pot)]
    return parts


def _pair_parts(
    found: _HeroValues, hero: int, villain: int, given: GivenFlop | None, positions: Sequence[int]
) -> list[Shown]:
    numbers = Column("value", form="{:.3f}".format), Column("v", form=format_signed)
    sheet = Sheet((*columns(">SPR", HAND_NAMES[hero]), *numbers))
    for spr, value_pot in zip(found.sprs, found.value_pot[..., villain], strict=True):
        for number, position in enumerate(positions):
            value = float(value_pot[position])
            first = "" if number else f"{spr:.4g}"
            sheet.add(first, POSITION_NAMES[position], value, value - SUNK_SHARE)
    meaning = dim("value: won back minus put in after the flop, in flop pots; v = value - 1/2")
    if given is None:
        equity = format_percent(preflop_table().equity(hero, villain))
        return [sheet, meaning, f"all-in equity before the flop {equity}"]
    command = f"runout flop-equity {given.name} --versus {HAND_NAMES[villain]}"
    return [sheet, meaning, dim(f"{command} has the all-in equities there")]
