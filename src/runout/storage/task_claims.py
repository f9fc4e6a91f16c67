"""Who is working on which task of a ledger, so that processes on one directory share the work.

A claim is a small file next to the results. It is in force while its process lives: on this machine
that is looked up, of others the file is touched every few seconds, and one that was not for a while
is taken over. Two processes that do the same task all the same cost time and nothing else.
"""

import json
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from runout.storage.files import DirectoryLock, make_token, reporting_os_errors

CLAIM_ENDING = ".claim"

SECONDS_BETWEEN_SIGNS = 10.0
SECONDS_UNTIL_TAKEN_OVER = 60.0

_ENDED_STATES = ("Z", "X")  # killed, and not yet noticed by its parent
_STARTED_AT = 19  # the place of a process' time of birth in /proc/PID/stat, behind its name


class TaskClaims:
    """The tasks of a ledger that this process works on; threads may share it."""

    def __init__(self, directory: Path) -> None:
        """Claims nothing yet.

        Args:
            directory: of the ledger.
        """
        self._directory = directory
        self._lock = threading.Lock()
        self._files: dict[str, Path] = {}
        self._is_over = threading.Event()

    @contextmanager
    def showing_signs_of_life(self) -> Iterator["TaskClaims"]:
        """Keeps claims in force while the block runs, and gives them all back in the end."""
        thread = threading.Thread(target=self._show_signs, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._is_over.set()
            thread.join()
            for name in list(self._files):
                self.release(name)

    def take(self, name: str) -> bool:
        """Claims a task, unless somebody is at it; returns whether it is ours now.

        Raises:
            BundleError: if no file can be written.
        """
        with self._lock:
            if name in self._files:
                return True
        file = self._directory / f"{name}{CLAIM_ENDING}"
        with reporting_os_errors(file, "written"):
            if not _create(file):
                with DirectoryLock(self._directory):  # one at a time takes over
                    if not _is_abandoned(file):
                        return False
                    file.unlink(missing_ok=True)
                    if not _create(file):
                        return False
        with self._lock:
            self._files[name] = file
        return True

    def release(self, name: str) -> None:
        """Gives a claim back, if it is ours."""
        with self._lock:
            file = self._files.pop(name, None)
        if file is not None:
            with suppress(OSError):  # the ledger is gone, and the claim with it
                file.unlink()

    def _show_signs(self) -> None:
        while not self._is_over.wait(SECONDS_BETWEEN_SIGNS):
            with self._lock:
                files = list(self._files.values())
            for file in files:
                with suppress(OSError):
                    os.utime(file)


def _create(file: Path) -> bool:
    """Makes a claim with its content in one step; returns whether there was none."""
    part = file.with_name(f".{file.name}.part-{make_token()}")
    content = json.dumps(
        {"host": socket.gethostname(), "pid": os.getpid(), "born": _birth_of(os.getpid())}
    )
    part.write_text(content)
    try:
        os.link(part, file)
        return True
    except FileExistsError:
        return False
    except OSError:  # a file system without links
        return _create_in_two_steps(file, content)
    finally:
        part.unlink()


def _create_in_two_steps(file: Path, content: str) -> bool:
    try:
        with file.open("x") as stream:
            stream.write(content)
        return True
    except FileExistsError:
        return False


def _is_abandoned(file: Path) -> bool:
    """Returns whether nobody is at a task any more, however its process ended."""
    probe = file.with_name(f".{file.name}.part-{make_token()}")
    try:
        owner: dict[str, Any] = json.loads(file.read_text())
        if owner["host"] == socket.gethostname():
            return not _is_alive(int(owner["pid"]), owner["born"])
    except FileNotFoundError:
        return True
    except (ValueError, LookupError, TypeError):
        pass  # not finished, or damaged: its age decides
    try:
        probe.touch()  # the clock of the file system, which may be another machine's
        age = probe.stat().st_mtime - file.stat().st_mtime
    except FileNotFoundError:
        return True
    finally:
        probe.unlink(missing_ok=True)
    return age > SECONDS_UNTIL_TAKEN_OVER


def _is_alive(pid: int, born: str | None) -> bool:
    """Returns whether a process of this machine lives, and is not another with its number."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # somebody else's
    return _birth_of(pid) == born


def _birth_of(pid: int) -> str | None:
    """Returns when a process of this machine was started, in the system's unit; None if unknown."""
    with suppress(OSError, IndexError):
        facts = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return "ended" if facts[0] in _ENDED_STATES else facts[_STARTED_AT]
    return None
