import numpy as np
import pytest

from runout.abstraction.bucket_map import compare_partitions
from runout.abstraction.errors import AbstractionError
from runout.abstraction.ev_rebucketing import (
    average_isomorphic_combos,
    build_ev_histograms,
    ev_values_to_histogram,
    recluster_flop_buckets,
    within_bucket_variance,
)
from runout.cards.card import parse_board
from runout.cards.combos import disjoint_combos, live_combos
from runout.cards.isomorphism import suit_stabilizer
from runout.equity.runouts import combo_images
from runout.events import BucketsCapped
from tests.reference.strength_features import linear_cdf

SPR = 3.5
LARGEST = 0.5 + SPR


def mean_of_cdf(cdf: np.ndarray) -> np.ndarray:
    """The mean of a distribution on the ten points from the largest loss to the largest gain."""
    return np.diff(cdf, axis=-1, prepend=0.0) @ np.linspace(-LARGEST, LARGEST, 10)


def assert_valid_cdf(cdf: np.ndarray) -> None:
    assert cdf.shape == (10,)
    assert (np.diff(cdf, prepend=0.0) >= 0.0).all()
    assert cdf[-1] == 1.0


def test_ev_histogram_produces_valid_cdf():
    assert_valid_cdf(ev_values_to_histogram(np.array([0.3, 0.7]), SPR))


def test_ev_histogram_all_same_value():
    cdf = ev_values_to_histogram(np.array([0.5, 0.5, 0.5]), SPR)
    assert_valid_cdf(cdf)
    assert mean_of_cdf(cdf) == pytest.approx(0.5)
    # The scale is common: equal values of another size are another feature.
    assert cdf.tolist() != ev_values_to_histogram(np.array([0.6, 0.6, 0.6]), SPR).tolist()


def test_ev_histogram_of_nothing_is_an_error():
    message = "expected values: none has a weight, so there is no histogram"
    with pytest.raises(AbstractionError, match=message):
        ev_values_to_histogram(np.array([]), SPR)
    with pytest.raises(AbstractionError, match=message):
        ev_values_to_histogram(np.array([0.3]), SPR, weights=np.zeros(1))


def test_ev_histogram_keeps_the_weighted_mean_and_equals_its_twin():
    random = np.random.default_rng(1)
    values = random.uniform(-LARGEST, LARGEST, 50)
    weights = random.integers(1, 5, 50)
    cdf = ev_values_to_histogram(values, SPR, weights)
    assert_valid_cdf(cdf)
    assert mean_of_cdf(cdf) == pytest.approx(np.average(values, weights=weights))
    written_out = np.repeat((values + LARGEST) / (2 * LARGEST), weights)
    np.testing.assert_allclose(cdf, linear_cdf(written_out), atol=1e-12)


def test_ends_of_the_scale_are_its_first_and_last_point():
    assert ev_values_to_histogram(np.array([-LARGEST]), SPR).tolist() == [1.0] * 10
    assert ev_values_to_histogram(np.array([LARGEST]), SPR).tolist() == [0.0] * 9 + [1.0]


def test_differences_smaller_than_a_bin_still_show():
    """The distance of two values is their difference over the distance of two points."""
    width = 2 * LARGEST / 9
    for first, second in ((0.1, 0.101), (-0.2, 0.1), (1.0, 1.5)):
        cdfs = [ev_values_to_histogram(np.array([value]), SPR) for value in (first, second)]
        assert np.abs(cdfs[0] - cdfs[1]).sum() == pytest.approx((second - first) / width)


@pytest.mark.parametrize(
    ("values", "spr", "weights", "message"),
    [
        ([4.1], SPR, None, "expected value 4.1: off the scale: -4 to 4 pots"),
        ([-4.1], SPR, None, "expected value -4.1: off the scale"),
        ([np.nan], SPR, None, "expected value nan: off the scale"),
        ([0.1], -1.0, None, "spr: -1 is not a stack-to-pot ratio"),
        ([0.1], np.nan, None, "spr: nan is not a stack-to-pot ratio"),
        ([0.1, 0.2], SPR, [2.0, -1.0], "weights: -1 is less than nothing"),
        ([0.1, 0.2], SPR, [2.0], r"expected values of shape \(2,\): one weight each, not \(1,\)"),
    ],
)
def test_values_without_meaning_are_refused(values, spr, weights, message):
    weights = None if weights is None else np.array(weights)
    with pytest.raises(AbstractionError, match=message):
        ev_values_to_histogram(np.array(values), spr, weights)


def random_spot(num_combos=40, num_buckets=6, seed=2):
    """Values, weights and buckets of combos some of which cannot meet; NaN where they cannot."""
    random = np.random.default_rng(seed)
    combos = np.sort(random.choice(1_326, num_combos, replace=False))
    weights = disjoint_combos(combos, combos) * random.uniform(0.1, 1.0, (2, 1, num_combos))
    values = random.uniform(-LARGEST, LARGEST, (2, num_combos, num_combos))
    buckets = np.concatenate([np.arange(num_buckets), random.integers(0, num_buckets, num_combos)])
    return np.where(weights > 0, values, np.nan), weights, buckets[:num_combos]


