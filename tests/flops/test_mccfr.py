"""The MCCFR backend: its contract, its samples, and that it reaches the exhaustive solution."""

from dataclasses import replace

import numpy as np
import pytest

from runout.cards.deck import matchup_weights, parse_board
from runout.cfr.schedules import DCFR_PLUS, LINEAR, SolveProgress, StoppingRule
from runout.cfr.solver import ignore_progress
from runout.cfr.team import Team
from runout.flops.backend import FlopGame
from runout.flops.hands import (
    NUM_PAIRS_PER_RUNOUT,
    DealStream,
    HandBackend,
    RunoutSampler,
    Sampling,
    sample_edge,
)
from runout.flops.values import extract_values
from runout.trees.betting import BettingRules
from runout.trees.tree import OOP, PostflopTree
from tests.reference.showdowns import rename

#: What `docs/mccfr.md` promises of the default budget.
PROMISED_EXPLOITABILITY = 0.005
PROMISED_HAND_ERROR = 0.02
PROMISED_PAIR_ERROR = 0.3
PROMISED_GAME_ERROR = 0.002

DEFAULT_BUDGET = StoppingRule(500)
SMALL_TREE = PostflopTree.build(BettingRules.of([1.0], 1), 2.0)
TINY_TREE = PostflopTree.build(BettingRules.of([1.0], 0), 1.0)
SAMPLINGS = ["public_chance", "external"]
both_samplings = pytest.mark.parametrize("sampling", SAMPLINGS)


@pytest.fixture(scope="module")
def game():
    return FlopGame.deal(parse_board("AhKsQd"))


@pytest.fixture(scope="module")
def few_iterations(game):
    """Both samplings on a small tree, solved once for the tests that only look."""
    return {sampling: solve(game, kind=sampling) for sampling in SAMPLINGS}


def solve(game, tree=SMALL_TREE, iterations=20, team=None, on_progress=ignore_progress, **options):
    rule = StoppingRule(iterations, exploitability=1e-9)
    backend = HandBackend(rule, LINEAR, Sampling(**options))
    return backend.solve(game, tree, on_progress, team or Team())


def assert_same_bits(solution, other):
    np.testing.assert_array_equal(solution.strategy.table, other.strategy.table)
    np.testing.assert_array_equal(solution.value_pot, other.value_pot)
    assert solution.report.exploitability_pot == other.report.exploitability_pot


def weighted_gaps(game, value_pot, expected):
    """Returns matchup-weighted differences in pots: of pairs and hands (RMS), of the game."""
    weight = game.matchup_share
    gap = np.nan_to_num(value_pot[OOP] - expected[OOP]).astype(np.float64)
    of_pairs = np.sqrt(np.sum(weight * gap**2))
    weight_of_hand = weight.sum(axis=1)
    gain = np.sum(weight * gap, axis=1)
    of_hands = np.sqrt(
        np.sum(np.divide(gain**2, weight_of_hand, out=0 * gain, where=weight_of_hand > 0))
    )
    return of_pairs, of_hands, abs(np.sum(weight * gap))


def assert_values_agree(game, value_pot, expected):
    """Pairs are not settled by equilibrium, hands against a range almost, the game is."""
    of_pairs, of_hands, of_game = weighted_gaps(game, value_pot, expected)
    assert of_pairs < PROMISED_PAIR_ERROR
    assert of_hands < PROMISED_HAND_ERROR
    assert of_game < PROMISED_GAME_ERROR


@both_samplings
def test_values_of_both_players_sum_to_the_pot(game, few_iterations, sampling):
    value_pot = few_iterations[sampling].value_pot
    can_meet = matchup_weights(game.flop) > 0
    total = value_pot[0] + value_pot[1].T
    assert value_pot.dtype == np.float32
    assert (total[can_meet] == 1.0).all()
    assert np.isnan(value_pot[0][~can_meet]).all()


@both_samplings
def test_strategies_are_probabilities(few_iterations, sampling):
    strategy = few_iterations[sampling].strategy.table
    for node in np.flatnonzero(SMALL_TREE.layout.num_children):
        np.testing.assert_allclose(
            strategy[SMALL_TREE.layout.children(node)].sum(axis=0), 1.0, atol=1e-5
        )
    assert strategy.min() >= 0.0


