"""Tests of `runout.flops.values`."""

from functools import cache

import numpy as np
import pytest

from runout.cards.deck import disjoint_combos, live_combos, parse_board
from runout.cards.ranges import Range
from runout.cfr.team import Team
from runout.flops.backend import HandStrategy
from runout.flops.values import ALL_RUNOUTS, RunoutSample, extract_pair_values, extract_values
from runout.holdem.cards import Spot
from runout.holdem.game import CardGame
from runout.trees.tree import IP, OOP
from tests.reference.postflop_values import pair_gains
from tests.samples.judging import judge_strategy
from tests.samples.known_strategies import NoisyStrategy
from tests.samples.toy_flops import (
    flop_game,
    make_solver,
    make_tree,
    random_strategy,
    small_tree,
    with_edge,
)


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
    values = extract_values(tree, game, solver.root.average_strategy().astype(np.float32))
    for player in (OOP, IP):
        share = game.matchup_share if player == OOP else game.matchup_share.T
        mean = np.nansum(share * (values[player].astype(np.float64) - 0.5))
        assert mean == pytest.approx(solver.game_value(player), abs=1e-6)


FLOP = "9s6s2s"
SAMPLES = [RunoutSample(6, 3), RunoutSample(5, 4, seed=1)]


def tree():
    return make_tree(1.0, (1.0,), 0)


@cache
def game_of(merges_suits):
    everyone = Range("random")
    return CardGame(
        Spot(parse_board(FLOP), (everyone, everyone), tree(), merges_suits=merges_suits)
    )


@pytest.mark.parametrize("sample", SAMPLES, ids=str)
@pytest.mark.parametrize("merges_suits", [True, False])
def test_strategies_of_hands_have_their_exact_values_however_few_boards_are_sampled(
    sample, merges_suits
):
    """They do not look at the board, so all that a sample could get wrong is taken out."""
    table = random_strategy(tree())
    expected = extract_values(tree(), flop_game(FLOP), table)
    found = extract_pair_values(game_of(merges_suits), HandStrategy(table), sample).by_hand()
    can_meet = flop_game(FLOP).table.totals > 0
    for position in (OOP, IP):
        difference = np.abs(found[position] - expected[position])[can_meet]
        assert difference.max() < 3e-6
    np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))


@pytest.mark.parametrize("num_workers", [2, 3])
def test_workers_change_no_bit_of_the_values(num_workers):
    game, strategy = game_of(True), HandStrategy(random_strategy(tree()))
    alone, together = (
        extract_pair_values(game, strategy, SAMPLES[0], team=team)
        for team in (Team(), Team(num_workers))
    )
    np.testing.assert_array_equal(together.gain_of_oop, alone.gain_of_oop)


@pytest.mark.slow
def test_all_boards_give_the_value_of_strategies_that_look_at_every_card():
    game, strategy = game_of(False), NoisyStrategy(tree(), 3)
    everything = extract_pair_values(game, strategy, ALL_RUNOUTS).gain_of_oop
    combos = live_combos(game.cards.board)
    np.testing.assert_array_equal(np.isnan(everything), ~disjoint_combos(combos, combos))
    judged = judge_strategy(game.cards.board, tree(), strategy, merges_suits=False)
    assert np.nanmean(everything) == pytest.approx(judged.value[0], abs=1e-5)
    sampled = extract_pair_values(game, strategy, RunoutSample(12, 4)).gain_of_oop
    assert abs(np.nanmean(sampled - everything)) < 0.01


def test_both_players_hands_share_the_pot():
    values = extract_pair_values(game_of(True), NoisyStrategy(tree(), 1), SAMPLES[0]).by_hand()
    total = values[OOP] + values[IP].T
    assert (total[~np.isnan(total)] == 1.0).all()


def test_the_seed_decides_the_boards():
    game, strategy = game_of(True), NoisyStrategy(tree(), 1)
    one, same, other = (
        extract_pair_values(game, strategy, RunoutSample(6, 3, seed=seed)).gain_of_oop
        for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, other, equal_nan=True)


def test_boards_on_which_some_combos_never_meet_are_refused():
    strategy = NoisyStrategy(tree(), 1)
    with pytest.raises(ValueError, match="meet on none of the boards"):
        extract_pair_values(game_of(False), strategy, RunoutSample(2, 2))
