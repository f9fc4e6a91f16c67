import json
import pickle
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from runout.cfr.schedules import CFR_PLUS, DCFR_PLUS, VARIANTS, StoppingRule
from runout.config.flops import FlopsConfig
from runout.config.load import parse_config
from runout.config.run import PreflopConfig, RunConfig
from runout.errors import ConfigError
from runout.storage.bundle import digest_config
from tests.samples.preflop_rules import standard_rules_25bb

deterministic = settings(derandomize=True, deadline=None)

MODEL = {"fixed_flops": ["AhKd7s"], "solve_type": "exhaustive"}
RUN = {"preflop": {"preset": "hu_25bb"}, "postflop_model": MODEL}
PUSHFOLD = {"preflop": {"preset": "pushfold"}}


def parse(**keys):
    return RunConfig.parse(RUN | keys)


def problem_of(raw):
    with pytest.raises(ConfigError) as caught:
        RunConfig.parse(raw)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def digest(**keys):
    return digest_config(parse(**keys).digest_mapping())


# --- What a config turns into ---------------------------------------------------------------------


def test_defaults_are_the_documented_ones():
    mapping = RunConfig.parse(PUSHFOLD).to_mapping()
    assert mapping.pop("preflop") == PreflopConfig(preset="pushfold").to_mapping()
    assert mapping == {
        "method": "two_phase",
        "iterations": 10000,
        "preflop_exploitability_threshold_mbb": 0.5,
        "cfr_variant": None,
        "print_every": 0,
        "checkpoint_every": 1,
        "flop_values": "solved",
        "postflop_model": None,
        "postflop_model_path": None,
        "joint": None,
    }


def test_sections_are_typed():
    config = parse()
    assert config.preflop.rules() == standard_rules_25bb()
    assert config.postflop_model == FlopsConfig(**MODEL)
    assert config.postflop_model.postflop_sprs == (3.5,)
    assert RunConfig(preflop=PreflopConfig(preset="pushfold")) == RunConfig.parse(PUSHFOLD)


def test_ratios_may_be_those_of_the_preflop_tree():
    model = parse(postflop_model=MODEL | {"postflop_sprs": "auto"}).postflop_model
    assert model.postflop_sprs is None
    assert model.with_sprs([12, 4.5]).postflop_sprs == (12.0, 4.5)


def test_the_stopping_rule_is_in_big_blinds():
    config = parse(iterations=7, preflop_exploitability_threshold_mbb=2)
    assert config.stopping_rule() == StoppingRule(7, exploitability=0.002, check_every=25)
    off = parse(preflop_exploitability_threshold_mbb=None)
    assert off.stopping_rule() == StoppingRule(10_000, check_every=25)


@pytest.mark.parametrize("name", VARIANTS)
def test_every_variant_can_be_selected(name):
    assert parse(cfr_variant=name).schedule() == VARIANTS[name]


def test_a_variant_may_be_given_by_its_exponents():
    exponents = {"alpha": CFR_PLUS.alpha, "beta": CFR_PLUS.beta, "gamma": CFR_PLUS.gamma}
    assert parse(cfr_variant=exponents).schedule() == CFR_PLUS
    assert parse().schedule() == DCFR_PLUS


def test_a_config_cannot_be_changed_and_can_be_sent_to_workers():
    config = parse(postflop_model=MODEL | {"postflop_sprs": "auto"})
    with pytest.raises(ValidationError, match="frozen"):
        config.iterations = 3
    copy = pickle.loads(pickle.dumps(config))
    assert (copy, hash(copy)) == (config, hash(config))


# --- Where the values of flops come from ----------------------------------------------------------


def test_flops_need_one_model():
    assert parse().needs_flop_values
    with_path = RunConfig.parse({"preflop": {}, "postflop_model_path": "runs/spr"})
    assert with_path.postflop_model_path == Path("runs/spr")
    assert problem_of({"preflop": {}}) == (
        "config: has no postflop_model and no postflop_model_path, give one of them, "
        "or write flop_values: raw_equity"
    )
    assert problem_of(RUN | {"postflop_model_path": "runs/spr"}) == (
        "postflop_model_path: given together with postflop_model, give only one of them"
    )


