import dataclasses

import numpy as np
import pytest

from runout.abstraction import (
    AbstractionConfig,
    AbstractionError,
    BoundaryGenerator,
    Street,
    StrengthFeature,
    SurveyMode,
)
from runout.abstraction import generator as generator_module
from runout.abstraction.strength_survey import StreetSurvey, deal_random, survey_sample
from runout.errors import ExecutionError
from runout.execution.workplace import Workplace

SAMPLED = AbstractionConfig(10, 10, 10, samples_per_street=100, mode=SurveyMode.SAMPLED)
FEW = dataclasses.replace(SAMPLED, samples_per_street=20)


# Small samples.


def test_generator_produces_valid_boundaries():
    boundaries = BoundaryGenerator(SAMPLED).generate(42)
    for street in Street:
        part = boundaries.of_street(street)
        assert len(part) == 9  # 10 buckets have 9 boundaries
        assert (np.diff(part) > 0.0).all()
        assert 0.0 < part[0] < part[-1] < 1.0


# Defaults, samples, every deal and wrong input.


def test_by_default_every_deal_is_surveyed_for_30000_buckets():
    config = AbstractionConfig()
    assert [config.num_buckets(street) for street in Street] == [5_000, 5_000, 20_000]
    assert config.samples_per_street == 100_000
    assert config.mode is SurveyMode.EXHAUSTIVE
    assert config.feature is StrengthFeature.EHS2


def test_a_sample_size_asks_for_a_sample():
    assert AbstractionConfig(samples_per_street=100).mode is SurveyMode.SAMPLED
    assert AbstractionConfig(samples_per_street=100_000).mode is SurveyMode.SAMPLED
    assert AbstractionConfig().mode is SurveyMode.EXHAUSTIVE
    asked = AbstractionConfig(samples_per_street=100, mode=SurveyMode.EXHAUSTIVE)
    assert asked.mode is SurveyMode.EXHAUSTIVE
    assert dataclasses.replace(AbstractionConfig(), flop_buckets=3).mode is SurveyMode.EXHAUSTIVE


def test_the_same_seed_gives_the_same_boundaries():
    first, second = (BoundaryGenerator(FEW).generate(7) for _ in range(2))
    for street in Street:
        np.testing.assert_array_equal(first.of_street(street), second.of_street(street))


@pytest.mark.parametrize("street", Street, ids=lambda street: street.label)
def test_different_seeds_give_different_samples(street):
    first, second = (BoundaryGenerator(FEW).survey(street, seed).values for seed in (0, 1))
    assert first.tolist() != second.tolist()


def test_sampled_boundaries_do_not_depend_on_the_number_of_workers():
    alone, together = (BoundaryGenerator(FEW, Workplace(workers)).generate(7) for workers in (1, 3))
    for street in Street:
        np.testing.assert_array_equal(alone.of_street(street), together.of_street(street))


@pytest.mark.parametrize("street", Street, ids=lambda street: street.label)
def test_samples_are_those_that_saved_boundaries_were_cut_from(street):
    """A street's stream is numbered by the cards of its board."""
    rng = np.random.default_rng([3, {"flop": 3, "turn": 4, "river": 5}[street.label]])
    deals = deal_random(street, FEW.samples_per_street, rng)
    expected = survey_sample(street, FEW.feature, deals).values
    np.testing.assert_array_equal(BoundaryGenerator(FEW).survey(street, 3).values, expected)


def test_one_street_does_not_depend_on_the_others():
    """Each has a stream of its own: asked for alone or last, its sample is the same."""
    generator = BoundaryGenerator(FEW)
    river_first = generator.survey(Street.RIVER, 3).values
    generator.survey(Street.TURN, 3)
    np.testing.assert_array_equal(generator.survey(Street.RIVER, 3).values, river_first)


def test_streets_do_not_share_one_stream(monkeypatch):
    dealt = []

    def deal_and_remember(street, num_deals, rng):
        dealt.append(deal_random(street, num_deals, rng))
        return dealt[-1]

    monkeypatch.setattr(generator_module, "deal_random", deal_and_remember)
    for street in (Street.TURN, Street.RIVER):
        BoundaryGenerator(FEW).survey(street, 3)
    turn, river = dealt
    assert not (turn[:, :2] == river[:, :2]).all(axis=1).any()


