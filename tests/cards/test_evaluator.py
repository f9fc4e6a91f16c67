"""Tests of `runout.cards.evaluator`."""

from collections import Counter
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np
import phevaluator
import pytest

from runout.cards import evaluator_kernels
from runout.cards.deck import (
    COMBO_CARDS,
    NUM_COMBOS,
    format_card,
    live_combos,
    parse_board,
    parse_cards,
)
from runout.cards.evaluator import (
    evaluate,
    evaluate_board,
    evaluator_tables,
)
from runout.cards.hand_indexer import canonical_boards
from runout.cards.hand_ranking import (
    NUM_STRENGTHS,
    HandCategory,
    category,
)
from runout.errors import CardError
from tests.reference import poker_rules
from tests.reference.showdowns import rename, strength, strengths_on

# Published frequencies.
FIVE_CARD_COUNTS = {
    HandCategory.STRAIGHT_FLUSH: 40,
    HandCategory.QUADS: 624,
    HandCategory.FULL_HOUSE: 3_744,
    HandCategory.FLUSH: 5_108,
    HandCategory.STRAIGHT: 10_200,
    HandCategory.TRIPS: 54_912,
    HandCategory.TWO_PAIR: 123_552,
    HandCategory.PAIR: 1_098_240,
    HandCategory.HIGH_CARD: 1_302_540,
}
SEVEN_CARD_COUNTS = {
    HandCategory.STRAIGHT_FLUSH: 41_584,
    HandCategory.QUADS: 224_848,
    HandCategory.FULL_HOUSE: 3_473_184,
    HandCategory.FLUSH: 4_047_644,
    HandCategory.STRAIGHT: 6_180_020,
    HandCategory.TRIPS: 6_461_620,
    HandCategory.TWO_PAIR: 31_433_400,
    HandCategory.PAIR: 58_627_800,
    HandCategory.HIGH_CARD: 23_294_460,
}
NUM_SEVEN_CARD_STRENGTHS = 4_824  # seven-five high cannot be the best of seven cards


def sample_hands(num_hands: int, num_cards: int, seed: int) -> np.ndarray:
    """Returns ``[n, k]`` random cards, a tenth of them of two suits: flushes are common."""
    generator = np.random.default_rng(seed)
    num_suited = num_hands // 10
    anything = sample_rows(generator, num_hands - num_suited, num_cards, 52)
    return np.concatenate([anything, 2 * sample_rows(generator, num_suited, num_cards, 26) + 1])


def sample_rows(generator, num_rows: int, num_cards: int, num_values: int) -> np.ndarray:
    """Draws three times as many rows as needed and keeps those without a repeated value."""
    size = (3 * num_rows + 100, num_cards)
    drawn = generator.integers(num_values, size=size, dtype=np.uint8)
    is_distinct = (np.diff(np.sort(drawn, axis=1), axis=1) > 0).all(axis=1)
    rows = drawn[is_distinct][:num_rows]
    assert len(rows) == num_rows
    return rows


def count_categories(hands_by_strength: np.ndarray) -> dict[HandCategory, int]:
    counts: Counter[HandCategory] = Counter()
    for value in np.flatnonzero(hands_by_strength):
        counts[category(int(value))] += int(hands_by_strength[value])
    return dict(counts)


def test_five_card_hands_have_the_published_frequencies():
    every_hand = np.fromiter(combinations(range(52), 5), dtype=(np.uint8, 5), count=2_598_960)
    hands_by_strength = np.bincount(evaluate(every_hand))
    assert count_categories(hands_by_strength) == FIVE_CARD_COUNTS
    assert np.count_nonzero(hands_by_strength) == NUM_STRENGTHS == len(hands_by_strength) - 1


class RiverWalk(NamedTuple):
    """What all combos are worth on every river board.

    Attributes:
        meetings: ``[7463]`` (board, combo) pairs by strength, blocked ones first.
        most_strengths: distinct strengths on the board that has most of them.
    """

    meetings: np.ndarray
    most_strengths: int


