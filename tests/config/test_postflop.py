"""Tests of `runout.config.flops`."""

import math
import pickle
import re

import pytest
from pydantic import ValidationError

from runout.cards.deck import format_cards
from runout.cards.flops import SHIPPED_SUBSET_SIZES, all_flops, random_flops, subset_flops
from runout.cfr.schedules import CFR_PLUS, DCFR_JOINT, DCFR_PLUS, LINEAR, VARIANTS, StoppingRule
from runout.config.flops import BACKENDS, ExactConfig, FlopsConfig, JointConfig
from runout.config.load import parse_config
from runout.config.run import RunConfig
from runout.config.yaml_text import parse_yaml
from runout.errors import ConfigError
from runout.trees.betting import BettingRules
from runout.trees.sizes import BetSize
from runout.trees.tree import PostflopTree

SAMPLE = """
preflop: {stacks_bb: 25}
method: joint
postflop_model: {solve_type: exact, bet_sizes: [0.5], flop_subset: 8}
"""


def read(more="", text=SAMPLE):
    return parse_config(text + more, RunConfig)


def problem_with(more, text=SAMPLE):
    with pytest.raises(ConfigError) as caught:
        read(more, text)
    return str(caught.value)


def bets_on_the_flop(rules):
    return rules.menus[0][0].bets


def test_every_pot_has_the_sizes_of_the_model_by_default():
    config = read()
    rules = config.joint_settings.betting_rules(config.postflop_model)
    assert set(rules) == {"limped", "raised", "reraised"}
    assert {bets_on_the_flop(of_pot) for of_pot in rules.values()} == {(BetSize("%", 0.5),)}


def test_a_type_of_pot_may_have_sizes_of_its_own_by_street():
    config = read("joint: {reraised: {bet_sizes: {flop: [0.33], turn: [1.0], river: [1.0]}}}")
    rules = config.joint_settings.betting_rules(config.postflop_model)
    assert bets_on_the_flop(rules["reraised"]) == (BetSize("%", 0.33),)
    assert bets_on_the_flop(rules["raised"]) == (BetSize("%", 0.5),)


def test_a_config_reads_back_as_the_same_config():
    config = read("joint: {flops_per_iteration: 4, limped: {max_raises_per_street: 0}}")
    assert parse_config(config.to_yaml(), RunConfig) == config


def test_when_a_solve_ends_does_not_decide_what_its_iterations_do():
    short, long = read("iterations: 5\n"), read("joint: {max_seconds: 9}\niterations: 50\n")
    assert short.game_mapping() == long.game_mapping()
    assert short.digest_mapping() != long.digest_mapping()


@pytest.mark.parametrize(
    "more",
    [
        "joint: {raised: {bet_sizes: [0.75]}}",
        "joint: {raised: {max_raises_per_street: 3}}",
        "joint: {flops_per_iteration: 3}",
        "cfr_variant: dcfr4",
    ],
)
def test_what_decides_an_iteration_is_in_the_mapping_of_the_game(more):
    assert read(more).game_mapping() != read().game_mapping()


def test_the_time_limit_is_one_of_the_stopping_rule():
    assert read("joint: {max_seconds: 60}").stopping_rule().max_seconds == 60
    assert read().stopping_rule().max_seconds is None


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ("flop_values: raw_equity", "flop_values: raw_equity is for method: two_phase"),
        ("ranges_rounds: 2", "ranges_rounds: flops are not solved in rounds of ranges"),
        ("joint: {flops_per_iteration: 9}", "joint.flops_per_iteration: 9, but there are 8 flops"),
        ("joint: {raised: {bet_sizes: [-1]}}", "joint.raised.bet_sizes"),
        ("keep_rivers: false", "keep_rivers: unknown key, write it below joint:"),
    ],
)
def test_what_cannot_be_solved_jointly_is_refused(more, problem):
    assert problem in problem_with(more)


def test_backends_that_do_not_tell_combos_apart_cannot_be_played_with_preflop():
    text = SAMPLE.replace("exact", "exhaustive")
    assert "exhaustive cannot be played with preflop, use compact or exact" in problem_with(
        "", text
    )


