"""Tests of `runout.cards.hand_ranking`."""

import subprocess
import sys
from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from runout.cards.deck import NUM_COMBOS, live_combos, parse_board, parse_cards, parse_combo
from runout.cards.evaluator import evaluate, evaluate_board
from runout.cards.hand_ranking import (
    NUM_STRENGTHS,
    HandCategory,
    category,
    category_of_score,
    deciding_rank,
    describe_strength,
    five_card_scores,
    held_suited_ranks,
    rank_multisets,
    score_board,
    score_flush,
    score_of_board_alone,
    score_ranks,
    suited_ranks,
)
from runout.errors import CardError
from tests.reference import poker_rules
from tests.reference.showdowns import strength, strengths_on
from tools.shipped_tables import strength_of_score

# Chosen for flushes, straight flushes, the wheel, trips and quads; the rest is drawn.
CHOSEN_BOARDS = ["AhKhQhJh2h", "5h4h3h2c2d", "7h7d7c", "7h7d7c7s", "KhKd7c7s2h", "AhAdAcKhKd"]


def strengths_of_scores(board) -> np.ndarray:
    scores, position = np.unique(score_board(board), return_inverse=True)
    strengths = [strength_of_score(score) if score else 0 for score in scores.tolist()]
    return np.array(strengths)[position]


def random_boards(num_boards: int, seed: int) -> list[tuple[int, ...]]:
    generator = np.random.default_rng(seed)
    sizes = generator.integers(3, 6, size=num_boards)
    return [tuple(generator.choice(52, size, replace=False).tolist()) for size in sizes]


@pytest.mark.parametrize("board", CHOSEN_BOARDS)
def test_scores_are_those_of_another_evaluator(board):
    cards = parse_board(board)
    assert (strengths_of_scores(cards) == strengths_on(cards)).all()


def test_scores_on_random_boards_are_those_of_both_evaluators():
    for board in random_boards(20, seed=1):
        strengths = strengths_of_scores(board)
        assert (strengths == strengths_on(board)).all()
        assert (strengths == evaluate_board(board)).all()


def test_the_board_alone_has_a_score_on_the_river_only():
    assert score_of_board_alone(parse_board("AhKhQhJh")) == 0
    for text in ["AhKhQhJhTh", "AhKhQhJh2h", "AhKhQhJh2c", "7h7d7c2s2h"]:
        board = parse_board(text)
        assert strength_of_score(score_of_board_alone(board)) == strength(board)


def test_a_score_tells_its_category_and_the_ranks_that_decide():
    combo = parse_combo("AsKd")
    score = score_board(parse_board("AhAd9c4s2h"))[[combo]]
    assert category_of_score(score).tolist() == [HandCategory.TRIPS]
    assert [deciding_rank(score, place).item() for place in range(3)] == [12, 11, 7]


def test_ranks_of_a_suit_are_sets():
    board = parse_board("AhKh7s")
    assert suited_ranks(board, 2) == 1 << 12 | 1 << 11
    assert suited_ranks(board, 0) == 0
    assert held_suited_ranks(2)[parse_combo("QhJh")] == 1 << 10 | 1 << 9
    assert held_suited_ranks(2)[parse_combo("QhJd")] == 1 << 10


def test_blocked_combos_score_nothing():
    board = parse_board("AhKh7s2d")
    is_live = np.zeros(NUM_COMBOS, dtype=bool)
    is_live[live_combos(board)] = True
    assert ((score_board(board) > 0) == is_live).all()


@pytest.mark.parametrize("board", [(0, 1), (0, 1, 1), range(6)])
def test_a_board_has_three_to_five_different_cards(board):
    with pytest.raises(CardError):
        score_board(board)