@both_samplings
def test_exploitability_is_positive_and_falls(game, sampling):
    seen = []
    solve(game, iterations=100, kind=sampling, on_progress=seen.append)
    told = [event.exploitability for event in seen if isinstance(event, SolveProgress)]
    after_10, after_30, after_100 = told[9], told[29], told[99]
    assert after_10 > after_30 > after_100 > 0.0
    assert after_100 < after_10 / 3.0


@both_samplings
def test_a_seed_reproduces_every_bit_and_another_one_does_not(game, few_iterations, sampling):
    assert_same_bits(few_iterations[sampling], solve(game, kind=sampling))
    other = solve(game, kind=sampling, seed=1)
    assert np.abs(few_iterations[sampling].strategy.table - other.strategy.table).max() > 0.01


@both_samplings
def test_the_number_of_workers_changes_no_bit(game, few_iterations, sampling):
    assert_same_bits(few_iterations[sampling], solve(game, kind=sampling, team=Team(2)))


@both_samplings
def test_suits_change_no_bit(game, few_iterations, sampling):
    renamed = FlopGame.deal(rename(game.flop, (1, 2, 3, 0)))
    assert renamed.flop != game.flop
    assert_same_bits(few_iterations[sampling], solve(renamed, kind=sampling))


@pytest.mark.parametrize(
    ("sampling", "deals_per_iteration"),
    [("public_chance", 12 * NUM_PAIRS_PER_RUNOUT), ("external", 2 * 12 * 169)],
)
def test_report_tells_how_many_deals_were_used(few_iterations, sampling, deals_per_iteration):
    assert few_iterations[sampling].report.num_deals == 20 * deals_per_iteration


def test_one_hundredth_of_the_deals_is_sampled_by_default():
    sampling = Sampling()
    assert sampling.deals_per_iteration / (1_176 * 1_081 * 990) == pytest.approx(0.01, rel=0.03)


@pytest.mark.parametrize("flop", ["AhKsQd", "9s6s2s", "7c7d7h"])
def test_all_runouts_together_are_exact(flop):
    game = FlopGame.deal(parse_board(flop))
    everything = RunoutSampler(DealStream(0, game.flop), 1_176, Team())
    np.testing.assert_allclose(
        everything.sample(0), game.matchup_share * game.edge, rtol=1e-12, atol=1e-18
    )


def test_sampled_showdowns_are_right_on_average(game):
    sampler = RunoutSampler(DealStream(3, game.flop), 12, Team())
    samples = np.array([sampler.sample(iteration) for iteration in range(400)])
    np.testing.assert_array_equal(samples[0], -samples[0].T)
    exact = game.matchup_share * game.edge
    error = np.abs(samples.mean(axis=0) - exact)
    standard_error = samples.std(axis=0) / np.sqrt(len(samples))
    is_random = standard_error > 0
    deviation = error[is_random] / standard_error[is_random]
    assert deviation.max() < 6.0
    assert np.sqrt(np.mean(deviation**2)) < 1.5  # of cells that are lucky together


def test_with_all_runouts_public_chance_sampling_is_the_exhaustive_backend(game):
    sampled = solve(game, fraction=1.0)
    exhaustive = HandBackend(StoppingRule(20), LINEAR).solve(
        game, SMALL_TREE, ignore_progress, Team()
    )
    assert sampled.report.exploitability_pot == pytest.approx(
        exhaustive.report.exploitability_pot, abs=1e-5
    )
    assert weighted_gaps(game, sampled.value_pot, exhaustive.value_pot)[0] < 1e-3


def test_external_sampling_solves_a_tiny_tree(game):
    exhaustive = HandBackend(StoppingRule(2_000, exploitability=1e-5)).solve(
        game, TINY_TREE, ignore_progress, Team()
    )
    sampled = solve(game, TINY_TREE, 300, kind="external", fraction=0.02)
    assert sampled.report.exploitability_pot < PROMISED_EXPLOITABILITY
    assert_values_agree(game, sampled.value_pot, exhaustive.value_pot)


def test_external_sampling_tells_how_far_strategies_moved_after_a_check_too(game):
    seen = []
    rule = StoppingRule(4, exploitability=0.0, check_every=2)
    backend = HandBackend(rule, LINEAR, Sampling("external"))
    backend.solve(game, TINY_TREE, seen.append, Team())
    deltas = [event.strategy_delta for event in seen if isinstance(event, SolveProgress)]
    assert len(deltas) == 4
    assert min(deltas) > 0.0


