"""Boards and holdings up to a renaming of suits: the same poker, whatever the suits are called.

A board is made canonical by renaming its suits; a holding is made canonical *together with* its
board: where a renaming leaves the board alone, the holding decides which one is used. Naming the
board's suits first and mapping the holding with whatever came out would keep 2,063,880 classes
of (holding, flop) where there are 1,286,792.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations

from runout.cards.card import (
    NUM_SUITS,
    card_rank,
    card_suit,
    make_card,
    require_board,
    require_distinct,
)
from runout.errors import CardError


@dataclass(frozen=True)
class SuitMapping:
    """A renaming of suits; it moves suits and keeps ranks.

    To carry results from a canonical board back to the dealt one, use `inverse`: swaps of two
    suits are their own inverse and hide the mistake, cycles of three are not.

    Attributes:
        new_suits: the new suit of clubs, diamonds, hearts and spades.
    """

    new_suits: tuple[int, int, int, int]

    def __post_init__(self) -> None:
        if sorted(self.new_suits) != list(range(NUM_SUITS)):
            raise CardError(f"suit mapping {self.new_suits}", "not a permutation of 0, 1, 2, 3")

    @classmethod
    def identity(cls) -> "SuitMapping":
        """Returns the mapping that keeps every suit."""
        return cls((0, 1, 2, 3))

    def map_suit(self, suit: int) -> int:
        """Returns what ``suit`` is renamed to."""
        return self.new_suits[suit]

    def map_card(self, card: int) -> int:
        """Returns the card of the same rank in the renamed suit."""
        return make_card(card_rank(card), self.new_suits[card_suit(card)])

    def map_cards(self, cards: Iterable[int]) -> tuple[int, ...]:
        """Returns the cards with renamed suits, in the order they came."""
        return tuple(map(self.map_card, cards))

    def inverse(self) -> "SuitMapping":
        """Returns the mapping that undoes this one."""
        clubs, diamonds, hearts, spades = map(self.new_suits.index, range(NUM_SUITS))
        return SuitMapping((clubs, diamonds, hearts, spades))

    def then(self, following: "SuitMapping") -> "SuitMapping":
        """Returns the mapping that first does this one and then ``following``."""
        clubs, diamonds, hearts, spades = map(following.map_suit, self.new_suits)
        return SuitMapping((clubs, diamonds, hearts, spades))


#: All 24 renamings of suits.
SUIT_MAPPINGS: tuple[SuitMapping, ...] = tuple(map(SuitMapping, permutations(range(NUM_SUITS), 4)))


def suit_stabilizer(cards: Iterable[int]) -> tuple[SuitMapping, ...]:
    """Returns the renamings of suits that turn a set of cards into itself, the identity first.

    Their number divides 24, and ``24 // len(suit_stabilizer(cards))`` sets of cards are the same
    up to suits.
    """
    kept = frozenset(cards)
    return tuple(mapping for mapping in SUIT_MAPPINGS if kept.issuperset(mapping.map_cards(kept)))


@dataclass(frozen=True)
class CanonicalBoard:
    """The one board that stands for all boards which differ in suits and in dealing order only.

    Suits are ordered by how many board cards they have, equal counts by their ranks from the
    highest down; the first becomes spades, then hearts, diamonds and clubs.

    Attributes:
        cards: the canonical board, highest card first.
        mapping: one renaming that leads from the dealt suits to the canonical ones.
    """

    cards: tuple[int, ...]
    mapping: SuitMapping

    @classmethod
    def from_cards(cls, board: Sequence[int]) -> "CanonicalBoard":
        """Returns the canonical form of a board of 3, 4 or 5 cards in any order.

        Raises:
            CardError: if the board has another length or a card that comes twice.
        """
        require_board(board)
        ranks_by_suit: list[list[int]] = [[] for _ in range(NUM_SUITS)]
        for card in sorted(board, reverse=True):
            ranks_by_suit[card_suit(card)].append(card_rank(card))
        # The suit itself settles the remaining ties, so a canonical board maps by the identity.
        suits_ascending = sorted(
            range(NUM_SUITS), key=lambda suit: (len(ranks_by_suit[suit]), ranks_by_suit[suit], suit)
        )
        clubs, diamonds, hearts, spades = map(suits_ascending.index, range(NUM_SUITS))
        mapping = SuitMapping((clubs, diamonds, hearts, spades))
        return cls(tuple(sorted(mapping.map_cards(board), reverse=True)), mapping)

    @cached_property
    def mappings(self) -> tuple[SuitMapping, ...]:
        """Every renaming that leads from the dealt suits to the canonical board."""
        return tuple(self.mapping.then(symmetry) for symmetry in suit_stabilizer(self.cards))

    def canonicalize_holding(self, card_a: int, card_b: int) -> tuple[int, int]:
        """Returns the canonical form, higher card first, of a holding on the dealt board.

        Of all renamings that make the board canonical it takes the one with the highest holding,
        so two deals have the same canonical board and holding exactly if they are the same up
        to suits and order.

        Args:
            card_a: one hole card, in the suits of the board as it was dealt.
            card_b: the other one.

        Raises:
            CardError: if the two cards are equal or one of them is on the board.
        """
        require_distinct((card_a, card_b, *self.mapping.inverse().map_cards(self.cards)))
        high, low = max(
            sorted(mapping.map_cards((card_a, card_b)), reverse=True) for mapping in self.mappings
        )
        return high, low
