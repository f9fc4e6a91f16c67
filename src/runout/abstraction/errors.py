"""What can go wrong with a card abstraction."""

from typing import Any

from runout.cards.card import format_card
from runout.errors import RunoutError


class AbstractionError(RunoutError):
    """Base of the errors of this package."""


class InvalidBoardSizeError(AbstractionError):
    """A board that is no flop, turn or river."""

    def __init__(self, num_cards: int) -> None:
        super().__init__("board", f"{num_cards} cards, a board has 3 (flop), 4 (turn) or 5 (river)")
        self.num_cards = num_cards

    def __reduce__(self) -> tuple[type["InvalidBoardSizeError"], tuple[int], dict[str, Any]]:
        return type(self), (self.num_cards,), self.__dict__  # to be pickled between processes


class DuplicateCardError(AbstractionError):
    """A card that is dealt twice."""

    def __init__(self, card: int) -> None:
        super().__init__(format_card(card), "this card is dealt twice")
        self.card = card

    def __reduce__(self) -> tuple[type["DuplicateCardError"], tuple[int], dict[str, Any]]:
        return type(self), (self.card,), self.__dict__


class AbstractionLoadError(AbstractionError):
    """An abstraction that cannot be read: missing, damaged or of another version."""


class InvalidBoundariesError(AbstractionError):
    """Bucket boundaries that are unsorted, not numbers, out of range or too many."""


class SerializationError(AbstractionError):
    """An abstraction that cannot be written."""
