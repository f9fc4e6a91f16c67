"""The kernels of the hand indexer against the obvious twin; `test_hand_indexer` tests the whole."""

import numpy as np
import pytest

from runout.cards import indexer_kernels
from runout.cards.deck import parse_cards
from runout.cards.hand_indexer import HandIndexer
from tests.reference.hand_isomorphism import canonical_deal

ROUNDS = [(4,), (2, 3), (2, 3, 1, 1)]


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


def test_find_repeated_card_names_the_first_row():
    sound, repeated = parse_cards("2cAs7h9d"), [51, 0, 3, 51]
    rows = np.array([sound, sound, repeated, repeated], dtype=np.uint8)
    assert indexer_kernels.find_repeated_card(rows) == 2
    assert indexer_kernels.find_repeated_card(rows[:2]) == -1
    assert indexer_kernels.find_repeated_card(rows[:0]) == -1
