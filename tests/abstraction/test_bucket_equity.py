import numpy as np
import pytest

from runout.abstraction.bucket_equity import bucket_pair_equity
from runout.abstraction.bucket_map import build_flop_buckets
from runout.cards.canonical_hands import HAND_BY_COMBO, parse_canonical_hand
from runout.cards.card import parse_board
from runout.cards.combos import live_combos
from runout.equity.board_equity import compute_board_equity

FLOP = tuple(parse_board("AhKsQd"))


@pytest.fixture(scope="module")
def buckets():
    return build_flop_buckets(FLOP, (12, 2, 2))


def test_equities_of_two_buckets_sum_to_one(buckets):
    equity = bucket_pair_equity(buckets)
    np.testing.assert_allclose(equity + equity.T, 1.0, atol=1e-12)
    np.testing.assert_allclose(np.diag(equity), 0.5)


def test_stronger_buckets_have_more_equity_against_the_weakest(buckets):
    against_weakest = bucket_pair_equity(buckets)[:, 0]
    assert against_weakest[-1] == against_weakest.max()
    assert against_weakest[-1] > 0.9


def test_buckets_that_are_hands_have_the_published_equity_of_hands(buckets):
    combos = live_combos(FLOP)
    hands, labels = np.unique(HAND_BY_COMBO[combos], return_inverse=True)
    by_hand = buckets.replace_flop(labels, len(hands))
    equity = bucket_pair_equity(by_hand)
    row, column = (np.flatnonzero(hands == parse_canonical_hand(text))[0] for text in ("AA", "KK"))
    assert equity[row, column] == pytest.approx(0.9484848, abs=1e-7)
    table = compute_board_equity(FLOP).hand_table().equities()
    np.testing.assert_allclose(equity, table[np.ix_(hands, hands)], atol=1e-12)
