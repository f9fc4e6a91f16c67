"""Tests of `runout.runs.spot`."""

import math
import os
import re
import signal
from dataclasses import replace

import numpy as np
import pytest

from runout.cards.ranges import Range
from runout.cfr.schedules import VARIANTS, StopReason
from runout.config.load import load_config, parse_config
from runout.config.run import RunConfig
from runout.config.spot import SpotConfig
from runout.errors import BundleError, ConfigError, ExecutionError, TreeError
from runout.events import SavingFailed, SpotSolving
from runout.execution.context import RunContext
from runout.flops import backend
from runout.flops.spot_solution import SpotSolution
from runout.holdem.solver import SpotSolver
from runout.runs import spot as pipeline
from runout.runs.preflop import solve_preflop
from runout.runs.spot import SpotKeys, solve_spot, spot_keys_from_run
from runout.solutions.preflop import load_solution
from runout.storage.bundle import MANIFEST_FILE
from runout.storage.ledger import claiming
from runout.storage.writer import BundleWriter
from tests.samples.solve_configs import LIMPS

RIVER = {"board": "2c3d4h8s9c", "oop": "AA,QQ", "ip": "KK", "pot": 100, "stack": 100}
TURN = {
    "board": "QsJh2h8c",
    "oop": "AA,QQ,JTs",
    "ip": "KK,T9s",
    "pot": 20,
    "stack": 60,
    "max_raises_per_street": 1,
}
ONE_WORKER = RunContext(1)


def solve(**keys):
    return solve_spot(context=ONE_WORKER, **keys)


def arrays_of(solution):
    tables = solution.solver.tables.by_street
    return [part for pair in tables for learning in pair for part in learning]


def has_same_bits(one, other):
    pairs = zip(arrays_of(one), arrays_of(other), strict=True)
    return all(a.tobytes() == b.tobytes() for a, b in pairs)


class PressesCtrlC:
    """A sink of events that presses Ctrl-C, once or more often, at one of them."""

    def __init__(self, times=1):
        self.times = times

    def __call__(self, event):
        for _ in range(self.times):
            os.kill(os.getpid(), signal.SIGINT)
        self.times = 0


def test_a_polarised_river_is_solved_as_on_paper():
    solution = solve(**RIVER, bet_sizes="a", target="0.05%", max_iterations=50_000)
    assert solution.outcome.reason == StopReason.EXPLOITABILITY
    assert solution.exploitability_pot <= 0.0005
    root = solution.view.node()
    assert root.range_ev(0) == pytest.approx(75.0, abs=0.2)
    assert root.range_ev(0) + root.range_ev(1) == pytest.approx(100.0, abs=1e-3)


def test_a_config_a_file_and_keys_say_the_same(tmp_path):
    file = tmp_path / "spot.yaml"
    file.write_text(SpotConfig.parse(RIVER).to_yaml())
    from_keys = solve(**RIVER, max_iterations=20)
    from_file = solve(config=file, max_iterations=20)
    from_config = solve(config=load_config(file, SpotConfig), max_iterations=20)
    assert from_keys.config == from_file.config == from_config.config
    assert has_same_bits(from_keys, from_file)
    assert has_same_bits(from_keys, from_config)


def test_the_number_of_workers_changes_no_bit():
    one = solve(**TURN, max_iterations=5)
    three = solve_spot(context=RunContext(3), **TURN, max_iterations=5)
    assert has_same_bits(one, three)


def test_progress_is_told(monkeypatch):
    monkeypatch.setattr(pipeline, "_SECONDS_BETWEEN_EVENTS", 0.0)
    events = []
    solve_spot(context=RunContext(1, events.append), **RIVER, target="0.001%", max_iterations=30)
    assert [event.iteration for event in events] == [10, 20, 30]
    assert all(isinstance(event, SpotSolving) for event in events)
    assert events[0].pot_chips == 100
    assert events[0].target == pytest.approx(0.001)
    assert events[0].exploitability > 0.0


def test_keywords_are_the_keys_of_the_config():
    assert set(SpotKeys.__annotations__) - {"schedule"} == set(SpotConfig.model_fields)
    with pytest.raises(ConfigError, match="bord: unknown key, did you mean board"):
        solve(**RIVER, bord="2c3d4h8s9c")


