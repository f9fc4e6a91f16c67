"""Tests of `runout.cli.solve`."""

import json
import os
import re
import signal
import subprocess
import sys

import numpy as np
import pytest

from runout.cli.solve import (
    describe_rounding,
    describe_size,
)
from runout.cli.targets import checkpoints_beside, count_checkpoints
from runout.config.load import parse_config
from runout.config.spot import SpotConfig
from runout.errors import BundleError
from runout.flops.solve import PostflopPlan
from runout.flops.spot_setup import SpotSize
from runout.flops.spot_solution import SpotSolution
from runout.holdem.tables import MemoryNeed, Precision
from runout.solutions.preflop import SOLUTION_FOLDER, load_solution
from runout.solutions.values import ValueBundle
from runout.trees.betting import SB
from tests.samples.solve_configs import (
    FLOPS,
    LIMPS,
    PUSH_FOLD,
    RAW_EQUITY,
    SAMPLED_FLOPS,
    write_config,
)

SOLVE_FLOP = PostflopPlan.run


class Counter:
    """Stands in for `PostflopPlan.run`, counts flops and can be interrupted at one."""

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
    assert sum(" at iter " in line for line in others) == 2  # one for each flop
    lines = result.stdout.splitlines()
    assert [line.split()[0] for line in lines[:3]] == ["SPR", "1", "2"]
    assert re.fullmatch(rf"wrote {tmp_path}/values, 2 flops, \d+ kB, in .*", lines[-1])
    assert "deals" not in lines[0]
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["config.yaml", "values"]
    bundle = ValueBundle.load(tmp_path / "values")
    assert [values.spr for values in bundle.values] == [1.0, 2.0]


def test_strategies_are_judged_with_real_cards_if_asked(solve, run, tmp_path):
    result = solve(FLOPS, "--judge", "--json")
    rows = json.loads(result.stdout)["judged"]["rows"]
    judged = json.loads(run("judge", str(tmp_path / "values"), "--json").stdout)["rows"]
    times = ("seconds", "judging_seconds")
    assert len(rows) == 4
    for row, later in zip(rows, judged, strict=True):
        assert row["real_exploitability_pot"] >= row["own_exploitability_pot"] - 1e-6
        assert {**row, **dict.fromkeys(times)} == {**later, **dict.fromkeys(times)}
    assert "real" in solve(FLOPS, "--judge").stdout.splitlines()[4]


def test_what_is_not_kept_cannot_be_judged(solve):
    result = solve(FLOPS + "  keep_strategies: false\n", "--judge")
    assert result.exit_code == 2
    assert "--judge: needs keep_strategies: true" in result.stderr


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
    monkeypatch.setattr(PostflopPlan, "run", counter)
    result = solve(FLOPS)
    assert result.exit_code == 0
    assert result.stderr == (
        f"{tmp_path}/values: already complete; use --overwrite to solve again\n"
    )
    assert result.stdout.splitlines()[:-1] == first.stdout.splitlines()[:-1]
    assert result.stdout.splitlines()[-1].endswith(", already complete")
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
    allowed = "threads, processes, ray, ray:ADDRESS"
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

    monkeypatch.setattr(PostflopPlan, "run", Counter(interrupt_at=1))
    result = solve(FLOPS)
    assert result.exit_code == 130
    checkpoints = tmp_path / "values.checkpoints"
    assert result.stderr.splitlines()[-1] == (
        f"interrupted; rerun the command to resume (1 finished part kept in {checkpoints})"
    )
    assert result.stdout == ""
    assert not (tmp_path / "values").exists()

    rest = Counter()
    monkeypatch.setattr(PostflopPlan, "run", rest)
    result = solve(FLOPS)
    assert result.exit_code == 0
    assert f"resuming from 1 finished part kept in {checkpoints}" in result.stderr
    assert rest.num_flops == 1
    assert not checkpoints.exists()
    found = ValueBundle.load(tmp_path / "values")
    for values, other in zip(found.values, expected.values, strict=True):
        np.testing.assert_array_equal(values.value_pot, other.value_pot)


