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