@pytest.mark.parametrize("target", [0.002, "0.2%"])
def test_a_target_is_a_fraction_or_a_percentage(target):
    assert solve(**RIVER, target=target, max_iterations=1).config.target == 0.002


@pytest.mark.parametrize(
    ("target", "problem"),
    [
        (0.5, "target: 0.5 is not a small fraction of the pot, write a fraction up to 0.1 such as"),
        (0.0, "target: 0 is not a small fraction"),
        ("0.2", "target: 0.2 has no unit"),
        ("low", "target: low is not a percentage of the pot such as 0.5%"),
    ],
)
def test_other_targets_are_refused(target, problem):
    with pytest.raises(ConfigError, match=re.escape(problem)):
        solve(**RIVER, target=target)


def test_ranges_may_be_values_and_paths_text(tmp_path):
    keys = RIVER | {"oop": Range("AA,QQ"), "ip": Range("KK")}
    path = str(tmp_path / "spot")
    solution = solve(**keys, max_iterations=10, directory=path)
    assert solution.config == solve(**RIVER, max_iterations=10).config
    assert SpotSolution.load(path).outcome.iterations == 10


@pytest.mark.parametrize("spot", [RIVER, TURN])
def test_exploitability_by_iteration_is_a_history(spot):
    seen = []
    limits = {"max_iterations": 12, "target": None}
    solution = solve(**spot, **limits, history_every=4, on_iteration=seen.append)
    assert [progress.iteration for progress in seen] == list(range(1, 13))
    assert [iteration for iteration, _ in solution.history] == [4, 8, 12]
    plain = solve(**spot, **limits)
    assert has_same_bits(solution, plain)
    assert solution.history[-1] == plain.history[-1]
    assert solution.history[-1][1] == solution.exploitability_pot
    assert [i for i, _ in solve(**spot, **limits, history_every=5).history] == [5, 10, 12]
    assert repr(solution).startswith(f"<SpotSolution {spot['board']}, pot ")
    assert ": 12 iterations, " in repr(solution)
    assert solution._repr_html_() == solution.node()._repr_html_()
    assert solution.node("x").path == "x"
    paths = [node.path for node in solution.nodes(depth=2)]
    assert paths[:3] == ["", "x", "x:x"]
    assert "x" not in [node.path for node in solution.nodes("x:x", depth=1)]


@pytest.mark.parametrize("name", ["cfr+", "linear"])
def test_a_schedule_is_a_variant_by_name_or_by_its_exponents(name):
    limits = {"max_iterations": 10, "target": None}
    by_name, given = solve(**TURN, **limits, cfr_variant=name), VARIANTS[name]
    assert has_same_bits(by_name, solve(**TURN, **limits, schedule=given))
    assert not has_same_bits(by_name, solve(**TURN, **limits))


def test_locks_of_the_config_hold():
    solution = solve(**TURN, max_iterations=10, locks=[{"node": "r:0", "strategy": {"x": 1}}])
    assert np.nanmin(solution.view.node().strategy[0]) == 1.0
    with pytest.raises(TreeError, match=r"'b99' is not an action"):
        solve(**TURN, locks=[{"node": "b99", "strategy": {"x": 1}}])
    with pytest.raises(ConfigError, match=r"sum to 0\.4, not to 1"):
        solve(**TURN, locks=[{"node": "r:0", "strategy": {"x": 0.4}}])


def test_a_finished_solve_goes_on_to_a_lower_target(tmp_path):
    path = tmp_path / "spot"
    first = solve(**TURN, target=None, max_iterations=4, directory=path)
    second = solve(**TURN, target=None, max_iterations=9, directory=path)
    whole = solve(**TURN, target=None, max_iterations=9)
    assert (first.outcome.iterations, second.outcome.iterations) == (4, 9)
    assert second.outcome.seconds > first.outcome.seconds
    assert has_same_bits(second, whole)
    assert has_same_bits(SpotSolution.load(path), whole)


