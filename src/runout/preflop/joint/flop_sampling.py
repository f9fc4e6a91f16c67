"""Which flops an iteration visits: all of them, or a few drawn by weight."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from runout.arrays import FloatArray, IntArray
from runout.errors import FlopListError


class DrawnFlops(NamedTuple):
    """The flops of one iteration.

    Attributes:
        number: ``[n]`` their numbers, ascending.
        scale: ``[n]`` one over the probability that each is drawn: sums over the drawn flops,
            scaled by it, have the mean of sums over all flops.
    """

    number: IntArray
    scale: FloatArray


@dataclass(frozen=True, eq=False)
class FlopSampler:
    """Draws flops with probabilities proportional to their weights.

    Attributes:
        weights: ``[F]`` of the flops.
        per_iteration: how many are drawn each time; None for all of them.
        seed: of the draws. What an iteration draws depends on it and on the iteration alone.
    """

    weights: FloatArray
    per_iteration: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        count = self.per_iteration
        if count is not None and not 1 <= count <= len(self.weights):
            problem = f"{count} cannot be drawn of {len(self.weights)} flops"
            raise FlopListError("flops_per_iteration", problem)

    def draw(self, iteration: int) -> DrawnFlops:
        """Returns the flops of an iteration.

        Systematic sampling: equally spaced points along the weights in a random order, so that no
        flop is drawn twice and the number drawn is always the same. A flop heavier than the
        spacing is certain to be drawn.
        """
        everything = np.arange(len(self.weights))
        if self.per_iteration is None or self.per_iteration == len(self.weights):
            return DrawnFlops(everything, np.ones(len(self.weights)))
        generator = np.random.default_rng([self.seed, iteration])
        probability = self.probabilities()
        order = generator.permutation(everything)
        ends = probability[order].cumsum()
        points = np.arange(self.per_iteration) + generator.random()
        # Rounding can leave the last point beyond the end.
        positions = np.minimum(np.searchsorted(ends, points, side="right"), len(order) - 1)
        drawn = np.unique(order[positions])
        return DrawnFlops(drawn, 1.0 / probability[drawn])

    def probabilities(self) -> FloatArray:
        """Returns ``[F]`` how likely each flop is drawn in an iteration."""
        if self.per_iteration is None:
            return np.ones(len(self.weights))
        is_certain = np.zeros(len(self.weights), dtype=np.bool_)
        while True:
            left = self.per_iteration - int(is_certain.sum())
            open_weight = self.weights[~is_certain].sum()
            probability = np.where(is_certain, 1.0, self.weights * left / max(open_weight, 1e-300))
            grown = is_certain | (probability >= 1.0)
            if (grown == is_certain).all():
                return probability
            is_certain = grown
