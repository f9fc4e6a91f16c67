"""The strength of every deal of a street, or of a sample: what bucket boundaries are cut from.

Strengths are whole-number scores until the last division, so equal strengths are equal numbers.
Flop and turn deals up to suits are few enough to score them all (1,286,792 and 13,960,050); a
river score is one of 1,981 numbers, so counting how often each occurs says everything.
"""

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from threading import Lock
from typing import TypeVar

import numpy as np

from runout.arrays import FloatArray, IntArray, Uint8Array, read_only
from runout.cards import deck
from runout.cards.hand_indexer import HandIndexer, canonical_boards
from runout.equity.board import BEST_SCORE, score_rivers, sum_strengths
from runout.events import reporting_phase
from runout.execution.context import RunContext
from runout.execution.pool import WorkerPool
from runout.trees.betting import Street

NUM_HOLE_CARDS = 2

_RUNOUTS = {Street.FLOP: 1081, Street.TURN: 46, Street.RIVER: 1}
_BOARDS_PER_TASK = {Street.FLOP: 16, Street.TURN: 256, Street.RIVER: 1024}
_ALL_COMBOS = np.arange(deck.NUM_COMBOS)

Result = TypeVar("Result")


class StrengthFeature(StrEnum):
    """The number by which hands are ordered."""

    EHS2 = "ehs2"
    EHS_SQUARED = "ehs_squared"


@dataclass(frozen=True)
class StreetSurvey:
    """Strengths of a street's deals in [0, 1], and how many deals each stands for.

    On a surveyed flop or turn there is one value per class of deals, in the order of
    `deal_indexer`.
    """

    street: Street
    values: FloatArray
    weights: IntArray


def street_of_board(num_cards: int) -> Street:
    """Returns the street that has 3, 4 or 5 cards on the board."""
    return Street(num_cards - deck.FLOP_SIZE)


@cache
def deal_indexer(street: Street) -> HandIndexer:
    """Returns the numbering of hole cards with an unordered board, up to suits."""
    return HandIndexer((NUM_HOLE_CARDS, street.num_board_cards))


def survey_all(street: Street, feature: StrengthFeature, context: RunContext) -> StreetSurvey:
    """Returns the strength of every deal of a street."""
    if street is Street.RIVER:
        return StreetSurvey(street, river_strengths(feature), _count_river_scores(context))
    num_boards = len(canonical_boards(street.num_board_cards)[0])
    scores, counts = _score_classes(street, feature, np.arange(num_boards), context)
    return StreetSurvey(street, _to_strength(street, feature, scores), counts)


def _count_river_scores(context: RunContext) -> IntArray:
    """Returns ``[1981]`` how many river deals have each score."""
    boards, weight_of_board = canonical_boards(deck.RIVER_SIZE)

    def count_part(part: IntArray) -> IntArray:
        scores = score_rivers(boards[part], _ALL_COMBOS)
        is_live = scores >= 0
        weight = np.broadcast_to(weight_of_board[part][:, None], scores.shape)
        found = np.bincount(scores[is_live], weight[is_live], BEST_SCORE + 1)
        return found.astype(np.int64)

    by_part = _map_parts(Street.RIVER, np.arange(len(boards)), count_part, context)
    counts: IntArray = np.stack(by_part).sum(axis=0)
    return counts


def _map_parts(
    street: Street,
    board_classes: IntArray,
    work: Callable[[IntArray], Result],
    context: RunContext,
) -> list[Result]:
    """Returns what a function makes of each part of the boards; the threads take them in turn."""
    parts, num_done, progress = list(split_boards(street, board_classes)), 0, Lock()
    with (
        reporting_phase(context.on_event, f"{street.label} strengths", len(board_classes)) as told,
        closing(WorkerPool(context.num_threads)) as pool,
    ):

        def work_and_tell(part: IntArray) -> Result:
            nonlocal num_done
            context.cancel.raise_if_set()
            result = work(part)
            with progress:
                num_done += len(part)
                told(num_done)
            return result

        return pool.share(work_and_tell, parts, context.num_threads)


