"""Tests of `runout.execution.tasks`."""

import os
import signal
import threading
from concurrent.futures import Future

import pytest

from runout.execution.pool import WorkerPool
from runout.execution.tasks import (
    CancelledError,
    CancelToken,
    Task,
    cancelling_on_interrupt,
    map_on_threads,
    map_side_by_side,
)

# --------------------------------------------------------------------------------------------------
# The token that ends work, and what Ctrl-C has to do with it.


def press_ctrl_c():
    os.kill(os.getpid(), signal.SIGINT)


def test_work_ends_where_it_looks_at_a_token_that_is_set():
    token = CancelToken()
    token.raise_if_set()
    token.set()
    with pytest.raises(CancelledError):
        token.raise_if_set()
    assert token.wait(600.0)  # at once


def test_ctrl_c_interrupts_the_main_thread_and_tells_the_others():
    with cancelling_on_interrupt() as token:
        assert not token.is_set()
        with pytest.raises(KeyboardInterrupt):
            press_ctrl_c()
        assert token.is_set()


def test_a_held_ctrl_c_sets_the_token_and_a_second_one_interrupts():
    token = CancelToken()
    with cancelling_on_interrupt(token, ends_step=True):
        press_ctrl_c()
        assert token.is_set()
        with pytest.raises(KeyboardInterrupt):
            press_ctrl_c()


def test_ctrl_c_is_as_before_when_the_work_is_over():
    before = signal.getsignal(signal.SIGINT)
    with cancelling_on_interrupt() as token:
        outer = signal.getsignal(signal.SIGINT)
        assert outer is not before
        with cancelling_on_interrupt(token, ends_step=True):
            assert signal.getsignal(signal.SIGINT) is not outer
        assert signal.getsignal(signal.SIGINT) is outer
    assert signal.getsignal(signal.SIGINT) is before


def test_threads_other_than_the_main_one_leave_ctrl_c_alone():
    seen = []

    def work():
        with cancelling_on_interrupt() as token, cancelling_on_interrupt(token, ends_step=True):
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [signal.getsignal(signal.SIGINT)]


# --------------------------------------------------------------------------------------------------
# Tasks that share a memory: which are begun, and what becomes free when one is finished.


MEMORY_BYTES = 100


def tasks_of(*memory_bytes):
    return [Task(str(n), n, size) for n, size in enumerate(memory_bytes)]


@pytest.fixture
def under_way(monkeypatch):
    """Returns which tasks are under way whenever one ends, if they end in a given order."""

    def run(tasks, order, num_workers=4):
        seen, order = [], iter(order)

        def end_next(running, *_):
            if running:
                seen.append([task.item for task in running.values()])
                number = next(order)
                (future,) = (each for each, task in running.items() if task.item == number)
                future.set_result(None)
                return {future}, set()
            return set(), set()

        monkeypatch.setattr("runout.execution.tasks.wait", end_next)
        ends = map_side_by_side(
            lambda task: Future(), iter(tasks), lambda: num_workers, CancelToken(), MEMORY_BYTES
        )
        assert sorted(end.task.item for end in ends) == [task.item for task in tasks]
        return seen

    return run


def test_tasks_are_begun_as_long_as_they_fit_together(under_way):
    assert under_way(tasks_of(60, 40, 1), [0, 1, 2]) == [[0, 1], [1, 2], [2]]


def test_no_more_tasks_are_begun_than_there_are_workers(under_way):
    assert under_way(tasks_of(1, 1, 1), [1, 0, 2], num_workers=2) == [[0, 1], [0, 2], [2]]


def test_memory_of_a_finished_task_is_free_for_the_next_one(under_way):
    # Another task is still under way, so these are begun only because they fit beside it.
    assert under_way(tasks_of(60, 30, 60, 10, 1), [0, 1, 2, 3, 4])[:3] == [
        [0, 1],
        [1, 2, 3],
        [2, 3, 4],
    ]


def test_no_more_memory_is_given_back_than_was_taken(under_way):
    assert under_way(tasks_of(30, 60, 50), [0, 1, 2]) == [[0, 1], [1], [2]]


def test_what_is_too_large_is_begun_alone(under_way):
    assert under_way(tasks_of(10, 500, 10), [0, 1, 2]) == [[0], [1], [2]]


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_task_that_wants_to_be_alone_waits_and_is_waited_for(under_way, place):
    tasks = [Task(str(n), n, is_alone=n == place) for n in range(3)]
    seen = under_way(tasks, range(3))
    assert [place] in seen
    assert not any(place in together for together in seen if len(together) > 1)


def map_threads(function, tasks, num_workers=2, cancel=None):
    pool = WorkerPool(num_workers)
    return map_on_threads(function, iter(tasks), cancel or CancelToken(), pool)


def test_every_task_is_told_with_its_error():
    ends = map_threads(lambda task: 6 // task.item, [Task(str(n), n) for n in (3, 1, 0, 2)])
    errors = {end.task.item: end.error for end in ends}
    assert isinstance(errors.pop(0), ZeroDivisionError)
    assert errors == {1: None, 2: None, 3: None}


def test_tasks_that_have_not_begun_are_dropped_when_the_caller_stops():
    begun = []
    ends = map_threads(begun.append, (Task(str(n), n) for n in range(100_000)), 1)
    next(ends)
    ends.close()
    assert len(begun) < 100


def test_nothing_is_begun_when_the_token_is_set():
    begun, cancel = [], CancelToken()

    def stop(task):
        begun.append(task.item)
        cancel.set()

    with pytest.raises(CancelledError):
        list(map_threads(stop, tasks_of(1, 1, 1), 1, cancel))
    assert begun == [0]


def test_what_the_iterator_of_tasks_raises_reaches_the_caller():
    def tasks():
        yield Task("1", 1)
        raise FloatingPointError

    with pytest.raises(FloatingPointError):
        list(map_threads(lambda task: None, tasks(), 1))
