"""Tests of `runout.execution.context`."""

import pickle
import random
import sys
import threading
from collections import Counter
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from runout.errors import ExecutionError
from runout.events import ResultDamaged, TaskLost, ignore_event
from runout.execution.context import (
    MAX_ATTEMPTS,
    RunContext,
    opening_executor,
)
from runout.execution.tasks import (
    CancelledError,
    CancelToken,
    Task,
    TaskEnd,
    TaskResult,
    ThreadExecutor,
    Worker,
    WorkerLostError,
)
from runout.storage.ledger import Ledger


def test_the_scheme_of_clients_of_ray_is_not_taken_for_ours():
    with pytest.raises(ExecutionError, match=r"own clients, use ray:10\.0\.0\.1:6379"):
        opening_executor("ray://10.0.0.1:6379").__enter__()


@pytest.mark.parametrize("text", ["", "thread", "ray:", "rays:10.0.0.1", "dask"])
def test_an_unknown_executor_is_refused_with_those_there_are(text):
    allowed = "is not threads, processes, ray, ray:ADDRESS"
    with pytest.raises(ExecutionError, match=allowed), opening_executor(text):
        pass


@pytest.mark.parametrize("name", ["threads", "processes"])
def test_the_number_of_workers_is_the_one_given(name):
    with opening_executor(name, 3) as executor:
        assert (executor.name, executor.num_workers) == (name, 3)
    with pytest.raises(ExecutionError, match="workers: 0 is not"), opening_executor(name, 0):
        pass


def test_without_ray_one_line_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.delitem(sys.modules, "runout.execution.ray_executor", raising=False)
    with pytest.raises(ExecutionError) as caught, opening_executor("ray"):
        pass
    assert str(caught.value) == (
        "--executor ray: needs Ray, which is not installed; pip install 'runout[dist]' adds it"
    )


# --------------------------------------------------------------------------------------------------
# Runs over a ledger with executors that lose, repeat and reorder tasks: nothing changes.


TASKS = [Task(f"task {number}", number) for number in range(12)]


@dataclass
class Squares:
    """Squares numbers, counts which, and fails at some."""

    failing: tuple = ()
    computed: Counter = field(default_factory=Counter)
    on_item: object = None

    @property
    def facts(self):
        return {"job": "squares"}

    def run(self, item, worker):
        self.computed[item] += 1
        if self.on_item is not None:
            self.on_item(item, worker)
        if item in self.failing:
            raise ZeroDivisionError(item)
        return TaskResult({"number": np.array(item * item)})


class UnreliableExecutor:
    """Works off tasks in one thread; drops, loses and repeats some, and tells ends in any order."""

    name, is_here, num_workers = "unreliable", True, 1

    def __init__(self, seed, trouble=0.5):
        self._random = random.Random(seed)
        self._trouble = trouble

    def map_unordered(self, work, tasks, on_event, cancel):
        ends = []
        for task in tasks:
            cancel.raise_if_set()
            ends += self._try(work, task)
            self._random.shuffle(ends)
            if ends and self._random.random() < 0.5:
                yield ends.pop()
        yield from ends

    def _try(self, work, task):
        if self._random.random() >= self._trouble or task.attempt == MAX_ATTEMPTS:
            return [self._carry_out(work, task)]
        trouble = self._random.choice(("dropped", "lost", "end lost", "repeated"))
        if trouble == "dropped":
            return []
        if trouble == "lost":
            return [TaskEnd(task, WorkerLostError("its worker died"))]
        if trouble == "end lost":
            self._carry_out(work, task)
            return [TaskEnd(task, WorkerLostError("its worker died"))]
        return [self._carry_out(work, task), self._carry_out(work, task)]

    def _carry_out(self, work, task):
        try:
            work(task, Worker())
            return TaskEnd(task)
        except Exception as error:
            return TaskEnd(task, error=error)


def run(directory, executor, job=None, tasks=TASKS, on_event=ignore_event, cancel=None):
    cancel = cancel or CancelToken()
    context = RunContext(None, on_event, directory, executor=executor, cancel=cancel)
    return list(context.run(job or Squares(), tasks))


def numbers_of(results):
    return {done.task.item: int(done.entry.arrays["number"]) for done in results}


SQUARES = {number: number * number for number in range(12)}


