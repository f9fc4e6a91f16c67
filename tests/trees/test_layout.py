"""Tests of `runout.trees.layout`."""

import numpy as np
import pytest

from runout.errors import TreeError
from runout.trees.layout import LEAF, NO_NODE, layout_tree, own_reach, own_reach_rows, subtree_sizes
from tests.games import kuhn
from tests.reference import cfr as reference
from tests.samples.random_games import random_tree


def test_a_row_begins_after_each_own_action_only():
    row = own_reach_rows(kuhn.TREE, 0)
    for history, before in {"pp": "p", "pb": "p", "bp": "b", "bb": "b"}.items():
        assert row[kuhn.NODE[history]] == row[kuhn.NODE[before]]
    distinct = [row[kuhn.NODE[history]] for history in ("", "p", "b", "pbp", "pbb")]
    assert sorted(distinct) == [0, 1, 2, 3, 4]


def test_reach_matches_its_twin():
    for seed in range(4):
        tree = random_tree(seed)
        strategy = np.random.default_rng(seed).random((tree.num_nodes, 3))
        for player in (0, 1):
            found = own_reach(tree, strategy, player)
            for node in range(tree.num_nodes):
                expected = reference.own_reach(tree, player, strategy, np.ones(3), node)
                np.testing.assert_allclose(found[node], expected)


# Kuhn poker: check or bet; a bet is folded to or called.
KUHN = (
    "",
    0,
    (
        ("x", 1, (("xx", LEAF, ()), ("xb", 0, (("xbf", LEAF, ()), ("xbc", LEAF, ()))))),
        ("b", 1, (("bf", LEAF, ()), ("bc", LEAF, ()))),
    ),
)


def layout_of_nested(root):
    arrays, nodes = layout_tree(root, lambda node: (node[1], node[2]))
    return arrays, [name for name, _, _ in nodes]


def test_kuhn_is_numbered_level_by_level():
    arrays, names = layout_of_nested(KUHN)
    assert names == ["", "x", "b", "xx", "xb", "bf", "bc", "xbf", "xbc"]
    assert arrays.actor.tolist() == [0, 1, 1, LEAF, 0, LEAF, LEAF, LEAF, LEAF]
    assert arrays.parent.tolist() == [NO_NODE, 0, 0, 1, 1, 2, 2, 4, 4]
    assert arrays.first_child.tolist() == [1, 3, 5, NO_NODE, 7, *[NO_NODE] * 4]
    assert arrays.num_children.tolist() == [2, 2, 2, 0, 2, 0, 0, 0, 0]
    assert arrays.level_start.tolist() == [0, 1, 3, 7, 9]
    assert (arrays.num_nodes, arrays.num_levels) == (9, 4)


def test_children_are_a_range_and_leaves_have_none():
    arrays, names = layout_of_nested(KUHN)
    assert [names[child] for child in arrays.children(4)] == ["xbf", "xbc"]
    assert list(arrays.children(3)) == []


def test_a_lone_leaf_is_a_tree_of_one_level():
    arrays, _ = layout_of_nested(("", LEAF, ()))
    assert (arrays.num_nodes, arrays.num_levels) == (1, 1)


def test_arrays_are_int32_and_cannot_be_written():
    arrays, _ = layout_of_nested(KUHN)
    for array in arrays:
        assert array.dtype == np.int32
        assert not array.flags.writeable


def test_subtree_sizes_count_the_node_itself():
    arrays, _ = layout_of_nested(KUHN)
    assert subtree_sizes(arrays).tolist() == [9, 5, 3, 1, 3, 1, 1, 1, 1]


def test_every_node_is_expanded_once_and_parents_come_first():
    seen = []

    def expand(depth_and_index):
        seen.append(depth_and_index)
        depth, index = depth_and_index
        if depth == 4:
            return LEAF, []
        return depth % 2, [(depth + 1, 3 * index + child) for child in range(3)]

    arrays, nodes = layout_tree((0, 0), expand)
    assert seen == nodes
    assert nodes == [(depth, index) for depth in range(5) for index in range(3**depth)]
    assert arrays.level_start.tolist() == [0, 1, 4, 13, 40, 121]


def test_a_tree_that_never_ends_is_refused():
    with pytest.raises(TreeError, match=r"^tree: more than 1,000 nodes, allow fewer actions$"):
        layout_tree(0, lambda node: (0, [node, node]), max_nodes=1000)


@pytest.mark.parametrize(
    ("actor", "children", "problem"),
    [
        (LEAF, [1], "node 0: actor -1 with 1 actions"),
        (0, [], "node 0: actor 0 with 0 actions"),
        (3, [1], "node 0: actor 3 with 1 actions"),
    ],
)
def test_a_node_that_makes_no_sense_is_a_defect_of_the_caller(actor, children, problem):
    with pytest.raises(ValueError, match=problem):
        layout_tree(0, lambda node: (actor, children))
