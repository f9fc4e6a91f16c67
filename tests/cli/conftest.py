import functools
import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from runout.cli.program import app
from tests.conftest import DATA, unpack


@pytest.fixture
def run(monkeypatch):
    """Runs a command in this process; the result has stdout, stderr and exit_code."""
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.delenv("FORCE_COLOR", raising=False)

    def invoke(*arguments, stdin=None):
        result = CliRunner().invoke(app, arguments, input=stdin)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return invoke


@pytest.fixture
def run_python():
    """Runs Python code in a process of its own, with more environment variables."""

    def start(code, *arguments, **environment):
        return subprocess.run(
            [sys.executable, "-c", code, *arguments],
            capture_output=True,
            text=True,
            env=os.environ | {"COLUMNS": "100"} | environment,
            check=False,
        )

    return start


@pytest.fixture
def run_program(run_python):
    """Runs the program in a process of its own, as a shell would."""
    return functools.partial(run_python, "from runout.cli.app import main; main()")


@pytest.fixture
def error_line(run):
    """Runs a command that must fail with one line and exit code 2, and returns the line."""

    def invoke(*arguments):
        result = run(*arguments)
        assert result.exit_code == 2
        assert result.stdout == ""
        (line,) = result.stderr.splitlines()
        assert line.startswith("error: ")
        return line.removeprefix("error: ")

    return invoke


@pytest.fixture(scope="session")
def stored(tmp_path_factory):
    """A directory with what `tests/data/cli/make.py` has solved; not to be written into."""
    path = tmp_path_factory.mktemp("stored")
    unpack(DATA / "cli", path)
    return path


@pytest.fixture
def solved(stored):
    """The directory of a run with limps, two raise sizes and a 3-bet, checked down."""
    return stored / "raw_equity"


@pytest.fixture
def spot(stored):
    """A solved turn with a bet and a raise, as text of its path."""
    return str(stored / "turn")
