from threading import Lock

import numpy as np
import pytest

from runout.cards.card import format_cards, parse_board
from runout.cfr import parallel
from runout.cfr.parallel import one_blas_thread
from runout.cfr.stopping import SolveProgress, StoppingRule
from runout.errors import ExecutionError
from runout.events import FlopSolved, FlopSolving
from runout.postflop.backend import FlopSolution
from runout.postflop.exhaustive.exhaustive import ExhaustiveBackend
from runout.postflop.flop_game import FlopGame
from runout.postflop.flop_tasks import SolveRun, solve_flops
from runout.results.solve_report import ExploitabilityMeaning, FlopReport
from runout.storage.checkpoint import CheckpointDirectory
from tests.cfr.test_parallel import blas_threads
from tests.postflop.toy_flops import make_tree, small_tree

NAMES = ["AsKhQd", "9s6s2s", "Kh7s2d", "Td9d2s", "5s5h5d"]
FLOPS = [parse_board(name) for name in NAMES]
TREES = [make_tree(1.0, (1.0,), 0), make_tree(2.0, (1.0,), 0)]


class FakeBackend:
    """Notes what it is asked for; the value of a flop is the sum of its cards plus the ratio."""

    cells_per_node = 169

    def __init__(self, failing=None):
        self.failing = failing
        self.solved = []
        self.team_sizes = set()
        self.blas_threads = set()
        self._lock = Lock()

    def solve(self, game, tree, on_progress, team):
        name = format_cards(game.flop)
        with self._lock:
            self.solved.append((name, tree.stakes.spr))
            self.team_sizes.add(team.num_workers)
            self.blas_threads |= set(blas_threads())
        if name == self.failing:
            raise ZeroDivisionError("bad luck")
        on_progress(SolveProgress(1, 2, 0.1, 0.5, None))
        on_progress(SolveProgress(2, 2, 0.2, 0.25, 0.01))
        value = np.full((2, 169, 169), value_of(game.flop, tree), np.float32)
        report = FlopReport(2, 0.01 * tree.stakes.spr, 0.25, 0.2, 7, ExploitabilityMeaning.OWN_GAME)
        return FlopSolution(np.zeros((tree.num_nodes, 169), np.float32), value, report)


def value_of(flop, tree):
    return sum(flop) + tree.stakes.spr


def remember(store):
    """Returns a recall that keeps results in a dictionary."""

    def recall(key, compute):
        if key not in store:
            store[key] = dict(compute())
        return store[key]

    return recall


@pytest.mark.parametrize("num_workers", [1, 2, 3])
def test_results_come_in_the_order_of_the_flops_with_all_ratios(num_workers):
    results = list(solve_flops(FLOPS, TREES, FakeBackend(), SolveRun(num_workers)))
    assert len(results) == len(FLOPS)
    for flop, result in zip(FLOPS, results, strict=True):
        assert result.value_pot.shape == (2, 2, 169, 169)
        for number, tree in enumerate(TREES):
            assert (result.value_pot[number] == value_of(flop, tree)).all()
        assert result.reports == [
            FlopReport(2, 0.01 * tree.stakes.spr, 0.25, 0.2, 7, ExploitabilityMeaning.OWN_GAME)
            for tree in TREES
        ]


def test_each_flop_is_solved_once_at_each_ratio():
    backend = FakeBackend()
    list(solve_flops(FLOPS, TREES, backend, SolveRun(1)))
    assert backend.solved == [(name, tree.stakes.spr) for name in NAMES for tree in TREES]


def test_finished_flops_are_not_solved_again():
    store = {}
    before = list(solve_flops(FLOPS[:2], TREES, FakeBackend(), SolveRun(1, recall=remember(store))))
    backend = FakeBackend()
    results = list(solve_flops(FLOPS, TREES, backend, SolveRun(1, recall=remember(store))))
    assert {name for name, _ in backend.solved} == set(NAMES[2:])
    assert len(results) == len(FLOPS)
    for one, other in zip(before, results, strict=False):
        np.testing.assert_array_equal(one.value_pot, other.value_pot)
        assert one.reports == other.reports


def test_a_checkpoint_on_disk_recalls_flops_of_an_interrupted_run(tmp_path):
    checkpoint = CheckpointDirectory(tmp_path / "tasks", run_digest="0" * 64)

    def recall(key, compute):
        if not checkpoint.has(key):
            checkpoint.save(key, compute())
        return checkpoint.load(key)

    backend = ExhaustiveBackend(StoppingRule(3))
    run = SolveRun(1, recall=recall)
    interrupted = solve_flops(FLOPS, [small_tree()], backend, run)
    first = next(interrupted)
    interrupted.close()
    assert NAMES[0] in checkpoint.keys()
    results = list(solve_flops(FLOPS, [small_tree()], backend, run))
    np.testing.assert_array_equal(results[0].value_pot, first.value_pot)
    assert results[0].reports == first.reports
    undisturbed = list(solve_flops(FLOPS, [small_tree()], backend, SolveRun(1)))
    for one, other in zip(results, undisturbed, strict=True):
        np.testing.assert_array_equal(one.value_pot, other.value_pot)


