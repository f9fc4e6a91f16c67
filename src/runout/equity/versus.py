"""Range against range, before the flop or on any board, exactly and with card removal."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from runout.arrays import FloatArray, IntArray, divide
from runout.cards.deck import (
    HAND_BY_COMBO,
    NUM_COMBOS,
    NUM_HANDS,
    disjoint_combos,
    format_cards,
    live_combos,
    require_board,
)
from runout.equity.preflop import PreflopEquity, preflop_equity
from runout.errors import RangeError

if TYPE_CHECKING:
    from runout.equity.board import BoardEquity


@dataclass(frozen=True)
class SideEquity:
    """What one side's combos win against the other side's range.

    Attributes:
        matchups: ``[1326]`` weight of the deals in which the side holds the combo.
        equity: ``[1326]`` the combo's share of the pot, NaN where ``matchups`` is 0.
    """

    matchups: FloatArray
    equity: FloatArray

    def equity_by_hand(self) -> FloatArray:
        """Returns ``[169]`` equities of the canonical hands, NaN for hands that are not held."""
        won = np.bincount(HAND_BY_COMBO, self.matchups * np.nan_to_num(self.equity), NUM_HANDS)
        return divide(won, np.bincount(HAND_BY_COMBO, self.matchups, NUM_HANDS))


@dataclass(frozen=True)
class RangeEquity:
    """The outcome of an all-in between two ranges.

    Attributes:
        win: probability that the hero wins.
        tie: probability of a split pot.
        lose: probability that the villain wins.
        matchups: weight of all deals in which both hold a combo of their range.
        hero: the hero's combos.
        villain: the villain's combos.
    """

    win: float
    tie: float
    lose: float
    matchups: float
    hero: SideEquity
    villain: SideEquity

    @property
    def equity(self) -> float:
        """The hero's share of the pot."""
        return self.win + self.tie / 2


def compare_ranges(
    hero_weights: FloatArray, villain_weights: FloatArray, board: Sequence[int] = ()
) -> RangeEquity:
    """Returns the exact all-in equity of two ranges.

    Args:
        hero_weights: ``[1326]`` how much of each combo the hero holds.
        villain_weights: ``[1326]`` likewise for the villain.
        board: no cards, or a flop, turn or river.

    Raises:
        CardError: if the board has another number of cards, or repeats one.
        RangeError: if no two combos of the ranges can be dealt together.
    """
    if board:
        require_board(board)
    live = live_combos(board)
    rows = live[hero_weights[live] > 0.0]
    columns = live[villain_weights[live] > 0.0]
    for name, combos in (("hero's range", rows), ("villain's range", columns)):
        if not len(combos):
            reason = f"nothing is left on {format_cards(board)}" if board else "is empty"
            raise RangeError(name, reason)
    table = _equity_table(board)
    can_meet = disjoint_combos(rows, columns).astype(np.float64)
    pair_weight = can_meet * hero_weights[rows, None] * villain_weights[columns]
    matchups = float(pair_weight.sum())
    if matchups == 0.0:
        raise RangeError("ranges", "every combo of one blocks every combo of the other")
    won = table.wins_between(rows, columns) / table.num_runouts
    lost = table.wins_between(columns, rows).T / table.num_runouts
    hero_share = (1.0 + won - lost) / 2.0
    win, lose = float((pair_weight * won).sum()), float((pair_weight * lost).sum())
    return RangeEquity(
        win=win / matchups,
        tie=max(matchups - win - lose, 0.0) / matchups,  # no rounding error below 0
        lose=lose / matchups,
        matchups=matchups,
        hero=_side(rows, pair_weight, hero_share),
        villain=_side(columns, pair_weight.T, 1.0 - hero_share.T),
    )


def _equity_table(board: Sequence[int]) -> "BoardEquity | PreflopEquity":
    if not board:
        return preflop_equity()
    # Imported here because only boards need kernels: preflop questions are answered at once.
    from runout.equity.board import compute_board_equity

    return compute_board_equity(board)


def _side(combos: IntArray, pair_weight: FloatArray, share: FloatArray) -> SideEquity:
    matchups = np.zeros(NUM_COMBOS)
    won = np.zeros(NUM_COMBOS)
    matchups[combos] = pair_weight.sum(axis=1)
    won[combos] = (pair_weight * share).sum(axis=1)
    return SideEquity(matchups, divide(won, matchups))
