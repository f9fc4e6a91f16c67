"""A node as JSON and back."""

import json
from dataclasses import fields

import numpy as np
import pytest

from runout.cards.canonical_hands import HAND_NAMES
from runout.cards.combos import format_combo
from runout.holdem.spot_solver import SpotSolver
from runout.postflop.spot.spot_view import SpotView
from runout.views.node import Node
from runout.views.node_json import held_columns, node_from_json, node_to_json
from runout.views.preflop_view import PreflopView
from tests.holdem.small_spots import make_spot
from tests.preflop.games import made_up_book, small_tree, solve


def spot_nodes():
    solver = SpotSolver(make_spot("Ks7s2d4h", "AA,QJs:0.5", "KK,99", "a", 10, 20))
    solver.run(10)
    view = SpotView(solver)
    return [view.node(path) for path in ("", "a", "x:x", "a:c:9h", "x:a:f", "x:x:2c:x")]


def preflop_nodes():
    view = PreflopView(solve(small_tree(), made_up_book(), max_iterations=50))
    return [view.node_at(node) for node in range(view.tree.num_nodes)]


NODES = [*spot_nodes(), *preflop_nodes()]


@pytest.mark.parametrize("node", NODES, ids=lambda node: node.path or "root")
def test_a_node_survives_the_way_through_json(node):
    found = node_from_json(json.loads(json.dumps(node_to_json(node), allow_nan=False)))
    for field in fields(Node):
        before, after = getattr(node, field.name), getattr(found, field.name)
        if isinstance(before, np.ndarray):
            for number, row in enumerate(before):  # what nobody can hold is not written
                is_action = field.name in ("strategy", "action_ev")
                held = node.is_held[node.actor if is_action else number]
                np.testing.assert_allclose(after[number, held], row[held], atol=1e-5, rtol=1e-5)
        elif field.name == "trail":
            assert [step.taken for step in after] == [step.taken for step in before]
            for one, other in zip(after, before, strict=True):
                assert one.frequencies == pytest.approx(other.frequencies, abs=1e-6, nan_ok=True)
        elif field.name in ("pot", "stacks", "invested", "reach"):
            assert after == pytest.approx(before, abs=1e-5)
        else:
            assert after == before, field.name


@pytest.mark.parametrize("node", NODES, ids=lambda node: node.path or "root")
def test_sums_of_a_node_are_those_of_its_columns(node):
    document = node_to_json(node)
    found = node_from_json(document)
    for player in (0, 1):
        expected = found.range_ev(player)
        if document["range_ev"][player] is None:
            assert np.isnan(expected)
        else:
            assert document["range_ev"][player] == pytest.approx(expected, abs=1e-3)
    for action, frequency in zip(document["actions"], found.frequency(), strict=True):
        if action["frequency"] is not None:
            assert action["frequency"] == pytest.approx(frequency, abs=1e-4)


def test_columns_are_named_from_the_highest_cards_down():
    spot, preflop = NODES[0], NODES[-1]
    assert node_to_json(preflop)["hands"][0] == list(HAND_NAMES)
    names = [format_combo(combo) for combo in held_columns(spot, 0).tolist()]
    assert node_to_json(spot)["hands"][0] == names
    assert names[0] == "AsAh"
