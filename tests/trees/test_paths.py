import pytest

from runout.errors import TreeError
from runout.trees.betting import BettingRules
from runout.trees.tree import PostflopTree, PreflopTree
from tests.samples.preflop_rules import standard_rules_25bb

TREES = [
    PreflopTree.build(standard_rules_25bb()),
    PostflopTree.build(BettingRules.uniform([0.5], 1), 2.0),
]


@pytest.mark.parametrize("tree", TREES, ids=["preflop", "postflop"])
def test_every_node_is_found_by_its_own_path(tree):
    paths = [tree.path(node) for node in range(tree.num_nodes)]
    assert [tree.find_node(path) for path in paths] == list(range(tree.num_nodes))


def test_the_root_is_the_empty_path():
    assert TREES[0].path(0) == ""
    assert TREES[0].find_node("  ") == 0


def test_capitals_and_spaces_around_a_path_do_not_matter():
    assert TREES[0].find_node(" R2-C ") == TREES[0].find_node("r2-c")


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("x", "'x' is no action at the root, use one of f, c, r2, a"),
        ("r2-r7", "'r7' is no action after 'r2', use one of f, c, r6, a"),
        ("f-c", "'c' is no action after 'f', the betting is over"),
        ("r2--c", "'' is no action after 'r2', use one of f, c, r6, a"),
    ],
)
def test_a_wrong_step_is_named_with_the_actions_there_are(path, problem):
    with pytest.raises(TreeError) as caught:
        TREES[0].find_node(path)
    assert str(caught.value) == f"path {path!r}: {problem}"
