"""What the preflop solver asks of leaves, whichever way flops are solved."""

from typing import Protocol

from runout.arrays import FloatArray
from runout.cfr.leaves import Judge, LeafEvaluator
from runout.results.preflop_solution import FlopLeafSource
from runout.trees.preflop_tree import PreflopTree


class GameLeaves(Protocol):
    """The leaves of a preflop game."""

    @property
    def matchup_share(self) -> FloatArray:
        """``[169, 169]`` probability that SB is dealt the row and BB the column."""

    @property
    def is_zero_sum(self) -> bool:
        """Whether what one player wins is what the other loses, but for rounding."""

    def evaluator(self, tree: PreflopTree) -> LeafEvaluator:
        """Returns the leaves as CFR wants them."""

    def leaf_values(self, player: int, opponent_reach: FloatArray, judge: Judge) -> FloatArray:
        """Returns ``[N, 169]`` what a player's hands win at the leaves, times how often they meet.

        Args:
            player: `SB` or `BB`.
            opponent_reach: ``[N, 169]`` the other's own reach of each node.
            judge: whether the player best-responds after the flop; the other plays its average.
        """

    def sources(self) -> dict[str, FlopLeafSource]:
        """Returns where the values of flop leaves come from, by path."""
