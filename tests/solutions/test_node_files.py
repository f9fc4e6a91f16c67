"""Tests of `runout.solutions.node_files`."""

import io
import json
from dataclasses import fields
from functools import cache

import numpy as np
import pytest

from runout.cards.deck import HAND_NAMES, format_combo
from runout.errors import TreeError
from runout.flops.spot_solution import look_at
from runout.holdem.solver import SpotSolver
from runout.solutions.node import Node, Quality
from runout.solutions.node_files import node_to_json, write_json
from runout.solutions.values import ExploitabilityMeaning
from runout.trees.paths import read_path
from tests.samples.node_json import node_from_json
from tests.samples.preflop_games import made_up_book, small_tree, solve
from tests.samples.small_spots import make_spot

# --------------------------------------------------------------------------------------------------
# JSON of a walk.


@cache
def turn_solver():
    solver = SpotSolver(make_spot("Ks7s2d4h", "AA,QJs:0.5", "KK,99", "a", 10, 20))
    solver.run(10)
    return solver


@cache
def turn_view():
    return look_at(turn_solver())


def export(**how):
    stream = io.StringIO()
    num_nodes = write_json(turn_view(), stream, **how)
    return json.loads(stream.getvalue()), num_nodes


def nodes_below(node):
    """Yields a node of the file and all that follow."""
    yield node
    for child in node.get("children", {}).values():
        yield from nodes_below(child)


@pytest.mark.parametrize("depth", [0, 1, 2, 3, None])
def test_a_walk_of_any_depth_loads_back(depth):
    document, num_nodes = export(depth=depth)
    nodes = list(nodes_below(document["node"]))
    assert len(nodes) == num_nodes
    steps = [len(read_path(node["path"]).steps) for node in nodes]
    assert max(steps) == (6 if depth is None else depth)
    assert len({node["path"] for node in nodes}) == num_nodes
    if depth is None:
        assert {node["kind"] for node in nodes} == {"decision", "chance", "fold", "showdown"}
        assert {len(node["board"]) for node in nodes} == {8, 10}


def test_the_head_says_how_well_it_is_solved():
    document, _ = export(depth=0)
    assert document["format"] == "runout-solution"
    assert document["quality"] is None
    stream = io.StringIO()
    solver = turn_solver()
    quality = Quality(0.02, ExploitabilityMeaning.REAL_GAME, 10, 1.0)
    write_json(look_at(solver, quality), stream, depth=0)
    assert json.loads(stream.getvalue())["quality"] == quality.to_json()


def test_cards_are_listed_even_where_the_walk_ends():
    document, num_nodes = export(depth=0, path="x:x")
    assert num_nodes == 1
    assert document["node"]["kind"] == "chance"
    assert len(document["node"]["cards"]) == 48
    assert "children" not in document["node"]


def test_a_walk_can_begin_anywhere():
    document, _ = export(depth=1, path="a:c:9h")
    node = document["node"]
    assert (node["board"], node["street"], node["kind"]) == ("Ks7s2d4h9h", "river", "showdown")
    assert "9h9d" not in node["hands"][1]
    assert "9d9c" in node["hands"][1]


def test_a_negative_depth_is_refused():
    with pytest.raises(TreeError, match="depth: -1 is not 0 or a positive number"):
        export(depth=-1)


# --------------------------------------------------------------------------------------------------
# A node as JSON and back.


def spot_nodes():
    solver = SpotSolver(make_spot("Ks7s2d4h", "AA,QJs:0.5", "KK,99", "a", 10, 20))
    solver.run(10)
    view = look_at(solver)
    return [view.node(path) for path in ("", "a", "x:x", "a:c:9h", "x:a:f", "x:x:2c:x")]


def preflop_nodes():
    view = solve(small_tree(), made_up_book(), max_iterations=50)
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
    names = [format_combo(combo) for combo in spot.held_columns(0).tolist()]
    assert node_to_json(spot)["hands"][0] == names
    assert names[0] == "AsAh"
