import numpy as np
import pytest

from runout.abstraction.card_abstraction import (
    MAX_PERCENTILE_BUCKETS,
    BucketBoundaries,
    percentile_boundaries,
)
from runout.errors import AbstractionError
from runout.trees.betting import Street
from tests.reference import hand_strength as reference
from tests.samples.bucket_boundaries import make_boundaries

HUNDREDTHS = np.arange(100) / 100
ONCE_EACH = np.ones(100, dtype=np.int64)


def cut_samples(parts, requested):
    """Returns boundaries that cut each street's (values, weights) into as many parts as asked."""
    cuts = (
        percentile_boundaries(*part, number) for part, number in zip(parts, requested, strict=True)
    )
    return BucketBoundaries(tuple(cuts), requested)


FIFTHS = np.array([0.2, 0.4, 0.6, 0.8])


def random_weighted_values(seed: int, num_distinct: int) -> tuple[np.ndarray, np.ndarray]:
    """Returns values with many repetitions, and weights some of which are 0 or very large."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, num_distinct, 60) / num_distinct
    weights = rng.integers(0, 6, 60) * rng.choice([1, 1, 1, 20], 60)
    return values, weights


# Examples by hand.


def test_percentile_boundaries_of_a_uniform_distribution():
    boundaries = percentile_boundaries(HUNDREDTHS, ONCE_EACH, 10)
    assert len(boundaries) == 9
    np.testing.assert_allclose(boundaries, np.arange(1, 10) / 10, atol=0.02)
    # Precisely: the tenth, twentieth, ... of the values, so that all buckets hold ten.
    assert boundaries.tolist() == [0.09, 0.19, 0.29, 0.39, 0.49, 0.59, 0.69, 0.79, 0.89]


def test_bucket_assignment_is_correct():
    part = (HUNDREDTHS, ONCE_EACH)
    assigner = cut_samples((part, part, part), (10, 10, 10))
    assert assigner.buckets_of(Street.FLOP, 0.05) == 0
    assert assigner.buckets_of(Street.FLOP, 0.15) == 1
    assert assigner.buckets_of(Street.FLOP, 0.95) == 9


def test_extreme_values_fall_into_the_outer_buckets():
    assigner = make_boundaries(FIFTHS, FIFTHS, FIFTHS)
    assert assigner.buckets_of(Street.RIVER, 0.0) == 0
    assert assigner.buckets_of(Street.RIVER, 1.0) == 4


# Wrong input, and what holds for any.


def test_a_boundary_belongs_to_the_bucket_below_it():
    assigner = make_boundaries(FIFTHS, FIFTHS, FIFTHS)
    assert [assigner.buckets_of(Street.TURN, value) for value in FIFTHS] == [0, 1, 2, 3]
    above = np.nextafter(FIFTHS, 1.0)
    assert [assigner.buckets_of(Street.TURN, value) for value in above] == [1, 2, 3, 4]


def test_many_strengths_get_the_buckets_that_they_get_alone():
    assigner = make_boundaries(FIFTHS, np.array([0.5]), np.linspace(0.001, 0.999, 1_829))
    strengths = np.concatenate([np.random.default_rng(0).random(200), FIFTHS, [0.0, 1.0]])
    for street in Street:
        many = assigner.buckets_of(street, strengths.reshape(2, -1))
        assert many.dtype == np.uint16
        alone = [assigner.buckets_of(street, strength) for strength in strengths]
        assert many.ravel().tolist() == alone


@pytest.mark.parametrize("num_buckets", [1, 2, 3, 7, 60, 500])
@pytest.mark.parametrize("num_distinct", [1, 2, 10, 1_000])
@pytest.mark.parametrize("seed", range(4))
def test_percentile_boundaries_equal_those_of_a_list_of_all_deals(seed, num_distinct, num_buckets):
    values, weights = random_weighted_values(seed, num_distinct)
    found = percentile_boundaries(values, weights, num_buckets)
    assert found.tolist() == reference.percentile_boundaries(values, weights, num_buckets)


@pytest.mark.parametrize("num_buckets", [2, 3, 7, 60, 500])
@pytest.mark.parametrize("num_distinct", [2, 10, 1_000])
@pytest.mark.parametrize("seed", range(10))
def test_population_misses_an_equal_share_by_at_most_the_ties_at_its_ends(
    seed, num_distinct, num_buckets
):
    values, weights = random_weighted_values(seed, num_distinct)
    boundaries = percentile_boundaries(values, weights, num_buckets)
    buckets = np.searchsorted(boundaries, values, side="left")
    population = np.bincount(buckets, weights, len(boundaries) + 1)
    assert population.sum() == weights.sum()
    assert (population > 0).all()
    largest = values[weights > 0].max()
    tied = [weights[values == end].sum() for end in [*boundaries, largest]]
    share = weights.sum() / num_buckets
    # A bucket is too large by less than its own last value, too small by less than the last value
    # of the bucket below, which was put there whole.
    assert (population - share <= tied).all()
    assert (share - population <= [0, *tied[:-1]]).all()


def test_distinct_values_make_buckets_of_equal_size():
    values = np.random.default_rng(1).permutation(997) / 997
    boundaries = percentile_boundaries(values, np.ones(997, dtype=np.int64), 10)
    population = np.bincount(np.searchsorted(boundaries, values))
    assert sorted(population) == [99] * 3 + [100] * 7


def test_order_of_the_values_does_not_matter():
    values, weights = random_weighted_values(0, 10)
    order = np.random.default_rng(2).permutation(len(values))
    np.testing.assert_array_equal(
        percentile_boundaries(values, weights, 7),
        percentile_boundaries(values[order], weights[order], 7),
    )


def test_coinciding_boundaries_are_kept_once_and_both_counts_are_reported():
    values, weights = np.array([0.1, 0.5, 0.9]), np.array([1, 98, 1])
    part, fine = (values, weights), (HUNDREDTHS, ONCE_EACH)
    boundaries = cut_samples((part, fine, fine), (50, 50, 20))
    assert boundaries.by_street[0].tolist() == [0.5]
    assert [boundaries.requested[street] for street in Street] == [50, 50, 20]
    assert [boundaries.num_buckets(street) for street in Street] == [2, 50, 20]
    assert boundaries.num_buckets(Street.FLOP) == 2


def test_values_that_never_occur_are_no_boundaries():
    values, weights = np.array([0.0, 0.1, 0.5, 0.9, 1.0]), np.array([0, 2, 0, 2, 0])
    assert percentile_boundaries(values, weights, 4).tolist() == [0.1]


def test_a_single_value_is_a_single_bucket():
    assert not len(percentile_boundaries(np.array([0.5]), np.array([10]), 1_000))


def test_whole_numbers_of_deals_do_not_round():
    """The first value holds one deal less than half; in floats half of them would be as many."""
    weights = np.array([2**53, 2**53 + 2])
    assert not len(percentile_boundaries(np.array([0.1, 0.2]), weights, 2))
    assert percentile_boundaries(np.array([0.1, 0.2]), weights[::-1], 2).tolist() == [0.1]


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ([0.4, 0.2], "are not in strictly ascending order"),
        ([0.2, 0.2, 0.4], "are not in strictly ascending order"),
        ([0.2, np.nan, 0.4], "contain NaN, strengths are 0 to 1"),
        ([-0.1, 0.5], "run from -0.1 to 0.5, strengths are 0 to 1"),
        ([0.5, 1.5], "run from 0.5 to 1.5, strengths are 0 to 1"),
        ([0.5, np.inf], "run from 0.5 to inf, strengths are 0 to 1"),
        (
            np.linspace(0.0, 1.0, MAX_PERCENTILE_BUCKETS),
            "65537 buckets, at most 65536 fit a bucket number",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
@pytest.mark.parametrize("street", Street, ids=lambda street: street.label)
def test_boundaries_that_make_no_sense_are_refused(street, wrong, problem):
    parts = [np.asarray(wrong) if street is other else FIFTHS for other in Street]
    with pytest.raises(AbstractionError) as raised:
        make_boundaries(*parts)
    assert str(raised.value) == f"{street.label} boundaries: {problem}"


def test_as_many_buckets_as_fit_are_allowed_and_the_last_one_has_its_number():
    boundaries = np.arange(1, MAX_PERCENTILE_BUCKETS) / MAX_PERCENTILE_BUCKETS
    assigner = make_boundaries(FIFTHS, FIFTHS, boundaries)
    assert assigner.num_buckets(Street.RIVER) == MAX_PERCENTILE_BUCKETS
    assert assigner.buckets_of(Street.RIVER, np.array([1.0])).tolist() == [65_535]


@pytest.mark.parametrize(("values", "weights"), [([], []), ([0.5], [0])], ids=["none", "weight 0"])
def test_nothing_cannot_be_cut(values, weights):
    with pytest.raises(AbstractionError, match="there is nothing to cut into buckets"):
        percentile_boundaries(np.array(values), np.array(weights, dtype=np.int64), 10)
