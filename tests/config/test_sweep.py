from pathlib import Path

import pytest

from runout.config.sweep import load_sweep_config
from runout.errors import ConfigError

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
        return load_sweep_config(file)

    return load


def test_a_grid_has_every_choice_and_seed(read):
    points = read("{grid: {rebucket_rounds: [1, 2], num_hand_buckets_flop: [10, 20]}, seeds: 3}")
    assert [point.label for point in points] == [
        "rebucket_rounds 1, num_hand_buckets_flop 10",
        "rebucket_rounds 1, num_hand_buckets_flop 20",
        "rebucket_rounds 2, num_hand_buckets_flop 10",
        "rebucket_rounds 2, num_hand_buckets_flop 20",
    ]
    assert [model.seed for model in points[0].models] == [0, 1, 2]
    assert points[3].models[0].rebucket_rounds == 2


def test_grids_are_joined_and_backends_keep_to_their_keys(read):
    model = MODEL + "  rebucket_rounds: 2\n"
    grid = "[{solve_type: exhaustive}, {solve_type: bucketed, rebucket_rounds: [1, 3]}]"
    points = read(f"{{grid: {grid}, seeds: [4, 7]}}", model)
    assert [point.label for point in points] == [
        "solve_type exhaustive",
        "solve_type bucketed, rebucket_rounds 1",
        "solve_type bucketed, rebucket_rounds 3",
    ]
    # What is not random is solved once.
    assert [len(point.models) for point in points] == [1, 2, 2]


@pytest.mark.parametrize(
    ("sweep", "problem"),
    [
        ("{}", "sweep.grid: null is no mapping of keys to lists"),
        ("{grid: {}}", "sweep.grid: .* is no mapping"),
        ("{grid: 3}", "sweep.grid: 3 is no mapping"),
        ("{grid: {rebucket_rounds: []}}", "sweep.grid.rebucket_rounds: has no value"),
        ("{grid: {rebucket_round: [1]}}", "sweep.grid: .*rebucket_round: unknown key"),
        (
            "{grid: {rebucket_rounds: [0]}}",
            r"sweep.grid: .*rebucket_rounds: 0 .*with rebucket_rounds",
        ),
        ("{grid: {rebucket_rounds: [1]}, seeds: []}", "sweep.seeds: .* is no list of seeds"),
        ("{grid: {rebucket_rounds: [1]}, seeds: [-1]}", "sweep.seeds: -1 is no seed"),
        ("{grid: {rebucket_rounds: [1]}, seeds: [1, 1]}", "sweep.seeds: has a seed twice"),
        ("{gird: {rebucket_rounds: [1]}}", "sweep.gird: unknown key"),
        ("3", "has no section sweep"),
    ],
)
def test_what_is_no_sweep_is_refused(read, sweep, problem):
    with pytest.raises(ConfigError, match=problem):
        read(sweep)


def test_sections_are_named(read, tmp_path):
    with pytest.raises(ConfigError, match="preflop: unknown section"):
        read("{grid: {rebucket_rounds: [1]}}", f"{MODEL}\npreflop: {{}}\n")
    with pytest.raises(ConfigError, match="has no section postflop_model"):
        read("{grid: {rebucket_rounds: [1]}}", "")
    with pytest.raises(ConfigError, match="no such file"):
        load_sweep_config(tmp_path / "none.yaml")


def test_the_shipped_sweep_is_one():
    points = load_sweep_config(Path("configs/sweep_rebucketing.yaml"))
    assert [point.label for point in points] == ["rebucket_rounds 1", "rebucket_rounds 2"]