def test_what_is_good_enough_is_left_alone(tmp_path):
    path = tmp_path / "spot"
    first = solve(**TURN, target=None, max_iterations=4, directory=path)
    written = (path / MANIFEST_FILE).read_bytes()
    again = solve(**TURN, target=None, max_iterations=3, directory=path)
    assert again.outcome.iterations == 4
    assert (path / MANIFEST_FILE).read_bytes() == written
    assert solve(**TURN, target="100%", max_iterations=9, directory=path).outcome.iterations == 4
    assert has_same_bits(again, first)


def test_the_reason_is_that_of_the_limits_given_now(tmp_path):
    path = tmp_path / "spot"
    solve(**TURN, target="100%", max_iterations=40, directory=path)
    again = solve(**TURN, target="0.0001%", max_iterations=1, directory=path)
    assert again.outcome.reason == StopReason.ITERATIONS


def test_a_directory_keeps_one_spot(tmp_path):
    path = tmp_path / "spot"
    solve(**TURN, max_iterations=2, directory=path)
    with pytest.raises(BundleError, match=r"holds another spot: stack is 60\.0 there and 70\.0 "):
        solve(**TURN | {"stack": 70}, directory=path)
    with pytest.raises(BundleError, match="exists already"):
        solve(**TURN, directory=path, resume=False)
    replaced = solve(**TURN | {"stack": 70}, max_iterations=1, directory=path, overwrite=True)
    assert has_same_bits(SpotSolution.load(path), replaced)


@pytest.mark.parametrize("keys", [RIVER, TURN])
def test_ctrl_c_ends_the_iteration_and_saves_everything(tmp_path, monkeypatch, keys):
    monkeypatch.setattr(pipeline, "_SECONDS_BETWEEN_EVENTS", 0.0)
    path = tmp_path / "spot"
    handler_before = signal.getsignal(signal.SIGINT)
    interrupting = RunContext(1, PressesCtrlC())
    limits = {"target": None, "max_iterations": 40}
    with pytest.raises(KeyboardInterrupt) as caught:
        solve_spot(context=interrupting, **keys, **limits, directory=path)
    saved = SpotSolution.load(path)
    assert saved.is_interrupted
    done = saved.outcome.iterations
    assert 0 < done < 40
    assert str(caught.value) == (
        f"interrupted; rerun the command to resume ({done} "
        f"iteration{'' if done == 1 else 's'} kept in {path})"
    )
    assert signal.getsignal(signal.SIGINT) is handler_before
    resumed, whole = solve(**keys, **limits, directory=path), solve(**keys, **limits)
    assert has_same_bits(resumed, whole)
    assert not SpotSolution.load(path).is_interrupted


def test_a_second_ctrl_c_ends_at_once_and_writes_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(pipeline, "_SECONDS_BETWEEN_EVENTS", 0.0)
    with pytest.raises(KeyboardInterrupt):
        solve_spot(context=RunContext(1, PressesCtrlC(2)), **RIVER, directory=tmp_path / "spot")
    assert list(tmp_path.iterdir()) == []


def test_without_a_directory_ctrl_c_keeps_nothing(monkeypatch):
    monkeypatch.setattr(pipeline, "_SECONDS_BETWEEN_EVENTS", 0.0)
    with pytest.raises(KeyboardInterrupt, match="after 10 iterations, nothing was kept"):
        solve_spot(context=RunContext(1, PressesCtrlC()), **RIVER)


def test_too_little_memory_is_refused_with_advice(monkeypatch):
    monkeypatch.setattr(backend, "available_memory_bytes", lambda: 1_000_000.0)
    wide = TURN | {"board": "QsJh2h", "oop": "random", "ip": "random", "stack": 2000}
    with pytest.raises(ExecutionError) as caught:
        solve(**wide)
    assert str(caught.value).startswith("memory: the solve needs ")
    assert ", 1.0 MB is available; precision 16 needs " in str(caught.value)
    assert "fewer sizes" in str(caught.value)
    with pytest.raises(ExecutionError) as caught:
        solve(**wide, precision=16)
    assert "precision 16" not in str(caught.value)


