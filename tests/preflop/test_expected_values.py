"""What hands win at nodes, against a walk over pairs of hands."""

import numpy as np
import pytest

from runout.cards.canonical_hands import matchup_weights, parse_canonical_hand
from runout.cfr.reach import own_reach
from runout.preflop.expected_values import expected_values
from runout.preflop.preflop_leaves import value_leaves
from runout.trees.layout import LEAF
from runout.trees.preflop_betting import BB, SB
from tests.preflop.games import made_up_book, random_strategy, small_tree
from tests.reference.preflop_game import hand_value, make_pair_game

WEIGHTS = matchup_weights().astype(np.float64)


@pytest.fixture(scope="module", params=[small_tree(), small_tree((15.0, 9.0), ante_bb=0.1)])
def played(request):
    tree, book = request.param, made_up_book()
    strategy = random_strategy(tree)
    return tree, book, strategy, expected_values(tree, value_leaves(tree, book), strategy)


@pytest.mark.parametrize("player", [SB, BB])
@pytest.mark.parametrize("name", ["AA", "T9s", "A2o", "72o"])
def test_every_node_is_worth_what_a_walk_over_all_pairs_says(played, player, name):
    tree, book, strategy, ev_bb = played
    game, hand = make_pair_game(tree, book), parse_canonical_hand(name)
    expected = [hand_value(game, strategy, player, node, hand) for node in range(tree.num_nodes)]
    np.testing.assert_allclose(ev_bb[player, :, hand], expected, rtol=1e-10)


def test_both_players_together_win_nothing_at_any_node(played):
    tree, _, strategy, ev_bb = played
    reach = [own_reach(tree.layout, strategy, player) for player in (SB, BB)]
    for node in range(tree.num_nodes):
        arriving = reach[SB][node][:, None] * WEIGHTS * reach[BB][node]
        won = (arriving.sum(axis=1) * ev_bb[SB, node]).sum()
        lost = (arriving.sum(axis=0) * ev_bb[BB, node]).sum()
        assert won + lost == pytest.approx(0.0, abs=1e-9 * arriving.sum())


def test_folding_costs_what_was_put_in_and_is_the_same_for_all_hands(played):
    tree, _, _, ev_bb = played
    fold = tree.find_node("f")
    np.testing.assert_allclose(ev_bb[SB, fold], -tree.invested_bb[fold, SB], rtol=1e-12)
    np.testing.assert_allclose(ev_bb[BB, fold], tree.invested_bb[fold, SB], rtol=1e-12)


def test_a_decision_is_worth_the_mean_of_its_actions_to_the_one_who_acts(played):
    tree, _, strategy, ev_bb = played
    for node in np.flatnonzero(tree.layout.actor != LEAF):
        actor, children = tree.layout.actor[node], list(tree.layout.children(int(node)))
        mean = (strategy[children] * ev_bb[actor, children]).sum(axis=0)
        np.testing.assert_allclose(ev_bb[actor, node], mean, rtol=1e-10)


def test_a_node_that_the_opponent_never_goes_to_has_no_value():
    tree, strategy = small_tree(), random_strategy(small_tree())
    limp, others = tree.find_node("c"), [tree.find_node(path) for path in ("f", "r2.5", "a")]
    strategy[others] /= strategy[others].sum(axis=0)
    strategy[limp] = 0.0
    ev_bb = expected_values(tree, value_leaves(tree, made_up_book()), strategy)
    assert np.isnan(ev_bb[BB, limp]).all()
    assert np.isfinite(ev_bb[SB, limp]).all()  # the small blind knows what a limp would win
    assert np.isfinite(ev_bb[:, 0]).all()
