"""The rules of poker: which hand beats which, what a hand is called, scores without a kernel."""

from collections.abc import Sequence
from enum import IntEnum
from functools import cache, lru_cache
from itertools import combinations_with_replacement

import numpy as np

from runout.arrays import IntArray, read_only
from runout.cards.deck import (
    COMBO_CARDS,
    COMBO_HAS_CARD,
    NUM_RANKS,
    NUM_SUITS,
    RANKS,
    RIVER_SIZE,
    card_rank,
    card_suit,
    require_board,
)

# A hand's *score* packs its category and up to five deciding ranks into one integer, so that the
# better hand has the larger score. The scores of all five-card hands, sorted, are the 7,462
# *strengths*: 1 is seven-five high, 7462 a royal flush.

NUM_STRENGTHS = 7462
CARDS_THAT_COUNT = 5

_RANK_NAMES = "two three four five six seven eight nine ten jack queen king ace".split()


class HandCategory(IntEnum):
    """What a hand is called, weakest first."""

    HIGH_CARD = 0
    PAIR = 1
    TWO_PAIR = 2
    TRIPS = 3
    STRAIGHT = 4
    FLUSH = 5
    FULL_HOUSE = 6
    QUADS = 7
    STRAIGHT_FLUSH = 8

    @property
    def label(self) -> str:
        """The category in words, such as ``full house``."""
        return self.name.lower().replace("_", " ")


#: How many of the scored ranks decide a hand of each category.
_NUM_DECIDING_RANKS = (5, 4, 3, 3, 1, 5, 2, 2, 1)


def category(strength: int) -> HandCategory:
    """Returns the category of a strength."""
    return _unpack(strength)[0]


def describe_strength(strength: int) -> str:
    """Returns a strength in words, such as ``full house, kings over twos``."""
    kind, ranks = _unpack(strength)
    first = _RANK_NAMES[ranks[0]]
    letters = "-".join(RANKS[rank] for rank in ranks)
    kickers = "-".join(RANKS[rank] for rank in ranks[1:])
    match kind:
        case HandCategory.PAIR:
            return f"pair of {_plural(ranks[0])}, {kickers} kickers"
        case HandCategory.TWO_PAIR:
            pairs = f"{_plural(ranks[0])} and {_plural(ranks[1])}"
            return f"two pair, {pairs}, {RANKS[ranks[2]]} kicker"
        case HandCategory.TRIPS:
            return f"three {_plural(ranks[0])}, {kickers} kickers"
        case HandCategory.FULL_HOUSE:
            return f"full house, {_plural(ranks[0])} over {_plural(ranks[1])}"
        case HandCategory.QUADS:
            return f"four {_plural(ranks[0])}, {kickers} kicker"
        case HandCategory.STRAIGHT_FLUSH if ranks[0] == NUM_RANKS - 1:
            return "royal flush"
        case HandCategory.STRAIGHT | HandCategory.STRAIGHT_FLUSH:
            return f"{first}-high {kind.label}"
        case _:
            return f"{kind.label}, {letters}"


def score_ranks(ranks: Sequence[int]) -> int:
    """Returns the best five-card score of five or more ranks that make no flush."""
    groups = sorted(((ranks.count(rank), rank) for rank in set(ranks)), reverse=True)
    first_count, first = groups[0]
    second_count, second = groups[1]
    if first_count == 4:
        return _pack(HandCategory.QUADS, [first, *_kickers(ranks, [first], 1)])
    if first_count == 3 and second_count >= 2:
        return _pack(HandCategory.FULL_HOUSE, [first, second])
    top = straight_top(sum(1 << rank for rank in set(ranks)))
    if top >= 0:
        return _pack(HandCategory.STRAIGHT, [top])
    if first_count == 3:
        return _pack(HandCategory.TRIPS, [first, *_kickers(ranks, [first], 2)])
    if second_count == 2:
        pairs = [first, second]
        return _pack(HandCategory.TWO_PAIR, [*pairs, *_kickers(ranks, pairs, 1)])
    if first_count == 2:
        return _pack(HandCategory.PAIR, [first, *_kickers(ranks, [first], 3)])
    return _pack(HandCategory.HIGH_CARD, _kickers(ranks, [], 5))


@cache
def score_flush(rank_set: int) -> int:
    """Returns the best five-card score of suited ranks, given as a bit set; 0 if below five."""
    if rank_set.bit_count() < CARDS_THAT_COUNT:
        return 0
    top = straight_top(rank_set)
    if top >= 0:
        return _pack(HandCategory.STRAIGHT_FLUSH, [top])
    ranks = [rank for rank in range(NUM_RANKS) if rank_set >> rank & 1]
    return _pack(HandCategory.FLUSH, _kickers(ranks, [], 5))


def straight_top(rank_set: int) -> int:
    """Returns the highest rank of the best straight in a set of ranks, 3 for A2345, -1 if none."""
    with_low_ace = rank_set << 1 | rank_set >> (NUM_RANKS - 1)
    for top in range(NUM_RANKS - 1, 2, -1):
        if with_low_ace >> (top - 3) & 0b11111 == 0b11111:
            return top
    return -1


