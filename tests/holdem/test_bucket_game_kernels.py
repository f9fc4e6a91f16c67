"""Visits of one bucket game against products and sums in float64."""

import numpy as np
import pytest

from runout.holdem import bucket_game_kernels, street_kernels
from runout.holdem.street_kernels import (
    EVALUATE,
    HERO_ACTS,
    LEARN,
    RESPOND,
    VILLAIN_ACTS,
    Step,
)
from runout.holdem.table_kernels import Learning
from tests.holdem.small_compact import (
    NUM_BUCKETS,
    random_knowledge,
    scratch_of,
    small_game,
    streets_of,
)
from tests.reference import slow_compact, street_forest

GAME = 7
both_players = pytest.mark.parametrize("player", [0, 1])
every_mode = pytest.mark.parametrize("mode", [LEARN, RESPOND, EVALUATE])


def in_mode(mode):
    return Step(mode, np.float32(0.75), np.float32(0.5), np.float32(0.9))


def played(learning, mode):
    return (learning.regret if mode == LEARN else learning.strategy_sum).astype(np.float64)


def copy_of(learning):
    return Learning(*(part.copy() for part in learning))


def enter(player, has_rake=False):
    """Returns what kernels read, a space whose roots are reached at random, and the reach."""
    game = small_game(has_rake)
    streets, space = streets_of(game, player), scratch_of(game, player).game
    forest = streets.river.forest
    root_reach = np.random.default_rng(3).random((len(forest.root), NUM_BUCKETS))
    root_reach = root_reach.astype(np.float32)
    space.reach[:] = np.nan
    space.reach[forest.row[forest.root]] = root_reach
    return streets, space, root_reach


def test_rivers_of_the_tests_have_decisions_of_every_kind():
    forest = small_game().templates[2].forests[0]
    assert {2, 3, 4} <= set(forest.num_children.tolist())


@every_mode
@both_players
def test_reach_and_sums_match_their_twin(player, mode):
    streets, space, root_reach = enter(player)
    forest = streets.river.forest
    villain = random_knowledge(small_game(), player).villain
    before = copy_of(villain)
    step = in_mode(mode)
    street_kernels.push_reach(forest, 0, villain, step, space)
    reach = street_forest.push_reach(forest, 0, played(before, mode), root_reach)
    np.testing.assert_allclose(space.reach[forest.row], reach, rtol=1e-5, atol=1e-7)
    expected = before.strategy_sum.astype(np.float64)
    if mode == LEARN:
        for node in street_forest.nodes_of(forest, 0, VILLAIN_ACTS):
            children, actions = street_forest.actions_of(forest, 0, node)
            expected[actions] = expected[actions] * step.strategy + reach[children]
    np.testing.assert_allclose(villain.strategy_sum, expected, rtol=1e-5, atol=1e-7)
    np.testing.assert_array_equal(villain.regret, before.regret)


@every_mode
@both_players
def test_values_and_regrets_match_their_twin(player, mode):
    streets, space, _ = enter(player)
    forest = streets.river.forest
    hero = random_knowledge(small_game(), player).hero
    before, step = copy_of(hero), in_mode(mode)
    leaves = np.random.default_rng(4).normal(size=space.value.shape).astype(np.float32)
    space.value[:] = leaves
    street_kernels.pull_values(forest, 0, hero, step, space)
    weights = None if mode == RESPOND else played(before, mode)
    value = street_forest.pull_values(forest, 0, weights, leaves)
    np.testing.assert_allclose(space.value, value, rtol=1e-4, atol=1e-5)
    expected = before.regret.astype(np.float64)
    if mode == LEARN:
        for node in street_forest.nodes_of(forest, 0, HERO_ACTS):
            children, actions = street_forest.actions_of(forest, 0, node)
            old = expected[actions]
            decay = np.where(old > 0.0, step.positive_regret, step.negative_regret)
            expected[actions] = old * decay + value[children] - value[node]
    np.testing.assert_allclose(hero.regret, expected, rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(hero.strategy_sum, before.strategy_sum)


@both_players
def test_rows_of_terminals_are_products_with_a_matrix(player):
    streets, space, _ = enter(player)
    rng = np.random.default_rng(5)
    space.reach[:] = rng.random(space.reach.shape)
    matrix = rng.normal(size=(NUM_BUCKETS, NUM_BUCKETS)).astype(np.float32)
    folds, nodes = streets.river.folds, streets.river.forest.fold
    space.value[:] = 1.0
    expected = np.ones(space.value.shape)
    bucket_game_kernels.value_rows(folds, matrix, False, space.reach, space.value)
    for row, node, payoff in zip(*folds, strict=True):
        expected[node] = payoff * (space.reach[row].astype(np.float64) @ matrix)
    np.testing.assert_allclose(space.value, expected, rtol=1e-4, atol=1e-4)
    once = folds._replace(payoff=np.where(np.arange(len(folds.row)) < len(nodes), folds.payoff, 0))
    bucket_game_kernels.value_rows(once, matrix, True, space.reach, space.value)
    expected[nodes] *= 2.0
    np.testing.assert_allclose(space.value, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("has_rake", [False, True])
@every_mode
@both_players
def test_a_game_is_worth_what_its_twin_finds(player, mode, has_rake):
    streets, space, root_reach = enter(player, has_rake)
    meets, wins = streets.games.meets[GAME], streets.games.wins[GAME]
    knowledge = random_knowledge(small_game(has_rake), player)
    weights = [played(copy_of(side), mode) for side in knowledge]
    bucket_game_kernels.play_game(streets.river, meets, wins, knowledge, in_mode(mode), space)
    expected = slow_compact.value_game(
        streets.river.forest,
        meets.astype(np.float64),
        wins.astype(np.float64),
        root_reach,
        weights[1],
        None if mode == RESPOND else weights[0],
    )
    found = space.value[streets.river.forest.root]
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-3)
    met = space.met[: len(root_reach)]
    np.testing.assert_allclose(met, root_reach @ meets, rtol=1e-4, atol=1e-5)
