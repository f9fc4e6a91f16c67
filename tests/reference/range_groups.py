"""The slow, obvious twin of the notation: a group is a text and a test for one hand or combo.

Hands are compared rank by rank here; the package walks along the lines of the hand grid.
"""

from collections.abc import Callable
from typing import NamedTuple

from runout.cards.deck import HAND_BY_COMBO, HAND_NAMES, HAND_RANKS, format_combo


class Group(NamedTuple):
    """A group without its weight, as text and as the question whether it names a combo."""

    text: str
    names: Callable[[int], bool]


def hand_group(hand):
    return Group(HAND_NAMES[hand], lambda combo: HAND_BY_COMBO[combo] == hand)


def combo_group(combo):
    return Group(format_combo(combo), lambda other: other == combo)


def plus_group(lowest):
    text = f"{HAND_NAMES[lowest]}+"
    return Group(text, lambda combo: is_named_by_plus(lowest, HAND_BY_COMBO[combo]))


def dash_group(ends):
    text = f"{HAND_NAMES[ends[0]]}-{HAND_NAMES[ends[1]]}"
    return Group(text, lambda combo: is_named_by_dash(*ends, HAND_BY_COMBO[combo]))


def is_named_by_plus(lowest, hand):
    high, low, _ = HAND_RANKS[lowest]
    hand_high, hand_low, _ = HAND_RANKS[hand]
    if kind(hand) != kind(lowest):
        return False
    if high - low <= 1:
        return hand_high - hand_low == high - low and hand_high >= high
    return hand_high == high and hand_low >= low


def is_named_by_dash(end_a, end_b, hand):
    (high_a, low_a, _), (high_b, low_b, _) = HAND_RANKS[end_a], HAND_RANKS[end_b]
    high, low, _ = HAND_RANKS[hand]
    if kind(hand) != kind(end_a):
        return False
    if high_a == high_b:
        return high == high_a and min(low_a, low_b) <= low <= max(low_a, low_b)
    return high - low == high_a - low_a and min(high_a, high_b) <= high <= max(high_a, high_b)


def can_be_joined(end_a, end_b):
    """Whether a dash may stand between two hands."""
    (high_a, low_a, _), (high_b, low_b, _) = HAND_RANKS[end_a], HAND_RANKS[end_b]
    same_line = high_a == high_b or high_a - low_a == high_b - low_b
    return kind(end_a) == kind(end_b) and same_line


def kind(hand):
    """``"s"`` suited, ``"o"`` offsuit, nothing for a pair."""
    return HAND_NAMES[hand][2:]
