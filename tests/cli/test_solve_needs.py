from dataclasses import replace
from pathlib import Path

import pytest

from runout.cli import build_needs
from runout.cli.options import OptionError
from runout.cli.solve_needs import describe_plan, require_resources, tell_plan
from runout.config.load import load_postflop_config
from runout.postflop.needs import Needs, Saving
from runout.postflop.plan import PostflopPlan
from tests.cli.solve_configs import FLOPS

NEEDS = Needs(4_000.0, 1_200_000_000, 800_000_000, 1_600_000_000)
PLAN = PostflopPlan.make(load_postflop_config(FLOPS), 2)


def plan_with(needs):
    plan = replace(PLAN)
    plan.__dict__["needs"] = needs
    return plan


def test_a_plan_is_two_short_lines_for_people():
    lines = describe_plan(plan_with(NEEDS)).splitlines()
    assert lines == [
        "2 flops at 2 SPRs",
        "at most about 67 min, 1.2 GB of memory, 800 MB of disk (1.6 GB until done)",
    ]
    assert max(map(len, lines)) <= 80


def test_rounds_are_told_with_the_needs(tmp_path, capsys):
    tell_plan(Path("x.yaml"), PLAN, tmp_path / "x")
    first, second = capsys.readouterr().err.splitlines()
    assert first == "x.yaml: 2 flops at 2 SPRs"
    assert second.startswith("at most about 10 s, ")
    tell_plan(Path("x.yaml"), PLAN, tmp_path / "x", 1)
    last = capsys.readouterr().err.splitlines()[-1]
    assert last == "and as much time again in each of at most 1 round"


@pytest.mark.parametrize(
    ("seconds", "text"), [(1.0, "10 s"), (60.0, "60 s"), (61.0, "2 min"), (36_000.0, "10 h")]
)
def test_times_are_rounded_up(seconds, text):
    assert f"about {text}," in describe_plan(plan_with(Needs(seconds, 1, 1, 1)))


def test_a_machine_that_is_too_small_is_refused_with_advice(monkeypatch):
    monkeypatch.setattr(build_needs, "available_memory_bytes", lambda: 1e9)
    savings = (Saving("exact_precision: 16", 600_000_000), Saving("--workers 1", 300_000_000))
    needs = replace(NEEDS, savings=savings, advice="give fewer sizes")
    with pytest.raises(OptionError) as caught:
        require_resources(needs, Path("x"))
    assert str(caught.value) == (
        "memory: the solve needs 1.2 GB, 1.0 GB are free; exact_precision: 16 needs "
        "600 MB; --workers 1 needs 300 MB; give fewer sizes"
    )
