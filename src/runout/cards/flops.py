"""Flops and boards: suit isomorphism, runouts, weighted subsets of all flops, textures."""

import hashlib
import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from itertools import combinations, combinations_with_replacement, permutations
from pathlib import Path
from typing import NamedTuple, cast

import numpy as np

from runout.arrays import BoolArray, FloatArray, IntArray, Uint8Array, read_only
from runout.cards.deck import (
    FLOP_SIZE,
    NUM_CARDS,
    NUM_COMBOS,
    NUM_RANKS,
    NUM_SUITS,
    RANKS,
    RIVER_SIZE,
    card_rank,
    card_suit,
    format_cards,
    make_card,
    parse_cards,
    permute_combos,
    require_board,
)
from runout.errors import CardError, FlopListError, quote

# Boards up to a renaming of suits: the same poker, whatever the suits are called. Holdings together
# with their board are numbered by `runout.cards.hand_indexer`.


@dataclass(frozen=True)
class SuitMapping:
    """A renaming of suits; it moves suits and keeps ranks.

    To carry results from a canonical board back to the dealt one, use `inverse`: swaps of two
    suits are their own inverse and hide the mistake, cycles of three are not.

    Attributes:
        new_suits: the new suit of clubs, diamonds, hearts and spades.
    """

    new_suits: tuple[int, ...]

    def __post_init__(self) -> None:
        if sorted(self.new_suits) != list(range(NUM_SUITS)):
            raise CardError(f"suit mapping {self.new_suits}", "not a permutation of 0, 1, 2, 3")

    @classmethod
    def identity(cls) -> "SuitMapping":
        """Returns the mapping that keeps every suit."""
        return cls((0, 1, 2, 3))

    def map_card(self, card: int) -> int:
        """Returns the card of the same rank in the renamed suit."""
        suit = card % NUM_SUITS
        return card - suit + self.new_suits[suit]

    def map_cards(self, cards: Iterable[int]) -> tuple[int, ...]:
        """Returns the cards with renamed suits, in the order they came."""
        return tuple(map(self.map_card, cards))

    def inverse(self) -> "SuitMapping":
        """Returns the mapping that undoes this one."""
        return SuitMapping(tuple(map(self.new_suits.index, range(NUM_SUITS))))

    def then(self, following: "SuitMapping") -> "SuitMapping":
        """Returns the mapping that first does this one and then ``following``."""
        return SuitMapping(tuple(following.new_suits[suit] for suit in self.new_suits))


#: All 24 renamings of suits.
SUIT_MAPPINGS: tuple[SuitMapping, ...] = tuple(map(SuitMapping, permutations(range(NUM_SUITS))))


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
        """Returns the canonical form of a board of 3, 4 or 5 cards in any order."""
        require_board(board)
        ranks_by_suit: list[list[int]] = [[] for _ in range(NUM_SUITS)]
        for card in sorted(board, reverse=True):
            ranks_by_suit[card_suit(card)].append(card_rank(card))
        # The suit itself settles the remaining ties, so a canonical board maps by the identity.
        suits_ascending = sorted(
            range(NUM_SUITS), key=lambda suit: (len(ranks_by_suit[suit]), ranks_by_suit[suit], suit)
        )
        mapping = SuitMapping(tuple(map(suits_ascending.index, range(NUM_SUITS))))
        return cls(tuple(sorted(mapping.map_cards(board), reverse=True)), mapping)


# The boards that can still come, one representative for each class of suit-isomorphic ones.


@dataclass(frozen=True)
class Runouts:
    """Completions of a board to five cards, up to the suit permutations that keep the board.

    Attributes:
        boards: ``[R, 5]`` representative complete boards, those of equal weight together.
        weight: ``[R]`` number of completions each stands for.
        symmetries: the suit permutations that keep the board.
    """

    boards: Uint8Array
    weight: IntArray
    symmetries: tuple[SuitMapping, ...]


