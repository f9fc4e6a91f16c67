import signal
import subprocess
import sys
import time
from pathlib import Path
from threading import Event, Thread

import pytest

from runout.cli.app import EXIT_INTERRUPTED
from runout.config.load import parse_config
from runout.config.run import RunConfig
from runout.errors import ExecutionError
from runout.explorer import jobs
from runout.explorer.jobs import Jobs
from runout.explorer.library import Library, RunKind
from runout.runs.preflop import solve_preflop
from runout.solutions.flop_bundles import load_spot
from tests.samples.solve_configs import LIMPS

TALKS = """
import json, sys
print("5 nodes of betting", file=sys.stderr)
if "--estimate" in sys.argv:
    sys.exit(print("small"))
print(json.dumps({"event": "KernelCompiled", "name": "x", "seconds": 1.0}), file=sys.stderr)
for n in range(1, 4):
    step = {"iteration": n, "exploitability": 8 / n, "pot_chips": 8.0, "seconds": n + 1.0}
    print(json.dumps({"event": "SpotSolving", **step, "seconds_left": 1}), file=sys.stderr)
"""
FAILS = "import sys; print('error: no memory', file=sys.stderr); sys.exit(2)"
WAITS = "import time; time.sleep(600)"


def wait_until(is_so):
    deadline = time.monotonic() + 600
    while not is_so() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert is_so()


def wait_for(job, state):
    wait_until(lambda: job.ended is not None)
    assert job.state == state


def test_a_job_is_followed_to_its_end(tmp_path):
    job = Jobs([sys.executable, "-c", TALKS]).start([], tmp_path)
    wait_for(job, "done")
    assert job.curve == [(1, 1.0), (2, 0.5), (3, 1 / 3)]
    assert job.to_json()["iteration"] == 3
    assert job.to_json()["is_over"]


def test_what_went_wrong_is_told(tmp_path):
    job = Jobs([sys.executable, "-c", FAILS]).start([], tmp_path)
    wait_for(job, "failed")
    assert job.to_json()["message"] == "no memory"


def test_one_job_at_a_time_and_each_can_be_stopped(tmp_path):
    server_jobs = Jobs([sys.executable, "-c", WAITS])
    job, second, third = (server_jobs.start([], tmp_path / name) for name in "abc")
    with pytest.raises(ExecutionError, match="is under way"):
        server_jobs.start([], tmp_path / "b")
    wait_until(lambda: job.state == "running")
    assert [each.state for each in server_jobs.all()] == ["running", "queued", "queued"]
    second.stop()
    assert second.ended is not None
    job.stop()
    wait_for(job, "stopped")
    wait_until(lambda: third.state == "running")
    assert second.process is None
    server_jobs.stop_all()
    wait_for(third, "stopped")


def test_no_job_outlives_the_server(tmp_path):
    server_jobs = Jobs([sys.executable, "-c", WAITS])
    job = server_jobs.start([], tmp_path)
    wait_until(lambda: job.process is not None)
    server_jobs.stop_all()
    assert job.process.poll() is not None
    never = server_jobs.start([], tmp_path)
    server_jobs.stop_all()
    wait_until(lambda: never.ended is not None)
    assert never.process is None or never.process.poll() is not None


def test_an_unknown_job_is_refused():
    with pytest.raises(ExecutionError, match="there is none"):
        Jobs(["true"]).get("x")


def test_a_question_is_answered_or_refused():
    answer = Jobs([sys.executable, "-c", TALKS]).estimate([], 20, Event())
    assert answer["seconds"] == jobs.USUAL_ITERATIONS * 1.0
    assert answer["text"] == "small\nabout 3 min on this machine for the usual 150 iterations"
    with pytest.raises(ExecutionError, match="no memory"):
        Jobs([sys.executable, "-c", FAILS]).estimate([], 20, Event())
    with pytest.raises(ExecutionError, match=r"took more than 0\.1 s"):
        Jobs([sys.executable, "-c", WAITS]).estimate([], 0.1, Event())


SOLVES = [sys.executable, "-c", "from runout.cli.app import main; main()", "solve-spot"]


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    """A run whose flops are checked down."""
    path = tmp_path_factory.mktemp("run") / "limps"
    solve_preflop(parse_config(LIMPS, RunConfig)).save(path)
    return path


