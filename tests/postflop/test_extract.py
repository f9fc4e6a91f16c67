import numpy as np
import pytest

from runout.postflop.extract import extract_values
from runout.trees.postflop_tree import IP, OOP
from tests.postflop.toy_flops import (
    flop_game,
    make_solver,
    make_tree,
    random_strategy,
    small_tree,
    with_edge,
)
from tests.reference.postflop_values import pair_gains


@pytest.mark.parametrize("flop", ["AhKsQd", "9s6s2s", "2s2h2d"])
def test_values_are_those_of_a_recursion_over_pairs(flop):
    game, tree = flop_game(flop), make_tree(3.5)
    strategy = random_strategy(tree)
    values = extract_values(tree, game, strategy)
    gain_of_oop = pair_gains(tree, game, strategy.astype(np.float64))
    can_meet = game.table.totals > 0
    expected = 0.5 + gain_of_oop
    np.testing.assert_allclose(values[OOP][can_meet], expected[can_meet], atol=1e-6)
    np.testing.assert_allclose(values[IP].T[can_meet], 1.0 - expected[can_meet], atol=1e-6)


@pytest.mark.parametrize("spr", [0.5, 3.5, 20.0])
@pytest.mark.parametrize("flop", ["AhKsQd", "9s6s2s"])
def test_the_two_players_values_sum_to_exactly_one_in_single_precision(flop, spr):
    game, tree = flop_game(flop), make_tree(spr, (1.0,), 1)
    can_meet = game.table.totals > 0
    for seed in range(3):
        values = extract_values(tree, game, random_strategy(tree, seed))
        assert values.dtype == np.float32
        total = values[OOP] + values[IP].T
        assert total.dtype == np.float32
        assert (total[can_meet] == 1.0).all()


def test_large_losses_sum_to_exactly_one_as_well():
    """Below -1 the complement of a rounded loss had to be rounded again, and was off by a bit."""
    tree = make_tree(20.0, (1.0,), 1)
    edge = np.random.default_rng(1).uniform(-1.0, 1.0, (169, 169))
    game = with_edge(edge)
    # Both players shove at once and call, so that whole stacks change hands.
    strategy = np.zeros((tree.num_nodes, 169), np.float32)
    for node in range(tree.num_nodes):
        children = tree.layout.children(node)
        if children:
            strategy[children[-1]] = 1.0
    values = extract_values(tree, game, strategy)
    can_meet = game.table.totals > 0
    assert np.nanmin(values) < -15.0
    assert ((values[OOP] + values[IP].T)[can_meet] == 1.0).all()


def test_hands_that_cannot_meet_have_no_value():
    game, tree = flop_game("2s2h2d"), small_tree()
    values = extract_values(tree, game, random_strategy(tree))
    cannot_meet = game.table.totals == 0
    assert cannot_meet.sum() > 300
    np.testing.assert_array_equal(np.isnan(values[OOP]), cannot_meet)
    np.testing.assert_array_equal(np.isnan(values[IP]), cannot_meet.T)


def test_checking_down_is_worth_the_equity():
    game, tree = flop_game("AhKsQd"), make_tree(3.5)
    strategy = np.zeros((tree.num_nodes, 169), np.float32)
    for node in range(tree.num_nodes):
        children = tree.layout.children(node)
        if children:
            strategy[children[0]] = 1.0  # check where possible
    for values in extract_values(tree, game, strategy):
        np.testing.assert_allclose(values, game.table.equities(), atol=1e-7)


def test_always_folding_to_a_bet_is_worth_nothing_to_the_folder():
    game, tree = flop_game("AhKsQd"), small_tree()
    strategy = np.zeros((tree.num_nodes, 169), np.float32)
    for node in range(tree.num_nodes):
        children = tree.layout.children(node)
        if children:  # OOP bets, IP folds
            is_oop = tree.layout.actor[node] == OOP
            strategy[children[1] if is_oop else children[0]] = 1.0
    values = extract_values(tree, game, strategy)
    can_meet = game.table.totals > 0
    assert (values[OOP][can_meet] == 1.0).all()
    assert (values[IP].T[can_meet] == 0.0).all()


def test_the_game_value_is_the_mean_of_the_values():
    game, tree = flop_game("9s6s2s"), make_tree(3.5)
    solver = make_solver(game, tree)
    solver.run(30)
    values = extract_values(tree, game, solver.root.average_strategy()[0].astype(np.float32))
    for player in (OOP, IP):
        share = game.matchup_share if player == OOP else game.matchup_share.T
        mean = np.nansum(share * (values[player].astype(np.float64) - 0.5))
        assert mean == pytest.approx(solver.game_value(player)[0], abs=1e-6)
