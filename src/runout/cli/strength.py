"""`runout strength`: how strong a hand is on a board, now and in the end."""

from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer
from rich.table import Table

from runout.arrays import FloatArray, IntArray
from runout.cards.canonical_hands import HAND_BY_COMBO, HAND_NAMES, NUM_HANDS
from runout.cards.card import format_cards, parse_board
from runout.cards.combos import combo_index, format_combo
from runout.cli.console import output, print_json, using_kernels
from runout.cli.formatting import format_percent, json_number
from runout.cli.grid import HandGrid
from runout.cli.options import JsonFlag, RequiredBoardOption, parse_hand

if TYPE_CHECKING:
    from runout.abstraction.hand_strength import BoardHandStrengths, HandStrength

MEANINGS = {
    "ehs": ("EHS", "ahead now, ties half"),
    "ppot": ("PPot", "won back when behind or tied"),
    "npot": ("NPot", "lost again when ahead or tied"),
    "ehs2": ("EHS2", "all-in equity, E[HS]"),
    "ehs_squared": ("E[HS^2]", "mean of the squared river strength"),
}


def show_hand_strength(
    board: RequiredBoardOption,
    hand: Annotated[
        str | None,
        typer.Option("--hand", metavar="CARDS", help="Two cards (default a grid of all hands)."),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Show a hand's strength and potential against a random hand, or EHS2 of all hands."""
    known_cards = parse_board(board)
    holding = None if hand is None else parse_hand(hand, known_cards)
    with using_kernels():
        from runout.abstraction.hand_strength import HandStrengthCalculator

        calculator = HandStrengthCalculator()
        if holding is not None:
            _show_one(known_cards, holding, calculator.calculate(known_cards, holding), json)
        else:
            _show_all(known_cards, calculator.calculate_board(known_cards), json)


def _show_one(
    board: tuple[int, ...], holding: tuple[int, int], strength: "HandStrength", json: bool
) -> None:
    hand = format_combo(combo_index(*holding))
    values = {name: getattr(strength, name) for name in MEANINGS}
    if json:
        print_json({"board": format_cards(board), "hand": hand, **values})
        return
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), show_header=False)
    table.add_column()
    table.add_column(justify="right")
    table.add_column()
    for name, (title, meaning) in MEANINGS.items():
        table.add_row(title, format_percent(values[name]), meaning)
    console = output()
    console.print(f"{hand} on {format_cards(board)} against a random hand")
    console.print(table)


def _show_all(board: tuple[int, ...], strengths: "BoardHandStrengths", json: bool) -> None:
    by_hand = mean_by_hand(strengths.combos, strengths.ehs2)
    if json:
        combos = [format_combo(combo) for combo in strengths.combos.tolist()]
        document = {
            "board": format_cards(board),
            "ehs2_by_hand": {
                name: json_number(mean)
                for name, mean in zip(HAND_NAMES, by_hand.tolist(), strict=True)
            },
            "combos": combos,
        }
        print_json(document | {name: getattr(strengths, name).tolist() for name in MEANINGS})
        return
    console = output()
    console.print(f"EHS2 in % on {format_cards(board)}, mean over each hand's combos\n")
    console.print(HandGrid(by_hand))


def mean_by_hand(combos: IntArray, values: FloatArray) -> FloatArray:
    """Returns ``[169]`` the mean of a hand's live combos, NaN where none is left.

    Args:
        combos: ``[C]`` the live combos.
        values: ``[C]`` a number for each.
    """
    hands = HAND_BY_COMBO[combos]
    num_combos = np.bincount(hands, minlength=NUM_HANDS)
    totals = np.bincount(hands, values, NUM_HANDS)
    means: FloatArray = np.where(num_combos > 0, totals / np.maximum(num_combos, 1), np.nan)
    return means
