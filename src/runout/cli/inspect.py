"""`runout inspect` and `runout values`: what a bundle is, and what a hand gets on the flop."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

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
from runout.cli.console import output, print_json
from runout.cli.formatting import (
    Json,
    format_bytes,
    format_count_of,
    format_exploitability,
    format_percent,
    format_seconds,
    format_signed,
    json_number,
    json_numbers,
)
from runout.cli.grids import HandGrid
from runout.cli.options import JsonFlag, OptionError, read_path
from runout.cli.sheets import Column, Sheet, columns_of
from runout.cli.show import print_report, report_to_json
from runout.cli.solve import describe_flops, solve_table, solves_sheet
from runout.cli.targets import checkpoints_beside, count_checkpoints
from runout.equity.preflop import preflop_table
from runout.errors import CardError
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
from runout.solutions.values import VALUES_KIND, PostflopValues, ValueBundle
from runout.storage.bundle import MANIFEST_FILE, Manifest, load_bundle, read_manifest
from runout.storage.files import reporting_os_errors
from runout.trees.tree import POSITION_NAMES

#: What buckets are saved as, as in `runout.abstraction.card_abstraction`, which imports numba.
ABSTRACTION_KIND = "card_abstraction"
ABSTRACTION_SCHEMA_VERSION = 1

_TITLE_BY_KIND = {
    VALUES_KIND: "values of flops",
    PREFLOP_KIND: "a preflop solution",
    ABSTRACTION_KIND: "buckets of hands",
    SPOT_KIND: "a spot with real cards",
    REPORT_KIND: "a report over flops",
}
_COMMAND_BY_KIND = {
    PREFLOP_KIND: "show DIR shows its decisions",
    ABSTRACTION_KIND: "abstraction inspect DIR shows the buckets",
    SPOT_KIND: "spot show DIR shows its nodes",
    REPORT_KIND: "report DIR shows its flops",
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
        documents = [_inspected_to_json(bundle, flops) for bundle in bundles]
        print_json({"path": str(path), "num_finished_flops": num_finished, "bundles": documents})
        return
    console = output()
    for number, bundle in enumerate(bundles):
        _print_bundle(console, bundle, flops)
        if number + 1 < len(bundles) or num_finished:
            console.print()
    if num_finished:
        kept = f"{path / CHECKPOINT_FOLDER} keeps {format_count_of(num_finished, 'finished flop')}"
        console.print(f"{kept} of an interrupted run", soft_wrap=True, markup=False)


def open_any_bundle(path: Path) -> InspectedBundle:
    """Opens a bundle of whichever kind and checks all its files.

    Raises:
        BundleError: if it is missing, damaged, or of a version that cannot be read.
    """
    manifest = read_manifest(path)
    contents: ValueBundle | PreflopView | None = None
    if manifest.kind == VALUES_KIND:
        contents = ValueBundle.load(path)
    elif manifest.kind == PREFLOP_KIND:
        contents = PreflopView(load_solution(path))
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
    console.print(_arrays_sheet(manifest).table())
    console.print()
    command = _COMMAND_BY_KIND.get(manifest.kind, "")
    if isinstance(contents, ValueBundle):
        _print_values(console, contents, with_flops)
        first = contents.values[0].flops.names[0]
        command = f"spot show DIR --flop {first} shows strategies" if contents.solutions else ""
    elif contents is not None:
        print_report(console, contents)
    if command:
        text = f"runout {command.replace('DIR', str(bundle.path))}"
        console.print(text, style="dim", soft_wrap=True, markup=False)


def _arrays_sheet(manifest: Manifest) -> Sheet:
    sheet = Sheet((Column("array"), *columns_of(str, "type", "shape", "size")))
    for name, entry in manifest.arrays.items():
        shape = " x ".join(f"{length:,}" for length in entry.shape)
        sheet.add(name, _dtype_name(entry.dtype), shape, format_bytes(entry.size_bytes))
    return sheet


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
            console.print(_flops_sheet(values).table())
            console.print()
    console.print(describe_flops(bundle), soft_wrap=True)
    reports = [report for values in bundle.values for report in values.reports]
    seconds, num_deals = sum(r.seconds for r in reports), sum(r.num_deals for r in reports)
    deals = f"{num_deals:.3g} deals sampled" if num_deals else "no deals sampled"
    held = "all hands" if bundle.values[0].ranges is None else "only a part of the hands"
    solving = f"solving {format_seconds(seconds)}, flops added up"
    console.print(f"{solving}; {deals}, both players held {held}")


def _flops_sheet(values: PostflopValues) -> Sheet:
    has_deals = any(report.num_deals for report in values.reports)
    headings = ("weight", "iterations", "exploitability", "solving")
    deals = ("deals sampled",) if has_deals else ()
    sheet = Sheet((Column("flop"), *columns_of(str, *headings, *deals)))
    rows = zip(values.flops.names, values.flops.weights, values.reports, strict=True)
    for name, weight, report in rows:
        sheet.add(
            name,
            format_percent(weight, 3),
            f"{report.iterations:,}",
            format_exploitability(report.exploitability_pot, report.meaning, 3),
            format_seconds(report.seconds),
            *([f"{report.num_deals:.3g}"] if has_deals else []),
        )
    return sheet


def _describe_machine(manifest: Manifest) -> dict[str, str]:
    """Returns on what a bundle was computed, as rows; none if that was not noted yet."""
    machine = manifest.machine
    if machine is None:
        return {}
    versions = f"numpy {machine.numpy_version}, numba {machine.numba_version}"
    return {"processor": machine.processor, "libraries": f"{machine.blas}, {versions}"}


def _inspected_to_json(bundle: InspectedBundle, with_flops: bool) -> Json:
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
            {**summary, **({"flops": _flops_to_json(values)} if with_flops else {})}
            for summary, values in zip(
                solves_sheet(contents).records(), contents.values, strict=True
            )
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


#: How far a ``--spr`` may be from the one that is meant: ratios are shown with four digits.
SPR_ROUNDING = 1e-3

#: What both players own of the pot before the first bet, in flop pots.
SUNK_SHARE = 0.5


class Position(StrEnum):
    """The two positions after the flop, as on the command line."""

    OOP = "oop"
    IP = "ip"


def show_values(
    path: Annotated[
        Path,
        typer.Argument(
            metavar="DIR", parser=read_path, help="What `runout solve-postflop` or a run wrote."
        ),
    ],
    hero: Annotated[str, typer.Option("--hero", metavar="HAND", help="Whose values: AA, AKs.")],
    villain: Annotated[
        str | None,
        typer.Option("--villain", "-v", metavar="HAND", help="Against this one (default each)."),
    ] = None,
    flop: Annotated[
        str | None,
        typer.Option("--flop", "-f", metavar="CARDS", help="In any suits (default the mean)."),
    ] = None,
    spr: Annotated[
        float | None, typer.Option("--spr", metavar="X", help="Stack over pot on the flop.")
    ] = None,
    position: Annotated[
        Position | None, typer.Option("--position", "-p", help="The hero's (default both).")
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Show what a hand gets on a flop, or on average, against one hand or each.

    A value is won back minus put in after the flop, in flop pots; v = value - 1/2.
    """
    hand = parse_canonical_hand(hero)
    opponent = None if villain is None else parse_canonical_hand(villain)
    wanted_flop = None if flop is None else GivenFlop.parse(flop)
    bundle = open_values(path)
    chosen = _choose_sprs(bundle, spr, is_grid=opponent is None)
    flop_index = None if wanted_flop is None else find_flop(path, chosen[0], wanted_flop)
    scene = HeroScene(chosen, hand, flop_index, wanted_flop)
    scene.require_deal(opponent)
    positions = [n for n, one in enumerate(Position) if position in (None, one)]
    if json:
        print_json(_values_to_json(scene, opponent, positions))
    elif opponent is None:
        _print_grids(output(), scene, positions)
    else:
        _print_pair(output(), scene, opponent, positions)


