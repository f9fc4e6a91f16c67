"""Consecutive numbers for deals up to a renaming of suits (Waugh 2013).

Cards are dealt in rounds, such as two hole cards and then a flop; within a round their order does
not matter. Two deals belong to one class if renaming suits turns one into the other, and a
`HandIndexer` numbers the classes without gaps, so a table over all hands is a plain array.

The idea of "A Fast and Optimal Hand Isomorphism Algorithm" (Kevin Waugh, 2013): take the suits
one by one. A suit has a number of cards in each round (its *shape*), and which ranks these are is
a set index: each round's ranks are a combination of the ranks that the suit has not shown before.
Renaming suits shuffles four such pairs, so a class is the multiset of them. Suits of equal shape
form a multiset of set indices, numbered as a combination with repetition; groups of different
shape multiply; and the possible quadruples of shapes (*configurations*) follow each other.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from math import comb, prod

import numpy as np

from runout.arrays import IntArray, Uint8Array, read_only
from runout.cards import indexer_kernels
from runout.cards.deck import NUM_CARDS, NUM_RANKS, NUM_SUITS, format_cards, require_distinct
from runout.cards.indexer_kernels import IndexerTables, RankSetTables
from runout.errors import CardError

MAX_CARDS = 7

# Rounds of the deals that a hold'em program asks for.
HOLE = (2,)
HOLE_FLOP = (2, 3)
HOLE_TURN = (2, 4)  # the board as a set: which of its cards was the turn does not matter
HOLE_RIVER = (2, 5)
HOLE_FLOP_TURN = (2, 3, 1)  # street by street
HOLE_FLOP_TURN_RIVER = (2, 3, 1, 1)
FLOP_BOARD = (3,)
TURN_BOARD = (4,)
RIVER_BOARD = (5,)

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
        self._tables = _build_tables(rounds)
        self.size = int(self._tables.offsets[-1])

    def __repr__(self) -> str:
        return f"HandIndexer({self.cards_per_round})"

    def index(self, cards: Sequence[int]) -> int:
        """Returns the class of a deal whose cards are given round by round.

        Raises:
            CardError: if the number of cards is wrong, or one is repeated or no card.
        """
        require_distinct(cards)
        if len(cards) != self.num_cards:
            raise CardError(
                f"cards {format_cards(cards)!r}",
                f"{len(cards)} cards, rounds of {self.cards_per_round} have {self.num_cards}",
            )
        return int(self.index_many(np.array([cards], dtype=np.uint8))[0])

    def unindex(self, index: int) -> tuple[int, ...]:
        """Returns the canonical deal of a class, round by round, high to low in each round.

        The suit that has most cards in the first round becomes spades, ties are settled by later
        rounds and then by ranks; so a single round is dealt as a `CanonicalBoard`.

        Raises:
            CardError: if there is no such class.
        """
        return tuple(self.unindex_many(np.array([index], dtype=np.int64))[0].tolist())

    def index_many(self, cards: Uint8Array) -> IntArray:
        """Returns ``[n]`` the class of each deal, a row of ``cards[n, k]``.

        Raises:
            CardError: if rows have the wrong length, or naming a row with an impossible deal.
        """
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
        deals = np.require(cards, np.uint8, ["C", "W"])  # see _require_indices
        row = indexer_kernels.find_repeated_card(deals)
        if row >= 0:
            text = format_cards(deals[row].tolist())
            raise CardError(f"row {row} {text!r}", "a card comes twice")
        indices = np.empty(len(deals), dtype=np.int64)
        indexer_kernels.index_deals(self._tables, deals, indices)
        return indices

    def unindex_many(self, indices: IntArray) -> Uint8Array:
        """Returns ``[n, k]`` the canonical deal of each class.

        Raises:
            CardError: naming the first index that is no class.
        """
        wanted = self._require_indices(indices)
        cards = np.empty((len(wanted), self.num_cards), dtype=np.uint8)
        indexer_kernels.unindex_deals(self._tables, wanted, cards)
        return cards

    def multiplicity_many(self, indices: IntArray) -> IntArray:
        """Returns ``[n]`` how many deals each class stands for: 1, 3, 4, 6, 8, 12 or 24.

        A deal is counted once for all orders within a round. Averages over classes must be
        weighted by this to be averages over deals.

        Raises:
            CardError: naming the first index that is no class.
        """
        wanted = self._require_indices(indices)
        counts = np.empty(len(wanted), dtype=np.int64)
        indexer_kernels.count_deals(self._tables, wanted, counts)
        return counts

    def multiplicities(self) -> IntArray:
        """Returns ``[size]`` how many deals every class stands for; they sum to all deals."""
        return self.multiplicity_many(np.arange(self.size))

    def _require_indices(self, indices: IntArray) -> IntArray:
        # Kernels are compiled again for read-only or strided arguments; copying those is cheaper.
        wanted = np.require(indices, np.int64, ["C", "W"])
        if wanted.size and (wanted.min() < 0 or wanted.max() >= self.size):
            wrong = int(wanted[(wanted < 0) | (wanted >= self.size)][0])
            raise CardError(f"hand index {wrong}", f"{self} has indices 0 to {self.size - 1}")
        return wanted


def _build_tables(rounds: Shape) -> IndexerTables:
    """Lays out the configurations of an indexer one after another."""
    num_shapes = prod(count + 1 for count in rounds)
    steps = [prod(count + 1 for count in rounds[i + 1 :]) for i in range(len(rounds))]
    configurations = _list_configurations(rounds)
    shape_ids = [
        [sum(count * step for count, step in zip(shape, steps, strict=True)) for shape in shapes]
        for shapes in configurations
    ]
    layouts = [_lay_out(shapes) for shapes in configurations]
    lookup = np.full((num_shapes,) * (NUM_SUITS - 1), -1, dtype=np.int64)
    for number, ids in enumerate(shape_ids):
        lookup[tuple(ids[:-1])] = number  # the cards left over are the last suit's
    sizes = [size for _, _, size in layouts]
    return IndexerTables(
        round_bounds=read_only(np.cumsum([0, *rounds])),
        shape_steps=_table(steps),
        shape_counts=_table(list(product(*(range(count + 1) for count in rounds)))),
        configuration=read_only(lookup),
        shapes=_table(shape_ids),
        offsets=read_only(np.cumsum([0, *sizes])),
        strides=_table([strides for strides, _, _ in layouts]),
        orders=_table([orders for _, orders, _ in layouts]),
        rank_sets=_RANK_SETS,
    )


def _list_configurations(rounds: Shape) -> list[tuple[Shape, ...]]:
    """Returns every multiset of four shapes whose cards add up to the rounds, ascending."""
    configurations: set[tuple[Shape, ...]] = {((),) * NUM_SUITS}
    for num_cards in rounds:
        configurations = {
            tuple(sorted((*shape, count) for shape, count in zip(shapes, counts, strict=True)))
            for shapes in configurations
            for counts in _split_among_suits(num_cards)
        }
    return sorted(configurations)


def _split_among_suits(num_cards: int) -> Iterator[tuple[int, ...]]:
    for counts in product(range(num_cards + 1), repeat=NUM_SUITS):
        if sum(counts) == num_cards:
            yield counts


def _lay_out(shapes: tuple[Shape, ...]) -> tuple[list[int], list[int], int]:
    """Returns strides and orders of a configuration's suits, and how many classes it has."""
    strides: list[int] = []
    orders: list[int] = []
    size = 1
    for position, shape in enumerate(shapes):
        order = shapes[: position + 1].count(shape)
        num_sets = _count_rank_sets(shape)
        if order == 1:
            stride = size
        size = stride * comb(num_sets + order - 1, order)
        strides.append(stride)
        orders.append(order)
    return strides, orders, size


