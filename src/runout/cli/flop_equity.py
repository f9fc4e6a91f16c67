"""`runout flop-equity`: what every hand wins on a board."""

from typing import Annotated

import numpy as np
import typer
from rich.table import Table

from runout.arrays import FloatArray
from runout.cards.canonical_hands import HAND_NAMES, matchup_weights, parse_canonical_hand
from runout.cards.card import format_cards, parse_board
from runout.cli.console import output, print_json, using_kernels
from runout.cli.formatting import format_percent, json_numbers
from runout.cli.grid import HandGrid
from runout.cli.options import BoardArgument, JsonFlag
from runout.errors import CardError

NUM_EXTREMES = 6


def show_flop_equity(
    board: BoardArgument,
    versus: Annotated[
        str | None,
        typer.Option("--versus", "-v", metavar="HAND", help="Opponent's hand, such as QQ or AKs."),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Show each hand's exact all-in equity on a board, against a random hand or one hand.

    With --json the document holds the whole 169 x 169 table as well.
    """
    known_cards = parse_board(board)
    opponent = None if versus is None else parse_canonical_hand(versus)
    weights = matchup_weights(known_cards)
    if opponent is not None and not weights[:, opponent].any():
        raise CardError(HAND_NAMES[opponent], f"cannot be dealt on {format_cards(known_cards)}")
    with using_kernels():
        from runout.equity.board_equity import compute_board_equity

        table = compute_board_equity(known_cards).hand_table()
    equities = table.equities()
    shown = table.equity_vs_random() if opponent is None else equities[:, opponent]
    opponent_name = "a random hand" if opponent is None else HAND_NAMES[opponent]
    if json:
        print_json(
            {
                "board": format_cards(known_cards),
                "versus": None if opponent is None else HAND_NAMES[opponent],
                "hands": HAND_NAMES,
                "equity_fraction": json_numbers(shown),
                "equity_fraction_by_matchup": json_numbers(equities),
                "num_combo_pairs_by_matchup": weights.tolist(),
            }
        )
        return
    console = output()
    console.print(f"Equity in % against {opponent_name} on {format_cards(known_cards)}\n")
    console.print(HandGrid(shown))
    console.print()
    console.print(_extremes(shown))


def _extremes(equity: FloatArray) -> Table:
    """Returns the best and the worst hands as two lines."""
    possible = np.flatnonzero(~np.isnan(equity))
    best_first = possible[np.argsort(-equity[possible], kind="stable")]
    lines = Table.grid(padding=(0, 2))
    for label, hands in (
        ("best", best_first[:NUM_EXTREMES]),
        ("worst", best_first[::-1][:NUM_EXTREMES]),
    ):
        cells = [f"{HAND_NAMES[hand]} {format_percent(equity[hand], 1)}" for hand in hands]
        lines.add_row(label, "  ".join(cells))
    return lines