def enumerate_runouts(board: Sequence[int], *, merges_suits: bool = True) -> Runouts:
    """Returns all completions of a flop (1,176), turn (48) or river (1), merged by isomorphism."""
    symmetries = suit_stabilizer(board) if merges_suits else (SuitMapping.identity(),)
    rest = [card for card in range(NUM_CARDS) if card not in board]
    runouts = np.array(list(combinations(rest, RIVER_SIZE - len(board))), dtype=np.int64)
    suits = runouts % NUM_SUITS
    images = [runouts - suits + np.array(mapping.new_suits)[suits] for mapping in symmetries]
    codes = np.min([(1 << image).sum(axis=1) for image in images], axis=0)  # sets of cards
    _, first, weight = np.unique(codes, return_index=True, return_counts=True)
    order = np.argsort(weight, kind="stable")
    known = np.tile(np.array(board, dtype=np.uint8), (len(first), 1))
    chosen = runouts[first[order]].astype(np.uint8)
    return Runouts(np.concatenate([known, chosen], axis=1), weight[order], symmetries)


@dataclass(frozen=True)
class RunoutSubset:
    """A number of turn cards of a flop and of rivers after each, drawn with weights; None: all.

    What is drawn depends on the board and the seed alone.
    """

    turns: int | None = None
    rivers: int | None = None
    seed: int = 0

    def draw(self, board: Sequence[int], classes: Sequence[Sequence[int]]) -> FloatArray:
        """Returns ``[n]`` the weight of the cards of each class after a board, 0 if not drawn.

        Systematic sampling by number of cards, from a random start: classes are in an order in
        which neighbours are alike, suits that can make a flush first, and each has mean weight 1.
        Rivers of one rank that bring no flush are drawn together.
        """
        is_turn, suits = len(board) == FLOP_SIZE, [card_suit(card) for card in board]
        count = self.turns if is_turn else self.rivers
        together: dict[tuple[int, ...], list[int]] = {}
        for number, cards in enumerate(classes):
            alike, rank = suits.count(card_suit(cards[0])), card_rank(cards[0])
            alone = (alike, number) if is_turn else ()
            key = (-alike if alike >= _CAN_MAKE_FLUSH else 0, rank, *alone)
            together.setdefault(key, []).append(number)
        if count is None or count >= len(together):
            return np.ones(len(classes))
        drawn = [together[key] for key in sorted(together)]
        sizes = np.array([sum(len(classes[number]) for number in unit) for unit in drawn])
        text = f"{self.seed} {format_cards(board)}"
        start = int.from_bytes(hashlib.sha256(text.encode()).digest()[:6]) / 2**48
        step = float(sizes.sum()) / count
        hits = np.searchsorted(sizes.cumsum(), (np.arange(count) + start) * step, side="right")
        times = np.bincount(hits, minlength=len(sizes))
        weights = np.zeros(len(classes))
        for unit, weight in zip(drawn, times * step / sizes, strict=True):
            weights[unit] = weight
        return weights


ALL_RUNOUTS = RunoutSubset()

#: A flush needs three of five; a river card can bring it if two are there.
_CAN_MAKE_FLUSH = 2


def combo_images(combos: IntArray, symmetries: Sequence[SuitMapping]) -> IntArray:
    """Returns ``[G, C]`` the position in ``combos`` to which each symmetry moves each combo."""
    position = np.empty(NUM_COMBOS, dtype=np.int64)
    position[combos] = np.arange(len(combos))
    return np.stack([position[permute_combos(m.new_suits)[combos]] for m in symmetries])


# Lists of flops to solve, and what share of all 22,100 flops each of them stands for.
#
# Averages over flops of what happens between two hands weight a flop by its share *times* the
# number of combo pairs that it leaves the two hands; the share alone is right only for facts about
# the board itself.

NUM_FLOPS = 22_100
NUM_CANONICAL_FLOPS = 1_755

#: Sizes that `subset_flops` knows; `tools/choose_flop_subsets.py` makes the file.
SHIPPED_SUBSET_SIZES = (8, 13, 25, 50, 100, 200)
#: Sizes and draws.
SHIPPED_SUBSETS = [(n, draw) for n in SHIPPED_SUBSET_SIZES for draw in range(1 + (n >= 25))]
SUBSETS_FILE = Path(__file__).parent / "data" / "flop_subsets.json"

Flop = tuple[int, int, int]

# Suits of the highest, middle and lowest card; every flop is isomorphic to one of these.
_SUIT_PATTERNS = ((3, 3, 3), (3, 3, 2), (3, 2, 3), (2, 3, 3), (3, 2, 1))


