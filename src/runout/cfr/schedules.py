"""CFR variants as data, and when a solve is good enough."""

from dataclasses import dataclass
from enum import Enum
from math import inf
from typing import NamedTuple

import numpy as np

from runout.arrays import FloatArray, IntArray

# CFR variants as data: one update rule, three weights per iteration.
#
# Every variant we use is a point of Discounted CFR (Brown & Sandholm 2019, arXiv 1809.04040), so
# the kernels never branch on a variant's name.


class DiscountWeights(NamedTuple):
    """Multipliers applied to the accumulated tables before the next iteration is added."""

    positive_regret: float
    negative_regret: float
    strategy: float


@dataclass(frozen=True)
class DiscountSchedule:
    """Discounted CFR exponents; t counts the completed iterations.

    Attributes:
        alpha: positive regrets are scaled by ``t**alpha / (t**alpha + 1)``.
        beta: negative regrets are scaled by ``t**beta / (t**beta + 1)``.
        gamma: the strategy sum is scaled by ``(t / (t + 1))**gamma``.
        num_rising: in so many iterations alpha rises from ``first_alpha``, because what is learned
            from strategies that were hardly better than chance is best forgotten soon, and beta
            from 0: later on, actions that were bad for long come back only with good reason.
        first_alpha: where alpha begins.
    """

    alpha: float
    beta: float
    gamma: float
    num_rising: int = 0
    first_alpha: float = 1.0

    def weights(self, completed_iterations: int) -> DiscountWeights:
        """Returns the multipliers to apply after ``completed_iterations`` iterations."""
        t = float(completed_iterations)
        if t == 0.0:
            return DiscountWeights(0.0, 0.0, 0.0)
        return DiscountWeights(
            positive_regret=_ratio(t, self._rising(t, self.first_alpha, self.alpha)),
            negative_regret=_ratio(t, self._rising(t, 0.0, self.beta)),
            strategy=(t / (t + 1.0)) ** self.gamma,
        )

    def weight_rows(self, completed_iterations: IntArray) -> FloatArray:
        """Returns ``[n, 3]`` the `weights` of many iterations at once, in the order of fields."""
        rows = [self.weights(number) for number in completed_iterations.tolist()]
        return np.array(rows, np.float64).reshape(-1, len(DiscountWeights._fields))

    def _rising(self, completed_iterations: float, first: float, last: float) -> float:
        if completed_iterations >= self.num_rising:
            return last
        return first + (last - first) * completed_iterations / self.num_rising


VANILLA = DiscountSchedule(alpha=inf, beta=inf, gamma=0.0)
LINEAR = DiscountSchedule(alpha=1.0, beta=1.0, gamma=1.0)
CFR_PLUS = DiscountSchedule(alpha=inf, beta=-inf, gamma=1.0)
DCFR = DiscountSchedule(alpha=1.5, beta=0.0, gamma=2.0)
DCFR_PLUS = DiscountSchedule(alpha=1.5, beta=-inf, gamma=4.0)
#: DCFR that forgets early strategies sooner.
DCFR4 = DiscountSchedule(alpha=1.5, beta=0.0, gamma=4.0)
#: DCFR4 whose exponents rise: the fewest iterations on spots (docs/spot.md).
DCFR_SPOT = DiscountSchedule(alpha=1.75, beta=0.5, gamma=4.0, num_rising=150, first_alpha=1.25)
#: DCFR4 that forgets the very first iterations sooner: the fewest on flops with compact rivers
#: (docs/compact.md).
DCFR6 = DiscountSchedule(alpha=2.5, beta=0.0, gamma=6.0, num_rising=75)
#: For preflop and flops as one game: a quarter fewer iterations than `DCFR4` (docs/joint.md).
DCFR_JOINT = DiscountSchedule(alpha=2.5, beta=0.0, gamma=6.0)

#: The variants by the names that configs use.
VARIANTS = {
    "vanilla": VANILLA,
    "linear": LINEAR,
    "cfr+": CFR_PLUS,
    "dcfr": DCFR,
    "dcfr+": DCFR_PLUS,
    "dcfr4": DCFR4,
    "dcfr6": DCFR6,
    "dcfr-spot": DCFR_SPOT,
}


def _ratio(t: float, exponent: float) -> float:
    # Powers of Python's floats: those of numpy's arrays differ between processors.
    if exponent == inf:
        return 1.0
    if exponent == -inf:
        return 0.0
    power = float(t**exponent)
    return power / (power + 1.0)


# When a solve is good enough, and what it has reached.

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
        history_every: it is measured at all multiples of this, too, for a history; None for when
            the target may be reached only.
    """

    max_iterations: int
    max_seconds: float | None = None
    exploitability: float | None = None
    strategy_delta: float | None = None
    check_every: int = 10
    history_every: int | None = None

    def is_check(self, iteration: int, measured: "Measurement | None") -> bool:
        """Returns whether exploitability is measured after an iteration.

        It is not before it may be low enough, but often enough for a curve.

        Args:
            iteration: iterations done.
            measured: the last measurement, which was not low enough; None before the first.
        """
        if self.history_every is not None and iteration % self.history_every == 0:
            return True
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
