import pytest

from runout.errors import TreeError
from runout.trees.betting import BettingRules, standard_rules_25bb
from runout.trees.paths import format_path, parse_path
from runout.trees.tree import PostflopTree, PreflopTree

TREES = [
    PreflopTree.build(standard_rules_25bb()),
    PostflopTree.build_with_spr(BettingRules.uniform([0.5], 1), 2.0),
]


@pytest.mark.parametrize("tree", TREES, ids=["preflop", "postflop"])
def test_every_node_is_found_by_its_own_path(tree):
    paths = [format_path(tree, node) for node in range(tree.num_nodes)]
    assert [parse_path(tree, path) for path in paths] == list(range(tree.num_nodes))
    assert paths == [tree.path(node) for node in range(tree.num_nodes)]


def test_the_root_is_the_empty_path():
    assert format_path(TREES[0], 0) == ""
    assert parse_path(TREES[0], "  ") == 0


def test_capitals_and_spaces_around_a_path_do_not_matter():
    assert parse_path(TREES[0], " R2-C ") == parse_path(TREES[0], "r2-c")


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
        parse_path(TREES[0], path)
    assert str(caught.value) == f"path {path!r}: {problem}"
