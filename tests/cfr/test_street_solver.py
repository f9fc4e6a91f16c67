import numpy as np
import pytest

from runout.cfr.discounting import DCFR, DiscountWeights
from runout.cfr.leaves import Judge, Update
from runout.cfr.parallel import Team
from runout.cfr.street_solver import StreetSolver
from tests.cfr.random_games import pair_game_leaves, random_game
from tests.games import kuhn
from tests.reference import cfr as reference
from tests.reference import pair_cfr

FIRST = Update(DiscountWeights(0.0, 0.0, 0.0))
EVERYONE = np.ones((1, 2, 3))


def make_street(game, **options):
    return StreetSolver(game.tree, pair_game_leaves(game), 1, game.num_hands, **options)


def uniform_strategy(game):
    return pair_cfr.PairCfr(game).current_strategy()


def test_everybody_begins_with_all_actions_equally_likely():
    game = random_game(0)
    strategy = make_street(game).average_strategy()[0]
    np.testing.assert_allclose(strategy[1:], uniform_strategy(game)[1:])


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("judge", [Judge.EVALUATE, Judge.BEST_RESPOND])
@pytest.mark.parametrize("seed", range(3))
def test_root_values_are_those_of_a_walk_pair_by_pair(seed, judge, player):
    game = random_game(seed)
    value = make_street(game).visit(EVERYONE, player, judge)[0].sum()
    strategy = uniform_strategy(game)
    if judge is Judge.BEST_RESPOND:
        expected = pair_cfr.best_response_value(game, strategy, player)
    else:
        expected = pair_cfr.game_value(game, strategy) * (1 if player == 0 else -1)
    assert value == pytest.approx(expected, abs=1e-12)


def test_reach_on_entering_a_street_weights_the_opponents_hands_only():
    game = random_game(1)
    weight = np.array([0.2, 0.0, 0.7])
    street = make_street(game)
    plain = street.visit(EVERYONE, 0, Judge.EVALUATE)
    by_own_reach = street.visit(np.stack([weight, np.ones(3)])[None], 0, Judge.EVALUATE)
    np.testing.assert_array_equal(by_own_reach, plain)
    by_opponent = street.visit(np.stack([np.ones(3), weight])[None], 0, Judge.EVALUATE)
    weighted = game._replace(dealt=game.dealt * weight)
    expected = [
        sum(
            weighted.dealt[hand, other]
            * pair_cfr.pair_value(weighted, uniform_strategy(game), (hand, other))
            for other in range(3)
        )
        for hand in range(3)
    ]
    np.testing.assert_allclose(by_opponent[0], expected, atol=1e-12)


def test_learning_changes_what_is_played_only_after_a_refresh():
    street = make_street(random_game(0))
    before = street.visit(EVERYONE, 0, FIRST)
    np.testing.assert_array_equal(street.visit(EVERYONE, 0, FIRST), before)
    assert street.refresh(0) > 0.0
    assert not np.array_equal(street.visit(EVERYONE, 0, FIRST), before)


def test_a_refresh_without_learning_changes_nothing():
    street = make_street(random_game(0))
    street.visit(EVERYONE, 0, FIRST)
    street.refresh(0)
    assert street.refresh(0) == 0.0
    assert street.refresh(1) == 0.0


def test_a_refresh_right_after_judging_measures_the_change_of_the_played_strategy():
    """Judging puts averages into the one strategy table; they must not count as played."""
    game = random_game(2)
    judged, other = make_street(game), make_street(game)
    for street in (judged, other):
        street.visit(EVERYONE, 0, FIRST)
    judged.refresh(0)
    judged.visit(EVERYONE, 1, Judge.BEST_RESPOND)
    assert judged.refresh(0) == 0.0
    assert other.refresh(0) > 0.0


def test_boards_side_by_side_are_solved_independently():
    reach = np.stack([np.ones((2, 3)), [[1.0, 0.5, 0.0], [0.2, 1.0, 1.0]]])

    def solve(boards):
        street = StreetSolver(kuhn.TREE, kuhn.KuhnLeaves(), len(boards), 3)
        for iteration in range(5):
            for player in (0, 1):
                street.visit(reach[boards], player, Update(DCFR.weights(iteration)))
                street.refresh(player)
        return street.average_strategy()

    alone = np.concatenate([solve([0]), solve([1])])
    np.testing.assert_allclose(solve([0, 1]), alone, rtol=1e-12)
    assert not np.allclose(alone[0], alone[1])


@pytest.mark.parametrize("num_workers", [2, 3, 5])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_workers_change_no_bit_even_if_some_have_no_hand(num_workers, dtype):
    game = random_game(0)

    def run(team):
        leaves = pair_game_leaves(game, dtype, team)
        street = StreetSolver(game.tree, leaves, 1, 3, dtype, team)
        everyone, found = np.ones((1, 2, 3), dtype), []
        for iteration in range(4):
            for player in (0, 1):
                found.append(street.visit(everyone, player, Update(DCFR.weights(iteration))))
                found.append(street.refresh(player))
        return [*found, street.average_strategy(), street.visit(everyone, 0, Judge.BEST_RESPOND)]

    for alone, together in zip(run(Team()), run(Team(num_workers)), strict=True):
        np.testing.assert_array_equal(alone, together)


def test_what_is_returned_is_no_view_of_the_tables():
    street = make_street(random_game(0))
    value, strategy = street.visit(EVERYONE, 0, FIRST), street.average_strategy()
    value_before, strategy_before = value.copy(), strategy.copy()
    street.refresh(0)
    street.visit(EVERYONE, 1, FIRST)
    np.testing.assert_array_equal(value, value_before)
    np.testing.assert_array_equal(strategy, strategy_before)


def test_the_average_strategy_is_the_normalized_sum_of_own_reach_times_strategy():
    game = random_game(3)
    street = make_street(game)
    played = uniform_strategy(game)
    street.visit(EVERYONE, 0, FIRST)
    street.visit(EVERYONE, 1, FIRST)
    total = np.zeros((game.tree.num_nodes, 3))
    for node in range(1, game.tree.num_nodes):
        actor = game.tree.actor[game.tree.parent[node]]
        total[node] = reference.own_reach(game.tree, actor, played, np.ones(3), node)
    twin = pair_cfr.PairCfr(game)
    twin.strategy_sum = total
    np.testing.assert_allclose(street.average_strategy()[0][1:], twin.average_strategy()[1:])
