import pytest

from runout.config.postflop import FLOP_SELECTIONS, PostflopModelConfig
from runout.config.presets import PRESETS
from runout.postflop.bucketed.settings import BucketedConfig

NAMES = ["fast", "medium", "standard", "accurate"]


def test_there_are_four_presets_from_fast_to_accurate():
    assert list(PRESETS) == NAMES


@pytest.mark.parametrize(
    ("name", "flops", "threshold", "sizes", "raises"),
    [
        ("fast", 25, 0.005, (0.5, 1.0), 1),
        ("medium", 50, 0.002, (0.5, 1.0), 1),
        ("standard", 100, 0.001, (0.5, 1.0), 1),
        ("accurate", 200, 0.001, (0.33, 0.75, 1.5), 2),
    ],
)
def test_presets_have_their_documented_values(name, flops, threshold, sizes, raises):
    config = getattr(PostflopModelConfig, name)()
    assert config.flop_subset == len(config.flop_list()) == flops
    assert config.cfr_exploitability_threshold == threshold
    assert config.bet_sizes == sizes
    assert config.max_raises_per_street == raises


@pytest.mark.parametrize(
    ("name", "buckets"),
    [
        ("fast", (50, 100, 100)),
        ("medium", (100, 200, 200)),
        ("standard", (200, 200, 200)),
        ("accurate", (200, 500, 500)),
    ],
)
def test_presets_have_buckets_for_the_bucketed_backend(name, buckets):
    assert getattr(BucketedConfig, name)().num_hand_buckets == buckets


def test_a_slower_preset_is_never_less_accurate():
    configs = [getattr(BucketedConfig, name)() for name in NAMES]
    iterations = [config.postflop_solve_iterations for config in configs]
    thresholds = [config.cfr_exploitability_threshold for config in configs]
    assert iterations == sorted(set(iterations))
    for buckets in zip(*(config.num_hand_buckets for config in configs), strict=True):
        assert list(buckets) == sorted(buckets)
    assert thresholds == sorted(thresholds, reverse=True)


@pytest.mark.parametrize("name", NAMES)
def test_presets_leave_all_other_keys_at_their_defaults(name):
    preset = getattr(PostflopModelConfig, name)().to_mapping()
    default = PostflopModelConfig().to_mapping()
    assert {key for key in default if preset[key] != default[key]} <= PRESETS[name].keys()


@pytest.mark.parametrize("name", NAMES)
def test_the_key_preset_fills_in_what_is_not_given(name):
    config = PostflopModelConfig.parse({"preset": name, "bet_sizes": [2.0], "seed": 7}, "")
    expected = getattr(PostflopModelConfig, name)().to_mapping() | {"bet_sizes": [2.0], "seed": 7}
    assert config.to_mapping() == expected


@pytest.mark.parametrize(
    "selection",
    [
        {"fixed_flops": ["AhKd7s"]},
        {"max_flop_boards": 3},
        {"flop_subset": 50},
        {"flop_subset": None},
    ],
)
def test_a_choice_of_flops_replaces_that_of_the_preset(selection):
    config = PostflopModelConfig.parse({"preset": "fast"} | selection, "")
    plain = PostflopModelConfig.parse(selection, "")
    for key in FLOP_SELECTIONS:
        assert getattr(config, key) == getattr(plain, key)
    assert config.postflop_solve_iterations == 200
