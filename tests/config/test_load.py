"""Tests of `runout.config.load`."""

import re
from pathlib import Path

import pytest

from runout.config.flops import (
    BACKENDS,
    FlopsConfig,
    JointConfig,
    PotSizesConfig,
)
from runout.config.load import (
    MAX_BYTES,
    SweepConfig,
    load_config,
    load_yaml,
    parse_config,
)
from runout.config.run import PreflopConfig, RunConfig
from runout.config.spot import ReportConfig, SpotConfig
from runout.config.yaml_text import parse_yaml
from runout.errors import ConfigError
from tools.config_reference import format_reference, renew_reference

PAGE = Path(__file__).parents[2] / "docs" / "configuration.md"


def test_the_page_on_disk_is_up_to_date():
    page = PAGE.read_text("utf-8")
    assert renew_reference(page) == page, (
        "run: python -m tools.config_reference docs/configuration.md"
    )


@pytest.mark.parametrize(
    "section",
    [
        RunConfig,
        JointConfig,
        PotSizesConfig,
        PreflopConfig,
        SpotConfig,
        *BACKENDS.values(),
    ],
)
def test_every_key_is_described_with_its_default_and_what_it_decides(section):
    reference = format_reference()
    for key in section.model_fields:
        row = rf"^\| `{key}` \| [^|]+ \| [^|]+ \| (game|end|nothing) \| [^|]+\. \|$"
        assert re.search(row, reference, re.MULTILINE), key


def test_defaults_are_written_as_in_a_file():
    reference = format_reference()
    for default in (
        "| `[3.5]` | game |",
        "| `mccfr` |",
        "| `10000` | end |",
        "| `null` | game |",
        "| `[[2.5bb], [3x], [allin]]` |",
        "| `preflop` | a mapping of keys to values | must be given |",
    ):
        assert default in reference


@pytest.mark.parametrize("name", [*FlopsConfig.presets, *PreflopConfig.presets])
def test_every_preset_is_shown(name):
    assert f"| `{name}` |" in format_reference()


def test_the_rest_of_the_page_is_left_alone():
    page = PAGE.read_text("utf-8")
    stale = page.replace("| `seed` |", "| `sede` |")
    assert stale != page
    assert renew_reference(stale) == page


def test_a_page_without_marks_is_a_mistake():
    with pytest.raises(ValueError, match="the page has no <!-- begin"):
        renew_reference("# A page")


SAMPLES = sorted((Path(__file__).parents[2] / "configs").glob("*.yaml"))
EXAMPLE = "# A comment\npostflop_model:\n  seed: 3\n  bet_sizes:\n    - 0.5\n    - -0.5\n"


def problem_of(function, *arguments):
    with pytest.raises(ConfigError) as caught:
        function(*arguments)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def load_flops(text):
    return parse_config(text, FlopsConfig)


def test_there_are_samples():
    assert {"postflop_smoke.yaml", "postflop_spr35_all_flops.yaml"} <= {s.name for s in SAMPLES}


@pytest.mark.parametrize("path", [s for s in SAMPLES if s.name.startswith("postflop")], ids=str)
def test_every_sample_of_a_postflop_model_is_a_config(path):
    assert isinstance(load_config(path, FlopsConfig), FlopsConfig)


def test_the_samples_say_what_their_names_promise():
    by_name = {path.name: path for path in SAMPLES}
    smoke = load_config(by_name["postflop_smoke.yaml"], FlopsConfig)
    assert len(smoke.flop_list()) == 2
    assert smoke.cfr_exploitability_threshold == 0.005
    full = load_config(by_name["postflop_spr35_all_flops.yaml"], FlopsConfig)
    assert (len(full.flop_list()), full.postflop_sprs) == (1755, (3.5,))
    assert full.solve_type == "exhaustive"


def test_keys_that_a_sample_offers_in_comments_are_keys():
    """Their values are the defaults, of the preset where the sample has one."""
    text = next(path for path in SAMPLES if path.name == "postflop_bucketed.yaml").read_text()
    given = parse_config(text, FlopsConfig)
    assert (given.rebucket_rounds, given.rebucket_delta_threshold) == (2, 0.005)
    offered = re.sub(r"^  # (\w+: )", r"  \1", text, flags=re.MULTILINE)
    assert offered.count("rebucket_warm_start") == 1
    assert offered != text
    assert parse_config(offered, FlopsConfig) == given


