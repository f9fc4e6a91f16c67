"""A hand range: how often a player holds each of the 1,326 combos."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from runout.arrays import FloatArray, read_only
from runout.cards.canonical_hands import HAND_BY_COMBO
from runout.cards.card import require_distinct
from runout.cards.combos import NUM_COMBOS, format_combo, live_combos
from runout.errors import RangeError


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
