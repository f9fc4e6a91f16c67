"""Tests of `runout.cfr.team`."""

from threading import Barrier, get_ident

import pytest

from runout.cfr.team import (
    MIN_CELLS_PER_WORKER,
    Team,
    split_tree,
)
from runout.execution.pool import WorkerPool
from runout.trees.betting import BettingRules
from runout.trees.tree import PostflopTree
from tests.games.kuhn import TREE as KUHN_TREE

HUGE = 100 * MIN_CELLS_PER_WORKER
SMALL = MIN_CELLS_PER_WORKER // 2


def test_a_team_of_a_pool_is_as_large_as_the_pool_has_free_threads():
    pool = WorkerPool(3)
    team = Team(2, pool)
    assert team.num_ready == 2
    assert Team(8, pool).num_ready == 4  # the caller is none of the pool's threads

    def look(_):
        both_are_running.wait()
        ready = Team(8, pool).num_ready
        both_are_running.wait()
        return ready

    both_are_running = Barrier(2, timeout=600.0)
    futures = [pool.begin(look, number) for number in range(2)]
    assert [future.result() for future in futures] == [2, 2]


def test_a_small_solve_takes_a_part_of_a_team_and_of_its_pool():
    pool = WorkerPool(3)
    team = Team(3, pool)
    assert team.for_solve(HUGE).num_workers == 3
    assert Team(8).for_solve(3 * MIN_CELLS_PER_WORKER).num_workers == 3
    assert team.for_solve(2 * MIN_CELLS_PER_WORKER).num_ready == 2
    assert team.for_solve(SMALL).num_ready == 1


@pytest.mark.parametrize("num_workers", [1, 2, 3])
def test_a_team_returns_results_in_the_order_of_the_parts(num_workers):
    assert Team(num_workers).run(lambda part: part * part, range(20)) == [n * n for n in range(20)]


def test_a_team_of_two_works_at_the_same_time():
    both_are_running = Barrier(2, timeout=600.0)
    assert len(Team(2).run(lambda _: both_are_running.wait(), range(2))) == 2


def test_a_team_of_one_works_in_the_callers_thread():
    assert set(Team().run(lambda _: get_ident(), range(3))) == {get_ident()}


def test_a_failure_inside_a_team_reaches_the_caller():
    with pytest.raises(ZeroDivisionError):
        Team(2).run(lambda part: 1 // part, [1, 0])


@pytest.mark.parametrize("num_items", [1, 3, 169, 1326])
@pytest.mark.parametrize("num_workers", [1, 2, 3, 7])
def test_every_item_belongs_to_exactly_one_worker(num_workers, num_items):
    bounds = Team(num_workers).split(num_items)
    assert len(bounds) == num_workers
    assert [item for begin, end in bounds for item in range(begin, end)] == list(range(num_items))
    sizes = [end - begin for begin, end in bounds]
    assert max(sizes) - min(sizes) <= 1


def nodes_of(span):
    return [n for begin, end in zip(*span, strict=True) for n in range(begin, end)]


TREES = {
    "kuhn": KUHN_TREE,
    "small": PostflopTree.build(BettingRules.of([1.0], 0), 1.0).layout,
    "large": PostflopTree.build(BettingRules.of([0.5, 1.0], 2), 6.0).layout,
}


@pytest.mark.parametrize("num_parts", [1, 2, 3, 8])
@pytest.mark.parametrize("name", TREES)
def test_a_divided_tree_has_every_node_once_and_no_part_needs_another(name, num_parts):
    tree = TREES[name]
    top, subtrees = split_tree(tree, num_parts)
    assert len(subtrees) == num_parts
    everything = [node for span in (*top, *subtrees) for node in nodes_of(span)]
    assert sorted(everything) == list(range(tree.num_nodes))
    for span in subtrees:
        inside = set(nodes_of(span))
        assert all(child in inside for node in inside for child in tree.children(node))


@pytest.mark.parametrize("num_parts", [2, 4])
def test_parts_of_a_large_tree_are_about_equal(num_parts):
    top, subtrees = split_tree(TREES["large"], num_parts)
    sizes = [len(nodes_of(span)) for span in subtrees]
    assert max(sizes) < 1.25 * min(sizes)
    assert sum(len(nodes_of(span)) for span in top) < 0.1 * TREES["large"].num_nodes
