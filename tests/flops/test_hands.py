"""Tests of `runout.flops.hands`."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from runout.cards.deck import (
    COMBO_CARDS,
    HAND_BY_COMBO,
    matchup_weights,
    parse_board,
    parse_canonical_hand,
)
from runout.cfr.schedules import DCFR, DCFR_PLUS, VARIANTS, StoppingRule
from runout.cfr.solver import CfrSolver, StreetSolver
from runout.cfr.team import Team
from runout.flops.backend import FlopGame, make_hand_leaves
from runout.flops.hands import DealStream, HandBackend, sample_edge
from runout.trees.betting import Street
from runout.trees.tree import IP, OOP
from tests.reference.mccfr import SplitMix64, deal_cards
from tests.reference.postflop_values import exploitability, fold_probability
from tests.reference.runout_game import RunoutCfr, RunoutGame, chance_of_deal
from tests.reference.showdowns import strength
from tests.samples.toy_flops import (
    flop_game,
    ignore_progress,
    make_solver,
    make_tree,
    small_tree,
    with_edge,
)

TARGET = 0.001
FLOPS_AND_SPRS = [(flop, spr) for flop in ("AhKsQd", "2c3h4d") for spr in (3.5, 6.0)]

every_flop_and_spr = pytest.mark.parametrize(("flop", "spr"), FLOPS_AND_SPRS)


def solve(game, tree, rule=None, **options):
    backend = HandBackend(rule or StoppingRule(300), **options)
    return backend.solve(game, tree, ignore_progress, Team())


@cache
def solve_to_target(flop, spr):
    rule = StoppingRule(1_000, exploitability=TARGET)
    return solve(flop_game(flop), make_tree(spr), rule)


def hand(name):
    return parse_canonical_hand(name)


@every_flop_and_spr
def test_a_thousandth_of_the_pot_is_reached(flop, spr):
    report = solve_to_target(flop, spr).report
    assert 0.0 <= report.exploitability_pot <= TARGET
    assert report.iterations < 1_000
    assert report.num_deals == 0


@every_flop_and_spr
def test_the_reported_exploitability_is_that_of_another_best_response(flop, spr):
    solution = solve_to_target(flop, spr)
    expected = exploitability(make_tree(spr), flop_game(flop), solution.strategy.table)
    assert solution.report.exploitability_pot == pytest.approx(expected, abs=2e-6)


@every_flop_and_spr
def test_players_fold_a_good_part_of_the_time(flop, spr):
    """Nobody folds where a fold costs half of the grown pot."""
    strategy = solve_to_target(flop, spr).strategy.table
    assert 0.3 < fold_probability(make_tree(spr), flop_game(flop), strategy) < 0.9


def test_aces_win_about_a_pot_from_seven_deuce_and_not_the_stack():
    values = solve_to_target("AhKsQd", 3.5).value_pot
    for position in (OOP, IP):
        gain = values[position, hand("AA"), hand("72o")] - 0.5
        assert 0.5 < gain < 1.5


@every_flop_and_spr
def test_values_are_not_those_of_a_game_in_which_nobody_folds(flop, spr):
    gain = solve_to_target(flop, spr).value_pot[OOP] - 0.5
    all_in = (1.0 + 2.0 * spr) * flop_game(flop).edge / 2.0
    can_meet = flop_game(flop).table.totals > 0
    assert np.abs(gain[can_meet] - all_in[can_meet]).mean() > 0.5
    assert np.abs(gain[can_meet]).max() <= 0.5 + spr


def test_the_better_position_is_worth_something():
    game, values = flop_game("2c3h4d"), solve_to_target("2c3h4d", 3.5).value_pot
    value_of_ip = np.nansum(game.matchup_share * values[IP].T)
    assert 0.5 < value_of_ip < 0.7


@pytest.mark.parametrize("name", VARIANTS)
def test_exploitability_falls_by_every_variant(name):
    game, tree = flop_game("9s6s2s"), small_tree()
    history = [
        solve(game, tree, StoppingRule(n), schedule=VARIANTS[name]).report.exploitability_pot
        for n in (1, 10, 100)
    ]
    assert history[0] > history[1] > history[2] > 0.0
    assert history[2] < 0.05


def test_simultaneous_updates_arrive_too():
    game, tree = flop_game("9s6s2s"), small_tree()
    rule = StoppingRule(5_000, exploitability=0.01)
    report = solve(game, tree, rule, is_simultaneous=True).report
    assert report.exploitability_pot <= 0.01


def test_single_precision_arrives_where_double_precision_does():
    """Paths part after a few iterations, where regrets near 0 round to either side of it.

    What strategies win lies within the gains of best responses of what equilibria win.
    """
    game, tree = flop_game("AhKsQd"), make_tree(3.5)
    wide, narrow = make_solver(game, tree, np.float64), make_solver(game, tree, np.float32)
    for solver in (wide, narrow):
        solver.run(300)
    gains = [solver.nash_conv() for solver in (wide, narrow)]
    assert max(gains) <= 4.0 * TARGET
    apart = abs(narrow.game_value(OOP) - wide.game_value(OOP))
    assert apart <= sum(gains)


def test_judging_changes_no_bit_of_a_solve():
    game, tree = flop_game("9s6s2s"), make_tree(3.5)
    seldom = solve(game, tree, StoppingRule(30))
    often = solve(game, tree, StoppingRule(30, exploitability=0.0, check_every=1))
    np.testing.assert_array_equal(seldom.strategy.table, often.strategy.table)
    assert seldom.report.strategy_delta == often.report.strategy_delta


# Games solved in the head. OOP acts first; a value is a share of the pot, 0.5 being a split.


def test_who_always_wins_gets_the_pot_and_no_more():
    tree = small_tree()
    solution = solve(with_edge(1.0), tree)
    can_meet = flop_game("AhKsQd").table.totals > 0
    np.testing.assert_allclose(solution.value_pot[OOP][can_meet], 1.0, atol=0.01)
    # Without equity every bet is folded to: calling costs more than the half that is gone.
    held = flop_game("AhKsQd").matchup_share.sum(axis=0) > 0
    fold = tree.find_node("b100-f")
    assert (solution.strategy.table[fold][held] > 0.99).all()


def test_who_always_loses_gets_nothing_and_pays_nothing():
    tree = small_tree()
    solution = solve(with_edge(-1.0), tree)
    can_meet = flop_game("AhKsQd").table.totals > 0
    np.testing.assert_allclose(solution.value_pot[OOP][can_meet], 0.0, atol=0.01)
    held = flop_game("AhKsQd").matchup_share.sum(axis=1) > 0
    assert (solution.strategy.table[tree.find_node("x")][held] > 0.99).all()
    assert (solution.strategy.table[tree.find_node("x-b100-f")][held] > 0.99).all()


def test_who_always_ties_gets_half_and_never_folds():
    tree = small_tree()
    solution = solve(with_edge(0.0), tree)
    can_meet = flop_game("AhKsQd").table.totals > 0
    np.testing.assert_allclose(solution.value_pot[OOP][can_meet], 0.5, atol=0.01)
    held = flop_game("AhKsQd").matchup_share.sum(axis=0) > 0
    assert (solution.strategy.table[tree.find_node("b100-f")][held] < 0.01).all()


def test_calls_of_a_hand_without_equity_lose_no_more_than_the_exploitability():
    """As IP it loses to everything, so each call on the river costs the bet and half the pot."""
    game = flop_game("AhKsQd")
    edge, hopeless = game.edge.copy(), hand("72o")
    edge[:, hopeless] = 1.0
    toy, tree = with_edge(edge), make_tree(3.5, first_street=Street.RIVER)
    solution = solve(toy, tree, StoppingRule(10_000, exploitability=1e-5))
    strategy = solution.strategy.table.astype(np.float64)
    lost_if_always, lost = 0.0, 0.0
    for bet in ("b50", "b100", "a"):
        bets, call, fold = (tree.find_node(path) for path in (bet, f"{bet}-c", f"{bet}-f"))
        weight = (game.matchup_share[:, hopeless] * strategy[bets]).sum()
        costs = weight * (tree.leaf_stake[call] - tree.leaf_stake[fold])
        lost_if_always += costs
        lost += costs * strategy[call, hopeless]
    assert lost <= 2.0 * exploitability(tree, toy, strategy) + 1e-9
    assert lost < 0.02 * lost_if_always


def test_nuts_or_air_against_a_bluff_catcher_is_the_textbook_mixture():
    """A bet of the pot: one bluff for two value bets, and every second bet is called."""
    game = flop_game("AhKsQd")
    nuts, air, catcher = hand("JTs"), hand("72o"), hand("KJo")
    share, edge = np.zeros((169, 169)), np.zeros((169, 169))
    share[[nuts, air], catcher] = 0.5
    edge[nuts, catcher], edge[air, catcher] = 1.0, -1.0
    toy = replace(game, matchup_share=share, edge=edge)
    tree = make_tree(1.0, (1.0,), 0, Street.RIVER)
    solution = solve(toy, tree, StoppingRule(5_000, exploitability=2e-4))
    bet, call = tree.find_node("a"), tree.find_node("a-c")
    assert solution.strategy.table[bet, nuts] == pytest.approx(1.0, abs=0.02)
    assert solution.strategy.table[bet, air] == pytest.approx(0.5, abs=0.02)
    assert solution.strategy.table[call, catcher] == pytest.approx(0.5, abs=0.02)
    assert solution.value_pot[OOP, nuts, catcher] == pytest.approx(1.5, abs=0.02)
    assert solution.value_pot[OOP, air, catcher] == pytest.approx(0.0, abs=0.02)


# The collapse. The backend replaces the turn and river cards by their average; a twin deals them.

COLLAPSE_FLOP = "9h8h2c"
COLLAPSE_HANDS = ["AA", "98s", "JTs", "72o"]


@cache
def runout_game():
    return RunoutGame(parse_board(COLLAPSE_FLOP), [hand(name) for name in COLLAPSE_HANDS])


def test_payoffs_of_all_runouts_add_up_to_the_collapsed_payoff():
    game, twin = flop_game(COLLAPSE_FLOP), runout_game()
    few = np.ix_(twin.hands, twin.hands)
    runouts = twin.runouts()
    assert len(runouts) == 1_176
    total = sum(twin.wins_minus_losses(runout) for runout in runouts)
    np.testing.assert_array_equal(total, (game.table.wins - game.table.wins.T)[few])
    # Turn and river are dealt in order, so that each runout comes twice.
    np.testing.assert_allclose(
        2 * total * chance_of_deal(2), (game.matchup_share * game.edge)[few], rtol=1e-12
    )
    pairs = sum(twin.num_pairs(runout) for runout in runouts)
    np.testing.assert_allclose(2 * pairs * chance_of_deal(2), game.matchup_share[few], rtol=1e-12)


def test_iterations_are_those_of_a_solver_that_deals_every_turn_and_river_card():
    game, twin_game = flop_game(COLLAPSE_FLOP), runout_game()
    tree = make_tree(0.7, ("a",), 0)
    assert {*tree.street.tolist()} == {Street.FLOP, Street.TURN, Street.RIVER}
    twin = RunoutCfr(tree, twin_game)
    street = StreetSolver(tree.layout, make_hand_leaves(tree, game, np.float64, Team()), 169)
    few_hands = np.zeros((2, 169))
    few_hands[:, twin_game.hands] = 1.0
    solver = CfrSolver(street, DCFR, hands=few_hands)
    for iteration in range(3):
        twin.iterate(DCFR.weights(iteration))
        solver.run(1)
        average = street.average_strategy()[:, twin_game.hands]
        np.testing.assert_allclose(average[1:], twin.average_strategy()[1:], atol=1e-12)
    for player in (OOP, IP):
        expected = twin.root_value(player, twin.average_strategy()).sum()
        assert solver.game_value(player) == pytest.approx(expected, rel=1e-9)


def test_dcfr_plus_is_the_default():
    """The benchmarks compare the variants."""
    assert HandBackend(StoppingRule(1)).schedule == DCFR_PLUS


@pytest.fixture(scope="module")
def game():
    return FlopGame.deal(parse_board("AhKsQd"))


def test_streams_differ_between_flops_iterations_and_purposes():
    stream = DealStream(0, parse_board("AhKsQd"))
    other_flop = DealStream(0, parse_board("2c3h4d"))
    other_seed = DealStream(1, parse_board("AhKsQd"))
    states = [stream.kernel_state(iteration, purpose) for iteration in (0, 1) for purpose in (0, 1)]
    states += [other_flop.kernel_state(0, 0), other_seed.kernel_state(0, 0)]
    assert len({int(state[0]) for state in states}) == len(states)


def test_deals_are_uniform_and_judged_by_the_real_showdown():
    stream = DealStream(5, parse_board("9s6s2s"))
    state = stream.kernel_state(0, 0)
    deals = stream.deal(40_000, state.copy())
    share = matchup_weights(stream.flop).sum(axis=1) / (1_176 * 1_081)
    for player in range(2):
        seen = np.bincount(deals.hands[:, player], minlength=169) / 40_000
        assert np.abs(seen - share).max() < 6 * np.sqrt(share.max() / 40_000)
    assert set(deals.outcome.tolist()) == {-1.0, 0.0, 1.0}
    # The same cards, dealt and evaluated by others.
    cards = deal_cards(stream.deck.tolist(), SplitMix64(int(state[0])).uniform, 200, 6)
    for row, pair, outcome in zip(cards.tolist(), deals.hands, deals.outcome, strict=False):
        board = [*stream.flop, *row[4:]]
        mine, theirs = strength([*row[:2], *board]), strength([*row[2:4], *board])
        assert outcome == (mine > theirs) - (mine < theirs)
        for hand, holding in zip(pair, (row[:2], row[2:4]), strict=True):
            combo = np.flatnonzero((COMBO_CARDS == sorted(holding)).all(axis=1))[0]
            assert hand == HAND_BY_COMBO[combo]


def test_deals_favour_nobody(game):
    stream = DealStream(6, game.flop)
    deals = stream.deal(200_000, stream.kernel_state(0, 0))
    assert abs(deals.outcome.mean()) < 5 / np.sqrt(200_000)
    i, j = deals.hands.T
    assert abs((deals.outcome - game.edge[i, j]).mean()) < 5 / np.sqrt(200_000)


@pytest.mark.parametrize("num_workers", [2, 3])
def test_workers_change_no_sampled_edge_and_tell_batches_in_order(game, num_workers):
    alone, together = [], []
    edge = sample_edge(game, 350_000, 1, alone.append)
    shared = sample_edge(game, 350_000, 1, together.append, Team(num_workers))
    np.testing.assert_array_equal(shared, edge)
    assert alone[:-1] == together[:-1]  # all but the time that it took
