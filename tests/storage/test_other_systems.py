"""Storage where a system lacks what Linux has: pretended here, never run there.

Windows locks bytes and shares no lock, opens no directory, follows no descriptor of one, and has
neither links that can be refused when a file is opened nor an exchange of names. macOS has all but
the exchange, and both take ``A`` and ``a`` for one name.
"""

import errno
import fcntl
import os
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from runout import cache
from runout.config.load import parse_config
from runout.config.spot import SpotConfig
from runout.errors import BundleError
from runout.execution.context import RunContext
from runout.runs.spot import solve_spot
from runout.solutions.flop_bundles import load_spot
from runout.storage import files
from runout.storage.ledger import Ledger, TaskClaims, TaskId, TaskRecord, claiming
from tests.samples.squares import SQUARES, TASKS, SquareJob
from tests.samples.storage_samples import fill_of, leftovers, load_sample, write_sample

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pretends on POSIX")


class FakeMsvcrt:
    """Locks a byte as Windows does: of one descriptor at a time, at once or after a while."""

    LK_LOCK, LK_NBLCK, LK_UNLCK = 1, 2, 0

    @staticmethod
    def locking(descriptor, mode, num_bytes):
        assert num_bytes == 1
        assert os.lseek(descriptor, 0, os.SEEK_CUR) == files._LOCKED_BYTE
        if mode == FakeMsvcrt.LK_UNLCK:
            fcntl.flock(descriptor, fcntl.LOCK_UN)
            return
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise PermissionError(errno.EACCES, "Permission denied") from None


def pretend(monkeypatch, system):
    monkeypatch.setattr(files, "exchange", lambda first, second: False)
    monkeypatch.setattr(os, "kill", lambda *_: pytest.fail("os.kill ends processes on Windows"))
    if system == "macos":
        return
    monkeypatch.setattr(files, "fcntl", None)
    monkeypatch.setattr(cache, "fcntl", None)
    monkeypatch.setattr(files, "msvcrt", FakeMsvcrt if system == "windows" else None)
    monkeypatch.setattr(files.PinnedDirectory, "is_pinned", False)
    monkeypatch.setattr(files, "_PLAIN", getattr(os, "O_BINARY", 0))
    monkeypatch.delattr(os, "O_NOFOLLOW")
    monkeypatch.delattr(os, "geteuid")
    monkeypatch.delattr(os, "posix_fallocate", raising=False)
    monkeypatch.setattr(files.sys, "platform", "win32")


@pytest.fixture(params=["macos", "windows", "no locks"])
def system(request, monkeypatch):
    pretend(monkeypatch, request.param)
    return request.param


@pytest.fixture
def windows(monkeypatch):
    pretend(monkeypatch, "windows")


def test_bundles_are_written_replaced_and_read(system, tmp_path):
    write_sample(tmp_path / "a", 1.0)
    write_sample(tmp_path / "a", 2.0, overwrite=True)
    assert fill_of(load_sample(tmp_path / "a")) == 2.0
    with pytest.raises(BundleError, match="exists already"):
        write_sample(tmp_path / "a", 3.0)
    assert leftovers(tmp_path) == []


def test_a_replacement_that_was_killed_is_ended_by_the_next_writer(system, tmp_path):
    write_sample(tmp_path / "a", 1.0)
    os.rename(tmp_path / "a", tmp_path / ".a.old-0123abcd")
    assert fill_of(load_sample(tmp_path / "a")) == 1.0
    write_sample(tmp_path / "a", 2.0, overwrite=True)
    assert fill_of(load_sample(tmp_path / "a")) == 2.0
    assert leftovers(tmp_path) == []


def test_a_link_inside_a_bundle_is_refused(system, tmp_path):
    write_sample(tmp_path / "a", 1.0)
    (tmp_path / "a" / "values.npy").rename(tmp_path / "outside")
    (tmp_path / "a" / "values.npy").symlink_to(tmp_path / "outside")
    with pytest.raises(BundleError, match="a symbolic link"):
        load_sample(tmp_path / "a")


def test_one_process_at_a_time_works_towards_a_result(windows, tmp_path):
    with claiming(tmp_path / "a", "7" * 64):
        for digest in (None, "7" * 64, "8" * 64):  # nothing is shared there
            with pytest.raises(BundleError, match=f"process {os.getpid()} is working on it"):
                with claiming(tmp_path / "a", digest):
                    pass
    with claiming(tmp_path / "a", "8" * 64) as lock:
        assert lock.is_last()


