"""Strategies of buckets: what a combo does is what its bucket on the board does."""

from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from runout.abstraction.bucket_map import NO_BUCKET, FlopBuckets
from runout.arrays import AnyArray, Float32Array, Int16Array, IntArray
from runout.cache import Arrays
from runout.cards.combos import NUM_COMBOS, live_combos
from runout.holdem.street_template import StreetTemplate
from runout.postflop.flop_strategy import pack_probabilities, unpack_probabilities
from runout.trees.betting import Street

_STREETS = ("flop", "turn", "river")


def buckets_on(buckets: FlopBuckets, dealt: tuple[int, ...]) -> Int16Array:
    """Returns ``[1326]`` the bucket of each combo after some cards were dealt."""
    return buckets.bucket_of(Street(len(dealt)), *dealt)


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

    def to_arrays(self) -> Arrays:
        """Returns the strategies and the buckets in few bytes."""
        kept: dict[str, AnyArray] = {
            "flop_buckets": pack_few_buckets(self.buckets.by_flop),
            "turn_buckets": pack_buckets(self.buckets.by_turn),
            "river_buckets": pack_buckets(self.buckets.by_river[live_combos(self.buckets.flop)]),
        }
        for street, (oop, ip) in zip(_STREETS, self.played, strict=True):
            kept[f"{street}_oop"] = pack_probabilities(oop)
            kept[f"{street}_ip"] = pack_probabilities(ip)
        return kept

    @classmethod
    def from_arrays(cls, kept: Arrays, flop: tuple[int, ...]) -> "BucketStrategy":
        """Returns what `to_arrays` wrote."""
        played = tuple(
            (
                unpack_probabilities(kept[f"{street}_oop"]),
                unpack_probabilities(kept[f"{street}_ip"]),
            )
            for street in _STREETS
        )
        return cls(read_buckets(kept, flop), played)


def pack_few_buckets(buckets: Int16Array) -> AnyArray:
    """Returns buckets of flops in 16 bits.

    One flop may have more buckets than fit into 8 bits and another one, with fewer different
    hands, may not; kept together they must be numbers of one type.
    """
    return buckets.astype(np.uint16)


def pack_buckets(buckets: Int16Array) -> AnyArray:
    """Returns buckets in 8 bits if they fit, else in 16; the largest number is `NO_BUCKET`."""
    is_small = int(buckets.max()) < np.iinfo(np.uint8).max
    return buckets.astype(np.uint8 if is_small else np.uint16)


def unpack_buckets(packed: AnyArray) -> Int16Array:
    """Returns what `pack_buckets` packed."""
    is_none = packed == np.iinfo(cast(Any, packed.dtype)).max
    return np.where(is_none, NO_BUCKET, packed.astype(np.int32)).astype(np.int16)


def read_buckets(kept: Arrays, flop: tuple[int, ...]) -> FlopBuckets:
    """Returns the buckets of a kept flop, those of its last round."""
    on_flop, on_turn, on_river = (unpack_buckets(kept[f"{street}_buckets"]) for street in _STREETS)
    by_river = np.full((NUM_COMBOS, NUM_COMBOS), NO_BUCKET, dtype=np.int16)
    by_river[live_combos(flop)] = on_river
    counts = tuple(int(labels.max()) + 1 for labels in (on_flop, on_turn, on_river))
    return FlopBuckets(flop, on_flop, on_turn, by_river, (counts[0], counts[1], counts[2]))
