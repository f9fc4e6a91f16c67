"""SIGKILL at random moments: the same command goes on, and the result is that of a quiet run."""

import random
import shutil
from dataclasses import dataclass
from pathlib import Path

from tests.chaos.children import Child, Ended, run_to_the_end, warm_up
from tests.chaos.jobs import Job, fingerprints, finished_parts, iterations_of

_MOST_KILLS_OF_A_RUN = 40
_BEYOND = 1.3  # so that some commands end before they are killed


@dataclass(frozen=True)
class Quiet:
    """A job that nobody disturbed.

    Attributes:
        result: fingerprints of its bundles.
        before: fingerprints of what it replaces.
        names: what is left in its directory.
        seconds: its time.
        num_events: how often it was about to touch a file.
    """

    result: dict[str, dict[str, str]]
    before: dict[str, dict[str, str]]
    names: list[str]
    seconds: float
    num_events: int


@dataclass
class Count:
    """What a campaign has counted.

    Attributes:
        kills: commands that were killed.
        runs: runs that came to their end all the same.
        went_on: commands that found finished parts or iterations of killed ones.
    """

    kills: int = 0
    runs: int = 0
    went_on: int = 0


def names_in(directory: Path) -> list[str]:
    """Returns all files below a directory, except for random parts of names: there are none."""
    return sorted(str(path.relative_to(directory)) for path in directory.rglob("*"))


def prepare(job: Job, directory: Path) -> dict[str, dict[str, str]]:
    """Makes a fresh directory with the earlier result of a job, and returns its fingerprints."""
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir()
    if job.before is not None:
        _require_success(job, run_to_the_end(job.arguments(directory, job.before), directory))
    return fingerprints(job.bundles(directory))


def run_quietly(job: Job, directory: Path) -> Quiet:
    """Runs a job to its end, twice if that does nothing the second time."""
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir()
    warm_up(job.arguments(directory))
    before = prepare(job, directory)
    ended = run_to_the_end(job.arguments(directory), directory)
    _require_success(job, ended)
    result = fingerprints(job.bundles(directory))
    assert result.keys() == {path.name for path in job.bundles(directory)}, job.name
    names = names_in(directory)
    if job.before is None:
        require_rest(job, directory, result)
    return Quiet(result, before, names, ended.seconds, ended.num_events)


def require_rest(job: Job, directory: Path, result: dict[str, dict[str, str]]) -> None:
    """Checks that a finished run given again does nothing and succeeds."""
    again = run_to_the_end(job.arguments(directory), directory)
    _require_success(job, again)
    assert (again.computed, again.begun_at) == ((), -1), f"{job.name}: computed twice"
    assert fingerprints(job.bundles(directory)) == result, job.name


@dataclass(frozen=True)
class Killer:
    """Kills jobs at moments drawn at random.

    Attributes:
        directory: in which they work.
        rng: decides the moments.
        by_time: the chance that a moment is a time; otherwise it is before a job touches a file,
            which is the same moment on every machine.
    """

    directory: Path
    rng: random.Random
    by_time: float = 0.5

    def kill_until_done(self, job: Job, quiet: Quiet, count: Count) -> None:
        """Kills a job again and again, until a run of it ends before its time has come."""
        directory = self.directory
        prepare(job, directory)
        for number in range(_MOST_KILLS_OF_A_RUN + 1):
            parts, iterations = finished_parts(directory), _spot_iterations(job, quiet, directory)
            ended = self._run(job, quiet, is_to_end=number == _MOST_KILLS_OF_A_RUN)
            assert "Traceback" not in ended.messages, f"{job.name}: {ended.messages}"
            _require_nothing_twice(job, ended, parts, iterations)
            if not ended.is_killed:
                _require_success(job, ended)
                break
            count.kills += 1
            _require_nothing_lost(job, quiet, directory, parts, iterations)
            has_iterations = _spot_iterations(job, quiet, directory) > 0
            count.went_on += bool(finished_parts(directory)) or has_iterations
        assert fingerprints(job.bundles(directory)) == quiet.result, f"{job.name}: another result"
        assert names_in(directory) == quiet.names, f"{job.name}: {names_in(directory)}"
        count.runs += 1
        if job.before is None and count.runs % 5 == 0:
            require_rest(job, directory, quiet.result)

    def _run(self, job: Job, quiet: Quiet, is_to_end: bool) -> Ended:
        """Runs a job, to its end or to a moment; early ones, which cost least, come most often."""
        arguments = job.arguments(self.directory)
        if is_to_end:
            return run_to_the_end(arguments, self.directory)
        moment = self.rng.random() * self.rng.choice((0.1, 0.4, 1.0, _BEYOND))
        if self.rng.random() < self.by_time:
            return Child(arguments, self.directory).wait(kill_after=quiet.seconds * moment)
        event = 1 + int(quiet.num_events * moment)
        return Child(arguments, self.directory, kill_at_event=event).wait()


def _spot_iterations(job: Job, quiet: Quiet, directory: Path) -> int:
    """Returns how far the spot of a job is, 0 if what is there is to be replaced.

    With ``--overwrite`` that is what was there before, and also a finished solve.
    """
    (path, *_) = job.bundles(directory)
    if job.before is not None and fingerprints([path]) in (quiet.before, quiet.result):
        return 0
    return max(iterations_of(path), 0)


def _require_nothing_twice(job: Job, ended: Ended, parts: dict[str, str], iterations: int) -> None:
    there = {"/".join(Path(name).parts[-2:]) for name in parts}
    assert not there & set(ended.computed), f"{job.name}: computed twice"
    if ended.begun_at >= 0:
        assert ended.begun_at == iterations, f"{job.name}: {ended.begun_at} after {iterations}"


def _require_nothing_lost(
    job: Job, quiet: Quiet, directory: Path, parts: dict[str, str], iterations: int
) -> None:
    """Checks what a killed job leaves: whole bundles, and everything that was finished before."""
    found = fingerprints(job.bundles(directory))  # raises if one is damaged
    assert found.keys() >= quiet.before.keys(), f"{job.name}: what was there is gone"
    is_done = found == quiet.result
    now = finished_parts(directory)
    if not is_done:
        assert parts.items() <= now.items(), f"{job.name}: finished parts are gone"
        assert _spot_iterations(job, quiet, directory) >= iterations, f"{job.name}: went back"


def _require_success(job: Job, ended: Ended) -> None:
    assert ended.code == 0, f"{job.name}: exit code {ended.code}: {ended.messages}"
