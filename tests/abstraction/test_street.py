import numpy as np
import pytest

from runout.abstraction import (
    AbstractionError,
    DuplicateCardError,
    InvalidBoardSizeError,
    Street,
)
from runout.abstraction.street import require_deal, street_of_board
from runout.cards.card import parse_card, parse_cards


@pytest.mark.parametrize(
    ("num_cards", "street"), [(3, Street.FLOP), (4, Street.TURN), (5, Street.RIVER)]
)
def test_street_is_known_from_the_length_of_the_board(num_cards, street):
    assert street_of_board(num_cards) is street


@pytest.mark.parametrize("num_cards", [-1, 0, 1, 2, 6, 7])
def test_boards_of_other_lengths_are_refused_with_what_came_and_what_is_allowed(num_cards):
    with pytest.raises(InvalidBoardSizeError) as raised:
        street_of_board(num_cards)
    allowed = "a board has 3 (flop), 4 (turn) or 5 (river)"
    assert str(raised.value) == f"board: {num_cards} cards, {allowed}"


def test_streets_come_in_order_and_have_labels_and_boards():
    assert list(Street) == [0, 1, 2]
    assert [street.label for street in Street] == ["flop", "turn", "river"]
    assert [street.num_board_cards for street in Street] == [3, 4, 5]


def test_a_deal_without_repetition_has_the_street_of_its_board():
    assert require_deal(parse_cards("AsKsQh"), parse_cards("2c2d")) is Street.FLOP
    assert require_deal(parse_cards("AsKsQhJd2c"), ()) is Street.RIVER
    assert require_deal(np.array(parse_cards("AsKsQhJd")), parse_cards("2c2d")) is Street.TURN


@pytest.mark.parametrize(
    ("board", "holding", "card"),
    [
        (["As", "Ks", "As"], ["2c", "2d"], "As"),
        (["As", "Ks", "Qh"], ["2c", "Ks"], "Ks"),
        (["As", "Ks", "Qh"], ["Qh", "2c"], "Qh"),
        (["As", "Ks", "Qh"], ["7d", "7d"], "7d"),
    ],
)
def test_the_card_that_is_dealt_twice_is_named(board, holding, card):
    with pytest.raises(DuplicateCardError, match=f"^{card}: this card is dealt twice$"):
        require_deal([*map(parse_card, board)], [*map(parse_card, holding)])


@pytest.mark.parametrize("card", [-1, 52, 255])
def test_numbers_that_are_no_cards_are_refused(card):
    with pytest.raises(AbstractionError, match=f"^card {card}: card ids are 0 to 51$"):
        require_deal(parse_cards("AsKsQh"), (card, 0))