def test_a_joint_game_has_one_cfr_variant_for_all_streets():
    text = SAMPLE.replace("exact,", "exact, cfr_variant: dcfr4,")
    assert "postflop_model.cfr_variant: write it outside" in problem_with("", text)
    assert read().schedule() == DCFR_JOINT
    assert read("cfr_variant: linear").schedule() == LINEAR


def test_the_section_is_refused_with_the_other_method():
    text = SAMPLE.replace("method: joint", "method: two_phase")
    assert "joint: given, but method is two_phase" in problem_with(
        "joint: {keep_rivers: true}", text
    )


def test_a_game_without_flops_needs_no_model():
    config = parse_config("preflop: {preset: pushfold}\nmethod: joint\n", RunConfig)
    assert config.joint_settings == JointConfig()


def parse(text):
    return FlopsConfig.parse(parse_yaml(text))


def problem_of(raw):
    with pytest.raises(ConfigError) as caught:
        FlopsConfig.parse(raw)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# --- Defaults, and forms of keys ------------------------------------------------------------------


def test_postflop_sprs_default_to_a_single_value():
    assert FlopsConfig(preset="standard").postflop_sprs == (3.5,)


def test_a_scalar_postflop_spr_is_a_list_of_one():
    assert parse("postflop_spr: 4.0").postflop_sprs == (4.0,)
    assert parse("postflop_sprs: 4").postflop_sprs == (4.0,)


def test_a_list_of_postflop_sprs_is_read():
    assert parse("postflop_sprs: [3.5, 6.0]").postflop_sprs == (3.5, 6.0)


def test_the_primary_spr_is_the_first():
    assert parse("postflop_sprs: [6.0, 3.5]").sprs[0] == 6.0


def test_ratios_may_wait_for_a_preflop_tree_that_sets_them():
    auto = FlopsConfig.parse({"postflop_sprs": "auto", "seed": 3})
    assert auto.postflop_sprs is None
    assert auto.to_mapping()["postflop_sprs"] == auto.digest_mapping()["postflop_sprs"] == "auto"
    assert auto == FlopsConfig(postflop_sprs="auto", seed=3) != FlopsConfig(seed=3)
    config = auto.with_sprs([12, 4.5])
    assert config.postflop_sprs is not None
    assert config == parse("{postflop_sprs: [12, 4.5], seed: 3}")
    assert pickle.loads(pickle.dumps(auto)) == auto


def test_no_ratio_can_be_read_before_it_is_set():
    auto = FlopsConfig(postflop_sprs="auto")
    with pytest.raises(
        ConfigError, match="postflop_sprs: 'auto' needs the preflop tree of a run config"
    ):
        list(auto.sprs)
    with pytest.raises(ValidationError, match="-1 should be greater than 0"):
        auto.with_sprs([-1])
    with pytest.raises(ValidationError, match="empty, give a list of at least one value"):
        auto.with_sprs([])


def test_the_threshold_of_early_stopping_defaults_to_a_thousandth():
    assert FlopsConfig(preset="standard").cfr_exploitability_threshold == 0.001


def test_a_changed_key_survives_the_round_trip():
    config = FlopsConfig(preset="fast").model_copy(update={"postflop_solve_iterations": 3})
    assert parse_config(config.to_yaml(), FlopsConfig).postflop_solve_iterations == 3


def test_the_solve_type_defaults_to_mccfr():
    assert FlopsConfig().solve_type == "mccfr"
    assert parse("solve_type: exhaustive").solve_type == "exhaustive"


@pytest.mark.parametrize("solve_type", BACKENDS)
def test_every_backend_can_be_chosen(solve_type):
    assert parse(f"solve_type: {solve_type}").solve_type == solve_type


@pytest.mark.parametrize("solve_type", BACKENDS)
def test_constructing_reading_and_validating_give_the_class_of_the_backend(solve_type):
    kind = BACKENDS[solve_type]
    assert kind.model_fields["solve_type"].default == solve_type
    keys = {"solve_type": solve_type}
    made = FlopsConfig(**keys)
    assert type(made) is kind
    assert made == kind() == FlopsConfig.parse(keys)
    assert pickle.loads(pickle.dumps(made)) == made