@pytest.mark.parametrize("seed", range(20))
def test_an_executor_that_loses_and_repeats_tasks_changes_nothing(tmp_path, seed):
    results = run(tmp_path, UnreliableExecutor(seed))
    assert len(results) == len(TASKS)  # each once
    assert numbers_of(results) == SQUARES
    assert not list(tmp_path.glob("*.claim"))


def test_a_task_that_is_lost_again_and_again_is_given_up_and_told(tmp_path):
    class Executor(UnreliableExecutor):
        def _try(self, work, task):
            if task.item == 3:
                return [TaskEnd(task, WorkerLostError("worker 7 was killed"))]
            return [self._carry_out(work, task)]

    events = []
    results = run(tmp_path, Executor(0), on_event=events.append)
    (failed,) = (done for done in results if done.entry is None)
    assert isinstance(failed.error, ExecutionError)
    assert str(failed.error) == "task 3: was lost 4 times, worker 7 was killed"
    assert events == [
        TaskLost("task 3", "worker 7 was killed", attempt, MAX_ATTEMPTS)
        for attempt in range(1, MAX_ATTEMPTS + 1)
    ]


def test_the_ledger_says_which_try_has_succeeded(tmp_path):
    class Executor(UnreliableExecutor):
        def _try(self, work, task):
            if task.attempt < 3:
                return [TaskEnd(task, WorkerLostError("bad luck"))]
            return [self._carry_out(work, task)]

    run(tmp_path, Executor(0))
    assert {entry.record.attempt for entry in Ledger(tmp_path).entries()} == {3}


@pytest.mark.parametrize("num_workers", [1, 3])
def test_a_damaged_result_is_told_of_once_and_its_task_done_again(tmp_path, num_workers):
    events = []
    whole = run(tmp_path, ThreadExecutor(num_workers), on_event=events.append)
    assert events == []
    file = next(tmp_path.glob("task_3-*.result"))
    file.write_bytes(file.read_bytes()[:-1])
    again = run(tmp_path, ThreadExecutor(num_workers), on_event=events.append)
    problem = "is damaged, its contents do not have the digest it states"
    assert events == [ResultDamaged(str(file), problem)]
    assert {end.task.key: end.entry.sha256 for end in again} == {
        end.task.key: end.entry.sha256 for end in whole
    }


def test_a_failure_is_final_and_stops_nobody_else(tmp_path):
    job = Squares(failing=(2, 5))
    results = run(tmp_path, ThreadExecutor(2), job)
    assert {done.task.item for done in results if done.error is not None} == {2, 5}
    assert job.computed == Counter(range(12))


def test_the_longest_tasks_are_begun_first(tmp_path):
    begun = []
    tasks = [replace(task, seconds=task.item % 5) for task in TASKS]
    job = Squares(on_item=lambda item, worker: begun.append(item % 5))
    run(tmp_path, ThreadExecutor(1), job, tasks)
    assert begun == sorted(begun, reverse=True)


def test_two_runs_on_one_directory_share_the_work(tmp_path):
    together = threading.Barrier(2, timeout=600.0)

    def meet(item, worker):
        if item < 2:  # the first tasks of both are under way at the same time
            together.wait()

    job, found = Squares(on_item=meet), []
    threads = [
        threading.Thread(target=lambda: found.append(run(tmp_path, ThreadExecutor(1), job)))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [numbers_of(results) for results in found] == [SQUARES, SQUARES]
    assert job.computed == Counter(range(12))  # nothing twice


def test_a_token_ends_a_run_and_gives_its_claims_back(tmp_path):
    cancel = CancelToken()

    def stop(item, worker):
        if item == 4:
            cancel.set()
            worker.cancel.raise_if_set()

    with pytest.raises(CancelledError):
        run(tmp_path, ThreadExecutor(1), Squares(on_item=stop), cancel=cancel)
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".result"] * 4
    assert numbers_of(run(tmp_path, ThreadExecutor(1))) == SQUARES


def test_tasks_that_do_not_fit_side_by_side_do_not_run_side_by_side(tmp_path, monkeypatch):
    monkeypatch.setattr("runout.execution.tasks.available_memory_bytes", lambda: 4e9)
    running, most = [0], [0]
    lock = threading.Lock()

    def count(item, worker):
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        threading.Event().wait(0.002)
        with lock:
            running[0] -= 1

    for memory_bytes, expected in ((3_000_000_000, 1), (2_000_000_000, 2)):
        most[0] = 0
        tasks = [replace(task, memory_bytes=memory_bytes) for task in TASKS]
        run(tmp_path / str(expected), ThreadExecutor(4), Squares(on_item=count), tasks)
        assert most[0] <= expected


