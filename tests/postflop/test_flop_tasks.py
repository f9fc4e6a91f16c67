import time
from threading import Barrier, Lock

import numpy as np
import pytest

from runout.cards.card import format_cards, parse_board
from runout.cards.flops import explicit_flops
from runout.cards.isomorphism import suit_stabilizer
from runout.cfr import parallel
from runout.cfr.stopping import SolveProgress, StoppingRule, StopReason
from runout.errors import ExecutionError
from runout.events import FlopFailed, FlopSolved, FlopSolving, Phase, reporting_phase
from runout.execution.cancel import CancelledError, CancelToken
from runout.execution.workplace import Workplace
from runout.postflop.backend import FlopNeeds, FlopSolution
from runout.postflop.exhaustive.exhaustive import ExhaustiveBackend
from runout.postflop.flop_game import FlopGame
from runout.postflop.flop_tasks import FlopJob, solve_flops
from runout.results.solve_report import ExploitabilityMeaning, FlopReport
from runout.storage.ledger import Ledger
from tests.event_streams import check_stream
from tests.postflop.toy_flops import make_tree, small_tree

NAMES = ["AsKhQd", "Kd7h2c", "Td9d2s", "9s6s2s", "5s5h5d"]  # the longest first
FLOPS = explicit_flops(NAMES)
CANONICAL = [format_cards(flop) for flop in FLOPS.flops]
TREES = [make_tree(1.0, (1.0,), 0), make_tree(2.0, (1.0,), 0)]


class FakeBackend:
    """Notes what it is asked for; the value of a flop is the sum of its cards plus the ratio."""

    meaning = ExploitabilityMeaning.OWN_GAME

    def __init__(self, failing=None):
        self.failing = failing
        self.solved = []
        self.team_sizes = set()
        self._lock = Lock()

    def solve(self, game, tree, on_progress, team):
        name = format_cards(game.flop)
        with self._lock:
            self.solved.append((name, tree.stakes.spr))
            self.team_sizes.add(team.num_workers)
        if name == self.failing:
            raise ZeroDivisionError("bad luck")
        with reporting_phase(on_progress, Phase.SOLVING, 2):
            on_progress(SolveProgress(1, 2, 0.1, 0.5, None))
            reason = StopReason.EXPLOITABILITY
            on_progress(SolveProgress(2, 2, 0.2, 0.25, 0.01, stop_reason=reason))
        value = np.full((2, 169, 169), value_of(game.flop, tree), np.float32)
        report = FlopReport(2, 0.01 * tree.stakes.spr, 0.25, 0.2, 7, self.meaning)
        return FlopSolution(np.zeros((tree.num_nodes, 169), np.float32), value, report)

    def estimate(self, flop, tree, num_workers):
        return FlopNeeds(1.0, 0)


def value_of(flop, tree):
    return sum(flop) + tree.stakes.spr


def solve_all(backend=None, workplace=None, flops=FLOPS, trees=TREES):
    """Returns the results in the order of the flops."""
    job = FlopJob(trees, backend or FakeBackend())
    results = list(solve_flops(flops, job, workplace or Workplace(1)))
    return sorted(results, key=lambda result: result.flop_index)


@pytest.mark.parametrize("num_workers", [1, 2, 3])
def test_every_flop_has_a_result_with_all_ratios(num_workers):
    results = solve_all(workplace=Workplace(num_workers))
    assert [result.flop_index for result in results] == list(range(len(FLOPS)))
    for flop, result in zip(FLOPS.flops, results, strict=True):
        assert result.value_pot.shape == (2, 2, 169, 169)
        for number, tree in enumerate(TREES):
            assert (result.value_pot[number] == value_of(flop, tree)).all()
        assert result.reports == [
            FlopReport(2, 0.01 * tree.stakes.spr, 0.25, 0.2, 7, ExploitabilityMeaning.OWN_GAME)
            for tree in TREES
        ]


def test_each_flop_is_solved_once_at_each_ratio():
    backend = FakeBackend()
    solve_all(backend)
    assert backend.solved == [(name, tree.stakes.spr) for name in CANONICAL for tree in TREES]


def test_flops_with_most_different_runouts_are_solved_first():
    backend = FakeBackend()
    solve_all(backend, flops=explicit_flops(NAMES[::-1]), trees=TREES[:1])
    num_symmetries = [len(suit_stabilizer(parse_board(name))) for name, _ in backend.solved]
    assert num_symmetries == sorted(num_symmetries)
    assert num_symmetries[0] < num_symmetries[-1]