@pytest.mark.parametrize("num_workers", [1, 2])
def test_a_failing_flop_is_told_at_the_end_and_the_others_are_kept(num_workers):
    store, results = {}, []
    run = SolveRun(num_workers, recall=remember(store))
    with pytest.raises(ExecutionError) as caught:
        results.extend(solve_flops(FLOPS, TREES, FakeBackend(failing="Kh7s2d"), run))
    assert str(caught.value) == (
        f"1 of {len(FLOPS)} flops failed: Kh7s2d: ZeroDivisionError('bad luck'); "
        f"the other {len(FLOPS) - 1} are solved"
    )
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert len(results) == len(FLOPS) - 1
    assert store.keys() == set(NAMES) - {"Kh7s2d"}


def test_progress_of_every_solve_is_told_with_flop_and_ratio():
    events = []
    list(solve_flops(FLOPS[:2], TREES, FakeBackend(), SolveRun(1, events.append)))
    solving = [event for event in events if isinstance(event, FlopSolving)]
    assert [(event.flop, event.spr, event.iteration) for event in solving] == [
        (name, tree.stakes.spr, iteration)
        for name in NAMES[:2]
        for tree in TREES
        for iteration in (1, 2)
    ]
    assert solving[0] == FlopSolving("AsKhQd", 1.0, 1, 2, None, 0.5)
    assert solving[3] == FlopSolving("AsKhQd", 2.0, 2, 2, 0.01, 0.25)


@pytest.mark.parametrize("num_workers", [1, 2])
def test_each_solved_flop_is_told_in_order_with_its_worst_ratio(num_workers):
    events = []
    list(solve_flops(FLOPS, TREES, FakeBackend(), SolveRun(num_workers, events.append)))
    solved = [event for event in events if isinstance(event, FlopSolved)]
    assert solved == [
        FlopSolved(name, number + 1, len(NAMES), 0.02, 0.4) for number, name in enumerate(NAMES)
    ]


def test_recalled_flops_are_told_as_well():
    store, events = {}, []
    list(solve_flops(FLOPS, TREES, FakeBackend(), SolveRun(1, recall=remember(store))))
    list(solve_flops(FLOPS, TREES, FakeBackend(), SolveRun(1, events.append, remember(store))))
    assert [event.flop for event in events] == NAMES
    assert all(isinstance(event, FlopSolved) for event in events)


@pytest.mark.parametrize("num_workers", [2, 3])
def test_workers_change_no_bit_whether_across_or_within_flops(num_workers, monkeypatch):
    backend, trees = ExhaustiveBackend(StoppingRule(4)), [make_tree(3.5), small_tree()]
    alone = list(solve_flops(FLOPS, trees, backend, SolveRun(1)))
    across = list(solve_flops(FLOPS, trees, backend, SolveRun(num_workers)))
    monkeypatch.setattr(parallel, "MIN_CELLS_PER_WORKER", 1)
    within = [
        result
        for flop in FLOPS
        for result in solve_flops([flop], trees, backend, SolveRun(num_workers))
    ]
    for one, two, three in zip(alone, across, within, strict=True):
        np.testing.assert_array_equal(one.value_pot, two.value_pot)
        np.testing.assert_array_equal(one.value_pot, three.value_pot)
        exploitabilities = [
            [report.exploitability_pot for report in result.reports] for result in (one, two, three)
        ]
        assert exploitabilities[0] == exploitabilities[1] == exploitabilities[2]


def test_workers_go_across_many_flops_and_into_a_single_large_one(monkeypatch):
    many = FakeBackend()
    list(solve_flops(FLOPS, TREES, many, SolveRun(4)))
    assert many.team_sizes == {1}
    monkeypatch.setattr(parallel, "MIN_CELLS_PER_WORKER", 1)
    single = FakeBackend()
    list(solve_flops(FLOPS[:1], TREES, single, SolveRun(4)))
    assert single.team_sizes == {4}


def test_the_linear_algebra_library_starts_no_threads_of_its_own():
    backend = FakeBackend()
    list(solve_flops(FLOPS, TREES, backend, SolveRun(2)))
    assert backend.blas_threads == {1}


def test_blas_threads_are_given_back_when_the_caller_stops_early():
    with one_blas_thread():
        before = blas_threads()
        results = solve_flops(FLOPS, TREES, FakeBackend(), SolveRun(2))
        next(results)
        results.close()
        assert blas_threads() == before


def test_ranges_reach_the_game_of_every_flop():
    ranges = np.random.default_rng(0).random((2, 169))
    shares = []

    class Backend(FakeBackend):
        def solve(self, game, tree, on_progress, team):
            shares.append(game.matchup_share)
            return super().solve(game, tree, on_progress, team)

    list(solve_flops(FLOPS[:2], TREES[:1], Backend(), SolveRun(1), ranges))
    for flop, share in zip(FLOPS[:2], shares, strict=True):
        np.testing.assert_array_equal(share, FlopGame.deal(flop, ranges).matchup_share)


def test_worker_count_must_be_positive():
    with pytest.raises(ExecutionError, match="workers: 0 is not a positive number"):
        list(solve_flops(FLOPS, TREES, FakeBackend(), SolveRun(0)))
