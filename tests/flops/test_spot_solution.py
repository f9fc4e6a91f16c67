"""Tests of `runout.flops.spot_solution`."""

import json
from functools import cache

import numpy as np
import pytest

from runout.cards.deck import COMBO_HAS_CARD, format_card, parse_canonical_hand, parse_combo
from runout.cards.ranges import Range
from runout.cfr.schedules import SolveOutcome, StopReason
from runout.config.spot import SpotConfig
from runout.equity.matchups import equity
from runout.errors import BundleError
from runout.flops.spot_setup import lock_node
from runout.flops.spot_solution import (
    SpotSolution,
    load_outcome,
    look_at,
    start_solver,
)
from runout.holdem.cards import NO_RAKE, Rake
from runout.holdem.solver import SpotSolver
from runout.holdem.tables import Precision
from runout.solutions.flop_bundles import SPOT_KIND, SPOT_SCHEMA_VERSION
from runout.storage.bundle import read_manifest
from runout.storage.writer import write_bundle
from tests.samples.small_spots import make_spot

KEYS = {"oop": "AA,QQ,JTs", "ip": "KK,T9s", "pot": 20, "stack": 60, "max_raises_per_street": 1}


def make_config(board="QsJh2h8c", **keys):
    return SpotConfig.parse({**KEYS, "board": board, **keys})


def solve(config, iterations):
    solver = start_solver(config)
    for lock in config.locks:
        lock_node(solver, lock)
    solver.run(iterations)
    return SpotSolution(config, solver, outcome_of(solver))


def outcome_of(solver):
    exploitability = solver.exploitability()
    return SolveOutcome(StopReason.ITERATIONS, solver.iteration, 1.5, np.nan, exploitability)


def arrays_of(solver):
    return [part for pair in solver.tables.by_street for learning in pair for part in learning]


def assert_same_bits(one, other):
    for a, b in zip(arrays_of(one), arrays_of(other), strict=True):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        assert a.tobytes() == b.tobytes()


LOCK = [{"node": "r:0", "strategy": {"x": 1}}]


@pytest.mark.parametrize("board", ["QsJh2h8c3d", "QsJh2h8c", "QsJh2h"])
@pytest.mark.parametrize("precision", [32, 16])
def test_a_solve_that_was_saved_goes_on_with_the_same_bits(tmp_path, board, precision):
    config = make_config(board, precision=precision)
    whole, half = solve(config, 4), solve(config, 2)
    half.save(tmp_path / "spot")
    again = SpotSolution.load(tmp_path / "spot")
    assert again.config == config
    assert again.solver.iteration == 2
    assert_same_bits(again.solver, half.solver)
    again.solver.run(2)
    assert_same_bits(again.solver, whole.solver)


def test_equal_solves_have_equal_content_digests(tmp_path):
    digests = []
    for name, iterations in (("a", 2), ("b", 2), ("c", 3)):
        solve(make_config("QsJh2h8c3d"), iterations).save(tmp_path / name)
        digests.append(read_manifest(tmp_path / name).content_digest)
    assert digests[0] == digests[1] != digests[2]


def test_locks_come_back(tmp_path):
    whole, half = solve(make_config(locks=LOCK), 6), solve(make_config(locks=LOCK), 2)
    half.save(tmp_path / "spot")
    again = SpotSolution.load(tmp_path / "spot")
    again.solver.run(4)
    assert_same_bits(again.solver, whole.solver)
    assert np.nanmin(again.view.node().strategy[0]) == 1.0


def test_what_is_learned_after_loading_stays_in_memory(tmp_path):
    solve(make_config(), 3).save(tmp_path / "spot")
    first = SpotSolution.load(tmp_path / "spot")
    before = first.outcome
    first.solver.run(2)
    second = SpotSolution.load(tmp_path / "spot")
    assert second.outcome.exploitability == before.exploitability
    assert second.solver.exploitability() == before.exploitability
    assert first.solver.exploitability() != before.exploitability


def test_a_bundle_says_what_was_solved_and_how_well(tmp_path):
    solution = solve(make_config(), 3)
    solution.save(tmp_path / "spot")
    config, outcome = load_outcome(tmp_path / "spot")
    assert config == solution.config
    assert (outcome.reason, outcome.iterations) == (StopReason.ITERATIONS, 3)
    assert outcome.exploitability == solution.outcome.exploitability
    assert solution.exploitability_pot == solution.outcome.exploitability / 20
    assert not solution.is_interrupted


def test_a_bundle_is_replaced_only_on_request(tmp_path):
    solution = solve(make_config(), 1)
    solution.save(tmp_path / "spot")
    with pytest.raises(BundleError, match="exists"):
        solution.save(tmp_path / "spot")
    solution.save(tmp_path / "spot", overwrite=True)


