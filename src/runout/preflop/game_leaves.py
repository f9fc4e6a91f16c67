"""What the preflop solver asks of leaves, whichever way flops are solved."""

from typing import Protocol

from runout.arrays import FloatArray
from runout.cfr.leaves import LeafEvaluator
from runout.results.preflop_solution import FlopLeafSource
from runout.trees.preflop_tree import PreflopTree


class GameLeaves(Protocol):
    """The leaves of a preflop game."""

    @property
    def matchup_share(self) -> FloatArray:
        """``[169, 169]`` probability that SB is dealt the row and BB the column."""

    def evaluator(self, tree: PreflopTree) -> LeafEvaluator:
        """Returns the leaves as CFR wants them."""

    def average_values(self, player: int, opponent_reach: FloatArray) -> FloatArray:
        """Returns ``[N, 169]`` what a player's hands win at the leaves on average, by deals.

        Args:
            player: `SB` or `BB`.
            opponent_reach: ``[N, 169]`` the other's own reach of each node.
        """

    def sources(self) -> dict[str, FlopLeafSource]:
        """Returns where the values of flop leaves come from, by path."""
