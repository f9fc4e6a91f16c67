import pytest

from runout.preflop.joint.joint_game import PotType, pot_type_of
from tests.preflop.joint.joint_games import CHECK_DOWN, FLOP_JAM, MONOTONE, limp_or_raise, make_game


@pytest.mark.parametrize(
    ("path", "pot_type"),
    [("c-x", PotType.LIMPED), ("r2.5-c", PotType.RAISED), ("c-r2.5-c", PotType.RAISED)],
)
def test_pots_are_told_apart_by_the_raises_before_the_flop(path, pot_type):
    tree = limp_or_raise()
    assert pot_type_of(tree, tree.find_node(path)) is pot_type


def test_every_flop_leaf_has_a_tree_of_its_own_ratio():
    game = make_game(limp_or_raise(), MONOTONE, FLOP_JAM)
    ratios = [leaf.spr for leaf in game.tree.flop_leaves()]
    assert [tree.stakes.spr for tree in game.flop_trees] == pytest.approx(ratios)


def test_memory_grows_with_flops_and_sizes():
    small = make_game(limp_or_raise(), MONOTONE[:1], CHECK_DOWN).memory_bytes(1)
    more_flops = make_game(limp_or_raise(), MONOTONE, CHECK_DOWN).memory_bytes(1)
    more_sizes = make_game(limp_or_raise(), MONOTONE[:1], FLOP_JAM).memory_bytes(1)
    assert more_flops > 1.5 * small
    assert more_sizes > small
