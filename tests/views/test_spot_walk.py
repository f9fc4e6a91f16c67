"""Who arrives at a node of a spot, and what was done on the way."""

import numpy as np
import pytest

from runout.cards.combos import NUM_COMBOS, live_combos
from runout.views.spot_path import find_position
from runout.views.spot_walk import walk_to
from tests.holdem.small_spots import make_spot

SPOT = make_spot("QsJh2h8c", "AA,KQs", "KK,JTs", "50%", 20, 100, max_raises=1)


def everybody(board):
    weights = np.zeros((2, NUM_COMBOS))
    weights[:, live_combos(board)] = 1.0
    return weights


def even(node):
    num_actions = int(SPOT.tree.layout.num_children[node])
    return np.full((num_actions, NUM_COMBOS), 1.0 / num_actions)


def test_every_decision_and_card_is_on_the_trail():
    position = find_position(SPOT, "x:b10:c:3c:x")
    walk = walk_to(position, everybody(position.board), even)
    assert [step.taken for step in walk.trail] == ["x", "b10", "c", "3c", "x"]
    assert [step.label for step in walk.trail] == ["OOP", "IP", "OOP", "river", "OOP"]
    assert [step.path for step in walk.trail] == ["", "x", "x:b10", "x:b10:c", "x:b10:c:3c"]
    assert [len(step.actions) for step in walk.trail] == [2, 2, 3, 0, 2]
    assert walk.trail[0].frequencies == pytest.approx((0.5, 0.5))


def test_weights_shrink_by_what_the_player_does():
    position = find_position(SPOT, "x:b10:c:3c:x")
    walk = walk_to(position, everybody(position.board), even)
    live = live_combos(position.board)
    assert walk.weights[0, live] == pytest.approx(0.5 * (1 / 3) * 0.5)
    assert walk.weights[1, live] == pytest.approx(0.5)
    assert walk.reach == pytest.approx(0.5 * (1 / 3) * 0.5 * 0.5)


def test_the_root_is_reached_by_everybody():
    position = find_position(SPOT, "")
    walk = walk_to(position, everybody(position.board), even)
    assert walk.reach == 1.0
    assert walk.trail == ()
