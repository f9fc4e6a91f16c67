"""Solves that the page starts: one after another, each in a process, watched line by line.

The process is `runout solve-spot`, which writes its events as lines of JSON. The server itself
never imports a solver.
"""

import asyncio
import json
import os
import queue
import secrets
import subprocess
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from runout.errors import ExecutionError
from runout.solutions.sheet import format_time_limit

Json = dict[str, Any]

#: The environment of a process that writes its events as JSON, one object a line, on stderr, and
#: that ends when its input does.
_TELLING = {"RUNOUT_EVENTS": "json", "RUNOUT_ENDS_WITH_INPUT": "1"}
_STEP, _NOTHING_SAID = "SpotSolving", "ended without a word"
_GIVEN_UP = "was given up for a later one"
_SECONDS_BETWEEN_LOOKS = 0.1
#: An estimate of time comes from so many iterations, or from so many seconds of them.
TRIAL_ITERATIONS = 6
TRIAL_SECONDS = 20
#: Spots need 70 to 200 iterations to 0.5 % of the pot.
USUAL_ITERATIONS = 150
#: Lines of what went wrong that are shown.
_MAX_MESSAGE_CHARACTERS = 2000
_MAX_CURVE_POINTS = 400
_MAX_JOBS_KEPT = 20
_SECONDS_TO_STOP = 60.0  # what is learned so far is saved


@dataclass
class SolveJob:
    """One solve.

    Attributes:
        state: ``queued``, ``running``, ``done``, ``failed`` or ``stopped``.
        curve: exploitability as a fraction of the pot, by iteration; ``target`` where it ends.
        seconds_left: as the process says; None if it does not know.
        message: what went wrong, if it failed.
    """

    id: str
    output: Path
    arguments: tuple[str, ...] = ()
    process: "Child | None" = None
    state: str = "queued"
    iteration: int = 0
    curve: list[tuple[int, float]] = field(default_factory=list)
    target: float | None = None
    seconds_left: float | None = None
    message: str = ""
    started: float = field(default_factory=time.monotonic)
    ended: float | None = None

    def to_json(self) -> Json:
        """Returns how it stands."""
        return {
            "id": self.id,
            "name": self.output.name,
            "state": self.state,
            "is_over": self.ended is not None,
            "iteration": self.iteration,
            "curve": [list(point) for point in self.curve],
            "seconds": (self.ended or time.monotonic()) - self.started,
            "target": self.target,
            "seconds_left": self.seconds_left,
            "message": self.message[-_MAX_MESSAGE_CHARACTERS:],
        }

    def stop(self) -> None:
        """Ends it as Ctrl-C does: what is learned so far is saved."""
        if self.ended is None and self.state != "stopped":
            self.state = "stopped"
            if self.process is None:
                self.ended = time.monotonic()
            else:
                self.process.end()