@pytest.fixture(scope="module")
def river_walk() -> RiverWalk:
    boards, multiplicities = canonical_boards(5)
    scratch, strengths = np.empty((13, 52), dtype=np.uint16), np.empty(NUM_COMBOS, dtype=np.uint16)
    meetings = np.zeros(NUM_STRENGTHS + 1, dtype=np.int64)
    most_strengths = 0
    for board, multiplicity in zip(boards, multiplicities.tolist(), strict=True):
        evaluator_kernels.evaluate_board(evaluator_tables(), board, scratch, strengths)
        combos_by_strength = np.bincount(strengths, minlength=NUM_STRENGTHS + 1)
        meetings += multiplicity * combos_by_strength
        most_strengths = max(most_strengths, np.count_nonzero(combos_by_strength[1:]))
    return RiverWalk(meetings, most_strengths)


def test_seven_card_hands_have_the_published_frequencies(river_walk):
    assert river_walk.meetings[0] == comb(52, 5) * (1_326 - 1_081)  # blocked combos
    # Each seven-card hand is met C(7, 2) = 21 times, once for each choice of hole cards.
    hands_by_strength, rest = np.divmod(river_walk.meetings, 21)
    hands_by_strength[0] = rest[0] = 0
    assert not rest.any()
    assert hands_by_strength.sum() == comb(52, 7) == 133_784_560
    assert count_categories(hands_by_strength) == SEVEN_CARD_COUNTS
    assert np.count_nonzero(hands_by_strength) == NUM_SEVEN_CARD_STRENGTHS


def test_strengths_of_every_board_can_be_numbered_in_one_byte(river_walk):
    """The equity kernels number them from 1 and keep 0 and 255 for blocked combos."""
    assert 0 < river_walk.most_strengths < 255


def test_phevaluator_numbers_cards_as_we_do():
    for card in range(52):
        assert phevaluator.Card(format_card(card)).id_ == card


@pytest.mark.parametrize(
    ("num_cards", "num_hands"), [(5, 200_000), (6, 200_000), (7, 1_000_000)], ids=str
)
def test_strengths_equal_those_of_phevaluator(num_cards, num_hands):
    hands = sample_hands(num_hands, num_cards, seed=num_cards)
    expected = np.fromiter(map(strength, hands.tolist()), dtype=np.uint16, count=num_hands)
    np.testing.assert_array_equal(evaluate(hands), expected)


@pytest.mark.parametrize("num_cards", [5, 6, 7])
def test_best_five_cards_count(num_cards):
    hands = sample_hands(3_000, num_cards, seed=10 + num_cards)
    strengths = evaluate(hands).tolist()
    values = [poker_rules.value_of_best(hand) for hand in hands.tolist()]
    pairs = sorted(set(zip(strengths, values, strict=True)))
    assert len({value for _, value in pairs}) == len({value for value, _ in pairs}) == len(pairs)
    assert [value for _, value in pairs] == sorted(value for _, value in pairs)


@pytest.mark.parametrize(
    ("cards", "expected"),
    [
        ("7c5d4h3s2d", 1),
        ("AsKsQsJsTs", 7_462),
        ("AsKsQsJsTs2d2c", 7_462),
        ("5s4s3s2sAs", 7_453),  # the lowest straight flush
        ("5s4s3s2sAs6s", 7_454),
        ("AcAdAhAsKd", 7_452),  # the best hand below them
    ],
)
def test_known_hands_have_their_strength(cards, expected):
    assert evaluate(parse_cards(cards)) == expected


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("2c3c4c5c7c", "AcKdQhJsTc"),  # flush over straight
        ("2c2d2h3c3d", "AcKcQcJc9c"),  # full house over flush
        ("2c3d4h5s6c", "Ac2d3h4s5c"),  # six-high straight over the wheel
        ("AcAdKhKsQc", "AhAsKcKdJc"),  # the kicker of two pair
        ("KcKdKh2s2dAcQc", "QcQdQhAsAd"),  # trips decide a full house
    ],
)
def test_better_hand_is_stronger(better, worse):
    assert evaluate(parse_cards(better)) > evaluate(parse_cards(worse))


def test_seven_cards_tie_when_the_board_plays():
    board = parse_board("AsKsQsJsTs")
    assert evaluate(board + parse_cards("2c2d")) == evaluate(board + parse_cards("9s9d"))


