"""Tests of `tools.agree`."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

import runout
from tools import agree

COLUMNS = 169


def node(gaps, shift=0.0, often=0.5):
    """A decision before the flop whose first action is better by so much, in big blinds."""
    ev = np.full((2, COLUMNS), 1.0 + shift)
    action_ev = np.stack([ev[0] + gaps, ev[0]])
    strategy = np.stack([np.full(COLUMNS, often), np.full(COLUMNS, 1.0 - often)])
    return hands_node(ev=ev, action_ev=action_ev, strategy=strategy)


def hands_node(**changes):
    given = runout.open(hands_node.run).node("")
    return replace(given, actions=given.actions[:2], **changes)


@pytest.fixture(autouse=True)
def run(samples):
    hands_node.run = samples / "two_phase"
    return hands_node.run


def test_solves_that_agree_have_no_noise(run):
    solved = runout.open(run)
    for found in agree.compare([solved, solved]):
        assert (found.rms_mbb, found.gap_mbb, found.moved) == (0.0, 0.0, 0.0)
    assert agree.measure_value([solved, solved])[1] == 0.0


def test_what_is_known_of_two_solves_is_found():
    """All hands are worth 10 mbb more in one; its gaps are 20 mbb wider there."""
    one, other = node(0.03), node(0.05, shift=0.01, often=0.9)
    found = agree.compare_nodes([one, other])
    assert found.rms_mbb == pytest.approx(10.0)
    assert found.max_mbb[0] == pytest.approx(10.0)
    assert found.gap_mbb == pytest.approx(20.0 / math.sqrt(2.0))
    assert found.moved == 1.0
    # 40 mbb on average, and two deviations are 28.
    assert (found.within_noise, found.hands) == (0.0, ())
    assert found.moved_within_noise == 0.0
    close = agree.compare_nodes([node(0.0), node(0.02)])
    assert close.within_noise == 1.0
    assert len(close.hands) == COLUMNS


def test_the_error_of_a_value_is_that_of_a_mean(run):
    solved = runout.open(run)
    other = replace(solved, ev_bb=solved.ev_bb + 0.004)
    value, error = agree.measure_value([solved, other])
    assert value == pytest.approx(1000.0 * solved.game_value_bb(0) + 2.0)
    assert error == pytest.approx(2.0)


def test_runs_are_read_and_told(run, samples, capsys):
    assert agree.main([str(run), str(run), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["standard_error_mbb"] == 0.0
    assert document["decisions"][0]["path"] == ""
    assert agree.main([str(run), str(run)]) == 0
    assert "first in" in capsys.readouterr().out
    for words in (
        [run],
        [run, samples / "river"],
        [run, samples / "pushfold"],
        [run, samples / "no"],
    ):
        assert agree.main(list(map(str, words))) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert line.startswith("error: ")
