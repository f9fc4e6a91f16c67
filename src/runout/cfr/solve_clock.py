"""The time that a solve takes, without what was spent on compiling kernels."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from runout.events import Event, KernelCompiled, KernelCompiling
from runout.jit import reporting_compilation


class SolveClock:
    """Seconds since it was made; it stands still while a kernel is compiled, in whatever thread."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._started = clock()
        self._num_compiling = 0
        self._stopped_at = 0.0

    def seconds(self) -> float:
        """Returns the time so far."""
        return (self._stopped_at if self._num_compiling else self._clock()) - self._started

    def on_event(self, event: Event) -> None:
        """Stops the clock and lets it go on; kernels are compiled inside those that call them."""
        match event:
            case KernelCompiling():
                if self._num_compiling == 0:
                    self._stopped_at = self._clock()
                self._num_compiling += 1
            case KernelCompiled():
                self._num_compiling -= 1
                if self._num_compiling == 0:
                    self._started += self._clock() - self._stopped_at


@contextmanager
def timing_solve() -> Iterator[SolveClock]:
    """Yields a clock that knows when kernels are compiled, as long as the block lasts."""
    clock = SolveClock(time.perf_counter)
    with reporting_compilation(clock.on_event):
        yield clock
