"""Tests of `runout.execution.pool`."""

import math
import os
import sys
from threading import Barrier, Thread
from types import SimpleNamespace

import pytest

from runout.errors import ExecutionError
from runout.execution import pool as memory
from runout.execution.pool import WorkerPool, count_cores


@pytest.mark.parametrize("num_workers", [0, -1])
def test_worker_count_must_be_positive(num_workers):
    with pytest.raises(ExecutionError, match=f"workers: {num_workers} is not a positive number"):
        WorkerPool(num_workers)


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


@pytest.mark.parametrize("num_threads", [1, 2, 3])
def test_no_part_begins_after_one_has_failed(num_threads):
    """Each thread may have begun one before it fails, and one may fail at a time."""
    begun = []

    def fail(part):
        begun.append(part)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        WorkerPool(num_threads).share(fail, range(1000), num_threads)
    assert len(begun) <= num_threads


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


def test_elsewhere_psutil_knows_what_is_available(system, monkeypatch):
    told = SimpleNamespace(virtual_memory=lambda: SimpleNamespace(total=16e9, available=3e9))
    monkeypatch.setitem(sys.modules, "psutil", told)
    assert memory.available_memory_bytes() == 3e9


def test_a_system_that_says_nothing_is_trusted(system, monkeypatch):
    monkeypatch.setitem(sys.modules, "psutil", None)
    assert memory.available_memory_bytes() == math.inf