def sampled_values(game, strategy, num_samples, seed):
    edge = sample_edge(game, num_samples, seed)
    return extract_values(SMALL_TREE, replace(game, edge=edge), strategy)


def test_sampled_values_sum_to_the_pot_and_fall_back_on_exact_ones(game, few_iterations):
    strategy = few_iterations["public_chance"].strategy.table
    exact = extract_values(SMALL_TREE, game, strategy)
    sampled = sampled_values(game, strategy, 300, seed=0)
    can_meet = matchup_weights(game.flop) > 0
    assert (sampled[0] + sampled[1].T)[can_meet].min() == 1.0
    assert (sampled[0] + sampled[1].T)[can_meet].max() == 1.0
    is_changed = sampled[0] != exact[0]
    assert 100 < is_changed[can_meet].sum() <= 2 * 300


def test_sampled_values_have_the_documented_standard_error(game, few_iterations):
    strategy = few_iterations["public_chance"].strategy.table
    num_samples = 500_000
    sampled = sampled_values(game, strategy, num_samples, seed=1)[OOP]
    exact, if_won, if_tied = (
        extract_values(SMALL_TREE, replace(game, edge=edge), strategy)[OOP].astype(np.float64)
        for edge in (game.edge, np.ones_like(game.edge), np.zeros_like(game.edge))
    )
    stake = if_won - if_tied
    num_met = 2 * num_samples * game.matchup_share  # each deal counts for both orders
    tied = game.table.ties / np.maximum(game.table.totals, 1)
    variance = stake**2 * (1.0 - tied - game.edge**2) / np.maximum(num_met, 1.0)
    is_frequent = (num_met > 40) & (variance > 1e-6)
    np.fill_diagonal(is_frequent, False)  # a hand against itself is exactly even
    assert is_frequent.sum() > 5_000
    squared_deviation = (sampled - exact)[is_frequent] ** 2 / variance[is_frequent]
    assert np.mean(squared_deviation) == pytest.approx(1.0, abs=0.1)
    np.testing.assert_array_equal(np.diag(sampled), np.diag(exact.astype(np.float32)))


def test_value_extraction_samples_selects_sampled_values(game, few_iterations):
    sampled = solve(game, value_deals=1_000)
    exact = few_iterations["public_chance"]
    np.testing.assert_array_equal(sampled.strategy.table, exact.strategy.table)
    assert not np.array_equal(sampled.value_pot, exact.value_pot, equal_nan=True)
    assert sampled.report.num_deals == exact.report.num_deals + 1_000


@pytest.mark.parametrize(
    ("flop", "spr"),
    [
        ("2c3h4d", 3.5),
        pytest.param("AhKsQd", 3.5, marks=pytest.mark.slow),
        pytest.param("AhKsQd", 6.0, marks=pytest.mark.slow),
        pytest.param("2c3h4d", 6.0, marks=pytest.mark.slow),
    ],
)
def test_default_budget_reaches_the_exhaustive_solution(flop, spr):
    game = FlopGame.deal(parse_board(flop))
    tree = PostflopTree.build(BettingRules.of([0.5, 1.0], 1), spr)
    sampled = HandBackend(DEFAULT_BUDGET, LINEAR, Sampling()).solve(
        game, tree, ignore_progress, Team()
    )
    assert 0.0 < sampled.report.exploitability_pot < PROMISED_EXPLOITABILITY
    exhaustive = HandBackend(StoppingRule(1_000, exploitability=2e-4), DCFR_PLUS).solve(
        game, tree, ignore_progress, Team()
    )
    assert_values_agree(game, sampled.value_pot, exhaustive.value_pot)


@pytest.mark.slow
def test_external_sampling_converges_on_a_full_tree():
    game = FlopGame.deal(parse_board("AhKsQd"))
    tree = PostflopTree.build(BettingRules.of([0.5, 1.0], 1), 3.5)
    solution = HandBackend(StoppingRule(6_000), LINEAR, Sampling("external")).solve(
        game, tree, ignore_progress, Team()
    )
    assert solution.report.exploitability_pot < PROMISED_EXPLOITABILITY