@pytest.mark.parametrize(
    ("kind", "version", "problem"),
    [
        ("other", SPOT_SCHEMA_VERSION, "is of kind 'other', expected 'spot'"),
        (
            SPOT_KIND,
            SPOT_SCHEMA_VERSION + 1,
            "has schema version 3, expected 1 or 2",
        ),
        (SPOT_KIND, SPOT_SCHEMA_VERSION, "missing or invalid entry: config: is empty"),
    ],
)
def test_other_kinds_and_versions_are_refused(tmp_path, kind, version, problem):
    path = tmp_path / "spot"
    write_bundle(path, kind=kind, schema_version=version, arrays={})
    with pytest.raises(BundleError, match=problem):
        SpotSolution.load(path)
    with pytest.raises(BundleError, match=problem):
        load_outcome(path)


def rewrite(path, config, arrays):
    report = json.loads((path / "report.json").read_text())
    write_bundle(
        path,
        kind=SPOT_KIND,
        schema_version=SPOT_SCHEMA_VERSION,
        arrays=arrays,
        documents={"report": report},
        config_text=config.to_yaml(),
        overwrite=True,
    )


def test_tables_of_another_shape_are_refused(tmp_path):
    path, config = tmp_path / "spot", make_config("QsJh2h8c3d")
    solve(config, 1).save(path)
    arrays = {file.stem: np.load(file) for file in path.glob("*.npy")}
    rewrite(path, config, {name: a for name, a in arrays.items() if name != "river_ip_regret"})
    with pytest.raises(BundleError, match="has no array river_ip_regret"):
        SpotSolution.load(path)
    rewrite(path, config, arrays | {"river_ip_regret": np.zeros((1, 2, 16), np.float32)})
    with pytest.raises(BundleError, match=r"river_ip_regret is float32 \(1, 2, 16\), this version"):
        SpotSolution.load(path)
    rewrite(path, config, arrays | {"river_oop_lock": np.zeros((1, 2, 16), np.uint8)})
    with pytest.raises(BundleError, match=r"river_oop_lock is uint8 \(1, 2, 16\), this version"):
        SpotSolution.load(path)


# --------------------------------------------------------------------------------------------------
# What a view shows: cases solved in the head, identities, merged suits against all suits.


AA, KK, QQ = (Range(hand).weights > 0.0 for hand in ("AA", "KK", "QQ"))


@cache
def polarised():
    """Returns AA and QQ against KK with four deuces on board: the best hand and a bluff."""
    solver = SpotSolver(make_spot("2c2d2h2s3c", "AA,QQ", "KK", "a", 10, 10))
    solver.run(2000)
    return look_at(solver)


@cache
def solved_turn(rake=NO_RAKE, precision=Precision.SINGLE):
    """Returns a turn with two bet sizes and raises, after few iterations."""
    spot = make_spot(
        "Ks7s2d4h", "AA,QQ,A5s,JTs:0.5", "KQs,99,T9s,A4s", "50%,a", 10, 200, 3, rake=rake
    )
    solver = SpotSolver(spot, precision=precision)
    solver.run(30)
    return solver, look_at(solver)


def turn_view(**keys):
    return solved_turn(**keys)[1]


def walk(view, path="", cards=("9h", "Ks", "Tc"), depth=12):
    """Yields nodes depth first, with some of the cards."""
    node = view.node(path)
    yield node
    if depth == 0:
        return
    possible = [format_card(card) for card in node.next_cards]
    steps = [action.code for action in node.actions] + [c for c in cards if c in possible]
    for step in steps:
        yield from walk(view, node.path_after(step), cards, depth - 1)


def test_the_polarised_river_by_hand():
    root, jam = polarised().node(), polarised().node("a")
    assert root.range_equity(0) == pytest.approx(0.5)
    assert root.range_ev(0) == pytest.approx(7.5, abs=0.01)
    assert root.range_ev(1) == pytest.approx(2.5, abs=0.01)
    # Bluffs are S/(P+S) of the value bets, calls P/(P+S).
    assert jam.weights[0, QQ].mean() == pytest.approx(0.5, abs=0.01)
    assert jam.weights[0, AA].mean() == pytest.approx(1.0, abs=0.01)
    assert jam.frequency() == pytest.approx([0.5, 0.5], abs=0.01)
    assert [action.code for action in jam.actions] == ["f", "c"]
    assert jam.pot == 20.0
    assert jam.stacks == (0.0, 10.0)
    assert jam.range_equity(0) == pytest.approx(2 / 3, abs=0.01)
    assert jam.equity[1, KK] == pytest.approx(1 / 3, abs=0.01)
    assert jam.action_ev[0, KK] == pytest.approx(0.0, abs=1e-5)
    assert jam.action_ev[1, KK] == pytest.approx(0.0, abs=0.1)
    # A bet of 10 into 10: called half of the time AA gets 30, otherwise 20.
    assert jam.ev[0, AA] == pytest.approx(25.0, abs=0.1)
    assert jam.ev[0, QQ] == pytest.approx(10.0, abs=0.1)