def test_hands_are_scored_and_classified_without_numba():
    code = (
        "import sys; from runout.cards.hand_classes import classify_hands; "
        "classify_hands((0, 5, 10)); assert 'numba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


STRENGTHS = range(1, NUM_STRENGTHS + 1)

# Published: how many of the 7,462 strengths each category has.
CLASSES_BY_CATEGORY = {
    HandCategory.STRAIGHT_FLUSH: 10,
    HandCategory.QUADS: 156,
    HandCategory.FULL_HOUSE: 156,
    HandCategory.FLUSH: 1_277,
    HandCategory.STRAIGHT: 10,
    HandCategory.TRIPS: 858,
    HandCategory.TWO_PAIR: 858,
    HandCategory.PAIR: 2_860,
    HandCategory.HIGH_CARD: 1_277,
}


def score_of_five(cards):
    ranks = [card // 4 for card in cards]
    if len({card % 4 for card in cards}) == 1:
        return score_flush(sum(1 << rank for rank in ranks))
    return score_ranks(ranks)


def test_there_are_7462_distinct_strengths():
    assert len(five_card_scores()) == NUM_STRENGTHS == 7_462
    assert [strength_of_score(score) for score in five_card_scores()] == list(STRENGTHS)


def test_categories_have_the_published_numbers_of_classes():
    assert Counter(map(category, STRENGTHS)) == CLASSES_BY_CATEGORY


def test_categories_are_in_the_order_of_poker():
    order = [category(strength) for strength in STRENGTHS]
    assert order == sorted(order)


def test_scores_order_hands_as_the_rules_do():
    hands = [
        *combinations(parse_cards("2c3c4c5c6cAc2d2h2s3dAd"), 5),
        *combinations(parse_cards("AsKsQsJsTsAhKhAdKd9s"), 5),
        *np.random.default_rng(0).random((5_000, 52)).argsort(axis=1)[:, :5].tolist(),
    ]
    by_score = sorted({(score_of_five(hand), poker_rules.value_of_five(hand)) for hand in hands})
    scores, values = zip(*by_score, strict=True)
    assert len(set(scores)) == len(set(values)) == len(by_score)  # hands tie in both or in neither
    assert list(values) == sorted(values)


def test_scores_carry_the_category_of_the_rules():
    for hand in np.random.default_rng(1).random((5_000, 52)).argsort(axis=1)[:, :5].tolist():
        kind = category(strength_of_score(score_of_five(hand)))
        assert kind == poker_rules.value_of_five(hand)[0]


@pytest.mark.parametrize(("size", "count"), [(5, 6_175), (6, 18_395), (7, 49_205)])
def test_rank_multisets_are_all_that_a_deck_allows(size, count):
    multisets = rank_multisets(size)
    assert len(set(multisets)) == len(multisets) == count
    assert all(list(ranks) == sorted(ranks) for ranks in multisets)


@pytest.mark.parametrize(
    ("cards", "words"),
    [
        ("AsKsQsJsTs", "royal flush"),
        ("KsQsJsTs9s", "king-high straight flush"),
        ("As2s3s4s5s", "five-high straight flush"),
        ("6c6d6h6sKd", "four sixes, K kicker"),
        ("KcKdKh2s2d", "full house, kings over twos"),
        ("AhKh9h5h2h", "flush, A-K-9-5-2"),
        ("AhKdQsJcTs", "ace-high straight"),
        ("Ah2d3s4c5s", "five-high straight"),
        ("7c7d7hKs2d", "three sevens, K-2 kickers"),
        ("AcAd6h6s2d", "two pair, aces and sixes, 2 kicker"),
        ("TcTdAh9s2d", "pair of tens, A-9-2 kickers"),
        ("7c5d4h3s2d", "high card, 7-5-4-3-2"),
    ],
)
def test_strengths_are_described_in_words(cards, words):
    assert describe_strength(evaluate(parse_cards(cards))) == words


def test_every_strength_has_its_own_description():
    assert len({describe_strength(strength) for strength in STRENGTHS}) == NUM_STRENGTHS


def test_categories_have_readable_labels():
    assert HandCategory.FULL_HOUSE.label == "full house"
    assert HandCategory.QUADS.label == "quads"


@pytest.mark.parametrize("strength", [0, 7_463, -1])
def test_other_numbers_are_no_strengths(strength):
    for function in (category, describe_strength):
        with pytest.raises(ValueError, match=f"strength {strength}: strengths are 1 to 7462"):
            function(strength)
