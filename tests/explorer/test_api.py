"""Tests of the routes for other programs: the page's and the command line's answers, and errors."""

import json
import subprocess
import sys
import time

import pytest

import runout
from runout.explorer.jobs import Jobs
from tests.explorer.conftest import RIVER, make_client, make_explorer

V1 = "/api/v1"
OWN = {"X-Runout": "1"}
PROGRAM = [sys.executable, "-c", "from runout.cli.app import main; main()"]
SMALL = {"board": "QsJh2h8c3d", "oop": "AA,QQ", "ip": "KK,JTs", "pot": 100, "stack": 100}


def test_the_document_describes_every_route(client):
    document = client.get(f"{V1}/openapi.json").json()
    assert document["openapi"].startswith("3.")
    assert document["info"]["version"] == "1"
    assert {
        (path, method) for path, methods in document["paths"].items() for method in methods
    } == {
        ("/solutions", "get"),
        ("/solutions/{run}/node", "get"),
        ("/solutions/{run}/report", "get"),
        ("/equity", "get"),
        ("/solves", "get"),
        ("/solves", "post"),
        ("/solves/{job}", "get"),
        ("/solves/{job}", "delete"),
    }
    assert document["servers"] == [{"url": V1}]
    for methods in document["paths"].values():
        for route in methods.values():
            assert route["summary"]
    keys = document["components"]["schemas"]["Solve"]["properties"]
    assert keys.keys() == {"keys", "name"}


def test_a_node_is_the_one_of_the_page_and_of_show(client, ids, runs):
    answer = client.get(f"{V1}/solutions/{ids['river']}/node", params={"path": "x"})
    assert answer.json() == client.get(f"/api/node/{ids['river']}", params={"n": "x"}).json()
    command = [*PROGRAM, "show", str(runs / "river"), "--node", "x", "--json"]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert answer.json() == json.loads(shown)["node"]


def test_solutions_and_reports_are_those_of_the_page(client, ids):
    listed = client.get(f"{V1}/solutions").json()["runs"]
    assert {each["id"] for each in listed} >= {ids["river"], ids["flop_report"]}
    table = client.get(f"{V1}/solutions/{ids['flop_report']}/report").json()
    assert table == client.get(f"/api/flops/{ids['flop_report']}").json()
    assert table["flops"]


def test_equities_are_exact(client):
    found = client.get(f"{V1}/equity", params={"hero": "AA", "villain": "KK", "board": "Th9h2c"})
    expected = runout.equity("AA", "KK", "Th9h2c")
    assert found.json() == {
        name: getattr(expected, name) for name in ("equity", "win", "tie", "lose")
    }


@pytest.mark.parametrize(
    ("path", "params", "status", "problem"),
    [
        ("/equity", {"hero": "AX"}, 400, "'X' is not a rank"),
        ("/equity", {}, 422, "not understood"),
        (
            "/equity",
            {"hero": "AA", "villain": "KK", "board": "AhAd"},
            404,
            "2 cards, a board has 3",
        ),
        ("/solutions/none/node", {}, 422, "there is none of this name"),
        ("/solutions/RIVER/node", {"path": "b7"}, 404, "'b7' is not an action"),
        ("/solutions/RIVER/report", {}, 422, "has no flops"),
        ("/nothing", {}, 404, ""),
    ],
)
def test_what_is_wrong_is_one_line(client, ids, path, params, status, problem):
    answer = client.get(V1 + path.replace("RIVER", ids["river"]), params=params)
    assert answer.status_code == status, answer.text
    assert problem in answer.json().get("problem", "")
    assert "\n" not in answer.json().get("problem", "")


def test_programs_solve_wait_and_read(tmp_path):
    jobs = Jobs([*PROGRAM, "solve-spot"])
    with make_client(make_explorer(tmp_path, jobs), headers=OWN) as client:
        spot = {**SMALL, "target": "1%"}
        started = client.post(f"{V1}/solves", json={"keys": spot, "name": "mine"}).json()
        again = client.post(f"{V1}/solves", json={"keys": spot}).json()
        assert [job["id"] for job in client.get(f"{V1}/solves").json()["solves"]] == [
            *(started["id"], again["id"])
        ]
        assert client.delete(f"{V1}/solves/{again['id']}").json()["state"] == "stopped"
        deadline, job = time.monotonic() + 300, started
        while not job["is_over"] and time.monotonic() < deadline:
            time.sleep(0.05)
            job = client.get(f"{V1}/solves/{started['id']}").json()
        assert job["state"] == "done", job
        node = client.get(f"{V1}/solutions/{job['run']}/node").json()
        assert node["actor"] == 0
        assert runout.open(tmp_path / "mine").quality.exploitability <= 0.01
        # The page and programs see the same queue.
        listed = client.get("/api/jobs").json()["jobs"]
        assert {each["id"] for each in listed} == {started["id"], again["id"]}
        refused = client.post(f"{V1}/solves", json={"keys": {**SMALL, "pot": -1}})
        assert refused.status_code == 400
        assert refused.json()["where"].endswith("pot")
        assert client.get(f"{V1}/solves/none").status_code == 409
    jobs.stop_all()


def test_requests_that_change_something_need_the_header(tmp_path):
    jobs = Jobs([*PROGRAM, "solve-spot"])
    with make_client(make_explorer(tmp_path, jobs)) as client:
        assert client.post(f"{V1}/solves", json={"keys": SMALL}).status_code == 403


def test_beyond_loopback_a_token_is_needed_and_nothing_is_solved(explorer, ids):
    with make_client(explorer, token="secret", hosts=frozenset()) as client:
        address = f"{V1}/solutions/{ids['river']}/node"
        assert client.get(address).status_code == 401
        assert client.get(address, headers={"Authorization": "Bearer wrong"}).status_code == 401
        bearer = {"Authorization": "Bearer secret"}
        assert client.get(address, headers=bearer).status_code == 200
        assert client.get(f"{V1}/openapi.json", headers=bearer).status_code == 200
        answer = client.post(f"{V1}/solves", headers=bearer | OWN, json={"keys": RIVER})
        assert (answer.status_code, answer.json()["where"]) == (409, "solve")
