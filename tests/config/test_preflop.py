"""Tests of `runout.config.run`."""

import math
import pickle
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from runout.config.flops import (
    FLOP_SELECTIONS,
    BucketedConfig,
    CompactConfig,
    FlopsConfig,
)
from runout.config.run import PreflopConfig
from runout.config.yaml_text import format_yaml, parse_yaml
from runout.errors import ConfigError
from runout.storage.bundle import digest_config
from runout.trees.betting import PreflopRules
from runout.trees.sizes import Sizes
from runout.trees.tree import MAX_PREFLOP_NODES, PreflopTree
from tests.samples.preflop_rules import (
    limp_fold_rules,
    push_fold_rules,
    standard_rules_25bb,
    standard_rules_100bb,
)

deterministic = settings(derandomize=True, deadline=None)
NAN, INF = math.nan, math.inf

DEPTHS = st.lists(
    st.lists(st.sampled_from(["2bb", "2.5bb", "1.0p", "3x", "allin", "0.75p"]), max_size=2),
    max_size=3,
)
KEYS = st.fixed_dictionaries(
    {},
    optional={
        "preset": st.sampled_from(sorted(PreflopConfig.presets)),
        "stacks_bb": st.floats(2, 50) | st.lists(st.floats(2, 50), min_size=2, max_size=2),
        "small_blind_bb": st.floats(0, 0.9),
        "big_blind_bb": st.floats(1, 2),
        "ante_bb": st.floats(0, 0.5),
        "raise_sizes": DEPTHS | st.fixed_dictionaries({"sb": DEPTHS, "bb": DEPTHS}),
        "raise_cap": st.integers(1, 3),
        "always_offer_all_in": st.booleans(),
        "force_all_in_threshold": st.floats(0, 2),
    },
)


def parse(text):
    return PreflopConfig.parse(parse_yaml(text))


def problem_of(raw):
    with pytest.raises(ConfigError) as caught:
        PreflopConfig.parse(raw)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def digest(**keys):
    return digest_config(PreflopConfig.parse(keys).digest_mapping())


# --- What a config turns into ---------------------------------------------------------------------


def test_defaults_are_the_documented_ones():
    assert PreflopConfig().to_mapping() == {
        "stacks_bb": 25.0,
        "small_blind_bb": 0.5,
        "big_blind_bb": 1.0,
        "ante_bb": 0.0,
        "raise_sizes": [["2.5bb"], ["3x"], ["allin"]],
        "raise_cap": 4,
        "allow_limp": True,
        "always_offer_all_in": True,
        "force_all_in_threshold": 0.0,
    }
    sizes = [["2.5bb"], ["3x"], ["allin"]]
    assert PreflopConfig().rules() == PreflopRules.parse(25.0, sizes, raise_cap=4)


def test_every_key_reaches_the_rules():
    config = parse(
        "stacks_bb: [30, 40]\nsmall_blind_bb: 0.4\nbig_blind_bb: 2\nante_bb: 0.1\n"
        "raise_sizes: {sb: [2bb], bb: [[4bb, 1.0p], 3x]}\nraise_cap: 3\nallow_limp: false\n"
        "always_offer_all_in: false\nforce_all_in_threshold: 0.25\n"
    )
    assert config.rules() == PreflopRules.parse(
        (30.0, 40.0),
        {"sb": ["2bb"], "bb": [["4bb", "1.0p"], "3x"]},
        small_blind_bb=0.4,
        big_blind_bb=2.0,
        ante_bb=0.1,
        raise_cap=3,
        allow_limp=False,
        always_offer_all_in=False,
        force_all_in_threshold=0.25,
    )
    assert parse("raise_cap: null").rules().raise_cap is None


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        ("hu_25bb", standard_rules_25bb()),
        ("hu_100bb", standard_rules_100bb()),
        ("pushfold", push_fold_rules(10.0)),
        ("limpfold", limp_fold_rules(10.0)),
    ],
)
def test_presets_are_the_games_of_the_same_name(name, rules):
    assert PreflopConfig.parse({"preset": name}).rules() == rules


def test_there_are_four_presets():
    depths = [f"hu_{depth}bb" for depth in (10, 15, 20, 25, 40, 50, 75, 100, 150, 200)]
    assert list(PreflopConfig.presets) == [*depths, "pushfold", "limpfold"]


def test_a_preset_fills_in_what_is_not_given():
    config = parse("{preset: pushfold, stacks_bb: [8, 12], ante_bb: 0.125}")
    assert config.rules() == push_fold_rules((8.0, 12.0), ante_bb=0.125)
    assert parse("{preset: hu_25bb, raise_cap: null}").raise_cap is None


def test_the_tree_is_that_of_the_rules():
    config = parse("preset: hu_100bb")
    assert config.tree.num_nodes == PreflopTree.build(standard_rules_100bb()).num_nodes
    assert not parse("preset: pushfold").tree.flop_leaves()
    assert [leaf.path for leaf in parse("preset: limpfold").tree.flop_leaves()] == ["c:x"]


