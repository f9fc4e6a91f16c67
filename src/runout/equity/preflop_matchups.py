"""Builds the shipped table of preflop matchups by enumerating every board.

The 2,598,960 boards are 134,459 up to suits. Each representative ranks all 1,326 combos once;
wins counted on representatives are then averaged over the renamings of suits, which gives exactly
the wins over all boards.
"""

from collections.abc import Iterator

import numpy as np

from runout.arrays import AnyArray, IntArray, Uint8Array, Uint32Array
from runout.cards.combos import NUM_COMBOS
from runout.cards.evaluator_tables import evaluator_tables
from runout.cards.hand_indexer import RIVER_BOARD, HandIndexer
from runout.equity import equity_kernels
from runout.equity.preflop_equity import (
    REPRESENTATIVES,
    SUIT_IMAGES,
    matchup_classes,
    preflop_equity,
)
from runout.errors import TableError
from runout.events import EventSink, ignore_event, reporting_phase
from runout.execution.local import map_tasks

PHASE = "counting boards"

_BOARDS_PER_TASK = 8 * 255
_Task = tuple[Uint8Array, IntArray]


def rebuild_matchups(num_workers: int, on_event: EventSink = ignore_event) -> dict[str, AnyArray]:
    """Returns the arrays of the shipped file, counted anew (seconds of work, 100 MB of memory).

    Args:
        num_workers: threads to use; the result does not depend on it.
        on_event: told about progress, in boards up to suits.
    """
    indexer = HandIndexer(RIVER_BOARD)
    total = np.zeros((NUM_COMBOS, NUM_COMBOS), dtype=np.uint32)
    done = 0
    with reporting_phase(on_event, PHASE, indexer.size) as advance:
        for num_boards, wins in map_tasks(_count_wins, _split_boards(indexer), num_workers):
            total += wins
            done += num_boards
            advance(done)
    return {"wins": _average_over_suits(total)}


def verify_matchups(num_workers: int, on_event: EventSink = ignore_event) -> int:
    """Counts all boards again and returns the number of matchups that agree with the shipped file.

    Raises:
        TableError: if any does not, or the file cannot be read.
    """
    shipped = preflop_equity().wins_of_hand
    class_of, num_classes = matchup_classes()
    rebuilt = rebuild_matchups(num_workers, on_event)["wins"]
    num_wrong = np.count_nonzero((rebuilt[class_of] != shipped) & (class_of >= 0))
    if num_wrong:
        raise TableError("preflop matchups", f"{num_wrong} of {class_of.size} do not agree")
    return num_classes


def _split_boards(indexer: HandIndexer) -> Iterator[_Task]:
    """Yields boards with the number of boards each stands for, equal numbers together."""
    weight = indexer.multiplicities()
    order = np.argsort(weight, kind="stable")
    for begin in range(0, indexer.size, _BOARDS_PER_TASK):
        chosen = order[begin : begin + _BOARDS_PER_TASK]
        yield indexer.unindex_many(chosen), weight[chosen]


def _count_wins(task: _Task) -> tuple[int, Uint32Array]:
    boards, weight = task
    hero = np.empty((len(boards), NUM_COMBOS), dtype=np.uint8)
    villain = np.empty_like(hero)
    combos = np.arange(NUM_COMBOS)
    equity_kernels.rank_combos(evaluator_tables(), boards, combos, hero, villain)
    wins = np.zeros((NUM_COMBOS, NUM_COMBOS), dtype=np.uint32)
    equity_kernels.count_wins(hero, villain, weight, wins)
    return len(boards), wins


def _average_over_suits(total: Uint32Array) -> Uint32Array:
    """Returns wins per class: the mean over suits of the wins counted on representatives."""
    class_of, num_classes = matchup_classes()
    wins = np.empty(num_classes, dtype=np.uint32)
    for hand, representative in enumerate(REPRESENTATIVES):
        can_meet = class_of[hand] >= 0
        mine = SUIT_IMAGES[:, representative]
        sums = total[mine[:, None], SUIT_IMAGES[:, can_meet]].sum(axis=0, dtype=np.int64)
        wins[class_of[hand, can_meet]] = sums // len(SUIT_IMAGES)
    return wins
