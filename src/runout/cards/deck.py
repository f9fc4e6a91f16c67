"""The deck: cards, the 1,326 combos and the 169 canonical hands."""

from collections.abc import Iterable, Sequence
from functools import cache

import numpy as np

from runout.arrays import BoolArray, IntArray, Uint8Array, read_only
from runout.errors import CardError, quote, shorten

# Cards as small integers and as text.
#
# A card is ``4 * rank + suit`` with ranks ``23456789TJQKA`` (0..12) and suits ``cdhs`` (0..3), so
# sorting ids sorts by rank first. A board is a tuple of 3 to 5 cards in the order they were dealt.

RANKS = "23456789TJQKA"
SUITS = "cdhs"
NUM_RANKS = len(RANKS)
NUM_SUITS = len(SUITS)
NUM_CARDS = NUM_RANKS * NUM_SUITS
FLOP_SIZE, TURN_SIZE, RIVER_SIZE = 3, 4, 5
BOARD_SIZES = (FLOP_SIZE, TURN_SIZE, RIVER_SIZE)

TEN_IN_DIGITS = "a ten is written T, not 10"


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
    """Reads one card such as ``Ah``; upper and lower case are both understood."""
    require_no_ten(text)
    if len(text) != 2:
        raise CardError(quote(text), "a card is a rank and a suit, such as Ah")
    rank = RANKS.find(text[0].upper())
    suit = SUITS.find(text[1].lower())
    if rank < 0:
        raise CardError(quote(text), f"{text[0]!r} is not a rank, use one of {RANKS}")
    if suit < 0:
        raise CardError(quote(text), f"{text[1]!r} is not a suit, use one of {SUITS}")
    return make_card(rank, suit)


def require_no_ten(text: str) -> None:
    """Raises `CardError` if a ten is written as a number."""
    if has_ten_in_digits(text):
        raise CardError(quote(text), TEN_IN_DIGITS)


def has_ten_in_digits(text: str) -> bool:
    """Returns whether a text would be cards or hands if each 10 in it were a T."""
    return "10" in text and not text.replace("10", "").upper().strip(RANKS + "CDHSO+- ,")


def format_card(card: int) -> str:
    """Returns the two-letter text of a card, such as ``Ah``."""
    return RANKS[card_rank(card)] + SUITS[card_suit(card)]


def parse_cards(text: str) -> tuple[int, ...]:
    """Reads distinct cards written ``AhKd7s``, ``Ah Kd 7s`` or ``Ah,Kd,7s``, in their order."""
    require_no_ten(text)
    joined = text.replace(" ", "").replace(",", "")
    cards = tuple(parse_card(joined[i : i + 2]) for i in range(0, len(joined), 2))
    require_distinct(cards)
    return cards


def format_cards(cards: Iterable[int]) -> str:
    """Returns cards as compact text, such as ``AhKd7s``."""
    return "".join(map(format_card, cards))


