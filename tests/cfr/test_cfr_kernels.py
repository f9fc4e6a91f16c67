"""Tests of `runout.cfr.cfr_kernels`."""

import numpy as np
import pytest

from runout.cfr import cfr_kernels
from runout.cfr import cfr_kernels as leaf_kernels
from runout.cfr.cfr_kernels import EVALUATE, LEARN, RESPOND, LearningTables, Step
from runout.cfr.schedules import VARIANTS, DiscountWeights
from runout.cfr.team import split_tree
from runout.trees.layout import LEAF, layout_tree, own_reach_rows
from tests.reference import cfr as reference
from tests.samples.random_games import random_tree

NUM_HANDS = 37  # fills no whole number of SIMD lanes
TREES = [random_tree(seed) for seed in range(4)]
WEIGHTS = DiscountWeights(0.75, 0.5, 0.8)


def whole(tree):
    """The span of all nodes."""
    (span,) = split_tree(tree, 1).subtrees
    return span


every_tree = pytest.mark.parametrize("tree", TREES, ids=range(len(TREES)))
both_players = pytest.mark.parametrize("player", [0, 1])
both_dtypes = pytest.mark.parametrize("dtype", [np.float32, np.float64])


def random_table(tree, dtype=np.float64, seed=0):
    return np.random.default_rng(seed).normal(size=(tree.num_nodes, NUM_HANDS)).astype(dtype)


def random_strategy(tree, dtype=np.float64):
    strategy = np.zeros((tree.num_nodes, NUM_HANDS), dtype)
    for player in (0, 1):
        cfr_kernels.match_regrets(tree, player, random_table(tree, dtype), whole(tree), strategy)
    return strategy


def typed(weights, dtype):
    return DiscountWeights(*(dtype(weight) for weight in weights))


def judge(tree, player, mode, strategy, span, value):
    """Pulls values up without learning anything, and without looking at reach."""
    nothing = np.zeros_like(value)
    step = Step(mode, *typed(WEIGHTS, value.dtype.type))
    tables = LearningTables(nothing, nothing, strategy)
    row = own_reach_rows(tree, player)
    cfr_kernels.pull_values(tree, player, step, row, nothing, span, tables, value)
    assert not nothing.any()


def actions_of(tree, player):
    return np.array([n for n in range(1, tree.num_nodes) if tree.actor[tree.parent[n]] == player])


def tolerance(dtype):
    return {"rtol": 1e-5, "atol": 1e-6} if dtype == np.float32 else {"rtol": 1e-12, "atol": 1e-13}


def test_trees_have_one_to_five_actions():
    for tree in TREES:
        assert {1, 2, 3, 4, 5} <= set(tree.num_children.tolist())


@both_dtypes
@both_players
@every_tree
def test_regret_matching_matches_its_twin(tree, player, dtype):
    regret = random_table(tree, dtype)
    regret[:, 5] = -1.0
    strategy = np.full(regret.shape, 7.0, dtype)
    cfr_kernels.match_regrets(tree, player, regret, whole(tree), strategy)
    own = actions_of(tree, player)
    expected = reference.match_regrets(tree, player, regret)
    np.testing.assert_allclose(strategy[own], expected[own], **tolerance(dtype))
    others = np.setdiff1d(np.arange(tree.num_nodes), own)
    np.testing.assert_array_equal(strategy[others], 7.0)


@both_dtypes
@pytest.mark.parametrize("regret", [0.0, -1.0, -1e30, 1e-42])
def test_without_a_regret_worth_the_name_all_actions_are_equally_likely(regret, dtype):
    """A denormal total, whose reciprocal is infinite, once made every strategy NaN."""
    tree = layout_tree("root", lambda node: (0, list("abcde")) if node == "root" else (LEAF, []))[0]
    source = np.full((6, NUM_HANDS), regret, dtype)
    source[1] = min(regret, 0.0)
    strategy = np.zeros_like(source)
    cfr_kernels.match_regrets(tree, 0, source, whole(tree), strategy)
    np.testing.assert_array_equal(strategy[1:], dtype(0.2))


@both_dtypes
def test_probabilities_of_each_decision_sum_to_one(dtype):
    tree = TREES[0]
    strategy = random_strategy(tree, dtype)
    for node in np.flatnonzero(tree.actor != LEAF):
        total = strategy[list(tree.children(node))].sum(axis=0)
        np.testing.assert_allclose(total, 1.0, rtol=1e-6)


@both_players
@every_tree
def test_regret_matching_returns_the_largest_change(tree, player):
    strategy = random_strategy(tree)
    before = strategy.copy()
    change = cfr_kernels.match_regrets(
        tree, player, random_table(tree, seed=1), whole(tree), strategy
    )
    assert change == np.abs(strategy - before).max()
    assert (
        cfr_kernels.match_regrets(tree, player, random_table(tree, seed=1), whole(tree), strategy)
        == 0.0
    )


@both_dtypes
@both_players
@every_tree
def test_reach_matches_its_twin(tree, player, dtype):
    strategy, row = random_strategy(tree, dtype), own_reach_rows(tree, player)
    reach = np.full((row.max() + 1, NUM_HANDS), np.nan, dtype)
    reach[0] = np.linspace(0.0, 1.0, NUM_HANDS)
    cfr_kernels.propagate_reach(tree, player, row, strategy, whole(tree), reach)
    for node in range(tree.num_nodes):
        expected = reference.own_reach(tree, player, strategy, reach[0], node)
        np.testing.assert_allclose(reach[row[node]], expected, **tolerance(dtype))


