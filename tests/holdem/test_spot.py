from dataclasses import replace

import pytest

from runout.cards.card import parse_card, parse_cards
from runout.errors import CardError, RangeError
from runout.holdem.spot import Spot
from runout.holdem.spot_solver import SpotSolver
from runout.ranges.hand_range import HandRange
from runout.ranges.notation import parse_range
from runout.trees.betting import Street
from tests.holdem.small_spots import make_spot, make_tree

EVERYTHING = (HandRange.full(), HandRange.full())


@pytest.mark.parametrize(("board", "street"), [("QsJh2h", 0), ("QsJh2h4c", 1), ("QsJh2h4c4d", 2)])
def test_a_board_begins_on_the_street_of_its_cards(board, street):
    assert make_spot(board, *EVERYTHING).tree.first_street == street


def test_a_board_and_a_tree_of_different_streets_are_refused():
    tree = make_tree("a", 10, 10, Street.FLOP)
    with pytest.raises(CardError, match="QsJh2h4c: 4 cards, but the betting begins on the flop"):
        Spot(parse_cards("QsJh2h4c"), EVERYTHING, tree)


@pytest.mark.parametrize("board", ["QsJhQs", "QsJh", "QsJh2h4c4d5d"])
def test_a_board_is_three_to_five_different_cards(board):
    with pytest.raises(CardError):
        Spot(parse_cards(board), EVERYTHING, make_tree("a", 10, 10, Street.FLOP))


def test_a_deck_has_no_card_twice():
    with pytest.raises(CardError, match="Kh: comes twice in KhKsKh"):
        replace(make_spot("QsJh2h", *EVERYTHING), deck=(*parse_cards("KhKs"), parse_card("Kh")))


@pytest.mark.parametrize(("player", "word"), [(0, "oop"), (1, "ip")])
def test_a_range_that_the_board_blocks_is_refused(player, word):
    ranges = [parse_range("KK"), parse_range("KK")]
    ranges[player] = parse_range("AhAs, AhAd, AsAd")
    with pytest.raises(RangeError, match=f"{word}: no hand of the range avoids the board AhAs2d"):
        SpotSolver(make_spot("AhAs2d", *ranges))


def test_ranges_that_can_never_meet_are_refused():
    with pytest.raises(RangeError, match="no hand of one range can meet a hand of the other"):
        SpotSolver(make_spot("KhJs2d", "AhAs", "AhAd, AsQs"))
