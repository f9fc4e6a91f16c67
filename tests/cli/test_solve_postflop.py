import json
import os
import re
import signal
import subprocess
import sys

import numpy as np
import pytest

from runout.cli.solve_postflop import checkpoint_directory, describe_flops
from runout.postflop.flop_tasks import FlopJob
from runout.results.value_bundle import ValueBundle
from tests.cli.solve_configs import FLOPS, LIMPS, PUSH_FOLD, SAMPLED_FLOPS, write_config

SOLVE_FLOP = FlopJob.run


class Counter:
    """Stands in for `FlopJob.run`, counts flops and can be interrupted at one."""

    def __init__(self, interrupt_at=None):
        self.num_flops = 0
        self.interrupt_at = interrupt_at

    def __get__(self, job, kind):
        def run(item, worker):
            if self.num_flops == self.interrupt_at:
                raise KeyboardInterrupt
            self.num_flops += 1
            return SOLVE_FLOP(job, item, worker)

        return run


@pytest.fixture
def solve(run, tmp_path):
    """Solves a config text into ``tmp_path / "values"``."""

    def invoke(text, *options):
        config = write_config(tmp_path, text)
        output = str(tmp_path / "values")
        return run("solve-postflop", "-c", config, "-o", output, "--workers", "1", *options)

    return invoke


def test_a_solve_says_what_it_needs_and_what_came_of_it(solve, tmp_path):
    result = solve(FLOPS)
    assert result.exit_code == 0
    first, second, *others = result.stderr.splitlines()
    assert first == f"{tmp_path}/config.yaml: 2 flops at 2 SPRs"
    assert second.startswith("at most about 10 s, ")
    assert any(line.startswith("Flops: 2 flops in ") for line in others)
    lines = result.stdout.splitlines()
    assert [line.split()[0] for line in lines[:3]] == ["SPR", "1", "2"]
    assert re.fullmatch(rf"wrote {tmp_path}/values, 2 flops, \d+ kB, in .*", lines[-1])
    assert "deals" not in lines[0]
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["config.yaml", "values"]
    bundle = ValueBundle.load(tmp_path / "values")
    assert [values.spr for values in bundle.values] == [1.0, 2.0]


def test_json_has_what_the_reports_say(solve, tmp_path):
    document = json.loads(solve(SAMPLED_FLOPS, "--json").stdout)
    bundle = ValueBundle.load(document["path"])
    assert document["num_flops"] == 2
    for facts, values in zip(document["sprs"], bundle.values, strict=True):
        found = [report.exploitability_pot for report in values.reports]
        assert facts["spr"] == values.spr
        assert facts["worst_exploitability_pot"] == max(found)
        assert facts["mean_exploitability_pot"] == pytest.approx(np.mean(found))
        assert facts["num_deals"] == sum(report.num_deals for report in values.reports)


def test_sampled_deals_are_counted(solve):
    lines = solve(SAMPLED_FLOPS).stdout.splitlines()
    assert lines[0].endswith("   deals")
    assert max(map(len, lines[:-1])) <= 80
    assert float(lines[1].split()[-1]) > 1000


def test_a_run_config_solves_the_ratios_of_its_preflop_tree(solve, tmp_path):
    assert solve(LIMPS).exit_code == 0
    sprs = [values.spr for values in ValueBundle.load(tmp_path / "values").values]
    assert 4.5 in sprs  # limped: 9 behind in a pot of 2
    assert len(sprs) > 2


def test_a_finished_solve_given_again_is_a_note_and_no_work(solve, tmp_path, monkeypatch):
    first = solve(FLOPS)
    (tmp_path / "values.checkpoints").mkdir()  # as after a kill in the last moment
    counter = Counter()
    monkeypatch.setattr(FlopJob, "run", counter)
    result = solve(FLOPS)
    assert result.exit_code == 0
    assert result.stderr == (
        f"{tmp_path}/values: was done before, nothing is left to do; --overwrite does it again\n"
    )
    assert result.stdout.splitlines()[:-1] == first.stdout.splitlines()[:-1]
    assert result.stdout.splitlines()[-1].endswith(", was done before")
    assert counter.num_flops == 0
    assert not (tmp_path / "values.checkpoints").exists()
    refused = solve(FLOPS, "--no-resume")
    assert refused.exit_code == 2
    assert refused.stderr == (
        f"error: {tmp_path}/values: exists already, give --overwrite to replace it\n"
    )
    assert solve(FLOPS, "--overwrite").exit_code == 0
    assert counter.num_flops == 2


def test_an_executor_that_is_not_there_is_one_line(solve, monkeypatch):
    result = solve(FLOPS, "--executor", "dask")
    assert result.exit_code == 2
    allowed = "threads, processes, ray, ray://ADDRESS"
    assert result.stderr == f"error: --executor: 'dask' is not {allowed}\n"
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.delitem(sys.modules, "runout.execution.ray_executor", raising=False)
    result = solve(FLOPS, "--executor", "ray")
    assert result.exit_code == 2
    (line,) = result.stderr.splitlines()
    assert line.startswith("error: --executor ray: needs Ray, which is not installed; pip install")


