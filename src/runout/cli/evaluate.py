"""`runout eval`: how good five, six or seven cards are."""

from typing import Annotated

import typer

from runout.cards.card import format_cards, parse_cards
from runout.cards.hand_ranking import NUM_STRENGTHS, category, describe_strength
from runout.cli.console import output, print_json, using_kernels
from runout.cli.formatting import format_percent
from runout.cli.options import JsonFlag


def show_strength(
    cards: Annotated[
        str, typer.Argument(metavar="CARDS", help="5, 6 or 7 cards; the best five of them count.")
    ],
    json: JsonFlag = False,
) -> None:
    """Show the strength of 5, 6 or 7 cards: 1 is seven-high, 7,462 a royal flush."""
    hand = parse_cards(cards)
    with using_kernels():
        from runout.cards.evaluator import evaluate

        strength = evaluate(hand)
    rank = NUM_STRENGTHS + 1 - strength
    beaten_fraction = (strength - 1) / (NUM_STRENGTHS - 1)
    if json:
        print_json(
            {
                "cards": format_cards(hand),
                "strength": strength,
                "category": category(strength).name.lower(),
                "description": describe_strength(strength),
                "rank": rank,
                "num_strengths": NUM_STRENGTHS,
                "beaten_strengths_fraction": beaten_fraction,
            }
        )
        return
    output().print(
        f"{describe_strength(strength)}\n"
        f"strength {strength:,}, number {rank:,} of {NUM_STRENGTHS:,}; "
        f"beats {format_percent(beaten_fraction)} of the others",
        soft_wrap=True,
    )