def test_a_node_without_decision_has_no_strategy():
    called = polarised().node("a:c")
    assert (called.kind, called.actor, called.actions) == ("showdown", None, ())
    assert called.strategy.shape == called.action_ev.shape == (0, 1326)
    assert called.frequency().shape == (0,)
    assert called.ev[0, AA] == pytest.approx(30.0)
    assert called.ev[0, QQ] == pytest.approx(0.0, abs=1e-5)


def test_what_does_not_exist_is_not_a_number():
    node = turn_view().node("x:x:9h")
    blocked, held = parse_combo("9h9d"), parse_combo("9d9c")
    assert node.weights[1, blocked] == 0.0
    assert np.isnan([node.ev[1, blocked], node.equity[1, blocked]]).all()
    assert not np.isnan(node.ev[1, held])
    assert np.isnan(node.strategy[:, parse_combo("9d9c")]).all()
    alone = look_at(SpotSolver(make_spot("2c2d2h2s3c", "AcAd,AhKh", "AcAd", "a"))).node()
    assert np.isnan(alone.ev[0, parse_combo("AcAd")])
    assert not alone.met_weights[0, parse_combo("AcAd")]
    assert alone.range_ev(0) + alone.range_ev(1) == pytest.approx(10.0)


@pytest.mark.parametrize("precision", Precision)
def test_root_values_are_those_of_the_solver(precision):
    solver, view = solved_turn(precision=precision)
    for player in (0, 1):
        expected = solver.expected_value(player)
        assert view.node().range_ev(player) == pytest.approx(expected, abs=1e-5)
    assert view.node().weights[0] == pytest.approx(solver.game.spot.ranges[0].weights)


@pytest.mark.parametrize("precision", Precision)
def test_evs_sum_to_the_pot_and_actions_mix_to_them_everywhere(precision):
    kinds = []
    for node in walk(turn_view(precision=precision), cards=("9h", "Tc")):
        sums = node.range_ev(0) + node.range_ev(1)
        if not np.isnan(sums):
            assert sums == pytest.approx(node.pot, abs=1e-3), node.path
            assert node.range_equity(0) + node.range_equity(1) == pytest.approx(1.0)
            kinds.append(node.kind)
        if node.actor is None:
            continue
        ev = node.ev[node.actor]
        assert node.strategy.sum(axis=0)[node.is_held[node.actor]] == pytest.approx(1.0)
        mixed = (node.strategy * node.action_ev).sum(axis=0)
        known = ~np.isnan(ev)
        assert mixed[known] == pytest.approx(ev[known], abs=1e-3), node.path
        if node.actions[0].code == "f":
            assert node.action_ev[0, known] == pytest.approx(0.0, abs=1e-5 * node.pot)
    assert len(kinds) > 300
    assert set(kinds) == {"decision", "chance", "fold", "showdown"}


def test_a_folder_gets_nothing_and_the_winner_the_pot_less_rake():
    solver, view = solved_turn(Rake(0.05, 1.0))
    folded = view.node("b5:f")
    won, lost = (ev[~np.isnan(ev)] for ev in folded.ev)
    assert lost == pytest.approx(0.0, abs=1e-5)
    assert won == pytest.approx(15.0 - 0.5, abs=1e-5)  # the uncalled 5 are not raked
    for player in (0, 1):
        expected = solver.expected_value(player)
        assert view.node().range_ev(player) == pytest.approx(expected, abs=1e-5)


def test_an_action_multiplies_the_weights_of_its_player():
    root, bet = turn_view().node(), turn_view().node("b5")
    assert bet.weights[0] == pytest.approx(root.weights[0] * np.nan_to_num(root.strategy[1]))
    assert np.array_equal(bet.weights[1], root.weights[1])
    deals = bet.weights[0] * bet.met_weights[0]
    before = root.weights[0] * root.met_weights[0]
    assert root.frequency()[1] == pytest.approx(deals.sum() / before.sum())


@pytest.mark.parametrize(
    ("view", "path"),
    [
        (turn_view, "b5:c"),
        (turn_view, "a:c"),
        (lambda: flop_view(True), "x:x"),
        (lambda: flop_view(True), "x:x:9d:a:c"),
    ],
)
def test_a_chance_node_is_the_mean_over_all_cards(view, path):
    node = view().node(path)
    num_cards = len(node.next_cards) - 4
    for player in (0, 1):
        ev, equity = np.zeros(1326), np.zeros(1326)
        for card in node.next_cards:
            after = view().node(f"{path}:{format_card(card)}")
            assert not after.weights[:, COMBO_HAS_CARD[:, card]].any()
            share = after.met_weights[player] / num_cards
            ev += share * np.nan_to_num(after.ev[player])
            equity += share * np.nan_to_num(after.equity[player])
        known = ~np.isnan(node.ev[player])
        met = node.met_weights[player, known]
        assert ev[known] / met == pytest.approx(node.ev[player, known], abs=1e-3)
        assert equity[known] / met == pytest.approx(node.equity[player, known], abs=1e-9)