@dataclass(frozen=True, eq=False)
class FlopList:
    """Canonical flops and their weights.

    Attributes:
        flops: canonical flops, each with its highest card first.
        weights: ``[F]`` share of all 22,100 flops that each entry stands for; positive, sum 1.
        names: each flop as it was given, such as ``AhKd7s``; by default its canonical cards.
    """

    flops: tuple[Flop, ...]
    weights: FloatArray
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.names:
            object.__setattr__(self, "names", tuple(map(format_cards, self.flops)))

    def __len__(self) -> int:
        return len(self.flops)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FlopList):
            return NotImplemented
        return self.flops == other.flops and np.array_equal(self.weights, other.weights)

    def __hash__(self) -> int:
        return hash(self.flops)

    def find(self, given: "GivenFlop") -> int:
        """Returns the place of a flop, in any suits; a `CardError` names the closest one."""
        if given.canonical in self.flops:
            return self.flops.index(given.canonical)

        def distance(number: int) -> tuple[int, int]:
            pairs = list(zip(given.canonical, self.flops[number], strict=True))
            ranks = sum(abs(card_rank(card) - card_rank(other)) for card, other in pairs)
            return ranks, sum(card_suit(card) != card_suit(other) for card, other in pairs)

        closest = self.names[min(range(len(self)), key=distance)]
        problem = f"is not among the {len(self):,} solved flops, the closest is {closest}"
        raise CardError(f"flop {given.name}", problem)

    def rows(self) -> "tuple[WeightedFlop, ...]":
        """Returns a row for each flop."""
        rows = []
        for cards, weight in zip(self.flops, self.weights.tolist(), strict=True):
            high, suits, pairing, connected = describe_texture(cards).values()
            texture = high[0], suits, pairing, connected == "connected"
            number = flop_multiplicity(cards)
            rows.append(WeightedFlop(format_cards(cards), cards, weight, number, *texture))
        return tuple(rows)


class WeightedFlop(NamedTuple):
    """A flop of a list, with its texture.

    Attributes:
        name: such as ``AsKhKd``, highest card first, in canonical suits.
        cards: the three cards as numbers.
        weight: share of all 22,100 flops that it stands for; the weights of a list sum to 1.
        multiplicity: flops that are the same up to suits: 4, 12 or 24.
        high: rank of the highest card.
        suits: ``rainbow``, ``two-tone`` or ``monotone``.
        pairing: ``unpaired``, ``paired`` or ``trips``.
        is_connected: whether two hole cards can make a straight.
    """

    name: str
    cards: Flop
    weight: float
    multiplicity: int
    high: str
    suits: str
    pairing: str
    is_connected: bool


def flops(subset: int | None = None, *, seed: int | None = None) -> tuple[WeightedFlop, ...]:
    """Returns all 1,755 flops up to suits with their weights, or a weighted subset of them.

    >>> import runout
    >>> len(runout.flops()), sum(flop.multiplicity for flop in runout.flops())
    (1755, 22100)
    >>> first = runout.flops(subset=25)[0]
    >>> first.name, first.suits, round(first.weight, 4)
    ('AsAhTd', 'rainbow', 0.0383)

    Args:
        subset: number of flops; without a seed one of the shipped subsets of 8, 13, 25, 50, 100
            or 200, whose weighted averages come close to those over all flops.
        seed: draws an unbiased random subset of any size instead.

    Raises:
        FlopListError: if no subset has this size, or a seed comes without a size.
    """
    if seed is not None and subset is None:
        raise FlopListError("seed", "goes with the size of a subset only")
    if subset is None:
        return all_flops().rows()
    return (subset_flops(subset) if seed is None else random_flops(subset, seed)).rows()


@dataclass(frozen=True)
class GivenFlop:
    """A flop in the suits and the order in which somebody wrote it."""

    cards: tuple[int, ...]

    @classmethod
    def parse(cls, text: str) -> "GivenFlop":
        """Reads a flop such as ``AhKd7s``."""
        cards = tuple(parse_cards(text))
        canonical_flop(cards)
        return cls(cards)

    @property
    def name(self) -> str:
        """The cards as text."""
        return format_cards(self.cards)

    @property
    def canonical(self) -> Flop:
        """The flop that is solved for it."""
        return canonical_flop(self.cards)


