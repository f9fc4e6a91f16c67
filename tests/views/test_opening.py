"""Whatever was solved is opened by its directory."""

import pytest

import runout
from runout.config.load import load_run_config
from runout.errors import BundleError
from runout.execution.workplace import Workplace
from runout.pipeline.run import solve_preflop
from runout.pipeline.spot import solve_spot
from runout.storage.writer import write_bundle
from runout.views.opening import open_solution
from runout.views.run_view import RunView
from runout.views.stored_spot import StoredSpot
from tests.cli.solve_configs import RAW_EQUITY

RIVER = {"board": "QsJh2h8c3d", "oop": "AA,QQ", "ip": "KK", "pot": 10, "stack": 10}


def test_a_spot_and_a_run_are_told_apart(tmp_path):
    workplace = Workplace(1)
    solve_spot(**RIVER, max_iterations=5, workplace=workplace, directory=tmp_path / "spot")
    solve_preflop(load_run_config(RAW_EQUITY), workplace).save(tmp_path / "run")
    assert isinstance(runout.open_solution(tmp_path / "spot"), StoredSpot)
    for path in (tmp_path / "run", tmp_path / "run" / "preflop"):
        found = open_solution(str(path))
        assert isinstance(found, RunView)
        assert found.node().players == ("SB", "BB")


def test_other_bundles_are_refused(tmp_path):
    write_bundle(tmp_path / "b", kind="other", schema_version=1, package_version="0", arrays={})
    with pytest.raises(BundleError, match="is of kind 'other', expected a spot or a preflop"):
        open_solution(tmp_path / "b")
    with pytest.raises(BundleError, match="does not exist"):
        open_solution(tmp_path / "none")
