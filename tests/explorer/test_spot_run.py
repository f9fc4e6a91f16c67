import pytest

from runout.errors import BundleError
from runout.explorer.spot_run import SpotRun, SpotSummary
from runout.pipeline.spot import solve_spot
from runout.views.spot_bundle import load_spot

KEYS = {"board": "QsJh2h8c3d", "oop": "AA,KK", "ip": "QQ,JJ", "pot": 20, "stack": 40}


def test_a_spot_says_what_it_is_and_how_well_it_is_solved(runs):
    run = SpotRun.open(runs / "river")
    assert run.title == "QsJh2h8c3d, pot 180, stack 910"
    assert run.note == ""
    assert run.quality == load_spot(runs / "river").quality
    assert run.node("x").path == "x"


def test_a_spot_without_a_solution_says_how_to_get_one_and_then_has_it(tmp_path):
    path = tmp_path / "spot"
    solution = solve_spot(**KEYS)
    solution.begin_saving(path)()
    with pytest.raises(BundleError, match="give its solve-spot command again"):
        SpotSummary.open(path)
    solve_spot(directory=path, **KEYS)
    assert SpotRun.open(path).node("").actor == 0