def test_a_sample_says_how_many_buckets_it_can_support():
    config = AbstractionConfig(samples_per_street=100, mode=SurveyMode.SAMPLED)
    assert [config.num_supported(street) for street in Street] == [1, 1, 1]
    config = AbstractionConfig(samples_per_street=100_000, mode=SurveyMode.SAMPLED)
    assert [config.num_supported(street) for street in Street] == [1_000, 1_000, 1_000]
    config = AbstractionConfig(10, 20, 30, samples_per_street=2_500, mode=SurveyMode.SAMPLED)
    assert [config.num_supported(street) for street in Street] == [10, 20, 25]
    assert AbstractionConfig().num_supported(Street.RIVER) == 20_000


def test_a_hundred_samples_cannot_make_five_thousand_buckets():
    config = AbstractionConfig(samples_per_street=100, mode=SurveyMode.SAMPLED)
    generator = BoundaryGenerator(config)
    turn = generator.survey(Street.TURN, 0)
    boundaries = generator.cut({street: turn for street in Street})
    num_distinct = len(np.unique(turn.values))
    assert boundaries.num_requested(Street.TURN) == 5_000
    assert boundaries.num_effective(Street.TURN) == num_distinct <= 100


def test_a_support_of_a_hundred_deals_knows_a_share_to_a_tenth():
    """The reason for the number 100: the spread of a binomial count of that mean."""
    rng = np.random.default_rng(0)
    counts = rng.binomial(50_000, 100 / 50_000, 20_000)
    assert counts.std() / counts.mean() == pytest.approx(0.1, abs=0.003)


def test_every_deal_is_surveyed_by_default_and_the_seed_does_not_matter(monkeypatch):
    asked = []

    def survey_all(street, feature, run):
        asked.append((street, feature))
        return StreetSurvey(street, np.array([0.1, 0.5, 0.9]), np.array([1, 2, 1]))

    monkeypatch.setattr(generator_module, "survey_all", survey_all)
    generator = BoundaryGenerator(AbstractionConfig(2, 4, 4, feature=StrengthFeature.EHS_SQUARED))
    boundaries = generator.generate(0)
    assert asked == [(street, StrengthFeature.EHS_SQUARED) for street in Street]
    assert boundaries.flop.tolist() == [0.5]
    assert boundaries.turn.tolist() == boundaries.river.tolist() == [0.1, 0.5]
    assert generator.generate(1).flop.tolist() == boundaries.flop.tolist()


def test_features_have_boundaries_of_their_own():
    squared = dataclasses.replace(FEW, feature=StrengthFeature.EHS_SQUARED)
    plain = BoundaryGenerator(FEW).survey(Street.RIVER, 0).values
    np.testing.assert_allclose(
        BoundaryGenerator(squared).survey(Street.RIVER, 0).values, plain**2, rtol=1e-15
    )


def test_mode_and_feature_may_be_given_as_text():
    config = AbstractionConfig(mode="exhaustive", feature="ehs_squared")
    assert config.mode is SurveyMode.EXHAUSTIVE
    assert config.feature is StrengthFeature.EHS_SQUARED


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"flop_buckets": 0}, "flop_buckets: 0, allowed are 1 to 65536"),
        ({"turn_buckets": 65_537}, "turn_buckets: 65537, allowed are 1 to 65536"),
        ({"river_buckets": -1}, "river_buckets: -1, allowed are 1 to 65536"),
        ({"samples_per_street": 0}, "samples_per_street: 0 is not a positive number of deals"),
        ({"mode": "quick"}, "mode: 'quick', allowed are exhaustive, sampled"),
        ({"feature": "emd"}, "feature: 'emd', allowed are ehs2, ehs_squared"),
    ],
)
def test_configs_that_make_no_sense_are_refused(wrong, message):
    with pytest.raises(AbstractionError) as raised:
        AbstractionConfig(**wrong)
    assert str(raised.value) == message


def test_a_sample_needs_a_seed_from_zero():
    with pytest.raises(AbstractionError, match="seed: -1, allowed are whole numbers from 0"):
        BoundaryGenerator(FEW).generate(-1)


def test_no_workers_are_an_error():
    with pytest.raises(ExecutionError, match="0 is not a positive number of workers"):
        BoundaryGenerator(FEW, Workplace(num_workers=0)).generate(0)
