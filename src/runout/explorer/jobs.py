"""Solves that the page starts: one at a time, in a process of its own, watched line by line.

The process writes one JSON object per line: what it has done so far. The server itself never
imports a solver.
"""

import json
import secrets
import subprocess
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from runout.errors import ExecutionError

Json = dict[str, Any]

#: Lines of what went wrong that are shown.
_MAX_MESSAGE_CHARACTERS = 2000
_MAX_CURVE_POINTS = 400
_MAX_JOBS_KEPT = 20
_SECONDS_TO_STOP = 60.0  # what is learned so far is saved


@dataclass
class SolveJob:
    """One solve.

    Attributes:
        state: ``running``, ``done``, ``failed`` or ``stopped``.
        curve: exploitability as a fraction of the pot, by iteration.
        seconds_left: as the process says; None if it does not know.
        message: what it said last besides.
    """

    id: str
    output: Path
    process: "subprocess.Popen[str]"
    state: str = "running"
    iteration: int = 0
    curve: list[tuple[int, float]] = field(default_factory=list)
    seconds_left: float | None = None
    message: str = ""
    started: float = field(default_factory=time.monotonic)
    ended: float | None = None

    def to_json(self) -> Json:
        """Returns how it stands."""
        return {
            "id": self.id,
            "state": self.state,
            "is_over": self.ended is not None,
            "iteration": self.iteration,
            "curve": [list(point) for point in self.curve],
            "seconds": (self.ended or time.monotonic()) - self.started,
            "seconds_left": self.seconds_left,
            "message": self.message[-_MAX_MESSAGE_CHARACTERS:],
        }

    def stop(self) -> None:
        """Ends it as Ctrl-C does: what is learned so far is saved."""
        if self.state == "running":
            self.state = "stopped"
            self.process.terminate()


class Jobs:
    """The solves of this server."""

    def __init__(self, command: Sequence[str]) -> None:
        """Takes what starts a solve: a command to which the arguments of each are added."""
        self._command = tuple(command)
        self._jobs: dict[str, SolveJob] = {}
        self._lock = threading.Lock()

    def start(self, arguments: Sequence[str], output: Path) -> SolveJob:
        """Starts a solve."""
        with self._lock:
            if any(job.state == "running" for job in self._jobs.values()):
                raise ExecutionError("job", "another one is under way, stop it or wait for it")
            process = subprocess.Popen(
                [*self._command, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            job = SolveJob(secrets.token_hex(8), output, process)
            while len(self._jobs) >= _MAX_JOBS_KEPT:
                self._jobs.pop(next(iter(self._jobs)))
            self._jobs[job.id] = job
        threading.Thread(target=_watch, args=(job,), daemon=True).start()
        return job

    def get(self, job_id: str) -> SolveJob:
        """Returns a solve."""
        if job_id not in self._jobs:
            raise ExecutionError("job", "there is none of this name")
        return self._jobs[job_id]

    def stop_all(self) -> None:
        """Ends what runs, when the server ends."""
        for job in self._jobs.values():
            if job.state == "running":
                job.stop()
                try:
                    job.process.wait(_SECONDS_TO_STOP)
                except subprocess.TimeoutExpired:
                    job.process.kill()

    def ask(self, arguments: Sequence[str], max_seconds: float) -> Json:
        """Runs the command to its end and returns the one object that it writes."""
        command, nothing = [*self._command, *arguments], subprocess.DEVNULL
        try:
            done = subprocess.run(
                command, stdin=nothing, capture_output=True, text=True, timeout=max_seconds
            )
        except subprocess.TimeoutExpired:
            raise ExecutionError("estimate", f"took more than {max_seconds:g} s") from None
        if done.returncode != 0:
            raise ExecutionError("estimate", _last_line(done.stderr))
        answer: Json = json.loads(done.stdout.splitlines()[-1])
        return answer


def _watch(job: SolveJob) -> None:
    """Follows what a process says until it ends."""
    errors: list[str] = []
    assert job.process.stdout is not None
    assert job.process.stderr is not None
    listener = threading.Thread(target=errors.extend, args=(job.process.stderr,), daemon=True)
    listener.start()
    for line in job.process.stdout:
        news = json.loads(line)
        job.iteration = int(news.get("iteration", 0))
        job.seconds_left = news.get("seconds_left")
        job.message = news.get("message", "")
        pots = news.get("exploitability_pot")
        if pots is not None and not (job.curve and job.curve[-1][1] == pots):
            job.curve.append((job.iteration, float(pots)))
        if len(job.curve) > _MAX_CURVE_POINTS:
            job.curve[1:-1] = job.curve[1:-1:2]
    code = job.process.wait()
    listener.join()
    job.ended = time.monotonic()
    if job.state == "running":
        job.state = "done" if code == 0 else "failed"
    if job.state == "failed":
        job.message = _last_line("".join(errors))
    job.process.stdout.close()
    job.process.stderr.close()


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].removeprefix("error: ") if lines else "ended without a word"
