"""Deals up to suits the obvious way: try all 24 renamings and keep the lowest result."""

from collections.abc import Sequence
from itertools import combinations, permutations

from runout.cards.flops import suit_stabilizer

Deal = tuple[tuple[int, ...], ...]


def canonical_deal(cards: Sequence[int], cards_per_round: Sequence[int]) -> Deal:
    """Returns the lowest deal, each round sorted, that renaming suits can make of the cards."""
    return min(
        _split_sorted([card // 4 * 4 + new_suits[card % 4] for card in cards], cards_per_round)
        for new_suits in permutations(range(4))
    )


def canonicalize_holding(canonical, card_a: int, card_b: int) -> tuple[int, ...]:
    """Returns the canonical form, higher card first, of a holding on a dealt board.

    Of all renamings that make the board canonical it takes the one with the highest holding.
    """
    mappings = [canonical.mapping.then(kept) for kept in suit_stabilizer(canonical.cards)]
    holding = (card_a, card_b)
    return max(tuple(sorted(each.map_cards(holding), reverse=True)) for each in mappings)


def count_deals_by_class(cards_per_round: Sequence[int]) -> dict[Deal, int]:
    """Returns every class of deals in one round, with the number of deals in it."""
    (num_cards,) = cards_per_round
    counts: dict[Deal, int] = {}
    for cards in combinations(range(52), num_cards):
        deal = canonical_deal(cards, cards_per_round)
        counts[deal] = counts.get(deal, 0) + 1
    return counts


def _split_sorted(cards: Sequence[int], cards_per_round: Sequence[int]) -> Deal:
    rounds, begin = [], 0
    for count in cards_per_round:
        rounds.append(tuple(sorted(cards[begin : begin + count])))
        begin += count
    return tuple(rounds)
