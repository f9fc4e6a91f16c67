"""JSON of a walk and CSV of a node."""

import csv
import io
import json
from functools import cache

import pytest

from runout.cards.combos import parse_combo
from runout.errors import TreeError
from runout.holdem.spot_solver import SpotSolver
from runout.postflop.spot.spot_view import SpotView
from runout.results.solve_report import ExploitabilityMeaning
from runout.trees.paths import split_path
from runout.views.node_files import write_json, write_node_csv
from runout.views.quality import ExploitabilityUnit, Quality
from tests.holdem.small_spots import make_spot


@cache
def turn_view():
    solver = SpotSolver(make_spot("Ks7s2d4h", "AA,QJs:0.5", "KK,99", "a", 10, 20))
    solver.run(10)
    return SpotView(solver)


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
    steps = [len(split_path(node["path"])) for node in nodes]
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
    solver = turn_view().solver
    quality = Quality(0.02, ExploitabilityUnit.POT, ExploitabilityMeaning.REAL_GAME, None, 10, 1.0)
    write_json(SpotView(solver, quality), stream, depth=0)
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


def rows_of(node, **how):
    stream = io.StringIO()
    num_hands = write_node_csv(node, stream, **how)
    rows = list(csv.DictReader(io.StringIO(stream.getvalue())))
    assert len(rows) == num_hands
    return rows


def test_a_decision_as_csv():
    node = turn_view().node("a")
    rows = rows_of(node)
    names = ["hand", "weight", "equity", "ev"]
    assert list(rows[0]) == [*names, "f frequency", "f ev", "c frequency", "c ev"]
    assert {row["hand"][0] for row in rows} == {"K", "9"}
    assert len(rows) == 3 + 6  # KK without the king of spades, 99
    for row in rows:
        combo = parse_combo(row["hand"])
        assert float(row["weight"]) == pytest.approx(node.weights[1, combo], abs=1e-5)
        assert float(row["c ev"]) == pytest.approx(node.action_ev[1, combo], abs=1e-5)
        assert float(row["f frequency"]) + float(row["c frequency"]) == pytest.approx(1, abs=1e-5)


def test_the_other_player_as_csv():
    rows = rows_of(turn_view().node("a"), player=0)
    assert list(rows[0]) == ["hand", "weight", "equity", "ev"]
    assert rows[0]["hand"] == "AsAh"


def test_cells_without_a_value_are_empty():
    solver = SpotSolver(make_spot("2c2d2h2s3c", "AcAd,AhKh", "AcAd", "a"))
    row = next(row for row in rows_of(SpotView(solver).node()) if row["hand"] == "AdAc")
    assert (row["weight"], row["equity"], row["ev"], row["x ev"]) == ("1.0", "", "", "")
