"""What a player has learned in buckets: one row per action of a street, one column per bucket."""

from dataclasses import dataclass

import numpy as np

from runout.arrays import FloatArray, Int32Array
from runout.cfr.discounting import DiscountWeights
from runout.holdem.street_kernels import HERO_ACTS
from runout.holdem.street_template import StreetTemplate
from runout.postflop.bucketed import bucket_kernels


@dataclass(frozen=True, eq=False)
class BucketTables:
    """The tables of one player on one street.

    Attributes:
        first_action: ``[D]`` the row of each decision's first action.
        num_actions: ``[D]``.
        regret: ``[A, B]`` discounted regrets.
        strategy_sum: ``[A, B]`` discounted sums of reach times strategy.
        strategy: ``[A, B]`` what is played now.
        average: ``[A, B]`` the average strategy.
    """

    first_action: Int32Array
    num_actions: Int32Array
    regret: FloatArray
    strategy_sum: FloatArray
    strategy: FloatArray
    average: FloatArray

    @classmethod
    def of_street(cls, template: StreetTemplate, player: int, num_buckets: int) -> "BucketTables":
        """Returns the tables of a player who plays all actions equally often."""
        forest = template.forests[player]
        deciding = forest.kind == HERO_ACTS
        shape = (template.num_actions[player], num_buckets)
        tables = cls(
            forest.first_action[deciding],
            forest.num_children[deciding],
            *(np.zeros(shape) for _ in range(4)),
        )
        tables.refresh()
        tables.average[:] = tables.strategy
        return tables

    def add_regrets(self, weights: DiscountWeights, gained: FloatArray) -> None:
        """Discounts regrets and adds those of an iteration."""
        decay = np.where(self.regret > 0.0, weights.positive_regret, weights.negative_regret)
        self.regret[:] = self.regret * decay + gained
        self.refresh()

    def refresh(self) -> None:
        """Plays what was learned."""
        bucket_kernels.match_decisions(
            self.first_action, self.num_actions, self.regret, self.strategy
        )

    def add_strategy(self, weights: DiscountWeights, reached: FloatArray) -> tuple[float, float]:
        """Discounts strategy sums and adds those of an iteration.

        Returns:
            How much the average strategy moved, weighted by reach, and the reach itself.
        """
        self.strategy_sum[:] = self.strategy_sum * weights.strategy + reached
        moved = bucket_kernels.follow_average(
            self.first_action, self.num_actions, self.strategy_sum, reached, self.average
        )
        return float(moved), float(reached.sum())
