import numpy as np
import pytest

from runout.errors import TreeError
from runout.trees.betting import BettingRules, Street
from runout.trees.layout import LEAF
from runout.trees.postflop_layout import PostflopLayout
from runout.trees.postflop_tree import PostflopTree


@pytest.fixture(scope="module")
def tree():
    return PostflopTree.build_with_spr(BettingRules.uniform([0.5, 1.0], 2), 6)


def test_with_one_hand_space_the_layout_is_a_table_without_its_first_row(tree):
    layout = PostflopLayout.build(tree, 169, 169, 169)
    assert layout.total_size == (tree.num_nodes - 1) * 169
    assert layout.row_start[:3].tolist() == [0, 0, 169]
    table = np.arange(tree.num_nodes * 169).reshape(tree.num_nodes, 169)
    for node in np.flatnonzero(tree.layout.actor != LEAF):
        children = tree.layout.children(node)
        rows = table[children.start : children.stop]
        assert np.array_equal(layout.strategy_of(node, table[1:].ravel()), rows)


def test_rows_have_the_hands_of_the_street_on_which_the_action_is_chosen(tree):
    layout = PostflopLayout.build(tree, 10, 20, 30)
    table = np.zeros(layout.total_size)
    for node in np.flatnonzero(tree.layout.actor != LEAF):
        strategy = layout.strategy_of(node, table)
        assert strategy.shape == (tree.layout.num_children[node], 10 * (tree.street[node] + 1))
        strategy += 1.0
    assert np.all(table == 1.0)  # every number belongs to exactly one decision


def test_the_size_is_the_sum_over_decisions_of_actions_times_hands():
    river = PostflopTree.build_with_spr(BettingRules.uniform([1.0], 1), 1, Street.RIVER)
    # root and check have 2 actions, the two decisions facing all-in as well
    assert PostflopLayout.build(river, 5, 5, 100).total_size == 4 * 2 * 100


def test_memory_is_known_before_anything_is_allocated(tree):
    layout = PostflopLayout.build(tree, 169, 169, 169)
    one = layout.estimate_memory(num_tables=1)
    tables = 2232 * 169 * 4
    assert tables < one < tables + 100 * tree.num_nodes
    assert layout.estimate_memory(num_tables=4) - one == 3 * tables
    assert layout.estimate_memory(num_tables=1, num_boards=3) - one == 2 * tables
    assert layout.estimate_memory(num_tables=1, bytes_per_number=2) - one == -tables // 2


def test_a_street_without_hands_is_refused(tree):
    with pytest.raises(TreeError, match=r"^num_turn: 0 is not 1 or more hands$"):
        PostflopLayout.build(tree, 169, 0, 169)
