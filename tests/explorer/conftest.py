import shutil

import pytest
from fastapi.testclient import TestClient

from runout.config.load import parse_config
from runout.config.run import RunConfig
from runout.explorer.library import Library
from runout.explorer.server import LOOPBACK_NAMES, Explorer, Guard, make_app
from runout.runs.preflop import solve_preflop
from runout.runs.spot import solve_spot
from runout.solutions.reports import save_report
from tests.samples.small_reports import make_report
from tests.samples.solve_configs import JOINT, RAW_EQUITY
from tests.samples.value_bundles import make_values

RIVER = {
    "board": "QsJh2h8c3d",
    "oop": "22+,A2s+,KTs+,QJs,T9s",
    "ip": "22+,A8s+,K9s+,QTs+,AJo+",
    "pot": 180,
    "stack": 910,
    "bet_sizes": "33%, 75%",
    "raise_sizes": "2.5x",
    "target": "0.3%",
}
FLOP = {
    "board": "Td9d6h",
    "oop": "QQ+,TT,AKs,AdQd,87s,T9s",
    "ip": "JJ+,99,AKs,KdQd,87s,76s",
    "pot": 180,
    "stack": 300,
    "bet_sizes": "33%",
    "raise_sizes": [],
    "target": "2%",
    "max_iterations": 60,
}


@pytest.fixture(scope="session")
def runs(tmp_path_factory):
    """A directory with a solution of every kind, and one that is damaged."""
    path = tmp_path_factory.mktemp("explored")
    solve_spot(directory=path / "river", **RIVER)
    solve_spot(directory=path / "flop", **FLOP)
    solve_preflop(parse_config(RAW_EQUITY, RunConfig)).save(path / "preflop_game")
    solve_preflop(parse_config(JOINT, RunConfig)).save(path / "joint_game")
    make_values().save(path / "flop_values")
    save_report(path / "flop_report", make_report(kept=FLOP["board"]), "pot: 20\n", "a" * 64)
    shutil.copytree(path / "flop", path / "flop_report" / "spots" / FLOP["board"])
    make_values().save(path / "damaged")
    (path / "damaged" / "manifest.json").write_text("{}")
    return path


def make_explorer(directory, jobs=None):
    return Explorer(Library([directory]), jobs)


def make_client(explorer, token="", hosts=LOOPBACK_NAMES, **options):
    app = make_app(explorer, Guard(hosts, token))
    return TestClient(app, base_url="http://127.0.0.1:8417", **options)


@pytest.fixture(scope="session")
def explorer(runs):
    return make_explorer(runs)


@pytest.fixture
def client(explorer):
    with make_client(explorer) as client:
        yield client


@pytest.fixture(scope="session")
def ids(explorer):
    """The ids of the solutions, by the names of their directories."""
    return {found.name.rsplit("/", 1)[-1]: found.id for found in explorer.library.runs.values()}