def arguments_of(directory, node="c-x"):
    return ["--from", str(directory), "--node", node, "--board", "Td9d6h"]


def test_the_program_tells_what_a_flop_takes_and_keeps_nothing(directory, monkeypatch):
    monkeypatch.setattr(jobs, "TRIAL_ITERATIONS", 2)
    before = sorted(directory.rglob("*"))
    answer = Jobs(SOLVES).estimate(arguments_of(directory), 600, Event())
    assert "nodes of betting" in answer["text"]
    assert "on this machine" in answer["text"]
    assert answer["seconds"] > 0
    assert sorted(directory.rglob("*")) == before
    with pytest.raises(ExecutionError, match="leads to no flop"):
        Jobs(SOLVES).estimate(arguments_of(directory, "f"), 600, Event())


@pytest.mark.slow
def test_the_program_solves_a_flop_into_the_directory_of_its_run(directory):
    output = directory / "spots" / "c-x-Td9d6h"
    job = Jobs(SOLVES).start(arguments_of(directory), output)
    wait_for(job, "done")
    assert job.curve[-1][1] < 0.01
    spots = [run.path for run in Library([directory]).runs.values() if run.kind is RunKind.SPOT]
    assert output in spots


def test_a_solve_that_is_stopped_saves_what_it_has_learned(directory):
    output = directory / "spots" / "stopped"
    job = Jobs(SOLVES).start(arguments_of(directory), output)
    deadline = time.monotonic() + 600
    while job.iteration == 0 and job.ended is None and time.monotonic() < deadline:
        time.sleep(0.02)
    job.stop()
    wait_for(job, "stopped")
    assert job.process.returncode == EXIT_INTERRUPTED
    assert load_spot(output).quality.iterations > 0


#: Notes its process, and that no other one like it is there.
COUNTS = """
import os, pathlib, sys, time
running = pathlib.Path(sys.argv[1])
(running / str(os.getpid())).touch()
time.sleep(600)
"""


def is_alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")


@needs_proc
def test_one_estimate_at_a_time_and_the_last_one_wins(tmp_path):
    server_jobs, refusals = Jobs([sys.executable, "-c", COUNTS, str(tmp_path)]), []

    def ask():
        with pytest.raises(ExecutionError) as refused:
            server_jobs.estimate([], 600, server_jobs.begin_turn())
        refusals.append(refused.value.problem)

    threads = [Thread(target=ask) for _ in range(12)]
    most = 0

    def count():
        nonlocal most
        most = max(most, sum(is_alive(file.name) for file in tmp_path.iterdir()))
        return most

    for thread in threads:
        thread.start()
        count()
    wait_until(lambda: count() and len(refusals) == 11)
    assert most == 1
    server_jobs.begin_turn()
    for thread in threads:
        thread.join(60)
    assert refusals == ["was given up for a later one"] * 12
    wait_until(lambda: not any(is_alive(file.name) for file in tmp_path.iterdir()))


@needs_proc
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_solves_and_estimates_end_with_a_server_that_is_killed(tmp_path, number):
    waits = tmp_path / "waits.py"
    waits.write_text(
        "import sys\nfrom runout.cli.app import running_as_program\n"
        f"with running_as_program():\n    exec({COUNTS!r})\n"
    )
    serves = (
        "import sys, threading, time\nfrom pathlib import Path\n"
        "from runout.explorer.jobs import Jobs\n"
        f"jobs = Jobs([sys.executable, {str(waits)!r}, sys.argv[1]])\n"
        "jobs.start([], Path(sys.argv[1]) / 'output')\n"
        "jobs.estimate([], 600, threading.Event())\n"
    )
    running = tmp_path / "running"
    running.mkdir()
    server = subprocess.Popen([sys.executable, "-c", serves, str(running)])
    wait_until(lambda: len(list(running.iterdir())) == 2)
    assert all(is_alive(file.name) for file in running.iterdir())
    server.send_signal(number)
    server.wait(60)
    wait_until(lambda: not any(is_alive(file.name) for file in running.iterdir()))