@both_dtypes
@both_players
@every_tree
def test_values_match_their_twin(tree, player, dtype):
    strategy, leaf_value = random_strategy(tree, dtype), random_table(tree, dtype)
    value = leaf_value.copy()
    judge(tree, player, EVALUATE, strategy, whole(tree), value)
    for node in range(tree.num_nodes):
        expected = reference.node_value(
            tree, player, leaf_value, node, reference.mixing(strategy.astype(np.float64))
        )
        np.testing.assert_allclose(value[node], expected, **tolerance(dtype))


@both_dtypes
@both_players
@every_tree
def test_best_response_matches_its_twin(tree, player, dtype):
    leaf_value = random_table(tree, dtype)
    value = leaf_value.copy()
    judge(tree, player, RESPOND, value, whole(tree), value)
    for node in range(tree.num_nodes):
        expected = reference.node_value(tree, player, leaf_value, node, reference.maximizing)
        np.testing.assert_allclose(value[node], expected, **tolerance(dtype))


@both_dtypes
@both_players
@every_tree
@pytest.mark.parametrize(
    "weights", [WEIGHTS, *(schedule.weights(3) for schedule in VARIANTS.values())]
)
def test_an_update_matches_its_twin(tree, player, dtype, weights):
    strategy, leaf_value = random_strategy(tree, dtype), random_table(tree, dtype)
    regret, strategy_sum = random_table(tree, dtype, 1), np.abs(random_table(tree, dtype, 2))
    row = own_reach_rows(tree, player)
    reach = np.zeros((row.max() + 1, NUM_HANDS), dtype)
    reach[0] = np.linspace(0.0, 1.0, NUM_HANDS)
    cfr_kernels.propagate_reach(tree, player, row, strategy, whole(tree), reach)
    expected = reference.update_tables(
        tree, player, regret, strategy_sum, strategy, reach[0], leaf_value, weights
    )
    tables, value = LearningTables(regret, strategy_sum, strategy.copy()), leaf_value.copy()
    step = Step(LEARN, *typed(weights, dtype))
    cfr_kernels.pull_values(tree, player, step, row, reach, whole(tree), tables, value)
    np.testing.assert_allclose(regret, expected[0], **tolerance(dtype))
    np.testing.assert_allclose(strategy_sum, expected[1], **tolerance(dtype))
    np.testing.assert_array_equal(tables.strategy, strategy)
    root_value = reference.node_value(tree, player, leaf_value, 0, reference.mixing(strategy))
    np.testing.assert_allclose(value[0], root_value, **tolerance(dtype))


@both_dtypes
@both_players
@pytest.mark.parametrize("num_parts", [2, 3, 7])
def test_a_tree_in_parts_gives_the_bits_of_the_tree_at_once(num_parts, player, dtype):
    tree = TREES[0]
    row, weights = own_reach_rows(tree, player), typed(WEIGHTS, dtype)

    def run(top, subtrees):
        strategy, regret = random_strategy(tree, dtype), random_table(tree, dtype, 1)
        strategy_sum, value = np.abs(random_table(tree, dtype, 2)), random_table(tree, dtype, 3)
        best, mixed = value.copy(), value.copy()
        reach = np.zeros((row.max() + 1, NUM_HANDS), dtype)
        reach[0] = np.linspace(0.0, 1.0, NUM_HANDS)
        tables, step = LearningTables(regret, strategy_sum, strategy), Step(LEARN, *weights)
        changes = []
        for span in (*top, *subtrees):
            changes.append(cfr_kernels.match_regrets(tree, player, regret, span, strategy))
            cfr_kernels.propagate_reach(tree, player, row, strategy, span, reach)
        for span in (*subtrees, *top):
            cfr_kernels.pull_values(tree, player, step, row, reach, span, tables, value)
            judge(tree, player, EVALUATE, strategy, span, mixed)
            judge(tree, player, RESPOND, strategy, span, best)
        return [strategy, reach, regret, strategy_sum, value, mixed, best, max(changes)]

    for at_once, in_parts in zip(
        run(*split_tree(tree, 1)), run(*split_tree(tree, num_parts)), strict=True
    ):
        np.testing.assert_array_equal(at_once, in_parts)


def test_nodes_outside_the_span_are_left_alone():
    tree = TREES[0]
    _, (first, *_) = split_tree(tree, 2)
    strategy = np.full((tree.num_nodes, NUM_HANDS), 7.0)
    cfr_kernels.match_regrets(tree, 0, random_table(tree), first, strategy)
    value = np.full((tree.num_nodes, NUM_HANDS), 7.0)
    judge(tree, 0, EVALUATE, strategy, first, value)
    inside = {
        node
        for begin, end in zip(first.begin, first.end, strict=True)
        for node in range(begin, end)
    }
    below = {child for node in inside for child in tree.children(node)}
    assert set(np.flatnonzero((value != 7.0).any(axis=1))) <= inside
    assert set(np.flatnonzero((strategy != 7.0).any(axis=1))) <= below


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_scattered_rows_are_scaled_and_the_others_left_alone(dtype):
    padded = np.arange(14.0).astype(dtype).reshape(2, 7)
    source = padded[:, :5]
    value = np.full((6, 5), 7.0, dtype)
    position, node = np.array([1, 0, 1]), np.array([5, 2, 0])
    scale = np.array([2.0, -1.0, 0.5], dtype)
    leaf_kernels.scatter_scaled_rows(padded, position, scale, node, value)
    expected = np.full((6, 5), 7.0)
    expected[5], expected[2], expected[0] = 2.0 * source[1], -source[0], 0.5 * source[1]
    np.testing.assert_array_equal(value, expected)