class Jobs:
    """The solves of this server."""

    def __init__(self, command: Sequence[str]) -> None:
        """Takes what starts a solve: a command to which the arguments of each are added."""
        self._command = tuple(command)
        self._jobs: dict[str, SolveJob] = {}
        self._lock = threading.Lock()
        self._queue = queue.SimpleQueue[SolveJob]()
        self._turn, self._estimating = threading.Event(), threading.Lock()
        threading.Thread(target=self._work, daemon=True).start()

    def start(self, arguments: Sequence[str], output: Path) -> SolveJob:
        """Starts a solve when those before it have ended."""
        with self._lock:
            if any(job.ended is None and job.output == output for job in self._jobs.values()):
                raise ExecutionError("job", "this one is under way, stop it or wait for it")
            job = SolveJob(secrets.token_hex(8), output, tuple(arguments))
            while len(self._jobs) >= _MAX_JOBS_KEPT:
                self._jobs.pop(next(iter(self._jobs)))
            self._jobs[job.id] = job
        self._queue.put(job)
        return job

    def _work(self) -> None:
        while True:
            job = self._queue.get()
            with self._lock:
                if job.state == "queued":
                    self._launch(job)
            if job.process is not None:
                _watch(job)

    def _launch(self, job: SolveJob) -> None:
        job.state, job.started = "running", time.monotonic()
        command = [*self._command, *job.arguments, "--output", str(job.output)]
        job.process = Child(command, stdout=subprocess.DEVNULL)

    def all(self) -> list[SolveJob]:
        """Returns the last solves, the oldest first."""
        return list(self._jobs.values())

    def get(self, job_id: str) -> SolveJob:
        """Returns a solve."""
        if job_id not in self._jobs:
            raise ExecutionError("job", "there is none of this name")
        return self._jobs[job_id]

    def stop_all(self) -> None:
        """Ends what runs, when the server ends."""
        with self._lock:
            for job in reversed(self.all()):
                job.stop()
                if job.process is not None:
                    try:
                        job.process.wait(_SECONDS_TO_STOP)
                    except subprocess.TimeoutExpired:
                        job.process.kill()

    def begin_turn(self) -> threading.Event:
        """Ends the estimate under way, and returns what ends the next one if it is set."""
        with self._lock:
            self._turn.set()
            self._turn = threading.Event()
            return self._turn

    def estimate(self, arguments: Sequence[str], max_seconds: float, turn: threading.Event) -> Json:
        """Returns how large a solve is, and how long it takes, which a short trial tells."""
        limits = ["--max-iterations", str(TRIAL_ITERATIONS), "--max-seconds", str(TRIAL_SECONDS)]
        size, _ = self._run([*arguments, "--estimate"], max_seconds, turn)
        _, said = self._run([*arguments, *limits], max_seconds, turn)
        trial = map(_read, said.splitlines())
        steps = [(n["iteration"], n["seconds"]) for n in trial if n.get("event") == _STEP]
        (first, began), (last, ended) = steps[0], steps[-1]
        if first == last:  # the first is not counted if there are others
            first, began = 0, 0.0
        seconds = USUAL_ITERATIONS * (ended - began) / max(last - first, 1)
        time_needed = f"about {format_time_limit(seconds)} on this machine"
        text = f"{size.strip()}\n{time_needed} for the usual {USUAL_ITERATIONS} iterations"
        return {"text": text, "seconds": seconds}

    def measure(self, arguments: Sequence[str], max_seconds: float, turn: threading.Event) -> Json:
        """Returns how large a solve is and what it needs, without a trial."""
        said, _ = self._run([*arguments, "--estimate", "--json"], max_seconds, turn)
        document: Json = json.loads(said)
        return document

    def _run(
        self, arguments: Sequence[str], max_seconds: float, turn: threading.Event
    ) -> tuple[str, str]:
        """Returns what the command writes to stdout and stderr; one runs at a time."""
        deadline = time.monotonic() + max_seconds
        with self._estimating:
            if turn.is_set():
                raise ExecutionError("estimate", _GIVEN_UP)
            with Child([*self._command, *arguments], stdout=subprocess.PIPE) as process:
                while True:
                    try:
                        out, messages = process.communicate(timeout=_SECONDS_BETWEEN_LOOKS)
                        break
                    except subprocess.TimeoutExpired:
                        if turn.is_set() or time.monotonic() > deadline:
                            process.kill()
        if turn.is_set():
            raise ExecutionError("estimate", _GIVEN_UP)
        if time.monotonic() > deadline:
            raise ExecutionError("estimate", f"took more than {max_seconds:g} s")
        if process.returncode != 0:
            said = [news.get("message") for news in map(_read, messages.splitlines())]
            raise ExecutionError("estimate", next(filter(None, reversed(said)), _NOTHING_SAID))
        return out, messages


class Child(subprocess.Popen[str]):
    """A command that ends when its input does: when it is told to, or when this process is gone."""

    def __init__(self, command: Sequence[str], stdout: int) -> None:
        theirs, ours = os.pipe()
        self._close = weakref.finalize(self, os.close, ours)
        try:
            super().__init__(
                command,
                stdin=theirs,
                stdout=stdout,
                stderr=subprocess.PIPE,
                env=os.environ | _TELLING,
                text=True,
                start_new_session=True,  # Ctrl-C is for the server
                creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
            )
        finally:
            os.close(theirs)

    def end(self) -> None:
        """Ends it as Ctrl-C does."""
        if os.name == "posix":
            self.terminate()
        else:  # where that would kill it
            self._close()


async def while_connected(
    request: Request, jobs: Jobs, run: Callable[[threading.Event], Json]
) -> Json:
    """Returns what an estimate says, which ends early if its client goes or asks for another."""
    turn = jobs.begin_turn()
    work = asyncio.ensure_future(run_in_threadpool(run, turn))
    gone = asyncio.ensure_future(request.receive())  # after the question nothing else comes
    try:
        await asyncio.wait([work, gone], return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            turn.set()
        return await work
    finally:
        turn.set()
        gone.cancel()


def _watch(job: SolveJob) -> None:
    """Follows what a process says until it ends."""
    assert job.process is not None
    assert job.process.stderr is not None
    said = _NOTHING_SAID
    for news in map(_read, job.process.stderr):
        said = news.get("message") or said
        if news.get("event") == _STEP:
            job.iteration, job.seconds_left = news["iteration"], news["seconds_left"]
            chips = news["exploitability"]
            job.target = None if news.get("target") is None else news["target"] / news["pot_chips"]
            pots = None if chips is None else chips / news["pot_chips"]
            if pots is not None and not (job.curve and job.curve[-1][1] == pots):
                job.curve.append((job.iteration, pots))
        if len(job.curve) > _MAX_CURVE_POINTS:
            job.curve[1:-1] = job.curve[1:-1:2]
    code = job.process.wait()
    job.ended = time.monotonic()
    if job.state == "running":
        job.state = "done" if code == 0 else "failed"
    if job.state == "failed":
        job.message = said
    job.process.stderr.close()


def _read(line: str) -> Json:
    """Returns the event that a line tells, or the message."""
    if line.startswith("{"):
        event: Json = json.loads(line)
        return event
    return {"message": line.strip().removeprefix("error: ")}
