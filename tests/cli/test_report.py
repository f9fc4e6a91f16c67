import csv
import json
from pathlib import Path

import pytest

from runout.cli import report as report_command
from runout.solutions.reports import TableChoice, save_report
from runout.storage.ledger import Ledger, TaskId, TaskRecord
from tests.samples.small_reports import make_report

SPOT = ["--oop", "AA,KJs", "--ip", "QQ,T9s", "--pot", "20", "--stack", "20", "--bets", "50%"]
FLOPS = ["--flops", "AhKd7s,9h6h2h"]
LIMITS = ["--raises", "a", "--max-iterations", "10"]


@pytest.fixture
def run(run, monkeypatch):
    """Runs a command where tables of all columns fit."""
    monkeypatch.setenv("COLUMNS", "200")
    return run


@pytest.fixture
def made_up(tmp_path):
    """The directory of a report whose numbers are known."""
    save_report(tmp_path, make_report(), "pot: 20\n", "a" * 64)
    return str(tmp_path)


@pytest.fixture(scope="module")
def solved(tmp_path_factory):
    from typer.testing import CliRunner

    from runout.cli.program import app

    path = tmp_path_factory.mktemp("reports") / "srp"
    command = ["report", *SPOT, *FLOPS, *LIMITS, "-o", str(path)]
    result = CliRunner().invoke(app, command, env={"COLUMNS": "200"})
    assert result.exit_code == 0, result.stderr
    return path, result


def test_a_report_is_solved_and_shown(solved, run):
    path, result = solved
    lines = result.stdout.splitlines()
    assert lines[0] == "OOP acts   line root, pot 20"
    assert any(line.startswith("overall") for line in lines)
    assert any(line.startswith("AhKd7s  EV OOP ") for line in result.stderr.splitlines())
    assert sorted(p.name for p in (path / "lines").iterdir()) == ["root", "x"]
    assert run("report", str(path)).stdout == result.stdout


def test_the_same_command_shows_it_again_without_solving(solved, run, monkeypatch):
    path, result = solved
    monkeypatch.setattr("runout.runs.report.solve_spot", None)
    again = run("report", *SPOT, *FLOPS, *LIMITS, "-o", str(path))
    assert (again.exit_code, again.stdout) == (0, result.stdout)


def test_more_flops_solve_only_what_is_new(solved, run, tmp_path):
    path, _ = solved
    more = ["--flops", "AhKd7s,9h6h2h,8s8d3c"]
    result = run("report", *SPOT, *more, *LIMITS, "-o", str(path), "--json")
    document = json.loads(result.stdout)
    assert document["num_finished"] == 3
    assert document["lines"][0]["columns"]["flop"] != []
    run("report", *SPOT, *FLOPS, *LIMITS, "-o", str(path))


def test_a_table_has_groups_and_means(run, made_up):
    lines = run("report", made_up, "--line", "root").stdout.splitlines()
    rows = {line.split("  ")[0]: line.split() for line in lines if line}
    assert rows["overall"][:4] == ["overall", "3", "100.0", "50.0"]
    assert rows["monotone"][:3] == ["monotone", "1", "10.0"]
    assert rows["AhKd7s"][1] == "50.0"
    assert lines[-1].startswith("3 flops of 4, exploitability (real game) at most 0.40% of the pot")


def test_filters_and_orders_choose_rows(run, made_up):
    result = run("report", made_up, "-l", "root", "--where", "suits=rainbow", "--sort", "-b10")
    names = [
        line.split()[0] for line in result.stdout.splitlines() if line[:2] in ("Ah", "8s", "9h")
    ]
    assert names == ["8s8d3c", "AhKd7s"]
    assert "filtered" in result.stdout
    few = run("report", made_up, "-l", "root", "--rows", "1", "--by", "suits").stdout
    assert "... 2 more" in few
    assert "unpaired" not in few


def test_json_has_columns_and_means(run, made_up):
    document = json.loads(run("report", made_up, "--json", "--where", "suits=monotone").stdout)
    first = document["lines"][0]
    assert first["columns"]["flop"] == ["9h6h2h"]
    assert first["overall"]["ev_oop"] == pytest.approx(10.8)
    assert first["filtered"]["ev_oop"] == pytest.approx(8.0)


