"""Tasks and shards on a Ray cluster of several nodes on this machine."""

import os
import random
import signal
import threading

import pytest

from runout.errors import ExecutionError
from runout.events import PhaseAdvanced, TaskLost, ignore_event
from runout.execution.context import RunContext, opening_executor
from runout.execution.tasks import CancelledError, CancelToken, ThreadExecutor, WorkerLostError
from runout.runs.preflop import solve_joint
from runout.storage.ledger import Ledger
from tests.runs.test_joint_shards import PLAN, assert_same_bits
from tests.samples.squares import SQUARES, TASKS, CounterJob, SquareJob, with_needs

ray = pytest.importorskip("ray", reason="the extra dist is not installed")
cluster_utils = pytest.importorskip("ray.cluster_utils")

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

_NODE = {"num_cpus": 1, "memory": 4_000_000_000, "object_store_memory": 80_000_000}


# Before this process is connected with a cluster.
@pytest.mark.parametrize("address", ["127.0.0.1:1", "nowhere", "nowhere:port"])
def test_an_address_where_nobody_answers_is_refused_at_once(address):
    with (
        pytest.raises(ExecutionError, match=f"no Ray cluster answers at {address}"),
        opening_executor(f"ray:{address}"),
    ):
        pass


@pytest.fixture(scope="module")
def cluster():
    cluster = cluster_utils.Cluster(
        initialize_head=True, head_node_args={**_NODE, "include_dashboard": False}
    )
    for _ in range(2):
        cluster.add_node(**_NODE)
    cluster.wait_for_nodes()
    yield cluster
    ray.shutdown()
    cluster.shutdown()


@pytest.fixture(scope="module")
def executor(cluster):
    with opening_executor(f"ray:{cluster.address}") as executor:
        yield executor


def run(executor, directory, job=SquareJob(), on_event=ignore_event, cancel=None, tasks=TASKS):  # noqa: B008
    cancel = cancel or CancelToken()
    context = RunContext(None, on_event, directory, executor=executor, cancel=cancel)
    return list(context.run(job, tasks))


def numbers_of(results):
    return {done.task.item: int(done.entry.arrays["number"]) for done in results if done.entry}


def digests_in(directory):
    return {entry.id: entry.sha256 for entry in Ledger(directory).entries()}


@pytest.mark.parametrize("num_workers", [1, 3])
def test_any_number_of_workers_finds_what_threads_find(cluster, executor, tmp_path, num_workers):
    with opening_executor("ray", num_workers) as some:
        assert numbers_of(run(some, tmp_path / "ray")) == SQUARES
    run(ThreadExecutor(1), tmp_path / "threads")
    assert digests_in(tmp_path / "ray") == digests_in(tmp_path / "threads")
    assert os.getpid() not in {e.record.pid for e in Ledger(tmp_path / "ray").entries()}


def test_events_travel_back(executor, tmp_path):
    events = []
    run(executor, tmp_path, on_event=events.append)
    assert any(isinstance(event, PhaseAdvanced) for event in events)


def test_an_error_travels_back_and_stops_nobody_else(executor, tmp_path):
    results = run(executor, tmp_path, SquareJob(failing=(2,)))
    (failed,) = (done for done in results if done.entry is None)
    assert isinstance(failed.error, ZeroDivisionError)
    assert len(numbers_of(results)) == 5


def test_killed_workers_are_survived(executor, tmp_path):
    events = []
    job = SquareJob(killing=(1, 4), notes=tmp_path, times=2)
    assert numbers_of(run(executor, tmp_path / "ledger", job, events.append)) == SQUARES
    assert len([event for event in events if isinstance(event, TaskLost)]) == 4


def test_a_task_that_no_machine_has_memory_for_is_told_at_once(executor, tmp_path):
    results = run(executor, tmp_path, tasks=with_needs(TASKS[:1], 5_000_000_000))
    assert str(results[0].error) == (
        "memory: needs 5.0 GB, the largest machine of the cluster has 4.0 GB"
    )


def test_two_tasks_of_three_gigabytes_never_share_a_machine_of_four(cluster, executor, tmp_path):
    """One machine is busy with a task: another of the same size waits, though a core is free."""
    extra = cluster.add_node(**{**_NODE, "num_cpus": 4}, resources={"large": 1})
    cluster.wait_for_nodes()
    try:
        tasks = with_needs(TASKS, 3_000_000_000)
        seen = []
        is_over = threading.Event()

        def watch():
            while not is_over.wait(0.05):
                seen.append(ray.available_resources().get("memory", 0.0))

        thread = threading.Thread(target=watch)
        thread.start()
        assert numbers_of(run(executor, tmp_path, tasks=tasks)) == SQUARES
        is_over.set()
        thread.join()
        # Four machines of 4 GB have at most four such tasks, on seven cores.
        assert min(seen) >= 4 * 4_000_000_000 - 4 * 3_000_000_000
    finally:
        cluster.remove_node(extra)


def test_a_token_ends_tasks_on_the_cluster(executor, tmp_path):
    cancel = CancelToken()

    def on_event(event):
        if isinstance(event, PhaseAdvanced) and event.done == 3:
            cancel.set()

    with pytest.raises(CancelledError):
        run(executor, tmp_path, SquareJob(endless=(3,)), on_event, cancel)
    assert numbers_of(run(executor, tmp_path)) == SQUARES


def test_shards_are_actors_and_a_lost_one_is_told(executor):
    group = executor.start_shards(CounterJob(), [10, 20, 30], ignore_event)
    try:
        assert group.call("add", [(1,), (2,), (3,)]) == [11, 22, 33]
        assert group.call("add", [(1,), (1,), (1,)]) == [12, 23, 34]
        with pytest.raises(ZeroDivisionError):
            group.call("fail", [(), (), ()])
        os.kill(group.pids[1], signal.SIGKILL)
        with pytest.raises(WorkerLostError):
            group.call("add", [(1,), (1,), (1,)])
    finally:
        group.close()


def test_a_joint_solve_on_three_actors_has_the_bits_of_one_without_shards(executor):
    context = RunContext(1, executor=executor)
    assert_same_bits(solve_joint(PLAN, context), solve_joint(PLAN, RunContext(1)))


def test_more_shards_than_cores_are_refused(executor):
    with pytest.raises(ExecutionError, match="--workers: 9 shards need as many cores"):
        executor.start_shards(CounterJob(), range(9), ignore_event)


def test_random_kills_and_a_removed_machine_change_no_digest(cluster, tmp_path):
    extra = cluster.add_node(**{**_NODE, "num_cpus": 2})
    cluster.wait_for_nodes()
    run(ThreadExecutor(1), tmp_path / "threads")
    rng = random.Random(7)

    with opening_executor(f"ray:{cluster.address}") as executor:
        removing = threading.Thread(target=lambda: cluster.remove_node(extra))
        killing = tuple(rng.sample(range(6), 3))
        job = SquareJob(killing=killing, notes=tmp_path, times=1)

        def on_event(event):
            if isinstance(event, TaskLost) and not removing.is_alive() and not removing.ident:
                removing.start()

        assert numbers_of(run(executor, tmp_path / "ray", job, on_event)) == SQUARES
        removing.join()
    assert digests_in(tmp_path / "ray") == digests_in(tmp_path / "threads")
