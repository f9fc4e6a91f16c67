"""`runout equity`: hand, class or range against another."""

from contextlib import nullcontext
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import typer
from rich.table import Table
from rich.text import Text

from runout.arrays import FloatArray
from runout.cards.canonical_hands import HAND_NAMES
from runout.cards.card import format_cards
from runout.cli.console import output, print_json, using_kernels
from runout.cli.formatting import (
    Json,
    format_count,
    format_count_of,
    format_percent,
    json_number,
    shorten_text,
)
from runout.cli.grid import HandGrid
from runout.cli.options import BoardOption, JsonFlag, parse_live_range, parse_optional_board

MAX_RANGE_LENGTH = 30


def show_equity(
    hero: Annotated[
        str,
        typer.Argument(metavar="HERO", help="Hand, class or range: AhKh, AKs, 22+,AK:0.5, random."),
    ],
    villain: Annotated[str, typer.Argument(metavar="VILLAIN", help="The same for the opponent.")],
    board: BoardOption = None,
    grid: Annotated[
        bool, typer.Option("--grid", help="Also show hero's equity with each hand of the range.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Show the exact all-in equity of two hands or ranges, before the flop or on a board."""
    known_cards = parse_optional_board(board)
    hero_weights = parse_live_range(hero, known_cards).weights
    villain_weights = parse_live_range(villain, known_cards).weights
    # Before the flop a shipped table answers, and no kernel has to be loaded.
    with using_kernels() if known_cards else nullcontext():
        from runout.equity.versus import compare_ranges

        result = compare_ranges(hero_weights, villain_weights, known_cards)
    win, tie, lose = result.win, result.tie, result.lose
    hero_combos = _num_live_combos(hero_weights, result.hero.matchups)
    villain_combos = _num_live_combos(villain_weights, result.villain.matchups)
    sides = (
        Side(hero, hero_combos, result.equity, win, tie, lose),
        Side(villain, villain_combos, 1.0 - result.equity, lose, tie, win),
    )
    by_hand = result.hero.equity_by_hand()
    if json:
        print_json(
            {
                "board": format_cards(known_cards) or None,
                "hero": sides[0].to_json(),
                "villain": sides[1].to_json(),
                "num_matchups": result.matchups,
                "hero_equity_fraction_by_hand": {
                    name: json_number(equity)
                    for name, equity in zip(HAND_NAMES, by_hand.tolist(), strict=True)
                },
            }
        )
        return
    console = output()
    console.print(_table_of_sides(*sides))
    place = f"on {format_cards(known_cards)}" if known_cards else "before the flop"
    console.print(f"{format_count_of(result.matchups, 'matchup')} {place}")
    if grid and np.count_nonzero(~np.isnan(by_hand)) > 1:
        console.print("\nHero's equity in % with each hand\n")
        console.print(HandGrid(by_hand))


@dataclass(frozen=True)
class Side:
    """What one player can expect; fractions of the pot and of all runouts.

    Attributes:
        text: the range as it was given.
        num_combos: weighted combos that are left after card removal.
    """

    text: str
    num_combos: float
    equity: float
    win: float
    tie: float
    lose: float

    def to_json(self) -> Json:
        """Returns the same facts under their JSON names."""
        return {
            "range": self.text,
            "num_combos": self.num_combos,
            "equity_fraction": self.equity,
            "win_fraction": self.win,
            "tie_fraction": self.tie,
            "lose_fraction": self.lose,
        }


def _table_of_sides(hero: Side, villain: Side) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("")
    table.add_column("range", no_wrap=True)
    for heading in ("equity", "win", "tie", "lose", "combos"):
        table.add_column(heading, justify="right", no_wrap=True)
    for name, side in (("hero", hero), ("villain", villain)):
        fractions = (side.equity, side.win, side.tie, side.lose)
        table.add_row(
            name,
            Text(shorten_text(side.text, MAX_RANGE_LENGTH)),
            *(format_percent(fraction) for fraction in fractions),
            format_count(side.num_combos),
        )
    return table


def _num_live_combos(weights: FloatArray, matchups: FloatArray) -> float:
    """Returns the weighted combos that can meet at least one combo of the other side."""
    return float(weights[matchups > 0.0].sum())