@pytest.mark.parametrize("path", ["", "b5:c", "b5:c:9h", "b5:c:9h:x:b10"])
def test_equity_is_that_of_an_all_in_between_the_arriving_ranges(path):
    node = turn_view().node(path)
    expected = equity(*node.weights, node.board)
    assert node.range_equity(0) == pytest.approx(expected.equity)
    held = node.weights > 0.0
    assert node.equity[0, held[0]] == pytest.approx(expected.hero.equity[held[0]], nan_ok=True)
    assert node.equity[1, held[1]] == pytest.approx(expected.villain.equity[held[1]], nan_ok=True)


@cache
def flop_view(merges, board="Ks7s2s", num_iterations=4):
    """Returns a flop whose suits can be merged."""
    oop, ip = "AA,JTs,98s:0.5,A5o", "KK,99,T9s,Q4o"
    solver = SpotSolver(make_spot(board, oop, ip, "a", 10, 20, merges=merges))
    solver.run(num_iterations)
    return look_at(solver)


@pytest.mark.parametrize("board", ["Ks7s2s", "KsKh2s"])
@pytest.mark.parametrize(
    "path",
    ["", "x", "x:a", "x:x", "x:x:9c", "x:x:9d:x", "x:x:9h:a", "x:x:9s"]
    + [f"x:x:{turn}:x:x:{river}:x" for turn in ("9d", "9h", "8s") for river in ("Tc", "Th", "Td")]
    + ["a:c:9d:8h", "x:x:Jh:x:a:c:Qd"],
)
def test_merged_suits_give_what_all_suits_give(board, path):
    merged, apart = flop_view(True, board).node(path), flop_view(False, board).node(path)
    assert len(flop_view(True, board).cards.symmetries) > 1
    assert merged.board == apart.board
    for name in ("weights", "met_weights", "strategy", "equity"):
        first, second = getattr(merged, name), getattr(apart, name)
        assert np.allclose(first, second, atol=1e-3, equal_nan=True), name
    for name in ("ev", "action_ev"):
        first, second = getattr(merged, name), getattr(apart, name)
        assert np.allclose(first, second, atol=1e-2, equal_nan=True), name


def test_what_a_board_blocks_is_told_in_the_suits_of_the_path():
    view = flop_view(True)
    for turn, river in (("c", "d"), ("d", "h"), ("h", "c"), ("d", "c")):
        node = view.node(f"x:x:9{turn}:x:x:T{river}")
        held = [suit for suit in "cdhs" if node.is_held[1, parse_combo(f"T{suit}9{suit}")]]
        assert held == [suit for suit in "cdhs" if suit not in (turn, river)]


def test_a_view_sees_what_was_learned_since():
    solver = SpotSolver(make_spot("2c2d2h2s3c", "AA,QQ", "KK", "a", 10, 10))
    view = look_at(solver)
    assert view.node().frequency() == pytest.approx([0.5, 0.5])
    assert view.node("a").weights[0, AA] == pytest.approx(0.5)
    solver.run(500)
    assert view.node("a").weights[0, AA] == pytest.approx(1.0, abs=0.02)
    assert view.node().range_ev(0) == pytest.approx(solver.expected_value(0))


def test_means_of_hands_weigh_combos_by_the_deals():
    node = turn_view().node("x")
    means = node.hand_means(node.strategy[0])
    hand = parse_canonical_hand("T9s")
    combos = [parse_combo(text) for text in ("Tc9c", "Td9d", "Th9h", "Ts9s")]
    deals = (node.weights[1] * node.met_weights[1])[combos]
    assert means[hand] == pytest.approx((node.strategy[0, combos] * deals).sum() / deals.sum())
    assert np.isnan(means[parse_canonical_hand("72o")])
    aces = node.hand_means(node.ev[0], player=0)[parse_canonical_hand("AA")]
    assert np.nanmin(node.ev[0, AA]) <= aces <= np.nanmax(node.ev[0, AA])


def test_boards_are_forgotten_and_found_again():
    view = turn_view()
    before = view.node("b5:c:9h").ev
    for card in view.node("b5:c").next_cards:
        view.node(f"b5:c:{format_card(card)}")
    assert np.array_equal(view.node("b5:c:9h").ev, before, equal_nan=True)
