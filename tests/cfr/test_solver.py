"""Tests of `runout.cfr.solver`."""

import numpy as np
import pytest

from runout import jit as solve_clock
from runout.cfr.cfr_kernels import EVALUATING, LEARN, LEARNING_AFRESH, RESPONDING, Step
from runout.cfr.schedules import (
    DCFR,
    DCFR_PLUS,
    LINEAR,
    VANILLA,
    VARIANTS,
    StoppingRule,
    StopReason,
)
from runout.cfr.solver import StreetSolver
from runout.cfr.team import Team
from runout.trees.layout import LEAF, layout_tree
from tests.games import kuhn, leduc
from tests.reference import cfr as reference
from tests.reference import pair_cfr
from tests.reference.pair_cfr import PairCfr, PairGame
from tests.samples.random_games import pair_game_leaves, pair_game_solver, random_game

every_variant = pytest.mark.parametrize("schedule", VARIANTS.values(), ids=VARIANTS)
both_updates = pytest.mark.parametrize(
    "is_simultaneous", [False, True], ids=["alternating", "simultaneous"]
)

# How near to the solution of Leduc; averages of all iterations alike take the longest.
LEDUC_TARGETS = {"cfr+": 3e-3, "dcfr": 3e-3, "dcfr+": 3e-3, "dcfr4": 3e-3}
SLOW_LEDUC_TARGETS = {"vanilla": 5e-3, "linear": 5e-3}

KUHN_PAYOFF = np.zeros((kuhn.TREE.num_nodes, 3, 3))
for history, wins in {"pp": 1, "bb": 2, "pbb": 2}.items():
    higher_card_wins = np.sign(np.arange(3)[:, None] - np.arange(3))
    KUHN_PAYOFF[kuhn.NODE[history]] = wins * higher_card_wins
KUHN_PAYOFF[kuhn.NODE["bp"]] = 1.0
KUHN_PAYOFF[kuhn.NODE["pbp"]] = -1.0
KUHN_GAME = PairGame(kuhn.TREE, (1.0 - np.eye(3)) / 6.0, KUHN_PAYOFF)


def guessing_game():
    """Player 0 holds nothing of use and wins 1 by guessing which of two hands player 1 holds."""
    tree = layout_tree("?", lambda node: (0, ["first", "second"]) if node == "?" else (LEAF, []))[0]
    is_first = np.array([[1.0, -1.0], [1.0, -1.0]])
    return PairGame(tree, np.full((2, 2), 0.25), np.stack([0.0 * is_first, is_first, -is_first]))


def check_value(solver, target, published):
    """A value is off by at most what both best responses gain together."""
    outcome = solver.solve(StoppingRule(20_000, exploitability=target, check_every=25))
    assert outcome.reason is StopReason.EXPLOITABILITY
    close = 2.0 * outcome.exploitability + 1e-6
    for player, value in ((0, published), (1, -published)):
        assert solver.game_value(player) == pytest.approx(value, abs=close)


@both_updates
@every_variant
def test_kuhn_reaches_its_game_value(schedule, is_simultaneous):
    solver = kuhn.kuhn_solver(schedule, is_simultaneous=is_simultaneous)
    check_value(solver, 5e-3 if is_simultaneous else 5e-4, kuhn.GAME_VALUE)


@pytest.mark.parametrize(("name", "target"), LEDUC_TARGETS.items())
def test_leduc_reaches_its_game_value(name, target):
    check_value(leduc.leduc_solver(VARIANTS[name]), target, leduc.GAME_VALUE)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "target"), SLOW_LEDUC_TARGETS.items())
def test_leduc_reaches_its_game_value_by_the_slow_variants(name, target):
    check_value(leduc.leduc_solver(VARIANTS[name]), target, leduc.GAME_VALUE)


