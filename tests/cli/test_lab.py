"""Tests of `runout.cli.lab`."""

import csv
import json
import math
from dataclasses import replace

import pytest

from runout.cards.flops import GivenFlop
from runout.cli.lab import DEFAULT_FLOPS
from runout.config.flops import FlopsConfig
from runout.config.load import parse_config
from runout.flops import backend as memory
from runout.flops.solve import kept_strategy, solve_flops
from runout.runs import compare as comparing
from runout.runs import sweep as lab_sweep
from runout.runs.compare import BackendRow, all_labels
from runout.runs.sweep import MEASURES, SweepRow, list_tasks
from runout.solutions.values import ExploitabilityMeaning
from tests.samples.judging import judge_strategy
from tests.samples.solve_configs import LIMPS, write_config

CONFIG = """\
postflop_model:
  fixed_flops: [Qh7h2h]
  postflop_sprs: [1.0]
  bet_sizes: [1.0]
  max_raises_per_street: 0
  postflop_solve_iterations: 5
"""


@pytest.fixture
def exploit(run, tmp_path):
    """Runs `lab exploit` with a config text."""

    def invoke(*options, text=CONFIG):
        return run("lab", "exploit", "-c", write_config(tmp_path, text), "-w", "1", *options)

    return invoke


@pytest.fixture
def refused(error_line, tmp_path):
    """Runs it with something that is refused, and returns the line."""

    def invoke(*options, text=CONFIG):
        return error_line("lab", "exploit", "-c", write_config(tmp_path, text), *options)

    return invoke


class Rows:
    """Stands in for `compare_backends`: rows without work, and what they were asked for."""

    def __init__(self, interrupt_at=None):
        self.interrupt_at = interrupt_at
        self.asked = []

    def __call__(self, backends, flops, trees, context):
        for flop in flops:
            for tree in trees:
                for tested in backends:
                    if len(self.asked) == self.interrupt_at:
                        raise KeyboardInterrupt
                    self.asked.append((comparing.format_cards(flop), tree.stakes.spr))
                    yield make_row(tested.label, *self.asked[-1])


def make_row(label, flop, spr):
    error = None if label == "exact" else 0.012
    is_bound = label.startswith("bucketed")
    meaning = ExploitabilityMeaning.UPPER_BOUND if is_bound else ExploitabilityMeaning.OWN_GAME
    gains = (0.1, 0.1468)
    return BackendRow(label, flop, spr, 7, 0.001, meaning, 0.1234, gains, 2.5, 1.0, error, error)


@pytest.fixture
def rows(monkeypatch):
    stand_in = Rows()
    monkeypatch.setattr(comparing, "compare_backends", stand_in)
    return stand_in


def test_a_backend_is_solved_and_judged(exploit, tmp_path):
    result = exploit("--solve-type", "exhaustive", "--json")
    assert result.exit_code == 0
    document = json.loads(result.stdout)
    (row,) = document["rows"]
    assert (row["label"], row["flop"], row["spr"]) == ("exhaustive", "Qs7s2s", 1.0)
    assert row["real_exploitability_pot"] > row["own_exploitability_pot"] > 0.0
    assert document["is_complete"] is True
    assert document["means"][0]["real_gains_pot"] == row["real_gains_pot"]
    assert "exact needs" not in result.stderr


def test_the_table_has_all_backends_and_their_means(exploit, rows):
    result = exploit("--spr", "2", "--spr", "5")
    assert result.exit_code == 0
    heading, *lines = [line.split() for line in result.stdout.splitlines() if line.strip()]
    assert heading[:3] == ["flop", "SPR", "backend"]
    count = len(all_labels())
    assert lines[0][:3] == ["Qh7h2h", "2", "mccfr"]
    assert lines[count][:3] == ["Qh7h2h", "5", "mccfr"]
    assert lines[1] == ["exhaustive", "0.10", "12.34", "10.00", "14.68", "1.20", "1.20", "2.5", "s"]
    assert lines[2][:2] == ["bucketed:1", "≤0.10"]
    assert lines[4] == ["exact", "0.10", "12.34", "10.00", "14.68", "-", "-", "2.5", "s"]
    assert lines[2 * count][:3] == ["mean", "mccfr", "0.10"]
    assert [line[0] for line in lines[2 * count + 1 : 3 * count]] == all_labels()[1:]
    assert max(len(line.rstrip()) for line in result.stdout.splitlines()[:-4]) <= 80


