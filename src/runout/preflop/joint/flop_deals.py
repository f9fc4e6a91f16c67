"""Which hands meet beside the flops of a subset, and what a checked-down flop is worth there."""

from dataclasses import dataclass

import numpy as np

from runout.arrays import FloatArray
from runout.cards.canonical_hands import NUM_HANDS
from runout.cards.flops import FlopList
from runout.equity.board_equity import compute_board_equity

#: Pairs of combos that can be dealt beside a flop: 49 cards for one player, 47 for the other.
PAIRS_BESIDE_A_FLOP = 1_176 * 1_081


@dataclass(frozen=True, eq=False)
class FlopDeals:
    """Deals in which the flop comes first, drawn by weight, and then both hands.

    Attributes:
        flops: the flops and their weights.
        share: ``[169, 169]`` probability that the row is dealt to one player and the column to the
            other.
        edge: ``[169, 169]`` that probability times what the row wins at a stake of 1 if the flop is
            checked down.
    """

    flops: FlopList
    share: FloatArray
    edge: FloatArray

    @classmethod
    def of(cls, flops: FlopList) -> "FlopDeals":
        """Counts the deals beside some flops and who wins them."""
        share, edge = np.zeros((NUM_HANDS, NUM_HANDS)), np.zeros((NUM_HANDS, NUM_HANDS))
        for flop, weight in zip(flops.flops, flops.weights.tolist(), strict=True):
            equity = compute_board_equity(flop)
            table = equity.hand_table()
            scale = weight / (PAIRS_BESIDE_A_FLOP * equity.num_runouts)
            share += scale * table.totals
            edge += scale * (2 * table.wins + table.ties - table.totals)
        return cls(flops, share, edge)