def test_a_file_and_its_text_are_the_same_config(tmp_path):
    path = tmp_path / "run.yaml"
    text = "postflop_model: {preset: fast, postflop_spr: 6}"
    path.write_text("\ufeff" + text, "utf-8")
    assert load_yaml(path) == parse_yaml(text)
    assert load_config(path, FlopsConfig) == parse_config(text, FlopsConfig)
    assert load_config(path, FlopsConfig).postflop_sprs == (6.0,)


def test_an_error_names_the_path_in_the_file_and_the_line(tmp_path):
    path = tmp_path / "run.yaml"
    path.write_text(EXAMPLE)
    with pytest.raises(ConfigError) as caught:
        load_config(path, FlopsConfig)
    assert caught.value.where == "postflop_model.bet_sizes[1]"
    assert caught.value.problem == "-0.5 is not a positive pot fraction (line 6)"


def test_ratios_that_wait_for_a_preflop_tree_need_one():
    config = load_flops("postflop_model:\n  seed: 3\n  postflop_spr: auto\n")
    assert config.postflop_sprs is None
    with pytest.raises(ConfigError, match="needs the preflop tree of a run config, without one"):
        _ = config.sprs


def test_a_plain_mapping_has_no_lines():
    with pytest.raises(ConfigError) as caught:
        FlopsConfig.parse({"bet_sizes": [0.5, -0.5]})
    assert caught.value.where == "postflop_model.bet_sizes[1]"
    assert caught.value.problem == "-0.5 is not a positive pot fraction"


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


def test_a_path_may_be_text_and_a_text_is_not_a_path():
    assert load_config("configs/postflop_smoke.yaml") == load_config(
        Path("configs/postflop_smoke.yaml"), FlopsConfig
    )
    problem = problem_of(parse_config, "configs/postflop_smoke.yaml")
    assert problem == ("config: 'configs/postflop_smoke.yaml' is a path, read it with load_config")
    assert problem_of(load_config, "preflop: {}") == "preflop: {}: no such file"


def test_a_config_has_the_section():
    assert problem_of(load_flops, "{}") == "config: postflop_model is missing"
    assert problem_of(load_flops, "postflop_model:") == (
        "postflop_model: null is not a mapping of keys to values (line 1)"
    )


def test_other_sections_are_unknown():
    assert problem_of(load_flops, "postflop_model: {}\npostflop_mode: {}") == (
        "postflop_mode: unknown key, did you mean postflop_model? (line 2)"
    )
    assert problem_of(load_flops, "postflop_spr: 4.0").startswith(
        "postflop_spr: unknown key, write it below postflop_model: (line 1"
    )


def test_the_kind_of_a_file_is_told_by_its_keys():
    kinds = {path.name: type(load_config(path)) for path in SAMPLES}
    assert kinds["smoke.yaml"] is RunConfig
    assert issubclass(kinds["postflop_smoke.yaml"], FlopsConfig)
    assert kinds["spot_river.yaml"] is SpotConfig
    assert kinds["report_srp.yaml"] is ReportConfig
    assert kinds["sweep_rebucketing.yaml"] is SweepConfig
    assert problem_of(parse_config, "a: 1").startswith("config: has no key of a config, give ")


def test_a_file_that_is_too_large_for_a_config_is_not_read(tmp_path):
    path = tmp_path / "large.yaml"
    path.write_text("a: 1\n" + "#" * MAX_BYTES)
    assert (
        problem_of(load_yaml, path) == f"{path}: has more than 1,000,000 bytes, so it is no config"
    )


@pytest.mark.parametrize(
    ("wanted", "text", "kind"),
    [
        (RunConfig, "postflop_model: {}", "flops, for runout solve-postflop"),
        (RunConfig, "board: QsJh2h\npot: 5", "a spot, for runout solve-spot"),
        (FlopsConfig, "board: QsJh2h", "a spot, for runout solve-spot"),
        (FlopsConfig, "preflop: {}\nseed: 3", "a run, for runout solve-preflop"),
        (SpotConfig, "preflop: {}", "a run, for runout solve-preflop"),
        (SpotConfig, "postflop_model: {}", "flops, for runout solve-postflop"),
    ],
)
def test_a_config_of_another_kind_names_its_command(wanted, text, kind):
    assert problem_of(parse_config, text, wanted).startswith(
        f"config: is the config of {kind}; here that of "
    )