@pytest.mark.parametrize(
    ("solver", "expected"),
    [
        (kuhn.kuhn_solver(DCFR), kuhn.UNIFORM_NASH_CONV),
        (leduc.leduc_solver(DCFR), leduc.UNIFORM_NASH_CONV),
    ],
    ids=["kuhn", "leduc"],
)
def test_uniform_play_has_the_published_nash_conv(solver, expected):
    # Before the first iteration the average strategy is uniform.
    assert solver.nash_conv() == pytest.approx(expected, abs=1e-12)
    assert solver.exploitability() == pytest.approx(expected / 2, abs=1e-12)


@both_updates
@every_variant
def test_iterations_are_those_of_a_walk_pair_by_pair(schedule, is_simultaneous):
    for game in (KUHN_GAME, random_game(0), random_game(1, num_hands=2)):
        twin, solver = PairCfr(game, is_simultaneous), pair_game_solver(
            game, schedule, is_simultaneous
        )  # fmt: skip
        for iteration in range(6):
            twin.iterate(schedule.weights(iteration))
            solver.run(1)
            average = solver.root.average_strategy()
            np.testing.assert_allclose(average[1:], twin.average_strategy()[1:], atol=1e-10)
            assert solver.strategy_delta == pytest.approx(twin.strategy_delta, abs=1e-10)
            assert solver.nash_conv() == pytest.approx(twin.nash_conv(), abs=1e-10)
            value = pair_cfr.game_value(game, twin.average_strategy())
            assert solver.game_value(0) == pytest.approx(value, abs=1e-10)
            assert solver.game_value(1) == pytest.approx(-value, abs=1e-10)


@both_updates
def test_linear_discounting_equals_weighting_iterations_by_t(is_simultaneous):
    twin = PairCfr(KUHN_GAME, is_simultaneous)
    solver = kuhn.kuhn_solver(LINEAR, is_simultaneous=is_simultaneous)
    keep_all = VANILLA.weights(1)
    for t in range(1, 31):
        twin.iterate(keep_all, factor=t)
        solver.run(1)
        average = solver.root.average_strategy()
        np.testing.assert_allclose(average[1:], twin.average_strategy()[1:], atol=1e-12)


@every_variant
def test_single_precision_stays_close_to_double_precision(schedule):
    game = random_game(0)
    wide, narrow = (
        pair_game_solver(game, schedule, dtype=dtype) for dtype in (np.float64, np.float32)
    )
    for solver in (wide, narrow):
        solver.run(100)
    # Rounding may part their ways; each value is off by at most what best responses gain.
    close = wide.nash_conv() + narrow.nash_conv() + 1e-6
    assert narrow.game_value(0) == pytest.approx(wide.game_value(0), abs=close)
    assert narrow.exploitability() < 0.02


def test_single_precision_solves_kuhn():
    solver = kuhn.kuhn_solver(DCFR_PLUS, dtype=np.float32)
    check_value(solver, 5e-4, kuhn.GAME_VALUE)
    assert solver.root.average_strategy().dtype == np.float32


@pytest.mark.parametrize("make", [kuhn.kuhn_solver, leduc.leduc_solver], ids=["kuhn", "leduc"])
@both_updates
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_judging_changes_no_bit_of_later_iterations(make, is_simultaneous, dtype):
    judged, left_alone = (
        make(DCFR, dtype=dtype, is_simultaneous=is_simultaneous) for _ in range(2)
    )
    for iteration in range(12):
        judged.run(1)
        left_alone.run(1)
        assert judged.strategy_delta == left_alone.strategy_delta
        judged.exploitability()
        if iteration % 2:
            judged.game_value(1)
            judged.root.average_strategy()
    np.testing.assert_array_equal(
        judged.root.average_strategy(), left_alone.root.average_strategy()
    )
    np.testing.assert_array_equal(judged.nash_conv(), left_alone.nash_conv())


def test_a_best_response_does_not_see_the_opponents_hand():
    game = guessing_game()
    solver = pair_game_solver(game, DCFR)
    uniform = PairCfr(game).average_strategy()
    assert pair_cfr.clairvoyant_value(game, uniform, player=0) == 1.0
    assert solver.nash_conv() == 0.0