def test_order_of_cards_does_not_matter():
    hands = sample_hands(2_000, 7, seed=3)
    shuffled = np.random.default_rng(4).permuted(hands, axis=1)
    np.testing.assert_array_equal(evaluate(shuffled), evaluate(hands))


def test_names_of_suits_do_not_matter():
    hands = sample_hands(2_000, 7, seed=5)
    for new_suits in [(1, 2, 0, 3), (3, 2, 1, 0), (1, 2, 3, 0)]:
        renamed = np.array([rename(hand, new_suits) for hand in hands.tolist()], dtype=np.uint8)
        np.testing.assert_array_equal(evaluate(renamed), evaluate(hands))


def test_hands_may_be_of_any_integer_type_and_layout():
    hands = sample_hands(100, 7, seed=6)
    expected = evaluate(hands)
    np.testing.assert_array_equal(evaluate(hands.astype(np.int64)), expected)
    np.testing.assert_array_equal(evaluate(np.asfortranarray(hands)), expected)
    assert evaluate(hands[:0]).shape == (0,)


@pytest.mark.parametrize("board", ["AhKsQd", "9s6s2s", "AhAdAcAs", "9s6s2sKs", "Th9h8h7h6h"])
def test_board_strengths_are_those_of_its_combos(board):
    cards = parse_board(board)
    strengths = evaluate_board(cards)
    np.testing.assert_array_equal(strengths, strengths_on(cards))
    live = live_combos(cards)
    assert np.flatnonzero(strengths).tolist() == live.tolist()
    hands = np.concatenate([COMBO_CARDS[live], np.tile(cards, (len(live), 1))], axis=1)
    np.testing.assert_array_equal(strengths[live], evaluate(hands))


@pytest.mark.parametrize(
    ("cards", "message"),
    [
        ("AhKsQdJc", "hand 'AhKsQdJc': 4 cards, a hand to rank has 5, 6 or 7"),
        ("2c3c4c5c6c7c8c9c", "hand '2c3c4c5c6c7c8c9c': 8 cards, a hand to rank has 5, 6 or 7"),
    ],
)
def test_hands_of_another_size_are_refused(cards, message):
    with pytest.raises(CardError) as caught:
        evaluate(parse_cards(cards))
    assert str(caught.value) == message


def test_repeated_cards_are_refused():
    with pytest.raises(CardError, match="2c: dealt twice in 2c3c4c5c2c"):
        evaluate([0, 4, 8, 12, 0])
    with pytest.raises(CardError, match="2c: dealt twice in 2c3c2c"):
        evaluate_board([0, 4, 0])


@pytest.mark.parametrize("card", [-1, 52, 255])
def test_ids_outside_the_deck_are_refused(card):
    for function in (evaluate, lambda cards: evaluate(np.array([cards]))):
        with pytest.raises(CardError, match=f"card {card}: card ids are 0 to 51"):
            function([0, 1, 2, 3, card])


@pytest.mark.parametrize("shape", [(7,), (2, 4), (2, 8), (1, 2, 7)], ids=str)
def test_arrays_of_another_shape_are_refused(shape):
    with pytest.raises(CardError, match="rows of 5, 6 or 7 whole numbers are needed"):
        evaluate(np.zeros(shape, dtype=np.uint8))


@pytest.mark.parametrize("board", [(), (0, 1), (0, 1, 2, 3, 4, 5)], ids=str)
def test_boards_of_another_size_are_refused(board):
    with pytest.raises(CardError, match="a board has 3"):
        evaluate_board(board)


def test_tables_are_read_only_and_shared():
    assert evaluator_tables() is evaluator_tables()
    assert not any(table.flags.writeable for table in evaluator_tables())


def test_flush_table_knows_five_to_seven_and_more_cards():
    flush_strength = evaluator_tables().flush_strength
    num_suited = np.array([mask.bit_count() for mask in range(1 << 13)])
    assert (flush_strength[num_suited < 5] == 0).all()
    assert (flush_strength[num_suited >= 5] > 0).all()
    assert flush_strength[0b1_1111_0000_0000] == 7_462  # T J Q K A
