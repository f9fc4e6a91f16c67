"""`runout values`: what a hand gets on the flop against a hand, or against each of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from runout.arrays import FloatArray
from runout.cards.canonical_hands import HAND_NAMES, matchup_weights, parse_canonical_hand
from runout.cards.card import card_rank, card_suit, format_cards
from runout.cards.flops import Flop, GivenFlop
from runout.cli.console import output, print_json
from runout.cli.formatting import (
    Json,
    format_count_of,
    format_percent,
    format_signed,
    json_numbers,
)
from runout.cli.grid import HandGrid
from runout.cli.options import JsonFlag, OptionError, read_path
from runout.equity.preflop_equity import preflop_table
from runout.errors import CardError
from runout.results.postflop_values import PostflopValues
from runout.results.run_folders import SOLUTION_FOLDER, VALUES_FOLDER, find_bundle
from runout.results.value_bundle import ValueBundle
from runout.trees.postflop_tree import PLAYER_NAMES

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
        print_json(_to_json(scene, opponent, positions))
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
    total = weights.sum(axis=axis)
    no_mean = np.full(np.shape(total), np.nan)
    mean: FloatArray = np.divide(
        (weights * values).sum(axis=axis), total, out=no_mean, where=total > 0.0
    )
    return mean


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


def _to_json(scene: HeroScene, villain: int | None, positions: Sequence[int]) -> Json:
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
            f"{HAND_NAMES[scene.hero]} {PLAYER_NAMES[position]} against each hand "
            f"{scene.describe_flop()}, SPR {values.spr:.4g}"
        )
        console.print(("\n" if number else "") + title, style="bold")
        console.print(f"value in % of the flop pot, {mean} against a random hand\n")
        console.print(HandGrid(value_pot))


def _print_pair(console: Console, scene: HeroScene, villain: int, positions: Sequence[int]) -> None:
    hero_name, villain_name = HAND_NAMES[scene.hero], HAND_NAMES[villain]
    console.print(f"{hero_name} against {villain_name} {scene.describe_flop()}\n", style="bold")
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    table.add_column("SPR", justify="right")
    table.add_column(hero_name)
    for heading in ("value", "v"):
        table.add_column(heading, justify="right")
    for spr_index, values in enumerate(scene.solved):
        for number, position in enumerate(positions):
            value = float(scene.value_pot(spr_index, position)[villain])
            table.add_row(
                "" if number else f"{values.spr:.4g}",
                PLAYER_NAMES[position],
                f"{value:.3f}",
                format_signed(value - SUNK_SHARE),
            )
    console.print(table)
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