def open_values(path: Path) -> ValueBundle:
    """Opens the values of a run's directory, or of the bundle itself.

    Raises:
        RunoutError: if they are missing, damaged, or of another kind or version.
    """
    where = find_bundle(path, VALUES_FOLDER)
    if where == path and find_bundle(path, SOLUTION_FOLDER) != path:
        raise OptionError(str(path), "holds a preflop solution, but no values of flops")
    return ValueBundle.load(where)


@dataclass(frozen=True, eq=False)
class HeroScene:
    """One hand on one flop or on all flops of a bundle, at some stack-to-pot ratios.

    Attributes:
        solved: values at each of the ratios, all on the same flops.
        hero: the hand.
        flop_index: the flop, None for the mean over all of them.
        given: the flop as it was asked for.
    """

    solved: Sequence[PostflopValues]
    hero: int
    flop_index: int | None
    given: GivenFlop | None

    @cached_property
    def joint_weights(self) -> FloatArray:
        """``[F, 169]`` each flop's weight times the ways it leaves to deal hero and villain.

        They are the same for all ratios and positions, and take longer than everything else.
        """
        flops, weights = self.solved[0].flops.flops, self.solved[0].flops.weights
        ways = [matchup_weights(flop)[self.hero] for flop in flops[self._chosen]]
        joint: FloatArray = weights[self._chosen, None] * np.stack(ways)
        return joint

    def value_pot(self, spr_index: int, position: int) -> FloatArray:
        """Returns ``[169]`` what the hero gets against each hand, NaN if they cannot meet."""
        values, joint = self.solved[spr_index].value_pot, self.joint_weights
        on_flops = np.where(joint > 0.0, values[self._chosen, position, self.hero], 0.0)
        return _mean(on_flops, joint, axis=0)

    def mean_value_pot(self, value_pot: FloatArray) -> float:
        """Returns the mean of values against each hand, for a villain who may hold anything."""
        return float(_mean(np.nan_to_num(value_pot), self.joint_weights.sum(axis=0), axis=0))

    def require_deal(self, villain: int | None) -> None:
        """Raises `CardError` if the hero, and the villain if given, cannot be dealt here."""
        ways = self.joint_weights.sum(axis=0)
        here = f"on {self.flop}" if self.flop else "on any solved flop"
        if villain is None and not ways.any():
            raise CardError(HAND_NAMES[self.hero], f"cannot be dealt {here}")
        if villain is not None and not ways[villain]:
            names = f"{HAND_NAMES[self.hero]} against {HAND_NAMES[villain]}"
            raise CardError(names, f"cannot both be dealt {here}")

    @property
    def flop(self) -> str | None:
        """The flop's cards as they were given, None for the mean over all flops."""
        return None if self.given is None else self.given.name

    def describe_flop(self) -> str:
        """Returns ``on AhKd7s``, or over how many flops the mean is taken."""
        if self.flop is not None:
            return f"on {self.flop}"
        return f"on average over {format_count_of(len(self.joint_weights), 'flop')}"

    @property
    def _chosen(self) -> slice:
        """The flop, or all flops."""
        index = self.flop_index
        return slice(None) if index is None else slice(index, index + 1)