def keys_in(directory):
    return {entry.id.key for entry in Ledger(directory).entries()}


def test_finished_flops_are_not_solved_again(tmp_path):
    workplace = Workplace(1, checkpoints=tmp_path)
    before = solve_all(workplace=workplace, flops=explicit_flops(NAMES[:2]))
    backend = FakeBackend()
    results = solve_all(backend, workplace)
    assert {name for name, _ in backend.solved} == set(CANONICAL[2:])
    assert len(results) == len(FLOPS)
    for one, other in zip(before, results, strict=False):
        np.testing.assert_array_equal(one.value_pot, other.value_pot)
        assert one.reports == other.reports


def test_a_ledger_recalls_flops_of_an_interrupted_run(tmp_path):
    job = FlopJob([small_tree()], ExhaustiveBackend(StoppingRule(3)))
    workplace = Workplace(1, checkpoints=tmp_path)
    interrupted = solve_flops(FLOPS, job, workplace)
    first = next(interrupted)
    interrupted.close()
    assert CANONICAL[first.flop_index] in keys_in(tmp_path)
    results = solve_all(job.backend, workplace, trees=job.trees)
    np.testing.assert_array_equal(results[first.flop_index].value_pot, first.value_pot)
    assert results[first.flop_index].reports == first.reports
    undisturbed = solve_all(job.backend, trees=job.trees)
    for one, other in zip(results, undisturbed, strict=True):
        np.testing.assert_array_equal(one.value_pot, other.value_pot)


def test_a_result_has_the_same_digest_whenever_it_is_computed(tmp_path):
    backend, trees = ExhaustiveBackend(StoppingRule(3)), [small_tree()]
    digests = []
    for number in range(2):
        workplace = Workplace(1 + number, checkpoints=tmp_path / str(number))
        solve_all(backend, workplace, explicit_flops(NAMES[:2]), trees)
        entries = Ledger(workplace.checkpoints).entries()
        digests.append({entry.id: entry.sha256 for entry in entries})
    assert len(digests[0]) == 2
    assert digests[0] == digests[1]


def test_a_cancelled_solve_ends_after_its_iteration_and_keeps_nothing(tmp_path):
    cancel, iterations = CancelToken(), []

    def on_event(event):
        if isinstance(event, FlopSolving):
            iterations.append(event.iteration)
            cancel.set()

    workplace = Workplace(1, on_event, tmp_path, cancel=cancel)
    with pytest.raises(CancelledError):
        solve_all(ExhaustiveBackend(StoppingRule(1_000)), workplace, trees=[small_tree()])
    assert iterations == [1]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("num_workers", [1, 2])
def test_a_failing_flop_is_told_at_the_end_and_the_others_are_kept(tmp_path, num_workers):
    results, events = [], []
    workplace = Workplace(num_workers, events.append, tmp_path)
    failing = CANONICAL[1]
    with pytest.raises(ExecutionError) as caught:
        results.extend(solve_flops(FLOPS, FlopJob(TREES, FakeBackend(failing=failing)), workplace))
    assert str(caught.value) == (
        f"1 of {len(FLOPS)} flops failed: {NAMES[1]}: ZeroDivisionError('bad luck'); "
        f"the other {len(FLOPS) - 1} are solved"
    )
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert len(results) == len(FLOPS) - 1
    assert keys_in(tmp_path) == set(CANONICAL) - {failing}
    assert FlopFailed(NAMES[1], "ZeroDivisionError('bad luck')") in events
    check_stream(events)


def test_progress_of_every_solve_is_told_with_flop_and_ratio():
    events = []
    solve_all(workplace=Workplace(1, events.append), flops=explicit_flops(NAMES[:2]))
    solving = [event for event in events if isinstance(event, FlopSolving)]
    assert [(event.flop, event.spr, event.iteration) for event in solving] == [
        (name, tree.stakes.spr, iteration)
        for name in NAMES[:2]
        for tree in TREES
        for iteration in (1, 2)
    ]
    assert solving[0] == FlopSolving("AsKhQd", 1.0, 1, 2, None, 0.5)
    assert solving[3] == FlopSolving("AsKhQd", 2.0, 2, 2, 0.01, 0.25, is_converged=True)


