"""When a solve is good enough, and what it has reached."""

from dataclasses import dataclass
from enum import Enum

#: Exploitability is taken to fall no faster than iterations to this power; about two is usual.
_FASTEST_FALL = 3.0

#: Between two measurements iterations at most grow by this factor, so that a curve can be drawn.
_LARGEST_LEAP = 2.0


class StopReason(Enum):
    """Why a solve ended."""

    ITERATIONS = "all iterations done"
    SECONDS = "time is up"
    EXPLOITABILITY = "exploitability reached"
    STRATEGY_DELTA = "strategy has settled"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True)
class StoppingRule:
    """A solve ends as soon as one of its limits is met; None means no limit.

    Attributes:
        max_iterations: iterations, each updating both players.
        max_seconds: time, looked at after every iteration.
        exploitability: in the unit of the game's values; measured when it may be reached.
        strategy_delta: largest change of an action's probability from one iteration to the next.
        check_every: exploitability is measured at multiples of so many iterations; to measure
            costs about as much as an iteration.
    """

    max_iterations: int
    max_seconds: float | None = None
    exploitability: float | None = None
    strategy_delta: float | None = None
    check_every: int = 10

    def is_check(self, iteration: int, measured: "Measurement | None") -> bool:
        """Returns whether exploitability is measured after an iteration.

        It is not before it may be low enough, but often enough for a curve.

        Args:
            iteration: iterations done.
            measured: the last measurement, which was not low enough; None before the first.
        """
        if self.exploitability is None or iteration % self.check_every:
            return False
        if measured is None:
            return True
        last, reached = measured
        leap = _LARGEST_LEAP
        if self.exploitability > 0.0:
            too_high = max(reached / self.exploitability, 0.0)
            leap = min(leap, too_high ** (1.0 / _FASTEST_FALL))
        return iteration >= last * leap


#: After how many iterations exploitability was measured, and what it was.
Measurement = tuple[int, float]


@dataclass(frozen=True)
class SolveProgress:
    """Where a solve stands after an iteration.

    Attributes:
        iteration: iterations done.
        max_iterations: where it ends at the latest.
        seconds: time since the solve began.
        strategy_delta: largest change of an action's probability in the last iteration.
        exploitability: the last one measured, in the unit of the game's values; None before.
        is_measured: whether it was measured after this very iteration.
        round: which of several solves on top of each other it is, 1 for the first.
        total_rounds: how many there will be at most.
        stop_reason: why it ends here; None if it goes on.
    """

    iteration: int
    max_iterations: int
    seconds: float
    strategy_delta: float
    exploitability: float | None
    is_measured: bool = False
    round: int = 1
    total_rounds: int = 1
    stop_reason: StopReason | None = None

    @property
    def is_converged(self) -> bool:
        """Whether it ends because it is good enough."""
        return self.stop_reason in (StopReason.EXPLOITABILITY, StopReason.STRATEGY_DELTA)

    def reason_to_stop(self, rule: StoppingRule) -> StopReason | None:
        """Returns the first limit of the rule that is met, None if it goes on."""
        if rule.exploitability is not None and self.exploitability is not None:
            if self.exploitability <= rule.exploitability:
                return StopReason.EXPLOITABILITY
        if rule.strategy_delta is not None and self.strategy_delta <= rule.strategy_delta:
            return StopReason.STRATEGY_DELTA
        if self.iteration >= self.max_iterations:
            return StopReason.ITERATIONS
        if rule.max_seconds is not None and self.seconds >= rule.max_seconds:
            return StopReason.SECONDS
        return None


@dataclass(frozen=True)
class SolveOutcome:
    """The end of a solve: why, and what was reached; exploitability is always measured."""

    reason: StopReason
    iterations: int
    seconds: float
    strategy_delta: float
    exploitability: float
