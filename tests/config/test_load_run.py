import re
from pathlib import Path

import pytest

from runout.config.flops import FlopsConfig
from runout.config.load import load_config, parse_config
from runout.config.run import RunConfig
from runout.errors import ConfigError
from runout.trees.tree import PostflopTree

CONFIGS = Path(__file__).parents[2] / "configs"
OTHER_KINDS = ("lab", "postflop", "report", "spot", "sweep")
SAMPLES = sorted(p for p in CONFIGS.glob("*.yaml") if not p.name.startswith(OTHER_KINDS))
DEPTHS = (10, 15, 20, 25, 40, 50, 75, 100, 150, 200)
NAMES = [*(f"hu_{depth}bb" for depth in DEPTHS), "pushfold_10bb", "smoke", "two_phase_25bb"]
TEXT = "preflop: {preset: hu_25bb}\npostflop_model_path: "
MODEL = "postflop_model: {fixed_flops: [AhKd7s], postflop_sprs: auto}"


def problem_of(source):
    with pytest.raises(ConfigError) as caught:
        (load_config if isinstance(source, Path) else parse_config)(source, RunConfig)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# --- Samples --------------------------------------------------------------------------------------


def sample(name):
    return load_config(CONFIGS / f"{name}.yaml", RunConfig)


def test_there_are_samples():
    assert set(NAMES) <= {path.stem for path in SAMPLES}


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_every_sample_is_a_config_whose_trees_can_be_built(path):
    config = load_config(path, RunConfig)
    assert isinstance(config, RunConfig)
    assert parse_config(config.to_yaml(), RunConfig) == config
    tree = config.preflop.tree
    if config.needs_flop_values:
        model = config.postflop_model.with_sprs(sorted({leaf.spr for leaf in tree.flop_leaves()}))
        for spr in model.postflop_sprs:
            assert PostflopTree.build(model.betting_rules(), spr).num_nodes > 1
        assert len(model.flop_list()) > 0


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_every_sample_says_how_to_run_it_and_where_it_was_measured(path):
    text = path.read_text("utf-8")
    assert f"runout solve-preflop -c configs/{path.name} -o runs/{path.stem}" in text
    page = "joint" if load_config(path, RunConfig).method == "joint" else "preflop"
    header = text.partition("\npreflop:")[0]
    assert "measured" in header
    assert f"docs/{page}.md" in header
    assert max(map(len, text.splitlines())) <= 105


@pytest.mark.parametrize(
    ("name", "stack", "num_flops", "threshold_mbb"),
    [
        ("smoke", 15.0, 50, 20.0),
        ("hu_10bb", 10.0, 100, 10.0),
        ("hu_15bb", 15.0, 100, 10.0),
        ("hu_20bb", 20.0, 100, 10.0),
        ("hu_25bb", 25.0, 100, 10.0),
        ("hu_40bb", 40.0, 100, 15.0),
        ("hu_50bb", 50.0, 100, 20.0),
        ("hu_75bb", 75.0, 50, 25.0),
        ("hu_100bb", 100.0, 50, 30.0),
        ("hu_150bb", 150.0, 50, 30.0),
        ("hu_200bb", 200.0, 50, 30.0),
    ],
)
def test_samples_are_joint_games_of_what_their_names_promise(name, stack, num_flops, threshold_mbb):
    config = sample(name)
    assert config.method == "joint"
    assert config.preflop.stacks_bb == (stack, stack)
    assert config.preflop_exploitability_threshold_mbb == threshold_mbb
    assert config.postflop_model.solve_type == "compact"
    assert len(config.postflop_model.flop_list()) == num_flops
    settings = config.joint_settings
    assert settings.turns_per_flop == settings.rivers_per_turn in (12, 16)


@pytest.mark.parametrize("key", [{}, {"allow_limp": False}, {"ante_bb": 0.125}])
def test_one_key_takes_limps_away_or_adds_antes(key):
    text = (CONFIGS / "hu_25bb.yaml").read_text()
    for name, value in key.items():
        text = re.sub(rf"(?m)^  {name}: \S+", f"  {name}: {str(value).lower()}", text)
    tree = parse_config(text, RunConfig).preflop.tree
    paths = {tree.path(node) for node in range(tree.num_nodes)}
    assert ("c" in paths) == key.get("allow_limp", True)
    assert "r2:c" in paths
    assert tree.pot(0) == 1.5 + 2 * key.get("ante_bb", 0.0)


@pytest.mark.parametrize(
    ("name", "num_flops"), [("two_phase_25bb", 100), ("two_phase_25bb_full", 1755)]
)
def test_two_phase_samples_solve_flops_first(name, num_flops):
    config = sample(name)
    assert config.method == "two_phase"
    assert config.postflop_model.postflop_sprs is None
    assert config.postflop_model.solve_type == "exhaustive"
    assert len(config.postflop_model.flop_list()) == num_flops


def test_the_push_fold_sample_solves_no_flops():
    config = sample("pushfold_10bb")
    assert config.preflop.stacks_bb == (10.0, 10.0)
    assert not config.needs_flop_values
    assert config.preflop.tree.num_nodes == 5


def test_samples_of_25_big_blinds_are_the_same_game():
    games = [sample(name) for name in ("hu_25bb", "two_phase_25bb", "two_phase_25bb_full")]
    assert games[0].preflop == games[1].preflop == games[2].preflop


