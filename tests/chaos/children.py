"""Commands in forked processes, which find everything imported and compiled already."""

import functools
import os
import resource
import signal
import sys
import tempfile
import threading
import time
import traceback
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import typer.main

from runout.cli.app import main
from runout.holdem.solver import SpotSolver
from runout.storage.ledger import Ledger

# The tree of commands takes as long to build as most work here takes; children share it.
typer.main.get_command = functools.cache(typer.main.get_command)

#: What Python tells audit hooks before it touches a file.
_FILE_EVENTS = ("open", "os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.truncate")
_WITHOUT_PATH = ("os.remove", "os.rmdir")  # trees are removed by names relative to a descriptor
_SECONDS_TO_END = 120.0


@dataclass(frozen=True)
class Ended:
    """How a command ended.

    Attributes:
        code: its exit code, or minus the signal that killed it.
        messages: what it wrote to stderr.
        computed: keys of finished parts that it saved, in order.
        begun_at: the iteration at which it began to solve a spot, -1 if it did not.
        num_events: how often it was about to touch a file.
        seconds: its time.
    """

    code: int
    messages: str
    computed: tuple[str, ...]
    begun_at: int
    num_events: int
    seconds: float

    @property
    def is_killed(self) -> bool:
        """Whether it had no chance to end by itself."""
        return self.code == -signal.SIGKILL


class Child:
    """A command in a process of its own.

    Args:
        arguments: of the command.
        directory: whose files are watched; notes about the child are kept elsewhere.
        kill_at_event: the file event before which it kills itself, None for never.
        max_file_bytes: the size that no file may exceed, as on a full disk; None for no limit.
    """

    def __init__(self, arguments, directory, kill_at_event=None, max_file_bytes=None):
        self._notes = Path(tempfile.mkdtemp(prefix="runout-chaos-notes-", dir=fast_place()))
        self._started = time.monotonic()
        sys.stdout.flush()
        sys.stderr.flush()
        # Messages go through a pipe, which holds them all: a file would be limited too.
        messages, to_parent = os.pipe()
        self._messages = os.fdopen(messages)
        self.pid = os.fork()
        if self.pid == 0:
            os.dup2(to_parent, 2)
            self._run(arguments, directory, kill_at_event, max_file_bytes)
        os.close(to_parent)

    def wait(self, kill_after=None):
        """Waits for the end, which comes after so many seconds at the latest, and returns it."""
        limit = _SECONDS_TO_END if kill_after is None else kill_after
        while True:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            elapsed = time.monotonic() - self._started
            if pid:
                break
            if elapsed >= limit:
                os.kill(self.pid, signal.SIGKILL)
                _, status = os.waitpid(self.pid, 0)
                if kill_after is None:
                    raise AssertionError(f"hangs: {self._messages.read()}")
                break
            time.sleep(min(0.002, limit - elapsed))
        code = os.waitstatus_to_exitcode(status)
        begun = self._read("begun").split()
        ended = Ended(
            code,
            self._messages.read(),
            tuple(self._read("computed").splitlines()),
            int(begun[0]) if begun else -1,
            len(self._read("events")),
            time.monotonic() - self._started,
        )
        self._messages.close()
        for file in self._notes.iterdir():
            file.unlink()
        self._notes.rmdir()
        return ended

    def _read(self, name):
        file = self._notes / name
        return file.read_text() if file.exists() else ""

    def _run(self, arguments, directory, kill_at_event, max_file_bytes):
        """Runs the command and ends the process."""
        code = 70
        try:
            streams = {
                name: os.open(self._notes / name, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
                for name in ("computed", "begun", "events")
            }
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            _note_work(streams["computed"], streams["begun"])
            _watch_files(str(directory), streams["events"], kill_at_event)
            if max_file_bytes is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (max_file_bytes, max_file_bytes))
            try:
                main(arguments)
            except SystemExit as end:
                code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
            except BaseException:
                traceback.print_exc()
                code = 1
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(code)


def _note_work(computed, begun):
    """Makes the child write down every part that it computes, and where it begins a spot."""
    save, run = Ledger.save, SpotSolver.run

    def save_and_note(self, id, *arguments, **options):
        file = self.file_of(id)
        os.write(computed, f"{file.parent.name}/{file.name}\n".encode())
        return save(self, id, *arguments, **options)

    def run_and_note(self, num_iterations):
        if not os.fstat(begun).st_size:
            os.write(begun, f"{self.iteration}\n".encode())
        run(self, num_iterations)

    Ledger.save = save_and_note
    SpotSolver.run = run_and_note


def _watch_files(directory, events, kill_at_event):
    """Counts file events below a directory, and kills the process at one of them."""
    num_events = 0

    def watch(event, arguments):
        nonlocal num_events
        if event not in _FILE_EVENTS:
            return
        if event not in _WITHOUT_PATH and not str(arguments[0]).startswith(directory):
            return
        num_events += 1
        os.write(events, b".")
        if num_events == kill_at_event:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(watch)


def fast_place() -> str | None:
    """Returns a directory in memory: a kill loses nothing there that a disk would keep."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def run_to_the_end(arguments, directory: Path, **options) -> Ended:
    """Runs a command that nobody disturbs."""
    return Child(arguments, directory, **options).wait()


def warm_up(arguments) -> None:
    """Runs a command in this process, so that its children find everything imported and compiled.

    A process is forked safely only while it has no other threads.
    """
    with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
        try:
            main(arguments)
        except SystemExit as end:
            if end.code:
                raise RuntimeError(f"{arguments}: exit code {end.code}") from None
    assert threading.active_count() == 1