@cache
def all_flops() -> FlopList:
    """Returns the 1,755 flops, each weighted by how many of the 22,100 it stands for.

    They fall from ``AsAhAd`` to ``2s2h2d``: by the highest card id, then the middle, the lowest.
    """
    candidates = (
        [make_card(rank, suit) for rank, suit in zip(ranks, suits, strict=True)]
        for ranks in combinations_with_replacement(range(NUM_RANKS - 1, -1, -1), 3)
        for suits in _SUIT_PATTERNS
    )
    flops = {canonical_flop(cards) for cards in candidates if len(set(cards)) == 3}
    return _weighted_by_multiplicity(tuple(sorted(flops, reverse=True)))


def explicit_flops(flops: Sequence[str | Sequence[int]]) -> FlopList:
    """Returns the given flops in their order, weighted in proportion to their multiplicities.

    Texts such as ``AhKd7s``, or cards, are made canonical, and keep their names.
    """
    if not flops:
        raise FlopListError("flops", "the list is empty")
    names: dict[Flop, str] = {}
    for entry in flops:
        cards = parse_cards(entry) if isinstance(entry, str) else entry
        flop, name = canonical_flop(cards), format_cards(cards)
        if flop in names:
            raise FlopListError(
                f"flops {names[flop]} and {name}",
                f"both are {format_cards(flop)} up to suits, each flop may come once",
            )
        names[flop] = name
    return replace(_weighted_by_multiplicity(tuple(names)), names=tuple(names.values()))


def read_flops(text: str) -> FlopList:
    """Reads flops, one on each line or with commas between them, with a weight if they have one.

    ``AhKd7s``, or ``AhKd7s:0.5`` as in lists of other programs; without weights each flop counts
    as often as it comes. What follows a ``#`` is no flop.
    """
    names, weights = [], []
    for number, line in enumerate(text.splitlines(), start=1):
        for entry in filter(None, map(str.strip, line.partition("#")[0].split(","))):
            name, separator, weight = entry.partition(":")
            try:
                names.append(GivenFlop.parse(name).name)
                weights.append(float(weight) if separator else math.nan)
            except (CardError, ValueError):
                problem = f"{quote(entry)} is no flop such as AhKd7s or AhKd7s:0.5"
                raise FlopListError(f"line {number}", problem) from None
            if separator and not 0.0 < weights[-1] < math.inf:
                problem = f"{quote(entry)} has a weight that is not a positive number"
                raise FlopListError(f"line {number}", problem)
    listed = explicit_flops(names)
    is_given = ~np.isnan(weights)
    if not is_given.any():
        return listed
    if not is_given.all():
        name = names[int(np.argmin(is_given))]
        raise FlopListError("flops", f"{name} has no weight and others have, give all or none")
    return replace(listed, weights=read_only(np.array(weights) / sum(weights)))


def random_flops(count: int, seed: int) -> FlopList:
    """Returns a random sample of different flops that makes weighted averages unbiased.

    A flop is drawn with a probability proportional to its multiplicity (systematic sampling along
    a shuffled list) and weighted by its share over that probability: up to 920 flops all have
    weight ``1 / count``. In larger samples the most common flops are certain to be drawn; they
    have their own share as weight, and the rest is drawn from the others in the same way. So the
    weights always sum to 1, and the mean over seeds of any weighted sum is its exact value.
    """
    if not 1 <= count <= NUM_CANONICAL_FLOPS:
        raise FlopListError(
            f"{count} random flops", f"between 1 and {NUM_CANONICAL_FLOPS} can be drawn"
        )
    everything = all_flops()
    multiplicities = np.rint(everything.weights * NUM_FLOPS).astype(np.int64)
    generator = np.random.default_rng(seed)
    order = generator.permutation(NUM_CANONICAL_FLOPS)
    is_certain = _certain_draws(multiplicities, count)
    open_order = order[~is_certain[order]]
    num_open = count - int(is_certain.sum())
    step = multiplicities[open_order].sum() / max(num_open, 1)
    # No flop is longer than a step, so no two points hit the same one.
    points = (np.arange(num_open) + generator.random()) * step
    drawn = open_order[np.searchsorted(multiplicities[open_order].cumsum(), points, side="right")]
    chosen = np.sort(np.concatenate([np.flatnonzero(is_certain), drawn]))
    weights = np.where(is_certain, multiplicities, step)[chosen] / NUM_FLOPS
    return FlopList(tuple(everything.flops[i] for i in chosen), read_only(weights))


