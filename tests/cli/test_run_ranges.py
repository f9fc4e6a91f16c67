import csv
import io
import json

import numpy as np
import pytest

from runout.cards.canonical_hands import HAND_NAMES
from runout.cli.solutions import open_solution
from runout.ranges.notation import parse_range


@pytest.fixture(scope="module")
def nodes(solved):
    return open_solution(solved)


def weights_of(text):
    return parse_range(text.strip()).hand_weights()


def test_one_players_range_is_bare_text_that_reads_back(run, solved, nodes):
    text = run("ranges", str(solved), "--node", "r2-c", "--player", "bb").stdout
    reach = nodes.reach[1][nodes.tree.find_node("r2-c")]
    np.testing.assert_allclose(weights_of(text), reach, atol=0.0051)


def test_an_action_after_the_node_is_as_good_as_one_in_its_path(run, solved):
    inside = run("ranges", str(solved), "-n", "r2-c", "-p", "sb").stdout
    assert run("ranges", str(solved), "-n", "r2", "--after", "c", "-p", "sb").stdout == inside


def test_hands_that_hardly_ever_come_are_dropped_unless_asked_for(run, solved, nodes):
    command = ("ranges", str(solved), "-n", "r2-c", "-p", "bb")
    rounded, exact = weights_of(run(*command).stdout), weights_of(run(*command, "--exact").stdout)
    reach = nodes.reach[1][nodes.tree.find_node("r2-c")]
    np.testing.assert_allclose(exact, reach, atol=1e-9)
    assert (rounded[reach < 0.005] == 0.0).all()
    assert (rounded[reach > 0.0051] > 0.0).all()


def test_json_has_both_ranges_and_the_money(run, solved, nodes):
    document = json.loads(run("ranges", str(solved), "-n", "r2-c", "--json").stdout)
    node = nodes.tree.find_node("r2-c")
    assert document["node"] == "r2-c"
    assert document["pot_bb"] == nodes.tree.pot_bb[node]
    assert document["stack_behind_bb"] == nodes.tree.stack_behind_bb[node]
    assert set(document["ranges"]) == {"SB", "BB"}
    assert list(document["ranges"]["SB"]["weight_by_hand"]) == list(HAND_NAMES)


def test_csv_has_a_row_for_each_hand(run, solved, nodes):
    text = run("ranges", str(solved), "-n", "r2", "-f", "csv", "--exact").stdout
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["hand"] for row in rows] == list(HAND_NAMES)
    reach = nodes.reach[0][nodes.tree.find_node("r2")]
    np.testing.assert_allclose([float(row["sb"]) for row in rows], reach, atol=1e-9)


def test_both_players_stand_under_a_title(run, solved):
    text = run("ranges", str(solved), "-n", "r2-c").stdout
    assert text.startswith("SB raise to 2, BB call: pot 4 bb")
    assert "\nSB, " in text
    assert "\nBB, " in text


def test_a_path_that_leads_nowhere_is_named(error_line, solved):
    assert "'r9' is no action" in error_line("ranges", str(solved), "-n", "r2-r9")
