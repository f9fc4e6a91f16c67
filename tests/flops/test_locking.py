"""Locked decisions: examples done by hand, suits, precision, and what is refused."""

import math

import numpy as np
import pytest
from pydantic import ValidationError

from runout.cards.deck import format_combo, parse_combo
from runout.cards.ranges import Range
from runout.config.spot import NodeLock
from runout.errors import RangeError, TreeError
from runout.flops.spot_setup import lock_node, settle_locks
from runout.flops.spot_solution import look_at
from runout.holdem.solver import SpotSolver
from runout.holdem.tables import Precision
from tests.samples.small_spots import make_spot

AA, KK, QQ = (Range(hand).weights > 0.0 for hand in ("AA", "KK", "QQ"))


def lock_hands(solver, path, strategy, **keys):
    return lock_node(solver, NodeLock(node=path, strategy=strategy, **keys))


def polarised(**how):
    """Returns a solver of AA and QQ against KK, pot and stack 10, jam or check."""
    return SpotSolver(make_spot("2c2d2h2s3c", "AA,QQ", "KK", "a", 10, 10), **how)


@pytest.mark.parametrize("precision", Precision)
@pytest.mark.parametrize(
    ("calls", "aces_jam", "queens_jam", "queens_play", "value"),
    [
        # Who always folds loses the pot to every jam.
        (0.0, 10.0, 10.0, 1.0, 10.0),
        # Who always calls pays AA 10 more; QQ gives up.
        (1.0, 20.0, -10.0, 0.0, 10.0),
        # Called 3 times of 10: AA 0.7 x 10 + 0.3 x 20, QQ 0.7 x 10 - 0.3 x 10.
        (0.3, 13.0, 4.0, 1.0, 8.5),
    ],
)
def test_the_best_answer_to_a_locked_caller(
    precision, calls, aces_jam, queens_jam, queens_play, value
):
    solver = polarised(precision=precision)
    assert lock_hands(solver, "a", {"random": {"f": 1.0 - calls, "c": calls}}) == 6
    solver.run(1000)
    view = look_at(solver)
    root, jam = view.node(), view.node("a")
    assert jam.strategy[1, KK] == pytest.approx(calls, abs=1e-4)
    assert root.action_ev[1, AA] == pytest.approx(aces_jam, abs=1e-3)
    assert root.action_ev[1, QQ] == pytest.approx(queens_jam, abs=1e-3)
    assert root.strategy[1, QQ] == pytest.approx(queens_play, abs=0.01)
    assert root.range_ev(0) == pytest.approx(value, abs=0.02)
    assert root.range_ev(1) == pytest.approx(10.0 - value, abs=0.02)
    assert solver.expected_value(0) == pytest.approx(value, abs=0.02)
    assert solver.exploitability() == pytest.approx(0.0, abs=0.02)


def test_an_opponent_who_never_bluffs_is_never_called():
    solver = polarised()
    lock_hands(solver, "", {"AA": {"a": 1.0}, "QQ": {"x": 1.0}})
    lock_hands(solver, "x:a", {"AA,QQ": {"c": 1.0}})  # the trapper would be paid, were there one
    solver.run(500)
    jam = look_at(solver).node("a")
    assert jam.frequency() == pytest.approx([1.0, 0.0], abs=0.01)
    assert jam.action_ev[1, KK] == pytest.approx(-10.0, abs=1e-3)
    # AA takes the pot; QQ has shown itself by checking and loses it, whether KK bets or not.
    assert look_at(solver).node().ev[0, AA] == pytest.approx(10.0, abs=0.05)


def test_a_locked_strategy_is_shown_where_nobody_arrives():
    solver = polarised()
    lock_hands(solver, "", {"random": {"a": 1.0}})
    lock_hands(solver, "x:a", {"random": {"f": 0.25, "c": 0.75}})
    view = look_at(solver)
    for _ in range(2):
        node = view.node("x:a")
        assert not node.weights[0].any()
        assert node.strategy[1, AA | QQ] == pytest.approx(0.75)
        assert np.isnan(node.ev[1]).all()
        # What a hand would get there is known all the same: here KK arrives in full or in part.
        mixed = (node.strategy * node.action_ev).sum(axis=0)
        assert mixed[AA] == pytest.approx(node.ev[0, AA], abs=1e-3)
        solver.run(50)


def test_single_combos_are_locked_and_the_others_learn():
    solver = polarised()
    bluff, free = parse_combo("QcQd"), parse_combo("QhQs")
    assert lock_hands(solver, "", {"QcQd": {"x": 1.0}}) == 1
    solver.run(1000)
    root = look_at(solver).node()
    assert root.strategy[0, bluff] == pytest.approx(1.0)
    assert root.strategy[1, free] > 0.3  # five combos bluff as often as six would
    assert root.range_ev(0) == pytest.approx(7.5, abs=0.02)
    assert solver.exploitability() == pytest.approx(0.0, abs=0.02)


def test_a_strategy_that_was_shown_can_be_locked():
    solver = polarised()
    solver.run(500)
    shown = look_at(solver).node("a").strategy
    strategy = {
        format_combo(combo): dict(zip("fc", shown[:, combo].tolist(), strict=True))
        for combo in np.flatnonzero(KK)
    }
    assert lock_hands(solver, "a", strategy) == 6
    solver.run(10)
    again = look_at(solver).node("a").strategy
    assert np.allclose(again, shown, atol=1e-6, equal_nan=True)


