"""The solver of streets against another program's, iteration by iteration."""

import pyspiel
import pytest

from runout.cfr.schedules import CFR_PLUS, VANILLA
from tests.games import kuhn, leduc

SOLVERS = {"cfr": (pyspiel.CFRSolver, VANILLA), "cfr+": (pyspiel.CFRPlusSolver, CFR_PLUS)}
GAMES = {"kuhn_poker": kuhn.kuhn_solver, "leduc_poker": leduc.leduc_solver}


@pytest.mark.parametrize("variant", SOLVERS)
@pytest.mark.parametrize(
    ("game_name", "num_iterations"),
    [("kuhn_poker", 100), pytest.param("leduc_poker", 100, marks=pytest.mark.slow)],
)
def test_nash_conv_is_that_of_open_spiel(game_name, num_iterations, variant):
    make_theirs, schedule = SOLVERS[variant]
    game = pyspiel.load_game(game_name)
    theirs, ours = make_theirs(game), GAMES[game_name](schedule)
    expected, found = [], []
    for _ in range(num_iterations):
        theirs.evaluate_and_update_policy()
        ours.run(1)
        expected.append(pyspiel.nash_conv(game, theirs.average_policy()))
        found.append(ours.nash_conv())
    assert found == pytest.approx(expected, abs=1e-10)
