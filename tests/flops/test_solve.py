"""Tests of `runout.flops.solve`."""

import time
from threading import Barrier, Lock

import numpy as np
import pytest

from runout.cards.deck import format_cards, live_combos, parse_board, parse_cards
from runout.cards.flops import explicit_flops, suit_stabilizer
from runout.cards.ranges import Range
from runout.cfr import team as parallel
from runout.cfr.schedules import SolveProgress, StoppingRule, StopReason
from runout.cfr.team import Team
from runout.config.flops import FlopsConfig
from runout.errors import BundleError, ExecutionError
from runout.events import FlopFailed, FlopSolved, FlopSolving, Phase, reporting_phase
from runout.execution.context import RunContext
from runout.execution.pool import count_cores
from runout.execution.tasks import CancelledError, CancelToken
from runout.flops.backend import Cost, FlopGame, FlopSolution
from runout.flops.bucketed import mean_values
from runout.flops.hands import HandBackend
from runout.flops.settings import make_backend
from runout.flops.solve import (
    PostflopPlan,
    SolvedFlop,
    kept_rounds,
    kept_strategy,
    solve_each,
    solve_flops,
)
from runout.holdem.cards import Spot
from runout.holdem.game import CardGame
from runout.solutions.values import ExploitabilityMeaning, FlopReport, ValueBundle
from runout.storage.bundle import read_manifest
from runout.storage.ledger import Ledger
from tests.event_streams import check_stream
from tests.samples.small_buckets import make_buckets_once
from tests.samples.toy_flops import ignore_progress, make_plan, make_tree, small_tree

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
        return Cost(1.0, 0)


def value_of(flop, tree):
    return sum(flop) + tree.stakes.spr


def solve_all(backend=None, context=None, flops=FLOPS, trees=TREES):
    """Returns the results in the order of the flops."""
    plan = make_plan(flops, trees, backend or FakeBackend())
    results = list(solve_each(plan, context or RunContext(1)))
    return sorted(results, key=lambda result: result.flop_index)


@pytest.mark.parametrize("num_workers", [1, 2, 3])
def test_every_flop_has_a_result_with_all_ratios(num_workers):
    results = solve_all(context=RunContext(num_workers))
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
    context = RunContext(1, checkpoints=tmp_path)
    before = solve_all(context=context, flops=explicit_flops(NAMES[:2]))
    backend = FakeBackend()
    results = solve_all(backend, context)
    assert {name for name, _ in backend.solved} == set(CANONICAL[2:])
    assert len(results) == len(FLOPS)
    for one, other in zip(before, results, strict=False):
        np.testing.assert_array_equal(one.value_pot, other.value_pot)
        assert one.reports == other.reports


def test_a_ledger_recalls_flops_of_an_interrupted_run(tmp_path):
    job = make_plan(FLOPS, [small_tree()], HandBackend(StoppingRule(3)))
    context = RunContext(1, checkpoints=tmp_path)
    interrupted = solve_each(job, context)
    first = next(interrupted)
    interrupted.close()
    assert CANONICAL[first.flop_index] in keys_in(tmp_path)
    results = solve_all(job.backend, context, trees=job.trees)
    np.testing.assert_array_equal(results[first.flop_index].value_pot, first.value_pot)
    assert results[first.flop_index].reports == first.reports
    undisturbed = solve_all(job.backend, trees=job.trees)
    for one, other in zip(results, undisturbed, strict=True):
        np.testing.assert_array_equal(one.value_pot, other.value_pot)


def test_a_result_has_the_same_digest_whenever_it_is_computed(tmp_path):
    backend, trees = HandBackend(StoppingRule(3)), [small_tree()]
    digests = []
    for number in range(2):
        context = RunContext(1 + number, checkpoints=tmp_path / str(number))
        solve_all(backend, context, explicit_flops(NAMES[:2]), trees)
        entries = Ledger(context.checkpoints).entries()
        digests.append({entry.id: entry.sha256 for entry in entries})
    assert len(digests[0]) == 2
    assert digests[0] == digests[1]