MODEL = """
postflop_model:
  solve_type: bucketed
  fixed_flops: [AhKd7s, Qh7h2h]
  postflop_sprs: [2.0]
"""


@pytest.fixture
def read(tmp_path):
    def load(sweep, model=MODEL):
        file = tmp_path / "sweep.yaml"
        file.write_text(f"sweep: {sweep}\n{model}")
        return load_config(file, SweepConfig)

    return load


def test_a_grid_has_every_choice_and_seed(read):
    config = read("{grid: {rebucket_rounds: [1, 2], num_hand_buckets_flop: [10, 20]}, seeds: 3}")
    assert [", ".join(map(" ".join, choice)) for choice in config.models] == [
        "rebucket_rounds 1, num_hand_buckets_flop 10",
        "rebucket_rounds 1, num_hand_buckets_flop 20",
        "rebucket_rounds 2, num_hand_buckets_flop 10",
        "rebucket_rounds 2, num_hand_buckets_flop 20",
    ]
    assert config.sweep.seeds == (0, 1, 2)
    assert list(config.models.values())[3].rebucket_rounds == 2


def test_grids_are_joined_and_backends_keep_to_their_keys(read):
    model = MODEL + "  rebucket_rounds: 2\n"
    grid = "[{solve_type: exhaustive}, {solve_type: bucketed, rebucket_rounds: [1, 3]}]"
    config = read(f"{{grid: {grid}, seeds: [4, 7]}}", model)
    assert list(config.models) == [
        (("solve_type", "exhaustive"),),
        (("solve_type", "bucketed"), ("rebucket_rounds", "1")),
        (("solve_type", "bucketed"), ("rebucket_rounds", "3")),
    ]
    assert [type(model).__name__ for model in config.models.values()] == [
        "ExhaustiveConfig",
        "BucketedConfig",
        "BucketedConfig",
    ]


@pytest.mark.parametrize(
    ("sweep", "problem"),
    [
        ("{}", "sweep: grid is missing"),
        ("{grid: {}}", "sweep.grid: a mapping is not a mapping of keys to lists"),
        ("{grid: 3}", "sweep.grid: 3 is not a mapping"),
        ("{grid: {rebucket_rounds: []}}", "sweep.grid.rebucket_rounds: has no value"),
        ("{grid: {rebucket_round: [1]}}", "sweep.grid: .*rebucket_round: unknown key"),
        (
            "{grid: {rebucket_rounds: [0]}}",
            r"sweep.grid: .*rebucket_rounds: 0 .*with rebucket_rounds",
        ),
        ("{grid: {rebucket_rounds: [1]}, seeds: []}", "sweep.seeds: empty, give a list"),
        (
            "{grid: {rebucket_rounds: [1]}, seeds: [-1]}",
            r"sweep.seeds\[0\]: -1 should be greater than or equal to 0",
        ),
        ("{grid: {rebucket_rounds: [1]}, seeds: [1, 1]}", r"sweep.seeds\[1\]: 1 is repeated"),
        ("{gird: {rebucket_rounds: [1]}}", "sweep.gird: unknown key"),
        ("3", "sweep: 3 is not a mapping of keys to values"),
    ],
)
def test_what_is_no_sweep_is_refused(read, sweep, problem):
    with pytest.raises(ConfigError, match=problem):
        read(sweep)


def test_sections_are_named(read, tmp_path):
    with pytest.raises(
        ConfigError, match="preflop: unknown key, allowed are postflop_model, sweep"
    ):
        read("{grid: {rebucket_rounds: [1]}}", f"{MODEL}\npreflop: {{}}\n")
    with pytest.raises(ConfigError, match="postflop_model is missing"):
        read("{grid: {rebucket_rounds: [1]}}", "")
    with pytest.raises(ConfigError, match="no such file"):
        load_config(tmp_path / "none.yaml", SweepConfig)


def test_the_shipped_sweep_is_one():
    config = load_config("configs/sweep_rebucketing.yaml", SweepConfig)
    assert list(config.models) == [(("rebucket_rounds", "1"),), (("rebucket_rounds", "2"),)]