def test_a_fresh_start_solves_all_flops_again(solve, monkeypatch):
    monkeypatch.setattr(PostflopPlan, "run", Counter(interrupt_at=1))
    solve(FLOPS)
    again = Counter()
    monkeypatch.setattr(PostflopPlan, "run", again)
    assert solve(FLOPS, "--no-resume").exit_code == 0
    assert again.num_flops == 2


def test_flops_of_another_config_are_not_used(solve, monkeypatch):
    monkeypatch.setattr(PostflopPlan, "run", Counter(interrupt_at=1))
    solve(FLOPS)
    other = Counter()
    monkeypatch.setattr(PostflopPlan, "run", other)
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
    assert checkpoints_beside(tmp_path / "a") == tmp_path / "a.checkpoints"
    (tmp_path / "link").symlink_to(tmp_path / "a")
    assert checkpoints_beside(tmp_path / "link") == tmp_path / "a.checkpoints"


def test_a_real_ctrl_c_ends_flops_in_flight_at_once(tmp_path):
    endless = FLOPS.replace("iterations: 4", "iterations: 100000000")
    endless += "  cfr_exploitability_threshold: null\n"
    # A shell that runs the tests in the background lets them, and their children, ignore Ctrl-C.
    listen = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    code = f"{listen}; from runout.cli.app import main; main()"
    config, output = write_config(tmp_path, endless), str(tmp_path / "values")
    program = subprocess.Popen(
        [sys.executable, "-c", code, "solve-postflop", "-c", config, "-o", output, "-w", "2"],
        stderr=subprocess.PIPE,
        text=True,
    )
    messages = ""
    while "Flops 0/2" not in messages:  # and then they would never end
        messages += program.stderr.readline()
        assert program.poll() is None, messages
    program.send_signal(signal.SIGINT)
    messages += program.communicate(timeout=600)[1]
    assert program.returncode == 130
    assert messages.splitlines()[-1] == ("interrupted before any part was finished")
    assert "Traceback" not in messages


@pytest.fixture
def solve_of_test_solve_preflop(run, tmp_path):
    """Solves a config text into ``tmp_path / "run"``."""

    def invoke(text, *options):
        config = write_config(tmp_path, text)
        output = str(tmp_path / "run")
        return run("solve-preflop", "-c", config, "-o", output, "--workers", "1", *options)

    return invoke


def test_push_or_fold_shows_both_decisions_and_the_value(solve_of_test_solve_preflop, tmp_path):
    result = solve_of_test_solve_preflop(PUSH_FOLD)
    assert result.exit_code == 0
    first, second, *_ = (
        x for x in result.stderr.splitlines() if not x.lower().startswith("compil")
    )
    assert first == f"{tmp_path}/config.yaml: no flop is ever seen, none is solved"
    assert second == "Preflop 0/10,000"
    text = result.stdout
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert lines[0] == "SB first in pot 1.5 bb, 9.5 and 9 behind"
    assert any(line.startswith("SB 0.455 30.31% 50.00%") for line in lines)  # folding is 0
    assert "F fold 41.74% 41.74% 0.000 f" in lines
    assert "BB versus all-in 10 pot 11 bb, 0 and 9 behind, 58.3% of deals" in lines
    solution = load_solution(tmp_path / "run" / SOLUTION_FOLDER)
    called = 100 * solution.node("a").frequency()[1]
    assert any(line.startswith(f"F fold {100 - called:.2f}%") for line in lines)
    assert any(line.startswith(f"C call {called:.2f}%") for line in lines)
    assert "game value -0.045 bb/hand for SB, +0.045 bb/hand for BB" in text
    assert "Exploitability by iteration" in text
    assert text.splitlines()[-1].startswith(f"wrote {tmp_path}/run, in ")
    assert max(map(len, text.splitlines()[:-1])) <= 80


def test_the_folder_of_the_solution_is_the_one_that_the_pipeline_writes(
    solve_of_test_solve_preflop, tmp_path
):
    solve_of_test_solve_preflop(PUSH_FOLD)
    assert [entry.name for entry in (tmp_path / "run").iterdir()] == [SOLUTION_FOLDER]