def test_a_config_cannot_be_changed_and_can_be_sent_to_workers():
    config = parse("{preset: hu_25bb, stacks_bb: [20, 30]}")
    with pytest.raises(ValidationError, match="frozen"):
        config.raise_cap = 3
    copy = pickle.loads(pickle.dumps(config))
    assert (copy, hash(copy)) == (config, hash(config))


def test_python_code_takes_the_forms_of_yaml():
    config = PreflopConfig(stacks_bb=20, raise_sizes="2bb; 3x")
    assert config == parse("{stacks_bb: 20.0, raise_sizes: [2bb, 3x]}")
    assert PreflopConfig(raise_sizes=config.raise_sizes).raise_sizes == config.raise_sizes
    with pytest.raises(ValidationError, match="2 has no unit"):
        PreflopConfig(raise_sizes=[2])


# --- What is not allowed --------------------------------------------------------------------------

STACKS = "a positive number of big blinds up to 100,000, or a list [sb, bb] of two"


@pytest.mark.parametrize(
    ("key", "values"),
    [
        ("small_blind_bb", [-1, True, "1", None, NAN]),
        ("big_blind_bb", [0, -1, True, "1", None, INF]),
        ("ante_bb", [-0.1, 10.5, True, "1", None, INF]),
        ("raise_cap", [-1, 101, 1.0, True, "1"]),
        ("allow_limp", [0, 1, "yes", None]),
        ("always_offer_all_in", [0, "on", None]),
        ("force_all_in_threshold", [-1, True, None, INF, NAN]),
    ],
)
def test_numbers_out_of_range_and_other_types_are_refused(key, values):
    for value in values:
        problem = problem_of({key: value})
        assert problem.startswith(f"{key}: ")
        assert re.search(
            r" is not (a|one of|true)| should be (a finite|(greater|less) than.* \d)", problem
        )


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        ({"stacks_bb": -3}, f"stacks_bb: -3 is not {STACKS}"),
        ({"stacks_bb": [25, 0]}, "stacks_bb[1]: 0 should be greater than 0"),
        (
            {"raise_sizes": [["2bb", "1x"]]},
            "raise_sizes[0][1]: '1x' is not a raise, the factor must be above 1",
        ),
        (
            {"raise_sizes": {"sb": ["2bb"], "bb": [2]}},
            "raise_sizes.bb[0]: 2 has no unit, write 2bb for big blinds, 2p for pots",
        ),
        (
            {"small_blind_bb": 1},
            "small_blind_bb: 1 is not 0 or more and less than the big blind 1",
        ),
        ({"stack_bb": 25}, "stack_bb: unknown key, did you mean stacks_bb?"),
        ({"presets": "pushfold"}, "presets: unknown key, did you mean preset?"),
        (
            {"preset": "push_fold"},
            "preset: 'push_fold' is not one of hu_10bb, hu_15bb, hu_20bb, hu_25bb, hu_40bb, "
            "hu_50bb, hu_75bb, hu_100bb, hu_150bb, hu_200bb, pushfold, limpfold, "
            "did you mean pushfold?",
        ),
        (
            {"ante_bb": -1, "raise_cap": -1},
            "ante_bb: -1 should be greater than or equal to 0; 1 more error",
        ),
    ],
)
def test_errors_name_the_path_and_what_is_allowed(raw, problem):
    assert problem_of(raw) == f"{problem}"


def test_a_game_in_which_nothing_can_be_done_is_refused():
    raw = {"allow_limp": False, "raise_sizes": [], "always_offer_all_in": False}
    assert problem_of(raw) == "config: SB can only fold, allow limps, raises or all-in"


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        ({"stacks_bb": 0.3}, "stacks_bb: 0.3 is gone when blinds and antes are posted"),
        ({"stacks_bb": [100, 0.5]}, "stacks_bb: 0.5 is gone when blinds and antes are posted"),
        ({"ante_bb": 10, "stacks_bb": 8}, "stacks_bb: 8 is gone when blinds and antes are posted"),
    ],
)
def test_a_game_without_a_decision_is_refused(raw, problem):
    assert problem_of(raw).startswith(f"{problem}, ")


def test_a_tree_that_is_too_large_is_refused():
    raw = {"stacks_bb": 1000, "raise_cap": None, "raise_sizes": [["1.1x", "1.5x", "2x", "3x"]]}
    assert problem_of(raw) == (
        f"config: more than {MAX_PREFLOP_NODES:,} nodes, allow fewer actions"
    )


# --- Round trips and digests ----------------------------------------------------------------------


@settings(deterministic, max_examples=50)
@given(KEYS)
def test_a_config_survives_its_text_and_its_mapping(keys):
    keys = keys | {"allow_limp": True}  # otherwise there may be nothing to do
    config = PreflopConfig.parse(keys)
    assert PreflopConfig.parse(config.to_mapping()) == config
    restored = parse(format_yaml(config.to_mapping()))
    assert restored == config
    assert restored.rules() == config.rules()
    assert digest_config(restored.digest_mapping()) == digest_config(config.digest_mapping())


