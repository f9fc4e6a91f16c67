"""Runs over a ledger with executors that lose, repeat and reorder tasks: nothing changes."""

import random
import threading
from collections import Counter
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from runout.errors import ExecutionError
from runout.events import TaskLost, ignore_event
from runout.execution.cancel import CancelledError, CancelToken
from runout.execution.ledger_runs import MAX_ATTEMPTS, LedgerWork, run_tasks
from runout.execution.tasks import Task, TaskEnd, TaskNeeds, TaskResult, Worker
from runout.execution.threads import ThreadExecutor
from runout.storage.ledger import Ledger

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
        trouble = self._random.choice(("dropped", "lost", "receipt lost", "repeated"))
        if trouble == "dropped":
            return []
        if trouble == "lost":
            return [TaskEnd(task, loss="its worker died")]
        if trouble == "receipt lost":
            self._carry_out(work, task)
            return [TaskEnd(task, loss="its worker died")]
        return [self._carry_out(work, task), self._carry_out(work, task)]

    def _carry_out(self, work, task):
        try:
            return TaskEnd(task, work(task, Worker()))
        except Exception as error:
            return TaskEnd(task, error=error)


def run(directory, executor, job=None, tasks=TASKS, on_event=ignore_event, cancel=None):
    work = LedgerWork.of(job or Squares(), directory)
    return list(run_tasks(work, tasks, executor, on_event, cancel or CancelToken()))


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
                return [TaskEnd(task, loss="worker 7 was killed")]
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
                return [TaskEnd(task, loss="bad luck")]
            return [self._carry_out(work, task)]

    run(tmp_path, Executor(0))
    assert {entry.record.attempt for entry in Ledger(tmp_path).entries()} == {3}


def test_a_failure_is_final_and_stops_nobody_else(tmp_path):
    job = Squares(failing=(2, 5))
    results = run(tmp_path, ThreadExecutor(2), job)
    assert {done.task.item for done in results if done.error is not None} == {2, 5}
    assert job.computed == Counter(range(12))


def test_the_longest_tasks_are_begun_first(tmp_path):
    begun = []
    tasks = [replace(task, needs=TaskNeeds(seconds=task.item % 5)) for task in TASKS]
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
    monkeypatch.setattr("runout.execution.threads.available_memory_bytes", lambda: 4e9)
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
        tasks = [replace(task, needs=TaskNeeds(memory_bytes)) for task in TASKS]
        run(tmp_path / str(expected), ThreadExecutor(4), Squares(on_item=count), tasks)
        assert most[0] <= expected


def test_a_task_that_wants_to_be_alone_is_alone_and_has_all_threads(tmp_path):
    running, seen = [0], []

    def look(item, worker):
        running[0] += 1
        seen.append((running[0], worker.pool.count_free()))
        threading.Event().wait(0.002)
        running[0] -= 1

    tasks = [replace(task, needs=TaskNeeds(is_alone=True)) for task in TASKS]
    run(tmp_path, ThreadExecutor(3), Squares(on_item=look), tasks)
    assert seen == [(1, 2)] * len(TASKS)
