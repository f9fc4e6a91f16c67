"""Tests of `runout.cli.show`."""

import csv
import io
import json

import numpy as np
import pytest

from runout.cards.deck import HAND_NAMES, NUM_HANDS
from runout.solutions.node import SMALLEST_REACH
from runout.solutions.node_files import node_to_json
from runout.solutions.preflop import load_solution
from runout.trees.betting import BB, SB
from tests.samples.node_json import node_from_json


@pytest.fixture
def nodes(solved):
    return load_solution(solved)


def test_json_has_every_decision_with_all_hands(run, solved, nodes):
    document = json.loads(run("export", str(solved)).stdout)
    assert document["quality"]["unit"] == "mbb"
    found = [node_from_json(node) for node in document["nodes"]]
    assert [node.path for node in found] == [nodes.tree.path(node) for node in nodes.decisions()]
    for node, number in zip(found, nodes.decisions(), strict=True):
        expected = nodes.node_at(number)
        np.testing.assert_allclose(node.strategy, expected.strategy, atol=1e-6)
        np.testing.assert_allclose(node.ev, expected.ev, atol=1e-6)
        assert node.actions == expected.actions


def test_csv_has_a_row_for_each_node_action_and_hand(run, solved, nodes):
    text = run("export", str(solved), "--format", "csv").stdout
    rows = list(csv.DictReader(io.StringIO(text)))
    num_actions = sum(len(nodes.node_at(node).actions) for node in nodes.decisions())
    assert len(rows) == num_actions * NUM_HANDS
    row = next(r for r in rows if r["node"] == "r2" and r["action"] == "c" and r["hand"] == "AKs")
    child, hand = nodes.tree.find_node("r2-c"), HAND_NAMES.index("AKs")
    assert row["actor"] == "BB"
    assert float(row["frequency"]) == nodes.strategy[child, hand]
    # The big blind has put in one already.
    assert float(row["action_ev_bb"]) == nodes.ev_bb[1, child, hand] + 1.0


def test_probabilities_of_a_hand_add_up_at_every_node(run, solved):
    rows = csv.DictReader(io.StringIO(run("export", str(solved), "-f", "csv").stdout))
    total = {}
    for row in rows:
        key = row["node"], row["hand"]
        total[key] = total.get(key, 0.0) + float(row["frequency"])
    np.testing.assert_allclose(list(total.values()), 1.0, atol=1e-9)


def test_a_file_that_cannot_be_written_is_named(error_line, solved):
    line = error_line("export", str(solved), "-o", "/dev/null/x")
    assert line == "--output /dev/null/x: Not a directory"


def test_an_unknown_format_is_one_line(error_line, solved):
    line = error_line("export", str(solved), "--format", "xml")
    formats = "'json', 'csv', 'parquet', 'texassolver', 'hrc', 'pio', 'pio-report'"
    assert line == f"--format: 'xml' is not one of {formats}"


def test_json_is_the_format_json(run, solved):
    assert run("export", str(solved), "--json").stdout == run("export", str(solved)).stdout


def test_two_formats_at_once_are_refused(run, solved):
    result = run("export", str(solved), "--json", "--format", "csv")
    assert result.exit_code == 2
    assert "--json: is another format than --format csv" in result.stderr


def test_a_player_s_decisions_can_be_chosen(run, solved):
    assert "versus" not in run("show", str(solved), "--player", "sb").stdout
    assert "SB first in" not in run("show", str(solved), "--player", "bb").stdout


def test_hands_that_never_get_there_are_dashes(run, solved):
    nodes = load_solution(solved)
    node = nodes.tree.find_node("c-a")
    absent = np.count_nonzero(nodes.reach(SB)[node] < SMALLEST_REACH)
    lines = run("show", str(solved), "--node", "c-a").stdout.splitlines()
    start = next(n for n, line in enumerate(lines) if line.split() == list("AKQJT98765432"))
    lines = lines[start + 1 : start + 14]
    assert sum(line.split().count("-") for line in lines) == absent > 0


def test_json_has_the_shown_nodes(run, solved):
    document = json.loads(run("show", str(solved), "--node", "r2", "--json").stdout)
    (node,) = document["nodes"]
    assert node["players"][node["actor"]] == "BB"
    assert node["hands"] == [list(HAND_NAMES)] * 2
    assert node == node_to_json(load_solution(solved).node("r2"))


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("r7", "path 'r7', step 1: 'r7' is not an action at the root; possible: f, c, r2, r3, a"),
        ("f-f", "path 'f-f', step 2: 'f' is not an action after 'f'; the betting is over"),
    ],
)
def test_an_unknown_node_lists_the_actions_there_are(error_line, solved, path, line):
    for command in ("show", "export"):
        assert error_line(command, str(solved), "--node", path) == line


