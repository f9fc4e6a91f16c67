import numpy as np
import pytest

from runout.abstraction.card_abstraction import (
    BucketBoundaries,
    BucketStatistics,
    percentile_boundaries,
)
from runout.abstraction.survey import StreetSurvey, StrengthFeature
from runout.trees.betting import Street
from tests.samples.bucket_boundaries import make_boundaries
from tests.samples.few_boards import survey_few

SURVEY = StreetSurvey(
    Street.FLOP,
    np.array([0.9, 0.1, 0.2, 0.5, 0.5, 0.3, 0.15]),
    np.array([2, 1, 3, 4, 1, 1, 0]),
)
BOUNDARIES = make_boundaries(np.array([0.2, 0.5]), np.array([0.5]), np.array([0.1, 0.5, 0.8]))


def test_statistics_of_deals_counted_in_the_head():
    statistics = BucketStatistics.of_survey(SURVEY, BOUNDARIES)
    assert statistics.population.tolist() == [4, 6, 2]
    assert statistics.population.dtype == np.int64
    assert statistics.lowest.tolist() == [0.1, 0.3, 0.9]
    assert statistics.highest.tolist() == [0.2, 0.5, 0.9]
    np.testing.assert_allclose(statistics.mean, [0.7 / 4, 2.8 / 6, 0.9], rtol=1e-15)


def test_strengths_that_never_occur_are_not_counted():
    """0.15 has weight 0; were it counted, it would not change a minimum here, but 0.05 would."""
    never = StreetSurvey(
        Street.FLOP, np.append(SURVEY.values, [0.05, 1.0]), np.append(SURVEY.weights, [0, 0])
    )
    statistics = BucketStatistics.of_survey(never, BOUNDARIES)
    assert statistics.lowest[0] == 0.1
    assert statistics.highest[-1] == 0.9


def test_a_street_without_boundaries_is_one_bucket():
    none = np.empty(0)
    statistics = BucketStatistics.of_survey(SURVEY, BucketBoundaries((none,) * 3, (1, 1, 1)))
    assert statistics.population.tolist() == [12]
    assert (statistics.lowest[0], statistics.highest[0]) == (0.1, 0.9)


@pytest.mark.parametrize("feature", StrengthFeature)
@pytest.mark.parametrize("num_buckets", [1, 10, 1_000, 20_000])
@pytest.mark.parametrize("street", [Street.FLOP, Street.TURN], ids=lambda street: street.label)
def test_buckets_of_real_boards_are_as_equal_as_ties_allow(street, num_buckets, feature):
    survey = survey_few(street, feature)
    part = percentile_boundaries(survey.values, survey.weights, num_buckets)
    statistics = BucketStatistics.of_survey(survey, BucketBoundaries((part,) * 3, (1, 1, 1)))
    assert_as_equal_as_ties_allow(survey, statistics, num_buckets)


def assert_as_equal_as_ties_allow(
    survey: StreetSurvey, statistics: BucketStatistics, num_requested: int
) -> None:
    """Asserts what docs/abstraction.md proves about the number of deals in a bucket."""
    occurring, where = np.unique(survey.values, return_inverse=True)
    tied = np.bincount(where, survey.weights)
    total = int(survey.weights.sum())
    assert statistics.population.sum() == total
    share = total / num_requested
    tied_at_end = tied[np.searchsorted(occurring, statistics.highest)]
    assert (statistics.population - share <= tied_at_end).all()
    assert (share - statistics.population <= np.append(0, tied_at_end[:-1])).all()
    assert (statistics.population > 0).all()
    assert (statistics.lowest <= statistics.mean + 1e-12).all()
    assert (statistics.mean <= statistics.highest + 1e-12).all()
    assert (statistics.highest[:-1] < statistics.lowest[1:]).all()