def test_memory_of_the_exact_backend_is_told_first(exploit, rows):
    (note,) = exploit("--solve-type", "exact").stderr.splitlines()
    assert note.startswith("exact needs ")
    assert note.endswith(" of memory for Qh7h2h at SPR 1")


def test_too_little_memory_is_refused_with_advice(refused, rows, monkeypatch):
    monkeypatch.setattr(memory, "available_memory_bytes", lambda: 1e6)
    line = refused("--solve-type", "mccfr,exact")
    assert line.startswith("memory: exact needs ")
    assert ", 1.0 MB is available; exact_precision: 16 needs " in line
    assert line.endswith("; give fewer sizes or raises, or solve_type: bucketed")
    assert "precision: 16" not in refused("--solve-type", "exact:exact_precision=16")
    assert rows.asked == []


def test_memory_that_nobody_knows_is_enough(exploit, rows, monkeypatch):
    monkeypatch.setattr(memory, "available_memory_bytes", lambda: math.inf)
    assert exploit("--solve-type", "exact").exit_code == 0


def test_flops_and_ratios_are_those_given_or_of_the_config_or_five(exploit, rows):
    solve_type = ("--solve-type", "mccfr")
    exploit(*solve_type, "--flop", "2c3h4d", "--flop", "AhAsAd", "--spr", "3", "--spr", "3")
    assert rows.asked == [("2c3h4d", 3.0), ("AhAsAd", 3.0)]
    rows.asked.clear()
    exploit(*solve_type)
    assert rows.asked == [("Qh7h2h", 1.0)]
    rows.asked.clear()
    exploit(*solve_type, text=CONFIG.replace("  fixed_flops: [Qh7h2h]\n", ""))
    assert [flop for flop, _ in rows.asked] == list(DEFAULT_FLOPS)


def test_a_run_config_gives_the_ratios_of_its_preflop_tree(exploit, rows):
    exploit("--solve-type", "mccfr", text=LIMPS)
    assert ("AhKsQd", 4.5) in rows.asked


def test_a_backend_named_twice_is_solved_once(exploit, rows):
    exploit("--solve-type", "bucketed,bucketed:1, mccfr")
    assert len(rows.asked) == 2


def test_ctrl_c_shows_what_is_finished(exploit, monkeypatch):
    monkeypatch.setattr(comparing, "compare_backends", Rows(interrupt_at=2))
    options = ("--solve-type", "mccfr,bucketed", "--spr", "1", "--spr", "2")
    result = exploit(*options)
    assert result.exit_code == 130
    assert result.stderr.splitlines()[-1] == "interrupted, 2 of 4 solves in the table"
    assert "bucketed:1" in result.stdout
    monkeypatch.setattr(comparing, "compare_backends", Rows(interrupt_at=2))
    document = json.loads(exploit(*options, "--json").stdout)
    assert document["is_complete"] is False
    assert len(document["rows"]) == 2


def test_ctrl_c_before_anything_is_finished_says_so(exploit, monkeypatch):
    monkeypatch.setattr(comparing, "compare_backends", Rows(interrupt_at=0))
    result = exploit("--solve-type", "mccfr", "--json")
    assert result.exit_code == 130
    assert result.stdout == ""
    assert result.stderr.splitlines()[-1] == "interrupted before any part was finished"


@pytest.mark.parametrize("text", ["exakt", "exact:2", "mccfr,", "exact,all"])
def test_other_solve_types_are_refused(refused, text):
    line = refused("--solve-type", text)
    assert line.startswith("solve_type: '")
    assert line.endswith("with keys such as bucketed:rebucket_rounds=2")


@pytest.mark.parametrize("spr", ["0", "-1", "nan", "inf"])
def test_a_ratio_is_a_positive_number(refused, spr):
    assert refused("--spr", spr) == f"--spr: {float(spr):g} is not a positive number"


