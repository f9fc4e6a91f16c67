import pytest

from runout.cfr.discounting import LINEAR
from runout.cfr.stopping import StoppingRule
from runout.config.load import load_postflop_config, parse_postflop_config
from runout.errors import ConfigError
from runout.postflop.bucketed.bucketed import BucketedBackend
from runout.postflop.bucketed.rounds import BucketPlan, RoundsSolver
from runout.postflop.bucketed.settings import BucketedConfig

COUNT = "a whole number from 1 to 32767"
NAN, INF = float("nan"), float("inf")


def test_rebucket_rounds_default_to_one():
    assert BucketedConfig.standard().rebucket_rounds == 1


def test_the_rebucket_delta_threshold_defaults_to_a_thousandth():
    assert BucketedConfig.standard().rebucket_delta_threshold == 0.001


def test_rebucket_rounds_survive_the_round_trip():
    config = BucketedConfig.fast().model_copy(update={"rebucket_rounds": 3})
    assert load_postflop_config(config.to_yaml()) == config


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
        ("num_hand_buckets_flop", [0, 32768, 1.5, True, None], COUNT),
        ("num_hand_buckets_turn", [0, 32768, 1.5, True, None], COUNT),
        ("num_hand_buckets_river", [0, 32768, 1.5, True, None], COUNT),
        ("rebucket_rounds", [0, -1, 1.5, True, None, "2"], "a whole number from 1 up"),
        (
            "rebucket_delta_threshold",
            [0, -0.1, 1.5, True, "1", NAN, INF],
            "a number above 0 and up to 1, or null",
        ),
        ("rebucket_warm_start", [1, "yes", None, 0.5], "true or false"),
        ("bucket_metric", ["cramér"], "one of emd, cramer, did you mean cramer?"),
    ],
)
def test_values_out_of_range_and_of_other_types_are_refused(key, values, allowed):
    for value in values:
        with pytest.raises(ConfigError) as caught:
            parse_postflop_config({"solve_type": "bucketed", key: value})
        assert caught.value.where == f"postflop_model.{key}"
        assert caught.value.problem.endswith(f" is not {allowed}")


@pytest.mark.parametrize(
    ("preset", "buckets"), [("fast", (50, 100, 100)), ("accurate", (200, 500, 500))]
)
def test_a_preset_makes_a_backend_with_its_buckets(preset, buckets):
    config = BucketedConfig(preset=preset, rebucket_rounds=2, seed=3)
    plan = BucketPlan(buckets, "emd", 2, is_warm_started=False)
    rule = config.stopping_rule()
    assert config.make_backend() == BucketedBackend(RoundsSolver(plan, rule, LINEAR, 3))


def test_the_backend_has_the_metric_and_the_warm_start():
    config = BucketedConfig(bucket_metric="cramer", rebucket_warm_start=True, rebucket_rounds=2)
    assert config.make_backend().rounds.plan == BucketPlan((200, 200, 200), "cramer", 2, True)