def test_features_are_histograms_over_the_opponents_buckets():
    values, weights, buckets = random_spot()
    features = build_ev_histograms(values, weights, buckets, 6, SPR)
    assert features.shape == (40, 20)
    for hero in range(40):
        for position in range(2):
            means, masses = [], []
            for bucket in range(6):
                met = (buckets == bucket) & (weights[position, hero] > 0)
                if met.any():
                    mass = weights[position, hero, met]
                    means.append(np.average(values[position, hero, met], weights=mass))
                    masses.append(mass.sum())
            expected = ev_values_to_histogram(np.array(means), SPR, np.array(masses))
            part = features[hero, 10 * position : 10 * position + 10]
            assert_valid_cdf(part)
            np.testing.assert_allclose(part, expected, atol=1e-12)


def test_features_keep_the_mean_value_of_each_position():
    values, weights, buckets = random_spot()
    features = build_ev_histograms(values, weights, buckets, 6, SPR)
    expected = np.nansum(weights * values, axis=2) / weights.sum(axis=2)
    np.testing.assert_allclose(mean_of_cdf(features[:, :10]), expected[0])
    np.testing.assert_allclose(mean_of_cdf(features[:, 10:]), expected[1])


def test_one_table_of_weights_serves_both_positions():
    values, weights, buckets = random_spot()
    both = np.stack([weights[0], weights[0]])
    values = np.where(both > 0, np.nan_to_num(values), np.nan)
    np.testing.assert_array_equal(
        build_ev_histograms(values, weights[0], buckets, 6, SPR),
        build_ev_histograms(values, both, buckets, 6, SPR),
    )


def test_hands_of_one_bucket_have_features_of_their_own():
    """A feature of their bucket would give both the same value and could never part them."""
    weights = np.ones((4, 4)) - np.eye(4)
    values = np.zeros((2, 4, 4))
    values[:, 0, 2] = 2.0  # the nuts are paid by the villain who wins from the second nuts
    values[:, 1, 2] = -2.0
    buckets = np.array([1, 1, 1, 0])
    features = build_ev_histograms(values, weights, buckets, 2, SPR)
    labels = recluster_flop_buckets(
        features, np.ones(4), 3, seed=0, order_key=mean_of_cdf(features[:, :10])
    )
    assert labels.tolist() == [2, 0, 1, 1]


def test_features_of_impossible_input_are_refused():
    values, weights, buckets = random_spot()
    with pytest.raises(AbstractionError, match=r"\(2, 40, 40\) is needed for 40 combos"):
        build_ev_histograms(values[0], weights, buckets, 6, SPR)
    with pytest.raises(AbstractionError, match="villain_bucket: buckets are 0 to 4"):
        build_ev_histograms(values, weights, buckets, 5, SPR)
    with pytest.raises(AbstractionError, match="off the scale"):
        build_ev_histograms(values, weights, buckets, 6, 0.1)
    weights[1, 7] = 0.0
    with pytest.raises(AbstractionError, match="combo at 7, position 1: meets nobody"):
        build_ev_histograms(values, weights, buckets, 6, SPR)


@pytest.mark.parametrize("metric", ["emd", "cramer"])
def test_reclustering_lowers_the_variance_inside_buckets(metric):
    values, weights, buckets = random_spot(num_combos=120)
    features = build_ev_histograms(values, weights, buckets, 6, SPR)
    ev = np.nansum(weights * values, axis=2).T / weights.sum(axis=2).T
    ones = np.ones(120)
    labels = recluster_flop_buckets(features, ones, 6, metric, seed=1, order_key=ev.mean(axis=1))
    again = recluster_flop_buckets(features, ones, 6, metric, seed=1, order_key=ev.mean(axis=1))
    assert labels.tolist() == again.tolist()
    assert set(labels.tolist()) == set(range(6))
    assert compare_partitions(labels, buckets) < 0.5
    assert within_bucket_variance(ev, labels, ones) < 0.5 * within_bucket_variance(
        ev, buckets, ones
    )


def test_reclustering_tells_about_capped_buckets():
    events = []
    features = np.repeat(np.eye(3), 2, axis=0)
    recluster_flop_buckets(
        features, np.ones(6), 9, seed=0, order_key=np.ones(6), name="flop", on_event=events.append
    )
    assert [e for e in events if isinstance(e, BucketsCapped)] == [BucketsCapped("flop", 9, 3)]


def test_variance_is_that_of_the_definition():
    values, labels = np.array([1.0, 3.0, 5.0, 5.0]), np.array([0, 0, 1, 1])
    assert within_bucket_variance(values, labels, np.ones(4)) == 0.5
    assert within_bucket_variance(values, labels, np.array([1.0, 0.0, 1.0, 2.0])) == 0.0
    assert within_bucket_variance(values, np.zeros(4, dtype=int), np.ones(4)) == values.var()
    assert within_bucket_variance(values, np.arange(4), np.ones(4)) == 0.0
    both = np.stack([values, 2.0 * values], axis=1)
    assert within_bucket_variance(both, labels, np.ones(4)) == 0.5 + 2.0
    with pytest.raises(AbstractionError, match="no hand has a weight"):
        within_bucket_variance(values, labels, np.zeros(4))


@pytest.mark.parametrize("flop", ["9s6s2s", "8h8d3s", "AhKsQd"])
def test_isomorphic_combos_get_exactly_the_same_row(flop):
    board = parse_board(flop)
    combos = live_combos(board)
    features = np.random.default_rng(4).random((len(combos), 3))
    averaged = average_isomorphic_combos(features, board, combos)
    images = combo_images(combos, suit_stabilizer(board))
    for image in images:
        np.testing.assert_array_equal(averaged[image], averaged)
    np.testing.assert_allclose(averaged, features[images].mean(axis=0), atol=1e-12)
    if len(images) == 1:
        np.testing.assert_array_equal(averaged, features)
