"""A clock that does not count compiling."""

import numba

from runout.cfr import solve_clock
from runout.cfr.solve_clock import CompileTimer, solve_time
from runout.events import KernelCompiled, KernelCompiling


def test_the_clock_stands_still_while_kernels_are_compiled(monkeypatch):
    now = [10.0]
    monkeypatch.setattr(solve_clock.time, "perf_counter", lambda: now[0])
    timer = CompileTimer()
    started = timer.time_beside()
    now[0] = 12.0
    assert timer.time_beside() - started == 2.0
    timer.on_event(KernelCompiling("outer", 0, 2))
    now[0] = 15.0
    timer.on_event(KernelCompiling("inner", 0, 2))
    now[0] = 20.0
    timer.on_event(KernelCompiled("inner", 5.0))
    now[0] = 21.0
    assert timer.time_beside() - started == 2.0
    timer.on_event(KernelCompiled("outer", 9.0))
    assert timer.time_beside() - started == 2.0
    now[0] = 22.5
    assert timer.time_beside() - started == 3.5


def test_kernels_that_are_compiled_stop_the_clock(monkeypatch):
    now = [0.0]

    def tick():
        now[0] += 1.0
        return now[0]

    add_one = numba.njit(lambda number: number + 1)
    add_one.py_func.__module__ = "runout.toy"  # only kernels of ours are told
    monkeypatch.setattr(solve_clock.time, "perf_counter", tick)
    started = solve_time()
    add_one(1)
    compiled = now[0]
    assert solve_time() - started < compiled
    first = solve_time()
    add_one(1)  # compiled already
    assert solve_time() - first == 1.0
