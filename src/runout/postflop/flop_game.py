"""One flop as a game between the 169 hands."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from runout.arrays import FloatArray, read_only
from runout.equity.board_equity import compute_board_equity
from runout.equity.hand_table import HandEquityTable


@dataclass(frozen=True, eq=False)
class FlopGame:
    """What is dealt on a flop and who wins; the same for all stacks and bet sizes.

    Attributes:
        flop: the three cards.
        table: exact counts of every hand against every hand.
        matchup_share: ``[169, 169]`` probability that OOP is dealt the row and IP the column.
        edge: ``[169, 169]`` twice the row's equity minus one, 0 where the hands cannot meet.
    """

    flop: tuple[int, ...]
    table: HandEquityTable
    matchup_share: FloatArray
    edge: FloatArray

    @classmethod
    def deal(cls, flop: Sequence[int]) -> "FlopGame":
        """Computes the tables of a flop (tens of milliseconds).

        Raises:
            CardError: if it is not three distinct cards.
        """
        table = compute_board_equity(flop).hand_table()
        share = table.totals / table.totals.sum()
        edge = np.nan_to_num(2.0 * table.equities() - 1.0)
        return cls(tuple(flop), table, read_only(share), read_only(edge))