def test_a_lock_replaces_what_was_learned_at_once():
    solver = polarised()
    view = look_at(solver)
    solver.run(200)
    assert view.node("a").frequency()[1] == pytest.approx(0.5, abs=0.1)
    lock_hands(solver, "a", {"KK": {"c": 1.0}})
    assert view.node("a").frequency()[1] == pytest.approx(1.0)
    assert view.node().action_ev[1, AA] == pytest.approx(20.0)
    solver.run(1)
    assert view.node("a").frequency()[1] == pytest.approx(1.0)


TURN = ("Ks7s2s4s", "AA,JTs,A5o", "KK,99,Q4o")


def turn_solver(merges):
    return SpotSolver(make_spot(*TURN, "a", 10, 20, merges=merges))


def test_cards_solved_as_one_are_locked_as_one():
    merged, apart = turn_solver(True), turn_solver(False)
    strategy = {"AA": {"x": 0.25, "a": 0.75}, "A5o": {"x": 1.0}}
    with pytest.raises(TreeError, match=r"9d is solved as one with 9c, 9h, .*merges_suits: false"):
        lock_hands(merged, "x:x:9d", strategy)
    assert lock_hands(merged, "x:x:9d", strategy, locks_alike=True) > 0
    for card in ("9c", "9d", "9h"):
        lock_hands(apart, f"x:x:{card}", strategy)
    for solver in (merged, apart):
        solver.run(5)
    for path in ("", "x:x", "x:x:9c", "x:x:9d", "x:x:9h:x", "x:x:8d"):
        first, second = look_at(merged).node(path), look_at(apart).node(path)
        assert np.allclose(first.strategy, second.strategy, atol=1e-3, equal_nan=True)
        assert np.allclose(first.ev, second.ev, atol=1e-2, equal_nan=True)


def test_suits_of_an_image_are_renamed():
    spot = make_spot("Ks7s2s4s", "AA,JTs", "KK,99", "a", 10, 20)
    solver = SpotSolver(spot)
    # After the 9h, clubs and diamonds are alike: all of JTs but the heart, which plays otherwise.
    strategy = {"JhTh": {"a": 1.0}, "JTs": {"x": 1.0}}
    lock_hands(solver, "x:x:9h", strategy, locks_alike=True)
    view = look_at(solver)
    for card, suit in (("9h", "h"), ("9c", "c"), ("9d", "d")):
        node = view.node(f"x:x:{card}")
        for other in "cdh":
            jams = node.strategy[1, parse_combo(f"J{other}T{other}")]
            assert jams == pytest.approx(float(other == suit)), (card, other)


def test_hands_that_differ_by_suits_are_told_apart_only_if_they_are_solved_apart():
    with pytest.raises(TreeError, match=r"are solved as one, .*merges_suits: false"):
        lock_hands(turn_solver(True), "", {"AcAd": {"x": 1.0}})
    assert lock_hands(turn_solver(True), "", {"JsTs": {"x": 1.0}}) == 1
    assert lock_hands(turn_solver(False), "", {"AcAd": {"x": 1.0}}) == 1


def test_sixteen_bits_lock_single_hands_beside_hands_that_learn():
    solver, exact = polarised(precision=Precision.HALF), polarised()
    for each in (solver, exact):
        lock_hands(each, "", {"QQ": {"x": 0.3, "a": 0.7}})
        each.run(200)
    found, expected = (look_at(each).node("") for each in (solver, exact))
    assert found.strategy[1, QQ] == pytest.approx(0.7, abs=1e-4)
    assert found.strategy[1, AA] == pytest.approx(expected.strategy[1, AA], abs=1e-3)
    assert found.range_ev(0) == pytest.approx(expected.range_ev(0), abs=1e-3)


@pytest.mark.parametrize(
    ("path", "strategy", "error", "message"),
    [
        ("a:c", {"KK": {"c": 1.0}}, TreeError, "lock after a:c: not a decision but a showdown"),
        ("a", {"KK": {"x": 1.0}}, TreeError, "KK: 'x' is not an action, the 2 actions are f, c"),
        ("a", {"AA": {"c": 1.0}}, RangeError, "the player holds none of the hands"),
        ("a", {"KK": {"f": 0.5, "c": 0.4}}, ValidationError, "sum to 0.9, not to 1"),
        ("a", {"KK": {"f": 1.5, "c": -0.5}}, ValidationError, "1.5 is not a probability"),
        ("a", {"KK": {"c": math.nan}}, ValidationError, ".nan is not a probability"),
        ("a", {"KX": {"c": 1.0}}, ValidationError, "'KX'"),
    ],
)
def test_what_cannot_be_locked(path, strategy, error, message):
    solver = polarised()
    with pytest.raises(error) as caught:
        lock_hands(solver, path, strategy)
    assert message in str(caught.value)
    assert not any(learning.lock.size for pair in solver.tables.by_street for learning in pair)


def test_the_first_of_overlapping_hands_counts():
    solver = polarised()
    lock_hands(solver, "", {"AA": {"a": 1.0}, "random": {"x": 1.0}})
    root = look_at(solver).node()
    assert (root.strategy[1, AA] == 1.0).all()
    assert (root.strategy[1, QQ] == 0.0).all()


def test_settled_locks_stay_settled():
    solver = polarised()
    lock_hands(solver, "a", {"KK": {"f": 0.5, "c": 0.5}})
    solver.run(7)
    settle_locks(solver.game.templates, solver.tables)
    before = solver.tables.by_street[0][1].strategy_sum.copy()
    settle_locks(solver.game.templates, solver.tables)
    assert np.allclose(solver.tables.by_street[0][1].strategy_sum, before)
