"""Cards as small integers and as text.

A card is ``4 * rank + suit`` with ranks ``23456789TJQKA`` (0..12) and suits ``cdhs`` (0..3), so
sorting ids sorts by rank first. A board is a tuple of 3 to 5 cards in the order they were dealt.
"""

from collections.abc import Iterable, Sequence

from runout.errors import CardError, quote, shorten

RANKS = "23456789TJQKA"
SUITS = "cdhs"
NUM_RANKS = len(RANKS)
NUM_SUITS = len(SUITS)
NUM_CARDS = NUM_RANKS * NUM_SUITS
FLOP_SIZE, TURN_SIZE, RIVER_SIZE = 3, 4, 5
BOARD_SIZES = (FLOP_SIZE, TURN_SIZE, RIVER_SIZE)

_SEPARATORS = " ,"


def make_card(rank: int, suit: int) -> int:
    """Returns the card of a rank (0 deuce .. 12 ace) and a suit (0 clubs .. 3 spades)."""
    return NUM_SUITS * rank + suit


def card_rank(card: int) -> int:
    """Returns 0 for a deuce up to 12 for an ace."""
    return card // NUM_SUITS


def card_suit(card: int) -> int:
    """Returns 0 clubs, 1 diamonds, 2 hearts, 3 spades."""
    return card % NUM_SUITS


def parse_card(text: str) -> int:
    """Reads one card such as ``Ah``; upper and lower case are both understood.

    Raises:
        CardError: naming the text and the part of it that is not a rank or a suit.
    """
    if len(text) != 2:
        raise CardError(quote(text), "a card is a rank and a suit, such as Ah")
    rank = RANKS.find(text[0].upper())
    suit = SUITS.find(text[1].lower())
    if rank < 0:
        raise CardError(quote(text), f"{text[0]!r} is not a rank, use one of {RANKS}")
    if suit < 0:
        raise CardError(quote(text), f"{text[1]!r} is not a suit, use one of {SUITS}")
    return make_card(rank, suit)


def format_card(card: int) -> str:
    """Returns the two-letter text of a card, such as ``Ah``."""
    return RANKS[card_rank(card)] + SUITS[card_suit(card)]


def parse_cards(text: str) -> tuple[int, ...]:
    """Reads distinct cards written ``AhKd7s``, ``Ah Kd 7s`` or ``Ah,Kd,7s``, in their order.

    Raises:
        CardError: naming the token that is no card, or the card that comes twice.
    """
    joined = "".join(character for character in text if character not in _SEPARATORS)
    cards = tuple(parse_card(joined[i : i + 2]) for i in range(0, len(joined), 2))
    require_distinct(cards)
    return cards


def format_cards(cards: Iterable[int]) -> str:
    """Returns cards as compact text, such as ``AhKd7s``."""
    return "".join(map(format_card, cards))


def parse_board(text: str) -> tuple[int, ...]:
    """Reads a flop, turn or river board.

    Raises:
        CardError: if the text is not 3, 4 or 5 distinct cards.
    """
    board = parse_cards(text)
    require_board(board)
    return board


def require_board(board: Sequence[int]) -> None:
    """Raises `CardError` unless ``board`` is 3, 4 or 5 distinct cards."""
    require_distinct(board)
    if len(board) not in BOARD_SIZES:
        raise CardError(
            f"board {quote(format_cards(board))}",
            f"{len(board)} cards, a board has 3 (flop), 4 (turn) or 5 (river)",
        )


def require_distinct(cards: Sequence[int]) -> None:
    """Raises `CardError` if an id is no card, or naming the first card that comes twice."""
    seen: set[int] = set()
    for card in cards:
        if not 0 <= card < NUM_CARDS:
            raise CardError(f"card {card}", f"card ids are 0 to {NUM_CARDS - 1}")
        if card in seen:
            raise CardError(format_card(card), f"comes twice in {shorten(format_cards(cards))}")
        seen.add(card)
