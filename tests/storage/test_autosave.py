import threading

import pytest

from runout.errors import BundleError
from runout.storage.autosave import Autosave


class Work:
    """Counts the halves of saves, on a clock that only tests move."""

    def __init__(self, interval_seconds=300.0, pause_seconds=0.0):
        self.seconds = 1000.0
        self.pause_seconds = pause_seconds
        self.begun, self.finished, self.failures = [], [], []
        self.may_finish = threading.Event()
        self.may_finish.set()
        self.error = None
        self.autosave = Autosave(
            interval_seconds, self.begin, self.failures.append, lambda: self.seconds
        )

    def begin(self):
        self.begun.append(self.seconds)
        self.seconds += self.pause_seconds
        state = self.seconds

        def finish():
            self.may_finish.wait()
            if self.error is not None:
                raise self.error
            self.finished.append((state, threading.current_thread()))

        return finish

    def go_on(self, seconds):
        self.seconds += seconds
        self.autosave.save_if_due()
        thread = self.autosave._finishing
        if thread is not None and self.may_finish.is_set():
            thread.join()


def test_work_is_saved_every_interval_and_not_before():
    work = Work()
    with work.autosave:
        for _ in range(100):
            work.go_on(10.0)
    assert work.begun == [1300.0, 1600.0, 1900.0]
    assert [state for state, _ in work.finished] == work.begun


def test_an_interval_of_nothing_saves_never():
    work = Work(interval_seconds=0.0)
    with work.autosave:
        work.go_on(1e9)
    assert work.begun == []


def test_a_thread_finishes_what_the_work_began():
    work = Work()
    with work.autosave:
        work.go_on(301.0)
    ((_, thread),) = work.finished
    assert thread is not threading.current_thread()


def test_no_save_begins_before_the_last_is_finished_and_the_end_waits_for_it():
    work = Work()
    work.may_finish.clear()
    with work.autosave:
        work.go_on(301.0)
        work.go_on(301.0)
        assert (len(work.begun), len(work.finished)) == (1, 0)
        work.may_finish.set()
    assert len(work.finished) == 1


def test_saving_takes_at_most_a_twentieth_of_the_time():
    work = Work(interval_seconds=10.0, pause_seconds=30.0)
    with work.autosave:
        for _ in range(1000):
            work.go_on(5.0)
    assert len(work.begun) * 30.0 <= (work.seconds - 1000.0) / 20.0 + 30.0


def test_a_failed_save_is_told_and_tried_again():
    work = Work()
    work.error = BundleError("disk", "is full")
    with work.autosave:
        work.go_on(301.0)
        assert work.failures == []
        work.error = None
        work.go_on(301.0)
        assert [str(error) for error in work.failures] == ["disk: is full"]
    assert len(work.finished) == 1


def test_a_save_that_cannot_begin_is_told_and_tried_again():
    work = Work()
    begin, work.autosave._begin = work.autosave._begin, fail_to_begin
    with work.autosave:
        work.go_on(301.0)
        assert [str(error) for error in work.failures] == ["disk: is full"]
        work.autosave._begin = begin
        work.go_on(301.0)
    assert len(work.finished) == 1


def fail_to_begin():
    raise BundleError("disk", "is full")


def test_a_defect_of_ours_is_no_failed_save():
    work = Work()
    work.error = ZeroDivisionError()
    with pytest.raises(ZeroDivisionError), work.autosave:
        work.go_on(301.0)
