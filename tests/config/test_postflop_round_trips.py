import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runout.cards.deck import format_cards
from runout.cards.flops import SHIPPED_SUBSET_SIZES, all_flops
from runout.cfr.schedules import VARIANTS
from runout.config.flops import FlopsConfig
from runout.config.load import parse_config
from runout.config.yaml_text import parse_yaml
from runout.errors import ConfigError
from runout.storage.bundle import digest_config

deterministic = settings(derandomize=True, deadline=None)
INF = math.inf

SIZES = st.lists(
    st.floats(0.01, 9.99) | st.sampled_from(["33%", "e", "2e", "3e200%", "a", "12.5%"]),
    min_size=1,
    max_size=3,
)
BY_PLAYER = st.fixed_dictionaries({"oop": SIZES, "ip": SIZES})
BY_STREET = st.fixed_dictionaries(dict.fromkeys(("flop", "turn", "river"), SIZES | BY_PLAYER))
CHOICES = SIZES | BY_PLAYER | BY_STREET
SHARES = st.floats(0.0, 1.0, exclude_min=True)
BUCKETS = st.integers(1, 32_767)
EXPONENTS = st.floats(-20.0, 20.0) | st.sampled_from([INF, -INF])
FLOPS = st.lists(st.sampled_from(all_flops().flops).map(format_cards), min_size=1, unique=True)
SELECTIONS = st.one_of(
    st.just({}),
    st.fixed_dictionaries({"max_flop_boards": st.integers(1, 1755)}),
    st.fixed_dictionaries({"fixed_flops": FLOPS}),
    st.fixed_dictionaries({"flop_subset": st.sampled_from([None, *SHIPPED_SUBSET_SIZES])}),
)
KEYS = st.fixed_dictionaries(
    {},
    optional={
        "preset": st.sampled_from(["fast", "medium", "standard", "accurate"]),
        "bet_sizes": CHOICES,
        "raise_sizes": CHOICES | st.none(),
        "max_raises_per_street": st.integers(0, 5),
        "postflop_sprs": st.lists(st.floats(0.01, 1e6), min_size=1, max_size=4, unique=True),
        "postflop_solve_iterations": st.integers(1),
        "cfr_exploitability_threshold": st.none() | SHARES,
        "cfr_max_seconds_per_flop": st.none() | st.floats(0.1, 1e9),
        "cfr_variant": st.sampled_from(sorted(VARIANTS))
        | st.fixed_dictionaries(
            {"alpha": EXPONENTS, "beta": EXPONENTS, "gamma": st.floats(0.0, 20.0)}
        ),
        "seed": st.integers(0),
    },
)
OWN_KEYS = {
    "mccfr": {
        "cfr_strategy_delta_threshold": st.none() | SHARES,
        "mccfr_sampling": st.sampled_from(["external", "public_chance"]),
        "mccfr_sample_pct": SHARES,
        "value_extraction_samples": st.integers(0),
    },
    "exhaustive": {
        "cfr_strategy_delta_threshold": st.none() | SHARES,
        "cfr_updates": st.sampled_from(["alternating", "simultaneous"]),
    },
    "bucketed": {
        "num_hand_buckets_flop": BUCKETS,
        "num_hand_buckets_turn": BUCKETS,
        "num_hand_buckets_river": BUCKETS,
        "bucket_metric": st.sampled_from(["emd", "cramer"]),
        "rebucket_rounds": st.integers(1),
        "rebucket_delta_threshold": st.none() | SHARES,
        "rebucket_warm_start": st.booleans(),
    },
    "exact": {"exact_precision": st.sampled_from([32, 16])},
}
OF_BACKENDS = st.one_of(
    st.fixed_dictionaries({"solve_type": st.just(name)}, optional=keys)
    for name, keys in OWN_KEYS.items()
)


def digest(**keys):
    return digest_config(FlopsConfig.parse(keys).digest_mapping())


@deterministic
@given(KEYS, SELECTIONS, OF_BACKENDS)
def test_a_config_survives_its_text_and_its_mapping(keys, selection, of_backend):
    config = FlopsConfig.parse(keys | selection | of_backend)
    restored = parse_config(config.to_yaml(), FlopsConfig)
    assert restored == config
    assert restored.to_yaml() == config.to_yaml()
    assert FlopsConfig.parse(config.to_mapping()) == config
    assert restored.digest_mapping() == config.digest_mapping()
    digest_config(config.digest_mapping())


