"""The numbers that the grid of the 169 hands shows."""

import numpy as np
import pytest

from runout.cards.canonical_hands import HAND_BY_COMBO, parse_canonical_hand
from runout.cards.card import parse_cards
from runout.ranges.notation import parse_range
from runout.trees.betting import Street
from runout.views.measures import Measure, hand_reach, hand_strategy, hand_values
from runout.views.selection import range_factors, select_hands
from tests.views.test_node import decision

KINGS, QUEENS = parse_canonical_hand("KK"), parse_canonical_hand("QQ")


def test_values_of_hands_are_means_over_their_deals():
    node = decision()
    kings = HAND_BY_COMBO == KINGS
    deals = np.where(kings, node.deals(1), 0.0)
    ev = hand_values(node, 1, Measure.EV)
    assert ev[KINGS] == pytest.approx(np.nansum(deals * node.ev[1]) / deals.sum())
    assert np.isnan(ev[parse_canonical_hand("72o")])


def test_realized_equity_is_what_is_got_of_what_equity_gives():
    node = decision()
    ev, equity, eqr = (hand_values(node, 0, m) for m in (Measure.EV, Measure.EQUITY, Measure.EQR))
    assert eqr[KINGS] == pytest.approx(ev[KINGS] / (10.0 * equity[KINGS]))


def test_reach_is_a_share_of_the_combos_that_the_board_leaves():
    node = decision(board=parse_cards("Qs7h2h"), street=Street.FLOP)
    weights = node.weights[1, HAND_BY_COMBO == QUEENS]
    node.weights[1, HAND_BY_COMBO == QUEENS] = np.where(weights == weights.max(), 1.0, 0.0)
    assert hand_reach(node, 1)[QUEENS] == pytest.approx(1 / 3)
    assert np.isnan(hand_reach(node, 1)[parse_canonical_hand("72o")])
    part = select_hands(node, 1, range_factors(node, parse_range("KK")))
    assert np.isnan(hand_values(part, 1, Measure.REACH)[QUEENS])


def test_what_hands_do_adds_up_to_one():
    played = hand_strategy(decision())
    assert played[:, KINGS].sum() == pytest.approx(1.0)
    assert np.isnan(played[:, parse_canonical_hand("72o")]).all()


def test_a_strategy_is_no_single_number():
    with pytest.raises(ValueError, match="more than one number"):
        hand_values(decision(), 1, Measure.STRATEGY)