def test_limps_and_raises_have_their_grids_and_flops_their_sources(
    solve_of_test_solve_preflop, tmp_path
):
    result = solve_of_test_solve_preflop(LIMPS)
    assert result.exit_code == 0
    assert "1 flop at " in result.stderr.splitlines()[0]
    text = result.stdout
    for title in ("SB first in", "BB versus limp", "BB versus raise to 2", "BB versus raise to 3"):
        assert title in text
    assert "Flops and the source of their values" in text
    assert "solved at SPR 4.5" in text
    assert "extrapolated" not in text
    assert "exploitability, mean" in text
    assert sorted(entry.name for entry in (tmp_path / "run").iterdir()) == ["preflop", "values"]


def test_extrapolated_flops_are_marked(solve_of_test_solve_preflop):
    text = solve_of_test_solve_preflop(LIMPS.replace("auto", "[2.0]")).stdout
    assert "! " in text
    assert "extrapolated, SPR 4.5 is outside, taken from SPR 2" in text
    assert "were extrapolated: add the SPR to postflop_sprs, or write auto" in text


def test_raw_equity_says_what_it_is(solve_of_test_solve_preflop):
    result = solve_of_test_solve_preflop(RAW_EQUITY)
    assert "flops are checked down, none is solved" in result.stderr
    assert "are checked down: raw equity, no bets after the flop" in result.stdout


def test_values_of_an_earlier_solve_are_used(solve_of_test_solve_preflop, run, tmp_path):
    flops = write_config(tmp_path, FLOPS, "flops.yaml")
    run("solve-postflop", "-c", flops, "-o", str(tmp_path / "values"), "-w", "1")
    config = LIMPS.partition("postflop_model")[0] + "postflop_model_path: values\n"
    result = solve_of_test_solve_preflop(config)
    assert result.exit_code == 0
    assert f"values of flops come from {tmp_path}/values" in result.stderr


def test_json_has_the_value_and_the_curve(solve_of_test_solve_preflop, tmp_path):
    document = json.loads(solve_of_test_solve_preflop(PUSH_FOLD, "--json").stdout)
    solution = load_solution(tmp_path / "run" / SOLUTION_FOLDER)
    assert document["game_value_bb"] == pytest.approx(solution.game_value_bb(SB), abs=1e-12)
    assert document["exploitability_mbb"] < 0.01
    assert document["curve_mbb"][-1][0] == document["iterations"]


def test_a_finished_run_given_again_is_a_note_and_shown_without_any_work(
    solve_of_test_solve_preflop, tmp_path, monkeypatch
):
    first = solve_of_test_solve_preflop(LIMPS)
    (tmp_path / "run" / "checkpoints").mkdir()  # as after a kill in the last moment
    counter = Counter()
    monkeypatch.setattr(PostflopPlan, "run", counter)
    result = solve_of_test_solve_preflop(LIMPS)
    assert result.exit_code == 0
    assert result.stderr == (f"{tmp_path}/run: already complete; use --overwrite to solve again\n")
    path = tmp_path / "run"
    assert result.stdout.splitlines()[:-1] == first.stdout.splitlines()[:-1]
    last = f"{path}, already complete; runout show {path} --node PATH for more"
    assert result.stdout.splitlines()[-1] == last
    assert counter.num_flops == 0
    assert sorted(entry.name for entry in path.iterdir()) == ["preflop", "values"]
    refused = solve_of_test_solve_preflop(LIMPS, "--no-resume")
    assert refused.exit_code == 2
    assert refused.stderr == (
        f"error: {tmp_path}/run/preflop: exists already, give --overwrite to replace it\n"
    )
    assert solve_of_test_solve_preflop(LIMPS, "--overwrite").exit_code == 0
    assert counter.num_flops > 0


def test_a_bundle_is_no_place_for_a_run(run, error_line, tmp_path):
    flops, values = write_config(tmp_path, FLOPS, "flops.yaml"), str(tmp_path / "values")
    run("solve-postflop", "-c", flops, "-o", values, "-w", "1")
    line = error_line("solve-preflop", "-c", write_config(tmp_path, PUSH_FOLD), "-o", values)
    assert line == f"{values}: is a bundle, give another directory for the run"


