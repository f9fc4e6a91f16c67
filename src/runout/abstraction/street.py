"""The three streets that have a board."""

from collections.abc import Sequence
from enum import IntEnum

from runout.abstraction.errors import (
    AbstractionError,
    DuplicateCardError,
    InvalidBoardSizeError,
)
from runout.cards.card import NUM_CARDS


class Street(IntEnum):
    """A street, whose value is the number of cards on its board."""

    FLOP = 3
    TURN = 4
    RIVER = 5

    @classmethod
    def from_board_len(cls, num_cards: int) -> "Street":
        """Returns the street that has so many cards on the board.

        Raises:
            InvalidBoardSizeError: if there is none.
        """
        if num_cards not in list(cls):
            raise InvalidBoardSizeError(num_cards)
        return cls(num_cards)

    @property
    def label(self) -> str:
        """The street in lower case, as used in keys and file names."""
        return self.name.lower()


def require_deal(board: Sequence[int], holding: Sequence[int]) -> Street:
    """Returns the street of a board after checking that no card is dealt twice.

    Raises:
        InvalidBoardSizeError: if the board is no flop, turn or river.
        DuplicateCardError: naming the first card that comes again.
        AbstractionError: if an id is no card.
    """
    street = Street.from_board_len(len(board))
    seen: set[int] = set()
    for card in (*board, *holding):
        if not 0 <= card < NUM_CARDS:
            raise AbstractionError(f"card {card}", f"card ids are 0 to {NUM_CARDS - 1}")
        if card in seen:
            raise DuplicateCardError(card)
        seen.add(card)
    return street