def test_a_cancelled_solve_ends_after_its_iteration_and_keeps_nothing(tmp_path):
    cancel, iterations = CancelToken(), []

    def on_event(event):
        if isinstance(event, FlopSolving):
            iterations.append(event.iteration)
            cancel.set()

    context = RunContext(1, on_event, tmp_path, cancel=cancel)
    with pytest.raises(CancelledError):
        solve_all(HandBackend(StoppingRule(1_000)), context, trees=[small_tree()])
    assert iterations == [1]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("num_workers", [1, 2])
def test_a_failing_flop_is_told_at_the_end_and_the_others_are_kept(tmp_path, num_workers):
    results, events = [], []
    context = RunContext(num_workers, events.append, tmp_path)
    failing = CANONICAL[1]
    with pytest.raises(ExecutionError) as caught:
        results.extend(solve_each(make_plan(FLOPS, TREES, FakeBackend(failing=failing)), context))
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
    solve_all(context=RunContext(1, events.append), flops=explicit_flops(NAMES[:2]))
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
    solve_all(backend, RunContext(1, events.append), flops=explicit_flops(NAMES[:1]))
    told = [event for event in events if isinstance(event, FlopSolving | FlopSolved)]
    assert len(told) == 5
    assert all(event.is_upper_bound for event in told)


def test_flops_are_told_as_they_were_given():
    events = []
    solve_all(context=RunContext(1, events.append), flops=explicit_flops(["7sAhKd"]))
    assert {e.flop for e in events if isinstance(e, FlopSolving | FlopSolved)} == {"7sAhKd"}
    assert check_stream(events).phases_of("7sAhKd")


@pytest.mark.parametrize("num_workers", [1, 2])
def test_each_solved_flop_is_told_when_it_is_finished_with_its_worst_ratio(num_workers):
    events = []
    solve_all(context=RunContext(num_workers, events.append))
    solved = [event for event in events if isinstance(event, FlopSolved)]
    assert {event.flop for event in solved} == set(NAMES)
    assert [event.num_done for event in solved] == [1, 2, 3, 4, 5]
    for event in solved:
        assert event == FlopSolved(event.flop, event.num_done, len(NAMES), 0.02, 0.4)
    check_stream(events)


def test_recalled_flops_are_told_as_well(tmp_path):
    events = []
    solve_all(context=RunContext(1, checkpoints=tmp_path))
    solve_all(context=RunContext(1, events.append, tmp_path))
    assert [event.flop for event in events if isinstance(event, FlopSolved)] == NAMES
    assert not any(isinstance(event, FlopSolving) for event in events)


@pytest.mark.parametrize("num_workers", [2, 3])
def test_workers_change_no_bit_whether_across_or_within_flops(num_workers, monkeypatch):
    backend, trees = HandBackend(StoppingRule(4)), [make_tree(3.5), small_tree()]
    alone = solve_all(backend, RunContext(1), trees=trees)
    across = solve_all(backend, RunContext(num_workers), trees=trees)
    monkeypatch.setattr(parallel, "MIN_CELLS_PER_WORKER", 1)
    both = solve_all(backend, RunContext(num_workers), trees=trees)
    within = [
        result
        for name in NAMES
        for result in solve_all(backend, RunContext(num_workers), explicit_flops([name]), trees)
    ]
    for one, *others in zip(alone, across, both, within, strict=True):
        for other in others:
            np.testing.assert_array_equal(one.value_pot, other.value_pot)
            for report, other_report in zip(one.reports, other.reports, strict=True):
                assert report.exploitability_pot == other_report.exploitability_pot


def test_every_flop_may_use_all_workers():
    backend = FakeBackend()
    solve_all(backend, RunContext(4))
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

    solve_all(Backend(), RunContext(2), explicit_flops(NAMES[:3]), TREES[:1])
    assert list(num_threads.values()) == [2]


def test_worker_count_must_be_positive():
    with pytest.raises(ExecutionError, match="workers: 0 is not a positive number"):
        solve_all(context=RunContext(0))


CONFIG = FlopsConfig(
    solve_type="exhaustive", fixed_flops=["AhKd7s", "9s8s7s"], postflop_sprs=[1, 4], bet_sizes=[1]
)


