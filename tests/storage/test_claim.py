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


def try_to_claim(target):
    with claiming(target):
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

    def remove_then_lock(descriptor, target):
        nonlocal num_removed
        if num_removed == 0:
            file.unlink()
            num_removed += 1
        lock(descriptor, target)

    monkeypatch.setattr(claim, "_lock", remove_then_lock)
    with claiming(tmp_path / "a"):
        assert file.read_text() == str(os.getpid())
    assert num_removed == 1


def test_an_error_inside_gives_the_claim_back(tmp_path):
    with pytest.raises(ZeroDivisionError), claiming(tmp_path / "a"):
        _ = 1 / 0
    assert list(tmp_path.iterdir()) == []


def test_a_place_where_nothing_can_be_written_cannot_be_claimed(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(BundleError, match=r"cannot be written \("):
        try_to_claim(tmp_path / "file" / "a")
