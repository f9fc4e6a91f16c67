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
        num_rising: in so many iterations alpha rises from 1: what is learned from strategies that
            were hardly better than chance is forgotten sooner.
    """

    alpha: float
    beta: float
    gamma: float
    num_rising: int = 0

    def weights(self, completed_iterations: int) -> DiscountWeights:
        """Returns the multipliers to apply after ``completed_iterations`` iterations."""
        t = float(completed_iterations)
        if t == 0.0:
            return DiscountWeights(0.0, 0.0, 0.0)
        return DiscountWeights(
            positive_regret=_ratio(t, self._alpha_after(t)),
            negative_regret=_ratio(t, self.beta),
            strategy=(t / (t + 1.0)) ** self.gamma,
        )

    def weight_rows(self, completed_iterations: IntArray) -> FloatArray:
        """Returns ``[n, 3]`` the `weights` of many iterations at once, in the order of fields."""
        t = np.maximum(completed_iterations, 1).astype(np.float64)
        columns = [
            np.array([_ratio(number, self._alpha_after(number)) for number in t.tolist()]),
            _ratios(t, self.beta),
            _powers(t / (t + 1.0), self.gamma),
        ]
        rows: FloatArray = np.stack(columns, axis=1)
        rows[completed_iterations == 0] = 0.0
        return rows

    def _alpha_after(self, completed_iterations: float) -> float:
        if completed_iterations >= self.num_rising:
            return self.alpha
        return 1.0 + (self.alpha - 1.0) * completed_iterations / self.num_rising


VANILLA = DiscountSchedule(alpha=inf, beta=inf, gamma=0.0)
LINEAR = DiscountSchedule(alpha=1.0, beta=1.0, gamma=1.0)
CFR_PLUS = DiscountSchedule(alpha=inf, beta=-inf, gamma=1.0)
DCFR = DiscountSchedule(alpha=1.5, beta=0.0, gamma=2.0)
DCFR_PLUS = DiscountSchedule(alpha=1.5, beta=-inf, gamma=4.0)
#: DCFR that forgets early strategies sooner: the fewest iterations on spots (docs/spot.md).
DCFR4 = DiscountSchedule(alpha=1.5, beta=0.0, gamma=4.0)
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
}


def _ratio(t: float, exponent: float) -> float:
    if exponent == inf:
        return 1.0
    if exponent == -inf:
        return 0.0
    power = float(t**exponent)
    return power / (power + 1.0)


def _ratios(t: FloatArray, exponent: float) -> FloatArray:
    if exponent in (inf, -inf):
        return np.full(t.shape, _ratio(1.0, exponent))
    powers = _powers(t, exponent)
    return powers / (powers + 1.0)


def _powers(bases: FloatArray, exponent: float) -> FloatArray:
    """Returns powers as Python's floats have them; those of arrays differ between processors."""
    return np.array([base**exponent for base in bases.tolist()])