def _mean(values: FloatArray, weights: FloatArray, axis: int) -> FloatArray:
    return divide((weights * values).sum(axis=axis), weights.sum(axis=axis))


def _choose_sprs(bundle: ValueBundle, spr: float | None, is_grid: bool) -> list[PostflopValues]:
    if spr is not None:
        return [choose_ratio(bundle, spr)]
    if is_grid and len(bundle.values) > 1:
        problem = f"a grid is of one ratio, give one of {_list_ratios(bundle)}, or a --villain"
        raise OptionError("--spr", problem)
    return sorted(bundle.values, key=lambda values: values.spr)


def choose_ratio(bundle: ValueBundle, spr: float | None) -> PostflopValues:
    """Returns the values at a ratio that may be typed as it is shown, or at the only one.

    Raises:
        BundleError: if it was not solved.
        OptionError: if none is given and there are several.
    """
    if spr is not None:
        nearest = min(bundle.values, key=lambda values: abs(values.spr - spr))
        is_meant = abs(nearest.spr - spr) <= SPR_ROUNDING * nearest.spr
        return nearest if is_meant else bundle.at_spr(spr)
    if len(bundle.values) > 1:
        raise OptionError("--spr", f"there are several ratios, give one of {_list_ratios(bundle)}")
    return bundle.values[0]


def _list_ratios(bundle: ValueBundle) -> str:
    return ", ".join(f"{spr:.4g}" for spr in sorted(values.spr for values in bundle.values))


