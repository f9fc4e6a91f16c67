"""One flop as a game between the 169 hands."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from runout.arrays import FloatArray, read_only
from runout.cards.canonical_hands import HAND_BY_COMBO, NUM_HANDS
from runout.cards.card import FLOP_SIZE, format_cards
from runout.equity.board_equity import compute_board_equity
from runout.equity.hand_table import HandEquityTable
from runout.errors import CardError
from runout.ranges.hand_range import HandRange

#: Weight of a hand that is not in a range, relative to one that is.
SMALLEST_RANGE_WEIGHT = 1e-4


@dataclass(frozen=True, eq=False)
class FlopGame:
    """What is dealt on a flop and who wins; the same for all stacks and bet sizes.

    Attributes:
        flop: the three cards.
        table: exact counts of every hand against every hand.
        matchup_share: ``[169, 169]`` probability that OOP is dealt the row and IP the column.
        edge: ``[169, 169]`` twice the row's equity minus one, 0 where the hands cannot meet.
        held: ``[2, 169]`` how much of each hand OOP and IP hold, more than 0.
    """

    flop: tuple[int, ...]
    table: HandEquityTable
    matchup_share: FloatArray
    edge: FloatArray
    held: FloatArray

    @classmethod
    def deal(cls, flop: Sequence[int], ranges: FloatArray | None = None) -> "FlopGame":
        """Computes the tables of a flop (tens of milliseconds).

        Args:
            flop: three cards.
            ranges: ``[2, 169]`` how much of each hand OOP and IP hold; by default all of them. A
                hand that is not held counts with `SMALLEST_RANGE_WEIGHT`, so that it still learns
                what to do but hardly counts for the opponent.

        Raises:
            CardError: if it is not three distinct cards.
        """
        if len(flop) != FLOP_SIZE:
            raise CardError(f"flop {format_cards(flop)!r}", f"{len(flop)} cards, a flop has 3")
        table = compute_board_equity(flop).hand_table()
        everything = np.ones((2, NUM_HANDS))
        held = everything if ranges is None else np.maximum(ranges, SMALLEST_RANGE_WEIGHT)
        deals = table.totals * (held[0][:, None] * held[1])
        share = deals / deals.sum()
        edge = np.nan_to_num(2.0 * table.equities() - 1.0)
        return cls(tuple(flop), table, read_only(share), read_only(edge), read_only(held.copy()))

    def hand_ranges(self) -> tuple[HandRange, HandRange]:
        """Returns what OOP and IP hold, combo by combo."""
        oop, ip = (HandRange(held[HAND_BY_COMBO]) for held in self.held)
        return oop, ip
