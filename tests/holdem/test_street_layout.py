"""How the decisions of a street are numbered."""

import itertools

import numpy as np
import pytest

from runout.holdem.street_layout import NO_PARENT, NOBODY, PlaceKind, make_layouts
from runout.trees.betting import Street
from runout.trees.postflop_tree import SHOWDOWN
from tests.holdem.small_spots import make_tree

TREES = {
    "flop": make_tree("50%, a", 10, 60, Street.FLOP, 1),
    "turn": make_tree("50%, 100%, a", 10, 100, Street.TURN, 2),
    "all-in at once": make_tree("a", 10, 10, Street.FLOP),
}
every_tree = pytest.mark.parametrize("tree", TREES.values(), ids=TREES)


@every_tree
def test_rows_of_a_player_are_the_actions_of_its_decisions_one_after_the_other(tree):
    for layout in make_layouts(tree):
        for player in (0, 1):
            first, number = layout.decisions_of(player)
            assert first.tolist() == [0, *np.cumsum(number).tolist()][: len(first)]
            assert number.sum() == layout.num_actions[player]
            for node in np.flatnonzero(layout.actor == player).tolist():
                children = list(tree.layout.children(int(layout.tree_node[node])))
                begin = int(layout.first_action[node])
                found = layout.action_node[player][begin : begin + len(children)]
                assert found.tolist() == children


@every_tree
def test_children_lie_together_and_know_their_parent(tree):
    for layout in make_layouts(tree):
        for node in np.flatnonzero(layout.kind == PlaceKind.DECISION).tolist():
            begin = int(layout.first_child[node])
            children = range(begin, begin + int(layout.num_children[node]))
            assert (layout.parent[children.start : children.stop] == node).all()
        assert (layout.parent[layout.root] == NO_PARENT).all()
        assert ((layout.actor == NOBODY) == (layout.kind != PlaceKind.DECISION)).all()


@every_tree
def test_a_street_begins_where_the_one_before_ends(tree):
    layouts = make_layouts(tree)
    for before, after in itertools.pairwise(layouts):
        assert after.root_of == before.next_roots
    assert layouts[0].root_of == (0,)
    assert layouts[-1].next_roots == ()


@every_tree
@pytest.mark.parametrize(
    "settled", [{Street.FLOP}, {Street.TURN}, {Street.FLOP, Street.TURN}], ids=repr
)
def test_all_ins_of_settled_streets_end_there_and_tables_stay_as_they_are(tree, settled):
    dealt, ended = make_layouts(tree), make_layouts(tree, settled)
    over: set[int] = set()
    for with_cards, without in zip(dealt, ended, strict=True):
        assert set(without.root_of) == set(with_cards.root_of) - over
        is_all_in = tree.leaf_kind[without.tree_node] == SHOWDOWN
        shows_down = without.street in settled or without.street == Street.RIVER
        np.testing.assert_array_equal(without.kind == PlaceKind.SHOWDOWN, is_all_in & shows_down)
        if shows_down:
            over |= set(without.tree_node[is_all_in].tolist())
        for ours, theirs in zip(without.action_node, with_cards.action_node, strict=True):
            np.testing.assert_array_equal(ours, theirs)