def test_a_damaged_bundle_is_refused(error_line, solved, tmp_path):
    (tmp_path / "copy").mkdir()
    for file in (solved / "preflop").iterdir():
        (tmp_path / "copy" / file.name).write_bytes(file.read_bytes())
    (tmp_path / "copy" / "strategy.npy").write_bytes(b"damaged")
    assert "strategy.npy: has 7 bytes, the manifest says " in error_line(
        "show", str(tmp_path / "copy")
    )


def test_showing_a_solution_compiles_nothing(run_program, solved):
    result = run_program("show", str(solved), PYTHONPROFILEIMPORTTIME="1")
    assert result.returncode == 0
    assert not any(line.endswith(" numba") for line in result.stderr.splitlines())


def cells(text, row="A"):
    """Returns the cells of a row of the first grid."""
    lines = text.splitlines()
    start = next(n for n, line in enumerate(lines) if line.split() == list("AKQJT98765432"))
    line = next(line for line in lines[start + 1 :] if line[0] == row)
    return [line[place : place + 6].strip() for place in range(1, len(line), 6)]


def test_the_grid_shows_what_is_asked_for(run, solved):
    node = load_solution(solved).node("r2")
    text = run("show", str(solved), "--node", "r2", "--show", "ev").stdout
    assert "BB's hands: EV in bb" in text
    aces = HAND_NAMES.index("AA")
    won = node.ev[BB, aces]
    assert float(cells(text)[0]) == pytest.approx(won, abs=0.051)
    equity = run("show", str(solved), "--node", "r2", "--show", "equity", "--player", "sb").stdout
    assert float(cells(equity)[0]) == pytest.approx(100 * node.equity[SB, aces], abs=0.051)
    reach = run("show", str(solved), "--node", "r2", "--show", "reach", "--player", "sb").stdout
    assert "SB's hands: reach" in reach
    whole = run("show", str(solved), "--show", "ev").stdout
    assert whole.count("'s hands: EV in bb") == 5


def test_a_range_narrows_grid_and_json(run, solved):
    text = run("show", str(solved), "--node", "r2", "--range", "22+,AKs:0.5").stdout
    assert "only 80.00 of BB's 1,326.00 combos (6.0%)" in text
    assert cells(text)[2] == "-"
    document = json.loads(run("show", str(solved), "-n", "r2", "--range", "22+", "--json").stdout)
    (node,) = document["nodes"]
    assert len(node["hands"][BB]) == 13
    assert len(node["hands"][SB]) == 169


def test_two_decisions_stand_side_by_side(run, solved):
    text = run("show", str(solved), "--node", "r2", "--compare", "r3").stdout
    assert text.startswith("1  BB versus raise to 2")
    assert "\n2  BB versus raise to 3" in text
    nodes = load_solution(solved)
    won = [nodes.node(path).range_ev(SB) for path in ("r2", "r3")]
    (line,) = [line for line in text.splitlines() if line.startswith("EV SB")]
    first, second, difference = map(float, line.split()[2:])
    assert [first, second] == pytest.approx(won, abs=0.001)
    assert difference == pytest.approx(won[0] - won[1], abs=0.002)
    document = json.loads(run("show", str(solved), "-n", "r2", "--compare", "r3", "--json").stdout)
    assert [node["path"] for node in document["nodes"]] == ["r2", "r3"]
    both = run("show", str(solved), "--compare", "r2", "--show", "reach").stdout
    assert "difference, SB's hands: reach" in both


def test_how_well_it_is_solved_is_said_wherever_it_is_shown(run, solved):
    for options in ((), ("--node", "r2"), ("--node", "r2", "--compare", "r3")):
        text = run("show", str(solved), *options).stdout
        assert "exploitability (own game) " in text
        assert "mbb/hand after 60 iterations in " in text


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--range", "AKx"], "--range: 'AKx': "),
        (["--show", "ev", "--json"], "--show --json: cannot be combined"),
        (["--node", "r2", "--player", "sb", "--show", "strategy"], "--show strategy: SB does not"),
        (["--compare", "r2", "--show", "strategy"], "--show strategy: SB does not act at both"),
    ],
)
def test_what_cannot_be_shown_is_one_line(error_line, solved, options, expected):
    assert error_line("show", str(solved), *options).startswith(expected)
