"""Tests of `runout.preflop.solver`."""

import numpy as np
import pytest

from runout.cards.deck import matchup_weights, parse_canonical_hand
from runout.cfr.schedules import CFR_PLUS, DCFR, LINEAR, StoppingRule
from runout.equity.matchups import preflop_table
from runout.preflop.solver import BookLeaves, expected_values, play_strategy
from runout.solutions.values import ValueBook, ValueSource
from runout.trees.betting import BB, SB
from runout.trees.layout import LEAF, own_reach
from runout.trees.tree import NOT_A_LEAF, PreflopTree
from tests.reference.preflop_game import exploitability, hand_value, make_pair_game
from tests.reference.push_fold import push_fold_value
from tests.reference.sequence_form import sequence_form_value
from tests.samples.preflop_games import (
    made_up_book,
    random_strategy,
    raw_solver,
    small_tree,
    solution_of,
    solve,
)
from tests.samples.preflop_rules import push_fold_rules, standard_rules_25bb, standard_rules_100bb

# --------------------------------------------------------------------------------------------------
# What hands win at nodes, against a walk over pairs of hands.


WEIGHTS = matchup_weights().astype(np.float64)


def value_nodes(tree, book, strategy):
    leaves = BookLeaves(tree, book)
    return expected_values(play_strategy(tree, leaves, strategy), leaves.matchup_share)


@pytest.fixture(scope="module", params=[small_tree(), small_tree((15.0, 9.0), ante_bb=0.1)])
def played(request):
    tree, book = request.param, made_up_book()
    strategy = random_strategy(tree)
    return tree, book, strategy, value_nodes(tree, book, strategy)


@pytest.mark.parametrize("player", [SB, BB])
@pytest.mark.parametrize("name", ["AA", "T9s", "A2o", "72o"])
def test_every_node_is_worth_what_a_walk_over_all_pairs_says(played, player, name):
    tree, book, strategy, ev_bb = played
    game, hand = make_pair_game(tree, book), parse_canonical_hand(name)
    expected = [hand_value(game, strategy, player, node, hand) for node in range(tree.num_nodes)]
    np.testing.assert_allclose(ev_bb[player, :, hand], expected, rtol=1e-10)


def test_both_players_together_win_nothing_at_any_node(played):
    tree, _, strategy, ev_bb = played
    reach = [own_reach(tree.layout, strategy, player) for player in (SB, BB)]
    for node in range(tree.num_nodes):
        arriving = reach[SB][node][:, None] * WEIGHTS * reach[BB][node]
        won = (arriving.sum(axis=1) * ev_bb[SB, node]).sum()
        lost = (arriving.sum(axis=0) * ev_bb[BB, node]).sum()
        assert won + lost == pytest.approx(0.0, abs=1e-9 * arriving.sum())


def test_folding_costs_what_was_put_in_and_is_the_same_for_all_hands(played):
    tree, _, _, ev_bb = played
    fold = tree.find_node("f")
    np.testing.assert_allclose(ev_bb[SB, fold], -tree.invested[fold, SB], rtol=1e-12)
    np.testing.assert_allclose(ev_bb[BB, fold], tree.invested[fold, SB], rtol=1e-12)


def test_a_decision_is_worth_the_mean_of_its_actions_to_the_one_who_acts(played):
    tree, _, strategy, ev_bb = played
    for node in np.flatnonzero(tree.layout.actor != LEAF):
        actor, children = tree.layout.actor[node], list(tree.layout.children(int(node)))
        mean = (strategy[children] * ev_bb[actor, children]).sum(axis=0)
        np.testing.assert_allclose(ev_bb[actor, node], mean, rtol=1e-10)


def test_a_node_that_the_opponent_never_goes_to_has_no_value():
    tree, strategy = small_tree(), random_strategy(small_tree())
    limp, others = tree.find_node("c"), [tree.find_node(path) for path in ("f", "r2.5", "a")]
    strategy[others] /= strategy[others].sum(axis=0)
    strategy[limp] = 0.0
    ev_bb = value_nodes(tree, made_up_book(), strategy)
    assert np.isnan(ev_bb[BB, limp]).all()
    assert np.isfinite(ev_bb[SB, limp]).all()  # the small blind knows what a limp would win
    assert np.isfinite(ev_bb[:, 0]).all()


