"""CFR variants as data: one update rule, three weights per iteration.

Every variant we use is a point of Discounted CFR (Brown & Sandholm 2019, arXiv 1809.04040), so the
kernels never branch on a variant's name.
"""

from dataclasses import dataclass
from math import inf
from typing import NamedTuple

import numpy as np

from runout.arrays import FloatArray, IntArray


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
