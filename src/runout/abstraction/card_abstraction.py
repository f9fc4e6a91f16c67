"""`CardAbstraction`: the bucket of a holding on a board.

With a table of a street, a bucket is looked up by the number of the deal up to suits; without one
the strength is computed. Both give the same bucket.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

from runout.abstraction.boundaries import BucketAssigner, BucketBoundaries
from runout.abstraction.bucket_statistics import BucketStatistics
from runout.abstraction.errors import (
    AbstractionError,
    AbstractionLoadError,
    SerializationError,
)
from runout.abstraction.hand_strength import HandStrengthCalculator
from runout.abstraction.street import require_deal, street_of_board
from runout.abstraction.strength_survey import (
    NUM_HOLE_CARDS,
    StrengthFeature,
    deal_indexer,
    survey_sample,
)
from runout.arrays import FloatArray, Uint8Array, Uint16Array
from runout.errors import BundleError
from runout.storage.bundle import Bundle, load_bundle, reading_contents
from runout.storage.writer import write_bundle
from runout.trees.betting import Street
from runout.version import __version__

KIND = "card_abstraction"
SCHEMA_VERSION = 1


@dataclass(frozen=True)
class CardAbstraction:
    """Buckets of equal size by hand strength, on every street.

    Attributes:
        boundaries: where the buckets part.
        feature: the strength they are boundaries of.
        tables: for some streets, the bucket of every deal up to suits.
        statistics: for some streets, what is in each bucket.
        origin: how the boundaries were made, in words and numbers; empty if unknown.
    """

    boundaries: BucketBoundaries
    feature: StrengthFeature
    tables: Mapping[Street, Uint16Array]
    statistics: Mapping[Street, BucketStatistics]
    origin: Mapping[str, Any]

    @classmethod
    def from_boundaries(
        cls, boundaries: BucketBoundaries, feature: StrengthFeature = StrengthFeature.EHS2
    ) -> "CardAbstraction":
        """Returns an abstraction without tables, which computes every strength it is asked for."""
        return cls(boundaries, StrengthFeature(feature), {}, {}, {})

    @classmethod
    def load(cls, path: Path | str) -> "CardAbstraction":
        """Opens a saved abstraction; its tables stay on disk until they are used.

        Raises:
            AbstractionLoadError: if it is missing, damaged, or of another kind or version.
        """
        try:
            bundle = load_bundle(path, KIND, SCHEMA_VERSION)
            with reading_contents(path):
                return _from_bundle(bundle)
        except BundleError as error:
            raise AbstractionLoadError(error.where, error.problem) from error

    def save(self, path: Path | str, *, overwrite: bool = False) -> None:
        """Writes the abstraction as a bundle, all of it or nothing.

        Raises:
            SerializationError: if it cannot be written, or exists and is not to be overwritten.
        """
        arrays: dict[str, Any] = {}
        for street in Street:
            arrays[f"{street.label}_boundaries"] = self.boundaries.of_street(street)
            if street in self.tables:
                arrays[f"{street.label}_table"] = self.tables[street]
            if street in self.statistics:
                arrays |= self.statistics[street].to_arrays(f"{street.label}_")
        facts = {
            "requested": list(self.boundaries.requested),
            "feature": self.feature.value,
            "origin": dict(self.origin),
        }
        try:
            write_bundle(
                path,
                kind=KIND,
                schema_version=SCHEMA_VERSION,
                package_version=__version__,
                arrays=arrays,
                documents={"abstraction": facts},
                seed=self.origin.get("seed"),
                overwrite=overwrite,
            )
        except BundleError as error:
            raise SerializationError(error.where, error.problem) from error

    def get_bucket(self, board: Sequence[int], holding: tuple[int, int]) -> int:
        """Returns the bucket of a holding, 0 being the weakest.

        Raises:
            AbstractionError: if the board is no flop, turn or river, or a card is dealt twice.
        """
        street = require_deal(board, holding)
        if street in self.tables:
            return int(self.tables[street][deal_indexer(street).index((*holding, *board))])
        strength = HandStrengthCalculator().calculate(board, holding)
        value = strength.ehs2 if self.feature is StrengthFeature.EHS2 else strength.ehs_squared
        return BucketAssigner(self.boundaries).get_bucket(street, value)

    def get_buckets(self, deals: Uint8Array) -> Uint16Array:
        """Returns ``[n]`` the bucket of each deal, a row of two hole cards and the board.

        Raises:
            AbstractionError: if rows do not have 5, 6 or 7 cards.
            CardError: naming the first row with a repeated card.
        """
        if deals.ndim != 2 or deals.shape[1] < NUM_HOLE_CARDS:
            raise AbstractionError(
                f"deals of shape {deals.shape}", "a row is 2 hole cards and 3, 4 or 5 board cards"
            )
        street = street_of_board(deals.shape[1] - NUM_HOLE_CARDS)
        classes = deal_indexer(street).index_many(deals)
        if street in self.tables:
            return self.tables[street][classes]
        survey = survey_sample(street, self.feature, deals)
        return BucketAssigner(self.boundaries).get_buckets(street, survey.values)

    def num_buckets(self, street: Street) -> int:
        """Returns the number of buckets of a street."""
        return self.boundaries.num_effective(street)


def _from_bundle(bundle: Bundle) -> CardAbstraction:
    facts = bundle.documents["abstraction"]
    flop, turn, river = (
        cast(FloatArray, bundle.arrays[f"{street.label}_boundaries"]) for street in Street
    )
    num_flop, num_turn, num_river = (int(count) for count in facts["requested"])
    tables = {
        street: cast(Uint16Array, bundle.arrays[f"{street.label}_table"])
        for street in Street
        if f"{street.label}_table" in bundle.arrays
    }
    for street, table in tables.items():
        if table.shape != (deal_indexer(street).size,):
            raise ValueError(f"{street.label}_table of shape {np.shape(table)}")
    statistics = {
        street: BucketStatistics.from_arrays(f"{street.label}_", bundle.arrays)
        for street in Street
        if f"{street.label}_population" in bundle.arrays
    }
    return CardAbstraction(
        BucketBoundaries(flop, turn, river, (num_flop, num_turn, num_river)),
        StrengthFeature(facts["feature"]),
        tables,
        statistics,
        facts["origin"],
    )
