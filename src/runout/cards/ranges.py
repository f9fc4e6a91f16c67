"""Ranges: how often a player holds each combo, and the text players write them in."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

import numpy as np

from runout.arrays import FloatArray, IntArray, read_only
from runout.cards.deck import (
    COMBOS_BY_HAND,
    HAND_BY_COMBO,
    HAND_NAMES,
    HAND_RANKS,
    NUM_COMBOS,
    NUM_HANDS,
    NUM_RANKS,
    RANKS,
    format_combo,
    hand_index_of_ranks,
    live_combos,
    parse_combo,
    require_distinct,
)
from runout.errors import CardError, RangeError, quote

# A hand range: how often a player holds each of the 1,326 combos.


@dataclass(frozen=True, eq=False, repr=False)
class HandRange:
    """An immutable weight for every combo; two ranges are equal when all their weights are.

    Attributes:
        weights: ``[1326]`` share of the time, 0 to 1, that the combo is in the range; the range
            keeps a read-only copy of what it was given.

    Raises:
        RangeError: if the weights have another shape, or naming the first combo whose weight is
            not a number from 0 to 1.
    """

    weights: FloatArray

    def __post_init__(self) -> None:
        # Adding zero copies, and turns -0.0 into 0.0 so that equal ranges have equal hashes.
        weights: FloatArray = np.asarray(self.weights, dtype=np.float64) + 0.0
        if weights.shape != (NUM_COMBOS,):
            raise RangeError("weights", f"shape {weights.shape}, a range needs ({NUM_COMBOS},)")
        outside = np.flatnonzero(~((weights >= 0.0) & (weights <= 1.0)))  # NaN is outside, too
        if outside.size:
            combo = int(outside[0])
            raise RangeError(
                format_combo(combo), f"weight {weights[combo]} is not a number from 0 to 1"
            )
        object.__setattr__(self, "weights", read_only(weights))

    @classmethod
    def full(cls) -> "HandRange":
        """Returns the range of a player about whom nothing is known: every combo, always."""
        return cls(np.ones(NUM_COMBOS))

    @property
    def num_combos(self) -> float:
        """Sum of all weights, 0 to 1,326."""
        return float(self.weights.sum())

    @property
    def percentage(self) -> float:
        """Share of all 1,326 combos that is in the range, 0 to 100."""
        return 100.0 * self.num_combos / NUM_COMBOS

    @property
    def is_empty(self) -> bool:
        """Whether no combo has a positive weight."""
        return not self.weights.any()

    def hand_weights(self) -> FloatArray:
        """Returns ``[169]`` the mean weight of each canonical hand over its 4, 6 or 12 combos."""
        means: FloatArray = np.bincount(HAND_BY_COMBO, self.weights) / np.bincount(HAND_BY_COMBO)
        return means

    def without_cards(self, dead_cards: Sequence[int]) -> "HandRange":
        """Returns the range without the combos that hold a dead card; other weights stay.

        Raises:
            CardError: if a dead card does not exist or comes twice.
        """
        require_distinct(dead_cards)
        live = live_combos(dead_cards)
        weights = np.zeros(NUM_COMBOS)
        weights[live] = self.weights[live]
        return HandRange(weights)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HandRange) and np.array_equal(self.weights, other.weights)

    def __hash__(self) -> int:
        return hash(self.weights.tobytes())

    def __repr__(self) -> str:
        return f"HandRange({self.num_combos:g} combos, {self.percentage:.2f}%)"


# Range strings in the style of PioSOLVER, such as ``22+,A2s+,KTo-K8o,AhKh,AKs:0.5``.
#
# A range string is a list of groups, and a group of several hands is always a stretch of one line
# of the hand grid. A line is either a row, hands with the same top card (``AKs .. A2s``), or a
# diagonal, hands with the same gap (``AA .. 22``, ``AKs .. 32s``, ``AQs .. 42s``). A dash names
# both ends of a stretch, in either order; a plus names its lower end and runs to the top of the
# line: the diagonal for pairs and connectors, the row for every other hand. The same lines serve
# reading and writing.

#: The one word that is a group: every combo.
RANDOM = "random"

#: Whether the hands are suited, for each way to end the name of an unpaired hand.
_SUITED_BY_ENDING = {"s": (True,), "o": (False,), "": (True, False)}

#: No sign, no ``nan``, no ``1_0``: what `float` reads beyond this is more likely a typo.
_WEIGHT = re.compile(r"(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)

#: Canonical hands along one line of the grid, highest first.
_Run = tuple[int, ...]


class _UnreadableGroupError(Exception):
    """What is wrong inside a group; `parse_range` adds which group it is."""


def _row(high: int, is_suited: bool) -> _Run:
    lows = range(high - 1, -1, -1)
    return tuple(hand_index_of_ranks(high, low, is_suited) for low in lows)


def _diagonal(gap: int, is_suited: bool) -> _Run:
    highs = range(NUM_RANKS - 1, gap - 1, -1)
    return tuple(hand_index_of_ranks(high, high - gap, is_suited) for high in highs)


def _hands_named_by_plus(hand: int) -> _Run:
    high, low, is_suited = HAND_RANKS[hand]
    gap = high - low
    line = _diagonal(gap, is_suited) if gap <= 1 else _row(high, is_suited)
    return line[: line.index(hand) + 1]


#: The lines of the grid; an unpaired hand is on one row and one diagonal, a pair on a diagonal.
_ROWS: tuple[_Run, ...] = tuple(
    _row(high, is_suited) for is_suited in (True, False) for high in range(1, NUM_RANKS)
)
_DIAGONALS: tuple[_Run, ...] = (
    _diagonal(0, False),
    *(_diagonal(gap, is_suited) for is_suited in (True, False) for gap in range(1, NUM_RANKS)),
)

#: For each canonical hand the hands that it names when a plus follows.
_RUN_BY_PLUS: tuple[_Run, ...] = tuple(_hands_named_by_plus(hand) for hand in range(NUM_HANDS))


@lru_cache(maxsize=256)
def parse_range(text: str) -> HandRange:
    """Reads a range string; where groups overlap, the earliest wins.

    Args:
        text: groups separated by commas, with or without spaces and line breaks around them, in
            upper or lower case. A group is a hand (``AKs``, ``AKo``, ``AK`` for both, ``QQ``),
            hands with a plus (``A2s+``) or a dash (``KTo-K8o``), a combo (``AhKh``) or
            ``random``, and has weight 1 unless ``:weight`` follows.

    Raises:
        RangeError: naming the first group that cannot be read and what is wrong with it.
    """
    if not text.strip():
        raise RangeError("range", f"empty, write hands such as 22+,AKs:0.5 or {RANDOM} for all")
    tokens = [token.strip() for token in text.split(",")]
    groups = []
    for position, token in enumerate(tokens, start=1):
        if not token:
            raise RangeError(f"group {position} of {len(tokens)}", "empty, take out a comma")
        try:
            name, colon, share = token.partition(":")
            combos = _parse_combos(name.strip())
            groups.append((combos, _parse_weight(share.strip()) if colon else 1.0))
        except (_UnreadableGroupError, CardError) as problem:
            raise RangeError(quote(token), str(problem)) from None
    weights = np.zeros(NUM_COMBOS)
    for combos, weight in reversed(groups):  # the earliest is written last, and so it wins
        weights[combos] = weight
    return HandRange(weights)


def _parse_weight(text: str) -> float:
    if not _WEIGHT.fullmatch(text) or float(text) > 1.0:
        raise _UnreadableGroupError(f"weight {quote(text)} is not a number from 0 to 1")
    return float(text)


def _parse_combos(name: str) -> IntArray:
    if name.lower() == RANDOM:
        return np.arange(NUM_COMBOS)
    if "-" in name:
        return _combos_of(_parse_dash(name))
    if name.endswith("+"):
        lowest = _parse_hand(name[:-1].rstrip())
        return _combos_of(hand for low in lowest for hand in _RUN_BY_PLUS[low])
    if len(name) == 4:
        return np.array([parse_combo(name)])
    return _combos_of(_parse_hand(name))


def _combos_of(hands: Iterable[int]) -> IntArray:
    return np.concatenate([COMBOS_BY_HAND[hand] for hand in hands])


def _parse_dash(name: str) -> list[int]:
    """Returns the hands from one end of a dash to the other, both included."""
    left, right = (end.strip() for end in name.split("-", maxsplit=1))
    left_hands, right_hands = _parse_hand(left), _parse_hand(right)
    if len(left_hands) == len(right_hands):
        runs = [_run_between(*ends) for ends in zip(left_hands, right_hands, strict=True)]
        if all(runs):
            return [hand for run in runs for hand in run]
    raise _UnreadableGroupError(
        "a dash joins pairs, or hands of one ending with the same top card or the same gap, "
        "such as QQ-88, KTo-K8o or 87s-54s"
    )


def _run_between(hand_a: int, hand_b: int) -> _Run:
    """Returns the stretch with these ends, or nothing if no line holds both."""
    for line in _ROWS + _DIAGONALS:
        if hand_a in line and hand_b in line:
            first, last = sorted((line.index(hand_a), line.index(hand_b)))
            return line[first : last + 1]
    return ()


def _parse_hand(text: str) -> _Run:
    """Returns the canonical hand that a name stands for, or both if it has no ending."""
    if len(text) not in (2, 3):
        raise _UnreadableGroupError(
            f"{quote(text)} is not a hand such as AA, AKs, AKo or AK; commas separate groups"
        )
    for letter in text[:2]:
        if letter.upper() not in RANKS:
            raise _UnreadableGroupError(f"{letter!r} is not a rank, use one of {RANKS}")
    high, low = (RANKS.index(letter.upper()) for letter in text[:2])
    ending = text[2:].lower()
    if high < low:
        swapped = RANKS[low] + RANKS[high] + ending
        raise _UnreadableGroupError(f"the higher rank comes first, write {swapped}")
    if high == low and ending:
        raise _UnreadableGroupError(f"a pair has no ending, write {text[:2].upper()}")
    if ending not in _SUITED_BY_ENDING:
        raise _UnreadableGroupError(f"{text[2]!r} is neither s (suited) nor o (offsuit)")
    if high == low:
        return (hand_index_of_ranks(high, low, False),)
    return tuple(hand_index_of_ranks(high, low, suited) for suited in _SUITED_BY_ENDING[ending])


def format_range(hand_range: HandRange) -> str:
    """Writes a range as a short string that `parse_range` reads back exactly.

    Pairs come first, then suited hands, offsuit hands, and the combos of the hands whose combos
    differ in weight. Groups never overlap, and equal ranges give equal strings. The empty range
    gives ``""``, which `parse_range` refuses: a missing range is more likely a mistake.
    """
    hands_by_weight: dict[float, set[int]] = {}
    single_combos: list[int] = []
    for hand, combos in enumerate(COMBOS_BY_HAND):
        weights = set(hand_range.weights[combos].tolist())
        if len(weights) == 1:
            hands_by_weight.setdefault(weights.pop(), set()).add(hand)
        else:
            single_combos.extend(reversed(combos.tolist()))
    runs = [(run, weight) for weight, hands in hands_by_weight.items() for run in _split(hands)]
    runs.sort(key=lambda item: item[0][-1])
    groups = [(_format_run(run), weight) for run, weight in runs]
    groups += [(format_combo(combo), float(hand_range.weights[combo])) for combo in single_combos]
    texts = [(name, "" if weight == 1.0 else f":{weight!r}") for name, weight in groups if weight]
    return ",".join(name + weight for name, weight in texts)


def _split(hands: set[int]) -> list[_Run]:
    """Returns runs that together hold each of these hands once and no other hand.

    Neighbours in a row stay together; hands without one are gathered along the diagonals.
    """
    rows = [run for run in _longest_runs(_ROWS, hands) if len(run) > 1]
    return rows + list(_longest_runs(_DIAGONALS, hands.difference(*rows)))


def _longest_runs(lines: tuple[_Run, ...], hands: set[int]) -> Iterator[_Run]:
    for line in lines:
        for is_held, stretch in groupby(line, key=hands.__contains__):
            if is_held:
                yield tuple(stretch)


def _format_run(run: _Run) -> str:
    lowest = HAND_NAMES[run[-1]]
    if len(run) == 1:
        return lowest
    if run == _RUN_BY_PLUS[run[-1]]:
        return f"{lowest}+"
    return f"{HAND_NAMES[run[0]]}-{lowest}"
