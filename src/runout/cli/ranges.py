"""`runout range`: what a range string holds."""

from typing import Annotated

import numpy as np
import typer

from runout.cards.canonical_hands import HAND_NAMES
from runout.cards.card import format_cards
from runout.cards.combos import NUM_COMBOS, format_combo
from runout.cli.console import output, print_json
from runout.cli.formatting import format_count_of, format_percent
from runout.cli.grid import HandGrid
from runout.cli.options import BoardOption, JsonFlag, parse_live_range, parse_optional_board
from runout.ranges.hand_range import HandRange
from runout.ranges.notation import format_range


def show_range(
    text: Annotated[
        str, typer.Argument(metavar="RANGE", help="Groups such as AhKh,AKs:0.5,A2s+,22+,KTo-K8o.")
    ],
    board: BoardOption = None,
    json: JsonFlag = False,
) -> None:
    """Show how many combos a range holds, its shortest text and its grid of weights."""
    known_cards = parse_optional_board(board)
    hand_range = parse_live_range(text, known_cards)
    if json:
        _print_as_json(hand_range, known_cards)
        return
    console = output()
    share = format_percent(hand_range.num_combos / NUM_COMBOS)
    console.print(f"{format_count_of(hand_range.num_combos, 'combo')}, {share} of {NUM_COMBOS:,}")
    console.print(format_range(hand_range), soft_wrap=True, markup=False)
    console.print()
    weights = hand_range.hand_weights()
    console.print(HandGrid(np.where(weights > 0.0, weights, np.nan)))


def _print_as_json(hand_range: HandRange, known_cards: tuple[int, ...]) -> None:
    hand_weights = hand_range.hand_weights().tolist()
    combo_weights = hand_range.weights.tolist()
    print_json(
        {
            "range": format_range(hand_range),
            "board": format_cards(known_cards) or None,
            "num_combos": hand_range.num_combos,
            "combos_fraction": hand_range.num_combos / NUM_COMBOS,
            "weight_by_hand": dict(zip(HAND_NAMES, hand_weights, strict=True)),
            "weight_by_combo": {
                format_combo(combo): weight for combo, weight in enumerate(combo_weights)
            },
        }
    )
