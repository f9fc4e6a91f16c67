import json
import subprocess
import sys

import pytest

from runout.cli import spot_job
from runout.cli.spot_job import main
from runout.config.load import parse_config
from runout.config.run import RunConfig
from runout.explorer.library import Library, RunKind
from runout.runs.preflop import solve_preflop
from runout.solutions.flop_bundles import load_spot
from tests.samples.solve_configs import LIMPS


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    path = tmp_path_factory.mktemp("run") / "limps"
    solve_preflop(parse_config(LIMPS, RunConfig)).save(path)
    return path


def test_what_a_flop_takes_is_told_as_one_object(directory, capsys, monkeypatch):
    monkeypatch.setattr(spot_job, "TRIAL_ITERATIONS", 2)
    arguments = [str(directory), "c-x", "Td9d6h", str(directory / "spots" / "x"), "--estimate"]
    assert main(arguments) == 0
    estimate = json.loads(capsys.readouterr().out)
    assert "nodes of betting" in estimate["text"]
    assert "on this machine" in estimate["text"]
    assert estimate["memory_bytes"] > 0
    assert estimate["seconds"] > 0
    assert not (directory / "spots" / "x").exists()


def test_a_line_without_a_flop_is_one_line_and_an_exit_code(directory, capsys):
    assert main([str(directory), "f", "Td9d6h", "x"]) == 2
    assert capsys.readouterr().err.startswith("error: ")


@pytest.mark.slow
def test_a_flop_is_solved_into_the_directory_of_its_run(directory, capsys):
    output = directory / "spots" / "c-x-Td9d6h"
    assert main([str(directory), "c-x", "Td9d6h", str(output)]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert lines[-1]["exploitability_pot"] < 0.01
    spots = [run.path for run in Library([directory]).runs.values() if run.kind is RunKind.SPOT]
    assert output in spots


def test_a_solve_that_is_told_to_end_saves_what_it_has_learned(directory):
    output = directory / "spots" / "stopped"
    arguments = [str(directory), "c-x", "Td9d6h", str(output)]
    command = [sys.executable, "-m", "runout.cli.spot_job", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        json.loads(process.stdout.readline())  # the first iteration is done
        process.terminate()
        process.stdout.read()
    assert process.returncode == 130
    assert load_spot(output).quality.iterations > 0
