"""How long the solve of a spot will take, told from how its exploitability has fallen so far.

Exploitability falls about like a power of the iterations, so on logarithmic scales it is a line.
"""

import math

from runout.events import SpotSolving

#: The line is drawn through what was measured since this share of the iterations.
_LOOKING_BACK = 0.25

#: A slower fall than the iterations to this power is no base for a forecast.
_SLOWEST_FALL = 0.1


class SpotForecast:
    """Follows the events of one solve."""

    def __init__(self) -> None:
        self._first: SpotSolving | None = None
        self._measured: list[tuple[int, float]] = []

    def seconds_left(self, event: SpotSolving) -> float:
        """Returns the time until the first limit is met; 0 if nobody knows yet."""
        chips = event.exploitability_chips
        if chips is not None and (not self._measured or self._measured[-1][1] != chips):
            self._measured.append((event.iteration, chips))
        if self._first is None:
            self._first = event  # compiling came before it and says nothing about what follows
            return 0.0
        iterations = event.iteration - self._first.iteration
        seconds = event.seconds - self._first.seconds
        if iterations <= 0 or seconds <= 0.0:
            return 0.0
        last = self._last_iteration(event)
        left = (last - event.iteration) * seconds / iterations
        if event.max_seconds is not None:
            left = min(left, event.max_seconds - event.seconds)
        return max(left, 0.0) if math.isfinite(left) else 0.0

    def _last_iteration(self, event: SpotSolving) -> float:
        """Returns the iteration at which the target will be reached, or all are done."""
        if event.target_chips is None or not self._measured:
            return event.max_iterations
        iteration, chips = self._measured[-1]
        before = self._measured[:-1]
        recent = [seen for seen in before if seen[0] >= _LOOKING_BACK * iteration]
        earlier = next(iter(recent or before[-1:]), None)
        if earlier is None or earlier[0] == iteration or not 0.0 < chips < earlier[1]:
            return event.max_iterations
        fall = math.log(earlier[1] / chips) / math.log(iteration / earlier[0])
        if fall < _SLOWEST_FALL:
            return event.max_iterations
        reached = iteration * math.pow(chips / event.target_chips, 1.0 / fall)
        return min(reached, event.max_iterations)
