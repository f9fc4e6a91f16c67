"""Hand strength now, its potential, and both together (EHS2), exactly.

Following Billings et al., "The challenge of poker" (2002), with ties done right: a tie is half a
win everywhere. With that, EHS2 is exactly the all-in equity against a random hand.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partialmethod
from itertools import combinations

import numpy as np

from runout.arrays import FloatArray, IntArray
from runout.cards.deck import (
    BOARD_SIZES,
    COMBO_CARDS,
    FLOP_SIZE,
    NUM_CARDS,
    RIVER_SIZE,
    combo_index,
    format_card,
    format_cards,
    live_combos,
)
from runout.cards.evaluator import evaluate_board, evaluator_tables
from runout.equity import equity_kernels
from runout.equity.board import BEST_SCORE, compute_board_equity, strength_histograms
from runout.equity.equity_kernels import AHEAD, BEHIND, NUM_OUTCOMES, TIED
from runout.errors import RunoutError
from runout.trees.betting import Street


class AbstractionError(RunoutError):
    """Base of the errors of this package."""


class InvalidBoardSizeError(AbstractionError):
    """A board that is no flop, turn or river."""


class DuplicateCardError(AbstractionError):
    """A card that is dealt twice."""


class AbstractionLoadError(AbstractionError):
    """An abstraction that cannot be read: missing, damaged or of another version."""


class InvalidBoundariesError(AbstractionError):
    """Bucket boundaries that are unsorted, not numbers, out of range or too many."""


class SerializationError(AbstractionError):
    """An abstraction that cannot be written."""


def street_of_board(num_cards: int) -> Street:
    """Returns the street that has so many cards on the board.

    Raises:
        InvalidBoardSizeError: if there is none.
    """
    if num_cards not in BOARD_SIZES:
        problem = f"{num_cards} cards, a board has 3 (flop), 4 (turn) or 5 (river)"
        raise InvalidBoardSizeError("board", problem)
    return Street(num_cards - FLOP_SIZE)


def require_deal(board: Sequence[int], holding: Sequence[int]) -> Street:
    """Returns the street of a board after checking that no card is dealt twice.

    Raises:
        InvalidBoardSizeError: if the board is no flop, turn or river.
        DuplicateCardError: naming the first card that comes again.
        AbstractionError: if an id is no card.
    """
    street = street_of_board(len(board))
    seen: set[int] = set()
    for card in (*board, *holding):
        if not 0 <= card < NUM_CARDS:
            raise AbstractionError(f"card {card}", f"card ids are 0 to {NUM_CARDS - 1}")
        if card in seen:
            raise DuplicateCardError(format_card(card), "this card is dealt twice")
        seen.add(card)
    return street


@dataclass(frozen=True)
class HandStrength:
    """How good a holding is on a board, against a uniformly random villain.

    Attributes:
        ehs: strength now: villains ahead of plus half of those tied with, over all.
        ppot: positive potential: share won back when behind or tied now.
        npot: negative potential: share lost again when ahead or tied now.
        ehs2: ``ehs + (1 - ehs) * ppot - ehs * npot``, the all-in equity, E[HS].
        ehs_squared: mean of the squared river strength, E[HS^2]; larger for draws than for made
            hands of equal equity.
    """

    ehs: float
    ppot: float
    npot: float
    ehs2: float
    ehs_squared: float


@dataclass(frozen=True)
class BoardHandStrengths:
    """`HandStrength` of all live combos of a board, one array per field.

    Attributes:
        combos: ``[C]`` the combos that the board leaves possible.
        ehs, ppot, npot, ehs2, ehs_squared: ``[C]`` as in `HandStrength`.
    """

    combos: IntArray
    ehs: FloatArray
    ppot: FloatArray
    npot: FloatArray
    ehs2: FloatArray
    ehs_squared: FloatArray


class HandStrengthCalculator:
    """Computes hand strength by enumerating every villain and every runout."""

    def calculate(self, board: Sequence[int], holding: tuple[int, int]) -> HandStrength:
        """Returns the strength of a holding on the street that the board's length says.

        Raises:
            AbstractionError: if the board has no street or a card is dealt twice.
        """
        return self._calculate(require_deal(board, holding), board, holding)

    def calculate_board(self, board: Sequence[int]) -> BoardHandStrengths:
        """Returns the strengths of all holdings of a board, sharing the work.

        Raises:
            AbstractionError: if the board has no street or repeats a card.
        """
        require_deal(board, ())
        equity = compute_board_equity(board)
        counts = np.empty((len(equity.combos), NUM_OUTCOMES, NUM_OUTCOMES), dtype=np.int64)
        equity_kernels.count_transitions(
            evaluate_board(board)[equity.combos],
            equity.wins,
            COMBO_CARDS[equity.combos],
            equity.num_runouts,
            counts,
        )
        ehs_squared = strength_histograms(board, num_bins=1).expected_squared_strength
        ehs, ppot, npot, ehs2 = _strengths_of_counts(counts)
        return BoardHandStrengths(equity.combos, ehs, ppot, npot, ehs2, ehs_squared)

    def _calculate(
        self, street: Street, board: Sequence[int], holding: tuple[int, int]
    ) -> HandStrength:
        if require_deal(board, holding) is not street:
            raise AbstractionError(
                f"board {format_cards(board)}",
                f"{len(board)} cards, a {street.label} has {street.num_board_cards}",
            )
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

    #: As `calculate`, for boards of one street; on a flop there are 990 villains, 1,081 runouts.
    calculate_flop = partialmethod(_calculate, Street.FLOP)
    calculate_turn = partialmethod(_calculate, Street.TURN)
    calculate_river = partialmethod(_calculate, Street.RIVER)


def _strengths_of_counts(counts: IntArray) -> tuple[FloatArray, ...]:
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
