"""The street of a board, and deals whose cards are all different."""

from collections.abc import Sequence

from runout.abstraction.errors import (
    AbstractionError,
    DuplicateCardError,
    InvalidBoardSizeError,
)
from runout.cards.card import BOARD_SIZES, FLOP_SIZE, NUM_CARDS
from runout.trees.betting import Street


def street_of_board(num_cards: int) -> Street:
    """Returns the street that has so many cards on the board.

    Raises:
        InvalidBoardSizeError: if there is none.
    """
    if num_cards not in BOARD_SIZES:
        raise InvalidBoardSizeError(num_cards)
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
            raise DuplicateCardError(card)
        seen.add(card)
    return street