def test_a_task_that_wants_to_be_alone_is_alone_and_has_all_threads(tmp_path):
    running, seen = [0], []

    def look(item, worker):
        running[0] += 1
        seen.append((running[0], worker.pool.count_free()))
        threading.Event().wait(0.002)
        running[0] -= 1

    tasks = [replace(task, is_alone=True) for task in TASKS]
    run(tmp_path, ThreadExecutor(3), Squares(on_item=look), tasks)
    assert seen == [(1, 2)] * len(TASKS)


# --------------------------------------------------------------------------------------------------
# Finished tasks are kept, found again, and never mistaken for those of another job.


TASKS_OF_CONTEXT = [Task(name, number) for number, name in enumerate("abc")]


@dataclass
class SquaresOfTestRunContext:
    """Squares numbers, and notes which."""

    facts: dict = field(default_factory=dict)
    computed: list = field(default_factory=list)

    def run(self, item, worker):
        self.computed.append(item)
        return TaskResult({"number": np.array(item * item)})


def squares_of(context, job, tasks=TASKS_OF_CONTEXT):
    return {done.task.key: int(done.entry.arrays["number"]) for done in context.run(job, tasks)}


def test_without_a_directory_everything_is_computed():
    job = SquaresOfTestRunContext()
    for _ in range(2):
        assert squares_of(RunContext(1), job) == {"a": 0, "b": 1, "c": 4}
    assert job.computed == [0, 1, 2, 0, 1, 2]


def test_a_finished_task_is_found_by_the_next_run(tmp_path):
    job = SquaresOfTestRunContext()
    for _ in range(2):
        assert squares_of(RunContext(1, checkpoints=tmp_path), job) == {"a": 0, "b": 1, "c": 4}
    assert job.computed == [0, 1, 2]


def test_jobs_of_other_facts_share_nothing(tmp_path):
    context, first, other = (
        RunContext(1, checkpoints=tmp_path),
        SquaresOfTestRunContext(),
        SquaresOfTestRunContext({"spr": 4.0}),
    )
    squares_of(context, first)
    squares_of(context, other, [replace(task, item=task.item + 1) for task in TASKS_OF_CONTEXT])
    assert other.computed == [1, 2, 3]
    assert squares_of(context, other) == {"a": 1, "b": 4, "c": 9}
    assert squares_of(context, first) == {"a": 0, "b": 1, "c": 4}


def test_a_damaged_result_is_computed_again(tmp_path):
    context, job = RunContext(1, checkpoints=tmp_path), SquaresOfTestRunContext()
    squares_of(context, job)
    (file,) = tmp_path.glob("b-*.result")
    file.write_bytes(file.read_bytes()[:-1])
    assert squares_of(context, job) == {"a": 0, "b": 1, "c": 4}
    assert job.computed == [0, 1, 2, 1]


@pytest.mark.parametrize("num_workers", [1, 2, 4])
def test_any_number_of_threads_finds_the_same(tmp_path, num_workers):
    squares_of(RunContext(num_workers, checkpoints=tmp_path), SquaresOfTestRunContext())
    digests = {entry.id.key: entry.sha256 for entry in Ledger(tmp_path).entries()}
    squares_of(RunContext(1, checkpoints=tmp_path / "alone"), SquaresOfTestRunContext())
    alone = Ledger(tmp_path / "alone").entries()
    assert digests == {entry.id.key: entry.sha256 for entry in alone}


def test_results_wait_for_the_disk_as_often_as_asked_for(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr("runout.storage.files.sync", lambda path: synced.append(path))
    tasks = [Task(str(number), number) for number in range(6)]
    squares_of(
        RunContext(1, checkpoints=tmp_path, checkpoint_every=3), SquaresOfTestRunContext(), tasks
    )
    assert len(synced) == 2


def test_a_given_executor_is_used():
    executor = ThreadExecutor(3)
    assert RunContext(1, executor=executor).chosen_executor is executor
    assert RunContext(2).chosen_executor.num_workers == 2


def test_a_number_of_workers_that_nobody_can_have_is_refused():
    with pytest.raises(ExecutionError, match="workers: 0 is not a positive number"):
        squares_of(RunContext(0), SquaresOfTestRunContext())


def test_tasks_can_travel():
    assert pickle.loads(pickle.dumps(TASKS_OF_CONTEXT)) == TASKS_OF_CONTEXT
