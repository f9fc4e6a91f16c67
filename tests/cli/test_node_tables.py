"""Tests of `runout.cli.node_tables`."""

import io
from dataclasses import replace

import numpy as np
import pytest
from rich.console import Console

from runout.cards.deck import HAND_NAMES
from runout.cli.node_tables import grid_parts, node_warnings, quality_lines, strategy_moves
from runout.errors import OptionError
from runout.solutions.node import ExploitabilityUnit, NodeAction, Quality
from runout.solutions.tables import Measure, choose_measure, hand_values, shared_actions
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
    assert choose_measure(nodes[:1], 1, None) is Measure.STRATEGY
    assert choose_measure(nodes[:1], 0, None) is Measure.REACH
    with pytest.raises(OptionError, match="--compare: one node is before the flop"):
        choose_measure((nodes[0], decision(players=("SB", "BB"))), 1, None)


# --------------------------------------------------------------------------------------------------
# Grids of hands.


def measure_lines(player, measure, *nodes):
    """Returns the lines of a measure's grid."""
    file = io.StringIO()
    console = Console(file=file, width=100, color_system=None)
    for part in grid_parts(nodes, player, measure):
        console.print(part)
    return file.getvalue().splitlines()


def cell(lines, hand):
    """Returns the cell of a pair."""
    row = next(line for line in lines[2:] if line[0] == hand[0])
    return row.split()[1 + "AKQJT98765432".index(hand[0])]


@pytest.mark.parametrize(
    ("measure", "words"),
    [
        (Measure.EV, "EV in chips"),
        (Measure.EQUITY, "equity in %"),
        (Measure.EQR, "EQR, the EV in % of the pot times equity"),
        (Measure.REACH, "reach, the % of each hand that arrives"),
    ],
)
def test_the_grid_has_the_values_of_hands(measure, words):
    node = decision()
    lines = measure_lines(0, measure, node)
    assert lines[0] == f"OOP's hands: {words}"
    value = hand_values(node, 0, measure)[HAND_NAMES.index("KK")]
    shown = value if measure is Measure.EV else 100 * value
    assert float(cell(lines, "KK")) == pytest.approx(shown, rel=0.05)
    assert cell(lines, "99") == "-"


def test_differences_have_signs():
    node = decision()
    more = decision(ev=node.ev + 1.0)
    lines = measure_lines(1, Measure.EV, more, node)
    assert lines[0] == "difference, IP's hands: EV in chips"
    assert cell(lines, "KK") == "+1.00"
    assert (
        cell(
            measure_lines(1, Measure.EV, node, more),
            "KK",
        )
        == "-1.00"
    )
    same = measure_lines(1, Measure.EQUITY, node, node)
    assert cell(same, "KK") == "0"
    nothing = decision(ev=np.full_like(node.ev, np.nan))
    assert (
        cell(
            measure_lines(1, Measure.EV, nothing, node),
            "KK",
        )
        == "-"
    )


def test_tiles_that_are_filled_in_part_are_explained():
    file = io.StringIO()
    console = Console(file=file, width=100, color_system="truecolor", force_terminal=True)
    console.print(*grid_parts([decision()], 0, Measure.EV))
    assert "a tile is filled as far as its hand arrives" in file.getvalue()


# --------------------------------------------------------------------------------------------------
# What is said below every solution.


GOOD = Quality(0.004, ExploitabilityMeaning.REAL_GAME, 100, 2.5)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({}, "exploitability (real game) 0.40% of the pot after 100 iterations in 2.5 s"),
        (
            {"meaning": ExploitabilityMeaning.UPPER_BOUND},
            "exploitability with real cards: not measured\n"
            "exploitability (upper bound) \u22640.40% of the pot after 100 iterations in 2.5 s",
        ),
        (
            {"unit": ExploitabilityUnit.MBB, "meaning": ExploitabilityMeaning.OWN_GAME},
            "exploitability with real cards, on its flops: not measured\n"
            "exploitability (own game) 0.004 mbb/hand after 100 iterations in 2.5 s",
        ),
    ],
)
def test_exploitability_is_told_with_its_game(changes, text):
    assert "\n".join(line.plain for line in quality_lines(replace(GOOD, **changes))) == text


def test_exploitability_with_real_cards_comes_first():
    own = replace(GOOD, meaning=ExploitabilityMeaning.OWN_GAME, real_exploitability=0.0061)
    first, second = quality_lines(own)
    assert first.plain == "exploitability with real cards: 0.61% of the pot"
    assert second.plain.startswith("exploitability (own game) 0.40% of the pot")
    *_, warning = quality_lines(replace(own, real_exploitability=0.02))
    assert warning.plain.startswith("! exploitability is above 1% of the pot")


def test_a_warning_stands_only_below_rough_solutions():
    assert len(quality_lines(GOOD)) == 1
    assert quality_lines(None) == []
    _, warning = quality_lines(replace(GOOD, exploitability=0.35))
    assert warning.plain.startswith("! exploitability is above 1% of the pot: more iterations")
    joint = replace(
        GOOD,
        exploitability=21.0,
        meaning=ExploitabilityMeaning.OWN_GAME,
        unit=ExploitabilityUnit.MBB,
        real_exploitability=60.0,
    )
    real, _, warning = quality_lines(joint)
    assert real.plain == "exploitability with real cards, on its flops: 60 mbb/hand"
    assert warning.plain.startswith("! exploitability is above 20 mbb/hand: ")


def test_nodes_say_what_is_not_to_be_trusted():
    assert node_warnings(decision(reach=0.005)) == []
    (rare,) = node_warnings(decision(reach=0.0049))
    assert rare.plain.startswith("! reached in 0.490% of deals, less than 0.5%")
    (locked,) = node_warnings(decision(is_locked=True))
    assert locked.plain.startswith("! locked: ")
    (empty,) = node_warnings(decision(ev=np.full((2, 1326), np.nan)))
    assert empty.plain.startswith("! no EVs were kept")
