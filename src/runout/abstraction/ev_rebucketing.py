"""Flop buckets from what hands earn: histograms of expected value against opponent buckets.

Hands that win equally often can earn differently: the nuts are paid by the second nuts, which pay
the nuts. After a solve, a hand's feature is the distribution of its own expected value over the
opponent's buckets. It is the hand's value, not its bucket's: a feature of buckets could never
split one. All hands of a flop share one scale, from losing to winning the whole stack; a scale
from each hand's smallest to its largest value would make all hands look alike.

Values are centred as in the betting tree: 0 is half of the pot on entering the flop, and the unit
is that pot. With a stack of S pots they lie between ``-(1/2 + S)`` and ``1/2 + S``.
"""

from collections.abc import Sequence

import numpy as np

from runout.abstraction.clustering import Metric, cluster_features
from runout.abstraction.errors import AbstractionError
from runout.abstraction.strength_features import NUM_BINS, counts_to_cdf
from runout.arrays import FloatArray, IntArray
from runout.cards.isomorphism import suit_stabilizer
from runout.equity.runouts import combo_images
from runout.events import BucketEventSink, Phase, ignore_event, reporting_phase
from runout.products import multiply

NUM_POSITIONS = 2

_PERCENT = 100
_HANDS_AT_ONCE = 147  # an eighth of a flop, between two reports
_TOLERANCE = 1e-4  # of the scale; values may come in single precision


def ev_values_to_histogram(
    ev_values: FloatArray, spr: float, weights: FloatArray | None = None
) -> FloatArray:
    """Returns ``[10]`` the CDF of expected values on the scale of the stack-to-pot ratio.

    The grid has ten points from the largest loss to the largest gain. A value between two points
    counts for both, the nearer one more, so the mean is kept and no difference is lost.

    Args:
        ev_values: ``[m]`` in pots, 0 for half of the pot.
        spr: effective stack over pot, S.
        weights: ``[m]`` not negative, by default all equal.

    Raises:
        AbstractionError: if there is no value with a weight, or one is off the scale.
    """
    values = np.asarray(ev_values, dtype=np.float64)
    masses = np.ones(values.shape) if weights is None else np.asarray(weights, dtype=np.float64)
    if values.ndim != 1 or masses.shape != values.shape:
        raise AbstractionError(
            f"expected values of shape {values.shape}", f"one weight each, not {masses.shape}"
        )
    if not masses.sum() > 0.0:
        raise AbstractionError("expected values", "none has a weight, so there is no histogram")
    cdf: FloatArray = _histograms(values[None], masses[None], spr)[0]
    return cdf


def build_ev_histograms(
    values: FloatArray,
    weights: FloatArray,
    villain_bucket: IntArray,
    num_buckets: int,
    spr: float,
    on_event: BucketEventSink = ignore_event,
) -> FloatArray:
    """Returns ``[C, 20]`` features: the CDF of expected value when OOP, then when IP.

    A hand's value against a bucket is the weighted mean over the bucket's combos that the hand
    leaves possible, and counts in the histogram with their weight. Both positions play by the
    same buckets, so both belong to the feature.

    Args:
        values: ``[2, C, C]`` by the hero's position, hero's combo and villain's combo, in pots,
            0 for half of the pot; not looked at where the weight is 0.
        weights: ``[C, C]`` or ``[2, C, C]`` chance of the deal times the villain's range, 0 where
            the combos share a card.
        villain_bucket: ``[C]`` 0 to ``num_buckets - 1``.
        num_buckets: buckets of the villain.
        spr: effective stack over pot.
        on_event: told about progress, in hands.

    Raises:
        AbstractionError: if shapes do not fit, a hand meets nobody or a value is off the scale.
    """
    num_combos = len(villain_bucket)
    shape = (NUM_POSITIONS, num_combos, num_combos)
    if values.shape != shape or weights.shape not in (shape, shape[1:]):
        raise AbstractionError(
            f"values of shape {values.shape}, weights of shape {weights.shape}",
            f"{shape} is needed for {num_combos} combos",
        )
    if villain_bucket.min() < 0 or villain_bucket.max() >= num_buckets:
        raise AbstractionError("villain_bucket", f"buckets are 0 to {num_buckets - 1}")
    for position, total in enumerate(np.broadcast_to(weights, shape).sum(axis=2)):
        met_nobody = np.flatnonzero(~(total > 0.0))
        if len(met_nobody):
            raise AbstractionError(
                f"combo at {met_nobody[0]}, position {position}", "meets nobody, so it has no EV"
            )
    is_member = np.zeros((num_combos, num_buckets))
    is_member[np.arange(num_combos), villain_bucket] = 1.0
    masses = np.broadcast_to(weights, shape)
    features = np.empty((num_combos, NUM_POSITIONS * NUM_BINS))
    with reporting_phase(on_event, Phase.EXTRACTING_EV, num_combos) as advance:
        for begin in range(0, num_combos, _HANDS_AT_ONCE):
            hands = slice(begin, min(begin + _HANDS_AT_ONCE, num_combos))
            features[hands] = np.concatenate(
                [
                    _bucket_histograms(value[hands], mass[hands], is_member, spr)
                    for value, mass in zip(values, masses, strict=True)
                ],
                axis=1,
            )
            advance(hands.stop)
    return features


