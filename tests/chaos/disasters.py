"""Full disks, read-only directories, two processes at once, and caches full of rubbish."""

import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from runout.cache import cache_directory
from runout.jit import KERNEL_SOURCES_DIGEST
from runout.storage import files as staging
from runout.storage.bundle import load_bundle
from tests.chaos.children import Child, Ended, run_to_the_end
from tests.chaos.jobs import JOBS, RIVER, Job, fingerprints
from tests.chaos.kills import Quiet, names_in, prepare
from tests.samples.storage_samples import KIND, VERSION, fill_of, write_sample

_EXIT_USER_ERROR = 2
_SMALLEST_FILE_BYTES = 1_000  # more than the notes about a child
_LARGEST_FILE_BYTES = 250_000
_PROGRAM = "from runout.cli.app import main; main()"


def fill_disk(quiet: dict[str, Quiet], directory: Path, rng: random.Random) -> None:
    """Lets one job meet a full disk, and go on when there is room again.

    No file may grow beyond a random size, which is what a full disk looks like to a program.
    """
    job = rng.choice(JOBS)
    prepare(job, directory)
    size = round(
        _SMALLEST_FILE_BYTES * (_LARGEST_FILE_BYTES / _SMALLEST_FILE_BYTES) ** rng.random()
    )
    ended = Child(job.arguments(directory), directory, max_file_bytes=size).wait()
    _require_one_line(job, ended)
    _require_whole(job, quiet[job.name], directory)
    _go_on(job, quiet[job.name], directory)


def fill_small_disk(quiet: dict[str, Quiet], directory: Path, rng: random.Random) -> None:
    """Does the same with a real file system that others fill in the middle of the job."""
    job = rng.choice(JOBS)
    with _mounted(directory, "tmpfs", "-t", "tmpfs", "-o", "size=40m", "none"):
        place = directory / "disk"
        prepare(job, place)
        child = Child(job.arguments(place), place)
        time.sleep(rng.uniform(0.0, quiet[job.name].seconds))
        with suppress_os_errors(), (directory / "ballast").open("wb") as ballast:
            while True:
                ballast.write(bytes(65_536))
        _require_one_line(job, child.wait())
        (directory / "ballast").unlink()
        _require_whole(job, quiet[job.name], place)
        _go_on(job, quiet[job.name], place)


def forbid_writing(quiet: dict[str, Quiet], directory: Path, rng: random.Random) -> None:
    """Lets one job meet a file system that is read-only."""
    job = rng.choice(JOBS)
    prepare(job, directory)
    with _mounted(directory, "read-only", "--bind", str(directory)):
        subprocess.run(["mount", "-o", "remount,ro,bind", str(directory)], check=True)
        ended = run_to_the_end(job.arguments(directory), directory)
        assert ended.code == _EXIT_USER_ERROR, f"{job.name}: {ended.messages}"
        _require_one_line(job, ended)
    _require_whole(job, quiet[job.name], directory)
    _go_on(job, quiet[job.name], directory)


def start_twice(quiet: dict[str, Quiet], directory: Path, rng: random.Random) -> None:
    """Starts one job in two processes on one directory."""
    job = rng.choice(JOBS)
    prepare(job, directory)
    first = Child(job.arguments(directory), directory)
    time.sleep(rng.uniform(0.0, quiet[job.name].seconds * 1.2))
    second = Child(job.arguments(directory), directory)
    ends = (first.wait(), second.wait())
    for ended in ends:
        _require_one_line(job, ended)
        if ended.code:  # a spot is solved by one process, and everything else is shared
            assert job.is_of_one_process, f"{job.name}: {ended.messages}"
            assert "is working on it; wait until it ends" in ended.messages, ended.messages
            assert (ended.computed, ended.begun_at) == ((), -1), f"{job.name}: work was lost"
    if job.before is None:
        computed = [part for ended in ends for part in ended.computed]
        assert len(computed) == len(set(computed)), f"{job.name}: computed twice"
    _require_end(job, quiet[job.name], directory)


