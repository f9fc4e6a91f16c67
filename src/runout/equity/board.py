"""Exact all-in equities, strength distributions and potential on a board, by enumeration."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import comb
from typing import Generic, TypeVar, cast

import numpy as np

from runout.arrays import (
    Arrays,
    FloatArray,
    Int32Array,
    IntArray,
    Uint8Array,
    Uint32Array,
    read_only,
)
from runout.cache import digest_sources, load_or_build
from runout.cards.deck import (
    COMBO_CARDS,
    HAND_BY_COMBO,
    NUM_CARDS,
    NUM_HANDS,
    RIVER_SIZE,
    combo_index,
    format_cards,
    live_combos,
    matchup_weights,
    require_board,
    require_distinct,
)
from runout.cards.evaluator import evaluate_board, evaluator_tables
from runout.cards.flops import SuitMapping, combo_images, enumerate_runouts
from runout.equity import equity_kernels
from runout.equity.equity_kernels import AHEAD, BEHIND, NUM_OUTCOMES, TIED
from runout.equity.matchups import HandEquityTable

# Exact all-in equity of every combo against every combo on a flop, turn or river.
#
# Work goes board by board, not pair by pair: each way the board can be completed ranks all combos
# once, and pairs are then compared as bytes.

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
        total = np.zeros_like(self.representative_wins)
        for image in combo_images(self.combos, self.symmetries):
            total += self.representative_wins[image].take(image, axis=1)
        return read_only(total // np.uint32(len(self.symmetries)))

    def wins_between(self, rows: IntArray, columns: IntArray) -> Uint32Array:
        """Returns ``[rows, columns]`` runouts on which the row's combo beats the column's."""
        places = [np.searchsorted(self.combos, some) for some in (rows, columns)]
        return self.wins[np.ix_(*places)]

    def hand_table(self) -> HandEquityTable:
        """Returns the counts added up over all combos of the 169 hands."""
        assert len(self.combos) == len(live_combos(self.board))
        wins = np.zeros((NUM_HANDS, NUM_HANDS), dtype=np.int64)
        # A canonical hand holds all suits alike, so representatives need not be spread over them.
        equity_kernels.sum_by_hand(self.representative_wins, HAND_BY_COMBO[self.combos], wins)
        return _complete_table(self.board, wins)


def hand_equity(board: Sequence[int]) -> HandEquityTable:
    """Returns the exact counts between the 169 hands on a board, in the cache after the first time.

    The same as `BoardEquity.hand_table`.
    """
    require_board(board)

    def count() -> Arrays:
        return {"wins": compute_board_equity(board).hand_table().wins}

    facts = {"board": format_cards(board), "code": digest_sources("cards", "equity", "simd")}
    wins = cast(IntArray, load_or_build(f"equity/{facts['board']}", facts, count)["wins"])
    return _complete_table(board, wins)


def _complete_table(board: Sequence[int], wins: IntArray) -> HandEquityTable:
    """Returns the counts of which ``wins[169, 169]`` are the wins of the row."""
    totals = matchup_weights(board) * _count_runouts(board)
    return HandEquityTable(wins, totals - wins - wins.T, totals)


def _count_runouts(board: Sequence[int]) -> int:
    """Returns how many runouts each pair of combos has that can meet."""
    return comb(NUM_CARDS - _CARDS_IN_HANDS - len(board), RIVER_SIZE - len(board))


def compute_board_equity(board: Sequence[int], among: IntArray | None = None) -> BoardEquity:
    """Returns the exact equities of combos on a board (tens of milliseconds for all on a flop).

    Only those ``among`` some combos count, as far as the board leaves them possible.
    """
    require_board(board)
    combos = live_combos(board)
    if among is not None:
        combos = np.intersect1d(combos, among)
    # A renaming of suits may lead out of some of the combos.
    runouts = enumerate_runouts(board, merges_suits=among is None)
    wins = count_board_wins(runouts.boards, combos, runouts.weight)
    equity_kernels.clear_blocked_pairs(COMBO_CARDS[combos], wins)
    num_runouts = _count_runouts(board)
    return BoardEquity(tuple(board), combos, num_runouts, read_only(wins), runouts.symmetries)


def rank_combos(boards: Uint8Array, combos: IntArray) -> tuple[Uint8Array, Uint8Array]:
    """Returns ``[R, C]`` ranks on complete boards ``[R, 5]`` as a hero and as a villain.

    1 is the weakest; where a combo is blocked it has 0 as a hero and 255 as a villain.
    """
    hero = np.empty((len(boards), len(combos)), dtype=np.uint8)
    villain = np.empty_like(hero)
    equity_kernels.rank_combos(evaluator_tables(), boards, combos, hero, villain)
    return hero, villain


def count_board_wins(
    boards: Uint8Array, combos: IntArray, weight: IntArray | None = None
) -> Uint32Array:
    """Returns ``[C, C]`` the number, or weight, of boards on which the row beats the column.

    Of ``boards[R, 5]``; pairs that share a card are counted as well and mean nothing.
    """
    wins = np.zeros((len(combos), len(combos)), dtype=np.uint32)
    weights = np.ones(len(boards), dtype=np.int64) if weight is None else weight
    equity_kernels.count_wins(*rank_combos(boards, combos), weights, wins)
    return wins


# How strong every combo of a board becomes: the distribution of its river hand strength.
#
# Strength on a complete board is the share of the 990 possible villain combos that are beaten, ties
# counting half. Its mean over runouts is the all-in equity against a random hand, E[HS]; the mean
# of its square, E[HS^2], tells draws from made hands of equal equity.

#: The score of beating every villain.
BEST_SCORE = 2 * comb(NUM_CARDS - RIVER_SIZE - 2, 2)


@dataclass(frozen=True)
class StrengthSums:
    """Strength of all live combos of a board over its runouts, in whole numbers.

    On one runout a combo scores 2 for every villain it beats and 1 for every one it ties with, so
    its strength there is the score over `BEST_SCORE`.

    Attributes:
        combos: ``[C]`` the combos that the board leaves possible.
        score: ``[C]`` sum of scores.
        squared_score: ``[C]`` sum of squared scores.
        num_runouts: runouts of each combo: 1,081 on a flop, 46 on a turn, 1 on a river.
    """

    combos: IntArray
    score: IntArray
    squared_score: IntArray
    num_runouts: int

    @cached_property
    def expected_strength(self) -> FloatArray:
        """``[C]`` E[HS]."""
        return read_only(self.score / (self.num_runouts * BEST_SCORE))

    @cached_property
    def expected_squared_strength(self) -> FloatArray:
        """``[C]`` E[HS^2]."""
        return read_only(self.squared_score / (self.num_runouts * BEST_SCORE**2))


def sum_strengths(board: Sequence[int]) -> StrengthSums:
    """Returns the exact strength of every combo of a flop, turn or river over all runouts."""
    require_board(board)
    runouts, combos = enumerate_runouts(board), live_combos(board)
    sums = np.zeros((2, len(combos)), dtype=np.int64)
    equity_kernels.add_strengths(
        evaluator_tables(), runouts.boards, runouts.weight, combos, COMBO_CARDS[combos], *sums
    )
    images = combo_images(combos, runouts.symmetries)
    score, squared_score = read_only(sums[:, images].sum(axis=1) // len(images))
    num_runouts = comb(NUM_CARDS - len(board) - 2, RIVER_SIZE - len(board))
    return StrengthSums(combos, score, squared_score, num_runouts)


def score_rivers(boards: Uint8Array, combos: IntArray) -> Int32Array:
    """Returns ``[R, C]`` scores of combos on complete boards ``[R, 5]``, -1 where blocked.

    ``combos[C]`` are all that some of the boards leaves possible.
    """
    scores = np.empty((len(boards), 1, len(combos)), dtype=np.int32)
    everybody, no_best = np.zeros(len(combos), np.int64), np.empty((0, 0, 0), np.int32)
    equity_kernels.score_boards(
        evaluator_tables(), boards, combos, COMBO_CARDS[combos], everybody, scores, no_best
    )
    return scores[:, 0]


# Hand strength now, its potential, and both together (EHS2).
#
# Following Billings et al., "The challenge of poker" (2002), with ties done right: a tie is half a
# win everywhere. With that, EHS2 is exactly the all-in equity against a random hand.

#: One number, or ``[C]`` of them.
Number = TypeVar("Number", float, FloatArray)


@dataclass(frozen=True)
class HandStrength(Generic[Number]):
    """How good a holding is on a board, against a uniformly random villain.

    Attributes:
        ehs: strength now: villains ahead of plus half of those tied with, over all.
        ppot: positive potential: share won back when behind or tied now.
        npot: negative potential: share lost again when ahead or tied now.
        ehs2: ``ehs + (1 - ehs) * ppot - ehs * npot``, the all-in equity, E[HS].
        ehs_squared: mean of the squared river strength, E[HS^2]; larger for draws than for made
            hands of equal equity.
    """

    ehs: Number
    ppot: Number
    npot: Number
    ehs2: Number
    ehs_squared: Number


def hand_strength(board: Sequence[int], holding: tuple[int, int]) -> HandStrength[float]:
    """Returns the strength of a holding on a flop (990 villains, 1,081 runouts), turn or river."""
    require_board(board)
    require_distinct((*board, *holding))
    rest = [card for card in range(NUM_CARDS) if card not in (*board, *holding)]
    missing = list(combinations(rest, RIVER_SIZE - len(board)))
    boards = np.empty((len(missing), RIVER_SIZE), dtype=np.uint8)
    boards[:, : len(board)], boards[:, len(board) :] = board, missing
    villains, group_start = _villains_by_outcome(board, holding)
    counts = np.empty((NUM_OUTCOMES, NUM_OUTCOMES), dtype=np.int64)
    squared_scores = equity_kernels.count_transitions_of_holding(
        evaluator_tables(), boards, combo_index(*holding), villains, group_start, counts
    )
    ehs, ppot, npot, ehs2 = (float(part) for part in _strengths_of_counts(counts))
    return HandStrength(ehs, ppot, npot, ehs2, squared_scores / (len(boards) * BEST_SCORE**2))


def board_strengths(board: Sequence[int]) -> HandStrength[FloatArray]:
    """Returns the strengths ``[C]`` of all live combos of a board, sharing the work."""
    equity = compute_board_equity(board)
    counts = np.empty((len(equity.combos), NUM_OUTCOMES, NUM_OUTCOMES), dtype=np.int64)
    equity_kernels.count_transitions(
        evaluate_board(board)[equity.combos],
        equity.wins,
        COMBO_CARDS[equity.combos],
        equity.num_runouts,
        counts,
    )
    ehs_squared = sum_strengths(board).expected_squared_strength
    return HandStrength(*_strengths_of_counts(counts), ehs_squared)


def _strengths_of_counts(
    counts: IntArray,
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Returns EHS, PPot, NPot and EHS2 of ``counts[..., now, end]``, one division each."""
    now, end = counts.sum(axis=-1), counts.sum(axis=-2)
    total = 2 * now.sum(axis=-1)
    # Everything is doubled so that half of a tie is a whole number.
    ehs = (2 * now[..., AHEAD] + now[..., TIED]) / total
    ehs2 = (2 * end[..., AHEAD] + end[..., TIED]) / total
    gained = 2 * counts[..., BEHIND, AHEAD] + counts[..., BEHIND, TIED] + counts[..., TIED, AHEAD]
    lost = 2 * counts[..., AHEAD, BEHIND] + counts[..., AHEAD, TIED] + counts[..., TIED, BEHIND]
    ppot = gained / np.maximum(2 * now[..., BEHIND] + now[..., TIED], 1)
    npot = lost / np.maximum(2 * now[..., AHEAD] + now[..., TIED], 1)
    return ehs, ppot, npot, ehs2


def _villains_by_outcome(
    board: Sequence[int], holding: tuple[int, int]
) -> tuple[IntArray, IntArray]:
    """Returns the villain combos behind, tied and ahead in this order, and where each begins."""
    strength = evaluate_board(board).astype(np.int64)
    villains = live_combos((*board, *holding))
    outcome = TIED + np.sign(strength[combo_index(*holding)] - strength[villains])
    group_start = np.zeros(NUM_OUTCOMES + 1, dtype=np.int64)
    group_start[1:] = np.bincount(outcome, minlength=NUM_OUTCOMES).cumsum()
    return villains[np.argsort(outcome, kind="stable")], group_start