def test_raw_equity_and_games_without_flops_need_no_model():
    raw_equity = {"preflop": {}, "flop_values": "raw_equity"}
    for keys in (raw_equity, PUSHFOLD, raw_equity | {"postflop_model": MODEL}):
        assert not RunConfig.parse(keys).needs_flop_values
    assert "give only one of them" in problem_of(
        raw_equity | {"postflop_model": MODEL, "postflop_model_path": "x"}
    )


@pytest.mark.parametrize("keys", [RUN, PUSHFOLD])
def test_rounds_with_arriving_ranges_say_what_replaces_them(keys):
    assert problem_of(keys | {"ranges_rounds": 2, "ranges_damping": 0.5}) == (
        "ranges_rounds: flops are not solved in rounds of ranges, write 0 and method: joint"
    )


# --- What is not allowed --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "values"),
    [
        ("iterations", [0, -1, 10.0, True, None, "9"]),
        ("preflop_exploitability_threshold_mbb", [0, -1, True, "1"]),
        ("print_every", [-1, 1.5, True, None]),
        ("checkpoint_every", [0, -1, 1.5, True, None]),
        ("flop_values", ["equity", 3, None, True]),
        ("postflop_model_path", ["", "  ", 3, True, ["x"]]),
        ("preflop", [None, 3, "hu_25bb", []]),
        ("postflop_model", [3, "fast", []]),
    ],
)
def test_values_out_of_range_and_other_types_are_refused(key, values):
    for value in values:
        problem = problem_of(RUN | {key: value})
        assert problem.startswith(f"{key}: ")
        assert re.search(
            r" is not (a|one of|true)| should be (a finite|(greater|less) than.* \d)", problem
        )


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        ({"cfr_variant": "dfcr"}, "cfr_variant: 'dfcr' is not one of vanilla, linear, cfr+, dcfr,"),
        ({"cfr_variant": {"alpha": 1}}, "cfr_variant: beta is missing; 1 more error"),
        ({"flop_values": "raw"}, "flop_values: 'raw' is not one of solved, raw_equity, did you me"),
        ({"iteration": 3}, "iteration: unknown key, did you mean iterations?"),
        ({"Preflop": {}}, "Preflop: unknown key, did you mean preflop?"),
        ({"xyz": 3}, "xyz: unknown key, allowed are preflop, method, iterations, "),
        ({"stacks_bb": 25}, "stacks_bb: unknown key, write it below preflop:"),
        ({"bet_sizes": [1]}, "bet_sizes: unknown key, write it below postflop_model:"),
        ({"postflop_spr": 3}, "postflop_spr: unknown key, write it below postflop_model:"),
        (
            {"preset": "fast"},
            "preset: unknown key, write it below preflop: or below postflop_model:",
        ),
        ({"preflop": {"stacks_bb": 0}}, "preflop.stacks_bb: 0 is not a positive number of big bl"),
        (
            {"preflop": {"raise_sizes": [["2bb", "b"]]}},
            "preflop.raise_sizes[0][1]: 'b' is not a raise size, write 2.5bb (big blinds)",
        ),
        (
            {"preflop": {"small_blind_bb": 2}},
            "preflop.small_blind_bb: 2 is not 0 or more and less than the big blind 1",
        ),
        ({"preflop": {"preset": "hu"}}, "preflop.preset: 'hu' is not one of hu_10bb, hu_15bb, "),
        (
            {"preflop": {"iterations": 3}},
            "preflop.iterations: unknown key, write it at the top of the file",
        ),
        (
            {"postflop_model": {"bet_sizes": [0.5, -0.5]}},
            "postflop_model.bet_sizes[1]: -0.5 is not a positive pot fraction",
        ),
        (
            {"postflop_model": {"postflop_sprs": ["auto"]}},
            "postflop_model.postflop_sprs[0]: 'auto' is not a number",
        ),
        (
            {"postflop_model": {"flop_subset": 25, "max_flop_boards": 3}},
            "postflop_model.flop_subset: given together with max_flop_boards, give at most one",
        ),
        (
            {"postflop_model": {"solve_type": "bucketed", "rebucket_rounds": 0}},
            "postflop_model.rebucket_rounds: 0 should be greater than or equal to 1",
        ),
        (
            {"postflop_model": {"rebucket_rounds": 2}},
            "postflop_model.rebucket_rounds: needs solve_type: bucketed",
        ),
    ],
)
def test_errors_name_the_path_and_what_is_allowed(keys, problem):
    assert problem_of(RUN | keys).startswith(problem)


