"""The production solver against another program's, iteration by iteration."""

import pyspiel
import pytest

from runout.cfr.schedules import CFR_PLUS, VANILLA
from tests.games import kuhn, leduc

SOLVERS = {"cfr": (pyspiel.CFRSolver, VANILLA), "cfr+": (pyspiel.CFRPlusSolver, CFR_PLUS)}
GAMES = {"kuhn_poker": kuhn.kuhn_solver, "leduc_poker": leduc.leduc_solver}


def check_curves(game_name, variant, num_iterations):
    make_theirs, schedule = SOLVERS[variant]
    game = pyspiel.load_game(game_name)
    theirs, ours = make_theirs(game), GAMES[game_name](schedule)
    expected, found = [], []
    for _ in range(num_iterations):
        theirs.evaluate_and_update_policy()
        ours.run(1)
        expected.append(pyspiel.nash_conv(game, theirs.average_policy()))
        found.append(ours.nash_conv()[0])
    assert found == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("variant", SOLVERS)
@pytest.mark.parametrize(("game_name", "num_iterations"), [("kuhn_poker", 100), ("leduc_poker", 5)])
def test_nash_conv_is_that_of_open_spiel(game_name, num_iterations, variant):
    check_curves(game_name, variant, num_iterations)


@pytest.mark.slow
@pytest.mark.parametrize("variant", SOLVERS)
def test_nash_conv_is_that_of_open_spiel_after_each_of_a_hundred_iterations(variant):
    check_curves("leduc_poker", variant, num_iterations=100)


@pytest.mark.parametrize("game_name", GAMES)
def test_uniform_play_is_worth_to_both_programs_the_same(game_name):
    game = pyspiel.load_game(game_name)
    expected = pyspiel.nash_conv(game, pyspiel.UniformRandomPolicy(game))
    assert GAMES[game_name](VANILLA).nash_conv()[0] == pytest.approx(expected, abs=1e-12)
