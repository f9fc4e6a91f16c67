"""Tests of `runout.cfr.leaves`."""

import numpy as np
import pytest

from runout.cfr import leaves as matrix_leaves
from runout.cfr.cfr_kernels import EVALUATING
from runout.cfr.leaves import LeafGroup, MatrixLeaves, StreetReach
from runout.cfr.team import Team
from runout.trees.layout import LEAF, own_reach_rows
from tests.samples.random_games import random_tree


def test_an_arrival_finds_both_players_reach_of_a_node():
    reach = (np.arange(6.0).reshape(2, 3), np.arange(9.0).reshape(3, 3))
    row = (np.array([0, 0, 1]), np.array([0, 2, 1]))
    arrival = StreetReach(1, EVALUATING, reach, row)
    assert arrival.opponent == 0
    np.testing.assert_array_equal(arrival.reach_of(0, 2), [3, 4, 5])
    np.testing.assert_array_equal(arrival.reach_of(1, 1), [6, 7, 8])


NUM_HANDS = 5
TREE = random_tree(seed=0)
ROWS = (own_reach_rows(TREE, 0), own_reach_rows(TREE, 1))
LEAVES = np.flatnonzero(TREE.actor == LEAF)


def random_groups(seed=0):
    """Returns two groups that divide the leaves between them at random."""
    rng = np.random.default_rng(seed)
    is_first = rng.random(len(LEAVES)) < 0.5
    return [
        LeafGroup(rng.normal(size=(NUM_HANDS, NUM_HANDS)), nodes, rng.normal(size=len(nodes)))
        for nodes in (LEAVES[is_first], LEAVES[~is_first])
    ]


def random_arrival(player, dtype=np.float64):
    rng = np.random.default_rng(3)
    reach = tuple(rng.random((row.max() + 1, NUM_HANDS)).astype(dtype) for row in ROWS)
    return StreetReach(player, EVALUATING, reach, ROWS)


def expected_values(groups, arrival):
    """Returns ``[N, H]`` by three loops: over leaves, own hands and the opponent's hands."""
    value = np.full((TREE.num_nodes, NUM_HANDS), 7.0)
    for group in groups:
        for node, stake in zip(group.node, group.stake, strict=True):
            reach = arrival.reach_of(arrival.opponent, node)
            for hand in range(NUM_HANDS):
                wins = group.payoff[hand] if arrival.player == 0 else -group.payoff[:, hand]
                value[node, hand] = stake * sum(r * w for r, w in zip(reach, wins, strict=True))
    return value


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("rows_per_block", [1, 3, 256])
def test_leaves_are_worth_what_loops_over_hands_say(player, rows_per_block, monkeypatch):
    monkeypatch.setattr(matrix_leaves, "_ROWS_PER_BLOCK", rows_per_block)
    groups, arrival = random_groups(), random_arrival(player)
    value = np.full((TREE.num_nodes, NUM_HANDS), 7.0)
    MatrixLeaves(TREE, groups).fill_leaf_values(arrival, value)
    np.testing.assert_allclose(value, expected_values(groups, arrival), rtol=1e-12)
    is_decision = TREE.actor != LEAF
    assert (value[is_decision] == 7.0).all()


def test_what_one_player_wins_the_other_loses():
    leaves = MatrixLeaves(TREE, random_groups())
    total = np.zeros(len(LEAVES))
    for player in (0, 1):
        arrival = random_arrival(player)
        value = np.zeros((TREE.num_nodes, NUM_HANDS))
        leaves.fill_leaf_values(arrival, value)
        own_reach = arrival.reach[player][ROWS[player][LEAVES]]
        total += (own_reach * value[LEAVES]).sum(axis=1)
    np.testing.assert_allclose(total, 0.0, atol=1e-12)


@pytest.mark.parametrize("num_workers", [2, 3])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_workers_change_no_bit(num_workers, dtype, monkeypatch):
    monkeypatch.setattr(matrix_leaves, "_ROWS_PER_BLOCK", 2)
    arrival = random_arrival(1, dtype=dtype)
    alone, together = np.zeros((2, TREE.num_nodes, NUM_HANDS), dtype)
    MatrixLeaves(TREE, random_groups(), dtype).fill_leaf_values(arrival, alone)
    team = Team(num_workers)
    MatrixLeaves(TREE, random_groups(), dtype, team).fill_leaf_values(arrival, together)
    np.testing.assert_array_equal(alone, together)


@pytest.mark.parametrize("player", [0, 1])
def test_a_replaced_payoff_counts_for_both_players_and_one_group(player):
    groups = random_groups()
    leaves = MatrixLeaves(TREE, groups)
    other = np.random.default_rng(9).normal(size=(NUM_HANDS, NUM_HANDS))
    leaves.replace_payoff(1, other)
    value = np.full((TREE.num_nodes, NUM_HANDS), 7.0)
    leaves.fill_leaf_values(random_arrival(player), value)
    replaced = [groups[0], LeafGroup(other, groups[1].node, groups[1].stake)]
    np.testing.assert_allclose(value, expected_values(replaced, random_arrival(player)))


def test_a_payoff_given_is_not_changed_by_a_replacement():
    groups = random_groups()
    before = groups[0].payoff.copy()
    MatrixLeaves(TREE, groups).replace_payoff(0, np.zeros((NUM_HANDS, NUM_HANDS)))
    np.testing.assert_array_equal(groups[0].payoff, before)


def test_a_group_may_be_empty():
    empty = LeafGroup(np.ones((NUM_HANDS, NUM_HANDS)), np.zeros(0, np.int64), np.zeros(0))
    groups = [*random_groups(), empty]
    value = np.full((TREE.num_nodes, NUM_HANDS), 7.0)
    MatrixLeaves(TREE, groups).fill_leaf_values(random_arrival(0), value)
    np.testing.assert_allclose(value, expected_values(groups, random_arrival(0)))


def test_there_is_no_later_street_to_refresh():
    assert MatrixLeaves(TREE, random_groups()).refresh(0) == 0.0
