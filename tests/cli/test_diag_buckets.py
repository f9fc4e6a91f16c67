import json

import pytest

from runout.cards.deck import format_cards
from runout.config.flops import FlopsConfig
from runout.config.load import parse_config
from runout.flops import bucketed as rounds
from runout.flops.solve import solve_flops
from runout.solutions.values import ValueBundle
from tests.samples.small_buckets import make_buckets_once, take_few_boards
from tests.samples.solve_configs import FLOPS, write_config

BUCKETED = """\
postflop_model:
  solve_type: bucketed
  fixed_flops: [9s6s2s]
  postflop_sprs: [1.0, 2.0]
  bet_sizes: [1.0]
  max_raises_per_street: 0
  postflop_solve_iterations: 2
  num_hand_buckets_flop: 5
  num_hand_buckets_turn: 5
  num_hand_buckets_river: 5
  rebucket_rounds: 2
"""


@pytest.fixture(autouse=True)
def quick_solves(monkeypatch):
    make_buckets_once(monkeypatch)
    take_few_boards(monkeypatch)


@pytest.fixture
def config(tmp_path):
    return write_config(tmp_path, BUCKETED)


def test_a_config_is_diagnosed_for_people(run, config):
    other = ("--flop", "2c2h2d", "--spr", "2", "-w", "1")
    result = run("diag-buckets", "-c", config, *other, "--top", "2")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == "2c2h2d at SPR 2"
    assert lines[1].split() == [
        "round",
        "buckets",
        "iterations",
        "δ",
        "bound",
        "EV",
        "variance",
        "ARI",
    ]
    assert [line.split()[:3] for line in lines[2:4]] == [["1", "5/5/5", "2"], ["2", "5/5/5", "2"]]
    assert lines[2].endswith("-") or lines[2].split()[-1] == "-"
    assert sum(line.startswith("round ") and "worst pairs" in line for line in lines) == 2
    assert max(map(len, lines)) <= 80


def test_json_has_every_bucket_of_every_round(run, samples):
    document = json.loads(run("diag-buckets", str(samples / "values_bucketed"), "--json").stdout)
    (flop,) = document["flops"]
    (values,) = ValueBundle.load(samples / "values_bucketed").values
    assert (flop["flop"], flop["spr"]) == (format_cards(values.flops.flops[0]), values.spr)
    first, second = flop["rounds"]
    assert first["adjusted_rand_index"] is None
    assert second["adjusted_rand_index"] <= 1.0
    for entry in (first, second):
        assert entry["num_buckets"]["flop"] == len(entry["buckets"]) == 9
        assert sum(len(bucket["combos"]) for bucket in entry["buckets"]) == 1176
        for bucket in entry["buckets"]:
            assert bucket["strength"]["lowest"] <= bucket["strength"]["highest"]
            assert len(bucket["worst_pair"]["combos"]) == 2
            assert bucket["worst_pair"]["distance_pot"] >= 0.0


def test_people_see_flop_and_hands_in_the_suits_they_have_given(run, samples):
    (flop,) = ValueBundle.load(samples / "values_bucketed").values[0].flops.flops
    renamed = format_cards(flop).translate(str.maketrans("shdc", "cdhs"))

    def lines_of(flop):
        command = ("diag-buckets", str(samples / "values_bucketed"), "--flop", flop)
        return run(*command).stdout.splitlines()

    canonical, given = lines_of(format_cards(flop)), lines_of(renamed)
    assert given[0].startswith(f"{renamed} at SPR ")
    for line, other in zip(canonical[1:-3], given[1:-3], strict=True):
        assert other[:50] == line[:50]
        assert len(other) == len(line)
    hands = [
        hand for line in given for hand in line.split() if len(hand) == 4 and hand[1] in "shdc"
    ]
    board = {renamed[:2], renamed[2:4], renamed[4:]}
    assert hands
    assert not any({hand[:2], hand[2:]} & board for hand in hands)


def test_a_directory_is_diagnosed_without_solving_it_again(run, samples, monkeypatch):
    monkeypatch.delattr(rounds.BucketedBackend, "solve_rounds")
    document = json.loads(run("diag-buckets", str(samples / "values_bucketed"), "--json").stdout)
    (first, second) = document["flops"][0]["rounds"]
    (report,) = ValueBundle.load(samples / "values_bucketed").values[0].reports
    assert second["final_delta"] == report.strategy_delta
    assert second["exploitability_bound_pot"] == report.exploitability_pot
    assert first["iterations"] + second["iterations"] == report.iterations


@pytest.mark.slow
def test_a_directory_without_strategies_is_solved_again(run, tmp_path):
    config = parse_config(BUCKETED + "  keep_strategies: false\n", FlopsConfig)
    solved = solve_flops(config)
    solved.save(tmp_path / "values")
    kept = solve_flops(parse_config(BUCKETED, FlopsConfig))
    kept.save(tmp_path / "kept")
    again, read = (
        run("diag-buckets", str(tmp_path / name), "--json").stdout for name in ("values", "kept")
    )
    assert again == read


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ((), "diag-buckets: give either a DIR or a --config FILE"),
        (("-c", "CONFIG", "--spr", "7"), "--spr: 7 is not one of the config's 1, 2"),
        (("-c", "CONFIG", "--top", "0"), "--top: 0 is not a positive number"),
        (("-c", "CONFIG", "--flop", "AhKd"), "AhKd"),
    ],
)
def test_mistakes_are_one_line(error_line, config, options, problem):
    options = [config if option == "CONFIG" else option for option in options]
    assert problem in error_line("diag-buckets", *options)


def test_only_bucketed_configs_have_buckets(error_line, tmp_path):
    config = write_config(tmp_path, FLOPS)
    assert error_line("diag-buckets", "-c", config) == (
        f"{config}: solve_type is exhaustive, only bucketed has buckets"
    )


def test_many_flops_must_be_named(error_line, tmp_path):
    config = write_config(tmp_path, BUCKETED.replace("fixed_flops: [9s6s2s]", "flop_subset: 25"))
    assert error_line("diag-buckets", "-c", config) == (
        "--flop: the config has 25 flops, give up to 10 by name"
    )
