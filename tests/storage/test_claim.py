import os
import subprocess
import sys

import pytest

from runout.errors import BundleError
from runout.storage import claim
from runout.storage.claim import claiming
from tests.storage.samples import start_child

needs_locks = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such locks")

CLAIM_AND_WAIT = """
import sys
from pathlib import Path
from runout.storage.claim import claiming
with claiming(Path(sys.argv[1])):
    print("claimed", flush=True)
    sys.stdin.readline()
"""


def try_to_claim(target, run_digest=None):
    with claiming(target, run_digest):
        pass


@needs_locks
def test_a_second_process_is_refused_and_told_who_is_there(tmp_path):
    target = tmp_path / "runs" / "a"
    child = start_child(CLAIM_AND_WAIT, target, stdin=subprocess.PIPE)
    assert child.stdout.readline() == "claimed\n"
    with pytest.raises(BundleError) as caught:
        try_to_claim(target)
    assert str(caught.value) == (
        f"{target}: process {child.pid} is working on it, wait for its end or give another "
        "directory"
    )
    try_to_claim(tmp_path / "runs" / "b")
    child.communicate("go", timeout=600)
    try_to_claim(target)
    assert list((tmp_path / "runs").iterdir()) == []


@needs_locks
def test_the_claim_of_a_killed_process_is_in_nobodys_way(tmp_path):
    child = start_child(CLAIM_AND_WAIT, tmp_path / "a", stdin=subprocess.PIPE)
    assert child.stdout.readline() == "claimed\n"
    child.kill()
    child.communicate(timeout=600)
    assert [file.name for file in tmp_path.iterdir()] == [".a.lock"]
    try_to_claim(tmp_path / "a")
    assert list(tmp_path.iterdir()) == []


@needs_locks
def test_another_name_for_the_same_place_is_the_same_claim(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "latest").symlink_to("a")
    with claiming(tmp_path / "a"), pytest.raises(BundleError, match=f"process {os.getpid()} is"):
        try_to_claim(tmp_path / "latest")


@needs_locks
def test_a_lock_file_that_its_last_owner_just_removed_is_made_again(tmp_path, monkeypatch):
    lock, file = claim._lock, tmp_path / ".a.lock"
    num_removed = 0

    def remove_then_lock(descriptor, *, is_shared):
        nonlocal num_removed
        if num_removed == 0:
            file.unlink()
            num_removed += 1
        return lock(descriptor, is_shared=is_shared)

    monkeypatch.setattr(claim, "_lock", remove_then_lock)
    with claiming(tmp_path / "a"):
        assert file.read_text() == f"{os.getpid()} "
    assert num_removed == 1


def test_an_error_inside_gives_the_claim_back(tmp_path):
    with pytest.raises(ZeroDivisionError), claiming(tmp_path / "a"):
        _ = 1 / 0
    assert list(tmp_path.iterdir()) == []


def test_a_place_where_nothing_can_be_written_cannot_be_claimed(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(BundleError, match=r"cannot be written \("):
        try_to_claim(tmp_path / "file" / "a")


SHARE_AND_WAIT = CLAIM_AND_WAIT.replace("Path(sys.argv[1])", "Path(sys.argv[1]), 'run 7'")


@needs_locks
def test_processes_of_one_run_work_together_and_the_last_one_knows(tmp_path):
    child = start_child(SHARE_AND_WAIT, tmp_path / "a", stdin=subprocess.PIPE)
    assert child.stdout.readline() == "claimed\n"
    with claiming(tmp_path / "a", "run 7") as mine:
        assert not mine.is_last()
    assert (tmp_path / ".a.lock").exists()
    with claiming(tmp_path / "a", "run 7") as mine:
        child.communicate("go", timeout=600)
        assert mine.is_last()
    assert list(tmp_path.iterdir()) == []


@needs_locks
@pytest.mark.parametrize("digest", [None, "run 8"])
def test_processes_of_other_runs_are_refused(tmp_path, digest):
    who = f"process {os.getpid()} is working on it"
    with claiming(tmp_path / "a", "run 7"), pytest.raises(BundleError, match=who):
        try_to_claim(tmp_path / "a", digest)
    with claiming(tmp_path / "a"), pytest.raises(BundleError, match=who):
        try_to_claim(tmp_path / "a", "run 7")
