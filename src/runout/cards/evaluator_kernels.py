"""Compiled hand evaluation: one perfect-hash look-up per hand, or 91 for a whole board.

Every card has a 64-bit key whose sum over a hand says everything at once. The low half adds up to
a number that is unique for each multiset of ranks. The high half counts cards per suit, one nibble
each starting at 3, so that a nibble's top bit says "five or more of this suit".
"""

from typing import NamedTuple

import numpy as np

from runout.arrays import Int32Array, Uint8Array, Uint16Array, Uint64Array
from runout.jit import inlined, kernel

ROW_BITS = 9  # a rank key's low bits choose the column of the hash table, the rest the row
SMALLEST_HAND = 5

_COLUMN_MASK = (1 << ROW_BITS) - 1
_SUIT_BIAS = np.uint64(0x3333 << 32)
_FLUSH_BITS = np.uint64(0x8888 << 32)
_FIRST_FLUSH_BIT = np.uint64(0x8 << 32)
_SUIT_MASK = np.uint64(0x1FFF)
_NUM_RANKS = 13
_NUM_CARDS = 52


class EvaluatorTables(NamedTuple):
    """Read-only tables of the evaluator.

    Attributes:
        card_key: ``[52]`` additive key of a card: rank key below, suit counter above.
        card_bit: ``[52]`` the card's rank as a bit in its suit's 16-bit lane.
        row_start: ``[3, rows]`` where a row of 5-, 6- and 7-card rank keys begins in ``strength``.
        strength: strengths of hands without a flush, rows interleaved.
        flush_strength: ``[8192]`` strength of five or more suited cards by their 13-bit rank set.
    """

    card_key: Uint64Array
    card_bit: Uint64Array
    row_start: Int32Array
    strength: Uint16Array
    flush_strength: Uint16Array


@inlined
def _strength_of_key(key, row_start, strength):  # type: ignore[no-untyped-def]
    rank_key = np.uint32(key)
    column = np.int64(rank_key & np.uint32(_COLUMN_MASK))
    return strength[row_start[rank_key >> np.uint32(ROW_BITS)] + column]


@inlined
def _flush_ranks(flush_bit, card_bits):  # type: ignore[no-untyped-def]
    """The rank set of the one suit whose counter shows five or more."""
    lane = np.uint64(0)
    while flush_bit > _FIRST_FLUSH_BIT:
        flush_bit >>= np.uint64(4)
        lane += np.uint64(16)
    return (card_bits >> lane) & _SUIT_MASK


@kernel
def evaluate_hands(tables: EvaluatorTables, hands: Uint8Array, out_strength: Uint16Array) -> None:
    """Sets ``out_strength[n]`` to the strength of each row of ``hands[n, 5 to 7]``."""
    num_cards = hands.shape[1]
    row_start = tables.row_start[num_cards - SMALLEST_HAND]
    for hand in range(hands.shape[0]):
        cards = hands[hand]
        key = _SUIT_BIAS
        for i in range(num_cards):
            key += tables.card_key[cards[i]]
        flush_bit = key & _FLUSH_BITS
        if flush_bit:
            card_bits = np.uint64(0)
            for i in range(num_cards):
                card_bits |= tables.card_bit[cards[i]]
            out_strength[hand] = tables.flush_strength[_flush_ranks(flush_bit, card_bits)]
        else:
            out_strength[hand] = _strength_of_key(key, row_start, tables.strength)


@kernel
def evaluate_board(
    tables: EvaluatorTables, board: Uint8Array, scratch: Uint16Array, out_strength: Uint16Array
) -> None:
    """Sets ``out_strength[1326]`` to every combo's strength on a board, 0 where it is blocked.

    ``scratch[13, 52]`` is working space: strength of a card of each rank with each other card.
    """
    key = _SUIT_BIAS
    for i in range(board.shape[0]):
        key += tables.card_key[board[i]]
    _fill_rank_pairs(tables, board, key, scratch)
    start = 0
    for high in range(_NUM_CARDS):
        row = scratch[high >> 2]
        for low in range(high):
            out_strength[start + low] = row[low]
        start += high
    for i in range(board.shape[0]):
        _clear_combos_of(np.int64(board[i]), out_strength)
    for suit in range(4):
        num_suited = 0
        for i in range(board.shape[0]):
            num_suited += board[i] & 3 == suit
        if num_suited >= 3:
            _overwrite_flushes(tables, board, suit, num_suited, out_strength)


@kernel
def _fill_rank_pairs(
    tables: EvaluatorTables, board: Uint8Array, board_key: np.uint64, out_rows: Uint16Array
) -> None:
    """Looks each pair of ranks up once and spreads it over the cards of the second rank."""
    row_start = tables.row_start[board.shape[0] + 2 - SMALLEST_HAND]
    left = np.full(_NUM_RANKS, 4, dtype=np.int64)
    for i in range(board.shape[0]):
        left[board[i] >> 2] -= 1
    for rank in range(_NUM_RANKS):
        for other in range(rank + 1):
            needed = 2 if rank == other else 1
            if left[rank] < needed or left[other] < needed:
                continue  # no such hand: its key is not in the table
            pair_key = board_key + tables.card_key[4 * rank] + tables.card_key[4 * other]
            strength = _strength_of_key(pair_key, row_start, tables.strength)
            for suit in range(4):
                out_rows[rank, 4 * other + suit] = strength


@kernel
def _overwrite_flushes(
    tables: EvaluatorTables,
    board: Uint8Array,
    suit: int,
    num_suited: int,
    out_strength: Uint16Array,
) -> None:
    """Replaces the strength of combos that make a flush; five suited cards beat any pairing."""
    suited_ranks = 0
    for i in range(board.shape[0]):
        if board[i] & 3 == suit:
            suited_ranks |= 1 << int(board[i] >> 2)
    if num_suited == 5:
        for combo in range(out_strength.shape[0]):
            if out_strength[combo]:
                out_strength[combo] = tables.flush_strength[suited_ranks]
    for rank in range(_NUM_RANKS):
        if suited_ranks >> rank & 1:
            continue
        card = 4 * rank + suit
        with_card = suited_ranks | 1 << rank
        if num_suited >= 4:
            _overwrite_combos_of(card, tables.flush_strength[with_card], out_strength)
        for other in range(rank):
            if not suited_ranks >> other & 1:
                combo = card * (card - 1) // 2 + 4 * other + suit
                out_strength[combo] = tables.flush_strength[with_card | 1 << other]


@kernel
def _clear_combos_of(card: int, out_strength: Uint16Array) -> None:
    """Gives every combo that holds ``card`` strength 0; without a branch, which is faster."""
    start = card * (card - 1) // 2
    out_strength[start : start + card] = 0
    for high in range(card + 1, _NUM_CARDS):
        out_strength[high * (high - 1) // 2 + card] = 0


@kernel
def _overwrite_combos_of(card: int, strength: int, out_strength: Uint16Array) -> None:
    """Gives every live combo that holds ``card`` the same strength."""
    start = card * (card - 1) // 2
    for combo in range(start, start + card):
        if out_strength[combo]:
            out_strength[combo] = strength
    for high in range(card + 1, _NUM_CARDS):
        combo = high * (high - 1) // 2 + card
        if out_strength[combo]:
            out_strength[combo] = strength
