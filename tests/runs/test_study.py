"""Tests of `runout.runs.study`: locks as players say them, and drills graded by EV."""

import numpy as np
import pytest

import runout
from runout.cards.deck import parse_combo
from runout.cards.ranges import Range
from runout.config.load import parse_config
from runout.config.run import RunConfig
from runout.config.spot import SpotConfig
from runout.errors import OptionError
from runout.runs.preflop import solve_preflop
from runout.runs.spot import solve_spot
from runout.runs.study import Missed, drill, edited_lock
from tests.samples.solve_configs import JOINT

RIVER = {
    "board": "QsJh2h8c3d",
    "oop": "22+,A2s+,KTs+,QJs,T9s",
    "ip": "22+,A8s+,K9s+,QTs+,AJo+",
    "pot": 180,
    "stack": 910,
    "bet_sizes": "33%, 75%",
    "raise_sizes": "2.5x",
    "target": 0.003,
}


@pytest.fixture(scope="module")
def solved():
    return solve_spot(**RIVER)


def frequencies(node, lock):
    """Returns how often the hands that arrive in the solution take each action under a lock."""
    strategy = node.strategy.copy()
    for hands, shares in lock["strategy"].items():
        strategy[:, Range(hands).weights > 0.0] = np.array(list(shares.values()))[:, None]
    deals = node.deals(node.actor)
    return np.array([(np.nan_to_num(row) * deals).sum() for row in strategy]) / deals.sum()


@pytest.mark.parametrize(
    ("change", "moved"),
    [
        ("fold+=10%", lambda fold, call, up: (fold + 0.1, call, up)),
        ("fold-=0.05", lambda fold, call, up: (fold - 0.05, call, up)),
        ("call>fold=10%", lambda fold, call, up: (fold + 0.1, call - 0.1, up)),
        ("raise=0", lambda fold, call, up: (None, None, 0.0)),
        ("r2.5x=0", lambda fold, call, up: (None, None, 0.0)),
        ("c=1", lambda fold, call, up: (0.0, 1.0, 0.0)),
    ],
)
def test_a_change_moves_what_it_says(solved, change, moved):
    node = solved.node("x:b59")
    lock = edited_lock(solved, f"x:b33% {change}")
    assert lock["node"] == "x:b59"
    before, after = node.frequency(), frequencies(node, lock)
    assert after.sum() == pytest.approx(1.0, abs=1e-6)
    wanted = moved(*before)
    if change in ("fold+=10%", "fold-=0.05"):  # the others keep their proportion
        assert after[0] == pytest.approx(wanted[0], abs=1e-6)
        return
    for share, value in zip(after, wanted, strict=True):
        assert value is None or share == pytest.approx(value, abs=1e-6)


def test_other_actions_keep_their_proportion_hand_by_hand(solved):
    node = solved.node("x:b59")
    lock = edited_lock(solved, "x:b59 fold+=10%")
    for hands, shares in lock["strategy"].items():
        combos = np.flatnonzero(Range(hands).weights)
        _, call, up = shares.values()
        before = node.strategy[1:, combos]
        assert call * before[1] == pytest.approx(up * before[0], abs=1e-6)


def test_changes_of_a_range_leave_other_hands_free(solved):
    lock = edited_lock(solved, "x:b59 AA,KK: call=1")
    (hands,) = lock["strategy"]
    assert Range(hands) == Range("AA,KK") & Range(RIVER["oop"])
    assert [*lock["strategy"][hands].values()] == [0.0, 1.0, 0.0]


def test_pure_takes_what_is_played_most(solved):
    shares = edited_lock(solved, "x pure")["strategy"].values()
    assert {value for row in shares for value in row.values()} == {0.0, 1.0}


def test_locking_what_is_played_changes_nothing_but_exploitability(solved):
    """Both solves are equilibria of the same game: their values are within what both may lose."""
    node = solved.node("x")
    lock = edited_lock(solved, "x b59>b135=0%")
    again = solve_spot(SpotConfig.parse(solved.config.to_mapping() | {"locks": [lock]}))
    for player in (0, 1):
        gap = again.node().range_ev(player) - solved.node().range_ev(player)
        assert abs(gap) <= 2.0 * RIVER["pot"] * 0.003
    known = again.node("x").strategy
    arrives = node.weights[node.actor] > 0.0
    assert known[:, arrives] == pytest.approx(node.strategy[:, arrives], abs=1e-3)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("x:b59", "has no change"),
        ("x:b59 foo=1", "'foo' is not an action at x:b59, use f, c"),
        ("x:b59 fold+=95%", "moves more than there is"),
        ("x:b59 fold=2", "is not a share"),
        ("x:b59 fold", "is not a change"),
        ("x:b59 c>call=10%", "is not a change"),
        ("x:b59 72o: fold=1", "no hand of 72o comes"),
        ("x:x fold=1", "no decision"),
    ],
)
def test_what_cannot_be_locked_is_said(solved, text, problem):
    with pytest.raises(OptionError, match=problem):
        edited_lock(solved, text)


