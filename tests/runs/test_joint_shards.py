"""Joint solves in shards: the same bits, however many there are and whichever of them dies."""

import os
import signal
from dataclasses import replace

import numpy as np
import pytest

from runout.cards.flops import RunoutSubset
from runout.config.load import parse_config
from runout.config.run import RunConfig
from runout.errors import ExecutionError
from runout.events import PreflopSolving, TaskLost
from runout.execution.context import RunContext
from runout.execution.processes import ProcessExecutor
from runout.execution.tasks import ThreadExecutor, WorkerLostError
from runout.flops.backend import ONCE
from runout.flops.cards import CardBackend
from runout.preflop.shards import divide_flops
from runout.runs.plan import RunPlan
from runout.runs.preflop import carry_out, solve_joint
from runout.solutions import flop_bundles as joint_bundle
from runout.storage.bundle import load_bundle
from tests.samples.joint_games import FLOP_JAM, make_game, one_line

ITERATIONS = 4
CONFIG = parse_config(
    f"""
preflop: {{stacks_bb: 6, raise_sizes: [[allin]], raise_cap: 0, always_offer_all_in: false}}
method: joint
iterations: {ITERATIONS}
preflop_exploitability_threshold_mbb: null
postflop_model:
  solve_type: exact
  fixed_flops: [QsTs5s]
  max_raises_per_street: 0
joint: {{checkpoint_minutes: 0.00001}}
""",
    RunConfig,
)
TWENTY = CONFIG.model_copy(update={"iterations": 20})
FLOPS = ("QsTs5s", "9s6s2s", "AsKs2s", "8s7s3s")
DRAWN = CardBackend(ONCE, runout_subset=RunoutSubset(6, 8))
GAME = make_game(one_line(6.0), FLOPS, FLOP_JAM, per_iteration=3, backend=DRAWN)
PLAN = replace(RunPlan.make(CONFIG, 1), tree=GAME.tree, joint=GAME)


class LocalExecutor:
    """Shards in this process; one may be lost after some calls.

    Attributes:
        dies_at: the calls at which a shard is lost.
        num_groups: groups that were started.
    """

    name, is_here = "local", False

    def __init__(self, num_workers, dies_at=()):
        self.num_workers = num_workers
        self.dies_at = set(dies_at)
        self.num_groups = 0
        self.num_calls = 0

    def start_shards(self, job, parts, on_event):
        self.num_groups += 1
        return MortalShards(self, ThreadExecutor(1).start_shards(job, parts, on_event))


class MortalShards:
    def __init__(self, executor, shards):
        self._executor = executor
        self._shards = shards

    def call(self, method, arguments):
        self._executor.num_calls += method == "play"
        if method == "play" and self._executor.num_calls in self._executor.dies_at:
            raise WorkerLostError("its machine is gone")
        return self._shards.call(method, arguments)

    def close(self):
        self._shards.close()


@pytest.fixture(scope="module")
def alone():
    return solve_joint(PLAN, RunContext(1))


def assert_same_bits(found, expected):
    np.testing.assert_array_equal(found.solution.strategy, expected.solution.strategy)
    np.testing.assert_array_equal(found.solution.ev_bb, expected.solution.ev_bb)
    assert found.solution.report.curve_mbb == expected.solution.report.curve_mbb
    for mine, theirs in zip(found.leaves.subgames, expected.leaves.subgames, strict=True):
        for one, other in zip(mine, theirs, strict=True):
            for name, table in one.learned().items():
                np.testing.assert_array_equal(table, other.learned()[name])


@pytest.mark.parametrize("num_shards", [1, 2, 4])
def test_any_number_of_shards_finds_the_same_bits(alone, num_shards):
    executor = LocalExecutor(num_shards)
    assert_same_bits(solve_joint(PLAN, RunContext(executor=executor)), alone)


@pytest.mark.parametrize("has_checkpoints", [True, False])
def test_a_lost_shard_takes_all_back_to_the_last_commit(alone, tmp_path, has_checkpoints):
    heard = []
    executor = LocalExecutor(2, dies_at=(5, 9))  # two calls are an iteration
    checkpoints = tmp_path if has_checkpoints else None
    context = RunContext(1, heard.append, checkpoints, executor=executor)
    assert_same_bits(solve_joint(PLAN, context), alone)
    assert executor.num_groups == 3
    assert [event.attempt for event in heard if isinstance(event, TaskLost)] == [1, 2]
    again = [event.iteration for event in heard if isinstance(event, PreflopSolving)].count(1)
    assert again == (1 if has_checkpoints else 3)


def test_shards_that_are_lost_again_and_again_are_an_error():
    executor = LocalExecutor(2, dies_at=range(1, 9))
    with pytest.raises(ExecutionError, match="a shard is lost, its machine is gone, 4 times"):
        solve_joint(PLAN, RunContext(executor=executor))


def test_a_solve_goes_on_with_another_number_of_shards(alone, tmp_path):
    def stop(event):
        if isinstance(event, PreflopSolving) and event.iteration == 2:
            context.cancel.set()

    context = RunContext(1, stop, tmp_path, executor=LocalExecutor(4))
    with pytest.raises(KeyboardInterrupt, match="2 iterations kept"):
        solve_joint(PLAN, context)
    heard = []
    resumed = RunContext(1, heard.append, tmp_path, executor=LocalExecutor(2))
    assert_same_bits(solve_joint(PLAN, resumed), alone)
    assert min(e.iteration for e in heard if isinstance(e, PreflopSolving)) == 3


def test_flops_are_divided_so_that_each_is_played_once():
    for num_shards in (1, 2, 3, 4):
        parts = divide_flops(GAME, num_shards)
        assert sorted(flop for part in parts for flop in part) == list(range(4))
        assert max(map(len, parts)) - min(map(len, parts)) <= 1


@pytest.mark.slow
def test_a_process_killed_at_iteration_7_of_20_changes_nothing(tmp_path):
    class Executor(ProcessExecutor):
        def start_shards(self, job, parts, on_event):
            self.group = super().start_shards(job, parts, on_event)
            return self.group

    executor, heard = Executor(2), []

    def kill(event):
        heard.append(event)
        is_time = isinstance(event, PreflopSolving) and event.iteration == 7
        if is_time and not any(isinstance(each, TaskLost) for each in heard):
            os.kill(executor.group.pids[1], signal.SIGKILL)

    plan = replace(RunPlan.make(TWENTY, 1), tree=GAME.tree, joint=GAME)
    run = carry_out(plan, RunContext(1, kill, tmp_path / "checkpoints", executor=executor))
    assert any(isinstance(event, TaskLost) for event in heard)
    run.save(tmp_path / "sharded")
    alone = carry_out(plan, RunContext(1))
    np.testing.assert_array_equal(run.solution.strategy, alone.solution.strategy)
    alone.save(tmp_path / "alone")
    saved, expected = (
        load_bundle(
            tmp_path / name / "flops", joint_bundle.FLOPS_KIND, joint_bundle.FLOPS_SCHEMA_VERSION
        )
        for name in ("sharded", "alone")
    )
    assert saved.arrays.keys() == expected.arrays.keys()
    for name, array in expected.arrays.items():
        np.testing.assert_array_equal(saved.arrays[name], array)
