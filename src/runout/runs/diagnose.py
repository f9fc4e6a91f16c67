"""The buckets of a kept flop, round by round: which hands are merged, and what it costs."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from runout.abstraction.bucket_map import (
    bucket_pair_equity,
    compare_partitions,
    within_bucket_variance,
)
from runout.abstraction.features import NUM_BINS, FlopStrengths
from runout.arrays import FloatArray
from runout.cards.deck import format_combo, live_combos
from runout.cards.flops import GivenFlop
from runout.flops.bucketed import RoundRecord
from runout.solutions.sheet import NO_VALUE, Column, Sheet, format_percent, json_number
from runout.trees.betting import Street
from runout.trees.layout import NUM_PLAYERS

_ROUND_COLUMNS = (
    Column("round", "round", str),
    Column("buckets", form=str),
    Column(None, "num_buckets"),
    Column("iterations", "iterations", "{:,}".format),
    Column("δ", "final_delta", "{:.4f}".format),
    Column("bound", "exploitability_bound_pot", format_percent),
    Column("EV variance", "ev_variance", "{:.5f}".format),
    Column("ARI", "adjusted_rand_index", "{:.3f}".format),
    Column(None, "buckets"),
    Column(None, "pair_equity"),
)
_BUCKET_COLUMNS = (
    Column("bucket", form=str),
    Column("combos", form=str),
    Column(None, "combos"),
    Column("strength %", form=str),
    Column(None, "strength"),
    Column("EV", form=str),
    Column(None, "ev_pot"),
    Column("apart", form="{:.3f}".format),
    Column("worst pair"),
    Column(None, "worst_pair"),
    Column("hands"),
)
_APART = [column.heading for column in _BUCKET_COLUMNS].index("apart")


def diagnose_flop(
    flop: GivenFlop, spr: float, records: Sequence[RoundRecord]
) -> tuple[Sheet, list[Sheet]]:
    """Returns the rounds of a solved flop, and for each of them its flop buckets.

    The variance of EV is the mean squared distance of hands' values from their bucket's, in squared
    pots, both positions added. The adjusted Rand index compares with the buckets of the round
    before. ``pair_equity[K, K]`` is a bucket's equity against another one. Files have the suits of
    the canonical flop, people see those of the given one.
    """
    strength = FlopStrengths(flop.canonical).flop_features().strength
    buckets = [_buckets_sheet(flop, spr, record, strength) for record in records]
    rounds, before = Sheet(_ROUND_COLUMNS, to_plain=json_number, gap=2), None
    for number, (record, contents) in enumerate(zip(records, buckets, strict=True), start=1):
        labels, counts = record.buckets.flop_labels(), record.buckets.num_buckets
        rounds.add(
            number,
            "/".join(map(str, counts)),
            {street.label: count for street, count in zip(Street, counts, strict=True)},
            record.iterations,
            record.final_delta,
            record.exploitability_bound_pot,
            within_bucket_variance(record.mean_values.astype(float), labels, np.ones(len(labels))),
            math.nan if before is None else compare_partitions(before, labels),
            contents,
            [list(map(json_number, row)) for row in bucket_pair_equity(record.buckets).tolist()],
        )
        before = labels
    return rounds, buckets


def worst_buckets(buckets: Sheet, number: int) -> Sheet:
    """Returns the buckets whose worst pairs are farthest apart."""
    farthest_first = sorted(buckets.rows, key=lambda row: -np.nan_to_num(row[_APART]))
    return replace(buckets, rows=farthest_first[:number])


def _buckets_sheet(flop: GivenFlop, spr: float, record: RoundRecord, strength: FloatArray) -> Sheet:
    """Returns a row for each flop bucket; ``strength[C]`` is equity against a random hand.

    EV is what is won beyond half the pot, in flop pots, mean over both positions. The worst pair is
    the two members that are farthest apart by the earth mover's distance of their EV histograms.
    """
    labels, combos = record.buckets.flop_labels(), live_combos(flop.canonical)
    features = record.ev_features.astype(float)
    # Distance of neighbouring points of the grid; a feature has one grid for each position.
    pots_per_unit = (1.0 + 2.0 * spr) / (NUM_BINS - 1) / NUM_PLAYERS
    ev = record.mean_values.astype(float).mean(axis=1)
    sheet = Sheet(_BUCKET_COLUMNS, to_plain=json_number, gap=2)
    for bucket in range(record.buckets.num_buckets[0]):
        members = np.flatnonzero(labels == bucket)
        members = members[np.argsort(strength[members], kind="stable")]  # weakest first
        names = [format_combo(combo) for combo in combos[members].tolist()]
        as_given = [format_combo(flop.rename_back(combo)) for combo in combos[members].tolist()]
        strengths, values = _spread(strength[members]), _spread(ev[members])
        distance, pair = _find_farthest(features[members])
        apart, last = distance * pots_per_unit, len(members) - 1
        sheet.add(
            bucket,
            len(members),
            names,
            f"{100 * strengths['lowest']:.1f}-{100 * strengths['highest']:.1f}",
            strengths,
            f"{values['lowest']:+.3f} {values['highest']:+.3f}",
            values,
            apart,
            " ".join(as_given[member] for member in pair) or NO_VALUE,
            {"combos": [names[member] for member in pair], "distance_pot": apart} if pair else None,
            " ".join(as_given[member] for member in sorted({0, round(last / 2), last})),
        )
    return sheet


def _spread(values: FloatArray) -> dict[str, float]:
    found = values.min(), values.mean(), values.max()
    return dict(zip(("lowest", "mean", "highest"), map(float, found), strict=True))


def _find_farthest(rows: FloatArray) -> tuple[float, list[int]]:
    """Returns the largest L1 distance of two of the ``rows[n, d]``, and their numbers if n > 1."""
    if len(rows) == 1:
        return math.nan, []
    later = [np.abs(rows[number + 1 :] - row).sum(axis=1) for number, row in enumerate(rows[:-1])]
    first = int(np.argmax([distances.max() for distances in later]))
    return float(later[first].max()), [first, first + 1 + int(later[first].argmax())]