# --- Files, paths and lines -----------------------------------------------------------------------


def test_errors_name_the_path_in_the_file_and_the_line(tmp_path):
    path = tmp_path / "run.yaml"
    path.write_text(
        "# A run\npreflop:\n  raise_sizes:\n    - [2bb,\n       1x]\n    - [3x]\niterations: 0\n"
    )
    assert problem_of(path) == (
        "preflop.raise_sizes[0][1]: '1x' is not a raise, the factor must be above 1 "
        "(line 5); 1 more error"
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "preflop: {}\nflop_values: solved\npostflop_model:\n  seed: -1\n",
            "postflop_model.seed: -1 should be greater than or equal to 0 (line 4)",
        ),
        (
            "preflop: {}\npostflop_model: {}\npostflop_model_path: x\n",
            "postflop_model_path: given together with postflop_model, give only one of them "
            "(line 3)",
        ),
        (
            "preflop:\n  big_blind_bb: 1\n  small_blind_bb: 1\n",
            "preflop.small_blind_bb: 1 is not 0 or more and less than the big blind 1 (line 3)",
        ),
        (
            "preflop:\n  big_blind_bb: 0.5\n",
            "preflop.small_blind_bb: 0.5 is not 0 or more and less than the big blind 0.5 (line 1)",
        ),
        ("preflop: {}\nseed: 3\n", "seed: unknown key, write it below postflop_model: (line 2)"),
        ("prflop: {}", "prflop: unknown key, did you mean preflop? (line 1); 1 more error"),
        ("iterations: 3", "config: preflop is missing"),
        ("preflop: {}\npreflop: {}", "preflop: duplicate key (lines 1 and 2)"),
        ("preflop:", "preflop: null is not a mapping of keys to values (line 1)"),
        ("", "config: is empty, expected a mapping of keys to values"),
    ],
)
def test_every_error_is_one_line_with_its_place(text, problem):
    assert problem_of(text) == problem


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    assert problem_of(tmp_path / "no.yaml") == f"{tmp_path / 'no.yaml'}: no such file"


def test_a_directory_of_values_counts_from_the_config_file(tmp_path):
    path = tmp_path / "run.yaml"
    path.write_text(TEXT + "values/spr")
    assert load_config(path, RunConfig).postflop_model_path == tmp_path / "values" / "spr"
    path.write_text(TEXT + "/values/spr")
    assert load_config(path, RunConfig).postflop_model_path == Path("/values/spr")
    assert parse_config(TEXT + "values/spr", RunConfig).postflop_model_path == Path("values/spr")


@pytest.mark.parametrize("name", ["model.yaml", "model.YML", "model"])
def test_a_yaml_file_becomes_the_model_of_the_run(tmp_path, name):
    (tmp_path / name).write_text(MODEL)
    path = tmp_path / "run.yaml"
    path.write_text(TEXT + name)
    config = load_config(path, RunConfig)
    assert config.postflop_model == load_config(tmp_path / name, FlopsConfig)
    assert config.postflop_model_path is None
    assert config == parse_config(f"preflop: {{preset: hu_25bb}}\n{MODEL}", RunConfig)


def test_an_error_in_another_file_names_that_file(tmp_path):
    path, model = tmp_path / "run.yaml", tmp_path / "model.yaml"
    path.write_text(TEXT + "model.yaml")
    assert problem_of(path) == f"postflop_model_path: {model}: no such file"
    model.write_text("postflop_model:\n  seed: -1")
    assert problem_of(path) == (
        f"postflop_model_path: {model}: postflop_model.seed: "
        "-1 should be greater than or equal to 0 (line 2)"
    )
    model.write_text(f"{MODEL}\npreflop: {{}}")
    assert problem_of(path) == (
        f"postflop_model_path: {model}: is the config of a run, for runout solve-preflop; "
        "here that of flops is read"
    )


def test_a_model_of_a_file_is_checked_as_one_in_the_config(tmp_path):
    (tmp_path / "model.yaml").write_text(MODEL.replace("{", "{solve_type: exhaustive, "))
    (tmp_path / "run.yaml").write_text(f"{TEXT}model.yaml\nmethod: joint\n")
    assert problem_of(tmp_path / "run.yaml").startswith(
        "postflop_model.solve_type: exhaustive cannot be played with preflop, use compact or exact"
    )


def test_a_model_that_is_not_needed_is_not_looked_for(tmp_path):
    path = tmp_path / "run.yaml"
    path.write_text(TEXT + "no.yaml\nflop_values: raw_equity")
    assert load_config(path, RunConfig).postflop_model_path == tmp_path / "no.yaml"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("postflop_model: {}", "is the config of flops, for runout solve-postflop; "),
        ("preflop: {}", "has no postflop_model and no postflop_model_path, give one of them, "),
        ("1: {}", "the key '1' is not text (line 1)"),
        ("config: 1\npreflop: {}", "unknown key"),
    ],
)
def test_what_belongs_to_no_key_names_the_file(tmp_path, text, problem):
    path = tmp_path / "run.yaml"
    path.write_text(text)
    where = "config" if text.startswith("config") else path  # a key of that name is a key
    assert problem_of(path).startswith(f"{where}: {problem}")