# --------------------------------------------------------------------------------------------------
# What hands win at the leaves of the preflop tree.


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
    nodes = [node for group in BookLeaves(tree, made_up_book()).groups for node in group.node]
    assert sorted(nodes) == np.flatnonzero(tree.leaf_kind != NOT_A_LEAF).tolist()


@every_tree
def test_leaves_pay_what_the_chips_in_the_middle_say(tree):
    book = made_up_book()
    game = make_pair_game(tree, book)
    for node, payoff in payoffs_by_node(BookLeaves(tree, book)).items():
        np.testing.assert_allclose(payoff, DEALT * game.payoff[node], rtol=1e-12, atol=1e-18)


@every_tree
def test_what_the_small_blind_wins_the_big_blind_loses(tree):
    book = made_up_book()
    payoffs = payoffs_by_node(BookLeaves(tree, book))
    share_of_ip = np.full((tree.num_nodes, 169, 169), np.nan)
    share_of_ip[tree.leaf_kind == 2] = preflop_table().equities()
    for leaf in tree.flop_leaves():
        share_of_ip[leaf.node] = book.at_spr(leaf.spr).share_of_ip
    for sb_hand, bb_hand in [(0, 5), (168, 0), (40, 41), (13, 13)]:
        share = share_of_ip[:, sb_hand, bb_hand]
        of_sb = tree.leaf_payoffs(SB, share)
        of_bb = tree.leaf_payoffs(BB, 1.0 - share)
        for node, payoff in payoffs.items():
            assert of_sb[node] + of_bb[node] == pytest.approx(0.0, abs=1e-12)
            won = payoff[sb_hand, bb_hand] / DEALT[sb_hand, bb_hand]
            assert won == pytest.approx(of_sb[node], rel=1e-12)


def test_the_small_blind_is_the_one_in_position():
    """A book in which position alone wins the pot pays it to the small blind."""
    tree = small_tree()
    book = ValueBook((1.0,), (np.ones((169, 169)),))
    payoffs = payoffs_by_node(BookLeaves(tree, book))
    for leaf in tree.flop_leaves():
        assert payoffs[leaf.node].sum() == pytest.approx(leaf.pot_bb / 2.0)


def test_aces_have_their_exact_equity_in_a_called_all_in():
    tree = PreflopTree.build(push_fold_rules(10.0))
    aces, kings = parse_canonical_hand("AA"), parse_canonical_hand("KK")
    payoff = payoffs_by_node(BookLeaves(tree, ValueBook()))[tree.find_node("a-c")]
    expected = 10.0 * (2.0 * 0.819461 - 1.0)
    assert payoff[aces, kings] / DEALT[aces, kings] == pytest.approx(expected, abs=2e-5)


def test_every_flop_says_where_its_values_come_from():
    tree = small_tree()
    sources = {
        leaf.path: BookLeaves(tree, made_up_book((2.0, 4.0))).flops[leaf.path].source
        for leaf in tree.flop_leaves()
    }
    assert {leaf.path: leaf.spr for leaf in tree.flop_leaves()} == {
        "c:x": 5.5, "r2.5:c": 1.9, "c:r2.5:c": 1.9,
    }  # fmt: skip
    assert sources["c:x"] is ValueSource.EXTRAPOLATED
    assert sources["r2.5:c"] is ValueSource.EXTRAPOLATED


# --------------------------------------------------------------------------------------------------
# The preflop solver against independent best responses, and facts about any solution.


RAW = ValueBook()
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
    solution = solution_of(raw_solver(small_tree()), StoppingRule(60))
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
    checked, raw = solve(small_tree(), ValueBook((1.0,), (equity,))), solve(small_tree(), RAW)
    np.testing.assert_array_equal(checked.strategy, raw.strategy)
    assert {leaf.source for leaf in raw.report.flop_leaves.values()} == {ValueSource.RAW_EQUITY}
    assert ValueSource.RAW_EQUITY not in {
        leaf.source for leaf in checked.report.flop_leaves.values()
    }


def test_if_every_flop_is_lost_in_position_the_small_blind_pushes_or_folds():
    lost = ValueBook((1.0,), (np.full((169, 169), -1.0),))
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
    solution = solution_of(raw_solver(tree), StoppingRule(1))
    assert solution.report.exploitability_mbb == pytest.approx(0.0, abs=1e-9)
    assert solution.ev_bb[SB, 0, AA] == pytest.approx(solution.ev_bb[BB, 0, AA])
    assert solution.ev_bb[SB, 0, AA] == pytest.approx(0.4 * (2 * 0.852037 - 1), abs=1e-5)