def best_answer(question):
    return int(np.nanargmax(question.node.action_ev[:, question.combo]))


def test_the_best_answers_lose_nothing(solved):
    grades = list(drill(solved, best_answer, num_hands=12, seed=5))
    assert len(grades) >= 12
    assert all(grade.lost == 0.0 and not grade.is_mistake for grade in grades)
    assert {grade.question.node.actor for grade in grades} == {0}


def test_a_loss_is_the_difference_of_evs(solved):
    def fold_or_check(question):
        return 0

    grades = list(drill(solved, fold_or_check, path="x:b59", num_hands=40, seed=2))
    assert [grade.question.node.path for grade in grades] == ["x:b59"] * 40
    for grade in grades:
        values = grade.question.node.action_ev[:, grade.question.combo]
        assert grade.lost == pytest.approx(np.nanmax(values) - values[0])
    assert any(grade.is_mistake for grade in grades)


def test_hands_come_as_often_as_in_the_game(solved):
    node, counts = solved.node(), np.zeros(1326)

    def note(question):
        counts[question.combo] += 1
        return None

    for seed in range(800):
        list(drill(solved, note, num_hands=1, seed=seed))
    chances = node.deals(0) / node.deals(0).sum()
    is_pair = Range("22+").weights > 0.0
    expected = chances[is_pair].sum()
    spread = (expected * (1.0 - expected) / 800) ** 0.5
    assert counts[is_pair].sum() / 800 == pytest.approx(expected, abs=4.0 * spread)


def test_what_was_missed_comes_again_and_is_forgotten_when_known(solved, tmp_path):
    missed = Missed(tmp_path / "drill.json")
    wrong = next(
        grade
        for grade in drill(solved, lambda q: 0, path="x:b59", num_hands=60, seed=2, missed=missed)
        if grade.is_mistake
    )
    missed.save()
    again = Missed(tmp_path / "drill.json")
    assert len(again.due_by_key) >= 1
    asked = []

    def answer(question):
        asked.append((question.node.path, question.combo))
        return best_answer(question)

    list(drill(solved, answer, path="x:b59", num_hands=120, seed=9, missed=again))
    assert asked.count(("x:b59", wrong.question.combo)) >= 5
    assert not again.due_by_key


def test_a_damaged_file_counts_as_empty(tmp_path):
    (tmp_path / "drill.json").write_text('{"missed": [1]}')
    assert Missed(tmp_path / "drill.json").due_by_key == {}


def test_a_preflop_game_goes_on_to_its_flops(tmp_path):
    run = runout.solve_preflop(runout.parse_config(JOINT, runout.RunConfig))
    run.save(tmp_path / "run")
    solution = runout.open(tmp_path / "run")

    def call_or_check(question):
        codes = [action.code for action in question.node.actions]
        return next(n for n, code in enumerate(codes) if code in ("c", "x"))

    grades = list(drill(solution, call_or_check, num_hands=30, seed=1))
    assert {bool(grade.question.node.board) for grade in grades} == {False, True}
    assert parse_combo("AhKh") != parse_combo("AhKd")


def test_a_drill_of_a_joint_game_asks_one_player_and_keeps_its_hand(tmp_path):
    solve_preflop(parse_config(JOINT, RunConfig)).save(tmp_path / "game")
    game = runout.open(tmp_path / "game")
    asked = []

    def answer(question):
        node = question.node
        asked.append((node.players[node.actor], bool(node.board), question.combo))
        return 0

    list(drill(game, answer, path="c", num_hands=30, seed=1))
    assert {name for name, _, _ in asked} == {"BB"}  # its number is another one after the flop
    assert any(is_after for _, is_after, _ in asked)
    hands = [combo for _, is_after, combo in asked if not is_after]
    assert all(combo in hands for _, _, combo in asked)
