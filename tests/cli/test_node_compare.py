"""Two nodes side by side."""

import numpy as np
import pytest

from runout.cards.canonical_hands import HAND_NAMES
from runout.cli.node_compare import choose_measure, shared_actions, strategy_moves
from runout.cli.options import OptionError
from runout.trees.actions import ActionKind
from runout.views.measures import Measure
from runout.views.node import NodeAction
from tests.views.test_node import decision

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
    moves, texts = strategy_moves(nodes, shared_actions(*nodes))
    assert texts[KINGS] == "X+30"
    assert moves[KINGS] == pytest.approx(0.3)
    assert texts[HAND_NAMES.index("72o")] == ""


def test_equal_strategies_move_nothing():
    nodes = (playing(0.2), playing(0.2))
    _, texts = strategy_moves(nodes, shared_actions(*nodes))
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
