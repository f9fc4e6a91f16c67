"""Tests of where the program starts and ends, in `runout.cli.app`."""

import errno
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from runout.cli import options
from runout.cli.app import COMMANDS, main
from runout.cli.program import app, describe_error
from runout.errors import CardError
from runout.version import __version__

GROUPS = [name for name, command in COMMANDS.items() if not command.place]
INTERRUPTED_WHILE_IMPORTING = """
import sys
class Interrupter:
    def find_spec(self, name, *_):
        if name == sys.argv[1]:
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupter())
from runout.cli.app import main
main(["eval", "AhKhQhJhTh"])
"""


def test_the_version_is_that_of_the_package(run):
    result = run("--version")
    assert result.exit_code == 0
    assert result.stdout == f"runout {__version__}\n"


@pytest.mark.parametrize("command", [name for name in COMMANDS if name not in GROUPS])
def test_help_of_each_command_ends_with_an_example(run, command):
    result = run(*command.split(), "--help")
    assert result.exit_code == 0
    assert f"Example: runout {command} " in result.stdout


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_without_a_command_shows_its_help(run, group):
    text = run(group).output
    assert f"Usage: runout {group}" in text
    members = [name.removeprefix(f"{group} ") for name in COMMANDS if name.startswith(f"{group} ")]
    assert members
    assert all(f" {member} " in text for member in members)


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

    monkeypatch.setattr(options, "parse_live_range", lambda text, board: fail(text))
    assert error_line("range", "AA") == "x" * 300 + ": y [bold]z"


def test_ctrl_c_is_one_line_and_exit_code_130(monkeypatch, run):
    def interrupt(text, board):
        raise KeyboardInterrupt

    monkeypatch.setattr(options, "parse_live_range", interrupt)
    result = run("range", "AA")
    assert result.exit_code == 130
    assert result.stderr == "interrupted\n"


def test_ctrl_c_says_what_the_command_has_to_say_about_it(monkeypatch, run):
    def interrupt(text, board):
        raise KeyboardInterrupt("interrupted; all is well")

    monkeypatch.setattr(options, "parse_live_range", interrupt)
    assert run("range", "AA").stderr == "interrupted; all is well\n"


@pytest.mark.parametrize("module", ["typer", "numpy", "numba", "runout.cards.evaluator_kernels"])
def test_ctrl_c_while_modules_are_imported_is_one_line(run_python, module):
    result = run_python(INTERRUPTED_WHILE_IMPORTING, module)
    assert result.returncode == 130
    assert result.stderr == "interrupted\n"


def test_ctrl_c_leaves_the_terminal_clean(tmp_path):
    controller, terminal = pty.openpty()
    # A shell that runs the tests in the background lets them, and their children, ignore Ctrl-C.
    listen = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    code = f"{listen}; from runout.cli.app import main; main()"
    program = subprocess.Popen(
        [sys.executable, "-c", code, *"abstraction build --workers 1 -o".split(), tmp_path],
        stdout=terminal,
        stderr=terminal,
        env=os.environ | {"TERM": "xterm", "COLUMNS": "100"},
    )
    os.close(terminal)
    text = ""
    while "Flop strengths" not in text:
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

    monkeypatch.setattr(options, "parse_live_range", fail)
    result = CliRunner().invoke(app, ["range", "AA"])
    assert isinstance(result.exception, ZeroDivisionError)


def test_a_defect_is_shown_by_python_itself(run_python):
    code = "from runout.cli import app, options; options.parse_live_range = None; app.main()"
    result = run_python(code, "range", "AA")
    assert result.returncode == 1
    assert result.stderr.startswith("Traceback")
    assert result.stderr.splitlines()[-1].startswith("TypeError")


LIGHT_COMMANDS = """
import sys
from runout.cli.app import main
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


FULL = Path("/dev/full")
CODE = "from runout.cli.app import main; main()"


def test_the_file_at_fault_is_named():
    error = OSError(errno.ENAMETOOLONG, "File name too long", "runs/xx")
    assert describe_error(error) == "runs/xx: File name too long"
    assert describe_error(OSError(errno.ENOSPC, "No space left")) == "output: No space left"
    gone = FileNotFoundError(errno.ENOENT, "No such file or directory")
    assert describe_error(gone).startswith("working directory: was removed, ")
    assert describe_error(OSError("3 requested and 0 written")).startswith("output: 3 ")


def test_a_library_without_room_is_a_matter_of_memory():
    error = OSError("Could not find/load shared object file 'a.so'. This could mean anything.")
    assert describe_error(error) == (
        "memory: Could not find/load shared object file 'a.so'; allow more (ulimit -v)"
    )


def test_memory_that_is_gone_is_one_line(error_line, monkeypatch):
    def allocate(*_):
        np.zeros(1 << 50)

    monkeypatch.setattr("runout.cli.options.parse_live_range", allocate)
    line = error_line("range", "AA")
    assert line.startswith("memory: Unable to allocate")
    assert describe_error(MemoryError()).startswith("memory: the system gives no more; ")


def test_what_the_system_refuses_is_one_line(error_line):
    assert error_line("show", "a" * 300).endswith("File name too long")


@pytest.mark.skipif(not FULL.exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("arguments", ["flops --json", "flops --format csv", "range 22+", "--help"])
def test_output_into_a_full_disk_is_one_line(arguments):
    with FULL.open("w") as full:
        done = subprocess.run(
            [sys.executable, "-c", CODE, *arguments.split()],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr == f"error: output: {os.strerror(errno.ENOSPC)}\n"


def test_a_reader_that_goes_away_costs_no_word():
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-c", CODE, "flops"], stdout=writing, stderr=subprocess.PIPE, check=False
    )
    os.close(writing)
    assert done.stderr == b""
    assert done.returncode == 1


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps a directory that is in use")
def test_a_working_directory_that_was_removed_is_named(tmp_path):
    program = (
        "import os, sys; os.rmdir(os.getcwd()); from runout.cli.app import main; main(['explore'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("error: working directory: was removed")