def test_an_interrupted_run_goes_on(solve_of_test_solve_preflop, tmp_path, monkeypatch):
    two_flops = LIMPS.replace("[AhKsQd]", "[AhKsQd, 2c3h4d]")
    monkeypatch.setattr(PostflopPlan, "run", Counter(interrupt_at=1))
    result = solve_of_test_solve_preflop(two_flops)
    assert result.exit_code == 130
    assert f"(1 finished part kept in {tmp_path}/run/checkpoints)" in result.stderr
    rest = Counter()
    monkeypatch.setattr(PostflopPlan, "run", rest)
    assert solve_of_test_solve_preflop(two_flops).exit_code == 0
    assert rest.num_flops == 1
    assert ValueBundle.load(tmp_path / "run" / "values")
    assert not (tmp_path / "run" / "checkpoints").exists()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (PUSH_FOLD.replace("pushfold", "pushfolt"), "preflop.preset: "),
        (PUSH_FOLD + "iteration: 5\n", "did you mean iterations?"),
        (LIMPS.replace("2bb, 3bb", "2bb, -3bb"), "preflop.raise_sizes[0][1]: "),
        (LIMPS.replace("[AhKsQd]", "[AhAhQd]"), "postflop_model.fixed_flops[0]: "),
        (FLOPS, "config.yaml: is the config of flops, for runout solve-postflop"),
        (
            LIMPS.partition("postflop_model")[0] + "postflop_model_path: nothing\n",
            "postflop_model_path: ",
        ),
    ],
)
def test_a_bad_config_is_one_line_with_the_path_in_the_file(error_line, tmp_path, text, line):
    config = write_config(tmp_path, text)
    found = error_line("solve-preflop", "-c", config, "-o", str(tmp_path / "new" / "run"))
    assert line in found
    assert [entry.name for entry in tmp_path.iterdir()] == ["config.yaml"]


def test_a_refused_bundle_of_values_leaves_no_directory(run, tmp_path):
    (tmp_path / "values").mkdir()
    config = write_config(
        tmp_path, RAW_EQUITY.replace("flop_values: raw_equity", "postflop_model_path: values")
    )
    result = run("solve-preflop", "-c", config, "-o", str(tmp_path / "new" / "run"))
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1].startswith("error: ")
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["config.yaml", "values"]


@pytest.mark.parametrize("command", ["solve-preflop", "solve-postflop"])
def test_a_result_that_cannot_be_written_leaves_finished_flops_only(
    run, tmp_path, monkeypatch, command
):
    def refuse(bundle, path, overwrite):
        raise BundleError(str(path), "cannot be written (disk full)")

    monkeypatch.setattr(ValueBundle, "save", refuse)
    config, path = write_config(tmp_path, LIMPS), tmp_path / "new" / "run"
    result = run(command, "-c", config, "-o", str(path), "-w", "1")
    assert result.exit_code == 2
    assert result.stderr.endswith("cannot be written (disk full)\n")
    directory = (
        path / "checkpoints" if command == "solve-preflop" else path.parent / "run.checkpoints"
    )
    assert count_checkpoints(directory) == 1
    assert [
        entry for entry in tmp_path.rglob("*") if entry.is_dir() and not any(entry.iterdir())
    ] == []


OPTIONS = {
    "--board": "2c3d4h8s9c",
    "--oop": "AA,QQ",
    "--ip": "KK",
    "--pot": "100",
    "--stack": "100",
    "--bets": "a",
    "--target": "0.5%",
    "--max-iterations": "5000",
    "--workers": "1",
}
CONFIG = """\
board: 2c3d4h8s9c
oop: AA,QQ
ip: KK
pot: 100
stack: 100
bet_sizes: a
"""


def flat(options):
    return [part for pair in options.items() for part in pair]


@pytest.fixture
def solve_of_test_solve_spot(run, tmp_path):
    """Solves the river of `OPTIONS`, with others, into ``tmp_path / "spot"``."""

    def invoke(*more, **changed):
        options = OPTIONS | {f"--{key}": value for key, value in changed.items()}
        return run("solve-spot", *flat(options), "-o", str(tmp_path / "spot"), *more)

    return invoke