def test_a_run_has_a_preflop_game():
    assert problem_of({"postflop_model": MODEL}) == "config: preflop is missing"


# --- Round trips and digests ----------------------------------------------------------------------

KEYS = st.fixed_dictionaries(
    {},
    optional={
        "preflop": st.sampled_from([{}, {"preset": "hu_100bb"}, {"stacks_bb": [20, 30]}]),
        "postflop_model": st.sampled_from(
            [
                MODEL,
                {"preset": "fast", "postflop_sprs": "auto"},
                {"bet_sizes": {"oop": [1], "ip": [2]}},
            ]
        ),
        "iterations": st.integers(1),
        "preflop_exploitability_threshold_mbb": st.none() | st.floats(1e-9, 1e9),
        "cfr_variant": st.sampled_from([*sorted(VARIANTS), {"alpha": 2, "beta": 0.5, "gamma": 3}]),
        "print_every": st.integers(0),
        "checkpoint_every": st.integers(1),
    },
)


@settings(deterministic, max_examples=50)
@given(KEYS)
def test_a_config_survives_its_text_and_its_mapping(keys):
    config = parse(**keys)
    restored = parse_config(config.to_yaml(), RunConfig)
    assert restored == config
    assert restored.to_yaml() == config.to_yaml()
    assert RunConfig.parse(config.to_mapping()) == config
    assert digest_config(restored.digest_mapping()) == digest_config(config.digest_mapping())


@pytest.mark.parametrize("keys", [{"flop_values": "raw_equity"}, {"postflop_model_path": "a/b"}])
def test_a_config_without_a_model_survives_its_text(keys):
    config = RunConfig.parse({"preflop": {}} | keys)
    assert parse_config(config.to_yaml(), RunConfig) == config


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({}, {"print_every": 10, "checkpoint_every": 5}),
        ({}, {"ranges_rounds": 0, "ranges_damping": 1.0, "ranges_tolerance": 0.1}),
        ({"cfr_variant": "dcfr+"}, {"cfr_variant": DCFR_PLUS}),
        ({}, {"cfr_variant": "dcfr+"}),
        ({"preflop": {"preset": "hu_25bb"}}, {"preflop": {"preset": "hu_25bb", "ante_bb": 0}}),
        ({}, {"postflop_model": MODEL | {"seed": 3}}),
        ({"flop_values": "raw_equity"}, {"flop_values": "raw_equity", "postflop_model": None}),
        (PUSHFOLD, PUSHFOLD | {"flop_values": "raw_equity", "postflop_model": None}),
    ],
)
def test_configs_that_mean_the_same_have_the_same_digest(one, other):
    assert digest(**one) == digest(**other)


@pytest.mark.parametrize(
    "change",
    [
        {"preflop": {"preset": "hu_25bb", "stacks_bb": 24}},
        {"iterations": 1},
        {"preflop_exploitability_threshold_mbb": None},
        {"cfr_variant": "dcfr"},
        {"flop_values": "raw_equity"},
        {"postflop_model": MODEL | {"postflop_sprs": "auto"}},
        {"postflop_model": None, "postflop_model_path": "runs/spr"},
    ],
    ids=str,
)
def test_whatever_changes_results_changes_the_digest(change):
    assert digest(**change) != digest()


def test_the_digest_mapping_is_strict_json():
    for mapping in (parse().digest_mapping(), RunConfig.parse(PUSHFOLD).digest_mapping()):
        assert json.loads(json.dumps(mapping, allow_nan=False)) == mapping
