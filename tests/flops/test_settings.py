"""Tests of `runout.flops.settings`."""

import re
from dataclasses import replace

import pytest

from runout.cfr.schedules import DCFR6, DCFR_PLUS, DCFR_SPOT, LINEAR, StoppingRule
from runout.config.flops import (
    BucketedConfig,
    CompactConfig,
    ExactConfig,
    ExhaustiveConfig,
    FlopsConfig,
    MccfrConfig,
)
from runout.config.load import parse_config
from runout.errors import ConfigError
from runout.flops.bucketed import BucketedBackend
from runout.flops.cards import CHECK_EVERY, DEFAULT_SAMPLE, CardBackend
from runout.flops.hands import HandBackend, Sampling
from runout.flops.settings import make_backend
from runout.flops.turn_buckets import StrengthBuckets
from runout.holdem.rivers import EXACT_RIVERS, BucketRivers
from runout.holdem.tables import Precision

COUNT = r"(greater|less) than or equal to \d+$| is not a whole number$"
SHARE = r"greater than 0$|less than or equal to 1$| is not a number$| a finite number$"
NAN, INF = float("nan"), float("inf")


def test_rebucket_rounds_default_to_one():
    assert BucketedConfig(preset="standard").rebucket_rounds == 1


def test_no_change_of_strategies_ends_a_round_unless_it_is_asked_for():
    assert BucketedConfig(bucket_scope="street").stopping_rule().strategy_delta is None


@pytest.mark.parametrize(
    ("keys", "shares"),
    [
        ({}, False),
        ({"rebucket_rounds": 2}, False),
        ({"num_hand_buckets_turn": 50}, True),
        ({"rebucket_delta_threshold": 0.001}, True),
        ({"bucket_scope": "street"}, True),
        ({"bucket_scope": "board"}, False),
    ],
)
def test_keys_of_shared_buckets_choose_them(keys, shares):
    config = BucketedConfig(**keys)
    assert config.shares_buckets == shares
    assert isinstance(make_backend(config), BucketedBackend if shares else CardBackend)


def test_buckets_of_boards_have_no_keys_of_shared_ones():
    with pytest.raises(ConfigError, match="bucket_metric: needs bucket_scope: street"):
        FlopsConfig.parse(
            {"solve_type": "bucketed", "bucket_scope": "board", "bucket_metric": "emd"}
        )


def test_rebucket_rounds_survive_the_round_trip():
    config = BucketedConfig(preset="fast").model_copy(update={"rebucket_rounds": 3})
    assert parse_config(config.to_yaml(), FlopsConfig) == config


def test_buckets_are_given_street_by_street():
    config = BucketedConfig(
        num_hand_buckets_flop=3, num_hand_buckets_turn=4, num_hand_buckets_river=5
    )
    assert config.num_hand_buckets == (3, 4, 5)


def test_a_round_stops_at_its_own_delta():
    config = BucketedConfig(rebucket_delta_threshold=0.02)
    assert config.stopping_rule() == StoppingRule(500, None, 0.001, 0.02)


@pytest.mark.parametrize(
    ("key", "values", "allowed"),
    [
        ("num_hand_buckets_flop", [0, 32768, 1.5, True], COUNT),
        ("num_hand_buckets_turn", [0, 32768, 1.5, True], COUNT),
        ("num_hand_buckets_river", [0, 32768, 1.5, True], COUNT),
        ("rebucket_rounds", [0, -1, 1.5, True, None, "2"], COUNT),
        ("rebucket_delta_threshold", [0, -0.1, 1.5, True, "1", NAN, INF], SHARE),
        ("rebucket_warm_start", [1, "yes", None, 0.5], "true or false"),
        ("bucket_metric", ["cramér"], "one of emd, cramer, did you mean cramer?"),
    ],
)
def test_values_out_of_range_and_of_other_types_are_refused(key, values, allowed):
    for value in values:
        with pytest.raises(ConfigError) as caught:
            FlopsConfig.parse({"solve_type": "bucketed", key: value})
        assert caught.value.where == f"postflop_model.{key}"
        assert re.search(allowed, caught.value.problem)