def _bucket_histograms(
    values: FloatArray, masses: FloatArray, is_member: FloatArray, spr: float
) -> FloatArray:
    """Returns ``[h, 10]`` the CDFs of some hands' values against buckets, in one position."""
    bucket_mass = multiply(masses, is_member)
    total = multiply(np.where(masses > 0.0, masses * values, 0.0), is_member)
    mean = np.divide(total, bucket_mass, out=np.zeros_like(total), where=bucket_mass > 0.0)
    return _histograms(mean, bucket_mass, spr)


def average_isomorphic_combos(
    features: FloatArray, flop: Sequence[int], combos: IntArray
) -> FloatArray:
    """Returns ``[C, d]`` features in which isomorphic combos have exactly the same row.

    Solves are exact up to rounding or sampling, and either would tell isomorphic hands apart.

    Args:
        features: ``[C, d]``.
        flop: three cards.
        combos: ``[C]`` combos that the flop leaves possible, all of those isomorphic to one.
    """
    first_image = combo_images(combos, suit_stabilizer(flop)).min(axis=0)
    counts = np.bincount(first_image, minlength=len(combos))
    averaged = np.empty_like(features)
    for column in range(features.shape[1]):
        totals = np.bincount(first_image, features[:, column], len(combos))
        averaged[:, column] = totals[first_image] / counts[first_image]
    return averaged


def recluster_flop_buckets(
    features: FloatArray,
    weights: FloatArray,
    num_buckets: int,
    metric: Metric = "emd",
    *,
    seed: int,
    order_key: FloatArray,
    name: str = "flop",
    on_event: BucketEventSink = ignore_event,
) -> IntArray:
    """Returns ``[C]`` new flop buckets of all live combos, for `FlopBuckets.replace_flop`.

    Args:
        features: ``[C, 20]`` from `build_ev_histograms`.
        weights: ``[C]`` how much each combo counts.
        num_buckets: capped, with an event, at the number of different features.
        metric: ``emd`` or ``cramer``.
        seed: decides the draws of centres.
        order_key: ``[C]`` strength or mean value, by which buckets are numbered.
        name: what is clustered, for the event.
        on_event: told about progress, in percent, and if buckets are capped.

    Raises:
        AbstractionError: if an argument has no meaning.
    """
    with reporting_phase(on_event, Phase.REBUCKETING, _PERCENT) as advance:
        return cluster_features(
            features,
            weights,
            num_buckets,
            metric,
            seed=seed,
            order_key=order_key,
            name=name,
            on_event=on_event,
            on_share=lambda share: advance(int(_PERCENT * share)),
        ).labels


def within_bucket_variance(ev_by_hand: FloatArray, labels: IntArray, weights: FloatArray) -> float:
    """Returns the weighted mean squared distance of hands' values from their bucket's mean.

    Args:
        ev_by_hand: ``[C]`` or ``[C, d]`` values in pots; squares of columns are added.
        labels: ``[C]`` bucket of each hand.
        weights: ``[C]`` not negative; hands without weight do not count.

    Raises:
        AbstractionError: if no hand has a weight.
    """
    if not weights.sum() > 0.0:
        raise AbstractionError("weights", "no hand has a weight, so there is no variance")
    masses = np.bincount(labels, weights)
    total = 0.0
    for values in np.reshape(ev_by_hand, (len(labels), -1)).T:
        sums = np.bincount(labels, weights * values)
        means = np.divide(sums, masses, out=np.zeros_like(sums), where=masses > 0.0)
        total += float((weights * (values - means[labels]) ** 2).sum())
    return total / float(weights.sum())


def _histograms(values: FloatArray, masses: FloatArray, spr: float) -> FloatArray:
    """Returns ``[n, 10]`` CDFs of ``values[n, m]``, each counting with its mass."""
    if not (np.isfinite(spr) and spr >= 0.0):
        raise AbstractionError("spr", f"{spr:g} is not a stack-to-pot ratio")
    if masses.min() < 0.0:
        raise AbstractionError("weights", f"{masses.min():g} is less than nothing")
    largest = 0.5 + spr
    # Values without a mass may be anything, even no number.
    share = np.where(masses > 0.0, (values + largest) / (2.0 * largest), 0.0)
    if not (np.abs(share - 0.5) <= 0.5 + _TOLERANCE).all():  # false for NaN too
        worst = share.ravel()[np.argmax(np.abs(share - 0.5))] * 2.0 * largest - largest
        raise AbstractionError(
            f"expected value {worst:g}", f"off the scale: -{largest:g} to {largest:g} pots"
        )
    place = np.clip(share, 0.0, 1.0) * (NUM_BINS - 1)
    lower = np.minimum(place.astype(np.int64), NUM_BINS - 2)
    to_upper = masses * (place - lower)
    cells = lower + NUM_BINS * np.arange(len(values))[:, None]
    num_cells = NUM_BINS * len(values)
    points = np.bincount(cells.ravel(), (masses - to_upper).ravel(), num_cells)
    points += np.bincount(cells.ravel() + 1, to_upper.ravel(), num_cells)
    return counts_to_cdf(points.reshape(-1, NUM_BINS))
