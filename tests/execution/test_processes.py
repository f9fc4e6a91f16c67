"""Tasks and shards in processes: the same results, and kills are survived."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from runout.events import PhaseAdvanced, TaskLost, TasksShared, ignore_event
from runout.execution.context import RunContext, opening_executor
from runout.execution.processes import ProcessExecutor
from runout.execution.tasks import CancelledError, CancelToken, ThreadExecutor, WorkerLostError
from runout.storage.ledger import Ledger, host_id
from tests.samples.squares import SQUARES, TASKS, CounterJob, SquareJob

pytestmark = pytest.mark.skipif(os.name == "nt", reason="kills as on POSIX")


@pytest.fixture(scope="module")
def executor():
    with opening_executor("processes", 2) as executor:
        yield executor


def run(executor, directory, job=SquareJob(), on_event=ignore_event, cancel=None):  # noqa: B008
    cancel = cancel or CancelToken()
    context = RunContext(None, on_event, directory, executor=executor, cancel=cancel)
    return list(context.run(job, TASKS))


def numbers_of(results):
    return {done.task.item: int(done.entry.arrays["number"]) for done in results if done.entry}


def test_processes_find_what_threads_find_and_say_who_they_are(executor, tmp_path):
    assert numbers_of(run(executor, tmp_path / "processes")) == SQUARES
    assert numbers_of(run(ThreadExecutor(2), tmp_path / "threads")) == SQUARES
    theirs, ours = (list(Ledger(tmp_path / n).entries()) for n in ("processes", "threads"))
    assert [(e.id, e.sha256) for e in theirs] == [(e.id, e.sha256) for e in ours]
    assert {entry.record.pid for entry in theirs} <= {child.pid for child in executor.children}
    assert {entry.record.pid for entry in ours} == {os.getpid()}


def test_events_travel_back(executor, tmp_path):
    events = []
    run(executor, tmp_path, on_event=events.append)
    assert PhaseAdvanced("squares", 0, 6) in events


def test_an_error_travels_back_and_stops_nobody_else(executor, tmp_path):
    results = run(executor, tmp_path, SquareJob(failing=(2,)))
    (failed,) = (done for done in results if done.entry is None)
    assert repr(failed.error) == "ZeroDivisionError(2)"
    assert len(numbers_of(results)) == 5


def test_a_killed_process_is_replaced_and_its_task_tried_again(executor, tmp_path):
    events = []
    job = SquareJob(killing=(1, 4), notes=tmp_path, times=2)
    assert numbers_of(run(executor, tmp_path / "ledger", job, events.append)) == SQUARES
    lost = [event for event in events if isinstance(event, TaskLost)]
    assert sorted((event.task, event.attempt) for event in lost) == [
        (name, attempt) for name in ("task 1", "task 4") for attempt in (1, 2)
    ]
    assert all("has died, killed by SIGKILL" in event.loss for event in lost)
    tries = {e.id.key: e.record.attempt for e in Ledger(tmp_path / "ledger").entries()}
    assert tries["task 1"] == tries["task 4"] == 3


def test_it_is_told_which_machine_has_done_how_much(executor, tmp_path):
    events = []
    run(executor, tmp_path, on_event=events.append)
    assert events[-1] == TasksShared(((host_id(), len(TASKS)),), 0)


def test_a_token_ends_tasks_in_other_processes(executor, tmp_path):
    cancel = CancelToken()

    def on_event(event):
        if event == PhaseAdvanced("squares", 3, 6):
            cancel.set()

    with pytest.raises(CancelledError):
        run(executor, tmp_path, SquareJob(endless=(3,)), on_event, cancel)
    assert not list(tmp_path.glob("*.claim"))
    assert numbers_of(run(executor, tmp_path)) == SQUARES


def test_children_end_with_their_executor(tmp_path):
    executor = ProcessExecutor(1)
    run(executor, tmp_path)
    (pid,) = (child.pid for child in executor.children)
    executor.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_shards_keep_what_they_have_and_answer_in_order(executor):
    group = executor.start_shards(CounterJob(), [10, 20, 30], ignore_event)
    try:
        assert group.call("add", [(1,), (2,), (3,)]) == [11, 22, 33]
        assert group.call("add", [(1,), (1,), (1,)]) == [12, 23, 34]
        with pytest.raises(ZeroDivisionError):
            group.call("fail", [(), (), ()])
        os.kill(group.pids[1], signal.SIGKILL)
        with pytest.raises(WorkerLostError, match="has died, killed by SIGKILL"):
            group.call("add", [(1,), (1,), (1,)])
    finally:
        group.close()


def test_a_shard_that_fails_late_does_not_answer_the_next_question(executor):
    group = executor.start_shards(CounterJob(), [10, 20], ignore_event)
    try:
        with pytest.raises(ZeroDivisionError, match="10"):
            group.call("fail", [(0.0,), (0.3,)])
        assert group.call("add", [(1,), (2,)]) == [11, 22]
    finally:
        group.close()


#: Works on tasks that never end, in two processes whose numbers it tells.
WORKS = """
from runout.execution.context import RunContext
from runout.execution.processes import ProcessExecutor
from tests.samples.squares import TASKS, SquareJob
executor = ProcessExecutor(2)
def tell(event):
    print(*sorted(child.pid for child in executor.children), flush=True)
job = SquareJob(endless=tuple(range(6)), is_loud=True)
list(RunContext(None, tell, executor=executor).run(job, TASKS))
"""


def test_workers_end_without_a_word_when_their_parent_is_killed(tmp_path):
    with (tmp_path / "messages").open("wb") as messages:
        parent = subprocess.Popen(
            [sys.executable, "-c", WORKS], stdout=subprocess.PIPE, stderr=messages, text=True
        )
        pids = []
        while len(pids) < 2:
            pids = [int(pid) for pid in parent.stdout.readline().split()]
        parent.kill()
        parent.communicate(timeout=60)
    deadline = time.monotonic() + 60
    while any(map(is_alive, pids)) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not any(map(is_alive, pids))
    assert (tmp_path / "messages").read_text() == ""


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2]
