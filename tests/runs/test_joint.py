"""Tests of the stages in `runout.runs.preflop`."""

import os
import signal
import threading
import time
from dataclasses import replace

import numpy as np
import pytest

from runout.config.load import parse_config
from runout.config.run import RunConfig
from runout.errors import BundleError
from runout.events import PreflopSolving
from runout.execution.context import RunContext
from runout.holdem.rivers import BucketRivers
from runout.preflop import shards
from runout.runs.plan import RunPlan, make_joint_game
from runout.runs.preflop import solve_joint, solve_on_book
from runout.solutions.values import ValueBook
from runout.trees.sizes import BetSize
from runout.trees.tree import PotType
from tests.samples.small_runs import Watch, run_config
from tests.samples.solve_configs import JOINT

# --------------------------------------------------------------------------------------------------
# Joint solves that are interrupted, resumed, and refused.


CONFIG = parse_config(JOINT, RunConfig)
PLAN = RunPlan.make(CONFIG, 1)
DRAWN = RunPlan.make(
    parse_config(f"{JOINT}joint: {{turns_per_flop: 6, rivers_per_turn: 8}}", RunConfig), 1
)


def interrupt_after(iterations):
    """Presses Ctrl-C as soon as so many iterations are done."""

    def hear(event):
        if isinstance(event, PreflopSolving) and event.iteration == iterations:
            os.kill(os.getpid(), signal.SIGINT)

    return hear


@pytest.mark.parametrize("plan", [PLAN, DRAWN])
def test_an_interrupted_solve_goes_on_with_the_same_bits(tmp_path, plan):
    context = RunContext(1, interrupt_after(3), tmp_path)
    with pytest.raises(KeyboardInterrupt, match="3 iterations kept"):
        solve_joint(plan, context)
    heard = []
    resumed = solve_joint(plan, RunContext(1, heard.append, tmp_path))
    undisturbed = solve_joint(plan, RunContext(1))
    iterations = [event.iteration for event in heard if isinstance(event, PreflopSolving)]
    assert min(iterations) == 4
    np.testing.assert_array_equal(resumed.solution.strategy, undisturbed.solution.strategy)
    np.testing.assert_array_equal(resumed.solution.ev_bb, undisturbed.solution.ev_bb)


def test_a_checkpoint_of_other_runouts_is_refused(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        solve_joint(DRAWN, RunContext(1, interrupt_after(1), tmp_path))
    with pytest.raises(BundleError, match="another game"):
        solve_joint(PLAN, RunContext(1, checkpoints=tmp_path))


def test_an_interrupted_solve_is_saved_when_no_other_save_is_under_way(tmp_path, monkeypatch):
    begin_saving, under_way = shards.begin_saving, threading.Event()
    num_saved = []

    def begin_alone(*arguments):
        assert not under_way.is_set()
        under_way.set()
        finish = begin_saving(*arguments)

        def finish_slowly():
            time.sleep(0.1)
            finish()
            num_saved.append(1)
            under_way.clear()

        return finish_slowly

    monkeypatch.setattr(shards, "begin_saving", begin_alone)
    often = CONFIG.joint_settings.model_copy(update={"checkpoint_minutes": 1e-9})
    plan = replace(PLAN, config=CONFIG.model_copy(update={"joint": often}))
    with pytest.raises(KeyboardInterrupt, match="3 iterations kept"):
        solve_joint(plan, RunContext(1, interrupt_after(3), tmp_path))
    assert len(num_saved) >= 2
    assert solve_joint(plan, RunContext(1, checkpoints=tmp_path)).solution.report.iterations == 6


def test_without_a_directory_nothing_is_kept_of_an_interrupted_solve():
    with pytest.raises(KeyboardInterrupt, match="nothing was kept"):
        solve_joint(PLAN, RunContext(1, interrupt_after(1)))


def test_the_compact_backend_plays_with_its_buckets_and_sizes_by_pot():
    config = parse_config(
        """
preflop: {stacks_bb: 25}
method: joint
postflop_model: {solve_type: compact, river_buckets: 32, compact_precision: 16, flop_subset: 8}
joint: {reraised: {bet_sizes: [0.33]}}
""",
        RunConfig,
    )
    game = make_joint_game(config, config.preflop.tree)
    assert isinstance(game.backend.rivers, BucketRivers)
    assert (game.backend.rivers.number, int(game.backend.precision)) == (32, 16)
    assert game.betting[PotType.RERAISED].menus[0][0].bets == (BetSize("%", 0.33),)
    assert game.betting[PotType.LIMPED].menus[0][0].bets != (BetSize("%", 0.33),)


# --------------------------------------------------------------------------------------------------
# The preflop stage does what the config says and tells what it does.


def solve(**keys):
    watch, config = Watch(), run_config(**keys)
    book, context = ValueBook(), RunContext(1, watch)
    plan = RunPlan(config, config.preflop.tree, 1)
    solution = solve_on_book(plan, book, context)
    return solution, watch.of(PreflopSolving)


def test_it_ends_at_the_threshold_of_the_config():
    solution, _ = solve(preflop_exploitability_threshold_mbb=20.0, iterations=10_000)
    assert solution.report.exploitability_mbb <= 20.0
    assert solution.report.iterations < 10_000


def test_it_ends_after_the_iterations_of_the_config():
    solution, _ = solve(preflop_exploitability_threshold_mbb=None, iterations=31)
    assert solution.report.iterations == 31


def test_every_iteration_is_reported_in_thousandths_of_a_big_blind():
    solution, events = solve(preflop_exploitability_threshold_mbb=1e-6, iterations=50)
    assert [event.iteration for event in events] == list(range(1, 51))
    assert {event.max_iterations for event in events} == {50}
    assert events[23].exploitability is None
    assert events[24].exploitability == dict(solution.report.curve_mbb)[25]


@pytest.mark.parametrize("print_every", [0, 10])
def test_snapshots_come_in_time_and_change_nothing(print_every):
    config, snapshots = run_config(print_every=print_every, iterations=30), []
    plan, context = RunPlan(config, config.preflop.tree, 1), RunContext(1)
    watched = solve_on_book(replace(plan, on_solution=snapshots.append), ValueBook(), context)
    alone = solve_on_book(plan, ValueBook(), context)
    np.testing.assert_array_equal(watched.strategy, alone.strategy)
    if not print_every:
        assert snapshots == []
        return
    assert [snapshot.report.iterations for snapshot in snapshots] == [10, 20, 30]
    exploitability = [snapshot.report.exploitability_mbb for snapshot in snapshots]
    assert exploitability == sorted(exploitability, reverse=True)
    np.testing.assert_array_equal(snapshots[-1].strategy, watched.strategy)


def test_the_variant_is_that_of_the_config():
    strategies = [
        solve(cfr_variant=variant, iterations=20)[0].strategy for variant in ("dcfr+", "linear")
    ]
    assert np.abs(strategies[0] - strategies[1]).max() > 0.01
