import pytest

from runout.cards.flops import subset_flops
from runout.holdem.cards_to_come import CardsToCome
from runout.preflop.joint.joint_game import PotType, pot_type_of
from runout.preflop.joint.subgames import count_alike
from runout.ranges.hand_range import HandRange
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


def test_flops_of_one_pattern_are_counted_together():
    flops = subset_flops(25).flops
    counted = count_alike(flops)
    assert sum(number for _, number in counted) == 25
    boards = {cards.board: [len(deal.card) for deal in cards.deals] for cards, _ in counted}
    for flop in flops[:4]:
        alone = CardsToCome.plan(flop, (HandRange.full(), HandRange.full()))
        assert [len(deal.card) for deal in alone.deals] in boards.values()
