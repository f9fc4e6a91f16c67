"""Spots with compact rivers through the views, locks and files of exact spots."""

import tarfile
from pathlib import Path

import numpy as np
import pytest

from runout.cards.deck import parse_card
from runout.cfr.schedules import SolveOutcome, StopReason
from runout.cfr.team import Team
from runout.config.spot import NodeLock, SpotConfig
from runout.errors import ConfigError, TreeError
from runout.execution.context import RunContext
from runout.flops import spot_setup
from runout.flops.spot_setup import choose_rivers, lock_node, measure_spot
from runout.flops.spot_solution import SpotSolution, look_at, start_solver
from runout.holdem.tables import Precision
from runout.runs.judge import judge_saved_spot
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
EARLIER = Path(__file__).parents[1] / "data" / "bundles_86d1cbc"


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


@pytest.fixture(scope="module")
def measured(solution):
    return solution.with_real_cards(Team())


@pytest.mark.parametrize("path", ["", "x:b5", "x:x:9d", "x:x:9d:x:b5", RIVER, f"{RIVER}:x:b5"])
def test_evs_with_real_cards_add_up_to_the_pot(measured, path, tmp_path):
    measured.save(tmp_path / "spot")
    for view in (measured.view, flop_bundles.load_spot(tmp_path / "spot")):
        node = view.node(path)
        assert node.range_ev(0) + node.range_ev(1) == pytest.approx(node.pot, rel=5e-4)


def test_raked_evs_with_real_cards_add_up_to_the_pot_less_rake():
    keys = {key: FLOP[key] for key in ("board", "oop", "ip", "pot", "rivers", "river_buckets")}
    config = SpotConfig(**keys, stack=20, bet_sizes=[], add_all_in_threshold=0, rake_rate=0.05)
    solver = start_solver(config)
    outcome = SolveOutcome(StopReason.ITERATIONS, 0, 1.0, float("nan"), 0.0)
    node = SpotSolution(config, solver, outcome).with_real_cards(Team()).view.node()
    assert node.range_ev(0) + node.range_ev(1) == pytest.approx(0.95 * node.pot, rel=5e-4)


def test_the_real_loss_is_kept_and_the_judge_finds_it_again(measured, solution, tmp_path):
    measured.save(tmp_path / "measured")
    solution.save(tmp_path / "not")
    assert flop_bundles.load_spot(tmp_path / "not").quality.real_exploitability is None
    kept = flop_bundles.load_spot(tmp_path / "measured").quality
    assert kept.real_exploitability == measured.loss.exploitability_pot
    assert kept.is_trusted == (kept.real_exploitability <= 0.01)
    before = flop_bundles.load_spot(tmp_path / "not").node("x")
    loss = judge_saved_spot(tmp_path / "not", RunContext(num_workers=1))
    assert loss.exploitability_pot == pytest.approx(kept.real_exploitability, abs=1e-4)
    judged = flop_bundles.load_spot(tmp_path / "not")
    assert judged.quality.real_exploitability == loss.exploitability_pot
    sums = [node.range_ev(0) + node.range_ev(1) for node in (before, judged.node("x"))]
    assert abs(sums[1] - 10) < 5e-3 <= abs(sums[0] - 10)
    assert SpotSolution.load(tmp_path / "not").loss == loss  # and the solve can go on


def test_a_bundle_of_an_earlier_version_can_be_judged(tmp_path):
    """And then has the layout of now."""
    with tarfile.open(EARLIER / "flop_compact.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    (place,) = tmp_path.iterdir()
    loss = judge_saved_spot(place, RunContext(num_workers=1))
    spot = flop_bundles.load_spot(place)
    assert spot.quality.real_exploitability == loss.exploitability_pot
    node = spot.node()
    assert node.range_ev(0) + node.range_ev(1) == pytest.approx(node.pot, rel=5e-4)


def test_rivers_are_exact_if_half_of_the_free_memory_holds_them(monkeypatch):
    config = SpotConfig(**{**FLOP, "rivers": "auto"})
    assert choose_rivers(config).rivers == "exact"
    needed = measure_spot(config).memory[Precision.SINGLE].total
    for free, rivers in ((2 * needed, "exact"), (2 * needed - 2, "compact")):
        monkeypatch.setattr(spot_setup, "available_memory_bytes", lambda free=free: free)
        assert choose_rivers(config).rivers == rivers
    river = SpotConfig(**{**FLOP, "rivers": "auto", "board": "Kc7h2s9d3d"})
    assert choose_rivers(river).rivers == "exact"
    assert choose_rivers(config, known=SpotConfig(**FLOP)).rivers == "compact"
    exact = SpotConfig(**{**FLOP, "rivers": "exact"})
    assert config.digest_mapping() == exact.digest_mapping()  # as it was when exact was the default


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
