"""Percentile buckets: boundaries that give every bucket the same number of deals.

A boundary belongs to the bucket below it: bucket i holds strengths above boundary i - 1 and up to
boundary i. Equal strengths never part, so where a strength is more common than a bucket is large,
boundaries coincide; they are kept once and there are fewer buckets than were asked for.
"""

from dataclasses import dataclass

import numpy as np

from runout.abstraction.errors import InvalidBoundariesError
from runout.arrays import FloatArray, IntArray, Uint16Array, read_only
from runout.trees.betting import Street

#: Bucket numbers are stored in 16 bits.
MAX_BUCKETS = 1 << 16


@dataclass(frozen=True)
class BucketBoundaries:
    """Ascending strengths that part the buckets of each street.

    Attributes:
        flop, turn, river: strengths in [0, 1], one fewer than there are buckets.
        requested: number of buckets asked for on flop, turn and river.
    """

    flop: FloatArray
    turn: FloatArray
    river: FloatArray
    requested: tuple[int, int, int]

    def __post_init__(self) -> None:
        for street in Street:
            _require_boundaries(street, self.of_street(street))

    @classmethod
    def from_values(
        cls, flop: FloatArray, turn: FloatArray, river: FloatArray
    ) -> "BucketBoundaries":
        """Returns given boundaries, all of which were asked for.

        Raises:
            InvalidBoundariesError: if a street's are unsorted, repeated, NaN, outside [0, 1],
                empty or too many.
        """
        parts = [read_only(np.array(part, dtype=np.float64)) for part in (flop, turn, river)]
        for street, part in zip(Street, parts, strict=True):
            if not len(part):
                raise InvalidBoundariesError(f"{street.label} boundaries", "there are none")
        num_flop, num_turn, num_river = (len(part) + 1 for part in parts)
        return cls(parts[0], parts[1], parts[2], (num_flop, num_turn, num_river))

    @classmethod
    def from_samples(
        cls,
        flop: tuple[FloatArray, IntArray],
        turn: tuple[FloatArray, IntArray],
        river: tuple[FloatArray, IntArray],
        requested: tuple[int, int, int],
    ) -> "BucketBoundaries":
        """Returns boundaries that cut each street's (values, weights) into equal parts.

        Raises:
            InvalidBoundariesError: if a street has no values or too many buckets are asked for.
        """
        parts = [
            percentile_boundaries(values, weights, count)
            for (values, weights), count in zip((flop, turn, river), requested, strict=True)
        ]
        return cls(parts[0], parts[1], parts[2], requested)

    def of_street(self, street: Street) -> FloatArray:
        """Returns the boundaries of one street."""
        return {Street.FLOP: self.flop, Street.TURN: self.turn, Street.RIVER: self.river}[street]

    def num_requested(self, street: Street) -> int:
        """Returns how many buckets were asked for."""
        return self.requested[list(Street).index(street)]

    def num_effective(self, street: Street) -> int:
        """Returns how many buckets there are."""
        return len(self.of_street(street)) + 1


class BucketAssigner:
    """Finds the bucket of a strength by binary search."""

    def __init__(self, boundaries: BucketBoundaries) -> None:
        self.boundaries = boundaries

    def get_bucket(self, street: Street, strength: float) -> int:
        """Returns the bucket (0 the weakest) of one strength on a street."""
        return int(np.searchsorted(self.boundaries.of_street(street), strength, side="left"))

    def get_buckets(self, street: Street, strengths: FloatArray) -> Uint16Array:
        """Returns the bucket of each strength, in the shape of ``strengths``."""
        found = np.searchsorted(self.boundaries.of_street(street), strengths, side="left")
        return found.astype(np.uint16)

    def num_buckets(self, street: Street) -> int:
        """Returns the number of buckets of a street."""
        return self.boundaries.num_effective(street)


def percentile_boundaries(values: FloatArray, weights: IntArray, num_buckets: int) -> FloatArray:
    """Returns ascending boundaries that cut weighted values into parts as equal as ties allow.

    Args:
        values: strengths, in any order.
        weights: how many deals each value stands for; values of weight 0 do not count.
        num_buckets: parts asked for; coinciding boundaries are dropped, so there may be fewer.

    Raises:
        InvalidBoundariesError: if nothing has weight, a value is NaN or ``num_buckets`` is out of
            range.
    """
    if not 1 <= num_buckets <= MAX_BUCKETS:
        raise InvalidBoundariesError(
            "num_buckets", f"{num_buckets}, allowed are 1 to {MAX_BUCKETS} buckets"
        )
    if np.isnan(values).any():
        raise InvalidBoundariesError("samples", "contain NaN, strengths are 0 to 1")
    order = np.argsort(values, kind="stable")
    cumulative = weights[order].cumsum()
    if not len(cumulative) or cumulative[-1] <= 0:
        raise InvalidBoundariesError("samples", "there is nothing to cut into buckets")
    total = int(cumulative[-1])
    # The i-th boundary is the first value that, with everything below, fills i buckets.
    needed = np.array([-(-i * total // num_buckets) for i in range(1, num_buckets)], dtype=np.int64)
    ordered = values[order]
    boundaries = np.unique(ordered[np.searchsorted(cumulative, needed, side="left")])
    largest = ordered[np.searchsorted(cumulative, total, side="left")]
    return read_only(boundaries[boundaries < largest])  # nothing lies above the largest value


def _require_boundaries(street: Street, boundaries: FloatArray) -> None:
    where = f"{street.label} boundaries"
    if len(boundaries) >= MAX_BUCKETS:
        raise InvalidBoundariesError(
            where, f"{len(boundaries) + 1} buckets, at most {MAX_BUCKETS} fit a bucket number"
        )
    if np.isnan(boundaries).any():
        raise InvalidBoundariesError(where, "contain NaN, strengths are 0 to 1")
    if len(boundaries) and (boundaries[0] < 0.0 or boundaries[-1] > 1.0):
        raise InvalidBoundariesError(
            where, f"run from {boundaries[0]} to {boundaries[-1]}, strengths are 0 to 1"
        )
    if (np.diff(boundaries) <= 0.0).any():
        raise InvalidBoundariesError(where, "are not in strictly ascending order")