@pytest.mark.parametrize(("preset", "turn", "river"), [("fast", 96, 32), ("accurate", 192, 96)])
def test_a_preset_makes_a_backend_with_its_buckets(preset, turn, river):
    config = BucketedConfig(preset=preset, rebucket_rounds=2, rebucket_iterations=10, seed=3)
    backend = make_backend(config)
    assert backend.rivers == BucketRivers(river, "auto", turns=StrengthBuckets(turn, 3))
    assert (backend.rounds, backend.first_iterations) == (2, 10)
    assert backend.rule == replace(config.stopping_rule(), check_every=20)


def test_shared_buckets_make_the_backend_of_sampled_cards():
    config = BucketedConfig(bucket_scope="street", rebucket_rounds=2, seed=3)
    rule = config.stopping_rule()
    assert make_backend(config) == BucketedBackend((200,) * 3, rule, LINEAR, "emd", 2, False, 3)


def test_the_backend_has_the_metric_and_the_warm_start():
    config = BucketedConfig(bucket_metric="cramer", rebucket_warm_start=True, rebucket_rounds=2)
    backend = make_backend(config)
    assert backend.num_buckets == (200, 200, 200)
    assert (backend.metric, backend.rounds, backend.is_warm_started) == ("cramer", 2, True)


def test_the_backend_has_all_settings():
    config = CompactConfig(river_buckets=32, river_blockers="on", compact_precision=16, seed=7)
    sample = replace(DEFAULT_SAMPLE, seed=7)
    rule = replace(config.stopping_rule(), check_every=CHECK_EVERY)
    expected = CardBackend(rule, BucketRivers(32, "on"), Precision.HALF, DCFR6, sample)
    assert make_backend(config) == expected


@pytest.mark.parametrize("value", [0, 20, 256, "48"])
def test_other_numbers_of_buckets_are_refused(value):
    with pytest.raises(ConfigError, match=r"river_buckets: .*(to 16|of 16|to 240|whole number)"):
        FlopsConfig.parse({"solve_type": "compact", "river_buckets": value})


def test_the_backend_has_the_precision_and_the_seed():
    config = ExactConfig(exact_precision=16, seed=7)
    sample = replace(DEFAULT_SAMPLE, seed=7)
    expected = CardBackend(config.stopping_rule(), EXACT_RIVERS, Precision.HALF, DCFR_SPOT, sample)
    assert make_backend(config) == expected


@pytest.mark.parametrize("value", [8, 64, "32", True, None])
def test_other_precisions_are_refused(value):
    with pytest.raises(ConfigError, match=r"exact_precision: .* is not one of 32, 16"):
        FlopsConfig.parse({"solve_type": "exact", "exact_precision": value})


def test_the_backend_updates_as_the_config_says():
    config = ExhaustiveConfig(cfr_updates="simultaneous", cfr_strategy_delta_threshold=0.01)
    assert config.stopping_rule().strategy_delta == 0.01
    assert make_backend(config) == HandBackend(
        config.stopping_rule(), DCFR_PLUS, is_simultaneous=True
    )
    assert not make_backend(ExhaustiveConfig()).is_simultaneous


@pytest.mark.parametrize("value", [3, True, None, ["alternating"], "alternate"])
def test_other_updates_are_refused(value):
    with pytest.raises(ConfigError, match=r"cfr_updates: .* is not one of alternating, simult"):
        FlopsConfig.parse({"solve_type": "exhaustive", "cfr_updates": value})


def test_the_backend_samples_as_the_config_says():
    config = MccfrConfig(
        mccfr_sampling="external", mccfr_sample_pct=0.5, value_extraction_samples=9, seed=3
    )
    expected = HandBackend(config.stopping_rule(), LINEAR, Sampling("external", 0.5, 9, 3))
    assert make_backend(config) == expected
