"""Strength of 5, 6 and 7 cards: 1 (seven-five high) to 7462 (royal flush), equal if they tie."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from runout.arrays import Uint16Array
from runout.cache import load_arrays
from runout.cards import evaluator_kernels
from runout.cards.deck import (
    NUM_CARDS,
    NUM_COMBOS,
    format_cards,
    parse_cards,
    require_board,
    require_distinct,
)
from runout.cards.evaluator_kernels import EvaluatorTables
from runout.errors import CardError

HAND_SIZES = (5, 6, 7)

#: Made by `tools/shipped_tables.py` from the rules of poker.
TABLE_FILE = Path(__file__).parent / "data" / "evaluator.npz"
DIGEST = "a191933b680b00ca0e14b7d63f4a51d137807b13b5eb4323eff6f393b8f9dc25"


@cache
def evaluator_tables() -> EvaluatorTables:
    """Returns the shipped tables."""
    return EvaluatorTables(**load_arrays(TABLE_FILE, DIGEST))  # type: ignore[arg-type]


@overload
def evaluate(hands: str | Sequence[int]) -> int: ...


@overload
def evaluate(hands: npt.NDArray[np.integer[Any]]) -> Uint16Array: ...


def evaluate(hands: str | Sequence[int] | npt.NDArray[np.integer[Any]]) -> int | Uint16Array:
    """Returns the strength of the best five of 5, 6 or 7 cards, of one hand or of many.

    >>> import numpy as np
    >>> import runout
    >>> runout.evaluate("AhKhQhJhTh 2c 3d")
    7462
    >>> runout.evaluate(np.array([[0, 5, 10, 15, 20], [51, 50, 49, 48, 47]]))
    array([   1, 7452], dtype=uint16)

    Args:
        hands: text or cards of one hand; or an array ``[n, 5 to 7]`` of integers, a row for each
            hand (about 10 ns a row).

    Returns:
        A number, or ``[n]`` of them.

    Raises:
        CardError: on another number of cards or an id that is no card. In one hand a repeated
            card is an error as well; rows of an array are not searched for them.
    """
    if isinstance(hands, np.ndarray):
        return _evaluate_rows(hands)
    cards = parse_cards(hands) if isinstance(hands, str) else hands
    require_distinct(cards)
    if len(cards) not in HAND_SIZES:
        raise CardError(
            f"hand {format_cards(cards)!r}", f"{len(cards)} cards, a hand to rank has 5, 6 or 7"
        )
    return int(_evaluate_rows(np.array([cards], dtype=np.uint8))[0])


def _evaluate_rows(hands: npt.NDArray[np.integer[Any]]) -> Uint16Array:
    if hands.ndim != 2 or hands.shape[1] not in HAND_SIZES or hands.dtype.kind not in "iu":
        where = f"{hands.dtype} hands of shape {hands.shape}"
        raise CardError(where, "rows of 5, 6 or 7 whole numbers are needed")
    if hands.size and (hands.min() < 0 or hands.max() >= NUM_CARDS):
        wrong = hands[(hands < 0) | (hands >= NUM_CARDS)][0]
        raise CardError(f"card {wrong}", f"card ids are 0 to {NUM_CARDS - 1}")
    strength = np.empty(len(hands), dtype=np.uint16)
    cards = np.ascontiguousarray(hands, dtype=np.uint8)
    evaluator_kernels.evaluate_hands(evaluator_tables(), cards, strength)
    return strength


def evaluate_board(board: Sequence[int]) -> Uint16Array:
    """Returns ``[1326]`` strengths of all combos on a flop, turn or river, 0 where blocked."""
    require_board(board)
    strength = np.empty(NUM_COMBOS, dtype=np.uint16)
    evaluator_kernels.evaluate_board(
        evaluator_tables(),
        np.array(board, dtype=np.uint8),
        np.empty((13, NUM_CARDS), dtype=np.uint16),
        strength,
    )
    return strength