def test_a_plan_has_everything_that_will_be_solved():
    plan = PostflopPlan.make(CONFIG, 3)
    assert plan.flops == CONFIG.flop_list()
    assert [tree.stakes.spr for tree in plan.trees] == [1.0, 4.0]
    assert plan.backend == make_backend(CONFIG)
    assert (plan.num_workers, len(plan.flops), len(plan.trees)) == (3, 2, 2)
    assert plan.cost is plan.cost
    assert PostflopPlan.make(CONFIG).num_workers == count_cores()


TINY = {
    "solve_type": "bucketed",
    "fixed_flops": ["9s6s2s", "2s2h2d"],
    "bet_sizes": [1.0],
    "max_raises_per_street": 0,
    "postflop_sprs": 1,
    "postflop_solve_iterations": 2,
    "num_hand_buckets_flop": 5,
    "num_hand_buckets_turn": 5,
    "num_hand_buckets_river": 5,
    "rebucket_rounds": 2,
}


@pytest.mark.slow
def test_a_bucketed_config_gives_the_same_bits_for_one_and_two_workers(monkeypatch):
    make_buckets_once(monkeypatch)
    config = FlopsConfig(**TINY)
    one, two = (solve_flops(config, RunContext(n)).values[0] for n in (1, 2))
    np.testing.assert_array_equal(one.value_pot, two.value_pot)
    can_meet = ~np.isnan(one.value_pot[:, 0])
    total = one.value_pot[:, 0] + one.value_pot[:, 1].swapaxes(1, 2)
    assert (total[can_meet] == 1.0).all()
    assert [report.iterations for report in one.reports] == [4, 4]  # of both rounds
    assert all(report.num_deals == 2 * 2 * 4 * 1081 * 990 for report in one.reports)


# --- What is kept ---------------------------------------------------------------------------------

SMALL = {
    "fixed_flops": ["9s6s2s", "AhKd7s"],
    "bet_sizes": [1.0],
    "max_raises_per_street": 0,
    "postflop_sprs": [1, 2],
    "postflop_solve_iterations": 3,
}
BUCKETS = {f"num_hand_buckets_{street}": 5 for street in ("flop", "turn", "river")}


BUCKETED = {"solve_type": "bucketed", "rebucket_rounds": 2, "fixed_flops": ["9s6s2s"]} | BUCKETS
COMPACT = {"solve_type": "compact", "fixed_flops": ["9s6s2s"], "postflop_sprs": [1]} | {
    "keep_strategies": True,
    "river_buckets": 16,
}


def solve_and_save(tmp_path, **keys):
    """Returns a solved config, and the same as it comes back from its bundle."""
    solved = solve_flops(FlopsConfig(**SMALL | keys), RunContext(1))
    solved.save(tmp_path / "values")
    return solved, ValueBundle.load(tmp_path / "values")


@pytest.mark.parametrize("solve_type", ["exhaustive", "mccfr"])
def test_strategies_of_hands_are_kept_to_16_bits(tmp_path, solve_type):
    solved, read = solve_and_save(tmp_path, solve_type=solve_type)
    assert read.config == solved.config
    backend = make_backend(solved.config)
    for spr, tree in enumerate(solved.trees):
        for index, flop in enumerate(solved.flops.flops):
            table = kept_strategy(read, index, spr).table
            fresh = backend.solve(FlopGame.deal(flop), tree, ignore_progress, Team()).strategy
            np.testing.assert_allclose(table, fresh.table, atol=1.01 / 131_070)
            np.testing.assert_array_equal(table, kept_strategy(solved, index, spr).table)
    with pytest.raises(BundleError, match=f"{solve_type} has no rounds of buckets"):
        kept_rounds(read, 0)


