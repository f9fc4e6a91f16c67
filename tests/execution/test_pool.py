"""Tests of `runout.execution.pool`."""

import math
import os
import time
from itertools import count
from threading import Barrier, Event, Thread

import pytest

from runout.errors import ExecutionError
from runout.execution import pool as local
from runout.execution import pool as memory
from runout.execution.pool import WorkerPool, count_cores, map_tasks


class TaskError(Exception):
    pass


def fail_on(bad_task):
    def function(task):
        if task == bad_task:
            raise TaskError(f"bad luck with {task}")
        return task

    return function


@pytest.mark.parametrize("num_workers", [1, 2, 7])
def test_results_come_in_task_order(num_workers):
    def finish_late_tasks_first(task):
        time.sleep(0.01 if task % 3 == 0 else 0.0)
        return task * task

    results = list(map_tasks(finish_late_tasks_first, range(20), num_workers))
    assert results == [task * task for task in range(20)]


def test_no_tasks_give_no_results():
    assert list(map_tasks(str, [], 2)) == []


def test_tasks_run_at_the_same_time():
    both_are_running = Barrier(2, timeout=600.0)
    assert len(list(map_tasks(lambda _: both_are_running.wait(), range(2), 2))) == 2


def test_one_worker_runs_one_task_at_a_time():
    running = []

    def function(task):
        running.append(task)
        time.sleep(0.001)
        alone = running == [task]
        running.remove(task)
        return alone

    assert all(map_tasks(function, range(10), 1))


def test_endless_tasks_are_taken_only_a_little_ahead():
    taken = []

    def tasks():
        for task in count():
            taken.append(task)
            yield task

    results = map_tasks(str, tasks(), 2)
    assert [next(results) for _ in range(5)] == ["0", "1", "2", "3", "4"]
    results.close()
    assert len(taken) <= 5 + 2 * 2


def test_failure_names_the_task():
    with pytest.raises(TaskError, match="bad luck with 3") as caught:
        list(map_tasks(fail_on(3), range(5), 2))
    assert caught.value.__notes__ == ["while working on task 3"]


@pytest.mark.parametrize("num_workers", [1, 2, 7])
def test_results_before_a_failure_come_first(num_workers):
    results = []
    with pytest.raises(TaskError):
        results.extend(map_tasks(fail_on(6), range(10), num_workers))
    assert results == [0, 1, 2, 3, 4, 5]


def test_failure_of_a_later_task_waits_for_its_turn():
    later_has_failed = Event()

    def function(task):
        if task == 1:
            later_has_failed.set()
            raise TaskError
        assert later_has_failed.wait(timeout=600.0)
        return task

    results = map_tasks(function, range(2), 2)
    assert next(results) == 0
    with pytest.raises(TaskError):
        next(results)


def test_tasks_not_begun_are_dropped_after_a_failure(monkeypatch):
    begun = []
    other_worker_is_busy, workers_may_go_on = Event(), Event()

    def function(task):
        begun.append(task)
        if task == 0:
            assert other_worker_is_busy.wait(timeout=600.0)
            raise TaskError
        other_worker_is_busy.set()
        assert workers_may_go_on.wait(timeout=600.0)

    shut_down = local.ThreadPoolExecutor.shutdown

    def let_workers_go_on(pool, wait):
        workers_may_go_on.set()
        shut_down(pool, wait)

    # Four tasks are waiting at that time; both workers are held until the failure was seen.
    monkeypatch.setattr(local.ThreadPoolExecutor, "shutdown", let_workers_go_on)
    with pytest.raises(TaskError):
        list(map_tasks(function, range(100), 2))
    assert set(begun) <= {0, 1, 2}


@pytest.mark.parametrize("num_workers", [0, -1])
def test_worker_count_must_be_positive(num_workers):
    with pytest.raises(ExecutionError, match=f"workers: {num_workers} is not a positive number"):
        list(map_tasks(str, range(3), num_workers))


def test_cores_are_those_this_process_may_use(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 3, 5}, raising=False)
    assert count_cores() == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    assert count_cores() == 8
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert count_cores() == 1


def results_of(pool, function, tasks):
    futures = [pool.begin(function, task) for task in tasks]
    return [future.result() for future in futures]


def test_shared_parts_come_back_in_order_and_errors_of_helpers_reach_the_caller():
    pool = WorkerPool(2)
    assert pool.share(lambda part: part + 1, range(50), 3) == list(range(1, 51))
    with pytest.raises(ZeroDivisionError):
        pool.share(lambda part: 1 // part, [1, 2, 3, 0], 3)
    assert pool.count_free() == 2


def test_busy_threads_help_nobody_and_are_shared_fairly():
    pool = WorkerPool(4)
    meeting = Barrier(2, timeout=600.0)

    def look(_):
        meeting.wait()
        free = pool.count_free()
        meeting.wait()
        return free

    # Two tasks on four threads: each may have one of the two others.
    assert results_of(pool, look, range(2)) == [1, 1]
    pool.close()
    assert pool.count_free() == 4


def test_a_task_gets_help_from_threads_that_have_no_task():
    pool = WorkerPool(2)

    def work(_):
        together = Barrier(2, timeout=600.0)
        return len(pool.share(lambda _: together.wait(), range(2), 2))

    assert results_of(pool, work, [0]) == [2]


@pytest.mark.parametrize(
    "use",
    [
        lambda pool: results_of(pool, abs, [1, 2]),
        lambda pool: pool.share(abs, [1, 2], 2),
    ],
    ids=["tasks", "parts"],
)
def test_ctrl_c_while_a_thread_starts_leaves_none_that_waits_for_ever(monkeypatch, use):
    started = []
    start = Thread.start

    def start_and_interrupt(thread):
        start(thread)
        started.append(thread)
        raise KeyboardInterrupt

    pool = WorkerPool(2)
    with monkeypatch.context() as patch:
        patch.setattr(Thread, "start", start_and_interrupt)
        with pytest.raises(KeyboardInterrupt):
            use(pool)
    assert started
    for thread in started:
        thread.join(timeout=600.0)
        assert not thread.is_alive()
    assert results_of(pool, abs, [-1, -2]) == [1, 2]


@pytest.fixture
def system(monkeypatch, tmp_path):
    """Stands in for the files in which Linux tells about memory."""
    monkeypatch.setattr(memory, "_MEMORY_FACTS", tmp_path / "meminfo")
    monkeypatch.setattr(memory, "_CONTAINER", tmp_path)
    return tmp_path


def test_what_the_system_says_is_available_counts(system):
    (system / "meminfo").write_text("MemTotal: 9 kB\nMemAvailable:    7 kB\n")
    assert memory.available_memory_bytes() == 7 * 1024


def test_a_container_may_have_less(system):
    (system / "meminfo").write_text("MemAvailable:    7 kB\n")
    (system / "memory.max").write_text("5000\n")
    (system / "memory.current").write_text("2000\n")
    assert memory.available_memory_bytes() == 3000
    (system / "memory.max").write_text("max\n")
    assert memory.available_memory_bytes() == 7 * 1024


def test_elsewhere_all_of_the_memory_counts(system):
    assert 2**20 < memory.available_memory_bytes() < math.inf


def test_a_system_that_says_nothing_is_trusted(system, monkeypatch):
    monkeypatch.setattr(memory.os, "sysconf_names", {})
    assert memory.available_memory_bytes() == math.inf
