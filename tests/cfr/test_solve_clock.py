"""A clock that does not count compiling."""

import numba

from runout.cfr.solve_clock import SolveClock, timing_solve
from runout.events import KernelCompiled, KernelCompiling


def test_the_clock_stands_still_while_kernels_are_compiled():
    now = [10.0]
    clock = SolveClock(lambda: now[0])
    now[0] = 12.0
    assert clock.seconds() == 2.0
    clock.on_event(KernelCompiling("outer", 0, 2))
    now[0] = 15.0
    clock.on_event(KernelCompiling("inner", 0, 2))
    now[0] = 20.0
    clock.on_event(KernelCompiled("inner", 5.0))
    now[0] = 21.0
    assert clock.seconds() == 2.0
    clock.on_event(KernelCompiled("outer", 9.0))
    assert clock.seconds() == 2.0
    now[0] = 22.5
    assert clock.seconds() == 3.5


def test_kernels_that_are_compiled_in_the_block_stop_the_clock(monkeypatch):
    seen = []
    monkeypatch.setattr(SolveClock, "on_event", lambda self, event: seen.append(type(event)))
    add_one = numba.njit(lambda number: number + 1)
    add_one.py_func.__module__ = "runout.toy"  # only kernels of ours are told
    with timing_solve() as clock:
        add_one(1)
    add_one(1.0)
    assert clock.seconds() >= 0.0
    assert seen == [KernelCompiling, KernelCompiled]