def test_a_flop_has_three_cards(refused):
    assert refused("--flop", "AhKsQd2c") == "flop 'AhKsQd2c': 4 cards, a flop has 3"
    assert refused("--flop", "AhAhQd") == "Ah: dealt twice in AhAhQd"


def test_a_key_that_a_backend_refuses_is_named(refused):
    line = refused("--solve-type", "mccfr:cfr_updates=x")
    assert line == (
        "postflop_model.cfr_updates: needs solve_type: exhaustive (with mccfr:cfr_updates=x)"
    )


def test_default_flops_are_of_five_textures():
    assert len({GivenFlop.parse(flop).cards for flop in DEFAULT_FLOPS}) == 5


def test_kept_strategies_are_judged_without_solving_them_again(run, error_line, tmp_path):
    config = parse_config(CONFIG + "  solve_type: exhaustive\n", FlopsConfig)
    solved = solve_flops(config)
    solved.save(tmp_path / "values")
    result = run("judge", str(tmp_path / "values"), "--json")
    assert result.exit_code == 0
    (row,) = json.loads(result.stdout)["rows"]
    loss = judge_strategy(solved.flops.flops[0], solved.trees[0], kept_strategy(solved, 0))
    assert row["real_exploitability_pot"] == pytest.approx(loss.exploitability_pot)
    assert row["own_exploitability_pot"] == solved.values[0].reports[0].exploitability_pot
    assert error_line("judge", str(tmp_path / "values"), "--flop", "AhKd7s").startswith(
        "flop AhKd7s: is not among the 1 solved flops, the closest is Qh7h2h"
    )
    replace(solved, solutions=()).save(tmp_path / "bare")
    line = error_line("judge", str(tmp_path / "bare"))
    assert line.endswith("bare: has no strategies, solve with keep_strategies: true")


FILE = """
sweep: {grid: {rebucket_rounds: [1, 2]}, seeds: [0, 1, 2]}
postflop_model: {solve_type: bucketed, fixed_flops: [AhKd7s], postflop_sprs: [2.0]}
"""


@pytest.fixture
def config(tmp_path):
    file = tmp_path / "sweep.yaml"
    file.write_text(FILE)
    return file


@pytest.fixture
def made_up(monkeypatch, config):
    """A sweep whose solves take no time: the second choice loses 1 % less."""

    def run(points, context):
        for task in list_tasks(points):
            values = dict.fromkeys(MEASURES, 0.5)
            yield SweepRow(task, values | {"real": 0.05 + 0.001 * task.seed - 0.01 * task.point})

    monkeypatch.setattr(lab_sweep, "run_sweep", run)


def test_a_sweep_is_one_table_with_errors(run, config, made_up, tmp_path):
    path = tmp_path / "out"
    result = run("lab", "sweep", "-c", str(config), "-o", str(path))
    lines = [line.split() for line in result.stdout.splitlines()]
    assert lines[0][:4] == ["rebucket_rounds", "seeds", "real", "difference"]
    assert lines[1][:6] == ["1", "3", "5.100", "±", "0.248", "-"]
    assert lines[2][:8] == ["2", "3", "4.100", "±", "0.248", "-1.000", "±", "0.000"]
    table = list(csv.DictReader((path / "table.csv").read_text().splitlines()))
    assert float(table[1]["difference"]) == pytest.approx(-0.01)
    assert len(list(csv.DictReader((path / "rows.csv").read_text().splitlines()))) == 6
    document = json.loads((path / "sweep.json").read_text())
    assert document["points"][1]["keys"] == {"rebucket_rounds": "2"}


def test_what_is_no_sweep_is_one_line(error_line, tmp_path, config):
    config.write_text(FILE.replace("rebucket_rounds", "rebucket_round"))
    line = error_line("lab", "sweep", "-c", str(config), "-o", str(tmp_path / "out"))
    assert line.startswith("sweep.grid: ")
    assert "rebucket_round" in line


def test_a_spot_is_judged_with_real_cards(run, stored):
    document = json.loads(run("judge", str(stored / "turn"), "--json").stdout)
    assert document["real_exploitability_pot"] == pytest.approx(
        document["own_exploitability_pot"], abs=1e-4
    )
    assert "best responses gain OOP" in run("judge", str(stored / "turn")).stdout