def parse_board(text: str) -> tuple[int, ...]:
    """Reads a flop, turn or river board; a card is ``4 * rank + suit``, 0 (``2c``) to 51 (``As``).

    >>> import runout
    >>> runout.parse_board("Ah Kd 7s")
    (50, 45, 23)

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
    """Raises `CardError` if an id is no card, or naming the first duplicate."""
    seen: set[int] = set()
    for card in cards:
        if not 0 <= card < NUM_CARDS:
            raise CardError(f"card {card}", f"card ids are 0 to {NUM_CARDS - 1}")
        if card in seen:
            raise CardError(format_card(card), f"dealt twice in {shorten(format_cards(cards))}")
        seen.add(card)


# The 1,326 two-card combos, their numbering, and who blocks whom.

NUM_COMBOS = NUM_CARDS * (NUM_CARDS - 1) // 2


def combo_index(card_a: int, card_b: int) -> int:
    """Returns the number of a combo, whichever card comes first."""
    high, low = max(card_a, card_b), min(card_a, card_b)
    return high * (high - 1) // 2 + low


#: ``[1326, 2]`` the cards of every combo, lower card first.
COMBO_CARDS: Uint8Array = read_only(
    np.array([(low, high) for high in range(NUM_CARDS) for low in range(high)], dtype=np.uint8)
)

#: ``[1326, 52]`` whether the combo holds the card.
COMBO_HAS_CARD: BoolArray = read_only((COMBO_CARDS[:, :, None] == np.arange(NUM_CARDS)).any(axis=1))

#: ``[52, 51]`` the combos that hold a card, in order.
COMBOS_BY_CARD: IntArray = read_only(np.stack([np.flatnonzero(has) for has in COMBO_HAS_CARD.T]))


def combo_cards(combo: int) -> tuple[int, int]:
    """Returns the two cards of a combo, lower card first."""
    low, high = COMBO_CARDS[combo].tolist()
    return low, high


def parse_combo(text: str) -> int:
    """Reads a combo such as ``AhKd``."""
    require_no_ten(text)
    if len(text) % 2 and not {" ", ","} & set(text):
        raise CardError(quote(text), "is not two cards, such as AhKd")
    cards = parse_cards(text)
    if len(cards) != 2:
        raise CardError(quote(text), f"{len(cards)} cards, a hand has 2")
    return combo_index(*cards)


def format_combo(combo: int) -> str:
    """Returns a combo as text, higher card first, such as ``AhKd``."""
    return format_cards(reversed(combo_cards(combo)))


def live_combos(dead_cards: Iterable[int]) -> IntArray:
    """Returns the numbers of the combos that hold none of the dead cards, in order."""
    return np.flatnonzero(~COMBO_HAS_CARD[:, list(dead_cards)].any(axis=1))


def disjoint_combos(combos_a: IntArray, combos_b: IntArray) -> BoolArray:
    """Returns ``[len(a), len(b)]`` whether two combos share no card and can meet."""
    a = COMBO_HAS_CARD[combos_a].astype(np.float32)
    b = COMBO_HAS_CARD[combos_b].astype(np.float32)
    disjoint: BoolArray = (a @ b.T) == 0.0
    return disjoint


@cache
def permute_combos(new_suits: tuple[int, ...]) -> IntArray:
    """Returns ``[1326]`` the combo that each combo becomes when suit s becomes ``new_suits[s]``."""
    cards = COMBO_CARDS.astype(np.int64)
    moved = cards - cards % NUM_SUITS + np.asarray(new_suits)[cards % NUM_SUITS]
    low, high = moved.min(axis=1), moved.max(axis=1)
    return read_only(high * (high - 1) // 2 + low)


# The 169 canonical hands: pairs ``AA=0 .. 22=12``, suited ``AKs=13 .. 32s=90``, offsuit to 168.
#
# Within suited and offsuit the high rank falls first, then the low rank. Two hands meet with a
# weight, the number of disjoint combo pairs, which is neither uniform nor a product.

NUM_HANDS = 169

_FALLING = range(NUM_RANKS - 1, -1, -1)
_UNPAIRED = [(high, low) for high in _FALLING for low in _FALLING if low < high]

#: High rank, low rank and whether suited, for each canonical hand.
HAND_RANKS: tuple[tuple[int, int, bool], ...] = (
    *((rank, rank, False) for rank in _FALLING),
    *((high, low, is_suited) for is_suited in (True, False) for high, low in _UNPAIRED),
)

#: The canonical hand of a high rank, a low rank and whether suited.
HAND_BY_RANKS = {ranks: hand for hand, ranks in enumerate(HAND_RANKS)}

#: ``AA``, ``AKs``, ``AKo`` and so on, for each canonical hand.
HAND_NAMES: tuple[str, ...] = tuple(
    RANKS[high] + RANKS[low] + ("" if high == low else "s" if is_suited else "o")
    for high, low, is_suited in HAND_RANKS
)

#: The hands of the usual 13 x 13 grid, row by row: aces first, suited above the diagonal.
HAND_GRID: tuple[tuple[int, ...], ...] = tuple(
    tuple(HAND_BY_RANKS[max(row, other), min(row, other), row > other] for other in _FALLING)
    for row in _FALLING
)

#: ``[1326]`` the canonical hand of every combo.
HAND_BY_COMBO: IntArray = read_only(
    np.array(
        [
            HAND_BY_RANKS[card_rank(high), card_rank(low), card_suit(high) == card_suit(low)]
            for low, high in COMBO_CARDS.tolist()
        ],
        dtype=np.int64,
    )
)

#: For each canonical hand its 4, 6 or 12 combos.
COMBOS_BY_HAND: tuple[IntArray, ...] = tuple(
    read_only(np.flatnonzero(hand == HAND_BY_COMBO)) for hand in range(NUM_HANDS)
)


def parse_canonical_hand(text: str) -> int:
    """Reads a canonical hand such as ``AKs``, ``QQ`` or ``72o``."""
    require_no_ten(text)
    name = text[:2].upper() + text[2:].lower()
    if name not in HAND_NAMES:
        raise CardError(quote(text), "not a canonical hand such as AA, AKs or AKo")
    return HAND_NAMES.index(name)


def canonical_hand_index(card_a: int, card_b: int) -> int:
    """Returns the canonical hand, 0 to 168, of two cards, whichever comes first."""
    require_distinct((card_a, card_b))
    return int(HAND_BY_COMBO[combo_index(card_a, card_b)])


def build_combo_map(board: Sequence[int] = ()) -> list[list[tuple[int, int]]]:
    """Returns for each of the 169 hands the combos that a flop or any other board leaves possible.

    A combo is its two cards, lower card first.
    """
    require_distinct(board)
    live = set(live_combos(board).tolist())
    return [[combo_cards(c) for c in combos.tolist() if c in live] for combos in COMBOS_BY_HAND]


def matchup_weights(board: Sequence[int] = ()) -> IntArray:
    """Returns ``[169, 169]`` disjoint combo pairs of two hands that avoid the board's cards."""
    live = live_combos(board)
    cells = HAND_BY_COMBO[live, None] * NUM_CARDS + COMBO_CARDS[live]
    cards_held = np.bincount(cells.ravel(), minlength=NUM_HANDS * NUM_CARDS)
    cards_held = cards_held.reshape(NUM_HANDS, NUM_CARDS)
    combos = np.bincount(HAND_BY_COMBO[live], minlength=NUM_HANDS)
    sharing = np.einsum("hc,oc->ho", cards_held, cards_held)
    # A pair sharing one card is taken off once; a combo meeting itself twice, so it is put back.
    weights: IntArray = np.outer(combos, combos) - sharing + np.diag(combos)
    return weights
