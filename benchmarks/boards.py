"""All combos of a board at once, against the same hands one by one, both compiled.

Calls from Python cost more than the work: they are listed without a goal.
"""

import numpy as np

from benchmarks import loop_kernels
from benchmarks.evaluation import random_hands
from benchmarks.timing import Row, best_seconds, best_seconds_of_two, duration, speedup
from runout.arrays import Uint8Array
from runout.cards import evaluator_kernels
from runout.cards.deck import COMBO_CARDS, NUM_CARDS, NUM_COMBOS, live_combos
from runout.cards.evaluator import evaluate, evaluate_board, evaluator_tables

NUM_BOARDS = 1_000
GOAL = 5.0


def rows() -> list[Row]:
    """Returns time per random river board."""
    boards = random_hands(NUM_BOARDS)[:, :5].copy()
    hands = np.concatenate([hands_on(board) for board in boards])
    tables = evaluator_tables()
    scratch = np.empty((13, NUM_CARDS), dtype=np.uint16)
    by_combo = np.empty(NUM_COMBOS, dtype=np.uint16)
    by_hand = np.empty(len(hands), dtype=np.uint16)
    at_once, one_by_one = best_seconds_of_two(
        lambda: loop_kernels.evaluate_boards(tables, boards, scratch, by_combo),
        lambda: evaluator_kernels.evaluate_hands(tables, hands, by_hand),
    )
    board, hand = boards[0].tolist(), hands[0].tolist()
    return [
        speedup(
            "all 1,081 live combos of a river",
            at_once / NUM_BOARDS,
            one_by_one / NUM_BOARDS,
            "one by one",
            GOAL,
        ),
        duration("one call of evaluate_board", best_seconds(lambda: evaluate_board(board), 200)),
        duration("one call of evaluate", best_seconds(lambda: evaluate(hand), 200)),
    ]


def hands_on(board: Uint8Array) -> Uint8Array:
    """Returns ``[1081, 7]`` the cards of each live combo and the board."""
    holdings = COMBO_CARDS[live_combos(board.tolist())]
    return np.concatenate([holdings, np.tile(board, (len(holdings), 1))], axis=1)