def test_a_key_of_another_backend_is_an_error_that_names_it():
    assert problem_of({"rebucket_rounds": 2}) == (
        "postflop_model.rebucket_rounds: needs solve_type: bucketed"
    )
    assert problem_of({"solve_type": "bucketed", "cfr_strategy_delta_threshold": 0.01}) == (
        "postflop_model.cfr_strategy_delta_threshold: needs solve_type: mccfr or exhaustive"
    )
    with pytest.raises(ValidationError):
        FlopsConfig(exact_precision=16)
    with pytest.raises(ValidationError):
        ExactConfig(solve_type="mccfr")


# --- What a config turns into ---------------------------------------------------------------------


def test_defaults_are_the_documented_ones():
    assert FlopsConfig().to_mapping() == {
        "solve_type": "mccfr",
        "bet_sizes": ["50%", "100%"],
        "raise_sizes": None,
        "max_raises_per_street": 1,
        "postflop_sprs": [3.5],
        "postflop_solve_iterations": 500,
        "cfr_exploitability_threshold": 0.001,
        "cfr_max_seconds_per_flop": None,
        "cfr_variant": None,
        "max_flop_boards": None,
        "fixed_flops": None,
        "flop_subset": None,
        "keep_strategies": True,
        "seed": 0,
        "cfr_strategy_delta_threshold": None,
        "mccfr_sampling": "public_chance",
        "mccfr_sample_fraction": 0.01,
        "value_extraction_samples": 0,
    }


def test_one_list_of_sizes_makes_uniform_rules():
    config = parse("{bet_sizes: [0.5, 33%], max_raises_per_street: 2}")
    assert config.betting_rules() == BettingRules.of([0.5, "33%"], 2)
    config = parse("{bet_sizes: [0.5], raise_sizes: [2.5x], max_raises_per_street: 0}")
    assert config.betting_rules() == BettingRules.of([0.5], 0, raise_sizes=["2.5x"])


def test_sizes_by_street_and_player_reach_the_menus():
    config = parse(
        "bet_sizes: {flop: [0.33], turn: {oop: [0.75], ip: [1]}, river: [2]}\n"
        "raise_sizes: {oop: [3x], ip: [1.0]}\n"
    )
    menus = config.betting_rules().menus
    bets = [[menu.bets[0].number for menu in street] for street in menus]
    assert bets == [[0.33, 0.33], [0.75, 1.0], [2.0, 2.0]]
    for oop, ip in menus:
        assert oop.raises == (BetSize("x", 3.0),)
        assert ip.raises == (BetSize("%", 1.0),)


def test_the_rules_build_the_tree_of_the_docs():
    config = parse("{bet_sizes: [0.5, 1.0], max_raises_per_street: 2, postflop_spr: 6}")
    tree = PostflopTree.build(config.betting_rules(), config.sprs[0])
    assert tree.num_nodes == 2233


def test_flops_are_all_of_them_unless_selected():
    assert FlopsConfig().flop_list() == all_flops()
    assert parse("{max_flop_boards: 7, seed: 3}").flop_list() == random_flops(7, 3)
    flops = parse("fixed_flops: [2c3h4d, AhKsQd]").flop_list()
    assert [len(flops), format_cards(flops.flops[1])[::2]] == [2, "AKQ"]


@pytest.mark.parametrize("size", SHIPPED_SUBSET_SIZES)
def test_every_shipped_subset_can_be_selected(size):
    assert FlopsConfig.parse({"flop_subset": size}).flop_list() == subset_flops(size)


def test_a_draw_of_a_subset_is_chosen_by_number():
    config = FlopsConfig.parse({"flop_subset": {"size": 100, "draw": 1}})
    assert config.flop_list() == subset_flops(100, 1) != subset_flops(100)
    assert FlopsConfig.parse(config.to_mapping()) == config
    assert config.to_mapping()["flop_subset"] == {"size": 100, "draw": 1}
    first = FlopsConfig.parse({"flop_subset": {"size": 100, "draw": 0}})
    assert first == FlopsConfig.parse({"flop_subset": 100})