def find_flop(path: Path, values: PostflopValues, given: GivenFlop) -> int:
    """Returns the place of a flop among those that were solved.

    Raises:
        OptionError: if it was not solved, with one that comes close.
    """
    flop, flops = given.canonical, values.flops.flops
    if flop in flops:
        return flops.index(flop)
    solved = format_count_of(len(flops), "solved flop")
    nearest = values.flops.names[flops.index(nearest_flop(flop, flops))]
    raise OptionError(
        f"flop {given.name}",
        f"is not among the {solved}, {nearest} comes close; "
        f"`runout inspect {path} --flops` lists all",
    )


def nearest_flop(flop: Flop, flops: Sequence[Flop]) -> Flop:
    """Returns the flop whose ranks are nearest to those of another one, then the suits."""

    def distance(other: Flop) -> tuple[int, int]:
        pairs = list(zip(flop, other, strict=True))
        ranks = sum(abs(card_rank(card) - card_rank(twin)) for card, twin in pairs)
        return ranks, sum(card_suit(card) != card_suit(twin) for card, twin in pairs)

    return min(flops, key=distance)


def _values_to_json(scene: HeroScene, villain: int | None, positions: Sequence[int]) -> Json:
    by_spr = []
    for spr_index, values in enumerate(scene.solved):
        document: dict[str, Any] = {"spr": values.spr}
        for position in positions:
            value_pot = scene.value_pot(spr_index, position)
            numbers = {"value_pot": value_pot, "v_pot": value_pot - SUNK_SHARE}
            document[list(Position)[position].value] = {
                name: json_numbers(array) if villain is None else float(array[villain])
                for name, array in numbers.items()
            }
        by_spr.append(document)
    return {
        "hero": HAND_NAMES[scene.hero],
        "villain": None if villain is None else HAND_NAMES[villain],
        "flop": None if scene.given is None else format_cards(scene.given.canonical),
        "num_flops": len(scene.joint_weights),
        "preflop_equity_fraction": (
            json_numbers(preflop_table().equities()[scene.hero])
            if villain is None
            else preflop_table().equity(scene.hero, villain)
        ),
        **({"hands": list(HAND_NAMES)} if villain is None else {}),
        "sprs": by_spr,
    }


def _print_grids(console: Console, scene: HeroScene, positions: Sequence[int]) -> None:
    (values,) = scene.solved
    for number, position in enumerate(positions):
        value_pot = scene.value_pot(0, position)
        mean = format_percent(scene.mean_value_pot(value_pot), 1)
        title = (
            f"{HAND_NAMES[scene.hero]} {POSITION_NAMES[position]} against each hand "
            f"{scene.describe_flop()}, SPR {values.spr:.4g}"
        )
        console.print(("\n" if number else "") + title, style="bold")
        console.print(f"value in % of the flop pot, {mean} against a random hand\n")
        console.print(HandGrid(value_pot))


def _print_pair(console: Console, scene: HeroScene, villain: int, positions: Sequence[int]) -> None:
    hero_name, villain_name = HAND_NAMES[scene.hero], HAND_NAMES[villain]
    console.print(f"{hero_name} against {villain_name} {scene.describe_flop()}\n", style="bold")
    numbers = Column("value", form="{:.3f}".format), Column("v", form=format_signed)
    sheet = Sheet((Column("SPR", form=str), Column(hero_name), *numbers))
    for spr_index, values in enumerate(scene.solved):
        for number, position in enumerate(positions):
            value = float(scene.value_pot(spr_index, position)[villain])
            spr = "" if number else f"{values.spr:.4g}"
            sheet.add(spr, POSITION_NAMES[position], value, value - SUNK_SHARE)
    console.print(sheet.table())
    console.print(
        "value: won back minus put in after the flop, in flop pots; v = value - 1/2",
        style="dim",
    )
    if scene.flop is None:
        equity = preflop_table().equity(scene.hero, villain)
        console.print(f"all-in equity before the flop {format_percent(equity)}")
    else:
        command = f"runout flop-equity {scene.flop} --versus {villain_name}"
        console.print(f"{command} has the all-in equities there", style="dim")
