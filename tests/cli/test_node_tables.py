"""Tests of `runout.cli.node_tables`."""

from dataclasses import replace

import numpy as np
import pytest

from runout.cards.deck import HAND_NAMES
from runout.cli.node_tables import (
    describe_quality,
    node_warnings,
    quality_lines,
    strategy_moves,
)
from runout.errors import OptionError
from runout.solutions.node import ExploitabilityUnit, Measure, NodeAction, Quality
from runout.solutions.tables import choose_measure, shared_actions
from runout.solutions.values import ExploitabilityMeaning
from runout.trees.actions import ActionKind
from tests.solutions.test_node import decision

# --------------------------------------------------------------------------------------------------
# Two nodes side by side.


KINGS = HAND_NAMES.index("KK")


def playing(share, **changes):
    """Returns a decision where every hand bets with one probability."""
    node = decision(**changes)
    played = np.stack([np.full(1326, 1.0 - share), np.full(1326, share)])
    return decision(strategy=np.where(node.is_held[1], played, np.nan), **changes)


def test_actions_of_equal_codes_stand_beside_each_other():
    check, bet = shared_actions(playing(0.2), playing(0.5))
    assert (check.label, bet.label) == ("check", "bet 10")
    assert bet.rows == ([1], [1])


def test_actions_of_other_sizes_stand_beside_each_other_by_kind():
    other = (
        NodeAction("x", "check", ActionKind.CHECK, 0.0),
        NodeAction("b20", "bet 20", ActionKind.BET, 20.0),
    )
    nodes = (playing(0.2), playing(0.5, actions=other))
    assert [action.label for action in shared_actions(*nodes)] == ["check", "bet"]
    moves, texts = strategy_moves(nodes)
    assert texts[KINGS] == "X+30"
    assert moves[KINGS] == pytest.approx(0.3)
    assert texts[HAND_NAMES.index("72o")] == ""


def test_equal_strategies_move_nothing():
    nodes = (playing(0.2), playing(0.2))
    _, texts = strategy_moves(nodes)
    assert set(texts) == {"=", ""}


def test_strategies_are_compared_where_the_player_acts_at_both():
    nodes = (playing(0.2), playing(0.5))
    assert choose_measure(nodes, 1, None) is Measure.STRATEGY
    assert choose_measure(nodes, 0, None) is Measure.EV
    assert choose_measure(nodes, 0, Measure.REACH) is Measure.REACH
    with pytest.raises(OptionError, match="--show strategy: OOP does not act at both nodes"):
        choose_measure(nodes, 0, Measure.STRATEGY)
    with pytest.raises(OptionError, match="--compare: one node is before the flop"):
        choose_measure((nodes[0], decision(players=("SB", "BB"))), 1, None)


# --------------------------------------------------------------------------------------------------
# What is said below every solution.


GOOD = Quality(0.004, ExploitabilityMeaning.REAL_GAME, 100, 2.5)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({}, "exploitability (real game) 0.40% of the pot after 100 iterations in 2.5 s"),
        (
            {"meaning": ExploitabilityMeaning.UPPER_BOUND},
            "exploitability (upper bound) \u22640.40% of the pot after 100 iterations in 2.5 s",
        ),
        (
            {"unit": ExploitabilityUnit.MBB, "meaning": ExploitabilityMeaning.OWN_GAME},
            "exploitability (own game) 0.004 mbb/hand after 100 iterations in 2.5 s",
        ),
    ],
)
def test_exploitability_is_told_with_its_game(changes, text):
    assert describe_quality(replace(GOOD, **changes)) == text


def test_a_warning_stands_only_below_rough_solutions():
    assert len(quality_lines(GOOD)) == 1
    assert quality_lines(None) == []
    _, warning = quality_lines(replace(GOOD, exploitability=0.35))
    assert warning.plain.startswith("! exploitability is above 1% of the pot: more iterations")
    joint = replace(
        GOOD, exploitability=21.0, unit=ExploitabilityUnit.MBB, real_exploitability=60.0
    )
    _, real, warning = quality_lines(joint)
    assert real.plain == "with real cards, on its flops: 60 mbb/hand"
    assert warning.plain.startswith("! exploitability is above 20 mbb/hand: ")


def test_nodes_say_what_is_not_to_be_trusted():
    assert node_warnings(decision(reach=0.005)) == []
    (rare,) = node_warnings(decision(reach=0.0049))
    assert rare.plain.startswith("! reached in 0.490% of deals, less than 0.5%")
    (locked,) = node_warnings(decision(is_locked=True))
    assert locked.plain.startswith("! locked: ")
    (empty,) = node_warnings(decision(ev=np.full((2, 1326), np.nan)))
    assert empty.plain.startswith("! no EVs were kept")
