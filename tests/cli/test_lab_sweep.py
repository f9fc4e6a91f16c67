import csv
import json

import pytest

from runout.lab import sweep as lab_sweep
from runout.lab.sweep import MEASURES, SweepRow, list_tasks

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

    def run(points, workplace):
        for task in list_tasks(points):
            values = dict.fromkeys(MEASURES, 0.5)
            yield SweepRow(task, values | {"real": 0.05 + 0.001 * task.seed - 0.01 * task.point})

    monkeypatch.setattr(lab_sweep, "run_sweep", run)


def test_a_sweep_is_one_table_with_errors(run, config, made_up, tmp_path):
    path = tmp_path / "out"
    result = run("lab", "sweep", "-c", str(config), "-o", str(path))
    lines = [line.split() for line in result.stdout.splitlines()]
    assert lines[0][:4] == ["rebucket_rounds", "seeds", "real", "difference"]
    assert lines[1][:6] == ["1", "3", "5.100", "±", "0.058", "-"]
    assert lines[2][:8] == ["2", "3", "4.100", "±", "0.058", "-1.000", "±", "0.000"]
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
