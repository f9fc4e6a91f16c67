import json
import os
import shutil
import signal
import subprocess
import sys
import urllib.request

from tests.samples.value_bundles import make_values

PROGRAM = [sys.executable, "-c", "from runout.cli.app import main; main()"]


def test_the_page_is_served_until_the_program_is_told_to_end(tmp_path):
    make_values().save(tmp_path / "values")
    arguments = ["explore", str(tmp_path), "--port", "0", "--no-browser"]
    with subprocess.Popen(
        [*PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        address = process.stdout.readline().strip()
        with urllib.request.urlopen(f"{address}api/runs") as answer:
            (run,) = json.load(answer)["runs"]
        assert run["name"] == "values"
        os.kill(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=600)
    assert process.returncode == 0
    assert "1 solution found" in said


def test_nothing_is_compiled_and_no_solver_imported_to_serve(run_python, solved, spot, tmp_path):
    make_values().save(tmp_path / "values")
    shutil.copytree(solved, tmp_path / "game")
    shutil.copytree(spot, tmp_path / "turn")
    code = (
        "import sys; from pathlib import Path; import json;"
        "from runout.explorer.library import Library;"
        "from runout.explorer.server import Explorer;"
        "e = Explorer(Library([Path(sys.argv[1])]));"
        "[e.answer(q, r['id'], '') for r in e.list_runs()['runs'] for q in ('facts', 'node')"
        " if r['kind'] != 'values'];"
        "print(len(e.library.runs)); assert 'numba' not in sys.modules"
    )
    done = run_python(code, str(tmp_path))
    assert (done.returncode, done.stdout) == (0, "3\n"), done.stderr


def test_a_directory_that_is_not_there_is_one_line(error_line, tmp_path):
    assert "is no directory" in error_line("explore", str(tmp_path / "nothing"), "--no-browser")


def test_a_port_that_is_none_is_refused(error_line, tmp_path):
    assert "is not a port" in error_line("explore", str(tmp_path), "--port", "70000")


def test_a_port_that_is_taken_is_refused(error_line, tmp_path):
    from runout.explorer.server import listen

    taken = listen("127.0.0.1", 0)
    try:
        line = error_line("explore", str(tmp_path), "--no-browser", "--port", str(taken.port))
    finally:
        taken.socket.close()
    assert "cannot be listened to" in line
