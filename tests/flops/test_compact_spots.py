"""Spots with compact rivers through the views, locks and files of exact spots."""

import numpy as np
import pytest

from runout.cards.deck import parse_card
from runout.cfr.schedules import SolveOutcome, StopReason
from runout.config.spot import NodeLock, SpotConfig
from runout.errors import ConfigError, TreeError
from runout.flops.spot_setup import lock_node, measure_spot
from runout.flops.spot_solution import SpotSolution, look_at, start_solver
from runout.solutions import flop_bundles
from runout.solutions.values import ExploitabilityMeaning

FLOP = {
    "board": "Kc7h2s",
    "oop": "AA,KQs,88,76s,54s",
    "ip": "QQ,JJ,KJs,99,65s,AQs",
    "pot": 10,
    "stack": 20,
    "bet_sizes": "50%,a",
    "raise_sizes": "a",
    "rivers": "compact",
    "river_buckets": 32,
}
RIVER = "x:x:9d:x:x:3d"


@pytest.fixture(scope="module")
def solution():
    config = SpotConfig(**FLOP)
    solver = start_solver(config)
    solver.run(40)
    outcome = SolveOutcome(StopReason.ITERATIONS, 40, 1.0, float("nan"), solver.exploitability())
    return SpotSolution(config, solver, outcome)


@pytest.mark.parametrize("path", ["", "x:b5", "x:x:9d", "x:x:9d:x:b5", RIVER, f"{RIVER}:x:b5"])
def test_every_node_shows_strategies_and_evs_of_combos(solution, path):
    node = solution.view.node(path)
    # Before the river hands count with the mean of their bucket, which costs a little.
    assert node.range_ev(0) + node.range_ev(1) == pytest.approx(node.pot, rel=1e-2)
    if node.actor is not None:
        held = node.is_held[node.actor]
        np.testing.assert_allclose(node.strategy[:, held].sum(axis=0), 1.0, rtol=1e-5)


def test_hands_of_a_bucket_do_the_same_on_a_river(solution):
    node = solution.view.node(RIVER)
    game = solution.solver.game
    runout = game.cards.runouts[1].index((parse_card("9d"), parse_card("3d")))
    place = game.find_columns(2, runout, node.actor)
    combos = game.cards.players[node.actor].combos
    for bucket in set(place.of_hands[node.is_held[node.actor][combos]].tolist()):
        inside = combos[(place.of_hands == bucket) & node.is_held[node.actor][combos]]
        played = node.strategy[:, inside]
        np.testing.assert_allclose(played, np.repeat(played[:, :1], len(inside), axis=1))


def test_a_saved_solve_goes_on_with_the_same_bits(solution, tmp_path):
    solution.save(tmp_path / "spot")
    loaded = SpotSolution.load(tmp_path / "spot").solver
    again = start_solver(solution.config)
    again.run(43)
    loaded.run(3)
    for (name, ours), (_, theirs) in zip(
        loaded.tables.named_arrays(), again.tables.named_arrays(), strict=True
    ):
        np.testing.assert_array_equal(ours, theirs, err_msg=name)


def test_flop_and_turn_can_be_locked_and_rivers_cannot():
    solver = start_solver(SpotConfig(**FLOP))
    lock_node(
        solver, NodeLock(node="x", strategy={"AA,KQs,88,76s,54s,QQ,JJ,KJs,99,65s,AQs": {"x": 1.0}})
    )
    solver.run(2)
    with pytest.raises(TreeError, match="compact rivers cannot be locked"):
        lock_node(solver, NodeLock(node=RIVER, strategy={"AA": {"x": 1.0}}))


def test_turns_in_buckets_cannot_be_locked():
    solver = start_solver(SpotConfig(**FLOP, turn_buckets=4))
    lock_node(solver, NodeLock(node="x", strategy={"QQ,JJ": {"x": 1.0}}))
    with pytest.raises(TreeError, match="turns in buckets cannot be locked, lock the flop, or"):
        lock_node(solver, NodeLock(node="x:x:9d", strategy={"AA": {"x": 1.0}}))


def test_hands_of_a_bucket_do_the_same_on_a_turn():
    solver = start_solver(SpotConfig(**FLOP, turn_buckets=4))
    solver.run(3)
    node, game = look_at(solver).node("x:x:9d"), solver.game
    turn = game.cards.runouts[0].index((parse_card("9d"),))
    place = game.find_columns(1, turn, node.actor)
    combos = game.cards.players[node.actor].combos
    assert set(place.of_hands.tolist()) == {0, 1, 2, 3}
    for bucket in range(4):
        inside = combos[(place.of_hands == bucket) & node.is_held[node.actor][combos]]
        played = node.strategy[:, inside]
        np.testing.assert_allclose(played, np.repeat(played[:, :1], len(inside), axis=1))


def test_turns_in_buckets_need_less_memory_and_are_another_game(solution):
    config = SpotConfig(**FLOP, turn_buckets=4)
    apart, buckets = (measure_spot(each, 1).memory[32] for each in (solution.config, config))
    assert buckets.tables < apart.tables
    solver = start_solver(config)
    held = sum(array.nbytes for _, array in solver.tables.named_arrays())
    assert held == buckets.tables
    assert config.game_mapping() != solution.config.game_mapping()
    assert flop_bundles.meaning_of(config) is ExploitabilityMeaning.UPPER_BOUND


def test_an_exploitability_with_compact_rivers_is_not_one_of_the_real_game(solution):
    assert solution.meaning is ExploitabilityMeaning.OWN_GAME
    river = SpotConfig(**FLOP | {"board": "Kc7h2s9d3d", "rivers": "exact"})
    exact = SpotSolution(river, start_solver(river), solution.outcome)
    assert exact.meaning is ExploitabilityMeaning.REAL_GAME


def test_compact_rivers_need_less_memory(solution):
    compact = measure_spot(solution.config, 1)
    exact = measure_spot(solution.config.model_copy(update={"rivers": "exact"}), 1)
    assert compact.num_boards[:2] == exact.num_boards[:2]
    assert compact.num_boards[2] < exact.num_boards[2]


def test_only_flops_have_compact_rivers():
    with pytest.raises(ConfigError, match="rivers: compact needs a flop, the board is Kc7h2s9d"):
        SpotConfig.parse({**FLOP, "board": "Kc7h2s9d"})


def test_how_rivers_are_kept_is_part_of_the_game(solution):
    exact = SpotConfig(**{**FLOP, "rivers": "exact"})
    assert "rivers" not in exact.game_mapping()
    assert exact.game_mapping() != solution.config.game_mapping()
