"""Tests of `tools.other_flops`."""

from dataclasses import replace

import numpy as np
import pytest

from runout.cfr.schedules import StoppingRule
from runout.cfr.team import Team
from tests.samples.joint_games import FLOP_JAM, MONOTONE, limp_or_raise, make_game, make_solver
from tests.samples.preflop_games import solution_of
from tools import other_flops

PLAYED, AT_MOST = range(2)


@pytest.fixture(scope="module")
def game():
    return make_game(limp_or_raise(), MONOTONE, FLOP_JAM)


@pytest.fixture(scope="module")
def chart():
    return solution_of(make_solver(limp_or_raise(), MONOTONE, FLOP_JAM), StoppingRule(60))


@pytest.fixture(scope="module")
def paid(game, chart):
    return [other_flops.solve_flop(game, chart, flop, 60, Team()) for flop in game.flops.flops]


def test_on_its_own_flops_a_chart_loses_about_what_its_solve_says(game, chart, paid):
    """They stand for half each, and were solved as long again, with the ranges of the chart."""
    found = other_flops.answer(game, chart, paid)
    assert 0.0 <= found[PLAYED] <= found[AT_MOST] + 0.1
    assert found[AT_MOST] < 2.0 * chart.report.exploitability_mbb + 1.0


def test_who_folds_everything_loses_its_blind(game, chart, paid):
    folding = chart.strategy.copy()
    first = game.tree.layout.children(0)
    folding[first.start : first.stop] = 0.0
    folding[first.start] = 1.0  # the fold
    folds = replace(chart, strategy=folding)
    better = other_flops.answer(game, folds, paid)
    assert (better > other_flops.answer(game, chart, paid)).all()


def test_flops_that_pay_the_same_have_no_error(game, chart, paid):
    found = other_flops.jackknife(game, chart, [paid[0]] * 3)
    np.testing.assert_allclose(found[:, 1], 0.0, atol=1e-9)
    np.testing.assert_allclose(found[:, 0], other_flops.answer(game, chart, paid[:1]), atol=1e-6)
    different = other_flops.jackknife(game, chart, paid)
    assert (different[:, 1] > 0.0).all()


def test_other_flops_are_none_of_the_game(game):
    drawn = other_flops.draw_others(game, 200, seed=1)
    assert len(drawn) > 190
    assert not set(drawn) & set(game.flops.flops)


def test_what_is_no_joint_run_is_refused(samples, capsys):
    for name in ("river", "nothing", "pushfold"):
        assert other_flops.main([str(samples / name)]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert line.startswith("error: ")
