import numpy as np
import pytest

from runout.cards.canonical_hands import matchup_weights
from runout.cards.flops import explicit_flops, subset_flops
from runout.equity.board_equity import compute_board_equity
from runout.preflop.joint.flop_deals import FlopDeals
from runout.preflop.preflop_leaves import preflop_edge


def test_beside_one_flop_hands_are_dealt_by_the_combos_that_it_leaves():
    deals = FlopDeals.of(explicit_flops(["AhKd7s"]))
    weights = matchup_weights((51, 46, 20))
    assert weights.sum() == 1_176 * 1_081
    canonical = matchup_weights(deals.flops.flops[0])
    np.testing.assert_allclose(deals.share, canonical / canonical.sum(), rtol=1e-12)


def test_a_checked_down_flop_is_worth_its_equities():
    flops = explicit_flops(["AhKd7s"])
    deals, equities = FlopDeals.of(flops), compute_board_equity(flops.flops[0]).hand_table()
    edge = 2 * (equities.wins + equities.ties / 2) / np.maximum(equities.totals, 1) - 1
    np.testing.assert_allclose(deals.edge, deals.share * edge, atol=1e-15)


def test_what_one_hand_wins_the_other_loses():
    deals = FlopDeals.of(subset_flops(8))
    np.testing.assert_allclose(deals.edge, -deals.edge.T, atol=1e-18)
    assert deals.share.sum() == pytest.approx(1.0)


def test_a_good_subset_deals_nearly_what_all_flops_deal():
    deals, weights = FlopDeals.of(subset_flops(25)), matchup_weights()
    share = weights / weights.sum()
    assert np.abs(deals.share - share).sum() < 0.02
    assert np.abs(deals.edge - share * preflop_edge()).sum() < 0.03
