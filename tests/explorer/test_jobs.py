import sys
import time

import pytest

from runout.errors import ExecutionError
from runout.explorer.jobs import Jobs

TALKS = """
import json, sys, time
for n in range(1, 4):
    print(json.dumps({"iteration": n, "exploitability_pot": 1 / n, "seconds_left": 1}), flush=True)
"""
FAILS = "import sys; print('error: no memory', file=sys.stderr); sys.exit(2)"
WAITS = "import time; time.sleep(600)"


def wait_for(job, state):
    deadline = time.monotonic() + 600
    while job.ended is None and time.monotonic() < deadline:
        time.sleep(0.02)
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


def test_one_job_at_a_time_and_it_can_be_stopped(tmp_path):
    jobs = Jobs([sys.executable, "-c", WAITS])
    job = jobs.start([], tmp_path)
    with pytest.raises(ExecutionError, match="another one is under way"):
        jobs.start([], tmp_path)
    job.stop()
    wait_for(job, "stopped")


def test_no_job_outlives_the_server(tmp_path):
    jobs = Jobs([sys.executable, "-c", WAITS])
    job = jobs.start([], tmp_path)
    jobs.stop_all()
    assert job.process.poll() is not None


def test_an_unknown_job_is_refused():
    with pytest.raises(ExecutionError, match="there is none"):
        Jobs(["true"]).get("x")


def test_a_question_is_answered_or_refused():
    answer = "import json; print(json.dumps({'text': 'small'}))"
    assert Jobs([sys.executable, "-c", answer]).ask([], 20) == {"text": "small"}
    with pytest.raises(ExecutionError, match="no memory"):
        Jobs([sys.executable, "-c", FAILS]).ask([], 20)
