"""Compiled numbering of deals up to suits; docs/cards.md explains the idea.

A suit's *shape* is how many cards it has in each round, as one number; its *set index* tells
which ranks they are. Shape and set index packed into one integer are the suit's *key*: four
sorted keys are a deal up to suits. Everything is int64; card bytes are widened when read.

What runs once per deal and takes the tables is inlined: a call counts references to all their
arrays, which takes longer than the work itself (140 instead of 50 ns a deal).
"""

from typing import NamedTuple

import numpy as np

from runout.arrays import IntArray, Uint8Array
from runout.jit import inlined, kernel

#: A key is ``shape << SHAPE_SHIFT | set index``; set indices stay far below 2 ** 32.
SHAPE_SHIFT = 32
SET_INDEX_MASK = (1 << SHAPE_SHIFT) - 1

#: A round is four masks of 13 ranks in one number, clubs in the lowest bits.
SUIT_SHIFT = 16
ALL_RANKS = (1 << 13) - 1


class IndexerTables(NamedTuple):
    """The layout of one indexer: R rounds, M shapes, C configurations (sorted shapes of suits).

    Sets of the 13 ranks are bit masks, numbered among the sets of the same size (colex).

    Attributes:
        round_bounds: ``[R + 1]`` position of each round's first card, and the number of cards.
        shape_steps: ``[R]`` what one card of a round adds to its suit's shape.
        configuration: ``[M, M, M]`` configuration by its three lowest shapes, -1 where none.
        offsets: ``[C]`` first index of each configuration.
        strides: ``[C, 4]`` what one step of the suit's group adds to the index.
        orders: ``[C, 4]`` place of a suit among the suits of the same shape, from 1.
        set_size: ``[8192]`` members of each mask.
        set_number: ``[8192]`` number of each mask among those of its size.
        combinations: ``[14, 8]`` how many sets of a size there are among so many ranks.
    """

    round_bounds: IntArray
    shape_steps: IntArray
    configuration: IntArray
    offsets: IntArray
    strides: IntArray
    orders: IntArray
    set_size: IntArray
    set_number: IntArray
    combinations: IntArray


@kernel
def find_repeated_card(cards: Uint8Array) -> int:
    """Returns the first row of ``cards[n, k]`` in which a card comes twice, or -1."""
    for row in range(cards.shape[0]):
        seen = np.int64(0)
        for position in range(cards.shape[1]):
            bit = np.int64(1) << np.int64(cards[row, position])
            if seen & bit:
                return row
            seen |= bit
    return -1


@kernel
def index_deals(tables: IndexerTables, cards: Uint8Array, out_indices: IntArray) -> None:
    """Sets ``out_indices[n]`` to the class of each deal in ``cards[n, k]``."""
    keys = np.empty(4, np.int64)
    rounds = np.empty(tables.shape_steps.shape[0], np.int64)
    for row in range(cards.shape[0]):
        _keys_of_cards(tables, cards[row], rounds, keys)
        _sort_keys(keys)
        out_indices[row] = _index_of_keys(tables, keys)


@inlined
def _keys_of_cards(
    tables: IndexerTables, cards: Uint8Array, out_rounds: IntArray, out_keys: IntArray
) -> None:
    """Sets the four suits' keys, in the order of the suits; ``out_rounds[R]`` is scratch."""
    _squeeze_rounds(tables, cards, out_rounds)
    for suit in range(4):
        key = np.int64(0)
        stride = np.int64(1)
        num_unused = np.int64(13)
        for deal_round in range(out_rounds.shape[0]):
            # Without a branch on "none dealt": it is a coin toss, and nothing changes then anyway.
            ranks = out_rounds[deal_round] >> (suit * SUIT_SHIFT) & ALL_RANKS
            count = tables.set_size[ranks]
            key += count * tables.shape_steps[deal_round] << SHAPE_SHIFT
            key += stride * tables.set_number[ranks]
            stride *= tables.combinations[num_unused, count]
            num_unused -= count
        out_keys[suit] = key


@inlined
def _squeeze_rounds(tables: IndexerTables, cards: Uint8Array, out_rounds: IntArray) -> None:
    """Sets each round to its cards as bits, ranks counted among those that are left.

    Left are the ranks that the card's suit has not shown in earlier rounds.
    """
    used = np.int64(0)
    for deal_round in range(out_rounds.shape[0]):
        dealt = np.int64(0)
        squeezed = np.int64(0)
        for position in range(tables.round_bounds[deal_round], tables.round_bounds[deal_round + 1]):
            card = np.int64(cards[position])
            shift, bit = (card & 3) * SUIT_SHIFT, np.int64(1) << (card >> 2)
            num_skipped = tables.set_size[used >> shift & (bit - 1)]
            dealt |= bit << shift
            squeezed |= bit >> num_skipped << shift
        used |= dealt
        out_rounds[deal_round] = squeezed


@inlined
def _sort_keys(out_keys: IntArray) -> None:
    """Sorts four keys in ascending order."""
    a, b = min(out_keys[0], out_keys[1]), max(out_keys[0], out_keys[1])
    c, d = min(out_keys[2], out_keys[3]), max(out_keys[2], out_keys[3])
    middle_low, middle_high = max(a, c), min(b, d)
    out_keys[0] = min(a, c)
    out_keys[1] = min(middle_low, middle_high)
    out_keys[2] = max(middle_low, middle_high)
    out_keys[3] = max(b, d)


@inlined
def _index_of_keys(tables: IndexerTables, keys: IntArray) -> np.int64:
    """Returns the index of four ascending keys."""
    configuration = tables.configuration[
        keys[0] >> SHAPE_SHIFT, keys[1] >> SHAPE_SHIFT, keys[2] >> SHAPE_SHIFT
    ]
    index: np.int64 = tables.offsets[configuration]
    for position in range(4):
        below = _multisets_below(
            keys[position] & SET_INDEX_MASK, tables.orders[configuration, position]
        )
        index += tables.strides[configuration, position] * below
    return index


@kernel
def _multisets_below(value: np.int64, order: np.int64) -> np.int64:
    """Returns the multisets of ``order`` numbers below ``value``: C(value + order - 1, order)."""
    if order == 1:
        return value
    if order == 2:
        return value * (value + 1) // 2
    if order == 3:
        return value * (value + 1) * (value + 2) // 6
    return value * (value + 1) * (value + 2) * (value + 3) // 24
