import os
import pty
import signal
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from runout.cli import ranges
from runout.cli.app import app
from runout.cli.main import main
from runout.errors import CardError
from runout.version import __version__

COMMANDS = [
    "equity",
    "flop-equity",
    "range",
    "flops",
    "eval",
    "strength",
    "solve-postflop",
    "solve-preflop",
    "show",
    "export",
    "trace-hand",
    "values",
    "inspect",
    "tree",
    "abstraction",
    "table",
    "warmup",
]
GROUPS = {
    "tree": ["show"],
    "abstraction": ["build", "bucket", "inspect"],
    "table": ["rebuild", "verify"],
}
INTERRUPTED_WHILE_IMPORTING = """
import sys
class Interrupter:
    def find_spec(self, name, *_):
        if name == sys.argv[1]:
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupter())
from runout.cli.main import main
main(["eval", "AhKhQhJhTh"])
"""


def test_the_version_is_that_of_the_package(run):
    result = run("--version")
    assert result.exit_code == 0
    assert result.stdout == f"runout {__version__}\n"


def test_no_arguments_show_the_help_with_every_command(run):
    text = run().output
    assert "Usage: runout" in text
    assert all(command in text for command in COMMANDS)


@pytest.mark.parametrize(
    "command",
    [command for command in COMMANDS if command not in GROUPS]
    + [f"{group} {command}" for group, commands in GROUPS.items() for command in commands],
)
def test_help_of_each_command_ends_with_an_example(run, command):
    result = run(*command.split(), "--help")
    assert result.exit_code == 0
    assert f"Example: runout {command}" in result.stdout


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_without_a_command_shows_its_help(run, group):
    text = run(group).output
    assert f"Usage: runout {group}" in text
    assert all(command in text for command in GROUPS[group])


def test_shell_completion_is_offered(run):
    assert "--install-completion" in run("--help").stdout


def test_main_exits_with_2_and_one_line(capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["equity", "AA", "KX"])
    assert stopped.value.code == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == "error: 'KX': 'X' is not a rank, use one of 23456789TJQKA\n"


def test_a_long_error_stays_on_one_line(monkeypatch, error_line):
    def fail(text):
        raise CardError("x" * 300, "y [bold]z")

    monkeypatch.setattr(ranges, "parse_live_range", lambda text, board: fail(text))
    assert error_line("range", "AA") == "x" * 300 + ": y [bold]z"


def test_ctrl_c_is_one_line_and_exit_code_130(monkeypatch, run):
    def interrupt(text, board):
        raise KeyboardInterrupt

    monkeypatch.setattr(ranges, "parse_live_range", interrupt)
    result = run("range", "AA")
    assert result.exit_code == 130
    assert result.stderr == "interrupted\n"


def test_ctrl_c_says_what_the_command_has_to_say_about_it(monkeypatch, run):
    def interrupt(text, board):
        raise KeyboardInterrupt("interrupted; all is well")

    monkeypatch.setattr(ranges, "parse_live_range", interrupt)
    assert run("range", "AA").stderr == "interrupted; all is well\n"


@pytest.mark.parametrize("module", ["typer", "numpy", "numba", "runout.cards.evaluator_kernels"])
def test_ctrl_c_while_modules_are_imported_is_one_line(run_python, module):
    result = run_python(INTERRUPTED_WHILE_IMPORTING, module)
    assert result.returncode == 130
    assert result.stderr == "interrupted\n"


def test_ctrl_c_leaves_the_terminal_clean():
    controller, terminal = pty.openpty()
    # A shell that runs the tests in the background lets them, and their children, ignore Ctrl-C.
    listen = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    code = f"{listen}; from runout.cli.main import main; main()"
    program = subprocess.Popen(
        [sys.executable, "-c", code, "table", "verify", "--workers", "1"],
        stdout=terminal,
        stderr=terminal,
        env=os.environ | {"TERM": "xterm", "COLUMNS": "100"},
    )
    os.close(terminal)
    text = ""
    while "counting boards" not in text:
        text += os.read(controller, 4096).decode()
    program.send_signal(signal.SIGINT)
    text += _read_until_closed(controller)
    assert program.wait() == 130
    hide_cursor, show_cursor = "\x1b[?25l", "\x1b[?25h"
    assert text.rindex(show_cursor) > text.rindex(hide_cursor)
    assert "interrupted" in text.splitlines()[-1]
    assert "Traceback" not in text


def _read_until_closed(controller):
    parts = []
    try:
        while part := os.read(controller, 4096):
            parts.append(part)
    except OSError:  # how Linux says that nobody holds the terminal any more
        pass
    os.close(controller)
    return b"".join(parts).decode()


def test_a_defect_keeps_its_traceback(monkeypatch):
    def fail(text, board):
        raise ZeroDivisionError

    monkeypatch.setattr(ranges, "parse_live_range", fail)
    result = CliRunner().invoke(app, ["range", "AA"])
    assert isinstance(result.exception, ZeroDivisionError)


def test_a_defect_is_shown_by_python_itself(run_python):
    code = "from runout.cli import main, ranges; ranges.parse_live_range = None; main.main()"
    result = run_python(code, "range", "AA")
    assert result.returncode == 1
    assert result.stderr.startswith("Traceback")
    assert result.stderr.splitlines()[-1].startswith("TypeError")


LIGHT_COMMANDS = """
import sys
from runout.cli.main import main
for line in ("equity AA KK", "range AA", "flops --random 3", "--help"):
    try:
        main(line.split())
    except SystemExit as end:
        assert not end.code, line
    print(f"{line}: {'numba' in sys.modules}", file=sys.stderr)
"""


def test_light_commands_do_not_load_numba(run_python):
    result = run_python(LIGHT_COMMANDS)
    assert result.returncode == 0
    lines = result.stderr.splitlines()
    assert len(lines) == 4
    assert all(line.endswith(": False") for line in lines)
