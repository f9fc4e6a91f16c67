from itertools import combinations

import numpy as np
import pytest

from runout.cards.card import parse_cards
from runout.cards.combos import (
    COMBO_CARDS,
    COMBO_HAS_CARD,
    NUM_COMBOS,
    combo_cards,
    combo_index,
    disjoint_combos,
    format_combo,
    live_combos,
    parse_combo,
    permute_combos,
)
from runout.cards.isomorphism import SUIT_MAPPINGS
from runout.errors import CardError


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
        ("AhAh", "Ah: comes twice in AhAh"),
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
