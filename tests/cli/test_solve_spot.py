import json
import os
import re
import signal
import subprocess
import sys

import pytest

from runout.cli.solve_spot import describe_rounding, describe_size, read_config
from runout.config.load import load_spot_config
from runout.holdem.tables import MemoryNeed, Precision
from runout.postflop.spot.spot_setup import SpotSize
from runout.postflop.spot.spot_solution import KIND, SpotSolution
from tests.cli.solve_configs import write_config

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
def solve(run, tmp_path):
    """Solves the river of `OPTIONS`, with others, into ``tmp_path / "spot"``."""

    def invoke(*more, **changed):
        options = OPTIONS | {f"--{key}": value for key, value in changed.items()}
        return run("solve-spot", *flat(options), "-o", str(tmp_path / "spot"), *more)

    return invoke


@pytest.fixture
def problem(error_line):
    """Returns the error of a solve with changed options; None leaves one out."""

    def invoke(*more, **changed):
        options = OPTIONS | {f"--{key}": value for key, value in changed.items()}
        given = {name: value for name, value in options.items() if value is not None}
        return error_line("solve-spot", *flat(given), *more)

    return invoke


def test_the_kind_is_that_of_the_bundle():
    from runout.cli.solve_spot import SPOT_KIND

    assert SPOT_KIND == KIND


def test_a_solve_shows_the_first_decision_and_how_well_it_is_solved(solve, tmp_path):
    result = solve()
    assert result.exit_code == 0
    first, second, third, *_ = result.stderr.splitlines()
    assert first == "2c3d4h8s9c: 9 nodes of betting, 12 against 6 combos"
    assert second == "boards: 1 river"
    assert re.fullmatch(r"memory: \d+ kB for the spot, 220 MB for the program", third)
    lines = result.stdout.splitlines()
    assert lines[0] == "OOP acts on 2c3d4h8s9c   pot 100, 100 behind"
    assert any(line.startswith("OOP   ") and "%" in line for line in lines)
    assert any(line.startswith("A   all-in 100") for line in lines)
    assert lines[-2].endswith("; exploitability reached")
    assert lines[-1].startswith(f"wrote {tmp_path}/spot, ")
    assert max(map(len, lines[:-2])) <= 100
    assert SpotSolution.load(tmp_path / "spot").exploitability_pot <= 0.005


@pytest.mark.parametrize(("precision", "chosen", "other"), [(32, 600, 350), (16, 350, 600)])
def test_another_precision_is_told_where_it_matters(precision, chosen, other):
    needs = {32: MemoryNeed(500_000_000, 0, 100_000_000)}
    needs |= {16: MemoryNeed(250_000_000, 0, 100_000_000)}
    size = SpotSize(9, (1,), (12, 6), {Precision(bits): need for bits, need in needs.items()})
    config = load_spot_config(CONFIG, {"precision": precision})
    assert describe_size(config, size).splitlines()[2] == (
        f"memory: {chosen} MB for the spot ({other} MB with precision {48 - precision}), "
        "220 MB for the program"
    )


def test_json_has_what_was_found(solve, tmp_path):
    document = json.loads(solve("--json").stdout)
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
    options = flat(OPTIONS | {"--board": "2c3d4h"})
    lines = run("solve-spot", *options, "--estimate").stdout.splitlines()
    assert lines[0].startswith("2c3d4h: ")
    assert lines[1].startswith("boards: 1 flop, ")
    assert lines[2].startswith("memory: ")
    assert max(map(len, lines)) <= 80
    facts = json.loads(run("solve-spot", *options, "--estimate", "--json").stdout)
    assert facts["num_hands"] == [12, 6]
    assert facts["memory_bytes_16"] < facts["memory_bytes_32"]


def test_rake_is_told(solve):
    lines = solve("--rake", "0.05").stdout.splitlines()
    assert "raked: not a zero-sum game, the EVs add up to the pot less rake" in lines


def test_the_same_command_goes_on(solve, tmp_path):
    first = json.loads(solve("--json", **{"max-iterations": "20", "target": "0.001%"}).stdout)
    second = json.loads(solve("--json", **{"max-iterations": "50", "target": "0.001%"}).stdout)
    assert (first["iterations"], second["iterations"]) == (20, 50)
    assert second["stopped_by"] == "all iterations done"


