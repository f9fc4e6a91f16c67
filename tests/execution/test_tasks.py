"""Tests of `runout.execution.tasks`."""

import os
import signal
import threading

import pytest

from runout.execution.tasks import (
    CancelledError,
    CancelToken,
    Task,
    TaskQueue,
    cancelling_on_interrupt,
    holding_interrupts,
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
    with pytest.raises(CancelledError):
        token.wait(600.0)


def test_ctrl_c_interrupts_the_main_thread_and_tells_the_others():
    with cancelling_on_interrupt() as token:
        assert not token.is_set
        with pytest.raises(KeyboardInterrupt):
            press_ctrl_c()
        assert token.is_set


def test_a_held_ctrl_c_sets_the_token_and_a_second_one_interrupts():
    token = CancelToken()
    with holding_interrupts(token):
        press_ctrl_c()
        assert token.is_set
        with pytest.raises(KeyboardInterrupt):
            press_ctrl_c()


def test_ctrl_c_is_as_before_when_the_work_is_over():
    before = signal.getsignal(signal.SIGINT)
    with cancelling_on_interrupt() as token:
        outer = signal.getsignal(signal.SIGINT)
        assert outer is not before
        with holding_interrupts(token):
            assert signal.getsignal(signal.SIGINT) is not outer
        assert signal.getsignal(signal.SIGINT) is outer
    assert signal.getsignal(signal.SIGINT) is before


def test_threads_other_than_the_main_one_leave_ctrl_c_alone():
    seen = []

    def work():
        with cancelling_on_interrupt() as token, holding_interrupts(token):
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [signal.getsignal(signal.SIGINT)]


# --------------------------------------------------------------------------------------------------
# Tasks that share a memory: which are handed out, and what becomes free when one is finished.


MEMORY_BYTES = 100


def make_feed(*memory_bytes):
    tasks = [Task(str(n), n, size) for n, size in enumerate(memory_bytes)]
    return TaskQueue(iter(tasks), MEMORY_BYTES)


def test_tasks_are_handed_out_as_long_as_they_fit_together():
    feed = make_feed(60, 40, 1)
    assert [feed.take().item, feed.take().item] == [0, 1]
    assert feed.take() is None


def test_memory_of_a_finished_task_is_free_for_the_next_one():
    feed = make_feed(60, 30, 60, 10, 1)
    first, second = feed.take(), feed.take()
    assert feed.take() is None
    feed.give_back(first)
    # Another task is still under way, so these are handed out only because they fit beside it.
    assert [feed.take().item, feed.take().item] == [2, 3]
    assert feed.take() is None
    feed.give_back(second)
    assert feed.take().item == 4


def test_no_more_memory_is_given_back_than_was_taken():
    feed = make_feed(30, 60, 50)
    feed.give_back(feed.take())
    assert feed.take().item == 1
    assert feed.take() is None


def test_what_is_too_large_is_handed_out_alone():
    feed = make_feed(10, 500, 10)
    first = feed.take()
    assert feed.take() is None
    feed.give_back(first)
    too_large = feed.take()
    assert too_large.item == 1
    assert feed.take() is None
    feed.give_back(too_large)
    assert feed.take().item == 2


@pytest.mark.parametrize("place", [0, 1])
def test_a_task_that_wants_to_be_alone_waits_and_is_waited_for(place):
    tasks = [Task(str(n), n, is_alone=n == place) for n in range(3)]
    feed = TaskQueue(iter(tasks), MEMORY_BYTES)
    for number in range(place + 1):
        task = feed.take()
        assert task.item == number
        assert feed.take() is None
        feed.give_back(task)
    assert feed.take().item == place + 1


def test_nothing_is_left_after_the_last_task():
    feed = make_feed(1)
    feed.give_back(feed.take())
    assert feed.take() is None
