"""Preflop all-ins with the fastest of the other evaluators, eval7: every board, one by one."""

import warnings
from itertools import combinations

from runout.cards.deck import format_card, parse_cards
from tests.reference.showdowns import Outcomes

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # eval7 calls its parser by old names
    import eval7


def count_preflop_outcomes(hero: str, villain: str) -> Outcomes:
    """Returns the boards, out of 1,712,304, on which the hero wins, splits and loses."""
    my_cards, their_cards, rest = (
        tuple(eval7.Card(format_card(card)) for card in cards)
        for cards in (
            parse_cards(hero),
            parse_cards(villain),
            set(range(52)) - set(parse_cards(hero + villain)),
        )
    )
    wins = ties = losses = 0
    for board in combinations(rest, 5):
        mine, theirs = eval7.evaluate(my_cards + board), eval7.evaluate(their_cards + board)
        wins += mine > theirs
        ties += mine == theirs
        losses += mine < theirs
    return Outcomes(wins, ties, losses)