def rank_multisets(size: int) -> list[tuple[int, ...]]:
    """Returns all multisets of ``size`` ranks that a deck allows, each in ascending order."""
    return [
        ranks
        for ranks in combinations_with_replacement(range(NUM_RANKS), size)
        if max(map(ranks.count, ranks)) <= 4
    ]


@cache
def five_card_scores() -> tuple[int, ...]:
    """Returns the 7,462 scores of five cards, ascending."""
    plain = {score_ranks(ranks) for ranks in rank_multisets(CARDS_THAT_COUNT)}
    rank_sets = (s for s in range(1 << NUM_RANKS) if s.bit_count() == CARDS_THAT_COUNT)
    return tuple(sorted(plain | {score_flush(rank_set) for rank_set in rank_sets}))


def _pack(kind: HandCategory, deciding_ranks: Sequence[int]) -> int:
    score = int(kind)
    for i in range(CARDS_THAT_COUNT):
        score = score << 4 | (deciding_ranks[i] if i < len(deciding_ranks) else 0)
    return score


def _unpack(strength: int) -> tuple[HandCategory, list[int]]:
    """Returns the category and the deciding ranks of a strength."""
    if not 1 <= strength <= NUM_STRENGTHS:
        raise ValueError(f"strength {strength}: strengths are 1 to {NUM_STRENGTHS}")
    score = five_card_scores()[strength - 1]
    kind = HandCategory(score >> 4 * CARDS_THAT_COUNT)
    nibbles = [score >> 4 * i & 0xF for i in range(CARDS_THAT_COUNT - 1, -1, -1)]
    return kind, nibbles[: _NUM_DECIDING_RANKS[kind]]


def _kickers(ranks: Sequence[int], used: Sequence[int], count: int) -> list[int]:
    return sorted(set(ranks) - set(used), reverse=True)[:count]


def _plural(rank: int) -> str:
    name = _RANK_NAMES[rank]
    return name + ("es" if name == "six" else "s")


# Scores of all combos on one board by the rules themselves: for looking, without a kernel.
#
# `evaluate_board` says the same, hundreds of times faster, once its kernels are compiled.

#: ``[1326]`` ranks of the lower and the higher card of every combo, and their suits.
LOW_RANK, HIGH_RANK = (COMBO_CARDS // NUM_SUITS).astype(np.int64).T
LOW_SUIT, HIGH_SUIT = (COMBO_CARDS % NUM_SUITS).astype(np.int64).T

_NUM_KEPT_RANKS = 512  # more than the 455 of all flops, or all runouts of one flop; 0.7 MB


def score_board(board: Sequence[int]) -> IntArray:
    """Returns ``[1326]`` scores (see `hand_ranking`) of all combos, 0 where blocked."""
    require_board(board)
    board_ranks = tuple(sorted(card_rank(card) for card in board))
    score: IntArray = _scores_of_ranks(board_ranks)[HIGH_RANK, LOW_RANK]
    for suit in range(NUM_SUITS):
        on_board = suited_ranks(board, suit)
        if on_board.bit_count() >= CARDS_THAT_COUNT - 2:
            distinct, position = np.unique(on_board | held_suited_ranks(suit), return_inverse=True)
            flushes = np.array([score_flush(rank_set) for rank_set in distinct.tolist()])
            score = np.maximum(score, flushes[position])
    score[COMBO_HAS_CARD[:, list(board)].any(axis=1)] = 0
    return score


def score_of_board_alone(board: Sequence[int]) -> int:
    """Returns the score of a river board's own five cards, 0 before the river."""
    if len(board) < RIVER_SIZE:
        return 0
    of_suit = suited_ranks(board, card_suit(board[0]))
    return score_flush(of_suit) or score_ranks([card_rank(card) for card in board])


def category_of_score(score: IntArray) -> IntArray:
    """Returns the categories, 0 to 8, of scores."""
    return score >> 4 * CARDS_THAT_COUNT


def deciding_rank(score: IntArray, place: int) -> IntArray:
    """Returns the rank that decides between hands of one category at a place, 0 the first."""
    return score >> 4 * (CARDS_THAT_COUNT - 1 - place) & 0xF


def suited_ranks(cards: Sequence[int], suit: int) -> int:
    """Returns the ranks that cards have in a suit, as a bit set."""
    return sum(1 << card_rank(card) for card in cards if card_suit(card) == suit)


def held_suited_ranks(suit: int) -> IntArray:
    """Returns ``[1326]`` the ranks that every combo has in a suit, as bit sets."""
    low, high = (LOW_SUIT == suit) << LOW_RANK, (HIGH_SUIT == suit) << HIGH_RANK
    held: IntArray = low | high
    return held


@lru_cache(_NUM_KEPT_RANKS)
def _scores_of_ranks(board_ranks: tuple[int, ...]) -> IntArray:
    """Returns ``[13, 13]`` scores without flushes by the higher and the lower rank of a combo."""
    score = np.zeros((NUM_RANKS, NUM_RANKS), dtype=np.int64)
    for low, high in combinations_with_replacement(range(NUM_RANKS), 2):
        ranks = [*board_ranks, low, high]
        if max(ranks.count(low), ranks.count(high)) <= NUM_SUITS:
            score[high, low] = score_ranks(ranks)
    return read_only(score)
