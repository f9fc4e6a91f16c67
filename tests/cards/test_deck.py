"""Tests of `runout.cards.deck`."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from runout.cards.deck import (
    COMBO_CARDS,
    COMBO_HAS_CARD,
    COMBOS_BY_HAND,
    HAND_BY_COMBO,
    HAND_BY_RANKS,
    HAND_GRID,
    HAND_NAMES,
    HAND_RANKS,
    NUM_CARDS,
    NUM_COMBOS,
    NUM_HANDS,
    build_combo_map,
    canonical_hand_index,
    card_rank,
    card_suit,
    combo_cards,
    combo_index,
    disjoint_combos,
    format_card,
    format_cards,
    format_combo,
    live_combos,
    make_card,
    matchup_weights,
    parse_board,
    parse_canonical_hand,
    parse_card,
    parse_cards,
    parse_combo,
    permute_combos,
    require_board,
    require_distinct,
)
from runout.cards.flops import SUIT_MAPPINGS
from runout.cards.hand_indexer import canonical_boards
from runout.errors import CardError

BOARDS = ["", "AhKsQd", "9s6s2s", "AhAdAc", "7c7d2h2s", "AhAdAcAsKd", "Th9h8h7h6h"]


@pytest.mark.parametrize(
    ("index", "name"),
    [
        (0, "AA"),
        (1, "KK"),
        (12, "22"),
        (13, "AKs"),
        (14, "AQs"),
        (24, "A2s"),
        (25, "KQs"),
        (90, "32s"),
        (91, "AKo"),
        (102, "A2o"),
        (103, "KQo"),
        (168, "32o"),
    ],
)
def test_hands_are_in_order_pairs_then_suited_then_offsuit(index, name):
    assert HAND_NAMES[index] == name
    assert parse_canonical_hand(name) == index


def test_hands_are_13_pairs_78_suited_and_78_offsuit():
    endings = Counter(name[2:] for name in HAND_NAMES)
    assert endings == {"": 13, "s": 78, "o": 78}
    assert len(set(HAND_NAMES)) == NUM_HANDS == 169


def test_hands_have_6_4_or_12_combos():
    for name, combos in zip(HAND_NAMES, COMBOS_BY_HAND, strict=True):
        assert len(combos) == {"": 6, "s": 4, "o": 12}[name[2:]]
    every = np.sort(np.concatenate(COMBOS_BY_HAND))
    np.testing.assert_array_equal(every, np.arange(1_326))


def test_combos_have_the_ranks_and_suits_of_their_hand():
    for combo in range(NUM_COMBOS):
        text = format_combo(combo)  # AhKd: ranks at 0 and 2, suits at 1 and 3
        ending = "" if text[0] == text[2] else "s" if text[1] == text[3] else "o"
        assert HAND_NAMES[HAND_BY_COMBO[combo]] == text[0] + text[2] + ending


def test_hand_ranks_lead_back_to_the_hand():
    for hand, (high, low, is_suited) in enumerate(HAND_RANKS):
        assert HAND_BY_RANKS[high, low, is_suited] == hand


@pytest.mark.parametrize("text", ["AKs", "aks", "AKS", "akS"])
def test_case_of_a_hand_does_not_matter(text):
    assert parse_canonical_hand(text) == 13


@pytest.mark.parametrize("text", ["", "A", "AK", "AAs", "KAs", "AKx", "AKso", "A1s"])
def test_text_that_is_no_hand_is_refused(text):
    with pytest.raises(CardError) as caught:
        parse_canonical_hand(text)
    assert str(caught.value) == f"{text!r}: not a canonical hand such as AA, AKs or AKo"


def test_grid_has_pairs_on_the_diagonal_and_suited_hands_above():
    assert sorted(sum(HAND_GRID, ())) == list(range(NUM_HANDS))
    for row, hands in enumerate(HAND_GRID):
        for column, name in enumerate(HAND_NAMES[hand] for hand in hands):
            assert name[2:] == ("" if row == column else "s" if column > row else "o")
    assert HAND_GRID[0][1] == parse_canonical_hand("AKs")
    assert HAND_GRID[1][0] == parse_canonical_hand("AKo")
    assert HAND_GRID[11][12] == parse_canonical_hand("32s")


@pytest.mark.parametrize(
    ("hand", "opponent", "weight"),
    [
        ("AA", "KK", 36),
        ("AA", "AKs", 12),
        ("AKs", "AKo", 24),
        ("AA", "AA", 6),
        ("AKs", "AKs", 12),
        ("AKo", "AKo", 84),
    ],
)
def test_matchup_weights_are_those_of_the_mathematics(hand, opponent, weight):
    weights = matchup_weights()
    i, j = parse_canonical_hand(hand), parse_canonical_hand(opponent)
    assert weights[i, j] == weights[j, i] == weight


def test_matchup_weights_sum_to_all_deals():
    assert matchup_weights().sum() == 1_326 * 1_225 == 1_624_350
    assert matchup_weights(parse_board("9s6s2s")).sum() == 1_176 * 1_081 == 1_271_256
    assert matchup_weights(parse_board("9s6s2sKd")).sum() == 1_128 * 1_035
    assert matchup_weights(parse_board("9s6s2sKdKh")).sum() == 1_081 * 990


@pytest.mark.parametrize("board", BOARDS)
def test_matchup_weights_count_disjoint_combo_pairs(board):
    cards = parse_cards(board)
    live = live_combos(cards)
    expected = np.zeros((NUM_HANDS, NUM_HANDS), dtype=np.int64)
    rows, columns = np.nonzero(disjoint_combos(live, live))
    np.add.at(expected, (HAND_BY_COMBO[live[rows]], HAND_BY_COMBO[live[columns]]), 1)
    np.testing.assert_array_equal(matchup_weights(cards), expected)


def test_weights_of_all_flops_add_up_to_17296_times_the_weights_before_the_flop():
    """C(48, 3) = 17,296 flops remain for every pair of disjoint combos."""
    boards, multiplicities = canonical_boards(3)
    total = sum(
        multiplicity * matchup_weights(board)
        for board, multiplicity in zip(boards.tolist(), multiplicities.tolist(), strict=True)
    )
    np.testing.assert_array_equal(total, 17_296 * matchup_weights())


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
        ("10h", "'10h': a ten is written T, not 10"),
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
        ("AhKdAh", "Ah: dealt twice in AhKdAh"),
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


def test_combos_are_all_pairs_of_cards():
    assert NUM_COMBOS == 1_326
    assert {tuple(cards) for cards in COMBO_CARDS.tolist()} == set(combinations(range(52), 2))


def test_combos_with_one_high_card_are_neighbours():
    texts = [format_combo(combo) for combo in range(6)]
    assert texts == ["2d2c", "2h2c", "2h2d", "2s2c", "2s2d", "2s2h"]
    assert format_combo(NUM_COMBOS - 1) == "AsAh"
    assert (np.diff(COMBO_CARDS[:, 1].astype(int)) >= 0).all()


def test_combo_numbers_and_cards_are_inverse_in_both_orders():
    for combo in range(NUM_COMBOS):
        low, high = combo_cards(combo)
        assert low < high
        assert combo_index(low, high) == combo_index(high, low) == combo


def test_has_card_agrees_with_the_cards():
    assert COMBO_HAS_CARD.sum() == 2 * NUM_COMBOS
    for combo, cards in enumerate(COMBO_CARDS.tolist()):
        assert np.flatnonzero(COMBO_HAS_CARD[combo]).tolist() == cards


def test_shared_tables_cannot_be_written():
    assert not COMBO_CARDS.flags.writeable
    assert not COMBO_HAS_CARD.flags.writeable


def test_combo_text_is_read_back():
    for combo in range(NUM_COMBOS):
        assert parse_combo(format_combo(combo)) == combo
    assert parse_combo("KdAh") == parse_combo("ah kd") == parse_combo("AhKd")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Ah", "'Ah': 1 cards, a hand has 2"),
        ("AhKdQs", "'AhKdQs': 3 cards, a hand has 2"),
        ("AhAh", "Ah: dealt twice in AhAh"),
        ("AKs", "'AKs': is not two cards, such as AhKd"),
    ],
)
def test_impossible_combo_says_what_is_wrong(text, message):
    with pytest.raises(CardError) as caught:
        parse_combo(text)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("dead", "count"),
    [("", 1326), ("Ah", 1275), ("AhKd7s", 1176), ("AhKd7s2c", 1128), ("AhKd7s2c2d", 1081)],
)
def test_live_combos_hold_no_dead_card(dead, count):
    dead_cards = parse_cards(dead)
    live = live_combos(dead_cards)
    expected = [i for i, cards in enumerate(COMBO_CARDS.tolist()) if not set(cards) & {*dead_cards}]
    assert live.tolist() == expected
    assert len(live) == count


def test_disjoint_combos_share_no_card():
    every = np.arange(NUM_COMBOS)
    disjoint = disjoint_combos(every, every)
    rows = np.random.default_rng(0).choice(NUM_COMBOS, 40, replace=False)
    for row in rows:
        expected = [not {*combo_cards(row)} & {*combo_cards(column)} for column in every]
        assert disjoint[row].tolist() == expected
    assert (disjoint.sum(axis=1) == 1_225).all()  # C(50, 2)


def test_disjoint_combos_of_two_lists_is_a_part_of_the_whole():
    rows, columns = np.array([5, 700, 3]), np.array([0, 1325, 700, 5])
    every = np.arange(NUM_COMBOS)
    whole = disjoint_combos(every, every)
    np.testing.assert_array_equal(disjoint_combos(rows, columns), whole[np.ix_(rows, columns)])


@pytest.mark.parametrize("mapping", SUIT_MAPPINGS, ids=lambda mapping: str(mapping.new_suits))
def test_permuted_combos_are_the_combos_of_permuted_cards(mapping):
    expected = [combo_index(*mapping.map_cards(combo_cards(combo))) for combo in range(NUM_COMBOS)]
    permuted = permute_combos(mapping.new_suits)
    assert permuted.tolist() == expected
    there_and_back = permute_combos(mapping.inverse().new_suits)[permuted]
    np.testing.assert_array_equal(there_and_back, np.arange(NUM_COMBOS))


def test_two_cards_are_a_canonical_hand_in_either_order():
    for combo in range(NUM_COMBOS):
        low, high = combo_cards(combo)
        hand = canonical_hand_index(low, high)
        assert hand == canonical_hand_index(high, low) == HAND_BY_COMBO[combo]
    names = {"AsAd": 0, "2c2d": 12, "AhKh": 13, "3c2c": 90, "AhKd": 91, "3c2d": 168}
    assert {text: canonical_hand_index(*parse_cards(text)) for text in names} == names
    with pytest.raises(CardError, match="Ah: dealt twice"):
        canonical_hand_index(50, 50)


@pytest.mark.parametrize("board", BOARDS)
def test_a_combo_map_has_every_live_combo_with_its_hand(board):
    cards = parse_cards(board)
    combo_map = build_combo_map(cards)
    assert len(combo_map) == NUM_HANDS
    for hand, combos in enumerate(combo_map):
        assert all(canonical_hand_index(*combo) == hand for combo in combos)
    found = [combo_index(*combo) for combos in combo_map for combo in combos]
    assert sorted(found) == live_combos(cards).tolist()
    with pytest.raises(CardError, match="Ah: dealt twice"):
        build_combo_map(parse_cards("AhKdQd")[:1] * 2)
