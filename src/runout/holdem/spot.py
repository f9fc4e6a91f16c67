"""A spot: a board, two ranges and the betting that is left."""

from dataclasses import dataclass

from runout.cards.card import FLOP_SIZE, NUM_CARDS, format_cards, require_board, require_distinct
from runout.errors import CardError
from runout.holdem.rake import NO_RAKE, Rake
from runout.ranges.hand_range import HandRange
from runout.trees.postflop_tree import PostflopTree

WHOLE_DECK = tuple(range(NUM_CARDS))


@dataclass(frozen=True, eq=False)
class Spot:
    """What is to be solved.

    Attributes:
        board: 3 to 5 cards.
        ranges: of OOP and IP.
        tree: the betting from the board's street on.
        rake: what the house takes.
        merges_suits: whether cards that differ by suits only are solved once.
        deck: the cards that can come, as far as nobody holds them; the board may be among them.
    """

    board: tuple[int, ...]
    ranges: tuple[HandRange, HandRange]
    tree: PostflopTree
    rake: Rake = NO_RAKE
    merges_suits: bool = True
    deck: tuple[int, ...] = WHOLE_DECK

    def __post_init__(self) -> None:
        require_board(self.board)
        require_distinct(self.deck)
        if len(self.board) - FLOP_SIZE != self.tree.first_street:
            street = self.tree.first_street.label
            problem = f"{len(self.board)} cards, but the betting begins on the {street}"
            raise CardError(f"board {format_cards(self.board)}", problem)
