from math import comb

import numpy as np
import pytest

from runout.abstraction.card_abstraction import (
    AbstractionConfig,
    CardAbstraction,
    build_card_abstraction,
    survey_street,
)
from runout.abstraction.survey import StrengthFeature, deal_indexer, deal_random
from runout.cards.hand_indexer import canonical_boards
from runout.events import PhaseStarted
from runout.execution.context import RunContext
from runout.trees.betting import Street
from tests.abstraction.test_bucket_statistics import assert_as_equal_as_ties_allow
from tests.event_streams import check_stream
from tests.samples.few_boards import deals_on, pretend_few_boards

NUM_DEALS = {street: comb(52, 2) * comb(50, street.num_board_cards) for street in Street}
SAMPLED = AbstractionConfig(5, 5, 20_000, samples_per_street=20)


def test_a_sampled_abstraction_has_boundaries_and_no_tables():
    abstraction = build_card_abstraction(SAMPLED, seed=3)
    expected = build_card_abstraction(SAMPLED, 3).boundaries
    for street in Street:
        np.testing.assert_array_equal(
            abstraction.boundaries.by_street[street], expected.by_street[street]
        )
        assert abstraction.statistics[street].population.sum() == 20
    assert not abstraction.tables


def test_the_origin_says_what_was_asked_for_and_what_came_of_it(tmp_path):
    abstraction = build_card_abstraction(SAMPLED, seed=3)
    abstraction.save(tmp_path / "a")
    origin = CardAbstraction.load(tmp_path / "a").origin
    num_river_buckets = abstraction.num_buckets(Street.RIVER)
    assert origin == {
        "flop_buckets": 5,
        "turn_buckets": 5,
        "river_buckets": 20_000,
        "samples_per_street": 20,
        "mode": "sampled",
        "feature": "ehs2",
        "seed": 3,
        "supported": {"flop": 1, "turn": 1, "river": 1},
        "effective": {"flop": 5, "turn": 5, "river": num_river_buckets},
    }
    assert num_river_buckets <= 20


def test_a_survey_of_everything_also_makes_tables(monkeypatch):
    """Of the first boards only; all other deals have strength 0 and share the lowest bucket."""
    feature = StrengthFeature.EHS_SQUARED
    pretend_few_boards(monkeypatch, num_boards=3)
    events = []
    config = AbstractionConfig(50_000, 50_000, 20_000, feature=feature)
    abstraction = build_card_abstraction(config, context=RunContext(1, events.append))
    assert [event.phase for event in events if isinstance(event, PhaseStarted)] == [
        "flop strengths",
        "turn strengths",
        "river strengths",
        "bucket boundaries",
        "bucket tables",
        "bucket statistics",
    ]
    check_stream(events)
    assert list(abstraction.tables) == [Street.FLOP, Street.TURN]
    without_tables = CardAbstraction(abstraction.boundaries, feature)
    for street in Street:
        board = canonical_boards(street.num_board_cards)[0][1].tolist()
        deals = deals_on([board])[::7]
        looked_up = abstraction.get_buckets(deals)
        assert looked_up.any()
        np.testing.assert_array_equal(looked_up, without_tables.get_buckets(deals))
        population = abstraction.statistics[street].population
        assert len(population) == abstraction.num_buckets(street)


# Everything: a minute on two cores, once for all tests below.


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Scores are kept, so that the surveys of this module share them."""
    return RunContext(2, checkpoints=tmp_path_factory.mktemp("scores"))


@pytest.fixture(scope="module")
def surveys(run):
    return {street: survey_street(AbstractionConfig(), street, 0, run) for street in Street}


@pytest.fixture(scope="module")
def exhaustive(run, surveys):
    return build_card_abstraction(AbstractionConfig(), context=run)


@pytest.mark.slow
def test_every_deal_is_counted(surveys):
    for street in Street:
        assert surveys[street].weights.sum() == NUM_DEALS[street]
    assert len(surveys[Street.FLOP].values) == 1_286_792
    assert len(surveys[Street.TURN].values) == 13_960_050


@pytest.mark.slow
def test_mean_strength_over_all_deals_is_exactly_one_half(surveys):
    for street, num_runouts in ((Street.FLOP, 1_081), (Street.TURN, 46), (Street.RIVER, 1)):
        best = num_runouts * 1_980
        scores = np.rint(surveys[street].values * best).astype(np.int64)
        np.testing.assert_allclose(scores / best, surveys[street].values, rtol=1e-15)
        assert 2 * int((scores * surveys[street].weights).sum()) == best * NUM_DEALS[street]


@pytest.mark.slow
def test_populations_are_as_equal_as_ties_allow(surveys, exhaustive):
    for street in Street:
        requested = exhaustive.boundaries.requested[street]
        assert_as_equal_as_ties_allow(surveys[street], exhaustive.statistics[street], requested)


@pytest.mark.slow
def test_ties_leave_4986_turn_buckets_and_1829_river_buckets(exhaustive):
    effective = [exhaustive.num_buckets(street) for street in Street]
    assert effective == [5_000, 4_986, 1_829]
    assert exhaustive.boundaries.requested == (5_000, 5_000, 20_000)


@pytest.mark.slow
def test_tables_hold_what_is_computed_without(exhaustive):
    without_tables = CardAbstraction(exhaustive.boundaries)
    for street, num_deals in ((Street.FLOP, 300), (Street.TURN, 5_000)):
        assert exhaustive.tables[street].shape == (deal_indexer(street).size,)
        deals = deal_random(street, num_deals, np.random.default_rng(0))
        found = exhaustive.get_buckets(deals)
        np.testing.assert_array_equal(found, without_tables.get_buckets(deals))
        for deal, bucket in zip(deals[:50].tolist(), found, strict=False):
            assert without_tables.get_bucket(deal[2:], (deal[0], deal[1])) == bucket


@pytest.mark.slow
def test_an_exhaustive_survey_does_not_depend_on_the_number_of_workers(surveys):
    alone = survey_street(AbstractionConfig(), Street.TURN, 1, RunContext(1))
    np.testing.assert_array_equal(alone.values, surveys[Street.TURN].values)
    np.testing.assert_array_equal(alone.weights, surveys[Street.TURN].weights)


@pytest.mark.slow
def test_sampled_boundaries_come_near_the_exhaustive_ones(exhaustive):
    config = AbstractionConfig(20, 20, 20, samples_per_street=4_000)
    sampled = build_card_abstraction(config, 0, RunContext(num_workers=2)).boundaries
    for street in Street:
        statistics = exhaustive.statistics[street]
        below = statistics.population.cumsum() / NUM_DEALS[street]
        assigner = exhaustive.boundaries
        shares = below[assigner.buckets_of(street, sampled.by_street[street])]
        # Quantiles of 4,000 deals are known to about 0.8 % of all deals.
        np.testing.assert_allclose(shares, np.arange(1, 20) / 20, atol=0.03)
