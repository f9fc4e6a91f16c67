import pytest

from runout.cards.flops import subset_flops
from runout.cfr.stopping import StoppingRule
from runout.holdem.cards_to_come import CardsToCome
from runout.preflop.joint.subgames import count_alike
from runout.ranges.hand_range import HandRange
from runout.trees.betting import BettingRules
from runout.trees.pot_types import PotType, pot_type_of
from tests.preflop.joint.joint_games import FLOP_JAM, MONOTONE, limp_or_raise, make_game

BET, TWO_BETS = (BettingRules.uniform(sizes, 0) for sizes in ([1.0], [0.5, 1.0]))


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


def needs_of(*game, **options):
    return make_game(limp_or_raise(), *game).estimate(StoppingRule(100), 1, **options)


def test_memory_grows_with_flops_and_sizes():
    small, more_flops, more_sizes = (
        needs_of(flops, betting).memory_bytes
        for flops, betting in ((MONOTONE[:1], BET), (MONOTONE, BET), (MONOTONE[:1], TWO_BETS))
    )
    assert small < more_flops
    assert 1.2 * small < more_sizes


def test_what_would_need_less_is_told_with_numbers():
    needs = needs_of(MONOTONE, BET)
    (saving,) = needs.savings
    assert saving.change == "exact_precision: 16"
    assert 0.5 * needs.memory_bytes < saving.memory_bytes < needs.memory_bytes
    assert needs.advice == "give fewer flops, fewer sizes, or solve_type: compact"


def test_rivers_that_are_not_kept_need_no_disk_but_time_and_checkpoints():
    needs, less = needs_of(MONOTONE, BET), needs_of(MONOTONE, BET, keeps_rivers=False)
    assert 10 * less.disk_bytes < needs.disk_bytes
    assert needs.disk_bytes_until_done - needs.disk_bytes == (
        less.disk_bytes_until_done - less.disk_bytes
    )
    assert needs.seconds == less.seconds > 0.0


def test_flops_of_one_pattern_are_counted_together():
    flops = subset_flops(25).flops
    counted = count_alike(flops)
    assert sum(number for _, number in counted) == 25
    boards = {cards.board: [len(deal.card) for deal in cards.deals] for cards, _ in counted}
    for flop in flops[:4]:
        alone = CardsToCome.plan(flop, (HandRange.full(), HandRange.full()))
        assert [len(deal.card) for deal in alone.deals] in boards.values()
