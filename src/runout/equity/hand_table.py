"""What each of the 169 hands wins against each other, as counts."""

from dataclasses import dataclass

import numpy as np

from runout.arrays import FloatArray, IntArray
from runout.cards.canonical_hands import HAND_NAMES
from runout.errors import CardError


@dataclass(frozen=True)
class HandEquityTable:
    """Exact counts of (combo pair, complete board) for the row hand against the column hand.

    Attributes:
        wins: ``[169, 169]`` the row wins.
        ties: ``[169, 169]`` the pot is split.
        totals: ``[169, 169]`` everything that can be dealt; 0 where the hands cannot meet.
    """

    wins: IntArray
    ties: IntArray
    totals: IntArray

    def equity(self, hand: int, opponent: int) -> float:
        """Returns the share of the pot that ``hand`` wins against ``opponent``.

        Raises:
            CardError: if the two hands cannot be dealt together on this board.
        """
        total = int(self.totals[hand, opponent])
        if total == 0:
            raise CardError(
                f"{HAND_NAMES[hand]} against {HAND_NAMES[opponent]}",
                "the board leaves no way to deal both",
            )
        return (int(self.wins[hand, opponent]) + int(self.ties[hand, opponent]) / 2) / total

    def equities(self) -> FloatArray:
        """Returns ``[169, 169]`` equities, NaN where the hands cannot meet."""
        return _share(self.wins, self.ties, self.totals)

    def equity_vs_random(self) -> FloatArray:
        """Returns ``[169]`` equities against a random hand, NaN where the board blocks the hand."""
        return _share(self.wins.sum(axis=1), self.ties.sum(axis=1), self.totals.sum(axis=1))


def _share(wins: IntArray, ties: IntArray, totals: IntArray) -> FloatArray:
    share: FloatArray = np.divide(
        wins + ties / 2, totals, out=np.full(totals.shape, np.nan), where=totals > 0
    )
    return share