def test_a_file_of_flops_may_have_weights(tmp_path):
    file = tmp_path / "flops.txt"
    file.write_text("# two of them\nAhKd7s:3\n\nTh9h6c:1  # wet\n")
    flops = report_command._read_flops(str(file))
    assert flops.names == ("AhKd7s", "Th9h6c")
    assert flops.weights.tolist() == [0.75, 0.25]
    file.write_text("AhKd7s, Th9h6c")
    assert report_command._read_flops(str(file)).weights.tolist() == pytest.approx([2 / 3, 1 / 3])


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--where", "suit=monotone"], "where 'suit=monotone': 'suit' is none of high, suits"),
        (["--where", "suits=monoton"], "where 'suits=monoton': 'monoton' is no value of suits"),
        (["--sort", "b99"], "sort: 'b99' is no column, use one of flop, share, weight"),
        (["--line", "x:b99"], "line 'x:b99': is not in this report, it has root, x:x"),
        (["--rows", "x"], "--rows: 'x' is not a whole number or all"),
        (["--flops", "25"], "DIR: is an existing report; to solve one use --output"),
    ],
)
def test_what_cannot_be_shown_is_one_line(error_line, made_up, options, expected):
    assert error_line("report", made_up, *options).replace(made_up, "DIR").startswith(expected)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (
            ["--flops", "none.txt"],
            "--flops: 'none.txt' is no flop such as AhKd7s or AhKd7s:0.5; give all, one of 8, 13, ",
        ),
        (["--flops", "7"], "flop subset of 7: the shipped subsets have 8, 13, 25"),
        (["--flops", "AhKd7s,7dAhKs"], "--flops: both are AsKh7d up to suits"),
        (["--line", "x:b99"], "path 'x:b99', step 2: 'b99' is not an action after 'x'"),
        (["--line", "x:x:8h"], "line 'x:x:8h': has cards in it, a report stays on the flop"),
        (["--oop", "AhKh"], "--oop: tells suits apart"),
        (["--pot", "-1"], "--pot: -1.0 should be greater than or equal to 0.001"),
        (["--sort", "zz"], "sort: 'zz' is no column"),
        (["--size-costs"], "size costs: there is nothing to compare"),
        (["--workers", "0"], "--workers: 0 is not a positive number"),
        (["--from", "nowhere"], "--node: is missing, --from needs it"),
    ],
)
def test_what_cannot_be_solved_is_one_line(error_line, tmp_path, options, expected):
    directory = tmp_path / "report"
    line = error_line("report", *SPOT, *LIMITS, "-o", str(directory), *options)
    assert line.startswith(expected)
    assert not directory.exists()


def test_a_directory_or_a_spot_that_is_missing_is_told(error_line, tmp_path):
    assert error_line("report", *SPOT).startswith("--output: missing")
    assert error_line("report", "-o", str(tmp_path / "a")).startswith("--oop: is missing")
    assert error_line("report", str(tmp_path / "a")).endswith("does not exist")
    run_config = error_line("report", "-c", "configs/smoke.yaml", "-o", str(tmp_path / "a"))
    assert "is the config of a run, for runout solve-preflop" in run_config
    board = error_line("report", "-c", "configs/spot_flop.yaml", "-o", str(tmp_path / "a"))
    assert board.endswith("for runout solve-spot; here that of a report is read")


def test_the_report_of_another_spot_is_not_replaced(error_line, made_up):
    line = error_line("report", *SPOT, *FLOPS, *LIMITS, "-o", made_up)
    assert line.endswith("has the report of another spot, choose another directory or --overwrite")


def test_files_follow_piosolver(solved):
    path, _ = solved
    lines = (path / "lines" / "x" / "report.csv").read_text().splitlines()
    header = next(csv.reader(lines[3:4]))
    assert header[:3] == ["Flop", "Global %", "OOP Equity"]
    assert lines[-1].startswith("All,")


def test_usual_choice_shows_every_line():
    assert [table.line.path for table, *_ in TableChoice().tables(make_report())] == ["", "x:x"]


def test_a_check_reads_the_ledger_too(run, made_up):
    ledger = Ledger(Path(made_up) / "ledger")
    for digit in "ab":
        ledger.save(TaskId("AhKd7s", digit * 64), {}, TaskRecord.of_this_process(0.0))
    whole = json.loads(run("show", made_up, "--check", "--json").stdout)
    assert whole["ledger"] == {"num_finished": 2, "damaged": []}
    entry = ledger.file_of(TaskId("AhKd7s", "a" * 64))
    entry.write_bytes(entry.read_bytes()[:-1] + b"x")
    checked = json.loads(run("show", made_up, "--check", "--json").stdout)["ledger"]
    assert (checked["num_finished"], len(checked["damaged"])) == (1, 1)
    assert "1 damaged, to be computed again" in run("show", made_up, "--check").stdout
