"""Scores of all combos on one board by the rules themselves: for looking, without a kernel.

`evaluate_board` says the same, hundreds of times faster, once its kernels are compiled.
"""

from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import combinations_with_replacement

import numpy as np

from runout.arrays import IntArray, read_only
from runout.cards.card import NUM_RANKS, NUM_SUITS, RIVER_SIZE, card_rank, card_suit, require_board
from runout.cards.combos import COMBO_CARDS, COMBO_HAS_CARD
from runout.cards.hand_ranking import CARDS_THAT_COUNT, score_flush, score_ranks

#: ``[1326]`` ranks of the lower and the higher card of every combo, and their suits.
LOW_RANK, HIGH_RANK = (COMBO_CARDS // NUM_SUITS).astype(np.int64).T
LOW_SUIT, HIGH_SUIT = (COMBO_CARDS % NUM_SUITS).astype(np.int64).T

_CARDS_OF_A_RANK = NUM_SUITS
_MIN_SUITED_ON_BOARD = CARDS_THAT_COUNT - 2
_NUM_KEPT_RANKS = 512  # more than the 455 of all flops, or all runouts of one flop; 0.7 MB


def score_board(board: Sequence[int]) -> IntArray:
    """Returns ``[1326]`` scores (see `hand_ranking`) of all combos, 0 where blocked.

    Raises:
        CardError: if the board is not 3, 4 or 5 distinct cards.
    """
    require_board(board)
    board_ranks = tuple(sorted(card_rank(card) for card in board))
    score: IntArray = _scores_of_ranks(board_ranks)[HIGH_RANK, LOW_RANK]
    for suit in range(NUM_SUITS):
        on_board = suited_ranks(board, suit)
        if on_board.bit_count() >= _MIN_SUITED_ON_BOARD:
            score = np.maximum(score, _scores_of_flushes(on_board | held_suited_ranks(suit)))
    score[COMBO_HAS_CARD[:, list(board)].any(axis=1)] = 0
    return score


def score_of_board_alone(board: Sequence[int]) -> int:
    """Returns the score of a river board's own five cards, 0 before the river."""
    if len(board) < RIVER_SIZE:
        return 0
    is_flush = len({card_suit(card) for card in board}) == 1
    if is_flush:
        return score_flush(suited_ranks(board, card_suit(board[0])))
    return score_ranks([card_rank(card) for card in board])


def category_of_score(score: IntArray) -> IntArray:
    """Returns the categories, 0 to 8, of scores."""
    category: IntArray = score >> 4 * CARDS_THAT_COUNT
    return category


def deciding_rank(score: IntArray, place: int) -> IntArray:
    """Returns the rank that decides between hands of one category at a place, 0 the first."""
    rank: IntArray = score >> 4 * (CARDS_THAT_COUNT - 1 - place) & 0xF
    return rank


def suited_ranks(cards: Sequence[int], suit: int) -> int:
    """Returns the ranks that cards have in a suit, as a bit set."""
    return sum(1 << card_rank(card) for card in cards if card_suit(card) == suit)


def held_suited_ranks(suit: int) -> IntArray:
    """Returns ``[1326]`` the ranks that every combo has in a suit, as bit sets."""
    low, high = (LOW_SUIT == suit) << LOW_RANK, (HIGH_SUIT == suit) << HIGH_RANK
    held: IntArray = low | high
    return held


@cache
def _score_of_flush(rank_set: int) -> int:
    """Returns the score of suited ranks, of which there are 8,192 sets."""
    return score_flush(rank_set) if rank_set.bit_count() >= CARDS_THAT_COUNT else 0


@lru_cache(_NUM_KEPT_RANKS)
def _scores_of_ranks(board_ranks: tuple[int, ...]) -> IntArray:
    """Returns ``[13, 13]`` scores without flushes by the higher and the lower rank of a combo."""
    score = np.zeros((NUM_RANKS, NUM_RANKS), dtype=np.int64)
    for low, high in combinations_with_replacement(range(NUM_RANKS), 2):
        ranks = [*board_ranks, low, high]
        if max(ranks.count(low), ranks.count(high)) <= _CARDS_OF_A_RANK:
            score[high, low] = score_ranks(ranks)
    return read_only(score)


def _scores_of_flushes(rank_sets: IntArray) -> IntArray:
    """Returns the scores of bit sets of suited ranks, 0 for fewer than five ranks."""
    distinct, position = np.unique(rank_sets, return_inverse=True)
    scores = [_score_of_flush(rank_set) for rank_set in distinct.tolist()]
    return np.array(scores, dtype=np.int64)[position]
