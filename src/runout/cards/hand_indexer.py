"""Consecutive numbers for deals up to a renaming of suits (Waugh 2013).

Cards are dealt in rounds, such as two hole cards and then a flop; within a round their order does
not matter. Two deals belong to one class if renaming suits turns one into the other, and a
`HandIndexer` numbers the classes without gaps, so a table over all hands is a plain array.
docs/cards.md explains how, and what a *shape*, a *set index* and a *configuration* are.
"""

from collections.abc import Sequence
from functools import cache
from itertools import chain, combinations, product
from math import comb, prod
from operator import mul

import numpy as np

from runout.arrays import IntArray, Uint8Array, read_only
from runout.cards import indexer_kernels
from runout.cards.deck import NUM_CARDS, NUM_RANKS, NUM_SUITS, format_cards, require_distinct
from runout.cards.indexer_kernels import IndexerTables
from runout.errors import CardError

MAX_CARDS = 7

#: Cards of one suit in each round.
Shape = tuple[int, ...]


class HandIndexer:
    """Numbers the classes of deals that are equal up to suits and order within a round.

    Attributes:
        cards_per_round: cards dealt in each round; at most 7 in all.
        num_cards: cards in a whole deal.
        size: number of classes; indices are ``range(size)``.
    """

    def __init__(self, cards_per_round: Sequence[int]) -> None:
        rounds = tuple(cards_per_round)
        if not rounds or min(rounds) < 1 or sum(rounds) > MAX_CARDS:
            raise CardError(
                f"cards per round {rounds}",
                f"every round has at least 1 card and all together at most {MAX_CARDS}",
            )
        self.cards_per_round = rounds
        self.num_cards = sum(rounds)
        self._tables, self.size = _build_tables(rounds)

    def __repr__(self) -> str:
        return f"HandIndexer({self.cards_per_round})"

    def index(self, cards: Sequence[int]) -> int:
        """Returns the class of a deal whose cards are given round by round."""
        require_distinct(cards)
        if len(cards) != self.num_cards:
            raise CardError(
                f"cards {format_cards(cards)!r}",
                f"{len(cards)} cards, rounds of {self.cards_per_round} have {self.num_cards}",
            )
        return int(self.index_many(np.array([cards], dtype=np.uint8))[0])

    def index_many(self, cards: Uint8Array) -> IntArray:
        """Returns ``[n]`` the class of each deal, a row of ``cards[n, k]``."""
        if cards.ndim != 2 or cards.shape[1] != self.num_cards:
            raise CardError(
                f"cards of shape {cards.shape}",
                f"rounds of {self.cards_per_round} need rows of {self.num_cards} cards",
            )
        if cards.size and (cards.min() < 0 or cards.max() >= NUM_CARDS):
            row = int(np.flatnonzero(((cards < 0) | (cards >= NUM_CARDS)).any(axis=1))[0])
            raise CardError(
                f"row {row} {cards[row].tolist()}", f"card ids are 0 to {NUM_CARDS - 1}"
            )
        # Kernels are compiled again for read-only or strided arguments; copying those is cheaper.
        deals = np.require(cards, np.uint8, ["C", "W"])
        row = indexer_kernels.find_repeated_card(deals)
        if row >= 0:
            text = format_cards(deals[row].tolist())
            raise CardError(f"row {row} {text!r}", "dealt twice")
        indices = np.empty(len(deals), dtype=np.int64)
        indexer_kernels.index_deals(self._tables, deals, indices)
        return indices


@cache
def canonical_boards(num_cards: int) -> tuple[Uint8Array, IntArray]:
    """Lists the classes of boards in the order of their indexer (a second for five cards).

    Returns ``[n, k]`` a board of each class, and ``[n]`` how many boards it stands for: an average
    over classes must be weighted by it to be one over boards.
    """
    cards = chain.from_iterable(combinations(range(NUM_CARDS), num_cards))
    boards = np.fromiter(cards, dtype=np.uint8).reshape(-1, num_cards)
    classes = HandIndexer((num_cards,)).index_many(boards)
    _, first, counts = np.unique(classes, return_index=True, return_counts=True)
    return read_only(boards[first]), read_only(counts)


def _build_tables(rounds: Shape) -> tuple[IndexerTables, int]:
    """Lays out the configurations of an indexer one after another; returns their size as well."""
    num_shapes = prod(count + 1 for count in rounds)
    steps = [prod(count + 1 for count in rounds[i + 1 :]) for i in range(len(rounds))]
    configurations = _list_configurations(rounds)
    layouts = [_lay_out(shapes) for shapes in configurations]
    lookup = np.full((num_shapes,) * (NUM_SUITS - 1), -1, dtype=np.int64)
    for number, shapes in enumerate(configurations):
        ids = [sum(map(mul, shape, steps)) for shape in shapes]
        lookup[tuple(ids[:-1])] = number  # the cards left over are the last suit's
    masks = np.arange(1 << NUM_RANKS)
    set_size = np.bitwise_count(masks).astype(np.int64)
    set_number = np.empty_like(masks)
    for size in range(NUM_RANKS + 1):
        of_this_size = np.flatnonzero(set_size == size)
        # Among masks of equal size, numeric order is colex order.
        set_number[of_this_size] = np.arange(len(of_this_size))
    offsets = np.cumsum([0, *(size for _, _, size in layouts)])
    tables = IndexerTables(
        round_bounds=np.cumsum([0, *rounds]),
        shape_steps=_table(steps),
        configuration=lookup,
        offsets=offsets[:-1].copy(),
        strides=_table([strides for strides, _, _ in layouts]),
        orders=_table([orders for _, orders, _ in layouts]),
        set_size=set_size,
        set_number=set_number,
        combinations=_table(
            [[comb(n, k) for k in range(MAX_CARDS + 1)] for n in range(NUM_RANKS + 1)]
        ),
    )
    return IndexerTables(*map(read_only, tables)), int(offsets[-1])


def _list_configurations(rounds: Shape) -> list[tuple[Shape, ...]]:
    """Returns every multiset of four shapes whose cards add up to the rounds, ascending."""
    configurations: set[tuple[Shape, ...]] = {((),) * NUM_SUITS}
    for num_cards in rounds:
        configurations = {
            tuple(sorted((*shape, count) for shape, count in zip(shapes, counts, strict=True)))
            for shapes in configurations
            for counts in product(range(num_cards + 1), repeat=NUM_SUITS)
            if sum(counts) == num_cards
        }
    return sorted(configurations)


def _lay_out(shapes: tuple[Shape, ...]) -> tuple[list[int], list[int], int]:
    """Returns strides and orders of a configuration's suits, and how many classes it has."""
    strides: list[int] = []
    orders: list[int] = []
    size = 1
    for position, shape in enumerate(shapes):
        order = shapes[: position + 1].count(shape)
        # The ways that one suit has of showing so many cards in each round.
        num_sets = prod(comb(NUM_RANKS - sum(shape[:i]), count) for i, count in enumerate(shape))
        if order == 1:
            stride = size
        size = stride * comb(num_sets + order - 1, order)
        strides.append(stride)
        orders.append(order)
    return strides, orders, size


def _table(values: Sequence[object]) -> IntArray:
    return np.array(values, dtype=np.int64)
