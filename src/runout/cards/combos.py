"""The 1,326 two-card combos, their numbering, and who blocks whom."""

from collections.abc import Iterable, Sequence

import numpy as np

from runout.arrays import BoolArray, IntArray, Uint8Array, read_only
from runout.cards.card import NUM_CARDS, NUM_SUITS, format_cards, parse_cards
from runout.errors import CardError, quote

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
    """Reads a combo such as ``AhKd``.

    Raises:
        CardError: if the text is not two distinct cards.
    """
    if len(text) % 2 and not any(separator in text for separator in " ,"):
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


def permute_combos(new_suits: Sequence[int]) -> IntArray:
    """Returns ``[1326]`` the combo that each combo becomes when suit s becomes ``new_suits[s]``."""
    cards = COMBO_CARDS.astype(np.int64)
    moved = cards - cards % NUM_SUITS + np.asarray(new_suits)[cards % NUM_SUITS]
    low, high = moved.min(axis=1), moved.max(axis=1)
    permuted: IntArray = high * (high - 1) // 2 + low
    return permuted
