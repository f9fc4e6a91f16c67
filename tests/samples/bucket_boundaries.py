"""Boundaries of buckets as tests write them."""

import numpy as np

from runout.abstraction.card_abstraction import BucketBoundaries


def make_boundaries(*parts):
    """Returns boundaries of flop, turn and river, all of which were asked for."""
    by_street = tuple(np.array(part, dtype=np.float64) for part in parts)
    return BucketBoundaries(by_street, tuple(len(part) + 1 for part in parts))
