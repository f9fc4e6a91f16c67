"""Pots by what happened before the flop, and the betting after it."""

import pytest

from runout.trees.betting import BettingRules
from runout.trees.pot_types import PotType, build_flop_trees, pot_type_of
from runout.trees.preflop_betting import standard_rules_25bb
from runout.trees.preflop_tree import PreflopTree

TREE = PreflopTree.build(standard_rules_25bb())


@pytest.mark.parametrize(
    ("path", "expected"),
    [("c-x", PotType.LIMPED), ("r2-c", PotType.RAISED), ("r2-r6-c", PotType.RERAISED)],
)
def test_a_pot_is_named_by_its_raises(path, expected):
    assert pot_type_of(TREE, TREE.find_node(path)) is expected


def test_every_flop_leaf_has_the_betting_of_its_pot():
    betting = {pot: BettingRules.uniform([0.5], number) for number, pot in enumerate(PotType)}
    trees = build_flop_trees(TREE, betting)
    for leaf, tree in zip(TREE.flop_leaves(), trees, strict=True):
        assert tree.stakes.spr == pytest.approx(leaf.spr)
        assert tree.rules is betting[pot_type_of(TREE, leaf.node)]
