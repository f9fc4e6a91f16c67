"""The kernels of the hand indexer against the obvious twin; `test_hand_indexer` tests the whole."""

import numpy as np
import pytest

from runout.cards import indexer_kernels
from runout.cards.deck import parse_cards
from runout.cards.hand_indexer import HOLE_FLOP, HOLE_FLOP_TURN_RIVER, TURN_BOARD, HandIndexer
from tests.reference.hand_isomorphism import canonical_deal, count_deals_by_class

ROUNDS = [TURN_BOARD, HOLE_FLOP, HOLE_FLOP_TURN_RIVER]


def random_deals(num_deals: int, num_cards: int, seed: int) -> np.ndarray:
    """Returns deals from a short deck, so that many of them are equal up to suits."""
    short_deck = np.arange(28, 52)  # nines to aces
    generator = np.random.default_rng(seed)
    order = generator.random((num_deals, len(short_deck))).argsort(axis=1)
    return short_deck[order[:, :num_cards]].astype(np.uint8)


@pytest.mark.parametrize("rounds", ROUNDS, ids=str)
def test_index_deals_separates_exactly_what_renaming_suits_cannot_join(rounds):
    tables = HandIndexer(rounds)._tables
    deals = random_deals(2_000, sum(rounds), seed=0)
    out_indices = np.full(len(deals), -1)
    indexer_kernels.index_deals(tables, deals, out_indices)
    classes = [canonical_deal(deal, rounds) for deal in deals.tolist()]
    pairs = set(zip(out_indices.tolist(), classes, strict=True))
    assert len(pairs) == len(set(classes)) == len(set(out_indices.tolist()))


@pytest.mark.parametrize("rounds", ROUNDS, ids=str)
def test_unindex_deals_returns_a_deal_of_the_class(rounds):
    tables = HandIndexer(rounds)._tables
    deals = random_deals(500, sum(rounds), seed=1)
    indices = np.empty(len(deals), dtype=np.int64)
    indexer_kernels.index_deals(tables, deals, indices)
    out_cards = np.full_like(deals, 255)
    indexer_kernels.unindex_deals(tables, indices, out_cards)
    for found, deal in zip(out_cards.tolist(), deals.tolist(), strict=True):
        assert canonical_deal(found, rounds) == canonical_deal(deal, rounds)


def test_count_deals_counts_the_deals_of_every_flop_class():
    indexer = HandIndexer((3,))
    out_counts = np.zeros(indexer.size, dtype=np.int64)
    indexer_kernels.count_deals(indexer._tables, np.arange(indexer.size), out_counts)
    for (flop,), count in count_deals_by_class((3,)).items():
        assert out_counts[indexer.index(flop)] == count


def test_find_repeated_card_names_the_first_row():
    sound, repeated = parse_cards("2cAs7h9d"), [51, 0, 3, 51]
    rows = np.array([sound, sound, repeated, repeated], dtype=np.uint8)
    assert indexer_kernels.find_repeated_card(rows) == 2
    assert indexer_kernels.find_repeated_card(rows[:2]) == -1
    assert indexer_kernels.find_repeated_card(rows[:0]) == -1
