"""The rules of poker: which hand beats which, and what a hand is called.

A hand's *score* packs its category and up to five deciding ranks into one integer, so that the
better hand has the larger score. The scores of all five-card hands, sorted, are the 7,462
*strengths*: 1 is seven-five high, 7462 a royal flush.
"""

from bisect import bisect_left
from collections.abc import Sequence
from enum import IntEnum
from functools import cache
from itertools import combinations_with_replacement

from runout.cards.card import NUM_RANKS, RANKS

NUM_STRENGTHS = 7462
CARDS_THAT_COUNT = 5

_WHEEL = 0b1_0000_0000_1111  # A2345
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
    """Returns the category of a strength.

    Raises:
        ValueError: if it is not 1 to 7462.
    """
    return _unpack(_score_of_strength(strength))[0]


def describe_strength(strength: int) -> str:
    """Returns a strength in words, such as ``full house, kings over twos``.

    Raises:
        ValueError: if it is not 1 to 7462.
    """
    kind, ranks = _unpack(_score_of_strength(strength))
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
    if top is not None:
        return _pack(HandCategory.STRAIGHT, [top])
    if first_count == 3:
        return _pack(HandCategory.TRIPS, [first, *_kickers(ranks, [first], 2)])
    if second_count == 2:
        pairs = [first, second]
        return _pack(HandCategory.TWO_PAIR, [*pairs, *_kickers(ranks, pairs, 1)])
    if first_count == 2:
        return _pack(HandCategory.PAIR, [first, *_kickers(ranks, [first], 3)])
    return _pack(HandCategory.HIGH_CARD, _kickers(ranks, [], 5))


def score_flush(rank_set: int) -> int:
    """Returns the best five-card score of five or more suited ranks, given as a bit set."""
    top = straight_top(rank_set)
    if top is not None:
        return _pack(HandCategory.STRAIGHT_FLUSH, [top])
    ranks = [rank for rank in range(NUM_RANKS) if rank_set >> rank & 1]
    return _pack(HandCategory.FLUSH, _kickers(ranks, [], 5))


def straight_top(rank_set: int) -> int | None:
    """Returns the highest rank of the best straight in a set of ranks (3, a five, for A2345)."""
    for top in range(NUM_RANKS - 1, 3, -1):
        window = 0b11111 << (top - 4)
        if rank_set & window == window:
            return top
    return 3 if rank_set & _WHEEL == _WHEEL else None


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


def strength_of_score(score: int) -> int:
    """Returns the strength, 1 to 7462, of a score."""
    return 1 + bisect_left(five_card_scores(), score)


def _score_of_strength(strength: int) -> int:
    if not 1 <= strength <= NUM_STRENGTHS:
        raise ValueError(f"strength {strength}: strengths are 1 to {NUM_STRENGTHS}")
    return five_card_scores()[strength - 1]


def _pack(kind: HandCategory, deciding_ranks: Sequence[int]) -> int:
    score = int(kind)
    for i in range(CARDS_THAT_COUNT):
        score = score << 4 | (deciding_ranks[i] if i < len(deciding_ranks) else 0)
    return score


def _unpack(score: int) -> tuple[HandCategory, list[int]]:
    kind = HandCategory(score >> 4 * CARDS_THAT_COUNT)
    nibbles = [score >> 4 * i & 0xF for i in range(CARDS_THAT_COUNT - 1, -1, -1)]
    return kind, nibbles[: _NUM_DECIDING_RANKS[kind]]


def _kickers(ranks: Sequence[int], used: Sequence[int], count: int) -> list[int]:
    return sorted(set(ranks) - set(used), reverse=True)[:count]


def _plural(rank: int) -> str:
    name = _RANK_NAMES[rank]
    return name + ("es" if name == "six" else "s")