@pytest.mark.parametrize("method", ["two_phase", "joint"])
def test_tables_have_16_bits_in_joint_games_unless_the_config_says_32(method):
    text = "preflop: {{preset: hu_25bb}}\nmethod: {}\npostflop_model: {{solve_type: compact{}}}"
    digests = [
        parse_config(text.format(method, given), RunConfig).digest_mapping()["postflop_model"]
        for given in ("", ", compact_precision: 32", ", compact_precision: 16")
    ]
    bits = [digest["compact_precision"] for digest in digests]
    assert bits == [16 if method == "joint" else 32, 32, 16]


@pytest.mark.parametrize("name", VARIANTS)
def test_every_variant_can_be_selected(name):
    assert FlopsConfig.parse({"cfr_variant": name}).schedule() == VARIANTS[name]


def test_a_variant_may_be_given_by_its_exponents():
    config = parse("cfr_variant: {alpha: .inf, beta: -.inf, gamma: 1}")
    assert config.schedule() == CFR_PLUS


def test_the_variant_follows_the_kind_of_solve_unless_it_is_given():
    assert parse("solve_type: mccfr").schedule() == LINEAR
    assert parse("solve_type: exhaustive").schedule() == DCFR_PLUS
    assert parse("solve_type: bucketed").schedule() == VARIANTS["dcfr6"]
    assert parse("solve_type: bucketed\nbucket_scope: street").schedule() == LINEAR
    assert parse("solve_type: bucketed\ncfr_variant: dcfr").schedule() == VARIANTS["dcfr"]
    assert parse("solve_type: exact").schedule() == VARIANTS["dcfr-spot"]
    assert parse("solve_type: mccfr\ncfr_variant: dcfr").schedule() == VARIANTS["dcfr"]


def test_the_stopping_rule_has_all_limits():
    config = parse(
        "postflop_solve_iterations: 7\ncfr_exploitability_threshold: 5e-3\n"
        "cfr_strategy_delta_threshold: 1e-4\ncfr_max_seconds_per_flop: 2\n"
    )
    assert config.stopping_rule() == StoppingRule(7, 2.0, 0.005, 0.0001)
    assert parse("cfr_exploitability_threshold: null").stopping_rule() == StoppingRule(500)


def test_a_config_cannot_be_changed_and_can_be_sent_to_workers():
    config = parse("bet_sizes: {flop: [1], turn: {oop: [1], ip: [2]}, river: [a]}")
    with pytest.raises(ValidationError, match="frozen"):
        config.seed = 3
    with pytest.raises(TypeError):
        config.bet_sizes[0] = (2.0,)
    copy = pickle.loads(pickle.dumps(config))
    assert (copy, hash(copy)) == (config, hash(config))


def test_python_code_gets_the_error_of_its_own_mistake():
    assert FlopsConfig(bet_sizes=[0.5], postflop_sprs=4) == parse(
        "{bet_sizes: [0.5], postflop_spr: 4}"
    )
    with pytest.raises(ValidationError, match="-1 is not a positive pot fraction"):
        FlopsConfig(bet_sizes=[1, -1])
    with pytest.raises(ValidationError):
        FlopsConfig.model_validate(3)


# --- What is not allowed --------------------------------------------------------------------------

RATIOS = "a positive stack-to-pot ratio, a list of different ones, or auto"
NAN, INF = math.nan, math.inf


