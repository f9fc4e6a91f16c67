import numpy as np

from runout.cfr.schedules import StoppingRule
from runout.trees.tree import PreflopTree
from tests.samples.preflop_games import raw_solver
from tests.samples.preflop_rules import push_fold_rules

TREE = PreflopTree.build(push_fold_rules(10.0))
RULE = StoppingRule(30, check_every=7)


def test_snapshots_come_in_time_and_change_nothing():
    snapshots = []
    watched = raw_solver(TREE).solve(RULE, on_snapshot=snapshots.append, snapshot_every=10)
    alone = raw_solver(TREE).solve(RULE)
    np.testing.assert_array_equal(watched.strategy, alone.strategy)
    assert [snapshot.report.iterations for snapshot in snapshots] == [10, 20, 30]
    exploitability = [snapshot.report.exploitability_mbb for snapshot in snapshots]
    assert exploitability == sorted(exploitability, reverse=True)
    np.testing.assert_array_equal(snapshots[-1].strategy, watched.strategy)


def test_without_an_interval_there_are_no_snapshots():
    snapshots = []
    raw_solver(TREE).solve(RULE, on_snapshot=snapshots.append)
    assert snapshots == []