@pytest.mark.parametrize("seed", range(5))
def test_seeing_the_opponents_hand_would_read_as_more_exploitability(seed):
    game = random_game(seed)
    solver = pair_game_solver(game, DCFR)
    solver.run(20)
    average = np.nan_to_num(solver.root.average_strategy())
    clairvoyant = sum(pair_cfr.clairvoyant_value(game, average, player) for player in (0, 1))
    assert 0.0 <= solver.nash_conv() < clairvoyant - 0.01


@every_variant
def test_exploitability_is_never_negative_and_falls(schedule):
    game = random_game(4)
    solver = pair_game_solver(game, schedule)
    history = [solver.exploitability()]
    for _ in range(4):
        solver.run(50)
        history.append(solver.exploitability())
    assert min(history) >= 0.0
    assert history[-1] < history[0] / 20


def test_a_solve_stops_when_all_iterations_are_done():
    outcome = kuhn.kuhn_solver(DCFR).solve(StoppingRule(7))
    assert outcome.reason is StopReason.ITERATIONS
    assert outcome.iterations == 7


def test_a_solve_stops_at_the_first_check_that_meets_the_exploitability():
    seen = []
    rule = StoppingRule(10_000, exploitability=0.005, check_every=7)
    outcome = kuhn.kuhn_solver(DCFR).solve(rule, seen.append)
    assert outcome.reason is StopReason.EXPLOITABILITY
    assert outcome.iterations % 7 == 0
    assert outcome.exploitability <= 0.005
    solver = kuhn.kuhn_solver(DCFR)
    solver.run(outcome.iterations - 7)
    assert solver.exploitability() > 0.005
    assert [progress.exploitability for progress in seen[:6]] == [None] * 6
    assert seen[6].exploitability == seen[12].exploitability != seen[13].exploitability


def test_a_solve_stops_when_the_strategy_has_settled():
    outcome = kuhn.kuhn_solver(VANILLA).solve(StoppingRule(10_000, strategy_delta=0.02))
    assert outcome.reason is StopReason.STRATEGY_DELTA
    assert outcome.strategy_delta <= 0.02
    solver = kuhn.kuhn_solver(VANILLA)
    deltas = []
    for _ in range(outcome.iterations):
        solver.run(1)
        deltas.append(solver.strategy_delta)
    assert min(deltas[:-1]) > 0.02
    assert deltas[-1] == outcome.strategy_delta


def test_a_solve_stops_when_its_time_is_up(monkeypatch):
    clock = iter(np.arange(0.0, 100.0, 0.5))
    monkeypatch.setattr(solve_clock.time, "perf_counter", lambda: next(clock))
    outcome = kuhn.kuhn_solver(DCFR).solve(StoppingRule(10_000, max_seconds=2.0))
    assert outcome.reason is StopReason.SECONDS
    assert (outcome.iterations, outcome.seconds) == (4, 2.0)


def test_progress_is_told_after_every_iteration():
    seen = []
    solver = kuhn.kuhn_solver(DCFR)
    outcome = solver.solve(StoppingRule(12, exploitability=0.0, check_every=5), seen.append)
    assert [progress.iteration for progress in seen] == list(range(1, 13))
    assert {progress.max_iterations for progress in seen} == {12}
    assert [progress.seconds for progress in seen] == sorted(progress.seconds for progress in seen)
    assert seen[-1].strategy_delta == outcome.strategy_delta == solver.strategy_delta
    # The outcome is measured at the end, not at the last check, and is what is told last.
    assert outcome.exploitability == solver.exploitability() == seen[-1].exploitability
    assert seen[-1].exploitability != seen[-2].exploitability
    assert [progress.stop_reason for progress in seen] == [None] * 11 + [StopReason.ITERATIONS]


def test_exploitability_is_not_measured_twice_at_the_end():
    solver = kuhn.kuhn_solver(DCFR)
    measured = []
    measure = solver.exploitability
    solver.exploitability = lambda: measured.append(solver.iteration) or measure()
    solver.solve(StoppingRule(10, exploitability=0.0, check_every=5))
    assert measured == [5, 10]


