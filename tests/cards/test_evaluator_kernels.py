import numpy as np
import pytest

from runout.cards import evaluator_kernels
from runout.cards.deck import NUM_COMBOS, parse_board
from runout.cards.evaluator import evaluator_tables
from tests.reference.showdowns import strength, strengths_on

BOARDS = [
    "AhKsQd",
    "9s6s2s",  # flush with two cards
    "9s6s2sTs",  # flush with one
    "9s6s2sTsKs",  # a flush for everybody
    "Th9h8h7h6h",  # a straight flush on board
    "AhAdAc",
    "AhAdAcAs",  # no ace left
    "AhAdAcAsKd",
    "AsAdKsKd2s",  # paired and three of a suit
    "2c2d2h2s3c",
    "As2s3s4sKh",  # wheel and flush with one card
    "2c3d4h5s7c",
]


@pytest.mark.parametrize("num_cards", [5, 6, 7])
def test_evaluate_hands_equals_another_evaluator(num_cards):
    generator = np.random.default_rng(num_cards)
    hands = generator.random((5_000, 52)).argsort(axis=1)[:, :num_cards].astype(np.uint8)
    hands[0] = 4 * np.arange(num_cards)  # a flush in clubs, and the other suits
    for suit in range(1, 4):
        hands[suit] = hands[0] + suit
    out_strength = np.zeros(len(hands), dtype=np.uint16)
    evaluator_kernels.evaluate_hands(evaluator_tables(), hands, out_strength)
    assert out_strength.tolist() == [strength(hand) for hand in hands.tolist()]


def evaluate_board(board) -> np.ndarray:
    """Calls the kernel with working space and output full of rubbish."""
    scratch = np.full((13, 52), 60_000, dtype=np.uint16)
    out_strength = np.full(NUM_COMBOS, 60_001, dtype=np.uint16)
    cards = np.array(board, dtype=np.uint8)
    evaluator_kernels.evaluate_board(evaluator_tables(), cards, scratch, out_strength)
    return out_strength


@pytest.mark.parametrize("board", BOARDS)
def test_evaluate_board_equals_another_evaluator(board):
    cards = parse_board(board)
    np.testing.assert_array_equal(evaluate_board(cards), strengths_on(cards))


@pytest.mark.parametrize("num_cards", [3, 4, 5])
def test_evaluate_board_equals_another_evaluator_on_random_boards(num_cards):
    generator = np.random.default_rng(20 + num_cards)
    for _ in range(50):
        board = generator.choice(52, num_cards, replace=False).tolist()
        np.testing.assert_array_equal(evaluate_board(board), strengths_on(board))


@pytest.mark.parametrize("suit", range(4))
@pytest.mark.parametrize("num_suited", [3, 4, 5])
def test_evaluate_board_finds_flushes_of_every_suit(suit, num_suited):
    generator = np.random.default_rng(30 + suit)
    for _ in range(10):
        suited = 4 * generator.choice(13, num_suited, replace=False) + suit
        others = [card for card in range(52) if card % 4 != suit]
        rest = generator.choice(others, 5 - num_suited, replace=False)
        board = [*suited.tolist(), *rest.tolist()]
        np.testing.assert_array_equal(evaluate_board(board), strengths_on(board))
