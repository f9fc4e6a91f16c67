import json

import pytest

from runout.cards.canonical_hands import HAND_NAMES
from runout.cli.trace_hand import parse_any_hand
from runout.views.run_view import open_run


def test_a_hand_is_followed_for_both_players(run, solved):
    lines = run("trace-hand", str(solved), "AA").stdout.splitlines()
    assert lines[0].startswith("AA as SB   EV +")
    assert any(line.startswith("AA as BB   EV +") for line in lines)
    assert "  SB first in: EV" in lines[1]
    fold = next(line for line in lines if line.startswith("    fold"))
    assert fold.split() == ["fold", "0.0%", "-0.500", "bb"]
    assert max(map(len, lines)) <= 100


def test_decisions_that_a_hand_never_gets_to_are_counted(run, solved):
    lines = run("trace-hand", str(solved), "72o").stdout.splitlines()
    assert any("that it never gets to" in line for line in lines)


def test_json_has_the_numbers_of_the_solution(run, solved):
    document = json.loads(run("trace-hand", str(solved), "AhKh", "--json").stdout)
    assert document["hand"] == "AKs"
    nodes, hand = open_run(solved), HAND_NAMES.index("AKs")
    first = document["SB"][0]
    assert first["path"] == ""
    assert first["ev"] - first["invested"] == pytest.approx(nodes.solution.ev_bb[0, 0, hand])
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
    ("text", "name"), [("AKs", "AKs"), ("aks", "AKs"), ("AhKh", "AKs"), ("7d2c", "72o")]
)
def test_classes_and_cards_are_read(text, name):
    assert HAND_NAMES[parse_any_hand(text)] == name


@pytest.mark.parametrize("text", ["AK", "Xx", "AhAh", "AhKX", "AKsA"])
def test_what_is_no_hand_is_one_line(error_line, solved, text):
    assert error_line("trace-hand", str(solved), text)