def test_processes_write_what_threads_write(solve, tmp_path):
    solve(FLOPS)
    expected = ValueBundle.load(tmp_path / "values")
    os.rename(tmp_path / "values", tmp_path / "expected")
    result = solve(FLOPS, "--executor", "processes", "--workers", "2")
    assert result.exit_code == 0
    assert "done by" in result.stderr
    found = ValueBundle.load(tmp_path / "values")
    np.testing.assert_array_equal(found.values[0].value_pot, expected.values[0].value_pot)


def test_an_interrupted_solve_says_how_to_go_on_and_does(solve, tmp_path, monkeypatch):
    solve(FLOPS)
    expected = ValueBundle.load(tmp_path / "values")
    os.rename(tmp_path / "values", tmp_path / "expected")

    monkeypatch.setattr(FlopJob, "run", Counter(interrupt_at=1))
    result = solve(FLOPS)
    assert result.exit_code == 130
    checkpoints = tmp_path / "values.checkpoints"
    assert result.stderr.splitlines()[-1] == (
        f"interrupted; give the same command again to go on, {checkpoints} keeps 1 finished flop"
    )
    assert result.stdout == ""
    assert not (tmp_path / "values").exists()

    rest = Counter()
    monkeypatch.setattr(FlopJob, "run", rest)
    result = solve(FLOPS)
    assert result.exit_code == 0
    assert f"using what fits of 1 finished flop in {checkpoints}" in result.stderr
    assert rest.num_flops == 1
    assert not checkpoints.exists()
    found = ValueBundle.load(tmp_path / "values")
    for values, other in zip(found.values, expected.values, strict=True):
        np.testing.assert_array_equal(values.value_pot, other.value_pot)


def test_a_fresh_start_solves_all_flops_again(solve, monkeypatch):
    monkeypatch.setattr(FlopJob, "run", Counter(interrupt_at=1))
    solve(FLOPS)
    again = Counter()
    monkeypatch.setattr(FlopJob, "run", again)
    assert solve(FLOPS, "--no-resume").exit_code == 0
    assert again.num_flops == 2


def test_flops_of_another_config_are_not_used(solve, monkeypatch):
    monkeypatch.setattr(FlopJob, "run", Counter(interrupt_at=1))
    solve(FLOPS)
    other = Counter()
    monkeypatch.setattr(FlopJob, "run", other)
    assert solve(FLOPS.replace("iterations: 4", "iterations: 5")).exit_code == 0
    assert other.num_flops == 2


@pytest.mark.parametrize(
    ("text", "options", "line"),
    [
        (FLOPS, ["--workers", "0"], "--workers: 0 is not a positive number"),
        (FLOPS.replace("AhKsQd", "AhKsQ"), [], "postflop_model.fixed_flops[0]: "),
        (FLOPS.replace("[1.0, 2.0]", "[0]"), [], "postflop_model.postflop_sprs[0]: "),
        (FLOPS + "  bet_size: [1.0]\n", [], "did you mean bet_sizes?"),
        (PUSH_FOLD, [], "has no section postflop_model"),
    ],
)
def test_impossible_input_is_named_before_any_work(error_line, tmp_path, text, options, line):
    config = write_config(tmp_path, text)
    output = str(tmp_path / "new" / "values")
    assert line in error_line("solve-postflop", "-c", config, "-o", output, *options)
    assert [entry.name for entry in tmp_path.iterdir()] == ["config.yaml"]


def test_finished_flops_lie_next_to_the_result(tmp_path):
    assert checkpoint_directory(tmp_path / "a") == tmp_path / "a.checkpoints"
    (tmp_path / "link").symlink_to(tmp_path / "a")
    assert checkpoint_directory(tmp_path / "link") == tmp_path / "a.checkpoints"


def test_flops_are_described_in_one_line(solve, tmp_path):
    solve(FLOPS)
    line = describe_flops(ValueBundle.load(tmp_path / "values"))
    assert line.startswith("2 flops at 2 SPRs: exploitability ")
    assert line.endswith("% at worst")


def test_a_real_ctrl_c_ends_flops_in_flight_at_once(tmp_path):
    endless = FLOPS.replace("iterations: 4", "iterations: 100000000")
    endless += "  cfr_exploitability_threshold: null\n"
    # A shell that runs the tests in the background lets them, and their children, ignore Ctrl-C.
    listen = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    code = f"{listen}; from runout.cli.main import main; main()"
    config, output = write_config(tmp_path, endless), str(tmp_path / "values")
    program = subprocess.Popen(
        [sys.executable, "-c", code, "solve-postflop", "-c", config, "-o", output, "-w", "2"],
        stderr=subprocess.PIPE,
        text=True,
    )
    messages = ""
    while "2 to solve" not in messages:  # and then they would never end
        messages += program.stderr.readline()
        assert program.poll() is None, messages
    program.send_signal(signal.SIGINT)
    messages += program.communicate(timeout=600)[1]
    assert program.returncode == 130
    assert messages.splitlines()[-1] == (
        "interrupted before any flop was finished, nothing was kept"
    )
    assert "Traceback" not in messages
