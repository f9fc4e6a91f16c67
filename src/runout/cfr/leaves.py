"""What a game must supply to be solved: the value of its leaves."""

from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from runout.arrays import IntArray, RealArray
from runout.cfr.discounting import DiscountWeights


@dataclass(frozen=True)
class Update:
    """Play the current strategies and add the outcome to the tables of the valued player."""

    weights: DiscountWeights


class Judge(Enum):
    """Play the average strategies and learn nothing."""

    EVALUATE = "both players play their average strategy"
    BEST_RESPOND = "the valued player best-responds to the other's average strategy"


Step = Update | Judge


@dataclass(frozen=True)
class Arrival:
    """Both players' reach of every node of a street.

    Attributes:
        player: the player whose values are wanted.
        step: what is played, and whether to learn from it.
        reach: for each player ``[B, R, H]`` the distinct rows of its own reach.
        row: for each player ``[N]`` the row of a node in ``reach``.
    """

    player: int
    step: Step
    reach: tuple[RealArray, RealArray]
    row: tuple[IntArray, IntArray]

    @property
    def opponent(self) -> int:
        """The player whose reach weights the values."""
        return 1 - self.player

    def reach_of(self, player: int, node: int) -> RealArray:
        """Returns ``[B, H]`` a player's own reach of a node."""
        return self.reach[player][:, self.row[player][node]]


class LeafEvaluator(Protocol):
    """The poker part of a solve.

    A street that leads to another street values its leaves by visiting that street, so a game of
    several streets is leaf evaluators nested in one another.
    """

    def fill_leaf_values(self, arrival: Arrival, out_value: RealArray) -> None:
        """Writes counterfactual values of ``arrival.player`` into the leaf rows.

        A hand's counterfactual value sums over the opponent's hands: the opponent's reach, times
        the chance of the deal, times what is won.

        Args:
            arrival: who arrives where.
            out_value: ``[B, N, H]``; leaf rows are overwritten.
        """

    def refresh(self, player: int) -> float:
        """Lets later streets play what ``player`` has learned; returns the largest change.

        A game of one street returns 0.
        """