@settings(deterministic, max_examples=200)
@given(
    st.sampled_from(sorted([*PreflopConfig.model_fields, "preset"])),
    st.recursive(
        st.none() | st.booleans() | st.integers(-9, 99) | st.floats() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
        max_leaves=5,
    ),
)
def test_nothing_but_a_config_error_ever_comes_out(key, value):
    config, refusal = None, None
    try:
        config = PreflopConfig.parse({key: value})
    except ConfigError as error:
        refusal = error
    if config is None:
        assert refusal.where.startswith(("config", key))
        assert "\n" not in str(refusal)
    else:
        assert PreflopConfig.parse(config.to_mapping()) == config


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"stacks_bb": 25}, {"stacks_bb": [40, 25]}),
        ({"preset": "pushfold"}, {"preset": "pushfold", "stacks_bb": 10, "ante_bb": 0}),
        ({"raise_sizes": "2bb; 3x"}, {"raise_sizes": {"sb": ["2bb", "3x"], "bb": "2bb; 3x; 3x"}}),
    ],
)
def test_configs_that_mean_the_same_have_the_same_digest(one, other):
    assert digest(**one) == digest(**other)


@pytest.mark.parametrize(
    "change",
    [
        {"preset": "hu_25bb"},
        {"stacks_bb": 24},
        {"small_blind_bb": 0.4},
        {"big_blind_bb": 2},
        {"ante_bb": 0.1},
        {"raise_sizes": [["2bb"], ["3x"], ["allin"]]},
        {"raise_cap": None},
        {"allow_limp": False},
        {"always_offer_all_in": False},
        {"force_all_in_threshold": 0.5},
    ],
    ids=str,
)
def test_whatever_changes_results_changes_the_digest(change):
    assert digest(**change) != digest()


NAMES = ["fast", "medium", "standard", "accurate"]


def test_there_are_four_presets_from_fast_to_accurate():
    assert list(FlopsConfig.presets) == NAMES


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
    config = FlopsConfig(preset=name)
    assert config.flop_subset == len(config.flop_list()) == flops
    assert config.cfr_exploitability_threshold == threshold
    assert config.bet_sizes == Sizes.parse(sizes)
    assert config.max_raises_per_street == raises


@pytest.mark.parametrize(
    ("name", "buckets"),
    [
        ("fast", (96, 32)),
        ("medium", (96, 48)),
        ("standard", (192, 64)),
        ("accurate", (192, 96)),
    ],
)
def test_presets_have_buckets_of_boards_for_the_bucketed_backend_alone(name, buckets):
    config = BucketedConfig(preset=name)
    assert (config.turn_buckets, config.river_buckets) == buckets
    assert CompactConfig(preset=name).turn_buckets is None


def test_a_slower_preset_is_never_less_accurate():
    configs = [BucketedConfig(preset=name) for name in NAMES]
    iterations = [config.postflop_solve_iterations for config in configs]
    thresholds = [FlopsConfig(preset=name).cfr_exploitability_threshold for name in NAMES]
    assert iterations == sorted(set(iterations))
    for key in ("turn_buckets", "river_buckets"):
        buckets = [getattr(config, key) for config in configs]
        assert buckets == sorted(buckets)
    assert thresholds == sorted(thresholds, reverse=True)


@pytest.mark.parametrize("name", NAMES)
def test_presets_of_buckets_of_boards_end_after_as_many_iterations_with_any_seed(name):
    assert BucketedConfig(preset=name).cfr_exploitability_threshold is None
    given = BucketedConfig(preset=name, cfr_exploitability_threshold=0.01)
    assert given.cfr_exploitability_threshold == 0.01
    for key, value in (("bucket_scope", "street"), ("num_hand_buckets_turn", 40)):
        shared, others = BucketedConfig(preset=name, **{key: value}), FlopsConfig(preset=name)
        assert shared.stopping_rule() == others.stopping_rule()


@pytest.mark.parametrize("name", NAMES)
def test_presets_leave_all_other_keys_at_their_defaults(name):
    preset = FlopsConfig(preset=name).to_mapping()
    default = FlopsConfig().to_mapping()
    assert {key for key in default if preset[key] != default[key]} <= FlopsConfig.presets[
        name
    ].keys()


@pytest.mark.parametrize("name", NAMES)
def test_the_key_preset_fills_in_what_is_not_given(name):
    config = FlopsConfig.parse({"preset": name, "bet_sizes": [2.0], "seed": 7})
    expected = FlopsConfig(preset=name).to_mapping() | {"bet_sizes": ["200%"], "seed": 7}
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
    config = FlopsConfig.parse({"preset": "fast"} | selection)
    plain = FlopsConfig.parse(selection)
    for key in FLOP_SELECTIONS:
        assert getattr(config, key) == getattr(plain, key)
    assert config.postflop_solve_iterations == 200
