"""What is in the buckets of a street: how many deals, and how far their strengths spread."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import cast

import numpy as np

from runout.abstraction.boundaries import BucketAssigner, BucketBoundaries
from runout.abstraction.strength_survey import StreetSurvey
from runout.arrays import AnyArray, FloatArray, IntArray
from runout.cache import Arrays


@dataclass(frozen=True)
class BucketStatistics:
    """Contents of each bucket, among the deals that the boundaries were cut from.

    Attributes:
        population: ``[K]`` number of deals.
        lowest: ``[K]`` weakest strength.
        mean: ``[K]`` mean strength.
        highest: ``[K]`` strongest strength.
    """

    population: IntArray
    lowest: FloatArray
    mean: FloatArray
    highest: FloatArray

    @classmethod
    def of_survey(cls, survey: StreetSurvey, boundaries: BucketBoundaries) -> "BucketStatistics":
        """Returns the statistics of surveyed deals under boundaries that leave no bucket empty."""
        assigner = BucketAssigner(boundaries)
        num_buckets = assigner.num_buckets(survey.street)
        buckets = assigner.get_buckets(survey.street, survey.values)
        # Sums of strengths stay floats: they only serve the mean.
        population = np.bincount(buckets, survey.weights, num_buckets).astype(np.int64)
        totals = np.bincount(buckets, survey.weights * survey.values, num_buckets)
        occurring = np.unique(survey.values[survey.weights > 0])
        inner = boundaries.of_street(survey.street)
        first = np.concatenate([[0], np.searchsorted(occurring, inner, side="right")])
        last = np.concatenate([first[1:], [len(occurring)]]) - 1
        return cls(population, occurring[first], totals / population, occurring[last])

    @classmethod
    def from_arrays(cls, prefix: str, arrays: Mapping[str, AnyArray]) -> "BucketStatistics":
        """Returns what `to_arrays` named."""
        population, *strengths = (arrays[prefix + field.name] for field in fields(cls))
        lowest, mean, highest = (cast(FloatArray, strength) for strength in strengths)
        return cls(cast(IntArray, population), lowest, mean, highest)

    def to_arrays(self, prefix: str) -> Arrays:
        """Returns the arrays by name, for saving."""
        return {prefix + field.name: getattr(self, field.name) for field in fields(self)}
