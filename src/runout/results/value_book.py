"""What a flop is worth to two preflop players, at any stack-to-pot ratio.

Preflop leaves have their own ratios. A book that was solved at a leaf's ratio answers exactly;
between two solved ratios it interpolates (linearly in the logarithm of the ratio, as play changes
with multiples of the pot); outside of all of them it takes the nearest and says so.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import log

import numpy as np

from runout.arrays import FloatArray, read_only
from runout.equity.preflop_equity import preflop_table
from runout.results.postflop_values import PostflopValues

#: Position of the small blind after the flop.
IP = 1

#: Ratios closer than this share of themselves count as equal.
SPR_TOLERANCE = 0.02


class ValueSource(StrEnum):
    """Where a leaf's values come from."""

    SOLVED = "solved"
    INTERPOLATED = "interpolated"
    EXTRAPOLATED = "extrapolated"
    RAW_EQUITY = "raw equity"
    JOINT = "joint"


@dataclass(frozen=True, eq=False)
class LeafValues:
    """What the player in position gets at a preflop leaf that sees a flop.

    Attributes:
        share_of_ip: ``[169, 169]`` fraction of the flop pot that comes back to the row's hand in
            position against the column's hand, minus what it puts in after the flop.
        source: where it comes from.
        detail: in words, such as ``between SPR 3.5 and 6``.
    """

    share_of_ip: FloatArray
    source: ValueSource
    detail: str


@dataclass(frozen=True, eq=False)
class ValueBook:
    """Values by stack-to-pot ratio, and for single leaves that were solved by themselves.

    Attributes:
        sprs: solved ratios, ascending; none means that flops are checked down.
        shares: for each of them, `LeafValues.share_of_ip`.
        leaves: values of leaves that were solved with the ranges that arrive there, by path.
    """

    sprs: tuple[float, ...]
    shares: tuple[FloatArray, ...]
    leaves: Mapping[str, LeafValues]

    @classmethod
    def raw_equity(cls) -> "ValueBook":
        """Returns a book without postflop play: every flop is checked down."""
        return cls((), (), {})

    @classmethod
    def from_values(cls, values: Sequence[PostflopValues]) -> "ValueBook":
        """Returns a book of solved ratios, averaged over their flops."""
        ordered = sorted(values, key=lambda solved: solved.spr)
        return cls(
            tuple(solved.spr for solved in ordered),
            tuple(average_share(solved) for solved in ordered),
            {},
        )

    def with_leaves(self, leaves: Mapping[str, LeafValues]) -> "ValueBook":
        """Returns a book that answers the given leaves, by path, before anything else."""
        return ValueBook(self.sprs, self.shares, dict(leaves))

    def at_leaf(self, path: str, spr: float) -> LeafValues:
        """Returns the values of a leaf with the given path and stack-to-pot ratio."""
        return self.leaves.get(path) or self.at_spr(spr)

    def at_spr(self, spr: float) -> LeafValues:
        """Returns the values at a stack-to-pot ratio."""
        if not self.sprs:
            return LeafValues(_raw_equity(), ValueSource.RAW_EQUITY, "checked down")
        closest = int(np.abs(np.array(self.sprs) - spr).argmin())
        solved = self.sprs[closest]
        if abs(solved - spr) <= SPR_TOLERANCE * solved:
            detail = f"solved at SPR {solved:g}"
            return LeafValues(self.shares[closest], ValueSource.SOLVED, detail)
        above = int(np.searchsorted(self.sprs, spr))
        if above in (0, len(self.sprs)):
            nearest = min(above, len(self.sprs) - 1)
            detail = f"SPR {spr:g} is outside, taken from SPR {self.sprs[nearest]:g}"
            return LeafValues(self.shares[nearest], ValueSource.EXTRAPOLATED, detail)
        low, high = self.sprs[above - 1], self.sprs[above]
        weight = log(spr / low) / log(high / low)
        share = (1.0 - weight) * self.shares[above - 1] + weight * self.shares[above]
        return LeafValues(share, ValueSource.INTERPOLATED, f"between SPR {low:g} and {high:g}")


def average_share(values: PostflopValues) -> FloatArray:
    """Returns ``[169, 169]`` what the player in position gets, averaged over the flops.

    Hands that no flop of a short list allows together get their raw equity.
    """
    share = values.average(IP)
    missing = np.isnan(share)
    share[missing] = _raw_equity()[missing]
    return read_only(share)


def _raw_equity() -> FloatArray:
    return preflop_table().equities()
