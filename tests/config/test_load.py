from pathlib import Path

import pytest

from runout.config.load import (
    MAX_BYTES,
    load_postflop_config,
    load_run_config,
    load_spot_config,
    load_yaml,
    parse_postflop_config,
)
from runout.config.postflop import PostflopModelConfig
from runout.errors import ConfigError

SAMPLES = sorted((Path(__file__).parents[2] / "configs").glob("*.yaml"))
EXAMPLE = "# A comment\npostflop_model:\n  seed: 3\n  bet_sizes:\n    - 0.5\n    - -0.5\n"


def problem_of(function, *arguments):
    with pytest.raises(ConfigError) as caught:
        function(*arguments)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_there_are_samples():
    assert {"postflop_smoke.yaml", "postflop_spr35_all_flops.yaml"} <= {s.name for s in SAMPLES}


@pytest.mark.parametrize("path", [s for s in SAMPLES if s.name.startswith("postflop")], ids=str)
def test_every_sample_of_a_postflop_model_is_a_config(path):
    assert isinstance(load_postflop_config(path), PostflopModelConfig)


def test_the_samples_say_what_their_names_promise():
    by_name = {path.name: path for path in SAMPLES}
    smoke = load_postflop_config(by_name["postflop_smoke.yaml"])
    assert len(smoke.flop_list()) == 2
    assert smoke.cfr_exploitability_threshold == 0.005
    full = load_postflop_config(by_name["postflop_spr35_all_flops.yaml"])
    assert (len(full.flop_list()), full.postflop_sprs) == (1755, (3.5,))
    assert full.solve_type == "exhaustive"


def test_a_file_and_its_text_are_the_same_config(tmp_path):
    path = tmp_path / "run.yaml"
    text = "postflop_model: {preset: fast, postflop_spr: 6}"
    path.write_text("\ufeff" + text, "utf-8")
    assert load_yaml(path) == load_yaml(text)
    assert load_postflop_config(path) == load_postflop_config(text)
    assert load_postflop_config(path).postflop_sprs == (6.0,)


def test_an_error_names_the_path_in_the_file_and_the_line(tmp_path):
    path = tmp_path / "run.yaml"
    path.write_text(EXAMPLE)
    with pytest.raises(ConfigError) as caught:
        load_postflop_config(path)
    assert caught.value.where == "postflop_model.bet_sizes[1]"
    assert caught.value.problem == "-0.5 is not a positive pot fraction (line 6)"


def test_ratios_that_wait_for_a_preflop_tree_need_one():
    text = "postflop_model:\n  seed: 3\n  postflop_spr: auto\n"
    assert load_postflop_config(text, allow_auto_sprs=True).is_auto_sprs
    assert problem_of(load_postflop_config, text) == (
        "postflop_model.postflop_spr: 'auto' needs the preflop tree of a run config, "
        "without one write [3.5] (line 3)"
    )


def test_a_plain_mapping_has_no_lines():
    with pytest.raises(ConfigError) as caught:
        parse_postflop_config({"bet_sizes": [0.5, -0.5]})
    assert caught.value.where == "postflop_model.bet_sizes[1]"
    assert caught.value.problem == "-0.5 is not a positive pot fraction"


def test_the_section_may_stand_somewhere_else():
    assert problem_of(parse_postflop_config, {"seed": -1}, "") == (
        "seed: -1 is not a whole number from 0 up"
    )
    section = load_yaml("runs:\n  a:\n    seed: -1")["runs"]["a"]
    assert problem_of(parse_postflop_config, section, "runs.a") == (
        "runs.a.seed: -1 is not a whole number from 0 up (line 3)"
    )


def test_a_file_that_cannot_be_read_is_an_error_of_one_line(tmp_path):
    missing = tmp_path / "missing.yaml"
    assert problem_of(load_yaml, missing) == f"{missing}: no such file"
    assert problem_of(load_yaml, tmp_path).startswith(f"{tmp_path}: cannot be read (")
    assert "cannot be read" in problem_of(load_yaml, Path("a\0b"))
    binary = tmp_path / "binary.yaml"
    binary.write_bytes(b"a: \xff\xfe")
    assert problem_of(load_yaml, binary).startswith(f"{binary}: is not UTF-8 text (")


def test_a_file_that_is_not_a_mapping_is_named(tmp_path):
    path = tmp_path / "list.yaml"
    path.write_text("- 1\n- 2\n")
    assert problem_of(load_yaml, path).startswith(f"{path}: is a list or a single value")
    path.write_text("")
    assert problem_of(load_yaml, path).startswith(f"{path}: is empty")


def test_the_path_of_a_file_is_not_its_text():
    assert "is a list or a single value" in problem_of(load_yaml, "configs/postflop_smoke.yaml")


def test_a_config_has_the_section():
    assert problem_of(load_postflop_config, "{}") == "config: has no section postflop_model"
    assert problem_of(load_postflop_config, "postflop_model:") == (
        "postflop_model: null is not a mapping of keys to values"
    )


def test_other_sections_are_unknown():
    assert problem_of(load_postflop_config, "postflop_model: {}\npostflop_mode: {}") == (
        "postflop_mode: unknown section, did you mean postflop_model? (line 2)"
    )
    assert problem_of(load_postflop_config, "xyz: 1") == (
        "xyz: unknown section, allowed is postflop_model (line 1)"
    )
    assert problem_of(load_postflop_config, "postflop_spr: 4.0") == (
        "postflop_spr: unknown section, write it below postflop_model: (line 1)"
    )
    assert problem_of(load_postflop_config, "postflop_model: {}\niterations: 3") == (
        "iterations: belongs to the config of a run, here only postflop_model is read (line 2)"
    )


def test_a_file_that_is_too_large_for_a_config_is_not_read(tmp_path):
    path = tmp_path / "large.yaml"
    path.write_text("a: 1\n" + "#" * MAX_BYTES)
    assert (
        problem_of(load_yaml, path) == f"{path}: has more than 1,000,000 bytes, so it is no config"
    )


@pytest.mark.parametrize(
    ("load", "text", "kind"),
    [
        (load_run_config, "postflop_model: {}", "flops, for runout solve-postflop"),
        (load_run_config, "board: QsJh2h\npot: 5", "a spot, for runout solve-spot"),
        (load_postflop_config, "board: QsJh2h", "a spot, for runout solve-spot"),
        (load_postflop_config, "preflop: {}\nseed: 3", "a run, for runout solve-preflop"),
        (load_spot_config, "preflop: {}", "a run, for runout solve-preflop"),
        (load_spot_config, "postflop_model: {}", "flops, for runout solve-postflop"),
    ],
)
def test_a_config_of_another_kind_names_its_command(load, text, kind):
    assert problem_of(load, text).startswith(f"config: is the config of {kind}; here that of ")
