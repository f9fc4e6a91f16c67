"""Which of the boards that were solved answers for the cards that are asked for."""

import pytest

from runout.cards.card import parse_cards
from runout.holdem.cards_to_come import CardsToCome
from runout.postflop.spot.runout import find_runout
from runout.ranges.notation import parse_range


@pytest.mark.parametrize("board", ["Ks7s2s", "Ks7s2d", "KsKh2d", "Ks7h2d"])
def test_a_runout_is_renamed_to_one_that_was_solved(board):
    ranges = parse_range("AA,JTs"), parse_range("KK,T9s")
    cards = CardsToCome.plan(parse_cards(board), ranges)
    for turn in "9c 9d 9h 9s Ac Kd".split():
        for river in "8c 8d 8h 8s".split():
            dealt = parse_cards(turn + river)
            if set(dealt) & set(cards.board):
                continue
            runout = find_runout(cards, dealt)
            assert runout.mapping.map_cards(dealt) == runout.dealt
            assert cards.runouts[1][runout.numbers[1]] == runout.dealt
            assert cards.runouts[0][runout.numbers[0]] == runout.dealt[:1]
            assert set(runout.mapping.map_cards(cards.board)) == set(cards.board)
