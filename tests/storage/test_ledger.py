"""Tests of `runout.storage.ledger`."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import threading
import time
import tracemalloc

import numpy as np
import pytest

from runout.errors import BundleError
from runout.storage import files
from runout.storage import ledger as task_claims
from runout.storage.ledger import Ledger, TaskClaims, TaskId, TaskRecord, claiming, host_id
from tests.samples.storage_samples import run_until_killed, start_child

needs_locks = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such locks")

CLAIM_AND_WAIT = """
import sys
from pathlib import Path
from runout.storage.ledger import claiming
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
        f"{target}: process {child.pid} is working on it; wait until it ends or choose another "
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
    lock, file = files.fcntl.flock, tmp_path / ".a.lock"
    num_removed = 0

    def remove_then_lock(descriptor, mode):
        nonlocal num_removed
        if num_removed == 0:
            file.unlink()
            num_removed += 1
        lock(descriptor, mode)

    monkeypatch.setattr(files.fcntl, "flock", remove_then_lock)
    with claiming(tmp_path / "a"):
        assert file.read_text() == f"{os.getpid()}@{host_id()} "
    assert num_removed == 1
    assert list(tmp_path.iterdir()) == []


def test_an_error_inside_gives_the_claim_back(tmp_path):
    with pytest.raises(ZeroDivisionError), claiming(tmp_path / "a"):
        _ = 1 / 0
    assert list(tmp_path.iterdir()) == []