def test_a_foreign_file_is_no_lock(system, tmp_path):
    (tmp_path / ".a.lock").write_text("years of work")
    with pytest.raises(BundleError, match="something else than a lock"):
        with claiming(tmp_path / "a"):
            pass
    (tmp_path / "link.claim").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BundleError, match="a symbolic link"):
        TaskClaims(tmp_path).take("link")
    assert not (tmp_path / "elsewhere").exists()


def test_a_task_is_claimed_once(windows, tmp_path):
    first, second = TaskClaims(tmp_path), TaskClaims(tmp_path)
    assert first.take("task")
    assert not second.take("task")
    first.release("task")
    assert second.take("task")
    second.release("task")


def test_tasks_are_shared_out_and_resumed(system, tmp_path):
    for _ in range(2):
        ends = list(RunContext(2, checkpoints=tmp_path).run(SquareJob(), TASKS))
        assert {end.task.item: int(end.entry.arrays["number"]) for end in ends} == SQUARES


def test_a_spot_is_solved_and_resumed_without_a_look_at_processes(system, tmp_path):
    keys = {"board": "2c3d4h8s9c", "oop": "AA,KK", "ip": "QQ,A9s", "pot": 100, "stack": 100}
    for iterations in (5, 9):
        solve_spot(directory=tmp_path / "spot", max_iterations=iterations, target=None, **keys)
    assert load_spot(tmp_path / "spot").quality.iterations == 9
    assert leftovers(tmp_path) == []


def test_names_of_files_differ_by_more_than_case(tmp_path):
    ledger = Ledger(tmp_path)
    keys = ["AhKd7s", "ahkd7s", "AHKD7S", "x:b50", "X:B50"]
    for number, key in enumerate(keys):
        id = TaskId(key, f"{number:x}" * 64)
        ledger.save(id, {"a": np.zeros(1)}, TaskRecord.of_this_process(0.0))
    assert len({file.name.lower() for file in tmp_path.iterdir()}) == len(keys)
    with pytest.raises(BundleError, match="is no name for a file"):
        write_sample(tmp_path / "a", arrays={"values": np.zeros(1), "Values": np.zeros(1)})


def test_no_name_of_ours_is_one_that_windows_forbids(tmp_path):
    keys = {"board": "2c3d4h8s9c", "oop": "AA", "ip": "QQ", "pot": 100, "stack": 100}
    solve_spot(directory=tmp_path / "spot", max_iterations=2, **keys)
    ledger = Ledger(tmp_path / "ledger")
    for key in ("x:b50", 'a"b', "a<b>", "a|b?*", "con", "a.", "a "):
        ledger.save(
            TaskId(key, key.encode().hex().ljust(64, "0")), {}, TaskRecord("a", 1, 0.0, 1, 0)
        )
    for file in tmp_path.rglob("*"):
        assert not set(file.name) & set('<>:"|?*\\')
        assert file.name == file.name.rstrip(". ")
        assert file.stem.lower() not in ("con", "nul", "aux", "prn")


def test_modules_are_imported_where_posix_is_missing():
    """In a new process, in which the modules that only POSIX has are not found."""
    absent = ("fcntl", "resource", "pwd", "grp", "termios", "pty", "tty", "_posixsubprocess")
    program = (
        f"import sys; sys.modules.update(dict.fromkeys({absent[:-1]!r}))\n"
        "import runout, runout.cli.program, runout.explorer.server, runout.execution.processes\n"
        "from runout.storage import files; assert files.fcntl is None\n"
        "from runout.runs import preflop, spot, report, judge, sweep\n"
        "print('imported')\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "imported\n", done.stderr


def test_a_config_with_the_line_ends_of_windows_is_the_same():
    text = "board: 2c3d4h8s9c\noop: AA\nip: QQ\npot: 100\nstack: 100\n"
    assert parse_config(text.replace("\n", "\r\n"), SpotConfig) == parse_config(text, SpotConfig)


def test_a_terminate_of_windows_is_never_used_to_end_a_solve(monkeypatch):
    from runout.explorer import jobs

    ended = []
    child = SimpleNamespace(
        terminate=lambda: pytest.fail("kills there"), _close=lambda: ended.append(1)
    )
    monkeypatch.setattr(jobs.os, "name", "nt")
    jobs.Child.end(child)
    assert ended == [1]
