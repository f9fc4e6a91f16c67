import json
import os
import shutil
import sys
import threading
import time

import numpy as np
import pytest

from runout.errors import BundleError
from runout.storage.checkpoint import CheckpointDirectory
from tests.storage.samples import run_until_killed, start_child

SAVE_MANY = """
import sys
import numpy as np
from runout.storage.checkpoint import CheckpointDirectory
checkpoint = CheckpointDirectory(sys.argv[1], "run")
worker = int(sys.argv[2])
for i in range(20):
    checkpoint.save(f"own {worker} {i}", {"values": np.full(50, worker)})
    checkpoint.save(f"shared {i}", {"values": np.full(5000, worker)})
"""
SAVE_AND_DIE = """
import os, signal, sys
import numpy as np
from runout.storage.checkpoint import CheckpointDirectory
checkpoint = CheckpointDirectory(sys.argv[1], "run")
checkpoint.save("first", {"values": np.zeros(10)})
os.replace = lambda *paths: os.kill(os.getpid(), signal.SIGKILL)
checkpoint.save("second", {"values": np.zeros(10)})
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


def entry_file(path):
    (file,) = path.glob("*.checkpoint")
    return file


@pytest.fixture
def damages():
    return []


@pytest.fixture
def checkpoint(tmp_path, damages):
    return CheckpointDirectory(tmp_path / "c", "run", on_damage=damages.append)


def test_results_come_back_after_a_restart(tmp_path, checkpoint):
    assert not checkpoint.keys()
    checkpoint.save("spr 4 / AhKd7s", result())
    again = CheckpointDirectory(tmp_path / "c", "run")
    assert again.has("spr 4 / AhKd7s")
    assert not again.has("spr 4 / AhKd8s")
    assert again.keys() == {"spr 4 / AhKd7s"}
    assert_equal(again.load("spr 4 / AhKd7s"), result())


def test_loaded_arrays_cannot_be_changed(checkpoint):
    checkpoint.save("a", result())
    with pytest.raises(ValueError, match="read-only"):
        checkpoint.load("a")["value_pot"][0] = 1.0


def test_a_result_can_be_empty(checkpoint):
    checkpoint.save("a", {})
    assert checkpoint.has("a")
    assert checkpoint.load("a") == {}


def test_a_later_result_replaces_an_earlier_one(checkpoint):
    checkpoint.save("a", result(0))
    checkpoint.save("a", result(1))
    assert checkpoint.keys() == {"a"}
    assert_equal(checkpoint.load("a"), result(1))


class Counted:
    """Computes a result and counts how often it had to."""

    num_calls = 0

    def __call__(self):
        self.num_calls += 1
        return result()


def test_recalling_computes_once_and_then_reads(tmp_path, checkpoint):
    compute = Counted()
    assert_equal(checkpoint.recall("a", compute), result())
    assert_equal(checkpoint.recall("a", compute), result())
    again = CheckpointDirectory(tmp_path / "c", "run")
    assert_equal(again.recall("a", compute), result())
    assert compute.num_calls == 1
    checkpoint.recall("b", compute)
    assert compute.num_calls == 2


def test_recalling_a_damaged_result_computes_and_saves_it_again(tmp_path, checkpoint, damages):
    compute = Counted()
    checkpoint.recall("a", compute)
    os.truncate(entry_file(tmp_path / "c"), 100)
    assert_equal(checkpoint.recall("a", compute), result())
    assert compute.num_calls == 2
    assert len(damages) == 1
    assert_equal(checkpoint.load("a"), result())


def test_a_computation_that_fails_leaves_nothing_to_recall(tmp_path, checkpoint):
    def fail():
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        checkpoint.recall("a", fail)
    assert not checkpoint.has("a")


def test_any_text_is_a_key_and_all_keys_are_distinct(tmp_path, checkpoint):
    keys = ["", ".", "..", "/etc/passwd", "a b", "a_b", "A B", "ä", "♠", "x" * 5000, "\n", "a\\b"]
    for i, key in enumerate(keys):
        checkpoint.save(key, {"values": np.array(i)})
    assert checkpoint.keys() == set(keys)
    assert [int(checkpoint.load(key)["values"]) for key in keys] == list(range(len(keys)))
    names = {path.name.lower() for path in (tmp_path / "c").iterdir()}
    assert len(names) == len(keys) + 1  # distinct where case is ignored, too


def test_file_names_tell_people_the_key(tmp_path, checkpoint):
    checkpoint.save("spr 4/AhKd7s", {})
    assert entry_file(tmp_path / "c").name.startswith("spr_4_AhKd7s-")


def test_a_key_without_a_result_is_an_error_that_names_the_file(checkpoint, damages):
    with pytest.raises(BundleError, match=r"a-.*\.checkpoint: cannot be read \(No such file"):
        checkpoint.load("a")
    assert not checkpoint.has("a")
    assert damages == []


@pytest.mark.parametrize("offset", [0, 64, 70, 200, -1])
def test_a_flipped_bit_is_as_if_never_written_and_reported(tmp_path, checkpoint, damages, offset):
    checkpoint.save("a", result())
    file = entry_file(tmp_path / "c")
    content = bytearray(file.read_bytes())
    content[offset] ^= 1
    file.write_bytes(content)
    assert not checkpoint.has("a")
    assert checkpoint.keys() == frozenset()
    assert [error.where for error in damages] == [str(file)] * 2
    with pytest.raises(BundleError, match="is damaged"):
        checkpoint.load("a")
    checkpoint.save("a", result())
    assert checkpoint.has("a")


@pytest.mark.parametrize("size", [0, 1, 64, 65, 100, 500])
def test_a_truncated_entry_is_as_if_never_written(tmp_path, checkpoint, damages, size):
    checkpoint.save("a", result())
    checkpoint.save("b", result())
    (file,) = (tmp_path / "c").glob("a-*")
    os.truncate(file, size)
    assert checkpoint.keys() == {"b"}
    assert len(damages) == 1


def test_an_entry_that_was_copied_from_elsewhere_does_not_count(tmp_path, checkpoint, damages):
    other = CheckpointDirectory(tmp_path / "d", "other run")
    other.save("a", result())
    file = entry_file(tmp_path / "d")
    shutil.copy(file, tmp_path / "c" / file.name)
    assert not checkpoint.has("a")
    checkpoint.save("b", result())
    (mine,) = (tmp_path / "c").glob("b-*")
    shutil.copy(mine, tmp_path / "c/renamed.checkpoint")
    assert checkpoint.keys() == {"b"}
    assert all("was copied here" in error.problem for error in damages)
    assert len(damages) == 3


def test_the_directory_of_another_run_is_refused(tmp_path, checkpoint):
    checkpoint.save("a", result())
    with pytest.raises(BundleError, match="belongs to run run, this is run other; clear it"):
        CheckpointDirectory(tmp_path / "c", "other")
    assert checkpoint.has("a")


def test_the_directory_of_another_run_is_cleared_on_demand(tmp_path, checkpoint):
    checkpoint.save("a", result())
    (tmp_path / "c/notes.txt").write_text("mine")
    same = CheckpointDirectory(tmp_path / "c", "run", clear_other_run=True)
    assert same.keys() == {"a"}
    other = CheckpointDirectory(tmp_path / "c", "other", clear_other_run=True)
    assert other.keys() == frozenset()
    assert (tmp_path / "c/notes.txt").exists()
    with pytest.raises(BundleError, match="belongs to run other"):
        CheckpointDirectory(tmp_path / "c", "run")


@pytest.mark.parametrize("content", ["", "{}", "[1]", "null", '{"run_digest": 3}'])
def test_a_damaged_run_file_is_refused_or_cleared(tmp_path, checkpoint, content):
    checkpoint.save("a", result())
    (tmp_path / "c/run.json").write_text(content)
    with pytest.raises(BundleError, match="clear it or use another directory"):
        CheckpointDirectory(tmp_path / "c", "run")
    assert not CheckpointDirectory(tmp_path / "c", "run", clear_other_run=True).keys()


def test_results_survive_a_lost_run_file(tmp_path, checkpoint):
    checkpoint.save("a", result())
    (tmp_path / "c/run.json").unlink()
    assert CheckpointDirectory(tmp_path / "c", "run").keys() == {"a"}
    assert json.loads((tmp_path / "c/run.json").read_text()) == {"run_digest": "run"}


def test_removing_takes_our_files_only(tmp_path, checkpoint):
    checkpoint.save("a", result())
    (tmp_path / "c/notes.txt").write_text("mine")
    checkpoint.remove()
    assert [path.name for path in (tmp_path / "c").iterdir()] == ["notes.txt"]
    (tmp_path / "c/notes.txt").unlink()
    CheckpointDirectory(tmp_path / "c", "run").remove()
    assert not (tmp_path / "c").exists()


def test_arrays_of_python_objects_are_refused(checkpoint):
    with pytest.raises(BundleError, match="array 'values': dtype object holds Python objects"):
        checkpoint.save("a", {"values": np.array([None])})
    assert not checkpoint.has("a")


def test_a_path_that_cannot_be_written_is_an_error(tmp_path):
    (tmp_path / "file").write_text("")
    for name in ("file", "file/below"):
        with pytest.raises(BundleError, match="cannot be written"):
            CheckpointDirectory(tmp_path / name, "run")


def test_a_full_disk_is_an_error_and_keeps_the_earlier_result(tmp_path, checkpoint, monkeypatch):
    checkpoint.save("a", result(0))

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(BundleError, match=r"cannot be written \(No space left on device"):
        checkpoint.save("a", result(1))
    assert_equal(checkpoint.load("a"), result(0))
    assert not list((tmp_path / "c").glob(".*"))


@pytest.mark.skipif(sys.platform == "win32", reason="kills as on POSIX")
def test_a_run_killed_while_it_saves_keeps_what_was_saved(tmp_path):
    run_until_killed(SAVE_AND_DIE, tmp_path / "c")
    checkpoint = CheckpointDirectory(tmp_path / "c", "run")
    assert checkpoint.keys() == {"first"}
    (part,) = (tmp_path / "c").glob(".*.part-*")
    two_hours_ago = time.time() - 7200
    os.utime(part, (two_hours_ago, two_hours_ago))
    CheckpointDirectory(tmp_path / "c", "run")
    assert not part.exists()


def test_threads_save_different_keys_at_once(checkpoint, damages):
    def save(worker):
        for i in range(20):
            checkpoint.save(f"{worker} {i}", {"values": np.full(100, worker)})

    threads = [threading.Thread(target=save, args=(worker,)) for worker in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert checkpoint.keys() == {f"{worker} {i}" for worker in range(6) for i in range(20)}
    assert (checkpoint.load("5 19")["values"] == 5).all()
    assert damages == []


def test_processes_save_the_same_keys_at_once(tmp_path, damages):
    children = [start_child(SAVE_MANY, tmp_path / "c", worker) for worker in range(3)]
    outputs = [child.communicate(timeout=600) for child in children]
    assert [child.returncode for child in children] == [0, 0, 0], outputs
    checkpoint = CheckpointDirectory(tmp_path / "c", "run", on_damage=damages.append)
    assert len(checkpoint.keys()) == 3 * 20 + 20
    for i in range(20):
        assert len(np.unique(checkpoint.load(f"shared {i}")["values"])) == 1
    assert damages == []