def test_a_place_where_nothing_can_be_written_cannot_be_claimed(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(BundleError, match=r"cannot be written \("):
        try_to_claim(tmp_path / "file" / "a")


SHARE_AND_WAIT = CLAIM_AND_WAIT.replace("Path(sys.argv[1])", "Path(sys.argv[1]), '7' * 64")


@needs_locks
def test_processes_of_one_run_work_together_and_the_last_one_knows(tmp_path):
    child = start_child(SHARE_AND_WAIT, tmp_path / "a", stdin=subprocess.PIPE)
    assert child.stdout.readline() == "claimed\n"
    with claiming(tmp_path / "a", "7" * 64) as mine:
        assert not mine.is_last()
    assert (tmp_path / ".a.lock").exists()
    with claiming(tmp_path / "a", "7" * 64) as mine:
        child.communicate("go", timeout=600)
        assert mine.is_last()
    assert list(tmp_path.iterdir()) == []


@needs_locks
@pytest.mark.parametrize("digest", [None, "8" * 64])
def test_processes_of_other_runs_are_refused(tmp_path, digest):
    who = f"process {os.getpid()} is working on it"
    with claiming(tmp_path / "a", "7" * 64), pytest.raises(BundleError, match=who):
        try_to_claim(tmp_path / "a", digest)
    with claiming(tmp_path / "a"), pytest.raises(BundleError, match=who):
        try_to_claim(tmp_path / "a", "7" * 64)


SAVE_MANY = """
import hashlib, sys
import numpy as np
from runout.storage.ledger import Ledger, TaskId, TaskRecord
ledger = Ledger(sys.argv[1])
def save(key, arrays):
    id = TaskId(key, hashlib.sha256(key.encode()).hexdigest())
    ledger.save(id, arrays, TaskRecord.of_this_process(0.0))
worker = int(sys.argv[2])
for i in range(20):
    save(f"own {worker} {i}", {"values": np.full(50, worker)})
    save(f"shared {i}", {"values": np.full(5000, worker)})
"""
SAVE_AND_DIE = """
import hashlib, os, signal, sys
import numpy as np
from runout.storage.ledger import Ledger, TaskId, TaskRecord
ledger = Ledger(sys.argv[1])
def save(key, arrays):
    id = TaskId(key, hashlib.sha256(key.encode()).hexdigest())
    ledger.save(id, arrays, TaskRecord.of_this_process(0.0))
save("first", {"values": np.zeros(10)})
os.replace = lambda *paths: os.kill(os.getpid(), signal.SIGKILL)
save("second", {"values": np.zeros(10)})
"""


def result(seed=0):
    generator = np.random.default_rng(seed)
    return {
        "value_pot": generator.random((2, 5, 5), np.float32),
        "counts": np.asfortranarray(generator.integers(0, 9, (3, 4))),
        "total": np.array(2.5),
        "nothing": np.zeros((0, 3), bool),
        "file": np.array(["AhKd7s"]),
    }


def assert_equal(found, expected):
    assert list(found) == list(expected)
    for name, array in expected.items():
        assert found[name].dtype == array.dtype
        np.testing.assert_array_equal(found[name], array)


def id_of(key):
    return TaskId(key, hashlib.sha256(key.encode()).hexdigest())


def save(ledger, key, arrays):
    return ledger.save(id_of(key), arrays, TaskRecord.of_this_process(0.0))


def load(ledger, key):
    return ledger.find(id_of(key)).arrays


def has(ledger, key):
    return ledger.find(id_of(key)) is not None


def keys(ledger):
    return {entry.id.key for entry in ledger.entries()}


def entry_file(path):
    (file,) = path.glob("*.result")
    return file


@pytest.fixture
def damages():
    return []


@pytest.fixture
def ledger(tmp_path, damages):
    return Ledger(tmp_path / "c", on_damage=damages.append)


def test_results_come_back_after_a_restart(tmp_path, ledger):
    assert not keys(ledger)
    save(ledger, "spr 4 / AhKd7s", result())
    again = Ledger(tmp_path / "c")
    assert has(again, "spr 4 / AhKd7s")
    assert not has(again, "spr 4 / AhKd8s")
    assert keys(again) == {"spr 4 / AhKd7s"}
    assert_equal(load(again, "spr 4 / AhKd7s"), result())


def test_loaded_arrays_cannot_be_changed(ledger):
    save(ledger, "a", result())
    with pytest.raises(ValueError, match="read-only"):
        load(ledger, "a")["value_pot"][0] = 1.0


def test_a_result_can_be_empty(ledger):
    save(ledger, "a", {})
    assert has(ledger, "a")
    assert load(ledger, "a") == {}


def test_a_later_result_replaces_an_earlier_one(ledger):
    save(ledger, "a", result(0))
    save(ledger, "a", result(1))
    assert keys(ledger) == {"a"}
    assert_equal(load(ledger, "a"), result(1))


def test_any_text_is_a_key_and_all_keys_are_distinct(tmp_path, ledger):
    texts = ["", ".", "..", "/etc/passwd", "a b", "a_b", "A B", "ä", "♠", "x" * 5000, "\n", "a\\b"]
    for i, key in enumerate(texts):
        save(ledger, key, {"values": np.array(i)})
    assert keys(ledger) == set(texts)
    assert [int(load(ledger, key)["values"]) for key in texts] == list(range(len(texts)))
    names = {path.name.lower() for path in (tmp_path / "c").iterdir()}
    assert len(names) == len(texts)  # distinct where case is ignored, too


def test_file_names_tell_people_the_key(tmp_path, ledger):
    save(ledger, "spr 4/AhKd7s", {})
    assert entry_file(tmp_path / "c").name.startswith("spr_4_AhKd7s-")


@pytest.mark.parametrize("offset", [0, 64, 70, 200, -1])
def test_a_flipped_bit_is_as_if_never_written_and_reported(tmp_path, ledger, damages, offset):
    save(ledger, "a", result())
    file = entry_file(tmp_path / "c")
    content = bytearray(file.read_bytes())
    content[offset] ^= 1
    file.write_bytes(content)
    assert not has(ledger, "a")
    assert keys(ledger) == set()
    assert [error.where for error in damages] == [str(file)] * 2
    save(ledger, "a", result())
    assert has(ledger, "a")


@pytest.mark.parametrize("size", [0, 1, 64, 65, 100, 500])
def test_a_truncated_entry_is_as_if_never_written(tmp_path, ledger, damages, size):
    save(ledger, "a", result())
    save(ledger, "b", result())
    (file,) = (tmp_path / "c").glob("a-*")
    os.truncate(file, size)
    assert keys(ledger) == {"b"}
    assert len(damages) == 1


def test_an_entry_that_was_copied_does_not_count(tmp_path, ledger, damages):
    save(ledger, "b", result())
    file = entry_file(tmp_path / "c")
    shutil.copy(file, tmp_path / "c/renamed.result")
    shutil.copy(file, ledger.file_of(id_of("a")))
    assert not has(ledger, "a")
    assert keys(ledger) == {"b"}
    assert all("was copied here" in error.problem for error in damages)
    assert len(damages) == 3


def test_an_entry_says_who_finished_it_and_how_long_that_took(ledger):
    record = TaskRecord.of_this_process(seconds=2.5, attempt=3)
    ledger.save(id_of("a"), result(), record, {"seconds": [1.0, 2.0]})
    (entry,) = ledger.entries()
    assert entry.record == record
    assert (record.host, record.pid) == (host_id(), os.getpid())
    assert entry.measured == {"seconds": [1.0, 2.0]}


def test_the_digest_of_a_result_is_that_of_names_and_arrays_alone(ledger):
    def digest(key, arrays):
        save(ledger, key, arrays)
        return ledger.find(id_of(key)).sha256

    first = digest("a", {"x": np.zeros(3)})
    others = [{"x": np.zeros(4)}, {"y": np.zeros(3)}, {"x": np.zeros(3, np.float32)}]
    assert digest("b", {"x": np.zeros(3)}) == first
    assert first not in [digest("a", other) for other in others]


def test_removing_takes_our_files_only(tmp_path, ledger):
    save(ledger, "a", result())
    (tmp_path / "c/notes.txt").write_text("mine")
    ledger.remove()
    assert [path.name for path in (tmp_path / "c").iterdir()] == ["notes.txt"]
    (tmp_path / "c/notes.txt").unlink()
    Ledger(tmp_path / "c").remove()
    assert not (tmp_path / "c").exists()


def test_arrays_of_python_objects_are_refused(ledger):
    with pytest.raises(BundleError, match="array 'values': dtype object holds Python objects"):
        save(ledger, "a", {"values": np.array([None])})
    assert not has(ledger, "a")


def test_a_path_that_cannot_be_written_is_an_error(tmp_path):
    (tmp_path / "file").write_text("")
    for name in ("file", "file/below"):
        with pytest.raises(BundleError, match="cannot be written"):
            Ledger(tmp_path / name)


def test_a_full_disk_is_an_error_and_keeps_the_earlier_result(tmp_path, ledger, monkeypatch):
    save(ledger, "a", result(0))

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(BundleError, match=r"cannot be written \(No space left on device"):
        save(ledger, "a", result(1))
    assert_equal(load(ledger, "a"), result(0))
    assert not list((tmp_path / "c").glob(".*"))


@pytest.mark.skipif(sys.platform == "win32", reason="kills as on POSIX")
def test_a_run_killed_while_it_saves_keeps_what_was_saved(tmp_path):
    run_until_killed(SAVE_AND_DIE, tmp_path / "c")
    ledger = Ledger(tmp_path / "c")
    assert keys(ledger) == {"first"}
    (part,) = (tmp_path / "c").glob(".*.part-*")
    two_hours_ago = time.time() - 7200
    os.utime(part, (two_hours_ago, two_hours_ago))
    Ledger(tmp_path / "c")
    assert not part.exists()


def test_threads_save_different_keys_at_once(ledger, damages):
    def save_all(worker):
        for i in range(20):
            save(ledger, f"{worker} {i}", {"values": np.full(100, worker)})

    threads = [threading.Thread(target=save_all, args=(worker,)) for worker in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert keys(ledger) == {f"{worker} {i}" for worker in range(6) for i in range(20)}
    assert (load(ledger, "5 19")["values"] == 5).all()
    assert damages == []


def test_processes_save_the_same_keys_at_once(tmp_path, damages):
    children = [start_child(SAVE_MANY, tmp_path / "c", worker) for worker in range(3)]
    outputs = [child.communicate(timeout=600) for child in children]
    assert [child.returncode for child in children] == [0, 0, 0], outputs
    ledger = Ledger(tmp_path / "c", on_damage=damages.append)
    assert len(keys(ledger)) == 3 * 20 + 20
    for i in range(20):
        assert len(np.unique(load(ledger, f"shared {i}")["values"])) == 1
    assert damages == []


# --------------------------------------------------------------------------------------------------
# Who is at which task: one at a time, until its process ends, however that ends.


CLAIM_AND_DIE = """
import os, signal, sys
from pathlib import Path
from runout.storage.ledger import TaskClaims
assert TaskClaims(Path(sys.argv[1])).take("a")
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_task_is_claimed_by_one_until_it_gives_it_back(tmp_path):
    mine, others = TaskClaims(tmp_path), TaskClaims(tmp_path)
    assert mine.take("a")
    assert mine.take("a")
    assert not others.take("a")
    assert others.take("b")
    mine.release("a")
    assert others.take("a")
    mine.release("a")  # not ours any more
    assert not mine.take("a")


def test_all_claims_are_given_back_in_the_end(tmp_path):
    with TaskClaims(tmp_path).showing_signs_of_life() as claims:
        claims.take("a")
        claims.take("b")
        assert len(list(tmp_path.iterdir())) == 2
    assert list(tmp_path.iterdir()) == []


def test_the_claim_of_a_killed_process_is_taken_over_at_once(tmp_path):
    subprocess.run([sys.executable, "-c", CLAIM_AND_DIE, str(tmp_path)], check=False)
    assert len(list(tmp_path.iterdir())) == 1
    assert TaskClaims(tmp_path).take("a")


@pytest.mark.parametrize("content", ['{"host": "elsewhere", "pid": 1, "born": null}', "", "[]"])
def test_the_claim_of_an_earlier_version_or_of_nobody_is_taken_over(tmp_path, content):
    (tmp_path / "a.claim").write_text(content)
    assert TaskClaims(tmp_path).take("a")


@needs_locks
def test_a_claim_whose_machine_is_gone_is_taken_over_after_a_while(tmp_path):
    """Its lock may be held by a file server for ever, but nobody touches the file."""
    theirs, ours = TaskClaims(tmp_path), TaskClaims(tmp_path)
    assert theirs.take("a")
    assert not ours.take("a")
    long_ago = time.time() - task_claims.SECONDS_UNTIL_TAKEN_OVER - 1.0
    os.utime(tmp_path / "a.claim", (long_ago, long_ago))
    assert ours.take("a")
    assert not TaskClaims(tmp_path).take("a")


@needs_locks
def test_a_claim_on_a_file_that_was_left_long_ago_is_as_good_as_a_new_one(tmp_path):
    (tmp_path / "a.claim").touch()
    os.utime(tmp_path / "a.claim", (0.0, 0.0))
    mine = TaskClaims(tmp_path)
    assert mine.take("a")
    assert not TaskClaims(tmp_path).take("a")


def test_signs_of_life_are_given_while_the_work_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr(task_claims, "SECONDS_BETWEEN_SIGNS", 0.001)
    with TaskClaims(tmp_path).showing_signs_of_life() as claims:
        claims.take("a")
        os.utime(tmp_path / "a.claim", (0.0, 0.0))
        while (tmp_path / "a.claim").stat().st_mtime == 0.0:
            time.sleep(0.001)


def test_a_directory_that_cannot_be_written_is_an_error(tmp_path):
    with pytest.raises(BundleError, match="cannot be written"):
        TaskClaims(tmp_path / "nothing").take("a")


OWN_NOTES = ["", "4711 ", f"4711 {'a' * 64}", f"4711@node-0123ab {'a' * 64}"]


@needs_locks
@pytest.mark.parametrize("note", OWN_NOTES)
def test_the_note_of_a_killed_process_is_in_nobodys_way(tmp_path, note):
    (tmp_path / ".a.lock").write_text(note)
    try_to_claim(tmp_path / "a")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", ["years of work\n", "4711 monkeys", "4711\n", "\0" * 5000])
def test_a_foreign_file_of_the_name_of_a_lock_stays_as_it_is(tmp_path, content):
    (tmp_path / ".a.lock").write_text(content)
    with pytest.raises(BundleError, match="holds something else than a lock"):
        try_to_claim(tmp_path / "a")
    assert (tmp_path / ".a.lock").read_text() == content


@pytest.mark.parametrize("is_hard", [False, True])
@pytest.mark.parametrize("content", ["", "years of work"])
def test_what_a_link_of_the_name_of_a_lock_leads_to_stays_as_it_is(tmp_path, is_hard, content):
    mine = tmp_path / "mine.txt"
    mine.write_text(content)
    link = tmp_path / ".a.lock"
    link.hardlink_to(mine) if is_hard else link.symlink_to(mine)
    with pytest.raises(BundleError, match=r"symbolic link|something else than a lock"):
        try_to_claim(tmp_path / "a")
    assert mine.read_text() == content
    claims = TaskClaims(tmp_path)
    mine.with_name("task.claim").symlink_to(mine)
    with pytest.raises(BundleError, match="symbolic link"):
        claims.take("task")
    assert mine.read_text() == content


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
def test_a_pipe_of_the_name_of_a_lock_or_a_result_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / ".a.lock")
    with pytest.raises(BundleError, match="something else than a lock"):
        try_to_claim(tmp_path / "a")
    ledger = Ledger(tmp_path / "ledger")
    os.mkfifo(ledger.file_of(id_of("a")))
    assert ledger.find(id_of("a")) is None
    assert list(ledger.entries()) == []


def test_a_lock_that_was_replaced_meanwhile_is_not_removed(tmp_path):
    with claiming(tmp_path / "a"):
        (tmp_path / ".a.lock").unlink()
        (tmp_path / ".a.lock").write_text("years of work")
    assert (tmp_path / ".a.lock").read_text() == "years of work"


def test_a_sparse_result_is_not_read_into_memory(tmp_path):
    problems = []
    ledger = Ledger(tmp_path, on_damage=problems.append)
    with ledger.file_of(id_of("a")).open("wb") as file:
        file.truncate(2**30)
    tracemalloc.start()
    try:
        assert ledger.find(id_of("a")) is None
        assert tracemalloc.get_traced_memory()[1] < 10**7
    finally:
        tracemalloc.stop()
    assert "do not have" in str(problems[0])


@pytest.mark.parametrize(
    "change",
    [
        {"record": {"host": [], "pid": 1, "seconds": 0.5, "attempt": 1, "finished_at": 1.0}},
        {"record": {"host": "a", "pid": 1, "seconds": None, "attempt": 1, "finished_at": 1.0}},
        {"measured": 7},
        {"id": [1, 2]},
        {"sha256": None},
    ],
)
def test_an_entry_that_was_signed_anew_with_other_types_counts_as_never_written(tmp_path, change):
    ledger = Ledger(tmp_path)
    save(ledger, "a", result())
    file = ledger.file_of(id_of("a"))
    _, head, rest = file.read_bytes().split(b"\n", 2)
    body = json.dumps(json.loads(head) | change).encode() + b"\n" + rest
    file.write_bytes(hashlib.sha256(body).hexdigest().encode() + b"\n" + body)
    assert ledger.find(id_of("a")) is None


def test_the_name_of_a_machine_is_fit_for_a_note_and_the_same_in_all_its_processes(tmp_path):
    program = "from runout.storage.ledger import host_id; print(host_id())"
    child = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert child.stdout.strip() == host_id()
    assert files._NOTE.fullmatch(f"1@{host_id()} ".encode())
