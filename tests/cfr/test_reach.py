import numpy as np

from runout.cfr.reach import own_reach, own_reach_rows
from tests.cfr.random_games import random_tree
from tests.games import kuhn
from tests.reference import cfr as reference


def test_a_row_begins_after_each_own_action_only():
    row = own_reach_rows(kuhn.TREE, 0)
    for history, before in {"pp": "p", "pb": "p", "bp": "b", "bb": "b"}.items():
        assert row[kuhn.NODE[history]] == row[kuhn.NODE[before]]
    distinct = [row[kuhn.NODE[history]] for history in ("", "p", "b", "pbp", "pbb")]
    assert sorted(distinct) == [0, 1, 2, 3, 4]


def test_reach_matches_its_twin():
    for seed in range(4):
        tree = random_tree(seed)
        strategy = np.random.default_rng(seed).random((tree.num_nodes, 3))
        for player in (0, 1):
            found = own_reach(tree, strategy, player)
            for node in range(tree.num_nodes):
                expected = reference.own_reach(tree, player, strategy, np.ones(3), node)
                np.testing.assert_allclose(found[node], expected)