def survey_sample(
    street: Street, feature: StrengthFeature, deals: Uint8Array, context: RunContext | None = None
) -> StreetSurvey:
    """Returns the strength of deals ``[n, 2 + board]``, each with weight 1.

    By default boards are scored in this thread, and silently.
    """
    context = context or RunContext(1)
    if street is Street.RIVER:
        low, high = np.sort(deals[:, :NUM_HOLE_CARDS].astype(np.int64), axis=1).T
        combos, scores = high * (high - 1) // 2 + low, np.empty(len(deals), dtype=np.int64)
        boards = np.ascontiguousarray(deals[:, NUM_HOLE_CARDS:])

        def score_rows(rows: IntArray) -> None:
            by_combo = score_rivers(boards[rows], _ALL_COMBOS)
            scores[rows] = by_combo[np.arange(len(rows)), combos[rows]]

        _map_parts(street, np.arange(len(deals)), score_rows, context)
        values = river_strengths(feature)[scores]
    else:
        # Boards repeat up to suits, so each is scored once for all holdings dealt on it.
        board_indexer = HandIndexer((street.num_board_cards,))
        board_classes = board_indexer.index_many(deals[:, NUM_HOLE_CARDS:])
        scores, _ = _score_classes(street, feature, np.unique(board_classes), context)
        values = _to_strength(street, feature, scores[deal_indexer(street).index_many(deals)])
    return StreetSurvey(street, values, read_only(np.ones(len(deals), dtype=np.int64)))


def river_strengths(feature: StrengthFeature) -> FloatArray:
    """Returns ``[1981]`` the strength of each river score."""
    scores = np.arange(BEST_SCORE + 1) ** (1 if feature is StrengthFeature.EHS2 else 2)
    return _to_strength(Street.RIVER, feature, scores)


def deal_random(street: Street, num_deals: int, rng: np.random.Generator) -> Uint8Array:
    """Returns ``[n, 2 + board]`` independent uniformly random deals."""
    num_cards = NUM_HOLE_CARDS + street.num_board_cards
    # Sorted, not partitioned: which of the lowest come first in a partition depends on the CPU.
    order = rng.random((num_deals, deck.NUM_CARDS)).argsort(axis=1, kind="stable")
    return order[:, :num_cards].astype(np.uint8)


def _deals_on_boards(boards: Uint8Array) -> Uint8Array:
    """Returns ``[n * C, 2 + k]`` every live holding of each of ``boards[n, k]``, with the board."""
    holdings = np.stack([deck.COMBO_CARDS[deck.live_combos(board.tolist())] for board in boards])
    num_holdings = holdings.shape[1]
    deals = np.concatenate([holdings, boards[:, None].repeat(num_holdings, axis=1)], axis=2)
    return deals.reshape(-1, deals.shape[2])


def split_boards(street: Street, board_classes: IntArray) -> Iterator[IntArray]:
    """Yields the classes of boards in parts of a size that keeps a worker busy for a while."""
    size = _BOARDS_PER_TASK[street]
    for begin in range(0, len(board_classes), size):
        yield board_classes[begin : begin + size]


def score_boards(street: Street, feature: StrengthFeature, board_classes: IntArray) -> IntArray:
    """Returns the scores of all live holdings on some boards, one board after the other."""
    boards, _ = canonical_boards(street.num_board_cards)
    sums = [sum_strengths(board.tolist()) for board in boards[board_classes]]
    scores = [s.score if feature is StrengthFeature.EHS2 else s.squared_score for s in sums]
    return np.concatenate(scores)


def _score_classes(
    street: Street, feature: StrengthFeature, board_classes: IntArray, context: RunContext
) -> tuple[IntArray, IntArray]:
    """Returns ``[classes]`` scores of the deals on the given boards, and how many deals each is.

    Both are 0 for the others.
    """
    indexer = deal_indexer(street)
    boards, weight = canonical_boards(street.num_board_cards)
    table, counts = np.zeros((2, indexer.size), dtype=np.int64)

    def score_part(part: IntArray) -> None:
        classes = indexer.index_many(_deals_on_boards(boards[part]))
        table[classes] = score_boards(street, feature, part)  # no class has two of the boards
        np.add.at(counts, classes, weight[part].repeat(len(classes) // len(part)))

    _map_parts(street, board_classes, score_part, context)
    return table, counts


def _to_strength(street: Street, feature: StrengthFeature, scores: IntArray) -> FloatArray:
    power = 1 if feature is StrengthFeature.EHS2 else 2
    return read_only(scores / (_RUNOUTS[street] * BEST_SCORE**power))