def test_a_wrong_key_is_named():
    with pytest.raises(ConfigError, match=r"^target: 0% is not a percentage"):
        solve(**RIVER, target="0%")
    with pytest.raises(ConfigError, match=r"^config: stack is missing"):
        solve(board="2c3d4h8s9c", oop="AA", ip="KK", pot=100)


def stop_at(monkeypatch, iteration):
    """Ends a solve like a power cut: after an iteration, with nothing but what was saved."""
    run = SpotSolver.run

    def run_or_stop(solver, num_iterations):
        if solver.iteration >= iteration:
            raise PowerCutError
        run(solver, num_iterations)

    monkeypatch.setattr(SpotSolver, "run", run_or_stop)


class PowerCutError(Exception):
    pass


@pytest.mark.parametrize("keys", [RIVER, TURN])
@pytest.mark.parametrize("overwrite", [False, True])
def test_a_solve_that_was_saved_on_the_way_goes_on_to_the_same_bits(
    tmp_path, monkeypatch, keys, overwrite
):
    path = tmp_path / "spot"
    limits = {"target": None, "max_iterations": 40, "checkpoint_minutes": 1e-9}
    if overwrite:
        solve(**keys | {"pot": 70}, max_iterations=1, directory=path)
    with monkeypatch.context() as patch:
        stop_at(patch, 20)
        with pytest.raises(PowerCutError):
            solve(**keys, **limits, directory=path, overwrite=overwrite)
    saved = SpotSolution.load(path)
    assert saved.is_interrupted
    assert 0 < saved.outcome.iterations <= 20
    begun_at = []
    with monkeypatch.context() as patch:
        run = SpotSolver.run
        patch.setattr(
            SpotSolver, "run", lambda self, n: (begun_at.append(self.iteration), run(self, n))[1]
        )
        resumed = solve(**keys, **limits, directory=path, overwrite=overwrite)
    assert begun_at[0] == saved.outcome.iterations
    whole = solve(**keys, **limits)
    assert has_same_bits(resumed, whole)
    assert has_same_bits(SpotSolution.load(path), whole)
    assert [entry.name for entry in tmp_path.iterdir()] == ["spot"]


def test_an_interrupted_solve_is_replaced_on_demand_only(tmp_path, monkeypatch):
    path = tmp_path / "spot"
    limits = {"target": None, "max_iterations": 40, "checkpoint_minutes": 1e-9}
    with monkeypatch.context() as patch:
        stop_at(patch, 20)
        with pytest.raises(PowerCutError):
            solve(**RIVER, **limits, directory=path)
        with pytest.raises(PowerCutError):  # at the iteration that was kept
            solve(**RIVER, **limits, directory=path, overwrite=True)
    keys = RIVER | {"target": None, "max_iterations": 10}
    anew = solve(**keys, directory=path, resume=False, overwrite=True)
    assert anew.outcome.iterations == 10


def test_without_minutes_nothing_is_saved_on_the_way(tmp_path, monkeypatch):
    stop_at(monkeypatch, 20)
    with pytest.raises(PowerCutError):
        solve(**RIVER, checkpoint_minutes=0, max_iterations=40, directory=tmp_path / "spot")
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_is_full_for_a_while_does_not_end_a_solve(tmp_path, monkeypatch):
    monkeypatch.setattr(pipeline, "_SECONDS_BETWEEN_EVENTS", 1e9)
    commit, failures = BundleWriter.commit, [BundleError("disk", "is full")]

    def commit_or_fail(writer):
        if failures:
            raise failures.pop()
        return commit(writer)

    monkeypatch.setattr(BundleWriter, "commit", commit_or_fail)
    events = []
    solution = solve_spot(
        context=RunContext(1, events.append),
        **RIVER,
        target=None,
        max_iterations=200,
        checkpoint_minutes=1e-9,
        directory=tmp_path / "spot",
    )
    # However seldom events come, the end is told; saving goes on beside the solve.
    (last,) = (event for event in events if isinstance(event, SpotSolving))
    assert [event for event in events if event is not last] == [SavingFailed("disk", "is full")]
    assert last.iteration == solution.outcome.iterations
    assert last.exploitability == solution.outcome.exploitability
    assert has_same_bits(SpotSolution.load(tmp_path / "spot"), solution)


