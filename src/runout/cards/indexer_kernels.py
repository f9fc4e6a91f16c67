"""Compiled numbering of deals up to suits; `runout.cards.hand_indexer` explains the idea.

A suit's *shape* is how many cards it has in each round, as one number; its *set index* tells
which ranks they are. Shape and set index packed into one integer are the suit's *key*: four
sorted keys are a deal up to suits. Everything is int64; card bytes are widened when read.

What runs once per deal and takes the tables is inlined: a call counts references to all twelve
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


class RankSetTables(NamedTuple):
    """Sets of the 13 ranks as bit masks, numbered among the sets of the same size (colex).

    Attributes:
        size: ``[8192]`` members of each mask.
        number: ``[8192]`` number of each mask among those of its size.
        mask: ``[8, 1716]`` the mask of a size and a number.
        combinations: ``[14, 8]`` how many sets of a size there are among so many ranks.
    """

    size: IntArray
    number: IntArray
    mask: IntArray
    combinations: IntArray


class IndexerTables(NamedTuple):
    """The layout of one indexer: R rounds, M shapes, C configurations (sorted shapes of suits).

    Attributes:
        round_bounds: ``[R + 1]`` position of each round's first card, and the number of cards.
        shape_steps: ``[R]`` what one card of a round adds to its suit's shape.
        shape_counts: ``[M, R]`` cards of a shape in each round.
        configuration: ``[M, M, M]`` configuration by its three lowest shapes, -1 where none.
        shapes: ``[C, 4]`` shapes of the four suits, ascending.
        offsets: ``[C + 1]`` first index of each configuration, and the size of the indexer.
        strides: ``[C, 4]`` what one step of the suit's group adds to the index.
        orders: ``[C, 4]`` place of a suit among the suits of the same shape, from 1.
        rank_sets: the numbering of rank sets.
    """

    round_bounds: IntArray
    shape_steps: IntArray
    shape_counts: IntArray
    configuration: IntArray
    shapes: IntArray
    offsets: IntArray
    strides: IntArray
    orders: IntArray
    rank_sets: RankSetTables


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


@kernel
def unindex_deals(tables: IndexerTables, indices: IntArray, out_cards: Uint8Array) -> None:
    """Sets ``out_cards[n, k]`` to the canonical deal of each class, high to low in each round."""
    keys = np.empty(4, np.int64)
    cursors = np.empty(tables.shape_steps.shape[0], np.int64)
    for row in range(indices.shape[0]):
        _keys_of_index(tables, indices[row], keys)
        _cards_of_keys(tables, keys, cursors, out_cards[row])


@kernel
def count_deals(tables: IndexerTables, indices: IntArray, out_counts: IntArray) -> None:
    """Sets ``out_counts[n]`` to the number of deals in each class: 24 over its symmetries."""
    keys = np.empty(4, np.int64)
    for row in range(indices.shape[0]):
        _keys_of_index(tables, indices[row], keys)
        symmetries = 1
        num_equal = 1
        for position in range(1, 4):
            num_equal = num_equal + 1 if keys[position] == keys[position - 1] else 1
            symmetries *= num_equal
        out_counts[row] = 24 // symmetries


@inlined
def _keys_of_cards(
    tables: IndexerTables, cards: Uint8Array, out_rounds: IntArray, out_keys: IntArray
) -> None:
    """Sets the four suits' keys, in the order of the suits; ``out_rounds[R]`` is scratch."""
    rank_sets = tables.rank_sets
    _squeeze_rounds(tables, cards, out_rounds)
    for suit in range(4):
        key = np.int64(0)
        stride = np.int64(1)
        num_unused = np.int64(13)
        for deal_round in range(out_rounds.shape[0]):
            # Without a branch on "none dealt": it is a coin toss, and nothing changes then anyway.
            ranks = out_rounds[deal_round] >> (suit * SUIT_SHIFT) & ALL_RANKS
            count = rank_sets.size[ranks]
            key += count * tables.shape_steps[deal_round] << SHAPE_SHIFT
            key += stride * rank_sets.number[ranks]
            stride *= rank_sets.combinations[num_unused, count]
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
            num_skipped = tables.rank_sets.size[used >> shift & (bit - 1)]
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


@inlined
def _keys_of_index(tables: IndexerTables, index: np.int64, out_keys: IntArray) -> None:
    """Sets ``out_keys`` to the four ascending keys of an index."""
    low, high = 0, tables.offsets.shape[0] - 1
    while high - low > 1:
        middle = (low + high) // 2
        if tables.offsets[middle] <= index:
            low = middle
        else:
            high = middle
    rest = index - tables.offsets[low]
    multiset = np.int64(0)
    for position in range(3, -1, -1):
        if position == 3 or tables.orders[low, position + 1] == 1:  # the last suit of its group
            stride = tables.strides[low, position]
            multiset = rest // stride
            rest -= multiset * stride
        order = tables.orders[low, position]
        set_index = _highest_member(multiset, order)
        multiset -= _multisets_below(set_index, order)
        out_keys[position] = tables.shapes[low, position] << SHAPE_SHIFT | set_index


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


@kernel
def _highest_member(multiset: np.int64, order: np.int64) -> np.int64:
    """Returns the highest of the ``order`` numbers in the multiset of that index."""
    if order == 1:
        return multiset
    # value ** order <= order! * multiset bounds the answer from above, by little.
    factorial = 2.0 if order == 2 else 6.0 if order == 3 else 24.0
    value = np.int64((factorial * multiset) ** (1.0 / order)) + 1
    while _multisets_below(value, order) > multiset:
        value -= 1
    return value


@inlined
def _cards_of_keys(
    tables: IndexerTables, keys: IntArray, out_cursors: IntArray, out_cards: Uint8Array
) -> None:
    """Deals the cards of four keys; the key's place is its suit, ``out_cursors[R]`` is scratch."""
    rank_sets = tables.rank_sets
    num_rounds = tables.shape_steps.shape[0]
    for deal_round in range(num_rounds):
        out_cursors[deal_round] = tables.round_bounds[deal_round]
    for suit in range(4):
        shape, set_index = keys[suit] >> SHAPE_SHIFT, keys[suit] & SET_INDEX_MASK
        used = np.int64(0)
        num_used = np.int64(0)
        for deal_round in range(num_rounds):
            count = tables.shape_counts[shape, deal_round]
            if count == 0:
                continue
            num_sets = rank_sets.combinations[13 - num_used, count]
            squeezed = rank_sets.mask[count, set_index % num_sets]
            set_index //= num_sets
            dealt = _spread_ranks(squeezed, used)
            used |= dealt
            num_used += count
            while dealt:
                card = 4 * rank_sets.size[(dealt & -dealt) - 1] + suit
                _insert_card(
                    tables.round_bounds[deal_round], out_cursors[deal_round], card, out_cards
                )
                out_cursors[deal_round] += 1
                dealt &= dealt - 1


@kernel
def _spread_ranks(squeezed: np.int64, used: np.int64) -> np.int64:
    """Returns the ranks that ``squeezed`` counts among those that are not in ``used``."""
    while used:
        lowest = used & -used
        below = squeezed & (lowest - 1)
        squeezed = below | (squeezed ^ below) << 1
        used ^= lowest
    return squeezed


@inlined
def _insert_card(begin: np.int64, end: np.int64, card: np.int64, out_cards: Uint8Array) -> None:
    """Inserts a card into the descending cards from ``begin`` to ``end``."""
    position = end
    while position > begin and out_cards[position - 1] < card:
        out_cards[position] = out_cards[position - 1]
        position -= 1
    out_cards[position] = card