@pytest.mark.parametrize(
    ("key", "values"),
    [
        ("max_raises_per_street", [-1, 101, 1.5, True, None, "1", [1]]),
        ("postflop_solve_iterations", [0, -1, 10.0, True, None, NAN]),
        ("cfr_exploitability_threshold", [0, -0.1, 1.5, True, "1", NAN, INF]),
        ("cfr_strategy_delta_threshold", [0, -0.1, 1.5, True, "1", NAN, INF]),
        ("cfr_max_seconds_per_flop", [0, -1, False, "1", NAN, INF]),
        ("max_flop_boards", [0, 1756, 2.0, True, "3"]),
        ("flop_subset", [0, 30, True, [25], {"size": 8, "draw": 1}, {"size": 100, "draws": 1}]),
        ("mccfr_sample_pct", [0, 0.0, -0.5, 1.01, 50, True, None, NAN, INF]),
        ("value_extraction_samples", [-1, 0.5, True, None]),
        ("seed", [-1, 0.5, False, None, "7"]),
    ],
)
def test_numbers_out_of_range_and_other_types_are_refused(key, values):
    for value in values:
        problem = problem_of({key: value})
        assert problem.startswith(f"postflop_model.{key}: ")
        assert re.search(
            r" is not (a|one of|true)| should be (a finite|(greater|less) than.* \d)", problem
        )


@pytest.mark.parametrize(
    ("key", "value", "nearest"),
    [
        ("solve_type", "exhausted", "exhaustive"),
        ("solve_type", "MCCFR", "mccfr"),
        ("solve_type", "buckets", "bucketed"),
        ("mccfr_sampling", "public-chance", "public_chance"),
        ("cfr_variant", "cfr++", "cfr+"),
        ("preset", "standart", "standard"),
    ],
)
def test_words_that_are_not_known_get_the_nearest(key, value, nearest):
    problem = problem_of({key: value})
    assert problem.startswith(f"postflop_model.{key}: {value!r} is not one of ")
    assert problem.endswith(f", did you mean {nearest}?")


@pytest.mark.parametrize("key", ["solve_type", "mccfr_sampling", "preset"])
@pytest.mark.parametrize("value", [3, True, None, ["mccfr"], "qqq"])
def test_words_of_another_type_are_refused(key, value):
    assert " is not one of " in problem_of({key: value})


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        ({"bet_sizes": [0.5, -0.5]}, "bet_sizes[1]: -0.5 is not a positive pot fraction"),
        ({"bet_sizes": []}, "bet_sizes: empty, give at least one bet size ('a' for all-in only)"),
        (
            {"raise_sizes": {"oop": [1], "ip": ["1x"]}},
            "raise_sizes.ip[0]: '1x' is not a raise, the factor must be above 1",
        ),
        ({"postflop_spr": 0}, f"postflop_spr: 0 is not {RATIOS}"),
        ({"postflop_sprs": [1, 0]}, "postflop_sprs[1]: 0 should be greater than 0"),
        (
            {"postflop_sprs": [1], "postflop_spr": 1},
            "postflop_spr: given together with its other name, give only one of them",
        ),
        ({"fixed_flops": ["AhKd7x"]}, "fixed_flops[0]: '7x': 'x' is not a suit, use one of cdhs"),
        (
            {"cfr_variant": {"alpha": 1, "beta": 1, "gamma": NAN}},
            "cfr_variant.gamma: .nan should be a finite number",
        ),
        ({"bet_size": [0.5]}, "bet_size: unknown key, did you mean bet_sizes?"),
        ({"Seed": 1}, "Seed: unknown key, did you mean seed?"),
        ({"presets": "fast"}, "presets: unknown key, did you mean preset?"),
        (
            {"seed": -1, "max_flop_boards": 0},
            "max_flop_boards: 0 should be greater than or equal to 1; 1 more error",
        ),
    ],
)
def test_errors_name_the_path_and_what_is_allowed(raw, problem):
    assert problem_of(raw) == f"postflop_model.{problem}"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"max_flop_boards": 3}, {"fixed_flops": ["AhKd7s"]}),
        ({"max_flop_boards": 3}, {"flop_subset": 25}),
        ({"fixed_flops": ["AhKd7s"]}, {"flop_subset": 25}),
    ],
)
def test_flops_are_selected_in_one_way(first, second):
    (one,), (other,) = first, second
    for extra in ({}, {"preset": "fast"}):
        assert problem_of(extra | second | first) == (
            f"postflop_model.{other}: given together with {one}, "
            "give at most one of max_flop_boards, fixed_flops, flop_subset"
        )
