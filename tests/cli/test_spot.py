"""Tests of `runout.cli.spot`."""

import json
import shutil

import pytest

from runout.cli.formatting import format_chips
from runout.execution.context import RunContext
from runout.runs.spot import solve_spot
from tests.cli.retired import modern_arguments


@pytest.fixture
def run(run):
    """Runs what to type now for a command of an earlier version."""
    return lambda *words: run(*modern_arguments(words))


def test_numbers_are_those_of_the_nodes(run, spot):
    report = json.loads(run("spot", "report", spot, "--node", "x:x:8h:x", "--json").stdout)
    assert (report["before"], report["chosen"], report["path"]) == ("x:x", "8h", "x:x:CARD:x")
    row = next(row for row in report["rows"] if row["cards"][0] == "8h")
    node = json.loads(run("spot", "show", spot, "--node", "x:x:8h:x", "--json").stdout)["node"]
    for key in ("path", "actor", "range_ev", "range_equity", "eqr"):
        assert row[key] == node[key]
    frequencies = [action["frequency"] for action in node["actions"]]
    assert [action["frequency"] for action in row["actions"]] == frequencies


def test_means_over_cards_are_the_values_before_them(run, spot):
    report = json.loads(run("spot", "report", spot, "--node", "x:x", "--json").stdout)
    before = json.loads(run("spot", "show", spot, "--node", "x:x", "--json").stdout)["node"]
    assert report["mean"]["ev-oop"] == pytest.approx(before["range_ev"][0], abs=0.01)
    assert report["mean"]["equity-ip"] == pytest.approx(before["range_equity"][1], abs=1e-5)


@pytest.fixture
def flops(stored):
    """A solved flop at two ratios, as text of its path."""
    return str(stored / "flops")


def test_a_loss_too_small_to_show_is_zero():
    assert format_chips(-1e-6) == "0.00"
    assert format_chips(-0.006) == "-0.01"


def test_a_table_that_was_changed_is_refused(error_line, spot, tmp_path):
    copy = tmp_path / "changed"
    shutil.copytree(spot, copy)
    table = copy / "solution_shares.npy"
    content = bytearray(table.read_bytes())
    content[-1] ^= 0xFF
    table.write_bytes(content)
    assert error_line("spot", "show", str(copy)).startswith(f"{table}: was changed")


def test_one_hand_as_json(run, spot):
    document = json.loads(run("spot", "show", spot, "--hand", "AA", "--json").stdout)
    assert document["path"] == ""
    assert len(document["OOP"]) == 6
    actions = document["OOP"][0]["actions"]
    assert [action["code"] for action in actions] == ["x", "b10"]
    assert sum(action["frequency"] for action in actions) == pytest.approx(1.0)


def test_a_spot_without_a_solution_is_opened_by_the_solver(run, tmp_path):
    keys = {"board": "QsJh2h8c", "oop": "AA,QQ", "ip": "KK,T9s", "pot": 20, "stack": 60}
    solution = solve_spot(**keys, max_iterations=3, context=RunContext(1))
    solution.begin_saving(tmp_path / "old")()
    solution.save(tmp_path / "new")
    old, new = (run("spot", "show", str(tmp_path / name)).stdout for name in ("old", "new"))
    assert old.splitlines()[0] == new.splitlines()[0] == "OOP acts on QsJh2h8c   pot 20, 60 behind"
    assert len(old.splitlines()) == len(new.splitlines())


def grid_of(lines):
    """Returns the cells of the grid in some lines, by row."""
    start = next(n for n, line in enumerate(lines) if line.split() == list("AKQJT98765432"))
    return {line[0]: line.split()[1:] for line in lines[start + 1 : start + 14]}


@pytest.mark.parametrize("measure", ["ev", "equity", "eqr", "reach"])
def test_the_grid_shows_what_is_asked_for(run, spot, measure):
    lines = run("spot", "show", spot, "--show", measure).stdout.splitlines()
    document = json.loads(run("spot", "show", spot, "--hand", "AhAd", "--json").stdout)
    (aces,) = document["OOP"]
    cell = float(grid_of(lines)["A"][0])
    if measure == "ev":
        assert cell == pytest.approx(aces["ev"], abs=1.0)
    elif measure == "equity":
        assert cell == pytest.approx(100 * aces["equity"], abs=5.0)
    elif measure == "eqr":
        assert cell == pytest.approx(100 * aces["ev"] / (20 * aces["equity"]), abs=5.0)
    else:
        assert cell == 100.0


def test_a_node_beside_itself_differs_by_nothing(run, spot):
    for options in ((), ("--show", "ev"), ("--show", "reach")):
        lines = run("spot", "show", spot, "--compare", "", *options).stdout.splitlines()
        texts = {cell for row in grid_of(lines).values() for cell in row}
        assert texts <= {"-", "=", "0"}
    document = json.loads(run("spot", "show", spot, "--compare", "x", "--json").stdout)
    assert (document["node"]["path"], document["compared"]["path"]) == ("", "x")
