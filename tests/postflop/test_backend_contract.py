"""What every backend promises, whatever it does inside."""

import numpy as np
import pytest

from runout.cfr.parallel import Team
from runout.cfr.stopping import StoppingRule
from runout.postflop.exhaustive import ExhaustiveBackend
from runout.postflop.mccfr import MccfrBackend
from runout.trees.postflop_tree import IP, OOP
from tests.postflop.toy_flops import flop_game, ignore_progress, make_tree, small_tree
from tests.reference.postflop_values import exploitability, fold_probability, pair_gains

# A name, and a function from a number of iterations to the backend.
BACKENDS = {
    "exhaustive": lambda n: ExhaustiveBackend(StoppingRule(n)),
    "mccfr public chance": lambda n: MccfrBackend(StoppingRule(n), sampling="public_chance"),
    "mccfr external": lambda n: MccfrBackend(StoppingRule(n), sampling="external"),
}
FLOPS = ["AhKsQd", "9s6s2s", "2s2h2d"]

every_backend = pytest.mark.parametrize("make_backend", BACKENDS.values(), ids=BACKENDS)
every_flop = pytest.mark.parametrize("flop", FLOPS)


def solve(backend, flop="AhKsQd", tree=None, num_workers=1, on_progress=ignore_progress):
    return backend.solve(flop_game(flop), tree or small_tree(), on_progress, Team(num_workers))


@every_backend
@every_flop
def test_both_players_values_sum_to_exactly_one(make_backend, flop):
    values = solve(make_backend(10), flop).value_pot
    assert values.shape == (2, 169, 169)
    assert values.dtype == np.float32
    can_meet = flop_game(flop).table.totals > 0
    assert ((values[OOP] + values[IP].T)[can_meet] == 1.0).all()
    assert np.isnan(values[OOP][~can_meet]).all()


@every_backend
@every_flop
def test_strategies_are_probabilities(make_backend, flop):
    tree = small_tree()
    strategy = solve(make_backend(10), flop, tree).strategy.table
    assert strategy.shape == (tree.num_nodes, 169)
    assert strategy.dtype == np.float32
    for node in range(tree.num_nodes):
        children = list(tree.layout.children(node))
        if children:
            assert (strategy[children] >= 0.0).all()
            np.testing.assert_allclose(strategy[children].sum(axis=0), 1.0, atol=1e-6)


@every_backend
def test_values_are_those_of_the_strategies(make_backend):
    solution = solve(make_backend(20))
    gains = pair_gains(
        small_tree(), flop_game("AhKsQd"), solution.strategy.table.astype(np.float64)
    )
    can_meet = flop_game("AhKsQd").table.totals > 0
    np.testing.assert_allclose(solution.value_pot[OOP][can_meet], 0.5 + gains[can_meet], atol=1e-6)


@every_backend
def test_exploitability_is_true_and_falls(make_backend):
    history = []
    for num_iterations in (2, 20, 200):
        solution = solve(make_backend(num_iterations))
        assert solution.report.iterations == num_iterations
        expected = exploitability(small_tree(), flop_game("AhKsQd"), solution.strategy.table)
        assert solution.report.exploitability_pot == pytest.approx(expected, abs=5e-6)
        history.append(solution.report.exploitability_pot)
    assert history[0] > history[1] > history[2] > 0.0


@every_backend
def test_a_part_of_the_hands_folds(make_backend):
    strategy = solve(make_backend(100)).strategy.table
    assert fold_probability(small_tree(), flop_game("AhKsQd"), strategy) > 0.2


@every_backend
@pytest.mark.parametrize(("flop", "renamed"), [("9s6s2s", "9h6h2h"), ("AhKsQd", "AsKdQh")])
def test_renaming_suits_changes_nothing(make_backend, flop, renamed):
    one, other = solve(make_backend(10), flop), solve(make_backend(10), renamed)
    np.testing.assert_array_equal(one.value_pot, other.value_pot)
    np.testing.assert_array_equal(one.strategy.table, other.strategy.table)


@every_backend
def test_solving_again_gives_the_same_bits(make_backend):
    one, other = (solve(make_backend(10)) for _ in range(2))
    np.testing.assert_array_equal(one.value_pot, other.value_pot)
    np.testing.assert_array_equal(one.strategy.table, other.strategy.table)


@every_backend
@pytest.mark.parametrize("num_workers", [2, 3])
def test_workers_change_no_bit(make_backend, num_workers):
    tree = make_tree(6.0)  # large enough for several matrix products per visit
    alone = solve(make_backend(5), "9s6s2s", tree)
    together = solve(make_backend(5), "9s6s2s", tree, num_workers)
    np.testing.assert_array_equal(alone.strategy.table, together.strategy.table)
    np.testing.assert_array_equal(alone.value_pot, together.value_pot)
    assert alone.report.exploitability_pot == together.report.exploitability_pot
    assert alone.report.strategy_delta == together.report.strategy_delta


@every_backend
def test_progress_is_told_after_every_iteration(make_backend):
    seen = []
    solution = solve(make_backend(6), on_progress=seen.append)
    assert [progress.iteration for progress in seen] == [1, 2, 3, 4, 5, 6]
    assert seen[-1].strategy_delta == solution.report.strategy_delta
