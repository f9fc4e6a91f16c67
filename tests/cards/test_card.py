import pytest

from runout.cards.card import (
    NUM_CARDS,
    card_rank,
    card_suit,
    format_card,
    format_cards,
    make_card,
    parse_board,
    parse_card,
    parse_cards,
    require_board,
    require_distinct,
)
from runout.errors import CardError


def test_card_ids_count_suits_first():
    texts = [format_card(card) for card in range(NUM_CARDS)]
    assert texts[:6] == ["2c", "2d", "2h", "2s", "3c", "3d"]
    assert texts[-4:] == ["Ac", "Ad", "Ah", "As"]
    assert len(set(texts)) == 52


def test_every_card_is_read_back():
    for card in range(NUM_CARDS):
        assert parse_card(format_card(card)) == card
        assert make_card(card_rank(card), card_suit(card)) == card


@pytest.mark.parametrize("text", ["Ah", "ah", "AH", "aH"])
def test_case_of_a_card_does_not_matter(text):
    assert parse_card(text) == 4 * 12 + 2


@pytest.mark.parametrize("text", ["AhKd7s", "Ah Kd 7s", "Ah,Kd,7s", " Ah, Kd  7s,", "ahkD7S"])
def test_boards_are_read_in_all_spellings(text):
    assert format_cards(parse_board(text)) == "AhKd7s"


def test_cards_keep_their_order():
    assert format_cards(parse_cards("2cAs7h")) == "2cAs7h"
    assert parse_cards("") == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'': a card is a rank and a suit, such as Ah"),
        ("A", "'A': a card is a rank and a suit, such as Ah"),
        ("10h", "'10h': a card is a rank and a suit, such as Ah"),
        ("1h", "'1h': '1' is not a rank, use one of 23456789TJQKA"),
        ("Ax", "'Ax': 'x' is not a suit, use one of cdhs"),
        ("hA", "'hA': 'h' is not a rank, use one of 23456789TJQKA"),
    ],
)
def test_unreadable_card_says_which_part_is_wrong(text, message):
    with pytest.raises(CardError) as caught:
        parse_card(text)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("AhKd7", "'7': a card is a rank and a suit, such as Ah"),
        ("AhXd7s", "'Xd': 'X' is not a rank, use one of 23456789TJQKA"),
        ("AhKdAh", "Ah: comes twice in AhKdAh"),
        ("AhKd", "board 'AhKd': 2 cards, a board has 3 (flop), 4 (turn) or 5 (river)"),
        ("", "board '': 0 cards, a board has 3 (flop), 4 (turn) or 5 (river)"),
        ("2c3c4c5c6c7c", "board '2c3c4c5c6c7c': 6 cards, a board has 3 (flop), 4 (turn) or 5"),
    ],
)
def test_impossible_board_says_what_came_and_what_is_allowed(text, message):
    with pytest.raises(CardError) as caught:
        parse_board(text)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("text", ["AhKd7s", "AhKd7s2c", "AhKd7s2c2d"])
def test_flops_turns_and_rivers_are_boards(text):
    assert len(parse_board(text)) == len(text) // 2


@pytest.mark.parametrize("card", [-1, 52, 255])
def test_ids_outside_the_deck_are_refused(card):
    with pytest.raises(CardError, match=f"card {card}: card ids are 0 to 51"):
        require_distinct([0, card])
    with pytest.raises(CardError, match=f"card {card}: card ids are 0 to 51"):
        require_board([0, 1, card])
