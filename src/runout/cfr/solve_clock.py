"""The time that solves take, without what was spent on compiling kernels."""

import time
from contextlib import ExitStack

from runout.events import Event, KernelCompiled, KernelCompiling
from runout.jit import reporting_compilation


class CompileTimer:
    """How long kernels were being compiled, in whatever thread; events tell it when."""

    def __init__(self) -> None:
        self._num_compiling = 0
        self._began_at = 0.0
        self._seconds = 0.0

    def on_event(self, event: Event) -> None:
        """Counts the time of outermost kernels; others are compiled inside those that call them."""
        match event:
            case KernelCompiling():
                if self._num_compiling == 0:
                    self._began_at = time.perf_counter()
                self._num_compiling += 1
            case KernelCompiled():
                # In this order: who reads the clock meanwhile may see it late, but never early.
                if self._num_compiling == 1:
                    self._seconds += time.perf_counter() - self._began_at
                self._num_compiling -= 1

    def time_beside(self) -> float:
        """Returns a clock's time in seconds; it stands still while something is compiled."""
        now = self._began_at if self._num_compiling else time.perf_counter()
        return now - self._seconds


#: It listens as long as the process lives: solves begin and end in many threads at a time.
_TIMER = CompileTimer()
_LISTENING = ExitStack()
_LISTENING.enter_context(reporting_compilation(_TIMER.on_event))


def solve_time() -> float:
    """Returns the time of a clock in seconds, which stands still while kernels are compiled."""
    return _TIMER.time_beside()
