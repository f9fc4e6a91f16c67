"""Tests of `runout.flops.backend`."""

from fractions import Fraction

import numpy as np
import pytest

from runout.cards.deck import matchup_weights, parse_board, parse_canonical_hand
from runout.cfr.cfr_kernels import EVALUATING
from runout.cfr.leaves import StreetReach
from runout.cfr.team import Team
from runout.errors import CardError
from runout.flops.backend import SHOWDOWN_GROUP, SMALLEST_RANGE_WEIGHT, FlopGame, make_hand_leaves
from runout.trees.layout import own_reach_rows
from runout.trees.tree import IP, NOT_A_LEAF, OOP, SHOWDOWN
from tests.reference.postflop_values import leaf_payoff
from tests.samples.toy_flops import flop_game, make_tree, with_edge

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


TREE = make_tree(3.5)
IS_LEAF = TREE.leaf_kind != NOT_A_LEAF


def leaf_values(game, player, dtype=np.float64, seed=0, leaves=None):
    rows = tuple(own_reach_rows(TREE.layout, p) for p in (OOP, IP))
    rng = np.random.default_rng(seed)
    reach = tuple(rng.random((row.max() + 1, 169)).astype(dtype) for row in rows)
    arrival = StreetReach(player, EVALUATING, reach, rows)
    value = np.full((TREE.num_nodes, 169), np.nan, dtype)
    leaves = leaves or make_hand_leaves(TREE, game, dtype, Team())
    leaves.fill_leaf_values(arrival, value)
    return value, arrival


@pytest.mark.parametrize("flop", ["AhKsQd", "9s6s2s", "2s2h2d"])
@pytest.mark.parametrize("player", [OOP, IP])
def test_each_leaf_is_worth_its_payoff_against_the_arriving_hands(flop, player):
    game = flop_game(flop)
    value, arrival = leaf_values(game, player)
    for node in np.flatnonzero(IS_LEAF):
        wins = game.matchup_share * leaf_payoff(TREE, game, node)
        reach = arrival.reach_of(1 - player, node)
        expected = wins @ reach if player == OOP else -(wins.T @ reach)
        np.testing.assert_allclose(value[node], expected, rtol=1e-9, atol=1e-15)


def test_all_leaves_and_no_decisions_are_filled():
    value, _ = leaf_values(flop_game("AhKsQd"), OOP)
    assert np.isfinite(value[IS_LEAF]).all()
    assert np.isnan(value[~IS_LEAF]).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_leaf_is_zero_sum(dtype):
    game = flop_game("AhKsQd")
    total = np.zeros(IS_LEAF.sum())
    for player in (OOP, IP):
        value, arrival = leaf_values(game, player, dtype)
        mine = np.array([arrival.reach_of(player, node) for node in np.flatnonzero(IS_LEAF)])
        total += (mine.astype(np.float64) * value[IS_LEAF]).sum(axis=1)
    np.testing.assert_allclose(total, 0.0, atol=1e-6 if dtype == np.float32 else 1e-15)


@pytest.mark.parametrize("player", [OOP, IP])
def test_with_no_equity_folding_is_strictly_better_than_calling(player):
    """A trap: a fold that costs half of the grown pot is never better."""
    game = with_edge(-1.0 if player == OOP else 1.0)
    value, _ = leaf_values(game, player)
    is_dealt = game.matchup_share.sum(axis=1 - player) > 0.0
    num_decisions = 0
    for fold in np.flatnonzero(TREE.leaf_kind == player):
        call = fold + 1
        if TREE.leaf_kind[call] == SHOWDOWN:
            assert (value[fold][is_dealt] > value[call][is_dealt]).all()
            num_decisions += 1
    assert num_decisions > 20


def test_sampling_backends_replace_the_payoff_of_showdowns_only():
    game, other = flop_game("AhKsQd"), with_edge(0.25)
    leaves = make_hand_leaves(TREE, game, np.float64, Team())
    leaves.replace_payoff(SHOWDOWN_GROUP, other.matchup_share * other.edge)
    found, _ = leaf_values(game, OOP, leaves=leaves)
    expected, _ = leaf_values(other, OOP)
    np.testing.assert_array_equal(found[IS_LEAF], expected[IS_LEAF])
