import json

import pytest

from runout.cli.targets import count_checkpoints
from runout.errors import BundleError
from runout.postflop.flop_tasks import FlopJob
from runout.results.preflop_bundle import load_solution
from runout.results.run_folders import SOLUTION_FOLDER
from runout.results.value_bundle import ValueBundle
from runout.trees.preflop_betting import SB
from tests.cli.solve_configs import FLOPS, LIMPS, PUSH_FOLD, RAW_EQUITY, write_config
from tests.cli.test_solve_postflop import Counter


@pytest.fixture
def solve(run, tmp_path):
    """Solves a config text into ``tmp_path / "run"``."""

    def invoke(text, *options):
        config = write_config(tmp_path, text)
        output = str(tmp_path / "run")
        return run("solve-preflop", "-c", config, "-o", output, "--workers", "1", *options)

    return invoke


def test_push_or_fold_shows_both_decisions_and_the_value(solve, tmp_path):
    result = solve(PUSH_FOLD)
    assert result.exit_code == 0
    *before, last = result.stderr.splitlines()
    assert before == [
        f"{tmp_path}/config.yaml: no flop is ever seen, none is solved",
        "solving preflop, at most 10,000 iterations",
    ]
    assert last.startswith("preflop: done in ")
    text = result.stdout
    assert text.startswith("SB first in   pot 1.5 bb, EV -0.045 bb\n")
    assert "F fold 41.7%   A all-in 10 58.3%" in text
    assert "BB versus all-in 10   node a, 58.3% of deals, pot 11 bb" in text
    solution = load_solution(tmp_path / "run" / SOLUTION_FOLDER)
    called = 100 * solution.action_frequency(solution.tree.find_node("a-c"))
    assert f"F fold {100 - called:.1f}%   C call {called:.1f}%" in text
    assert "game value -0.045 bb/hand for SB, +0.045 bb/hand for BB" in text
    assert "Exploitability in mbb/hand, by iteration" in text
    assert text.splitlines()[-1].startswith(f"wrote {tmp_path}/run in ")
    assert max(map(len, text.splitlines()[:-1])) <= 80


def test_the_folder_of_the_solution_is_the_one_that_the_pipeline_writes(solve, tmp_path):
    solve(PUSH_FOLD)
    assert [entry.name for entry in (tmp_path / "run").iterdir()] == [SOLUTION_FOLDER]


def test_limps_and_raises_have_their_grids_and_flops_their_sources(solve, tmp_path):
    result = solve(LIMPS)
    assert result.exit_code == 0
    assert "1 flop at " in result.stderr.splitlines()[0]
    text = result.stdout
    for title in ("SB first in", "BB versus limp", "BB versus raise to 2", "BB versus raise to 3"):
        assert title in text
    assert "Flops and where their values come from" in text
    assert "solved at SPR 4.5" in text
    assert "extrapolated" not in text
    assert "1 flop at " in text.splitlines()[-2]
    assert sorted(entry.name for entry in (tmp_path / "run").iterdir()) == ["preflop", "values"]


def test_extrapolated_flops_are_marked(solve):
    text = solve(LIMPS.replace("auto", "[2.0]")).stdout
    assert "! " in text
    assert "extrapolated, SPR 4.5 is outside, taken from SPR 2" in text
    assert "were extrapolated: add the SPR to postflop_sprs, or write auto" in text


def test_raw_equity_says_what_it_is(solve):
    result = solve(RAW_EQUITY)
    assert "flops are checked down, none is solved" in result.stderr
    assert "are checked down: raw equity, no bets after the flop" in result.stdout


def test_rounds_are_told_while_they_run_and_in_the_end(solve):
    result = solve("ranges_rounds: 1\nranges_tolerance: 0\n" + LIMPS)
    assert "and as much time again in each of at most 1 round\n" in result.stderr
    assert "round 1 of at most 1: actions moved by " in result.stderr
    assert "Rounds with the ranges that arrive on the flop" in result.stdout


def test_values_of_an_earlier_solve_are_used(solve, run, tmp_path):
    flops = write_config(tmp_path, FLOPS, "flops.yaml")
    run("solve-postflop", "-c", flops, "-o", str(tmp_path / "values"), "-w", "1")
    config = LIMPS.partition("postflop_model")[0] + "postflop_model_path: values\n"
    result = solve(config)
    assert result.exit_code == 0
    assert f"values of flops come from {tmp_path}/values" in result.stderr


def test_json_has_the_value_and_the_curve(solve, tmp_path):
    document = json.loads(solve(PUSH_FOLD, "--json").stdout)
    solution = load_solution(tmp_path / "run" / SOLUTION_FOLDER)
    assert document["game_value_bb"] == pytest.approx(solution.game_value_bb(SB), abs=1e-12)
    assert document["exploitability_mbb"] < 0.01
    assert document["curve_mbb"][-1][0] == document["iterations"]


def test_a_finished_run_given_again_is_a_note_and_shown_without_any_work(
    solve, tmp_path, monkeypatch
):
    first = solve(LIMPS)
    (tmp_path / "run" / "checkpoints").mkdir()  # as after a kill in the last moment
    counter = Counter()
    monkeypatch.setattr(FlopJob, "run", counter)
    result = solve(LIMPS)
    assert result.exit_code == 0
    assert result.stderr == (
        f"{tmp_path}/run: was done before, nothing is left to do; --overwrite does it again\n"
    )
    path = tmp_path / "run"
    assert result.stdout.splitlines()[:-1] == first.stdout.splitlines()[:-1]
    last = f"{path}, was done before; runout show {path} --node PATH for more"
    assert result.stdout.splitlines()[-1] == last
    assert counter.num_flops == 0
    assert sorted(entry.name for entry in path.iterdir()) == ["preflop", "values"]
    refused = solve(LIMPS, "--no-resume")
    assert refused.exit_code == 2
    assert refused.stderr == (
        f"error: {tmp_path}/run/preflop: exists already, give --overwrite to replace it\n"
    )
    assert solve(LIMPS, "--overwrite").exit_code == 0
    assert counter.num_flops > 0


def test_a_bundle_is_no_place_for_a_run(run, error_line, tmp_path):
    flops, values = write_config(tmp_path, FLOPS, "flops.yaml"), str(tmp_path / "values")
    run("solve-postflop", "-c", flops, "-o", values, "-w", "1")
    line = error_line("solve-preflop", "-c", write_config(tmp_path, PUSH_FOLD), "-o", values)
    assert line == f"{values}: is a bundle by itself, give another directory for the run"


def test_an_interrupted_run_goes_on(solve, tmp_path, monkeypatch):
    two_flops = LIMPS.replace("[AhKsQd]", "[AhKsQd, 2c3h4d]")
    monkeypatch.setattr(FlopJob, "run", Counter(interrupt_at=1))
    result = solve(two_flops)
    assert result.exit_code == 130
    assert f"{tmp_path}/run/checkpoints keeps 1 finished flop" in result.stderr
    rest = Counter()
    monkeypatch.setattr(FlopJob, "run", rest)
    assert solve(two_flops).exit_code == 0
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
