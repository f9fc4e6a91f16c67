"""Strength of 5, 6 and 7 cards, and the tables behind the fast evaluator."""

from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from runout.arrays import AnyArray, Uint16Array
from runout.cache import Arrays, load_or_build
from runout.cards import evaluator_kernels
from runout.cards.deck import (
    NUM_CARDS,
    NUM_COMBOS,
    NUM_RANKS,
    card_rank,
    card_suit,
    format_cards,
    parse_cards,
    require_board,
    require_distinct,
)
from runout.cards.evaluator_kernels import ROW_BITS, EvaluatorTables
from runout.cards.hand_ranking import (
    CARDS_THAT_COUNT,
    rank_multisets,
    score_flush,
    score_ranks,
    strength_of_score,
)
from runout.errors import CardError

# Builds the evaluator's tables from the rules of poker; the result is cached and digested.

HAND_SIZES = (5, 6, 7)

#: Sums of these over a hand's ranks are unique for hands of one size.
RANK_KEYS = (0, 1, 5, 22, 98, 453, 2031, 8698, 22854, 83661, 262349, 636345, 1479181)

_DIGEST = "a191933b680b00ca0e14b7d63f4a51d137807b13b5eb4323eff6f393b8f9dc25"
_NUM_RANK_SETS = 1 << NUM_RANKS


@cache
def evaluator_tables() -> EvaluatorTables:
    """Returns the tables, from the cache if they were built before (about a second if not)."""
    arrays = load_or_build("evaluator", _DIGEST, _build)
    return EvaluatorTables(**{name: arrays[name] for name in EvaluatorTables._fields})  # type: ignore[arg-type]


def _build() -> Arrays:
    flush_strength = np.zeros(_NUM_RANK_SETS, dtype=np.uint16)
    for rank_set in range(_NUM_RANK_SETS):
        if rank_set.bit_count() >= CARDS_THAT_COUNT:
            flush_strength[rank_set] = strength_of_score(score_flush(rank_set))
    by_rank_key = [
        {
            sum(RANK_KEYS[rank] for rank in ranks): strength_of_score(score_ranks(ranks))
            for ranks in rank_multisets(size)
        }
        for size in HAND_SIZES
    ]
    row_start, strength = _pack_rows(by_rank_key)
    cards = range(NUM_CARDS)
    return {
        "card_key": np.array(
            [RANK_KEYS[card_rank(c)] | 1 << (32 + 4 * card_suit(c)) for c in cards], dtype=np.uint64
        ),
        "card_bit": np.array(
            [1 << (16 * card_suit(c) + card_rank(c)) for c in cards], dtype=np.uint64
        ),
        "row_start": row_start,
        "strength": strength,
        "flush_strength": flush_strength,
    }


def _pack_rows(values_by_key: Sequence[dict[int, int]]) -> tuple[AnyArray, AnyArray]:
    """Packs sparse tables into one array: rows, fullest first, go to the first place that is free.

    There is one table per hand size; a key's high bits are its row. Returns ``[sizes, rows]`` the
    start of each row (it may be negative: only start + column counts), and the packed values.
    """
    rows: dict[tuple[int, int], dict[int, int]] = defaultdict(dict)
    for table, values in enumerate(values_by_key):
        for key, value in values.items():
            rows[table, key >> ROW_BITS][key & ((1 << ROW_BITS) - 1)] = value
    row_start = np.zeros((len(values_by_key), 1 + max(row for _, row in rows)), dtype=np.int32)
    packed: dict[int, int] = {}
    taken = 0  # bit i: cell i of the packed array is in use
    for place, row in sorted(rows.items(), key=lambda item: (-len(item[1]), item[0])):
        first_column = min(row)
        # Bit d of `clashes` says that sliding the row's first cell to d hits a taken cell.
        clashes = 0
        for column in row:
            clashes |= taken >> (column - first_column)
        start = (~clashes & (clashes + 1)).bit_length() - 1 - first_column
        row_start[place] = start
        for column, value in row.items():
            taken |= 1 << (start + column)
            packed[start + column] = value
    strength = np.zeros(max(packed) + 1, dtype=np.uint16)
    strength[list(packed)] = list(packed.values())
    return row_start, strength


# Strength of 5, 6 and 7 cards: 1 (seven-five high) to 7462 (royal flush), equal if they tie.


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
