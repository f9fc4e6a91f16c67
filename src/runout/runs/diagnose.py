"""The buckets of a flop, round by round: which hands are merged, and what it costs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from runout.abstraction.bucket_map import (
    bucket_pair_equity,
    compare_partitions,
    within_bucket_variance,
)
from runout.abstraction.features import NUM_BINS, FlopStrengths, StreetFeatures
from runout.arrays import FloatArray, IntArray
from runout.cards.deck import live_combos
from runout.cards.flops import GivenFlop
from runout.cfr.team import Team
from runout.config.flops import BucketedConfig
from runout.execution.context import RunContext
from runout.flops.backend import FlopGame
from runout.flops.bucketed import RoundRecord, read_records
from runout.flops.solve import PostflopPlan, kept_rounds, progress_sink
from runout.solutions.values import ValueBundle
from runout.trees.layout import NUM_PLAYERS


@dataclass(frozen=True)
class Spread:
    """Lowest, mean and highest value of the hands of a bucket."""

    lowest: float
    mean: float
    highest: float

    @classmethod
    def of(cls, values: FloatArray) -> "Spread":
        """Returns the spread of some values."""
        return cls(float(values.min()), float(values.mean()), float(values.max()))


@dataclass(frozen=True)
class MergedPair:
    """Two combos in one bucket, and how far apart what they earn is.

    The distance is the earth mover's of their EV histograms in flop pots, mean over both positions.
    """

    combos: tuple[int, int]
    distance_pot: float


@dataclass(frozen=True)
class BucketContents:
    """A flop bucket."""

    combos: tuple[int, ...]  # its members, weakest first
    strength: Spread  # all-in equity against a random hand
    ev_pot: Spread  # won beyond half the pot, in flop pots, mean over both positions
    worst_pair: MergedPair | None  # the members that are farthest apart, None for a single one


@dataclass(frozen=True, eq=False)
class RoundDiagnosis:
    """A solved round.

    Attributes:
        round: 1 for the one with buckets of strength only.
        record: what was solved, with which buckets and how well.
        buckets: of the flop, weakest first.
        agreement: adjusted Rand index with the buckets of the round before; NaN in the first.
        ev_variance: mean squared distance of hands' values from their bucket's, in squared pots,
            both positions added.
        pair_equity: ``[K, K]`` a flop bucket's equity against another one, `bucket_pair_equity`.
    """

    round: int
    record: RoundRecord
    buckets: tuple[BucketContents, ...]
    agreement: float
    ev_variance: float
    pair_equity: FloatArray


@dataclass(frozen=True, eq=False)
class FlopDiagnosis:
    """All rounds of a flop at one stack-to-pot ratio; combos are those of the canonical flop."""

    flop: GivenFlop
    spr: float
    rounds: tuple[RoundDiagnosis, ...]


def diagnose_flops(
    model: BucketedConfig,
    spr: float,
    flops: Sequence[GivenFlop],
    bundle: ValueBundle | None = None,
    context: RunContext | None = None,
) -> list[FlopDiagnosis]:
    """Diagnoses the buckets of flops at one of a model's stack-to-pot ratios.

    They are solved unless a bundle, of the same model, has kept them.
    """
    kept = bundle.flops.flops if bundle is not None and bundle.solutions else ()
    context, diagnoses = context or RunContext(), []
    plan = PostflopPlan.make(model.with_sprs([spr]), context.num_workers)
    (tree,), backend = plan.trees, plan.backend
    for given in flops:
        flop = given.canonical
        if bundle is not None and flop in kept:
            records = kept_rounds(bundle, kept.index(flop), model.sprs.index(spr))
        else:
            backend.estimate(flop, tree, plan.num_workers).require_memory("the diagnosis")
            is_bound = backend.meaning.is_upper_bound
            sink = progress_sink(given.name, spr, context.on_event, is_bound)
            game, team = FlopGame.deal(flop), Team(plan.num_workers)
            records = read_records(backend.solve(game, tree, sink, team).to_arrays(), flop)
        diagnoses.append(diagnose_flop(given, spr, records))
    return diagnoses


def diagnose_flop(flop: GivenFlop, spr: float, records: Sequence[RoundRecord]) -> FlopDiagnosis:
    """Diagnoses the buckets of every round of a solved flop."""
    strengths = FlopStrengths(flop.canonical).flop_features()
    rounds: list[RoundDiagnosis] = []
    before: IntArray | None = None
    for number, record in enumerate(records, start=1):
        labels = record.buckets.flop_labels()
        values = record.mean_values.astype(float)
        rounds.append(
            RoundDiagnosis(
                round=number,
                record=record,
                buckets=tuple(_contents(record, spr, strengths)),
                agreement=np.nan if before is None else compare_partitions(before, labels),
                ev_variance=within_bucket_variance(values, labels, np.ones(len(labels))),
                pair_equity=bucket_pair_equity(record.buckets),
            )
        )
        before = labels
    return FlopDiagnosis(flop, spr, tuple(rounds))


def _contents(
    record: RoundRecord, spr: float, strengths: StreetFeatures
) -> Iterator[BucketContents]:
    """Yields the contents of every flop bucket."""
    labels, combos = record.buckets.flop_labels(), live_combos(record.buckets.flop)
    features = record.ev_features.astype(float)
    # Distance of neighbouring points of the grid; a feature has one grid for each position.
    pots_per_unit = (1.0 + 2.0 * spr) / (NUM_BINS - 1) / NUM_PLAYERS
    ev = record.mean_values.astype(float).mean(axis=1)
    for bucket in range(record.buckets.num_buckets[0]):
        members = np.flatnonzero(labels == bucket)
        members = members[np.argsort(strengths.strength[members], kind="stable")]
        held = tuple(combos[members].tolist())
        pair = _worst_pair(held, features[members], pots_per_unit)
        strength = strengths.strength[members]
        yield BucketContents(held, Spread.of(strength), Spread.of(ev[members]), pair)


def _worst_pair(combos: Sequence[int], rows: FloatArray, pots_per_unit: float) -> MergedPair | None:
    """Returns the combos with the largest L1 distance of their rows; None if there is only one."""
    worst, farthest = None, -1.0
    for number, row in enumerate(rows[:-1]):
        distances = np.abs(rows[number + 1 :] - row).sum(axis=1)
        other = int(distances.argmax())
        if distances[other] > farthest:
            farthest = float(distances[other])
            pair = combos[number], combos[number + 1 + other]
            worst = MergedPair(pair, farthest * pots_per_unit)
    return worst
