"""The preflop solver against independent best responses, and facts about any solution."""

import numpy as np
import pytest

from runout.cards.canonical_hands import parse_canonical_hand
from runout.cfr.discounting import CFR_PLUS, DCFR, LINEAR
from runout.cfr.stopping import StoppingRule
from runout.equity.preflop_equity import preflop_table
from runout.results.value_book import ValueBook, ValueSource
from runout.trees.layout import LEAF
from runout.trees.preflop_betting import (
    BB,
    SB,
    push_fold_rules,
    standard_rules_25bb,
    standard_rules_100bb,
)
from runout.trees.preflop_tree import PreflopTree
from tests.preflop.games import made_up_book, raw_solver, small_tree, solve
from tests.reference.preflop_game import exploitability, make_pair_game
from tests.reference.push_fold import push_fold_value
from tests.reference.sequence_form import sequence_form_value

RAW = ValueBook.raw_equity()
AA = parse_canonical_hand("AA")
SAMPLES = {"25 big blinds": standard_rules_25bb(), "100 big blinds": standard_rules_100bb()}


@pytest.fixture(scope="module", params=SAMPLES.values(), ids=SAMPLES.keys())
def sample(request):
    return solve(PreflopTree.build(request.param), RAW)


def test_sample_trees_are_solved_below_one_thousandth_of_a_big_blind(sample):
    assert sample.report.exploitability_mbb < 1.0


def test_the_reported_exploitability_is_that_of_an_independent_best_response(sample):
    game = make_pair_game(sample.tree, RAW)
    expected = exploitability(game, np.asarray(sample.strategy))
    assert sample.report.exploitability_mbb == pytest.approx(1000.0 * expected, rel=1e-6)


def test_both_players_together_win_nothing(sample):
    assert sample.game_value_bb(SB) + sample.game_value_bb(BB) == pytest.approx(0.0, abs=1e-12)


def test_strategies_are_probabilities(sample):
    for node in np.flatnonzero(sample.tree.layout.actor != LEAF):
        played = sample.strategy[list(sample.tree.layout.children(int(node)))]
        assert (played >= 0.0).all()
        np.testing.assert_allclose(played.sum(axis=0), 1.0, rtol=1e-12)


def test_aces_never_fold(sample):
    tree = sample.tree
    for node in range(1, tree.num_nodes):
        if tree.action_code(node) == "f":
            actor = tree.layout.actor[tree.layout.parent[node]]
            came = sample.reach(actor)[node, AA]
            assert came < 1e-4, tree.path(node)


def test_aces_win_the_most_and_never_lose(sample):
    for player in (SB, BB):
        ev_bb = sample.ev_bb[player, 0]
        assert ev_bb.argmax() == AA
        assert ev_bb[AA] > 0.0


def test_no_hand_first_in_does_worse_than_folding(sample):
    assert (sample.ev_bb[SB, 0] >= -0.5 - 0.01).all()


def test_the_curve_ends_with_what_was_reached(sample):
    iterations, measured = zip(*sample.report.curve_mbb, strict=True)
    assert iterations[0] == 25
    assert iterations[-1] == sample.report.iterations
    assert all(iteration % 25 == 0 for iteration in iterations)
    assert measured[-1] == sample.report.exploitability_mbb <= 0.5 < measured[0]


@pytest.mark.parametrize("schedule", [CFR_PLUS, DCFR, LINEAR], ids=["cfr+", "dcfr", "linear"])
def test_all_variants_find_the_same_value(schedule):
    tree, book = small_tree(), made_up_book()
    other, found = solve(tree, book, mbb=0.05), solve(tree, book, mbb=0.5, schedule=schedule)
    assert found.report.exploitability_mbb <= 0.5
    # A value is off by at most twice the exploitability.
    close = 2.0 * (other.report.exploitability_mbb + found.report.exploitability_mbb) / 1000.0
    assert found.game_value_bb(SB) == pytest.approx(other.game_value_bb(SB), abs=close)


def test_without_a_threshold_all_iterations_are_done_and_measured_once():
    solution = raw_solver(small_tree()).solve(StoppingRule(60))
    assert solution.report.iterations == 60
    assert solution.report.curve_mbb == ((60, solution.report.exploitability_mbb),)


def test_listeners_hear_of_every_iteration():
    heard = []
    raw_solver(small_tree()).solve(StoppingRule(7), heard.append)
    assert [progress.iteration for progress in heard] == [1, 2, 3, 4, 5, 6, 7]


def test_a_solve_is_the_same_every_time():
    first, second = (solve(small_tree(), made_up_book()) for _ in range(2))
    np.testing.assert_array_equal(first.strategy, second.strategy)
    np.testing.assert_array_equal(first.ev_bb, second.ev_bb)


def test_a_book_of_exact_equities_is_checking_down():
    equity = preflop_table().equities()
    checked, raw = solve(small_tree(), ValueBook((1.0,), (equity,), {})), solve(small_tree(), RAW)
    np.testing.assert_array_equal(checked.strategy, raw.strategy)
    assert {leaf.source for leaf in raw.report.flop_leaves.values()} == {ValueSource.RAW_EQUITY}
    assert ValueSource.RAW_EQUITY not in {
        leaf.source for leaf in checked.report.flop_leaves.values()
    }


def test_if_every_flop_is_lost_in_position_the_small_blind_pushes_or_folds():
    lost = ValueBook((1.0,), (np.full((169, 169), -1.0),), {})
    solution = solve(small_tree(12.0), lost, mbb=0.001)
    for leaf in solution.tree.flop_leaves():
        assert solution.reach(SB)[leaf.node].max() < 1e-3, leaf.path
    assert solution.game_value_bb(SB) == pytest.approx(push_fold_value(12.0), abs=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("rules", SAMPLES.values(), ids=SAMPLES.keys())
def test_sample_trees_have_the_value_of_their_sequence_form(rules):
    tree = PreflopTree.build(rules)
    expected = sequence_form_value(make_pair_game(tree, RAW))
    assert solve(tree, RAW, mbb=0.05).game_value_bb(SB) == pytest.approx(expected, abs=1e-4)


def test_a_game_without_decisions_is_worth_its_all_in():
    tree = PreflopTree.build(push_fold_rules(0.4))
    assert tree.num_nodes == 1
    solution = raw_solver(tree).solve(StoppingRule(1))
    assert solution.report.exploitability_mbb == pytest.approx(0.0, abs=1e-9)
    assert solution.ev_bb[SB, 0, AA] == pytest.approx(solution.ev_bb[BB, 0, AA])
    assert solution.ev_bb[SB, 0, AA] == pytest.approx(0.4 * (2 * 0.852037 - 1), abs=1e-5)
