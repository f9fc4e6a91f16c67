"""Exact all-in equity of every combo against every combo on a flop, turn or river.

Work goes board by board, not pair by pair: each way the board can be completed ranks all combos
once, and pairs are then compared as bytes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb

import numpy as np

from runout.arrays import IntArray, Uint32Array, read_only
from runout.cards.canonical_hands import HAND_BY_COMBO, NUM_HANDS, matchup_weights
from runout.cards.card import NUM_CARDS, RIVER_SIZE, require_board
from runout.cards.combos import COMBO_CARDS, live_combos
from runout.cards.evaluator_tables import evaluator_tables
from runout.cards.isomorphism import SuitMapping
from runout.equity import equity_kernels
from runout.equity.hand_table import HandEquityTable
from runout.equity.runouts import combo_images, enumerate_runouts

_CARDS_IN_HANDS = 4


@dataclass(frozen=True, eq=False)
class BoardEquity:
    """Wins of combos that a board leaves possible against each other.

    Attributes:
        board: the 3 to 5 known cards.
        combos: ``[C]`` the combos, in order.
        num_runouts: runouts of each pair that can meet: 990 on a flop, 44 on a turn, 1 on a river.
        representative_wins: ``[C, C]`` wins counted on one runout of each class of isomorphic
            ones, weighted; right in sum over suits, not for a single pair.
        symmetries: the suit permutations that keep the board.
    """

    board: tuple[int, ...]
    combos: IntArray
    num_runouts: int
    representative_wins: Uint32Array
    symmetries: tuple[SuitMapping, ...]

    @cached_property
    def wins(self) -> Uint32Array:
        """``[C, C]`` runouts on which the row beats the column; 0 where they share a card."""
        if len(self.symmetries) == 1:
            return self.representative_wins
        wins = np.empty_like(self.representative_wins)
        images = combo_images(self.combos, self.symmetries)
        equity_kernels.average_over_suits(self.representative_wins, images, wins)
        return read_only(wins)

    def wins_between(self, rows: IntArray, columns: IntArray) -> Uint32Array:
        """Returns ``[rows, columns]`` runouts on which the row's combo beats the column's."""
        return self.wins[
            np.searchsorted(self.combos, rows)[:, None], np.searchsorted(self.combos, columns)
        ]

    def hand_table(self) -> HandEquityTable:
        """Returns the counts added up over all combos of the 169 hands."""
        assert len(self.combos) == len(live_combos(self.board))
        wins = np.zeros((NUM_HANDS, NUM_HANDS), dtype=np.int64)
        # A canonical hand holds all suits alike, so representatives need not be spread over them.
        equity_kernels.sum_by_hand(self.representative_wins, HAND_BY_COMBO[self.combos], wins)
        totals = matchup_weights(self.board) * self.num_runouts
        return HandEquityTable(wins, totals - wins - wins.T, totals)


def compute_board_equity(board: Sequence[int], among: IntArray | None = None) -> BoardEquity:
    """Returns the exact equities of combos on a board (tens of milliseconds for all on a flop).

    Args:
        board: 3 to 5 cards.
        among: only these combos, as far as the board leaves them possible; all by default.

    Raises:
        CardError: if the board is not 3, 4 or 5 distinct cards.
    """
    require_board(board)
    combos = live_combos(board)
    if among is not None:
        combos = np.intersect1d(combos, among)
    # A renaming of suits may lead out of some of the combos.
    runouts = enumerate_runouts(board, merges_suits=among is None)
    hero = np.empty((len(runouts.boards), len(combos)), dtype=np.uint8)
    villain = np.empty_like(hero)
    equity_kernels.rank_combos(evaluator_tables(), runouts.boards, combos, hero, villain)
    wins = np.zeros((len(combos), len(combos)), dtype=np.uint32)
    equity_kernels.count_wins(hero, villain, runouts.weight, wins)
    equity_kernels.clear_blocked_pairs(COMBO_CARDS[combos], wins)
    num_runouts = comb(NUM_CARDS - _CARDS_IN_HANDS - len(board), RIVER_SIZE - len(board))
    return BoardEquity(tuple(board), combos, num_runouts, read_only(wins), runouts.symmetries)
