from fractions import Fraction

import numpy as np
import pytest

from runout.cards.canonical_hands import matchup_weights, parse_canonical_hand
from runout.cards.card import parse_board
from runout.errors import CardError
from runout.postflop.flop_game import SMALLEST_RANGE_WEIGHT, FlopGame
from tests.postflop.toy_flops import flop_game

FLOPS = ["AhKsQd", "9s6s2s", "KdKc7h", "2s2h2d"]
PUBLISHED = [
    ("AhKsQd", "AA", "KK", 0.9484848),
    ("AhKsQd", "AA", "72o", 0.9919192),
    ("AhKsQd", "AKs", "QQ", 0.1982323),
    ("2c3h4d", "AA", "KK", 0.9121212),
    ("9s6s2s", "AA", "KK", 0.8422980),
]


@pytest.mark.parametrize(("flop", "hand", "other", "equity"), PUBLISHED)
def test_edges_are_twice_the_published_equity_minus_one(flop, hand, other, equity):
    edge = flop_game(flop).edge[parse_canonical_hand(hand), parse_canonical_hand(other)]
    assert (edge + 1.0) / 2.0 == pytest.approx(equity, abs=5e-8)


@pytest.mark.parametrize("flop", FLOPS)
def test_shares_are_the_joint_probability_of_two_hands(flop):
    share = flop_game(flop).matchup_share
    weights = matchup_weights(parse_board(flop))
    assert weights.sum() == 1176 * 1081
    np.testing.assert_allclose(share, weights / (1176 * 1081), rtol=1e-14)
    assert share.sum() == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("flop", FLOPS)
def test_what_one_hand_gains_the_other_loses(flop):
    game = flop_game(flop)
    np.testing.assert_allclose(game.edge, -game.edge.T, atol=1e-15)
    assert np.abs(game.edge).max() <= 1.0


def test_hands_that_cannot_meet_have_no_share_and_no_edge():
    game, aces = flop_game("2s2h2d"), parse_canonical_hand("22")
    assert (game.matchup_share[aces] == 0.0).all()
    assert (game.edge[aces] == 0.0).all()
    assert np.isfinite(game.edge).all()


@pytest.mark.parametrize(
    ("flop", "renamed"), [("9s6s2s", "9h6h2h"), ("AhKsQd", "AsKdQh"), ("KdKc7h", "KsKd7c")]
)
def test_renaming_suits_changes_no_bit(flop, renamed):
    np.testing.assert_array_equal(flop_game(flop).edge, flop_game(renamed).edge)
    np.testing.assert_array_equal(flop_game(flop).matchup_share, flop_game(renamed).matchup_share)


def test_ranges_weight_the_deals():
    ranges = np.zeros((2, 169))
    ranges[0, [0, 13]], ranges[1, [1, 168]] = 1.0, (0.5, 0.25)
    game = FlopGame.deal(parse_board("AhKsQd"), ranges)
    weights = matchup_weights(parse_board("AhKsQd"))
    held = np.maximum(ranges, SMALLEST_RANGE_WEIGHT)
    total = sum(
        Fraction(int(weights[i, j])) * Fraction(held[0, i]) * Fraction(held[1, j])
        for i in range(169)
        for j in range(169)
    )
    for i, j in [(0, 1), (0, 168), (13, 1), (13, 13), (50, 60)]:
        expected = weights[i, j] * held[0, i] * held[1, j] / float(total)
        assert game.matchup_share[i, j] == pytest.approx(expected, rel=1e-12)
    np.testing.assert_array_equal(game.edge, flop_game("AhKsQd").edge)


def test_the_tables_of_a_flop_cannot_be_changed():
    game = flop_game("AhKsQd")
    for array in (game.matchup_share, game.edge):
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0] = 1.0


@pytest.mark.parametrize("cards", [(), (1, 2), (1, 2, 3, 4), (1, 2, 3, 4, 5), (1, 1, 2)])
def test_what_is_not_three_distinct_cards_is_no_flop(cards):
    with pytest.raises(CardError):
        FlopGame.deal(cards)
