from collections import Counter

import numpy as np
import pytest

from runout.cards.canonical_hands import (
    COMBOS_BY_HAND,
    HAND_BY_COMBO,
    HAND_NAMES,
    HAND_RANKS,
    NUM_HANDS,
    canonical_hand_index,
    grid_position,
    hand_index_of_ranks,
    matchup_weights,
    parse_canonical_hand,
)
from runout.cards.card import parse_board, parse_cards
from runout.cards.combos import COMBO_CARDS, disjoint_combos, format_combo, live_combos
from runout.cards.hand_indexer import FLOP_BOARD, HandIndexer
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
    for combo, cards in enumerate(COMBO_CARDS.tolist()):
        text = format_combo(combo)  # AhKd: ranks at 0 and 2, suits at 1 and 3
        ending = "" if text[0] == text[2] else "s" if text[1] == text[3] else "o"
        assert HAND_NAMES[HAND_BY_COMBO[combo]] == text[0] + text[2] + ending
        assert canonical_hand_index(*cards) == canonical_hand_index(*reversed(cards))
        assert canonical_hand_index(*cards) == HAND_BY_COMBO[combo]


def test_hand_ranks_lead_back_to_the_hand():
    for hand, (high, low, is_suited) in enumerate(HAND_RANKS):
        assert hand_index_of_ranks(high, low, is_suited) == hand


@pytest.mark.parametrize("text", ["AKs", "aks", "AKS", "akS"])
def test_case_of_a_hand_does_not_matter(text):
    assert parse_canonical_hand(text) == 13


@pytest.mark.parametrize("text", ["", "A", "AK", "AAs", "KAs", "AKx", "AKso", "A1s"])
def test_text_that_is_no_hand_is_refused(text):
    with pytest.raises(CardError) as caught:
        parse_canonical_hand(text)
    assert str(caught.value) == f"{text!r}: not a canonical hand such as AA, AKs or AKo"


def test_grid_has_pairs_on_the_diagonal_and_suited_hands_above():
    positions = [grid_position(hand) for hand in range(NUM_HANDS)]
    assert set(positions) == {(row, column) for row in range(13) for column in range(13)}
    for name, (row, column) in zip(HAND_NAMES, positions, strict=True):
        assert name[2:] == ("" if row == column else "s" if column > row else "o")
    assert grid_position(parse_canonical_hand("AKs")) == (0, 1)
    assert grid_position(parse_canonical_hand("AKo")) == (1, 0)
    assert grid_position(parse_canonical_hand("32s")) == (11, 12)


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
    flops = HandIndexer(FLOP_BOARD)
    boards = flops.unindex_many(np.arange(flops.size)).tolist()
    total = sum(
        multiplicity * matchup_weights(board)
        for board, multiplicity in zip(boards, flops.multiplicities().tolist(), strict=True)
    )
    np.testing.assert_array_equal(total, 17_296 * matchup_weights())