@pytest.mark.slow
def test_buckets_of_every_round_are_kept_with_what_hands_earned(tmp_path, monkeypatch):
    make_buckets_once(monkeypatch)
    _, read = solve_and_save(tmp_path, **BUCKETED)
    backend, (flop,) = make_backend(read.config), read.flops.flops
    for spr, tree in enumerate(read.trees):
        everyone = Range("random")
        game = CardGame(Spot(flop, (everyone, everyone), tree, merges_suits=False))
        results = list(backend.solve_rounds(game, ignore_progress))
        rounds, strategy = kept_rounds(read, 0, spr), kept_strategy(read, 0, spr)
        for number, result in enumerate(results):
            by_flop = result.buckets.by_flop.astype(np.uint16)
            np.testing.assert_array_equal(rounds.flop_buckets[number], by_flop)
            earned = mean_values(game, result.values).astype(np.float32)
            np.testing.assert_array_equal(rounds.mean_values[number], earned)
            outcome = result.outcome
            reached = [outcome.iterations, outcome.exploitability, outcome.strategy_delta]
            assert rounds.facts[number].tolist() == reached
        for table in ("by_flop", "by_turn", "by_river"):
            kept, fresh = getattr(strategy.buckets, table), getattr(results[-1].buckets, table)
            np.testing.assert_array_equal(kept, fresh)
        for mine, fresh in zip(strategy.played, results[-1].strategy.played, strict=True):
            np.testing.assert_allclose(mine[0], fresh[0], atol=1e-5)
            np.testing.assert_allclose(mine[1], fresh[1], atol=1e-5)
    names = read_manifest(tmp_path / "values").arrays
    assert "solution_0_river_buckets" in names
    assert "solution_1_river_buckets" not in names  # the same at all ratios


@pytest.mark.slow
def test_exact_strategies_are_kept_on_request(tmp_path):
    keys = {"solve_type": "exact", "fixed_flops": ["9s6s2s"], "postflop_sprs": [1]}
    _, read = solve_and_save(tmp_path, **keys, keep_strategies=True)
    backend, (flop,), (tree,) = make_backend(read.config), read.flops.flops, read.trees
    fresh = backend.solve(FlopGame.deal(flop), tree, ignore_progress, Team()).strategy
    dealt = tuple(parse_cards("AhKd"))
    template, combos = fresh.game.templates[2], live_combos((*flop, *dealt))
    for player in range(2):
        rows = kept_strategy(read, 0).rows(template, player, dealt, combos)
        expected = fresh.rows(template, player, dealt, combos)
        np.testing.assert_allclose(rows, expected, atol=1e-4)


def test_nothing_is_kept_if_the_config_says_so(tmp_path):
    solved, read = solve_and_save(tmp_path, solve_type="exhaustive", keep_strategies=False)
    assert solved.solutions == read.solutions == ()
    with pytest.raises(BundleError, match="solve with keep_strategies: true"):
        kept_strategy(read, 0)
    assert not any("solution" in name for name in read_manifest(tmp_path / "values").arrays)


@pytest.mark.slow
def test_compact_strategies_are_kept_to_16_bits(tmp_path):
    _, read = solve_and_save(tmp_path, **COMPACT)
    backend, (flop,), (tree,) = make_backend(read.config), read.flops.flops, read.trees
    fresh = backend.solve(FlopGame.deal(flop), tree, ignore_progress, Team()).strategy
    for dealt in ((), tuple(parse_cards("Ah")), tuple(parse_cards("AhKd"))):
        template, combos = fresh.game.templates[len(dealt)], live_combos((*flop, *dealt))
        for player in range(2):
            rows = kept_strategy(read, 0).rows(template, player, dealt, combos)
            expected = fresh.rows(template, player, dealt, combos)
            np.testing.assert_allclose(rows, expected, atol=1.01 / 65_535)
    SolvedFlop.load(read).save(tmp_path / "again")
    ((again,),), ((kept,),) = ValueBundle.load(tmp_path / "again").solutions, read.solutions
    assert {name: array.tobytes() for name, array in again.items()} == {
        name: array.tobytes() for name, array in kept.items()
    }


@pytest.mark.parametrize(
    "keys",
    [
        {"solve_type": "exhaustive"},
        {"solve_type": "mccfr"},
        pytest.param(COMPACT, marks=pytest.mark.slow),
        pytest.param(BUCKETED, marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_how_large_a_bundle_gets_is_told_before(tmp_path, keys, monkeypatch):
    make_buckets_once(monkeypatch)
    told = PostflopPlan.make(FlopsConfig(**SMALL | keys)).cost.disk_bytes
    solve_and_save(tmp_path, **keys)
    assert 0.98 * told < read_manifest(tmp_path / "values").size_bytes < 1.02 * told
