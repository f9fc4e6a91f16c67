"""What hands win at the leaves of the preflop tree."""

import numpy as np
import pytest

from runout.cards.canonical_hands import matchup_weights, parse_canonical_hand
from runout.equity.preflop_equity import preflop_table
from runout.preflop.preflop_leaves import value_leaves
from runout.results.value_book import LeafValues, ValueBook, ValueSource
from runout.trees.preflop_betting import (
    BB,
    SB,
    push_fold_rules,
    standard_rules_25bb,
    standard_rules_100bb,
)
from runout.trees.preflop_tree import NOT_A_LEAF, PreflopTree
from tests.preflop.games import made_up_book, small_tree
from tests.reference.preflop_game import make_pair_game

DEALT = matchup_weights() / matchup_weights().sum()
TREES = {
    "small": small_tree(),
    "small with antes": small_tree(ante_bb=0.125),
    "unequal stacks": small_tree((9.0, 30.0)),
    "25 big blinds": PreflopTree.build(standard_rules_25bb()),
    "100 big blinds": PreflopTree.build(standard_rules_100bb()),
    "push or fold": PreflopTree.build(push_fold_rules(10.0)),
}

every_tree = pytest.mark.parametrize("tree", TREES.values(), ids=TREES.keys())


def payoffs_by_node(leaves):
    """Returns what SB wins at each leaf, times the probability of the deal."""
    return {
        int(node): stake * group.payoff
        for group in leaves.groups
        for node, stake in zip(group.node, group.stake, strict=True)
    }


@every_tree
def test_every_leaf_is_valued_once_and_nothing_else(tree):
    nodes = [node for group in value_leaves(tree, made_up_book()).groups for node in group.node]
    assert sorted(nodes) == np.flatnonzero(tree.leaf_kind != NOT_A_LEAF).tolist()


@every_tree
def test_leaves_pay_what_the_chips_in_the_middle_say(tree):
    book = made_up_book()
    game = make_pair_game(tree, book)
    for node, payoff in payoffs_by_node(value_leaves(tree, book)).items():
        np.testing.assert_allclose(payoff, DEALT * game.payoff[node], rtol=1e-12, atol=1e-18)


@every_tree
def test_what_the_small_blind_wins_the_big_blind_loses(tree):
    book = made_up_book()
    payoffs = payoffs_by_node(value_leaves(tree, book))
    share_of_ip = np.full((tree.num_nodes, 169, 169), np.nan)
    share_of_ip[tree.leaf_kind == 2] = preflop_table().equities()
    for leaf in tree.flop_leaves():
        share_of_ip[leaf.node] = book.at_spr(leaf.spr).share_of_ip
    for sb_hand, bb_hand in [(0, 5), (168, 0), (40, 41), (13, 13)]:
        share = share_of_ip[:, sb_hand, bb_hand]
        of_sb = tree.leaf_payoffs_bb(SB, share)
        of_bb = tree.leaf_payoffs_bb(BB, 1.0 - share)
        for node, payoff in payoffs.items():
            assert of_sb[node] + of_bb[node] == pytest.approx(0.0, abs=1e-12)
            won = payoff[sb_hand, bb_hand] / DEALT[sb_hand, bb_hand]
            assert won == pytest.approx(of_sb[node], rel=1e-12)


def test_the_small_blind_is_the_one_in_position():
    """A book in which position alone wins the pot pays it to the small blind."""
    tree = small_tree()
    book = ValueBook((1.0,), (np.ones((169, 169)),), {})
    payoffs = payoffs_by_node(value_leaves(tree, book))
    for leaf in tree.flop_leaves():
        assert payoffs[leaf.node].sum() == pytest.approx(leaf.pot_bb / 2.0)


def test_aces_have_their_exact_equity_in_a_called_all_in():
    tree = PreflopTree.build(push_fold_rules(10.0))
    aces, kings = parse_canonical_hand("AA"), parse_canonical_hand("KK")
    payoff = payoffs_by_node(value_leaves(tree, ValueBook.raw_equity()))[tree.find_node("a-c")]
    expected = 10.0 * (2.0 * 0.819461 - 1.0)
    assert payoff[aces, kings] / DEALT[aces, kings] == pytest.approx(expected, abs=2e-5)


def test_a_leaf_that_was_solved_by_itself_has_its_own_values():
    tree, book = small_tree(), made_up_book()
    path = tree.flop_leaves()[1].path
    own = LeafValues(np.full((169, 169), 0.75), ValueSource.SOLVED, "by itself")
    before, after = (value_leaves(tree, b) for b in (book, book.with_leaves({path: own})))
    for leaf in tree.flop_leaves():
        is_own = leaf.path == path
        assert (after.flops[leaf.path] is own) == is_own
        changed = payoffs_by_node(after)[leaf.node] != payoffs_by_node(before)[leaf.node]
        assert changed.any() == is_own


def test_every_flop_says_where_its_values_come_from():
    tree = small_tree()
    sources = {
        leaf.path: value_leaves(tree, made_up_book((2.0, 4.0))).flops[leaf.path].source
        for leaf in tree.flop_leaves()
    }
    assert {leaf.path: leaf.spr for leaf in tree.flop_leaves()} == {
        "c-x": 5.5, "r2.5-c": 1.9, "c-r2.5-c": 1.9,
    }  # fmt: skip
    assert sources["c-x"] is ValueSource.EXTRAPOLATED
    assert sources["r2.5-c"] is ValueSource.EXTRAPOLATED