def subset_flops(size: int, draw: int = 0) -> FlopList:
    """Returns a shipped subset whose weighted averages come close to those over all flops."""
    if size not in SHIPPED_SUBSET_SIZES:
        shipped = ", ".join(map(str, SHIPPED_SUBSET_SIZES))
        raise FlopListError(f"flop subset of {size}", f"the shipped subsets have {shipped} flops")
    if (size, draw) not in SHIPPED_SUBSETS:
        raise FlopListError(f"draw {draw} of {size} flops", "shipped: 0, from 25 flops on 1")
    name = f"{size}/{draw}" if draw else str(size)
    weight_by_flop = json.loads(SUBSETS_FILE.read_text("utf-8"))[name]["weights"]
    weights = np.array(list(weight_by_flop.values()))
    flops = tuple(canonical_flop(parse_cards(text)) for text in weight_by_flop)
    return FlopList(flops, read_only(weights / weights.sum()))


def canonical_flop(cards: Sequence[int]) -> Flop:
    """Returns the canonical form of a flop, highest card first."""
    if len(cards) != 3:
        raise CardError(f"flop {format_cards(cards)!r}", f"{len(cards)} cards, a flop has 3")
    return cast(Flop, CanonicalBoard.from_cards(cards).cards)


def flop_multiplicity(flop: Sequence[int]) -> int:
    """Returns how many of the 22,100 flops are the same up to suits: 4, 12 or 24."""
    return len(SUIT_MAPPINGS) // len(suit_stabilizer(flop))


def _weighted_by_multiplicity(flops: tuple[Flop, ...]) -> FlopList:
    multiplicities = np.array([flop_multiplicity(flop) for flop in flops], dtype=np.int64)
    return FlopList(flops, read_only(multiplicities / multiplicities.sum()))


def _certain_draws(multiplicities: IntArray, count: int) -> BoolArray:
    """Returns ``[F]`` the flops so common that a sample of this size must contain them."""
    is_certain = np.zeros(len(multiplicities), dtype=np.bool_)
    while True:
        step = multiplicities[~is_certain].sum() / max(count - is_certain.sum(), 1)
        grown = is_certain | (multiplicities >= step)
        if (grown == is_certain).all():
            return is_certain
        is_certain = grown


# Textures: what players call a flop, by its high card, suits, pairs and straights.


class TextureKind(StrEnum):
    """By what flops are told apart; every flop has one label of each kind."""

    HIGH = "high"
    SUITS = "suits"
    PAIRING = "pairing"
    CONNECTED = "connected"


#: Every label of a kind, the highest card and the most suits first.
LABELS: dict[TextureKind, tuple[str, ...]] = {
    TextureKind.HIGH: tuple(f"{rank} high" for rank in reversed(RANKS)),
    TextureKind.SUITS: ("rainbow", "two-tone", "monotone"),
    TextureKind.PAIRING: ("unpaired", "paired", "trips"),
    TextureKind.CONNECTED: ("connected", "disconnected"),
}


def describe_texture(flop: Sequence[int]) -> dict[str, str]:
    """Returns what players call a flop, canonical or not, by kind.

    A flop is connected if two hole cards can make a straight with it.
    """
    cards = canonical_flop(flop)
    suits = {card_suit(card) for card in cards}
    ranks = {card_rank(card) for card in cards}
    with_low_ace = {(rank + 1) % NUM_RANKS for rank in ranks}
    spans = (max(some) - min(some) for some in (ranks, with_low_ace))
    is_connected = len(ranks) == len(cards) and min(spans) <= 4
    places = {
        TextureKind.HIGH: NUM_RANKS - 1 - max(ranks),
        TextureKind.SUITS: len(cards) - len(suits),
        TextureKind.PAIRING: len(cards) - len(ranks),
        TextureKind.CONNECTED: 0 if is_connected else 1,
    }
    return {kind: LABELS[kind][place] for kind, place in places.items()}
