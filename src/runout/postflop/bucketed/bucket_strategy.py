"""Strategies of buckets: what a combo does is what its bucket on the board does."""

from dataclasses import dataclass

from runout.abstraction.bucket_map import FlopBuckets
from runout.abstraction.street import Street as DealtStreet
from runout.arrays import Float32Array, Int16Array, IntArray
from runout.holdem.street_template import StreetTemplate


def buckets_on(buckets: FlopBuckets, dealt: tuple[int, ...]) -> Int16Array:
    """Returns ``[1326]`` the bucket of each combo after some cards were dealt."""
    return buckets.bucket_of(DealtStreet(len(buckets.flop) + len(dealt)), *dealt)


@dataclass(frozen=True, eq=False)
class BucketStrategy:
    """Strategies of both players by bucket.

    Attributes:
        buckets: which bucket a combo is in.
        played: for flop, turn and river, for OOP and IP: ``[A, B]`` probabilities.
    """

    buckets: FlopBuckets
    played: tuple[tuple[Float32Array, Float32Array], ...]

    def rows(
        self, template: StreetTemplate, player: int, dealt: tuple[int, ...], combos: IntArray
    ) -> Float32Array:
        """Returns ``[A, C]`` how likely a player takes each action with each combo."""
        # A combo that the dealt cards block has bucket -1: it reads the last one and never plays.
        bucket = buckets_on(self.buckets, dealt)[combos]
        rows: Float32Array = self.played[len(dealt)][player][:, bucket]
        return rows