@pytest.fixture
def problem(run):
    """Returns the error of a solve with changed options; None leaves one out."""

    def invoke(*more, **changed):
        options = OPTIONS | {f"--{key}": value for key, value in changed.items()}
        given = {name: value for name, value in options.items() if value is not None}
        result = run("solve-spot", *flat(given), *more)
        assert (result.exit_code, result.stdout) == (2, "")
        return result.stderr.splitlines()[-1].removeprefix("error: ")

    return invoke


def test_a_solve_shows_the_first_decision_and_how_well_it_is_solved(
    solve_of_test_solve_spot, tmp_path
):
    result = solve_of_test_solve_spot()
    assert result.exit_code == 0
    first, second, third, *_ = result.stderr.splitlines()
    assert first == "2c3d4h8s9c: 9 nodes of betting, 12 against 6 combos"
    assert second == "boards: 1 river"
    assert re.fullmatch(r"memory: \d+ kB for the spot \(.*\), 220 MB for the program", third)
    lines = result.stdout.splitlines()
    assert lines[0] == "OOP acts on 2c3d4h8s9c   pot 100, 100 behind"
    assert any(line.startswith("OOP   ") and "%" in line for line in lines)
    assert any(line.startswith("A   all-in 100") for line in lines)
    assert lines[-2] == "ended: exploitability reached"
    assert lines[-1].startswith(f"wrote {tmp_path}/spot, ")
    assert max(map(len, lines[:-2])) <= 100
    assert SpotSolution.load(tmp_path / "spot").exploitability_pot <= 0.005


@pytest.mark.parametrize(("precision", "chosen", "other"), [(32, 600, 350), (16, 350, 600)])
def test_the_memory_of_another_precision_is_told(precision, chosen, other):
    needs = {32: MemoryNeed(500_000_000, 0, 100_000_000)}
    needs |= {16: MemoryNeed(250_000_000, 0, 100_000_000)}
    size = SpotSize(9, (1,), (12, 6), {Precision(bits): need for bits, need in needs.items()})
    config = parse_config(CONFIG, SpotConfig, {"precision": precision})
    assert describe_size(config, size).splitlines()[2] == (
        f"memory: {chosen} MB for the spot ({other} MB with precision {48 - precision}), "
        "220 MB for the program"
    )


def test_json_has_what_was_found(solve_of_test_solve_spot, tmp_path):
    document = json.loads(solve_of_test_solve_spot("--json").stdout)
    assert document["path"] == str(tmp_path / "spot")
    assert document["exploitability_pot"] <= 0.005
    assert document["ev_chips"]["OOP"] == pytest.approx(75.0, abs=1.0)
    assert sum(document["ev_chips"].values()) == pytest.approx(100.0, abs=1e-2)
    assert document["equity"]["OOP"] == pytest.approx(0.5, abs=0.01)
    assert [action["action"] for action in document["actions"]] == ["x", "a"]


def test_without_a_directory_nothing_is_saved(run, tmp_path):
    result = run("solve-spot", *flat(OPTIONS))
    assert result.exit_code == 0
    lines = result.stderr.splitlines()
    assert lines[3] == "nothing will be kept, give --output DIR to keep it"


def test_options_win_over_the_config(run, tmp_path):
    config = write_config(tmp_path, CONFIG)
    document = json.loads(run("solve-spot", "-c", config, "--pot", "50", "--json").stdout)
    assert document["pot_chips"] == 50
    assert document["path"] is None


def test_an_estimate_solves_nothing(run):
    options = flat(OPTIONS | {"--board": "2c3d4h", "--rivers": "exact"})
    lines = run("solve-spot", *options, "--estimate").stdout.splitlines()
    assert lines[0].startswith("2c3d4h: ")
    assert lines[1].startswith("boards: 1 flop, ")
    assert lines[2].startswith("memory: ")
    assert max(map(len, lines)) <= 80
    facts = json.loads(run("solve-spot", *options, "--estimate", "--json").stdout)
    assert facts["num_hands"] == [12, 6]
    assert facts["memory_bytes_16"] < facts["memory_bytes_32"]


