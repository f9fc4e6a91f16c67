"""Lists of flops to solve, and what share of all 22,100 flops each of them stands for.

Averages over flops of what happens between two hands weight a flop by its share *times* the
number of combo pairs that it leaves the two hands; the share alone is right only for facts about
the board itself.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from runout.arrays import BoolArray, FloatArray, IntArray, read_only
from runout.cards.card import NUM_RANKS, format_cards, make_card, parse_cards
from runout.cards.combos import COMBO_CARDS, combo_index
from runout.cards.isomorphism import SUIT_MAPPINGS, CanonicalBoard, suit_stabilizer
from runout.errors import CardError, FlopListError, quote

NUM_FLOPS = 22_100
NUM_CANONICAL_FLOPS = 1_755

#: Sizes that `subset_flops` knows; `tools/choose_flop_subsets.py` makes the file.
SHIPPED_SUBSET_SIZES = (8, 13, 25, 50, 100, 200)
SUBSETS_FILE = "flop_subsets.json"

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


@dataclass(frozen=True)
class GivenFlop:
    """A flop in the suits and the order in which somebody wrote it.

    Attributes:
        cards: as they were given.
    """

    cards: tuple[int, ...]

    @classmethod
    def parse(cls, text: str) -> "GivenFlop":
        """Reads a flop such as ``AhKd7s``.

        Raises:
            CardError: if it is not three different cards.
        """
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

    def rename_back(self, combo: int) -> int:
        """Returns what a combo on the canonical flop is on this one."""
        mapping = CanonicalBoard.from_cards(self.cards).mapping.inverse()
        return combo_index(*mapping.map_cards(COMBO_CARDS[combo].tolist()))


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

    Args:
        flops: texts such as ``AhKd7s``, or cards; they are made canonical, and keep their names.

    Raises:
        CardError: if an entry is not a flop.
        FlopListError: if there are none, or two are the same up to suits.
    """
    if not flops:
        raise FlopListError("flops", "the list is empty")
    given_by_flop: dict[Flop, str] = {}
    for entry in flops:
        cards = parse_cards(entry) if isinstance(entry, str) else entry
        flop = canonical_flop(cards)
        given = entry if isinstance(entry, str) else format_cards(cards)
        if flop in given_by_flop:
            raise FlopListError(
                f"flops {quote(given_by_flop[flop])} and {quote(given)}",
                f"both are {format_cards(flop)} up to suits, each flop may come once",
            )
        given_by_flop[flop] = given
    listed = _weighted_by_multiplicity(tuple(given_by_flop))
    names = tuple(format_cards(parse_cards(given)) for given in given_by_flop.values())
    return replace(listed, names=names)


def read_flops(text: str) -> FlopList:
    """Reads flops, one on each line or with commas between them, with a weight if they have one.

    ``AhKd7s``, or ``AhKd7s:0.5`` as in lists of other programs; without weights each flop counts
    as often as it comes. What follows a ``#`` is no flop.

    Raises:
        FlopListError: naming the line at fault, or if two flops are the same up to suits.
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

    Args:
        count: number of flops, 1 to 1,755.
        seed: the same seed draws the same flops.

    Raises:
        FlopListError: if there are not so many flops.
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


def subset_flops(size: int) -> FlopList:
    """Returns a shipped subset whose weighted averages come close to those over all flops.

    Raises:
        FlopListError: if no subset of this size is shipped.
    """
    subset = _load_subset(size)
    weight_by_flop: dict[str, float] = subset["weights"]
    weights = np.array(list(weight_by_flop.values()))
    flops = tuple(canonical_flop(parse_cards(text)) for text in weight_by_flop)
    return FlopList(flops, read_only(weights / weights.sum()))


def subset_errors(size: int) -> dict[str, float]:
    """Returns how far preflop equities averaged over a shipped subset are from the exact ones.

    The keys are ``matchup_rms`` (169x169 equities, weighted by combo pairs), ``matchup_max``,
    ``hand_rms`` (169 equities against a random hand, weighted by combos), ``hand_max``, and for how
    often each of the 169 hands is dealt beside such a flop, as a share of how often it should be,
    ``deal_rms`` and ``deal_max``.

    Raises:
        FlopListError: if no subset of this size is shipped.
    """
    return {name: float(error) for name, error in _load_subset(size)["errors"].items()}


def canonical_flop(cards: Sequence[int]) -> Flop:
    """Returns the canonical form of a flop, highest card first.

    Raises:
        CardError: if it is not three different cards.
    """
    if len(cards) != 3:
        raise CardError(f"flop {format_cards(cards)!r}", f"{len(cards)} cards, a flop has 3")
    high, middle, low = CanonicalBoard.from_cards(cards).cards
    return high, middle, low


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


def _load_subset(size: int) -> dict[str, Any]:
    if size not in SHIPPED_SUBSET_SIZES:
        shipped = ", ".join(map(str, SHIPPED_SUBSET_SIZES))
        raise FlopListError(f"flop subset of {size}", f"the shipped subsets have {shipped} flops")
    text = resources.files("runout.cards").joinpath("data", SUBSETS_FILE).read_text("utf-8")
    subset: dict[str, Any] = json.loads(text)[str(size)]
    return subset
