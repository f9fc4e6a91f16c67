"""The token that ends work, and what Ctrl-C has to do with it."""

import os
import signal
import threading

import pytest

from runout.execution.cancel import (
    CancelledError,
    CancelToken,
    cancelling_on_interrupt,
    holding_interrupts,
)


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
