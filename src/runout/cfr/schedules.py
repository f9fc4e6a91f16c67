"""CFR variants as data, and when a solve is good enough."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from math import inf
from typing import NamedTuple

from runout.errors import ConfigError, quote, short_repr

# CFR variants as data: one update rule, three weights per iteration.
#
# Every variant we use is a point of Discounted CFR (Brown & Sandholm 2019, arXiv 1809.04040), so
# the kernels never branch on a variant's name.


class DiscountWeights(NamedTuple):
    """Multipliers applied to the accumulated tables before the next iteration is added."""

    positive_regret: float
    negative_regret: float
    strategy: float


@dataclass(frozen=True, repr=False)
class Schedule:
    """A CFR variant: how regrets and strategy sums of earlier iterations count; t are completed.

    >>> from runout import Schedule
    >>> Schedule.parse("cfr+").weights(4)
    DiscountWeights(positive_regret=1.0, negative_regret=0.0, strategy=0.8)
    >>> Schedule(alpha=1.5, beta=0.0, gamma=2.0) == Schedule.parse("dcfr")
    True
    >>> Schedule.custom(lambda t: (1.0, 0.5, t / (t + 1))).weights(1).strategy
    0.5

    Attributes:
        alpha: positive regrets are scaled by ``t**alpha / (t**alpha + 1)``.
        beta: negative regrets are scaled by ``t**beta / (t**beta + 1)``.
        gamma: the strategy sum is scaled by ``(t / (t + 1))**gamma``.
        num_rising: in so many iterations alpha rises from ``first_alpha``, because what is learned
            from strategies that were hardly better than chance is best forgotten soon, and beta
            from 0: later on, actions that were bad for long come back only with good reason.
        first_alpha: where alpha begins.
        function: of a custom schedule: returns the three weights after t iterations, t >= 1.
    """

    alpha: float = 1.5
    beta: float = 0.0
    gamma: float = 2.0
    num_rising: int = 0
    first_alpha: float = 1.0
    function: Callable[[int], Sequence[float]] | None = None

    __repr__ = short_repr

    @classmethod
    def parse(cls, value: "Schedule | str") -> "Schedule":
        """Reads the name of a variant; a schedule is returned as it is."""
        if isinstance(value, str) and value.lower() not in VARIANTS:
            raise ConfigError("schedule", f"{quote(value)} is none of {', '.join(VARIANTS)}")
        return VARIANTS[value.lower()] if isinstance(value, str) else value

    @classmethod
    def custom(cls, function: Callable[[int], Sequence[float]]) -> "Schedule":
        """Returns a schedule whose weights are a function of t >= 1 completed iterations.

        It returns what positive regrets, negative regrets and the strategy sum are multiplied by
        before iteration t + 1 is added.
        """
        return cls(function=function)

    def __str__(self) -> str:
        names = [name for name, schedule in VARIANTS.items() if schedule == self]
        return (names or [repr(self) if self.function is None else "custom"])[0]

    def weights(self, completed_iterations: int) -> DiscountWeights:
        """Returns the multipliers to apply after ``completed_iterations`` iterations."""
        t = float(completed_iterations)
        if t == 0.0:
            return DiscountWeights(0.0, 0.0, 0.0)
        if self.function is not None:
            given = tuple(self.function(completed_iterations))
            if len(given) != len(DiscountWeights._fields) or not all(0.0 <= w < inf for w in given):
                problem = f"{quote(given)} is not three numbers from 0 up"
                raise ConfigError(f"schedule, after {completed_iterations} iterations", problem)
            return DiscountWeights(*map(float, given))
        return DiscountWeights(
            positive_regret=_ratio(t, self._rising(t, self.first_alpha, self.alpha)),
            negative_regret=_ratio(t, self._rising(t, 0.0, self.beta)),
            strategy=(t / (t + 1.0)) ** self.gamma,
        )

    def _rising(self, completed_iterations: float, first: float, last: float) -> float:
        if completed_iterations >= self.num_rising:
            return last
        return first + (last - first) * completed_iterations / self.num_rising


VANILLA = Schedule(alpha=inf, beta=inf, gamma=0.0)
LINEAR = Schedule(alpha=1.0, beta=1.0, gamma=1.0)
CFR_PLUS = Schedule(alpha=inf, beta=-inf, gamma=1.0)
DCFR = Schedule(alpha=1.5, beta=0.0, gamma=2.0)
DCFR_PLUS = Schedule(alpha=1.5, beta=-inf, gamma=4.0)
#: DCFR that forgets early strategies sooner.
DCFR4 = Schedule(alpha=1.5, beta=0.0, gamma=4.0)
#: DCFR4 whose exponents rise: the fewest iterations on spots (docs/spot.md).
DCFR_SPOT = Schedule(alpha=1.75, beta=0.5, gamma=4.0, num_rising=150, first_alpha=1.25)
#: DCFR4 that forgets the very first iterations sooner: the fewest on flops with compact rivers
#: (docs/compact.md).
DCFR6 = Schedule(alpha=2.5, beta=0.0, gamma=6.0, num_rising=75)
#: For preflop and flops as one game: a quarter fewer iterations than `DCFR4` (docs/joint.md).
DCFR_JOINT = Schedule(alpha=2.5, beta=0.0, gamma=6.0)

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


@dataclass(frozen=True, repr=False)
class StoppingRule:
    """A solve ends as soon as one of its limits is met; None means no limit.

    Attributes:
        max_iterations: iterations, each updating both players.
        max_seconds: time, looked at after every iteration.
        exploitability: in the unit of the game's values; measured when it may be reached.
        strategy_delta: largest change of an action's probability from one iteration to the next.
        check_every: exploitability is measured at multiples of so many iterations; to measure
            costs about as much as an iteration.
        history_every: it is also measured at multiples of this, for `SolveOutcome.history`.

    >>> from runout import CfrSolver, StoppingRule, games
    >>> outcome = CfrSolver(games.kuhn()).solve(StoppingRule(1_000, exploitability=0.01))
    >>> outcome.reason.value, outcome.exploitability <= 0.01
    ('exploitability reached', True)
    """

    max_iterations: int
    max_seconds: float | None = None
    exploitability: float | None = None
    strategy_delta: float | None = None
    check_every: int = 10
    history_every: int | None = None

    __repr__ = short_repr

    def is_check(self, iteration: int, history: "Sequence[Measurement]") -> bool:
        """Returns whether exploitability is measured after an iteration.

        It is not before it may be low enough, judged by the last measurement before, but often
        enough for a curve.
        """
        if self.history_every and iteration % self.history_every == 0:
            return True
        if self.exploitability is None or iteration % self.check_every:
            return False
        if not history:
            return True
        last, reached = history[-1]
        leap = _LARGEST_LEAP
        if self.exploitability > 0.0:
            too_high = max(reached / self.exploitability, 0.0)
            leap = min(leap, too_high ** (1.0 / _FASTEST_FALL))
        return iteration >= last * leap


#: After how many iterations exploitability was measured, and what it was.
Measurement = tuple[int, float]


@dataclass(frozen=True)
class SolveProgress:
    """Where a solve stands after an iteration; rounds are solves on top of each other."""

    iteration: int
    max_iterations: int
    seconds: float  # since the solve began
    strategy_delta: float  # largest change of an action's probability in the last iteration
    exploitability: float | None  # the last one measured, in the unit of the game; None before
    is_measured: bool = False  # after this very iteration
    round: int = 1
    total_rounds: int = 1  # at most
    stop_reason: StopReason | None = None  # None if it goes on

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
    """The end of a solve: why, and what was reached in all sittings."""

    reason: StopReason
    iterations: int
    seconds: float
    strategy_delta: float
    exploitability: float  # always measured, in the unit of the game
    history: tuple[Measurement, ...] = ()  # whenever it was measured