def test_rake_is_told(solve_of_test_solve_spot):
    lines = solve_of_test_solve_spot("--rake", "0.05").stdout.splitlines()
    assert "raked: not a zero-sum game, the EVs add up to the pot less rake" in lines


def test_the_same_command_goes_on(solve_of_test_solve_spot, tmp_path):
    first = json.loads(
        solve_of_test_solve_spot("--json", **{"max-iterations": "20", "target": "0.001%"}).stdout
    )
    second = json.loads(
        solve_of_test_solve_spot("--json", **{"max-iterations": "50", "target": "0.001%"}).stdout
    )
    assert (first["iterations"], second["iterations"]) == (20, 50)
    assert second["stopped_by"] == "all iterations done"


def test_a_target_that_was_missed_is_told(solve_of_test_solve_spot, run):
    result = solve_of_test_solve_spot(**{"max-iterations": "10", "target": "0.001%"})
    missed = "the target of 0.001% was not reached, increase --max-iterations to continue"
    assert result.stderr.splitlines()[-1] == missed
    options = flat(OPTIONS | {"--max-iterations": "10", "--target": "0.001%"})
    assert missed in run("solve-spot", *options).stderr.splitlines()
    without = run("solve-spot", *flat(OPTIONS | {"--max-iterations": "10", "--target": "null"}))
    assert "target" not in without.stderr


def test_what_is_done_already_is_not_said_to_be_written(solve_of_test_solve_spot, tmp_path):
    solve_of_test_solve_spot()
    path = tmp_path / "spot"
    lines = solve_of_test_solve_spot(
        **{"max-iterations": "10", "target": "0.001%"}
    ).stdout.splitlines()
    assert lines[-2] == "ended: all iterations done"
    assert lines[-1].startswith(f"{path}, ")
    assert "already complete; runout show" in lines[-1]


def test_another_spot_in_the_directory_is_named(solve_of_test_solve_spot, problem, tmp_path):
    solve_of_test_solve_spot()
    path = str(tmp_path / "spot")
    line = f"{path}: holds another spot: pot is 100.0 there and 120.0 here"
    assert problem("-o", path, pot="120").endswith(line)
    line = f"{path}: holds another spot: oop is another range, 12 combos there and 6.5 here"
    assert problem("-o", path, oop="AA,KsQs:0.5") == line
    exists = f"{path}: exists already, give --overwrite to replace it"
    assert problem("-o", path, "--no-resume") == exists
    assert solve_of_test_solve_spot("--overwrite", pot="120").exit_code == 0


def test_a_bundle_of_another_kind_is_never_replaced(problem, solved):
    path = str(solved / "preflop")
    line = f"{path}: is a bundle of kind preflop_solution, will not be overwritten"
    assert problem("-o", path, "--overwrite") == line


@pytest.mark.parametrize(
    ("option", "value", "expected"),
    [
        ("board", "2c3d2c", "--board: 2c: dealt twice in 2c3d2c"),
        ("oop", "KX", "--oop: 'KX': 'X' is not a rank, use one of 23456789TJQKA"),
        ("ip", "9c8s", "--ip: no hand of the range avoids the board 2c3d4h8s9c"),
        ("pot", "0", "--pot: 0.0 should be greater than or equal to 0.001"),
        ("pot", "much", "--pot: 'much' is not a number"),
        ("bets", "33", "--bets[0]: '33' has no unit, "),
        ("bets", "50%,2x", "--bets[1]: '2x' multiplies a bet, but there is none yet: for raises"),
        ("bets", "200c", "--bets[0]: '200c' cannot be bet, the stack is 100"),
        ("target", "0", "--target: 0 is not a percentage of the pot such as 0.5%, above 0%"),
        ("target", "0%", "--target: 0% is not a percentage of the pot such as 0.5%, above 0%"),
        ("precision", "64", "--precision: 64 is not one of 32, 16"),
        ("workers", "0", "--workers: 0 is not a positive number"),
        ("stack", None, "--stack: is missing, give it or a file by --config"),
    ],
)
def test_a_wrong_option_is_one_line(problem, option, value, expected):
    assert problem(**{option: value}).startswith(expected)


