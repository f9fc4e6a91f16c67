"""Strength of 5, 6 and 7 cards: 1 (seven-five high) to 7462 (royal flush), equal if they tie."""

from collections.abc import Sequence

import numpy as np

from runout.arrays import Uint8Array, Uint16Array
from runout.cards import evaluator_kernels
from runout.cards.card import NUM_CARDS, format_cards, require_board, require_distinct
from runout.cards.combos import NUM_COMBOS
from runout.cards.evaluator_tables import HAND_SIZES, evaluator_tables
from runout.errors import CardError


def evaluate(cards: Sequence[int]) -> int:
    """Returns the strength of the best five of 5, 6 or 7 cards.

    Raises:
        CardError: on repeated cards or another number of them.
    """
    require_distinct(cards)
    if len(cards) not in HAND_SIZES:
        raise CardError(
            f"hand {format_cards(cards)!r}", f"{len(cards)} cards, a hand to rank has 5, 6 or 7"
        )
    return int(evaluate_many(np.array([cards], dtype=np.uint8))[0])


def evaluate_many(hands: Uint8Array) -> Uint16Array:
    """Returns ``[n]`` strengths of the rows of ``hands[n, 5 to 7]``, each of distinct cards.

    Raises:
        CardError: if the rows are not 5 to 7 cards; repeated cards in a row are not looked for.
    """
    if hands.ndim != 2 or hands.shape[1] not in HAND_SIZES:
        raise CardError(f"hands of shape {hands.shape}", "rows of 5, 6 or 7 cards are needed")
    if hands.size and (hands.min() < 0 or hands.max() >= NUM_CARDS):
        wrong = hands[(hands < 0) | (hands >= NUM_CARDS)][0]
        raise CardError(f"card {wrong}", f"card ids are 0 to {NUM_CARDS - 1}")
    strength = np.empty(len(hands), dtype=np.uint16)
    cards = np.ascontiguousarray(hands, dtype=np.uint8)
    evaluator_kernels.evaluate_hands(evaluator_tables(), cards, strength)
    return strength


def evaluate_board(board: Sequence[int]) -> Uint16Array:
    """Returns ``[1326]`` strengths of all combos on a flop, turn or river, 0 where blocked.

    Raises:
        CardError: if the board is not 3, 4 or 5 distinct cards.
    """
    require_board(board)
    strength = np.empty(NUM_COMBOS, dtype=np.uint16)
    evaluator_kernels.evaluate_board(
        evaluator_tables(),
        np.array(board, dtype=np.uint8),
        np.empty((13, NUM_CARDS), dtype=np.uint16),
        strength,
    )
    return strength