@settings(deterministic, max_examples=200)
@given(
    st.sampled_from(sorted(FlopsConfig.model_fields)),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
        max_leaves=5,
    ),
)
def test_nothing_but_a_config_error_ever_comes_out(key, value):
    config, refusal = None, None
    try:
        config = FlopsConfig.parse({key: value})
    except ConfigError as error:
        refusal = error
    if config is None:
        assert refusal.where.startswith(f"postflop_model.{key}")
        assert "\n" not in str(refusal)
    else:
        config.betting_rules()
        assert FlopsConfig.parse(config.to_mapping()) == config


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"bet_sizes": [0.5, 1]}, {"bet_sizes": ["100%", "50%", 0.5]}),
        ({"bet_sizes": [1]}, {"bet_sizes": {"oop": [1], "ip": [1]}, "raise_sizes": [1.0]}),
        ({"cfr_variant": "cfr+"}, {"cfr_variant": {"alpha": INF, "beta": -INF, "gamma": 1}}),
        ({"postflop_spr": 3}, {"postflop_sprs": [3.0]}),
        ({"preset": "standard"}, {"flop_subset": 100}),
        ({}, {"max_flop_boards": None, "fixed_flops": None}),
        ({"fixed_flops": ["AhKd7s"]}, {"fixed_flops": ["7c Ad Kh"], "mccfr_sample_pct": 0.01}),
        ({"solve_type": "exhaustive", "seed": 1}, {"solve_type": "exhaustive"}),
        (
            {"solve_type": "bucketed", "bucket_scope": "street"},
            {"solve_type": "bucketed", "rebucket_warm_start": True},  # there is one round
        ),
    ],
)
def test_configs_that_mean_the_same_have_the_same_digest(one, other):
    assert digest(**one) == digest(**other)


@pytest.mark.parametrize(
    "change",
    [
        {"solve_type": "exhaustive"},
        {"bet_sizes": [0.5]},
        {"bet_sizes": {"oop": [0.5, 1.0], "ip": [0.5]}},
        {"raise_sizes": [1.0]},
        {"max_raises_per_street": 2},
        {"postflop_sprs": [3.5, 6]},
        {"postflop_solve_iterations": 501},
        {"cfr_exploitability_threshold": None},
        {"cfr_strategy_delta_threshold": 0.1},
        {"cfr_max_seconds_per_flop": 1},
        {"cfr_variant": "dcfr"},
        {"max_flop_boards": 100},
        {"fixed_flops": ["AhKd7s"]},
        {"flop_subset": 100},
        {"mccfr_sampling": "external"},
        {"mccfr_sample_pct": 0.02},
        {"value_extraction_samples": 10},
        {"seed": 1},
    ],
    ids=str,
)
def test_whatever_changes_results_changes_the_digest(change):
    assert digest(**change) != digest()


@pytest.mark.parametrize(
    "change",
    [
        {"turn_buckets": 7},
        {"rebucket_iterations": 7},
        {"num_hand_buckets_flop": 7},
        {"num_hand_buckets_turn": 7},
        {"num_hand_buckets_river": 7},
        {"bucket_metric": "cramer"},
        {"rebucket_rounds": 3},
        {"rebucket_delta_threshold": 0.01},
        {"rebucket_warm_start": True},
        {"cfr_variant": "dcfr"},
        {"seed": 1},
    ],
    ids=str,
)
def test_whatever_changes_buckets_or_their_solve_changes_the_digest(change):
    bucketed = {"solve_type": "bucketed", "rebucket_rounds": 2}
    scope = "board" if change.keys() & {"turn_buckets", "rebucket_iterations"} else "street"
    bucketed |= {"bucket_scope": scope}
    assert digest(**(bucketed | change)) != digest(**bucketed)


@pytest.mark.parametrize("change", [{"exact_precision": 16}, {"seed": 1}], ids=str)
def test_whatever_changes_an_exact_solve_changes_its_digest(change):
    assert digest(solve_type="exact", **change) != digest(solve_type="exact")


def test_how_players_update_changes_the_digest():
    taking_turns = digest(solve_type="exhaustive")
    assert digest(solve_type="exhaustive", cfr_updates="simultaneous") != taking_turns


def test_the_digest_sees_the_draw_of_random_flops_but_no_comments():
    exhaustive = {"solve_type": "exhaustive", "max_flop_boards": 3}
    assert digest(**exhaustive, seed=1) != digest(**exhaustive, seed=2)
    texts = ("seed: 1 # one", "# x\nseed: 1")
    one, other = (FlopsConfig.parse(parse_yaml(text)).digest_mapping() for text in texts)
    assert one == other


def test_the_digest_mapping_is_strict_json_even_with_infinite_exponents():
    mapping = FlopsConfig(solve_type="exhaustive").digest_mapping()
    assert json.loads(json.dumps(mapping, allow_nan=False)) == mapping
    assert mapping["cfr_variant"] == {"alpha": 1.5, "beta": "-inf", "gamma": 4.0}
