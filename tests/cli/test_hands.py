"""Tests of `runout ranges` and `trace-hand`."""

import json

import numpy as np
import pytest

from runout.cards.deck import HAND_NAMES
from runout.cards.ranges import Range
from runout.solutions.preflop import load_solution
from runout.solutions.tables import choose_hands
from tests.cli.retired import modern_arguments


@pytest.fixture
def run(run):
    """Runs what to type now for a command of an earlier version."""
    return lambda *words: run(*modern_arguments(words))


@pytest.fixture
def nodes(solved):
    return load_solution(solved)


def weights_of(text):
    return Range(text.strip()).hand_weights()


def test_one_players_range_is_bare_text_that_reads_back(run, solved, nodes):
    text = run("ranges", str(solved), "--node", "r2-c", "--player", "bb").stdout
    reach = nodes.reach(1)[nodes.tree.find_node("r2-c")]
    np.testing.assert_allclose(weights_of(text), reach, atol=0.0051)


def test_hands_that_hardly_ever_come_are_dropped_unless_asked_for(run, solved, nodes):
    command = ("ranges", str(solved), "-n", "r2-c", "-p", "bb")
    rounded, exact = weights_of(run(*command).stdout), weights_of(run(*command, "--exact").stdout)
    reach = nodes.reach(1)[nodes.tree.find_node("r2-c")]
    np.testing.assert_allclose(exact, reach, atol=1e-9)
    assert (rounded[reach < 0.005] == 0.0).all()
    assert (rounded[reach > 0.0051] > 0.0).all()


def test_json_has_both_ranges_and_the_money(run, solved, nodes):
    document = json.loads(run("ranges", str(solved), "-n", "r2-c", "--json").stdout)
    node = nodes.tree.find_node("r2-c")
    assert document["node"] == "r2:c"
    assert document["pot_bb"] == nodes.tree.pot(node)
    assert document["stack_behind_bb"] == nodes.tree.stack_behind(node)
    assert set(document["ranges"]) == {"SB", "BB"}
    assert list(document["ranges"]["SB"]["weight_by_hand"]) == list(HAND_NAMES)


def test_a_path_that_leads_nowhere_is_named(error_line, solved):
    assert "'r9' is not an action" in error_line("ranges", str(solved), "-n", "r2-r9")


def test_of_a_run_with_rounds_the_last_round_is_read(run, stored):
    """Earlier versions solved flops again with the ranges that arrive, and kept each round."""
    solution, report = load_solution(stored / "two_rounds"), "two_rounds/preflop/report.json"
    assert len(json.loads((stored / report).read_text())["ranges_rounds"]) == 2
    command = ("ranges", str(stored / "two_rounds"), "-n", "c-x", "-p", "sb", "--exact")
    limped = solution.strategy[solution.tree.find_node("c")]
    np.testing.assert_allclose(weights_of(run(*command).stdout), limped, atol=1e-9)


@pytest.mark.parametrize(("option", "chips"), [("--pot", 200), ("--stack", 900)])
def test_a_spot_from_a_node_has_the_money_of_the_node(error_line, solved, option, chips):
    node = ("--from", str(solved), "--node", "c-x", "--board", "Td9d6h")
    line = error_line("solve-spot", *node, option, "5")
    assert line == f"{option}: is {chips} chips at c-x, leave it out with --from"


def test_json_has_the_numbers_of_the_solution(run, solved):
    document = json.loads(run("trace-hand", str(solved), "AhKh", "--json").stdout)
    assert document["hand"] == "AKs"
    nodes, hand = load_solution(solved), HAND_NAMES.index("AKs")
    first = document["SB"][0]
    assert first["path"] == ""
    assert first["ev"] - first["invested"] == pytest.approx(nodes.ev_bb[0, 0, hand])
    assert sum(action["frequency"] for action in first["actions"]) == pytest.approx(1.0)
    assert len(document["SB"]) + len(document["BB"]) == len(nodes.decisions())


def test_a_decision_is_worth_the_mean_of_its_actions(run, solved):
    document = json.loads(run("trace-hand", str(solved), "AA", "--json").stdout)
    decisions = [d for d in document["SB"] + document["BB"] if d["ev"] is not None]
    assert len(decisions) > 3
    for decision in decisions:
        played = [(action["frequency"], action["ev"]) for action in decision["actions"]]
        mean = sum(frequency * ev for frequency, ev in played if frequency)
        assert mean == pytest.approx(decision["ev"], abs=1e-4)


@pytest.mark.parametrize(
    ("text", "name"),
    [("AKs", "AKs"), ("aks", "AKs"), ("AhKh", "AKs"), ("7d2c", "72o"), ("AK", "AKs AKo")],
)
def test_classes_and_cards_are_read(solved, text, name):
    node = load_solution(solved).node()
    ((held),) = choose_hands(node, text).values()
    assert [HAND_NAMES[column] for column in held] == name.split()


@pytest.mark.parametrize("text", ["Xx", "AhAh", "AhKX", "AKsA"])
def test_what_is_no_hand_is_one_line(error_line, solved, text):
    assert error_line("trace-hand", str(solved), text)