def test_a_target_that_was_missed_is_told(solve, run):
    result = solve(**{"max-iterations": "10", "target": "0.001%"})
    missed = "the target of 0.001% was not reached, a larger --max-iterations"
    assert result.stderr.splitlines()[-1] == f"{missed} goes on from here"
    options = flat(OPTIONS | {"--max-iterations": "10", "--target": "0.001%"})
    assert f"{missed} is the way on" in run("solve-spot", *options).stderr.splitlines()
    without = run("solve-spot", *flat(OPTIONS | {"--max-iterations": "10", "--target": "null"}))
    assert "target" not in without.stderr


def test_what_is_done_already_is_not_said_to_be_written(solve, tmp_path):
    solve()
    path = tmp_path / "spot"
    lines = solve(**{"max-iterations": "10", "target": "0.001%"}).stdout.splitlines()
    assert lines[-2].endswith("; all iterations done")
    assert lines[-1].startswith(f"{path}, ")
    assert "was done before; runout spot show" in lines[-1]


def test_another_spot_in_the_directory_is_named(solve, problem, tmp_path):
    solve()
    path = str(tmp_path / "spot")
    line = f"{path}: holds another spot: pot is 100.0 there and 120.0 here"
    assert problem("-o", path, pot="120").endswith(line)
    line = f"{path}: holds another spot: oop is another range, 12 combos there and 6.5 here"
    assert problem("-o", path, oop="AA,KsQs:0.5") == line
    exists = f"{path}: exists already, give --overwrite to replace it"
    assert problem("-o", path, "--no-resume") == exists
    assert solve("--overwrite", pot="120").exit_code == 0


def test_a_bundle_of_another_kind_is_never_replaced(problem, solved):
    path = str(solved / "preflop")
    line = f"{path}: is a bundle of kind preflop_solution, will not be overwritten"
    assert problem("-o", path, "--overwrite") == line


@pytest.mark.parametrize(
    ("option", "value", "expected"),
    [
        ("board", "2c3d2c", "--board: '2c3d2c' is not a board (2c: comes twice in 2c3d2c)"),
        ("oop", "KX", "--oop: 'KX': 'X' is not a rank, use one of 23456789TJQKA"),
        ("ip", "9c8s", "--ip: no hand of the range avoids the board 2c3d4h8s9c"),
        ("pot", "0", "--pot: 0.0 is not a positive number from 0.001 to 1,000,000,000"),
        ("pot", "much", "--pot: 'much' is not a number"),
        ("bets", "33", "--bets[0]: '33' has no unit, "),
        ("bets", "50%,2x", "--bets[1]: '2x' multiplies a bet, but there is none yet: for raises"),
        ("bets", "200c", "--bets[0]: '200c' cannot be bet, the stack is 100"),
        ("target", "0", "--target: 0 is never reached, give a percentage such as 0.1%"),
        ("target", "0%", "--target: 0% is never reached, give a percentage such as 0.1%"),
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
    assert line == "pot: 'none' is not a positive number from 0.001 to 1,000,000,000 (line 4)"


@pytest.mark.parametrize("signal_number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_and_sigterm_save_a_solve_that_the_same_command_resumes(tmp_path, signal_number):
    path = tmp_path / "spot"
    endless = OPTIONS | {"--target": "0.0000001%", "--max-iterations": "2000000000"}
    command = "import sys; from runout.cli.main import main; print('go', flush=True); main()"
    program = subprocess.Popen(
        [sys.executable, "-c", command, "solve-spot", *flat(endless), "-o", str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"COLUMNS": "100"},
    )
    for line in program.stderr:
        if line.startswith("solving"):
            break
    program.send_signal(signal_number)
    _, messages = program.communicate(timeout=600)
    assert program.returncode == 130
    assert "Traceback" not in messages
    last = messages.splitlines()[-1]
    assert last.startswith(f"interrupted; give the same command again to go on, {path} keeps ")
    assert SpotSolution.load(path).is_interrupted
    assert [entry.name for entry in tmp_path.iterdir()] == ["spot"]


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
    config = read_config(None, {**given, "pot": float(pot), "stack": float(stack)})
    assert describe_rounding(config) == note