def test_a_wrong_key_of_the_config_is_named_with_its_line(error_line, tmp_path):
    config = write_config(tmp_path, CONFIG.replace("pot: 100", "pot: none"))
    line = error_line("solve-spot", "-c", config)
    assert line == "pot: 'none' is not a number (line 4)"


def begin_endless(path, setup="pass", **options):
    """Starts a solve that never ends, and waits until it is under way."""
    endless = OPTIONS | {"--target": "0.0000001%", "--max-iterations": "2000000000"}
    command = f"import signal; {setup}; from runout.cli.app import main; main()"
    environment = os.environ | {"COLUMNS": "100"} | options.pop("env", {})
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(
        [sys.executable, "-c", command, "solve-spot", *flat(endless), "-o", str(path)],
        **(streams | options),
        text=True,
        env=environment,
    )


def wait_for_iterations(program):
    for line in program.stderr:
        if line.startswith(("Spot ", '{"event": "SpotSolving"')):
            break


STOP_SIGNALS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]


@pytest.mark.parametrize("signal_number", STOP_SIGNALS)
def test_a_signal_saves_a_solve_that_the_same_command_resumes(tmp_path, signal_number):
    path = tmp_path / "spot"
    program = begin_endless(path)
    wait_for_iterations(program)
    program.send_signal(signal_number)
    _, messages = program.communicate(timeout=600)
    assert program.returncode == 130
    assert "Traceback" not in messages
    last = messages.splitlines()[-1]
    assert last.startswith("interrupted; rerun the command to resume (")
    assert last.endswith(f" kept in {path})")
    assert SpotSolution.load(path).is_interrupted
    assert [entry.name for entry in tmp_path.iterdir()] == ["spot"]


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs terminals")
def test_a_terminal_that_is_closed_saves_a_solve(tmp_path):
    ours, theirs = os.openpty()
    streams = dict.fromkeys(("stdin", "stdout", "stderr"), theirs)
    takes = "import fcntl, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0)"
    program = begin_endless(tmp_path / "spot", takes, **streams, start_new_session=True)
    os.close(theirs)
    seen = b""
    while b"Spot " not in seen:
        seen += os.read(ours, 4096)
    os.close(ours)
    assert program.wait(600) == 130
    assert SpotSolution.load(tmp_path / "spot").is_interrupted


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="needs SIGHUP")
def test_nohup_is_respected(tmp_path):
    program = begin_endless(tmp_path / "spot", "signal.signal(signal.SIGHUP, signal.SIG_IGN)")
    wait_for_iterations(program)
    program.send_signal(signal.SIGHUP)
    with pytest.raises(subprocess.TimeoutExpired):
        program.wait(0.5)
    program.terminate()
    program.communicate(timeout=600)
    assert program.returncode == 130


def test_a_solve_that_another_program_has_started_is_saved_when_that_is_gone(tmp_path):
    environment = {"RUNOUT_ENDS_WITH_INPUT": "1", "RUNOUT_EVENTS": "json"}
    program = begin_endless(tmp_path / "spot", stdin=subprocess.PIPE, env=environment)
    wait_for_iterations(program)
    program.stdin.close()
    program.stdin = None
    _, messages = program.communicate(timeout=600)
    assert program.returncode == 130
    assert "Traceback" not in messages
    assert SpotSolution.load(tmp_path / "spot").is_interrupted


@pytest.mark.parametrize(
    ("pot", "stack", "note"),
    [
        ("5", "97", "bets are whole chips: 33% is 2 (40.0%), --pot 500 --stack 9700 is finer"),
        ("5.5", "97.5", None),
        ("100", "910", None),
    ],
)
def test_rounding_that_changes_a_bet_is_told(pot, stack, note):
    given = {"board": "2c3d4h8s9c", "oop": "AA", "ip": "KK", "bet_sizes": "33%"}
    config = SpotConfig.parse({**given, "pot": float(pot), "stack": float(stack)})
    assert describe_rounding(config) == note
