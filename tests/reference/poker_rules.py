"""The rules of poker as a player would state them: of all choices of five cards keep the best."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

STRAIGHT_FLUSH, QUADS, FULL_HOUSE, FLUSH, STRAIGHT, TRIPS, TWO_PAIR, PAIR, HIGH_CARD = range(
    8, -1, -1
)
CATEGORY_BY_COUNTS = {
    (4, 1): QUADS,
    (3, 2): FULL_HOUSE,
    (3, 1, 1): TRIPS,
    (2, 2, 1): TWO_PAIR,
    (2, 1, 1, 1): PAIR,
    (1, 1, 1, 1, 1): HIGH_CARD,
}
WHEEL = [12, 3, 2, 1, 0]

#: Category first, then the ranks that decide between two hands of one category.
Value = tuple[int, ...]


def value_of_best(cards: Sequence[int]) -> Value:
    """Returns the value of the best five of the cards; the better hand has the greater value."""
    return max(map(value_of_five, combinations(cards, 5)))


def value_of_five(cards: Sequence[int]) -> Value:
    ranks = sorted((card // 4 for card in cards), reverse=True)
    counts = Counter(ranks)
    deciding = sorted(counts, key=lambda rank: (counts[rank], rank), reverse=True)
    is_flush = len({card % 4 for card in cards}) == 1
    is_straight = ranks == WHEEL or (len(counts) == 5 and ranks[0] - ranks[4] == 4)
    if ranks == WHEEL:
        deciding = [3]
    if is_flush and is_straight:
        return (STRAIGHT_FLUSH, *deciding)
    kind = CATEGORY_BY_COUNTS[tuple(sorted(counts.values(), reverse=True))]
    if is_flush or is_straight:
        kind = FLUSH if is_flush else STRAIGHT
    return (kind, *deciding)
