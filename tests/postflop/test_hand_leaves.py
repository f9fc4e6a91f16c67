import numpy as np
import pytest

from runout.cfr.leaves import Arrival, Judge
from runout.cfr.parallel import Team
from runout.cfr.reach import own_reach_rows
from runout.postflop.hand_leaves import SHOWDOWN_GROUP, make_hand_leaves
from runout.trees.postflop_tree import IP, NOT_A_LEAF, OOP, SHOWDOWN
from tests.postflop.toy_flops import flop_game, make_tree, with_edge
from tests.reference.postflop_values import leaf_payoff

TREE = make_tree(3.5)
IS_LEAF = TREE.leaf_kind != NOT_A_LEAF


def leaf_values(game, player, dtype=np.float64, seed=0, leaves=None):
    rows = tuple(own_reach_rows(TREE.layout, p) for p in (OOP, IP))
    rng = np.random.default_rng(seed)
    reach = tuple(rng.random((1, row.max() + 1, 169)).astype(dtype) for row in rows)
    arrival = Arrival(player, Judge.EVALUATE, reach, rows)
    value = np.full((1, TREE.num_nodes, 169), np.nan, dtype)
    leaves = leaves or make_hand_leaves(TREE, game, dtype, Team())
    leaves.fill_leaf_values(arrival, value)
    return value[0], arrival


@pytest.mark.parametrize("flop", ["AhKsQd", "9s6s2s", "2s2h2d"])
@pytest.mark.parametrize("player", [OOP, IP])
def test_each_leaf_is_worth_its_payoff_against_the_arriving_hands(flop, player):
    game = flop_game(flop)
    value, arrival = leaf_values(game, player)
    for node in np.flatnonzero(IS_LEAF):
        wins = game.matchup_share * leaf_payoff(TREE, game, node)
        reach = arrival.reach_of(1 - player, node)[0]
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
        mine = np.array([arrival.reach_of(player, node)[0] for node in np.flatnonzero(IS_LEAF)])
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
