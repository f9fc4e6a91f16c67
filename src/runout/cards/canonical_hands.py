"""The 169 canonical hands: pairs ``AA=0 .. 22=12``, suited ``AKs=13 .. 32s=90``, offsuit to 168.

Within suited and offsuit the high rank falls first, then the low rank. Two hands meet with a
weight, the number of disjoint combo pairs, which is neither uniform nor a product.
"""

from collections.abc import Sequence

import numpy as np

from runout.arrays import IntArray, read_only
from runout.cards.card import NUM_CARDS, NUM_RANKS, RANKS, card_rank, card_suit
from runout.cards.combos import COMBO_CARDS, live_combos
from runout.errors import CardError, quote

NUM_HANDS = 169
NUM_PAIRS = NUM_RANKS
NUM_SUITED = NUM_RANKS * (NUM_RANKS - 1) // 2


def canonical_hand_index(card_a: int, card_b: int) -> int:
    """Returns the canonical hand (0..168) of two cards, whichever comes first."""
    rank_a, rank_b = card_rank(card_a), card_rank(card_b)
    return hand_index_of_ranks(
        max(rank_a, rank_b), min(rank_a, rank_b), card_suit(card_a) == card_suit(card_b)
    )


def hand_index_of_ranks(high: int, low: int, is_suited: bool) -> int:
    """Returns the canonical hand of two ranks with ``high >= low``; a pair is never suited."""
    if high == low:
        return NUM_RANKS - 1 - high
    rows_above = NUM_RANKS - 1 - high  # high ranks that come first; they hold 12, 11, .. hands
    before = rows_above * (NUM_RANKS - 1) - rows_above * (rows_above - 1) // 2
    return NUM_PAIRS + before + (high - 1 - low) + (0 if is_suited else NUM_SUITED)


def _name(high: int, low: int, is_suited: bool) -> str:
    ending = "" if high == low else "s" if is_suited else "o"
    return RANKS[high] + RANKS[low] + ending


def _all_hands() -> list[tuple[int, int, bool]]:
    ranks = range(NUM_RANKS - 1, -1, -1)
    unpaired = [(high, low) for high in ranks for low in range(high - 1, -1, -1)]
    pairs = [(rank, rank, False) for rank in ranks]
    return pairs + [(*pair, True) for pair in unpaired] + [(*pair, False) for pair in unpaired]


#: High rank, low rank and whether suited, for each canonical hand.
HAND_RANKS: tuple[tuple[int, int, bool], ...] = tuple(_all_hands())

#: ``AA``, ``AKs``, ``AKo`` and so on, for each canonical hand.
HAND_NAMES: tuple[str, ...] = tuple(_name(*hand) for hand in HAND_RANKS)

#: ``[1326]`` the canonical hand of every combo.
HAND_BY_COMBO: IntArray = read_only(
    np.array([canonical_hand_index(*cards) for cards in COMBO_CARDS.tolist()], dtype=np.int64)
)

#: For each canonical hand its 4, 6 or 12 combos.
COMBOS_BY_HAND: tuple[IntArray, ...] = tuple(
    read_only(np.flatnonzero(hand == HAND_BY_COMBO)) for hand in range(NUM_HANDS)
)

_INDEX_BY_NAME = {name: index for index, name in enumerate(HAND_NAMES)}


def parse_canonical_hand(text: str) -> int:
    """Reads a canonical hand such as ``AKs``, ``QQ`` or ``72o``.

    Raises:
        CardError: if it is none of the 169.
    """
    index = _INDEX_BY_NAME.get(text[:2].upper() + text[2:].lower())
    if index is None:
        raise CardError(quote(text), "not a canonical hand such as AA, AKs or AKo")
    return index


def grid_position(hand: int) -> tuple[int, int]:
    """Returns row and column in the usual 13x13 grid: aces first, suited above the diagonal."""
    high, low, is_suited = HAND_RANKS[hand]
    near, far = NUM_RANKS - 1 - high, NUM_RANKS - 1 - low
    return (near, far) if is_suited else (far, near)


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
