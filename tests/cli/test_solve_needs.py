from pathlib import Path

import pytest

from runout.cli import build_needs
from runout.cli.options import OptionError
from runout.cli.solve_needs import SolveNeeds, estimate_solve, solve_bytes, tell_solve_needs
from runout.config.load import load_postflop_config
from runout.trees.postflop_tree import PostflopTree
from tests.cli.solve_configs import FLOPS, SAMPLED_FLOPS

NEEDS = SolveNeeds(1_755, 2, 4_000.0, 1_200_000_000, 800_000_000)


def estimate(text, num_workers):
    config = load_postflop_config(text)
    rules = config.betting_rules()
    trees = [PostflopTree.build_with_spr(rules, spr) for spr in config.postflop_sprs]
    return estimate_solve(config, trees, num_workers)


def test_a_bundle_holds_two_positions_of_all_pairs_on_every_flop_and_ratio():
    assert estimate(FLOPS, 2).bundle_bytes == 2 * 2 * 2 * 169 * 169 * 4


def test_more_workers_need_more_memory_and_less_time():
    one, two = estimate(FLOPS, 1), estimate(FLOPS, 2)
    assert two.memory_bytes > one.memory_bytes
    assert two.seconds == pytest.approx(one.seconds / 2)


def test_workers_beyond_the_flops_need_no_more_memory():
    assert estimate(FLOPS, 8).memory_bytes == estimate(FLOPS, 2).memory_bytes


def test_external_sampling_needs_more_than_the_others():
    external = SAMPLED_FLOPS + "  mccfr_sampling: external\n"
    tree = PostflopTree.build_with_spr(load_postflop_config(FLOPS).betting_rules(), 1.0)
    sizes = [solve_bytes(load_postflop_config(t), tree) for t in (FLOPS, SAMPLED_FLOPS, external)]
    assert sizes[0] == sizes[1] < sizes[2]
    assert estimate(external, 1).seconds > estimate(SAMPLED_FLOPS, 1).seconds


def test_a_limit_of_time_limits_the_estimate():
    limited = FLOPS.replace("iterations: 4", "iterations: 1000000")
    limited += "  cfr_max_seconds_per_flop: 0.5\n"
    assert estimate(limited, 1).seconds == pytest.approx(2 * (2 * 0.5 + 0.1))


def test_needs_are_two_short_lines_for_people():
    lines = NEEDS.describe().splitlines()
    assert lines == [
        "1,755 flops at 2 SPRs",
        "at most about 67 min, 1.2 GB of memory, 800 MB of disk (twice that until done)",
    ]
    assert max(map(len, lines)) <= 80
    assert SolveNeeds(1, 1, 1.0, 1, 1).describe().startswith("1 flop at 1 SPR\n")


def test_rounds_are_told_with_the_needs(tmp_path, capsys):
    config = load_postflop_config(FLOPS)
    tell_solve_needs(Path("x.yaml"), config, tmp_path / "x", 1)
    first, second = capsys.readouterr().err.splitlines()
    assert first == "x.yaml: 2 flops at 2 SPRs"
    assert second.startswith("at most about 10 s, ")
    tell_solve_needs(Path("x.yaml"), config, tmp_path / "x", 1, 1)
    last = capsys.readouterr().err.splitlines()[-1]
    assert last == "and as much time again in each of at most 1 round"


@pytest.mark.parametrize(
    ("seconds", "text"), [(1.0, "10 s"), (60.0, "60 s"), (61.0, "2 min"), (36_000.0, "10 h")]
)
def test_times_are_rounded_up(seconds, text):
    assert f"about {text}," in SolveNeeds(1, 1, seconds, 1, 1).describe()


def test_a_machine_that_is_too_small_is_refused(monkeypatch):
    monkeypatch.setattr(build_needs, "_memory_bytes", lambda: 1e9)
    with pytest.raises(OptionError, match=r"memory: the solve needs 1\.2 GB, this machine has"):
        NEEDS.require_resources(Path("x"))


# --- Backends that play combos on boards ----------------------------------------------------------

BUCKETED_FLOPS = FLOPS.replace("exhaustive", "bucketed")
EXACT_FLOPS = FLOPS.replace("exhaustive", "exact")


def test_more_buckets_and_rounds_need_more_memory_and_rounds_more_time():
    few = estimate(BUCKETED_FLOPS + "  num_hand_buckets_river: 10\n", 1)
    many = estimate(BUCKETED_FLOPS + "  num_hand_buckets_river: 20000\n", 1)
    rounds = estimate(BUCKETED_FLOPS + "  rebucket_rounds: 3\n", 1)
    assert few.memory_bytes < many.memory_bytes
    assert rounds.memory_bytes > estimate(BUCKETED_FLOPS, 1).memory_bytes
    assert rounds.seconds > 1.3 * few.seconds


def test_an_exact_solve_needs_all_boards_and_half_of_it_in_half_precision():
    whole = estimate(EXACT_FLOPS, 1)
    half = estimate(EXACT_FLOPS + "  exact_precision: 16\n", 1)
    assert whole.memory_bytes > 1e9  # two flops of 2,352 boards, one at a time
    assert 0.4 * whole.memory_bytes < half.memory_bytes < 0.8 * whole.memory_bytes
    monotone = estimate(EXACT_FLOPS.replace("AhKsQd, 2c3h4d", "9s6s2s, 2s2h2d"), 1)
    assert monotone.memory_bytes < 0.6 * whole.memory_bytes
    assert monotone.seconds < whole.seconds


def test_an_exact_solve_that_does_not_fit_is_refused_with_advice(monkeypatch):
    monkeypatch.setattr(build_needs, "_memory_bytes", lambda: 1e8)
    with pytest.raises(OptionError) as caught:
        estimate(EXACT_FLOPS, 2).require_resources(Path("x"))
    problem = str(caught.value)
    assert "\n" not in problem
    assert "this machine has 100 MB; exact_precision: 16 needs " in problem
    assert "; --workers 1 needs " in problem
    assert problem.endswith("give fewer sizes or raises, or solve_type: bucketed")


def test_a_bucketed_solve_that_does_not_fit_is_told_what_one_worker_needs(monkeypatch):
    monkeypatch.setattr(build_needs, "_memory_bytes", lambda: 1e8)
    with pytest.raises(OptionError, match="; --workers 1 needs "):
        estimate(BUCKETED_FLOPS, 2).require_resources(Path("x"))
