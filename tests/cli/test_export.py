import csv
import io
import json

import numpy as np
import pytest

from runout.cards.canonical_hands import HAND_NAMES, NUM_HANDS
from runout.cli.export import CSV_COLUMNS
from runout.views.node_json import node_from_json
from runout.views.run_view import open_run


@pytest.fixture(scope="module")
def nodes(solved):
    return open_run(solved)


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
    assert tuple(rows[0]) == CSV_COLUMNS
    num_actions = sum(len(nodes.node_at(node).actions) for node in nodes.decisions())
    assert len(rows) == num_actions * NUM_HANDS
    row = next(r for r in rows if r["node"] == "r2" and r["action"] == "c" and r["hand"] == "AKs")
    child, hand = nodes.tree.find_node("r2-c"), HAND_NAMES.index("AKs")
    assert row["actor"] == "BB"
    assert float(row["frequency"]) == nodes.solution.strategy[child, hand]
    # The big blind has put in one already.
    assert float(row["action_ev_bb"]) == nodes.solution.ev_bb[1, child, hand] + 1.0


def test_probabilities_of_a_hand_add_up_at_every_node(run, solved):
    rows = csv.DictReader(io.StringIO(run("export", str(solved), "-f", "csv").stdout))
    total = {}
    for row in rows:
        key = row["node"], row["hand"]
        total[key] = total.get(key, 0.0) + float(row["frequency"])
    np.testing.assert_allclose(list(total.values()), 1.0, atol=1e-9)


def test_one_node_can_be_exported_to_a_file(run, solved, tmp_path):
    result = run("export", str(solved), "-n", "c", "-o", str(tmp_path / "c.json"))
    assert result.stdout == ""
    assert result.stderr.startswith(f"wrote {tmp_path}/c.json, 1 decision, ")
    (node,) = json.loads((tmp_path / "c.json").read_text())["nodes"]
    assert node["label"] == "BB versus limp"


def test_a_file_that_cannot_be_written_is_named(error_line, solved):
    line = error_line("export", str(solved), "-o", "/dev/null/x")
    assert line == "--output /dev/null/x: Not a directory"


def test_an_unknown_format_is_one_line(error_line, solved):
    line = error_line("export", str(solved), "--format", "xml")
    assert line == "--format: 'xml' is not one of 'json', 'csv'"


def test_json_is_the_format_json(run, solved):
    assert run("export", str(solved), "--json").stdout == run("export", str(solved)).stdout


def test_two_formats_at_once_are_refused(run, solved):
    result = run("export", str(solved), "--json", "--format", "csv")
    assert result.exit_code == 2
    assert "--json: is another format than --format csv" in result.stderr
