"""What is in the buckets of a flop, round by round: who is merged with whom, and what it costs."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from runout.abstraction.bucket_map import (
    bucket_pair_equity,
    compare_partitions,
    within_bucket_variance,
)
from runout.abstraction.features import NUM_BINS, FlopStrengths, StreetFeatures
from runout.arrays import FloatArray, IntArray
from runout.cards.flops import GivenFlop
from runout.flops.bucketed import RoundRecord
from runout.trees.layout import NUM_PLAYERS


@dataclass(frozen=True)
class Spread:
    """Lowest, mean and highest value of the hands of a bucket."""

    lowest: float
    mean: float
    highest: float

    @property
    def width(self) -> float:
        """Highest minus lowest."""
        return self.highest - self.lowest


@dataclass(frozen=True)
class MergedPair:
    """Two combos in one bucket, and how far apart what they earn is.

    The distance is the earth mover's of their EV histograms in flop pots, mean over both positions.
    """

    combos: tuple[int, int]
    distance_pot: float


@dataclass(frozen=True)
class BucketContents:
    """A flop bucket.

    Attributes:
        combos: its members, weakest first.
        strength: all-in equity against a random hand.
        ev_pot: what its hands win beyond half the pot, in flop pots, mean over both positions.
        worst_pair: the two members that are farthest apart, None if there is only one.
    """

    combos: tuple[int, ...]
    strength: Spread
    ev_pot: Spread
    worst_pair: MergedPair | None


@dataclass(frozen=True, eq=False)
class RoundDiagnosis:
    """A solved round.

    Attributes:
        round: 1 for the one with buckets of strength only.
        num_buckets: on flop, turn and river.
        buckets: of the flop, weakest first.
        agreement: adjusted Rand index with the buckets of the round before, 1 if they are the
            same; None in the first round.
        ev_variance: mean squared distance of hands' values from their bucket's, in squared pots,
            both positions added.
        exploitability_bound_pot: what a best response in the same buckets gains at most.
        final_delta: how much the average strategies moved in the last iteration.
        iterations: of the solve.
        strength_histograms: ``[K, 10]`` mean over members, each adding up to 1.
        ev_histograms: ``[K, 10]`` the same of expected values, mean over both positions.
        pair_equity: ``[K, K]`` a flop bucket's equity against another one, see
            `bucket_pair_equity`.
    """

    round: int
    num_buckets: tuple[int, ...]
    buckets: tuple[BucketContents, ...]
    agreement: float | None
    ev_variance: float
    exploitability_bound_pot: float
    final_delta: float
    iterations: int
    strength_histograms: FloatArray
    ev_histograms: FloatArray
    pair_equity: FloatArray


@dataclass(frozen=True, eq=False)
class FlopDiagnosis:
    """All rounds of a flop at one stack-to-pot ratio; combos are those of the canonical flop."""

    flop: GivenFlop
    spr: float
    rounds: tuple[RoundDiagnosis, ...]


def diagnose_flop(flop: GivenFlop, spr: float, records: Sequence[RoundRecord]) -> FlopDiagnosis:
    """Looks into the buckets of every round of a solved flop, be they kept or solved now."""
    strengths = FlopStrengths(flop.canonical).flop_features()
    rounds: list[RoundDiagnosis] = []
    before: IntArray | None = None
    for number, record in enumerate(records, start=1):
        labels = record.flop_labels()
        features, values = record.ev_features.astype(float), record.mean_values.astype(float)
        rounds.append(
            RoundDiagnosis(
                round=number,
                num_buckets=record.buckets.num_buckets,
                buckets=_look_into(record, spr, strengths),
                agreement=None if before is None else compare_partitions(before, labels),
                ev_variance=within_bucket_variance(values, labels, np.ones(len(labels))),
                exploitability_bound_pot=record.exploitability_bound_pot,
                final_delta=record.final_delta,
                iterations=record.iterations,
                strength_histograms=_mean_histograms(strengths.rows[:, None], labels),
                ev_histograms=_mean_histograms(
                    features.reshape(len(labels), NUM_PLAYERS, NUM_BINS), labels
                ),
                pair_equity=bucket_pair_equity(record.buckets),
            )
        )
        before = labels
    return FlopDiagnosis(flop, spr, tuple(rounds))


def _look_into(
    record: RoundRecord, spr: float, strengths: StreetFeatures
) -> tuple[BucketContents, ...]:
    """Returns the contents of every flop bucket."""
    labels, combos, features = record.flop_labels(), record.combos, record.ev_features.astype(float)
    # The points of the grid lie so far apart; a feature has one grid for each position.
    pots_per_unit = (1.0 + 2.0 * spr) / (NUM_BINS - 1) / NUM_PLAYERS
    ev = record.mean_values.astype(float).mean(axis=1)
    contents = []
    for bucket in range(record.buckets.num_buckets[0]):
        members = np.flatnonzero(labels == bucket)
        members = members[np.argsort(strengths.strength[members], kind="stable")]
        pair = _farthest_pair(features[members])
        contents.append(
            BucketContents(
                combos=tuple(combos[members].tolist()),
                strength=_spread(strengths.strength[members]),
                ev_pot=_spread(ev[members]),
                worst_pair=None
                if pair is None
                else MergedPair(
                    (int(combos[members[pair[0]]]), int(combos[members[pair[1]]])),
                    pair[2] * pots_per_unit,
                ),
            )
        )
    return tuple(contents)


def _spread(values: FloatArray) -> Spread:
    return Spread(float(values.min()), float(values.mean()), float(values.max()))


def _farthest_pair(rows: FloatArray) -> tuple[int, int, float] | None:
    """Returns two rows with the largest L1 distance, and that; None if there are not two."""
    if len(rows) == 1:
        return None
    farthest = (0, 1, -1.0)
    for number, row in enumerate(rows[:-1]):
        distances = np.abs(rows[number + 1 :] - row).sum(axis=1)
        other = int(distances.argmax())
        if distances[other] > farthest[2]:
            farthest = (number, number + 1 + other, float(distances[other]))
    return farthest


def _mean_histograms(cdfs: FloatArray, labels: IntArray) -> FloatArray:
    """Returns ``[K, 10]`` mean shares of ``cdfs[C, n, 10]`` over the hands of each bucket."""
    shares = np.diff(cdfs, axis=2, prepend=0.0).mean(axis=1)
    counts = np.bincount(labels)
    sums = np.stack([np.bincount(labels, column) for column in shares.T], axis=1)
    histograms: FloatArray = sums / counts[:, None]
    return histograms
