"""How long a solve will take, told from how its exploitability has fallen so far.

Exploitability falls about like a power of the iterations, so on logarithmic scales it is a line.
"""

import math
from typing import NamedTuple

#: The line is drawn through what was measured since this share of the iterations.
_LOOKING_BACK = 0.25

#: A slower fall than the iterations to this power is no base for a forecast.
_SLOWEST_FALL = 0.1


class Standing(NamedTuple):
    """Where a solve stands.

    Attributes:
        iteration: iterations done, those of earlier sittings included.
        max_iterations: where it ends at the latest.
        exploitability: the last one measured, in any unit; None before.
        target: where it ends, in the same unit; None if it does not look at exploitability.
        seconds: since this sitting began.
        max_seconds: when it ends at the latest; None for never.
    """

    iteration: int
    max_iterations: int
    exploitability: float | None
    target: float | None
    seconds: float
    max_seconds: float | None


class Forecast:
    """Follows one solve.

    Attributes:
        is_at_most: whether the last answer counted on all iterations, as nothing else was known.
    """

    def __init__(self) -> None:
        self.is_at_most = True
        self._first: Standing | None = None
        self._measured: list[tuple[int, float]] = []

    def seconds_left(self, now: Standing) -> float:
        """Returns the time until the first limit is met; 0 if nobody knows yet."""
        measured = now.exploitability
        if measured is not None and (not self._measured or self._measured[-1][1] != measured):
            self._measured.append((now.iteration, measured))
        if self._first is None:
            self._first = now  # compiling came before it and says nothing about what follows
            return 0.0
        iterations = now.iteration - self._first.iteration
        seconds = now.seconds - self._first.seconds
        if iterations <= 0 or seconds <= 0.0:
            return 0.0
        last = self._last_iteration(now)
        self.is_at_most = last == now.max_iterations
        left = (last - now.iteration) * seconds / iterations
        if now.max_seconds is not None:
            left = min(left, now.max_seconds - now.seconds)
        return max(left, 0.0) if math.isfinite(left) else 0.0

    def _last_iteration(self, now: Standing) -> float:
        """Returns the iteration at which the target will be reached, or all are done."""
        if now.target is None or not self._measured:
            return now.max_iterations
        iteration, measured = self._measured[-1]
        before = self._measured[:-1]
        recent = [seen for seen in before if seen[0] >= _LOOKING_BACK * iteration]
        earlier = next(iter(recent or before[-1:]), None)
        if earlier is None or earlier[0] == iteration or not 0.0 < measured < earlier[1]:
            return now.max_iterations
        fall = math.log(earlier[1] / measured) / math.log(iteration / earlier[0])
        if fall < _SLOWEST_FALL:
            return now.max_iterations
        reached = iteration * math.pow(measured / now.target, 1.0 / fall)
        return min(reached, now.max_iterations)