def test_a_solve_goes_on_where_the_last_one_stopped():
    in_two_parts, at_once = kuhn.kuhn_solver(DCFR), kuhn.kuhn_solver(DCFR)
    in_two_parts.solve(StoppingRule(10))
    outcome = in_two_parts.solve(StoppingRule(25))
    at_once.solve(StoppingRule(25))
    assert outcome.iterations == 25
    np.testing.assert_array_equal(
        in_two_parts.root.average_strategy(), at_once.root.average_strategy()
    )


@pytest.mark.parametrize("num_workers", [2, 3])
def test_workers_change_no_bit_of_a_solve(num_workers):
    game = random_game(0, num_hands=6)
    alone = pair_game_solver(game, DCFR, dtype=np.float32)
    together = pair_game_solver(game, DCFR, dtype=np.float32, team=Team(num_workers))
    for solver in (alone, together):
        solver.run(20)
    np.testing.assert_array_equal(alone.nash_conv(), together.nash_conv())
    np.testing.assert_array_equal(alone.root.average_strategy(), together.root.average_strategy())


FIRST = LEARNING_AFRESH
EVERYONE = np.ones((2, 3))


def make_street(game, **options):
    return StreetSolver(game.tree, pair_game_leaves(game), game.num_hands, **options)


def uniform_strategy(game):
    return pair_cfr.PairCfr(game).current_strategy()


def test_everybody_begins_with_all_actions_equally_likely():
    game = random_game(0)
    strategy = make_street(game).average_strategy()
    np.testing.assert_allclose(strategy[1:], uniform_strategy(game)[1:])


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("judge", [EVALUATING, RESPONDING])
@pytest.mark.parametrize("seed", range(3))
def test_root_values_are_those_of_a_walk_pair_by_pair(seed, judge, player):
    game = random_game(seed)
    value = make_street(game).visit(EVERYONE, player, judge).sum()
    strategy = uniform_strategy(game)
    if judge is RESPONDING:
        expected = pair_cfr.best_response_value(game, strategy, player)
    else:
        expected = pair_cfr.game_value(game, strategy) * (1 if player == 0 else -1)
    assert value == pytest.approx(expected, abs=1e-12)


def test_reach_on_entering_a_street_weights_the_opponents_hands_only():
    game = random_game(1)
    weight = np.array([0.2, 0.0, 0.7])
    street = make_street(game)
    plain = street.visit(EVERYONE, 0, EVALUATING)
    by_own_reach = street.visit(np.stack([weight, np.ones(3)]), 0, EVALUATING)
    np.testing.assert_array_equal(by_own_reach, plain)
    by_opponent = street.visit(np.stack([np.ones(3), weight]), 0, EVALUATING)
    weighted = game._replace(dealt=game.dealt * weight)
    expected = [
        sum(
            weighted.dealt[hand, other]
            * pair_cfr.pair_value(weighted, uniform_strategy(game), (hand, other))
            for other in range(3)
        )
        for hand in range(3)
    ]
    np.testing.assert_allclose(by_opponent, expected, atol=1e-12)


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
    judged.visit(EVERYONE, 1, RESPONDING)
    assert judged.refresh(0) == 0.0
    assert other.refresh(0) > 0.0


@pytest.mark.parametrize("num_workers", [2, 3, 5])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_workers_change_no_bit_even_if_some_have_no_hand(num_workers, dtype):
    game = random_game(0)

    def run(team):
        leaves = pair_game_leaves(game, dtype, team)
        street = StreetSolver(game.tree, leaves, 3, dtype, team)
        everyone, found = np.ones((2, 3), dtype), []
        for iteration in range(4):
            for player in (0, 1):
                found.append(street.visit(everyone, player, Step(LEARN, *DCFR.weights(iteration))))
                found.append(street.refresh(player))
        return [
            *found,
            street.average_strategy(),
            street.visit(everyone, 0, RESPONDING),
        ]

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
    np.testing.assert_allclose(street.average_strategy()[1:], twin.average_strategy()[1:])