def test_a_directory_that_another_solve_is_at_is_refused(tmp_path):
    with claiming(tmp_path / "spot"), pytest.raises(BundleError, match="is working on it"):
        solve(**RIVER, directory=tmp_path / "spot")


def test_a_solve_interrupted_between_two_looks_at_exploitability_ends_as_if_undisturbed(tmp_path):
    keys = TURN | {"target": "100%", "max_iterations": 30}
    done = solve(**keys, directory=tmp_path / "spot")
    rule, reached = done.config.stopping_rule(), done.outcome.exploitability
    early = replace(done.outcome, reason=StopReason.INTERRUPTED, iterations=7)
    early = replace(early, history=((7, reached),))
    assert pipeline.reason_to_rest(early, rule) is None
    at_a_look = replace(early, iterations=10, history=((10, reached),))
    assert pipeline.reason_to_rest(at_a_look, rule) == StopReason.EXPLOITABILITY
    too_soon = (20, 8.0 * rule.exploitability), (30, reached)
    later = replace(early, iterations=30, history=too_soon)
    assert pipeline.reason_to_rest(later, replace(rule, max_iterations=99)) is None
    no_history = replace(early, history=())  # as earlier versions kept none
    assert pipeline.reason_to_rest(no_history, rule) is None


def test_a_river_resumed_between_two_looks_still_looks(tmp_path):
    path = tmp_path / "spot"
    solve(**RIVER, target=None, max_iterations=13, directory=path)
    resumed = solve(**RIVER, target="0.5%", max_iterations=20_000, directory=path)
    assert resumed.outcome.reason == StopReason.EXPLOITABILITY
    assert resumed.outcome.iterations % 10 == 0


def test_files_of_other_programs_are_refused_before_any_work(tmp_path, monkeypatch):
    (tmp_path / "notes.txt").write_text("mine")
    monkeypatch.setattr(SpotSolver, "run", lambda *_: pytest.fail("work was begun"))
    with pytest.raises(BundleError, match=r"has files but no manifest\.json"):
        solve(**RIVER, directory=tmp_path)


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    path = tmp_path_factory.mktemp("run") / "limps"
    solve_preflop(parse_config(LIMPS, RunConfig)).save(path)
    return path


def spot_of(directory, node):
    return SpotConfig.parse({**spot_keys_from_run(directory, node), "board": "Td9d6h"})


def test_money_and_sizes_are_carried_over(directory):
    spot = spot_of(directory, "c-x")
    assert (spot.pot, spot.stack) == (200, 900)
    assert spot.bet_sizes.plain() == spot.raise_sizes.plain() == ["100%"]
    assert spot.max_raises_per_street == 0
    assert math.isinf(spot.add_all_in_threshold)


def test_the_big_blind_is_out_of_position_with_the_range_that_arrives(directory):
    spot = spot_of(directory, "c-x")
    solution = load_solution(directory / "preflop")
    node = solution.tree.find_node("c-x")
    for player, held in zip((1, 0), spot.ranges(), strict=True):
        reach = solution.reach(player)[node]
        np.testing.assert_allclose(held.hand_weights(), reach, atol=0.0051)


def test_the_spot_remembers_where_it_comes_from_and_what_was_counted_with(directory):
    origin = spot_of(directory, "c-x").origin
    assert (origin.run, origin.node) == (str(directory), "c:x")
    # What both get is the pot: the money before the flop is neither lost nor made.
    assert origin.oop_ev + origin.ip_ev == pytest.approx(200, abs=1e-6)


def test_a_spot_with_an_origin_reads_back(directory):
    spot = spot_of(directory, "c-x")
    assert parse_config(spot.to_yaml(), SpotConfig) == spot


def test_a_node_without_a_flop_is_refused_with_those_that_have_one(directory):
    with pytest.raises(TreeError, match="leads to no flop, use one of c:x, "):
        spot_keys_from_run(directory, "r2")


def test_a_node_that_nobody_plays_to_is_refused(directory):
    with pytest.raises(TreeError, match=r"is never reached, .* has no hand there"):
        spot_keys_from_run(directory, "r2-c")
