import pytest

from runout.cfr.discounting import DCFR_JOINT, LINEAR
from runout.config.joint import JointConfig
from runout.config.load import load_run_config
from runout.errors import ConfigError
from runout.trees.bet_sizing import PotFraction

SAMPLE = """
preflop: {stacks_bb: 25}
method: joint
postflop_model: {solve_type: exact, bet_sizes: [0.5], flop_subset: 8}
"""


def read(more="", text=SAMPLE):
    return load_run_config(text + more)


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
    assert {bets_on_the_flop(of_pot) for of_pot in rules.values()} == {(PotFraction(0.5),)}


def test_a_type_of_pot_may_have_sizes_of_its_own_by_street():
    config = read("joint: {reraised: {bet_sizes: {flop: [0.33], turn: [1.0], river: [1.0]}}}")
    rules = config.joint_settings.betting_rules(config.postflop_model)
    assert bets_on_the_flop(rules["reraised"]) == (PotFraction(0.33),)
    assert bets_on_the_flop(rules["raised"]) == (PotFraction(0.5),)


def test_a_config_reads_back_as_the_same_config():
    config = read("joint: {flops_per_iteration: 4, limped: {max_raises_per_street: 0}}")
    assert load_run_config(config.to_yaml()) == config


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
        ("ranges_rounds: 2", "ranges_rounds: 2 is for method: two_phase"),
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
    config = load_run_config("preflop: {preset: pushfold}\nmethod: joint\n")
    assert config.joint_settings == JointConfig()