def _count_rank_sets(shape: Shape) -> int:
    """Returns how many ways one suit has of showing so many cards in each round."""
    return prod(comb(NUM_RANKS - sum(shape[:i]), count) for i, count in enumerate(shape))


def _build_rank_sets() -> RankSetTables:
    masks = np.arange(1 << NUM_RANKS)
    size = (masks[:, None] >> np.arange(NUM_RANKS) & 1).sum(axis=1)
    number = np.empty_like(masks)
    mask = np.zeros((MAX_CARDS + 1, comb(NUM_RANKS, MAX_CARDS)), dtype=np.int64)
    for count in range(NUM_RANKS + 1):
        # Among masks of equal size, numeric order is colex order.
        of_this_size = np.flatnonzero(size == count)
        number[of_this_size] = np.arange(len(of_this_size))
        if count <= MAX_CARDS:
            mask[count, : len(of_this_size)] = of_this_size
    combinations = [[comb(n, k) for k in range(MAX_CARDS + 1)] for n in range(NUM_RANKS + 1)]
    return RankSetTables(read_only(size), read_only(number), read_only(mask), _table(combinations))


def _table(values: Sequence[object]) -> IntArray:
    return read_only(np.array(values, dtype=np.int64))


_RANK_SETS = _build_rank_sets()
