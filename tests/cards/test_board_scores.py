import subprocess
import sys

import numpy as np
import pytest

from runout.cards.board_scores import (
    category_of_score,
    deciding_rank,
    held_suited_ranks,
    score_board,
    score_of_board_alone,
    suited_ranks,
)
from runout.cards.card import parse_board
from runout.cards.combos import NUM_COMBOS, live_combos, parse_combo
from runout.cards.evaluator import evaluate_board
from runout.cards.hand_ranking import HandCategory, strength_of_score
from runout.errors import CardError
from tests.reference.showdowns import strength, strengths_on

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