def spoil_cache(quiet: dict[str, Quiet], directory: Path, rng: random.Random) -> None:
    """Deletes the kernel cache of a job in the middle, or fills its files with rubbish."""
    job = next(job for job in JOBS if job.config == RIVER)
    prepare(job, directory)
    cache = directory.with_name("cache")
    shutil.rmtree(cache, ignore_errors=True)
    kernels = cache / "kernels" / KERNEL_SOURCES_DIGEST
    shutil.copytree(cache_directory() / "kernels" / KERNEL_SOURCES_DIGEST, kernels)
    child = subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, *job.arguments(directory)],
        env=os.environ | {"RUNOUT_CACHE": str(cache)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    time.sleep(rng.uniform(0.0, 3.0))
    if rng.random() < 0.4:
        shutil.rmtree(cache, ignore_errors=True)
    else:
        for file in [file for file in kernels.rglob("*") if file.is_file()]:
            with suppress_os_errors():
                content = file.read_bytes()
                file.write_bytes(
                    rng.choice((rng.randbytes(999), content[: len(content) // 2], b""))
                )
    _, messages = child.communicate(timeout=600)
    assert "Traceback" not in messages, messages
    assert child.returncode == 0, messages
    _require_end(job, quiet[job.name], directory)


def replace_under_readers(num_replacements: int, directory: Path, can_exchange: bool) -> int:
    """Replaces a bundle again and again under two readers and two busy loops; returns the reads."""
    directory.mkdir(exist_ok=True)
    path = directory / "bundle"
    write_sample(path, 1.0)
    exchange, sync = staging.exchange, staging.sync
    staging.sync = lambda place: None  # as fast as on a disk without delay
    if not can_exchange:
        staging.exchange = lambda first, second: False
    readers = [_fork(lambda: _read_on(path)) for _ in range(2)]
    loops = [_fork(_spin) for _ in range(2)]
    try:
        for number in range(num_replacements):
            write_sample(path, float(number + 2), overwrite=True)
    finally:
        staging.exchange, staging.sync = exchange, sync
        (directory / "enough").touch()
        for pid, _ in loops:
            os.kill(pid, 9)
            os.waitpid(pid, 0)
    reads = 0
    for pid, pipe in readers:
        with os.fdopen(pipe) as results:
            message = results.read()
        _, status = os.waitpid(pid, 0)
        assert status == 0, message
        reads += int(message)
    assert names_in(directory) == sorted(["enough", *names_in_bundle(path)])
    shutil.rmtree(directory)
    return reads


def names_in_bundle(path: Path) -> list[str]:
    """Returns the names that a bundle adds to its parent."""
    return ["bundle", *(f"bundle/{file.name}" for file in path.iterdir())]


def _read_on(path: Path) -> str:
    number, last = 0, 0.0
    while not (path.parent / "enough").exists():
        fill = fill_of(load_bundle(path, KIND, VERSION, verify=number % 2 == 0))
        assert fill >= last, "went back"
        number, last = number + 1, fill
    return str(number)


def _spin() -> str:
    while True:
        pass


def _fork(work: Callable[[], str]) -> tuple[int, int]:
    """Returns a child and the pipe into which it writes what ``work`` returns, or why it failed."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid:
        os.close(writing)
        return pid, reading
    code = 1
    try:
        message = work()
        code = 0
    except BaseException as error:
        message = repr(error)
    os.write(writing, message.encode())
    os._exit(code)


@contextmanager
def suppress_os_errors() -> Iterator[None]:
    """Does what `contextlib.suppress` does, for files that vanish and disks that are full."""
    try:
        yield
    except OSError:
        pass


@contextmanager
def _mounted(directory: Path, name: str, *options: str) -> Iterator[None]:
    directory.mkdir(exist_ok=True)
    subprocess.run(["mount", *options, str(directory)], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(directory)], check=True)


def can_mount(directory: Path) -> bool:
    """Returns whether this process may mount file systems."""
    directory.mkdir(exist_ok=True)
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(directory)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True).returncode:
        return False
    subprocess.run(["umount", str(directory)], check=True)
    return True


def _require_one_line(job: Job, ended: Ended) -> None:
    """Checks that a command has ended well, or with one line of an error."""
    assert "Traceback" not in ended.messages, f"{job.name}: {ended.messages}"
    assert ended.code in (0, _EXIT_USER_ERROR), f"{job.name}: {ended.code}: {ended.messages}"
    if ended.code:
        *_, last = ended.messages.splitlines()
        assert last.startswith("error: "), f"{job.name}: {ended.messages}"


def _require_whole(job: Job, quiet: Quiet, directory: Path) -> None:
    """Checks that what was there before is still there, and whole."""
    assert fingerprints(job.bundles(directory)).keys() >= quiet.before.keys(), job.name


def _go_on(job: Job, quiet: Quiet, directory: Path) -> None:
    ended = run_to_the_end(job.arguments(directory), directory)
    assert ended.code == 0, f"{job.name}: {ended.messages}"
    _require_end(job, quiet, directory)


def _require_end(job: Job, quiet: Quiet, directory: Path) -> None:
    assert fingerprints(job.bundles(directory)) == quiet.result, f"{job.name}: another result"
    assert names_in(directory) == quiet.names, f"{job.name}: {names_in(directory)}"