def test_bounds_are_told_as_bounds():
    events = []
    backend = FakeBackend()
    backend.meaning = ExploitabilityMeaning.UPPER_BOUND
    solve_all(backend, Workplace(1, events.append), flops=explicit_flops(NAMES[:1]))
    told = [event for event in events if isinstance(event, FlopSolving | FlopSolved)]
    assert len(told) == 5
    assert all(event.is_upper_bound for event in told)


def test_flops_are_told_as_they_were_given():
    events = []
    solve_all(workplace=Workplace(1, events.append), flops=explicit_flops(["7sAhKd"]))
    assert {e.flop for e in events if isinstance(e, FlopSolving | FlopSolved)} == {"7sAhKd"}
    assert check_stream(events).phases_of("7sAhKd")


@pytest.mark.parametrize("num_workers", [1, 2])
def test_each_solved_flop_is_told_when_it_is_finished_with_its_worst_ratio(num_workers):
    events = []
    solve_all(workplace=Workplace(num_workers, events.append))
    solved = [event for event in events if isinstance(event, FlopSolved)]
    assert {event.flop for event in solved} == set(NAMES)
    assert [event.num_done for event in solved] == [1, 2, 3, 4, 5]
    for event in solved:
        assert event == FlopSolved(event.flop, event.num_done, len(NAMES), 0.02, 0.4)
    check_stream(events)


def test_recalled_flops_are_told_as_well(tmp_path):
    events = []
    solve_all(workplace=Workplace(1, checkpoints=tmp_path))
    solve_all(workplace=Workplace(1, events.append, tmp_path))
    assert [event.flop for event in events if isinstance(event, FlopSolved)] == NAMES
    assert not any(isinstance(event, FlopSolving) for event in events)


@pytest.mark.parametrize("num_workers", [2, 3])
def test_workers_change_no_bit_whether_across_or_within_flops(num_workers, monkeypatch):
    backend, trees = ExhaustiveBackend(StoppingRule(4)), [make_tree(3.5), small_tree()]
    alone = solve_all(backend, Workplace(1), trees=trees)
    across = solve_all(backend, Workplace(num_workers), trees=trees)
    monkeypatch.setattr(parallel, "MIN_CELLS_PER_WORKER", 1)
    both = solve_all(backend, Workplace(num_workers), trees=trees)
    within = [
        result
        for name in NAMES
        for result in solve_all(backend, Workplace(num_workers), explicit_flops([name]), trees)
    ]
    for one, *others in zip(alone, across, both, within, strict=True):
        for other in others:
            np.testing.assert_array_equal(one.value_pot, other.value_pot)
            for report, other_report in zip(one.reports, other.reports, strict=True):
                assert report.exploitability_pot == other_report.exploitability_pot


def test_every_flop_may_use_all_workers():
    backend = FakeBackend()
    solve_all(backend, Workplace(4))
    assert backend.team_sizes == {4}


def test_workers_without_a_flop_help_inside_the_others():
    """Three flops on two workers: while the third is solved, both work on it."""
    num_threads = {}

    class Backend(FakeBackend):
        def solve(self, game, tree, on_progress, team):
            if CANONICAL.index(format_cards(game.flop)) == 2:
                while team.num_ready < 2:  # the other flop is not finished yet
                    time.sleep(0.001)
                together = Barrier(2, timeout=600.0)
                team.run(lambda _: together.wait(), range(2))  # nobody else would free it
                num_threads[game.flop] = team.num_ready
            return super().solve(game, tree, on_progress, team)

    solve_all(Backend(), Workplace(2), explicit_flops(NAMES[:3]), TREES[:1])
    assert list(num_threads.values()) == [2]


def test_ranges_reach_the_game_of_every_flop():
    ranges = np.random.default_rng(0).random((2, 169))
    shares = []

    class Backend(FakeBackend):
        def solve(self, game, tree, on_progress, team):
            shares.append(game.matchup_share)
            return super().solve(game, tree, on_progress, team)

    list(
        solve_flops(explicit_flops(NAMES[:2]), FlopJob(TREES[:1], Backend(), ranges), Workplace(1))
    )
    for flop, share in zip(FLOPS.flops[:2], shares, strict=True):
        np.testing.assert_array_equal(share, FlopGame.deal(flop, ranges).matchup_share)


def test_worker_count_must_be_positive():
    with pytest.raises(ExecutionError, match="workers: 0 is not a positive number"):
        solve_all(workplace=Workplace(0))
