"""Push/fold has known answers, and a linear program that gives the rest."""

import numpy as np
import pytest

from runout.cards.deck import COMBOS_BY_HAND, parse_canonical_hand
from runout.solutions.values import ValueBook
from runout.trees.betting import BB, SB
from runout.trees.tree import PreflopTree
from tests.reference.preflop_game import make_pair_game
from tests.reference.push_fold import push_fold_value
from tests.reference.sequence_form import sequence_form_value
from tests.samples.preflop_games import solve
from tests.samples.preflop_rules import limp_fold_rules, push_fold_rules

COMBOS = np.array([len(combos) for combos in COMBOS_BY_HAND]) / 1326


def solve_push_fold(stacks_bb, ante_bb=0.0, mbb=1e-4):
    tree = PreflopTree.build(push_fold_rules(stacks_bb, ante_bb=ante_bb))
    return solve(tree, ValueBook(), mbb)


@pytest.fixture(scope="module")
def ten_big_blinds():
    return solve_push_fold(10.0)


def test_the_small_blind_jams_the_published_share_of_hands(ten_big_blinds):
    jam = ten_big_blinds.tree.find_node("a")
    assert 100 * COMBOS @ ten_big_blinds.strategy[jam] == pytest.approx(58.29, abs=0.05)
    assert 100 * ten_big_blinds.node().frequency()[-1] == pytest.approx(58.29, abs=0.05)


def test_the_big_blind_calls_the_published_share_of_hands(ten_big_blinds):
    call = ten_big_blinds.tree.find_node("a-c")
    assert 100 * COMBOS @ ten_big_blinds.strategy[call] == pytest.approx(37.38, abs=0.05)
    # Of the hands that really come it calls less: a jam holds the high cards.
    assert ten_big_blinds.node("a").frequency()[1] < 0.37


def test_the_small_blind_loses_the_published_amount(ten_big_blinds):
    assert ten_big_blinds.game_value_bb(SB) == pytest.approx(-0.045371, abs=1e-6)
    assert ten_big_blinds.game_value_bb(BB) == pytest.approx(0.045371, abs=1e-6)


def test_good_hands_jam_and_call_and_bad_ones_do_neither(ten_big_blinds):
    jam, call = (ten_big_blinds.tree.find_node(path) for path in ("a", "a-c"))
    for name in ("AA", "AKs", "A2o", "22", "K9o", "T9s"):
        assert ten_big_blinds.strategy[jam, parse_canonical_hand(name)] > 0.999
    for name in ("AA", "AKs", "A2o", "55", "K9o"):
        assert ten_big_blinds.strategy[call, parse_canonical_hand(name)] > 0.999
    for name in ("72o", "32o", "82o"):
        assert ten_big_blinds.strategy[jam, parse_canonical_hand(name)] < 0.001
        assert ten_big_blinds.strategy[call, parse_canonical_hand(name)] < 0.001


@pytest.mark.parametrize("ante_bb", [0.0, 0.1])
@pytest.mark.parametrize("stack_bb", [1.1, 2.0, 5.0, 10.0, 15.0, 20.0])
def test_the_value_is_that_of_a_linear_program(stack_bb, ante_bb):
    # With 1.1 and an ante of 0.1 the big blind is all-in from posting and has no decision.
    solution = solve_push_fold(stack_bb, ante_bb, mbb=1e-3)
    expected = push_fold_value(stack_bb, ante_bb)
    assert solution.game_value_bb(SB) == pytest.approx(expected, abs=2e-6)


@pytest.mark.parametrize("stacks_bb", [(8.0, 30.0), (30.0, 8.0)])
def test_only_the_smaller_stack_counts(stacks_bb):
    unequal, equal = solve_push_fold(stacks_bb), solve_push_fold(8.0)
    np.testing.assert_array_equal(unequal.strategy, equal.strategy)
    assert unequal.game_value_bb(SB) == pytest.approx(push_fold_value(8.0), abs=2e-6)


def test_antes_make_the_small_blind_jam_more():
    jam_shares = [
        COMBOS @ solution.strategy[solution.tree.find_node("a")]
        for solution in (solve_push_fold(10.0), solve_push_fold(10.0, ante_bb=0.125))
    ]
    assert jam_shares[1] > jam_shares[0] + 0.03


def test_deeper_stacks_jam_less_and_are_called_less():
    shares = []
    for stack_bb in (2.0, 5.0, 10.0, 15.0, 20.0):
        solution = solve_push_fold(stack_bb, mbb=1e-3)
        jam, call = (solution.tree.find_node(path) for path in ("a", "a-c"))
        shares.append((COMBOS @ solution.strategy[jam], COMBOS @ solution.strategy[call]))
    assert (np.diff(np.array(shares), axis=0) < 0.0).all()


def test_limp_or_fold_has_the_value_of_its_sequence_form():
    tree = PreflopTree.build(limp_fold_rules(10.0))
    book = ValueBook()
    expected = sequence_form_value(make_pair_game(tree, book))
    solution = solve(tree, book, mbb=1e-3)
    assert solution.game_value_bb(SB) == pytest.approx(expected, abs=2e-6)
