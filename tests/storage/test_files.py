"""Tests of `runout.storage.files`."""

import os
import signal
import sys
import threading
import time
from pathlib import Path

import pytest

from runout.errors import BundleError
from runout.storage import files
from runout.storage.bundle import read_manifest
from runout.storage.files import PathLock, PinnedDirectory
from runout.storage.writer import BundleWriter
from tests.samples.storage_samples import (
    KIND,
    VERSION,
    fill_of,
    leftovers,
    load_sample,
    run_until_killed,
    start_child,
    write_sample,
)


@pytest.fixture
def pair(tmp_path):
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        (tmp_path / name / name).write_text("")
    return tmp_path / "first", tmp_path / "second"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux can")
def test_two_directories_exchange_their_names(pair):
    first, second = pair
    if files.exchange(first, second):  # not every file system can
        assert os.listdir(first) == ["second"]
        assert os.listdir(second) == ["first"]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux can")
def test_an_exchange_with_nothing_is_refused(pair):
    first, _ = pair
    with pytest.raises(FileNotFoundError):
        files.exchange(first, first.with_name("nothing"))
    assert os.listdir(first) == ["first"]


def test_without_the_system_call_nothing_is_exchanged(pair, monkeypatch):
    monkeypatch.setattr(files.ctypes, "CDLL", lambda *_, **__: None)
    first, second = pair
    assert not files.exchange(first, second)
    assert os.listdir(first) == ["first"]


def test_a_file_that_cannot_be_finished_stays_what_it_was(tmp_path):
    file = tmp_path / "report.json"
    file.write_text("old")

    def write_half():
        with files.replacing_file(file) as part:
            part.write_text("half of the n")
            raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        write_half()
    assert file.read_text() == "old"
    assert os.listdir(tmp_path) == ["report.json"]


def test_what_a_killed_process_has_begun_to_write_is_removed_after_an_hour(tmp_path):
    names = [".report.json.part-0123abcd", ".report.json.part-4567cdef", ".other.part-0123abcd"]
    for name in names:
        (tmp_path / name).write_text("half of")
    os.utime(tmp_path / names[0], (0, 0))
    os.utime(tmp_path / names[2], (0, 0))
    files.replace_file(tmp_path / "report.json", b"new")
    assert sorted(os.listdir(tmp_path)) == sorted([*names[1:], "report.json"])


def test_a_replaced_file_keeps_its_mode_and_links_to_it_stay(tmp_path):
    file, link = tmp_path / "report.json", tmp_path / "latest.json"
    file.write_text("old")
    file.chmod(0o600)
    link.symlink_to("report.json")
    files.replace_file(link, b"new")
    assert link.is_symlink()
    assert file.read_text() == "new"
    assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(not os.path.exists("/dev/null"), reason="needs a device")
def test_a_device_is_written_and_not_replaced(tmp_path):
    with files.replacing_file(Path("/dev/null")) as place:
        assert place == Path("/dev/null")
    assert not Path("/dev/null").is_file()


@pytest.fixture
def place(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a/file").write_bytes(b"first")
    return tmp_path / "a"


def replace(place):
    os.rename(place, place.with_name("elsewhere"))
    place.mkdir()
    (place / "file").write_bytes(b"second")


@pytest.mark.skipif(not PinnedDirectory.is_pinned, reason="needs a system that can pin")
def test_files_come_from_the_directory_that_was_there_first(place):
    with PinnedDirectory(place) as directory:
        replace(place)
        assert not directory.is_still_there()
        with directory.open("file") as file:
            assert file.read() == b"first"


def test_without_pins_a_replaced_directory_is_noticed(place, monkeypatch):
    monkeypatch.setattr(PinnedDirectory, "is_pinned", False)
    with PinnedDirectory(place) as directory:
        assert directory.is_still_there()
        replace(place)
        with directory.open("file") as file:
            assert file.read() == b"second"
        assert not directory.is_still_there()


def test_a_directory_that_is_about_to_be_replaced_is_found_under_its_other_name(place):
    os.rename(place, place.with_name(".a.old-0123abcd"))
    with PinnedDirectory(place) as directory:
        assert directory.path == place.with_name(".a.old-0123abcd")
        assert directory.is_still_there()


def test_what_is_no_directory_cannot_be_pinned(place):
    with pytest.raises(BundleError, match="is a file, not a bundle"):
        PinnedDirectory(place / "file")
    with pytest.raises(BundleError, match="does not exist"):
        PinnedDirectory(place / "nothing")


FACTS = {"kind": KIND, "schema_version": VERSION}

needs_posix = pytest.mark.skipif(sys.platform == "win32", reason="kills and locks as on POSIX")

needs_exchange = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="only Linux exchanges two names"
)

# Replaces the bundle sys.argv[1] and kills itself at rename number sys.argv[2], before or after.
KILL_AT_RENAME = """
import os, signal, sys
from runout.storage import files
from tests.samples.storage_samples import write_sample
files.exchange = lambda first, second: False
rename, count = os.rename, 0
def rename_or_die(*paths):
    global count
    count += 1
    if sys.argv[2:] == [str(count), "before"]:
        os.kill(os.getpid(), signal.SIGKILL)
    rename(*paths)
    if sys.argv[2:] == [str(count), "after"]:
        os.kill(os.getpid(), signal.SIGKILL)
os.rename = rename_or_die
write_sample(sys.argv[1], 2.0, overwrite=True)
"""
KILL_AT_EXCHANGE = """
import os, signal, sys
from runout.storage import files
from tests.samples.storage_samples import write_sample
exchange = files.exchange
def exchange_and_die(first, second):
    if sys.argv[2] == "after":
        assert exchange(first, second)
    os.kill(os.getpid(), signal.SIGKILL)
files.exchange = exchange_and_die
write_sample(sys.argv[1], 2.0, overwrite=True)
"""
KILL_WHILE_FILLING = """
import os, signal, sys
from runout.storage.writer import BundleWriter
facts = dict(kind="sample", schema_version=3, overwrite=True)
with BundleWriter(sys.argv[1], **facts) as writer:
    writer.create_array("values", (100_000,), "f8")[:1000] = 1.0
    os.kill(os.getpid(), signal.SIGKILL)
"""
REPLACE_FOREVER = """
import sys
from tests.samples.storage_samples import write_sample
while True:
    write_sample(sys.argv[1], 2.0, overwrite=True)
    print("written", flush=True)
"""
RACE = """
import sys
from runout.errors import BundleError
from tests.samples.storage_samples import write_sample
wins = 0
for i in range(int(sys.argv[3])):
    try:
        write_sample(f"{sys.argv[1]}-{i}", float(sys.argv[2]), overwrite=len(sys.argv) > 4)
        wins += 1
    except BundleError as error:
        assert error.problem == "exists already", error
print(wins)
"""


def test_an_existing_bundle_is_refused(tmp_path):
    write_sample(tmp_path / "a", 1.0)
    with pytest.raises(BundleError, match="exists already") as caught:
        write_sample(tmp_path / "a", 2.0)
    assert caught.value.where == str(tmp_path / "a")
    assert fill_of(load_sample(tmp_path / "a")) == 1.0


def test_overwriting_replaces_the_whole_bundle(tmp_path):
    write_sample(tmp_path / "a", 1.0)
    write_sample(tmp_path / "a", 2.0, documents={}, overwrite=True)
    assert fill_of(load_sample(tmp_path / "a")) == 2.0
    assert not (tmp_path / "a/report.json").exists()
    assert leftovers(tmp_path) == []


def test_a_damaged_bundle_can_be_overwritten(tmp_path):
    write_sample(tmp_path / "a", 1.0)
    (tmp_path / "a/manifest.json").write_text("")
    write_sample(tmp_path / "a", 2.0, overwrite=True)
    assert fill_of(load_sample(tmp_path / "a")) == 2.0


def test_an_empty_directory_is_not_in_the_way(tmp_path):
    (tmp_path / "a").mkdir()
    write_sample(tmp_path / "a", 1.0)
    assert fill_of(load_sample(tmp_path / "a")) == 1.0


def test_a_directory_that_is_no_bundle_is_never_overwritten(tmp_path):
    (tmp_path / "home").mkdir()
    (tmp_path / "home/thesis.txt").write_text("years of work")
    with pytest.raises(BundleError, match=r"no manifest\.json, will not be overwritten"):
        write_sample(tmp_path / "home", overwrite=True)
    with pytest.raises(BundleError, match="root directory"):
        write_sample("/", overwrite=True)
    assert (tmp_path / "home/thesis.txt").read_text() == "years of work"
    assert leftovers(tmp_path) == []


def test_a_file_in_the_way_is_an_error(tmp_path):
    (tmp_path / "a").write_text("mine")
    for overwrite in (False, True):
        with pytest.raises(BundleError, match="is a file"):
            write_sample(tmp_path / "a", overwrite=overwrite)
        with pytest.raises(BundleError, match=r"cannot be written \("):
            write_sample(tmp_path / "a/b", overwrite=overwrite)
    assert (tmp_path / "a").read_text() == "mine"


@pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() == 0, reason="root may write everywhere"
)
def test_an_unwritable_parent_is_an_error(tmp_path):
    (tmp_path / "locked").mkdir(mode=0o500)
    with pytest.raises(BundleError, match=r"cannot be written \(Permission denied"):
        write_sample(tmp_path / "locked/a")


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="needs a place where nobody may write")
def test_a_parent_where_nobody_may_write_is_an_error():
    with pytest.raises(BundleError, match=r"^/proc/self/a: cannot be written \("):
        write_sample("/proc/self/a")


def test_a_refused_first_rename_is_an_error_and_keeps_the_old_bundle(tmp_path, monkeypatch):
    write_sample(tmp_path / "a", 1.0)
    monkeypatch.setattr(files, "exchange", lambda first, second: False)
    rename = os.rename

    def refuse(source, target):
        if ".part-" in str(source):
            raise PermissionError(13, "Permission denied", str(source))
        rename(source, target)

    monkeypatch.setattr(os, "rename", refuse)
    with pytest.raises(BundleError, match=r"cannot be written \(Permission denied"):
        write_sample(tmp_path / "a", 2.0, overwrite=True)
    assert fill_of(load_sample(tmp_path / "a")) == 1.0
    assert leftovers(tmp_path) == []


def test_a_symbolic_link_keeps_pointing_to_the_replaced_bundle(tmp_path):
    write_sample(tmp_path / "a", 1.0)
    (tmp_path / "latest").symlink_to("a")
    write_sample(tmp_path / "latest", 2.0, overwrite=True)
    assert (tmp_path / "latest").is_symlink()
    assert fill_of(load_sample(tmp_path / "a")) == 2.0


@needs_posix
def test_a_writer_killed_while_it_fills_an_array_leaves_only_rubbish(tmp_path):
    run_until_killed(KILL_WHILE_FILLING, tmp_path / "a")
    (rubbish,) = leftovers(tmp_path)
    assert rubbish.startswith(".a.part-")
    assert not (tmp_path / "a").exists()
    with pytest.raises(BundleError, match="does not exist"):
        load_sample(tmp_path / "a")
    write_sample(tmp_path / "a", 1.0)
    run_until_killed(KILL_WHILE_FILLING, tmp_path / "a")
    assert fill_of(load_sample(tmp_path / "a")) == 1.0
    assert len(leftovers(tmp_path)) == 1


@needs_posix
@pytest.mark.parametrize(
    ("rename", "when", "fill"),
    [
        (1, "before", 1.0),
        (1, "after", 1.0),
        (2, "before", 1.0),
        (2, "after", 2.0),
        (3, "after", 2.0),
    ],
)
def test_a_writer_killed_at_any_rename_leaves_the_old_or_the_new_bundle(
    tmp_path, rename, when, fill
):
    write_sample(tmp_path / "a", 1.0)
    run_until_killed(KILL_AT_RENAME, tmp_path / "a", rename, when)
    assert fill_of(load_sample(tmp_path / "a")) == fill
    assert read_manifest(tmp_path / "a").kind == KIND
    with pytest.raises(BundleError, match="exists already"):
        write_sample(tmp_path / "a", 3.0)
    assert fill_of(load_sample(tmp_path / "a")) == fill
    assert leftovers(tmp_path) == []


def test_a_refused_exchange_is_an_error_and_keeps_the_old_bundle(tmp_path, monkeypatch):
    write_sample(tmp_path / "a", 1.0)

    def refuse(first, second):
        raise PermissionError(13, "Permission denied", str(second))

    monkeypatch.setattr(files, "exchange", refuse)
    with pytest.raises(BundleError, match=r"cannot be written \(Permission denied"):
        write_sample(tmp_path / "a", 2.0, overwrite=True)
    assert fill_of(load_sample(tmp_path / "a")) == 1.0
    assert leftovers(tmp_path) == []


@needs_exchange
@pytest.mark.parametrize(("when", "fill"), [("before", 1.0), ("after", 2.0)])
def test_a_writer_killed_at_its_exchange_leaves_the_old_or_the_new_bundle(tmp_path, when, fill):
    write_sample(tmp_path / "a", 1.0)
    run_until_killed(KILL_AT_EXCHANGE, tmp_path / "a", when)
    assert fill_of(load_sample(tmp_path / "a")) == fill
    assert len(leftovers(tmp_path)) == 1
    write_sample(tmp_path / "a", 3.0, overwrite=True)
    assert fill_of(load_sample(tmp_path / "a")) == 3.0
    assert leftovers(tmp_path) == []


@needs_posix
def test_a_first_writer_killed_at_its_rename_leaves_nothing_or_a_bundle(tmp_path):
    run_until_killed(KILL_AT_RENAME, tmp_path / "a", 1, "before")
    assert not (tmp_path / "a").exists()
    run_until_killed(KILL_AT_RENAME, tmp_path / "b", 1, "after")
    assert fill_of(load_sample(tmp_path / "b")) == 2.0


@needs_posix
@pytest.mark.parametrize("delay_milliseconds", [0, 3, 7])
def test_a_writer_killed_at_a_random_moment_leaves_a_whole_bundle(tmp_path, delay_milliseconds):
    write_sample(tmp_path / "a", 1.0)
    child = start_child(REPLACE_FOREVER, tmp_path / "a")
    assert child.stdout.readline() == "written\n"
    time.sleep(delay_milliseconds / 1000)
    child.send_signal(signal.SIGKILL)
    child.communicate(timeout=600)
    assert fill_of(load_sample(tmp_path / "a")) == 2.0
    write_sample(tmp_path / "a", 3.0, overwrite=True)
    assert leftovers(tmp_path) == []


@needs_posix
def test_rubbish_of_this_name_is_removed_and_that_of_others_is_not(tmp_path):
    for name in (".a.part-0123abcd", ".b.part-0123abcd", ".a.part-b.part-0123abcd", ".a.part-x"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "values.npy").write_text("")
    write_sample(tmp_path / "a")
    assert leftovers(tmp_path) == [".a.part-b.part-0123abcd", ".a.part-x", ".b.part-0123abcd"]


@needs_posix
def test_a_replaced_bundle_is_rubbish_and_is_removed(tmp_path):
    write_sample(tmp_path / "a", 1.0)
    os.rename(tmp_path / "a", tmp_path / ".a.old-0123abcd")
    write_sample(tmp_path / "b", 2.0)
    os.rename(tmp_path / "b", tmp_path / "a")
    assert fill_of(load_sample(tmp_path / "a")) == 2.0
    write_sample(tmp_path / "a", 3.0, overwrite=True)
    assert leftovers(tmp_path) == []


@needs_posix
def test_work_in_progress_is_not_taken_for_rubbish(tmp_path):
    with BundleWriter(tmp_path / "a", **FACTS, overwrite=True) as slow:
        slow.create_array("values", (3, 4), "f4")[:] = 1.0
        write_sample(tmp_path / "a", 2.0)
        assert fill_of(load_sample(tmp_path / "a")) == 2.0
        slow.commit()
    assert fill_of(load_sample(tmp_path / "a")) == 1.0
    assert leftovers(tmp_path) == []


def test_the_slower_of_two_writers_is_refused(tmp_path):
    with BundleWriter(tmp_path / "a", **FACTS) as slow:
        slow.create_array("values", (3, 4), "f4")[:] = 1.0
        write_sample(tmp_path / "a", 2.0)
        with pytest.raises(BundleError, match="exists already"):
            slow.commit()
    assert fill_of(load_sample(tmp_path / "a")) == 2.0
    assert leftovers(tmp_path) == []


@needs_posix
@pytest.mark.parametrize("overwrite", [False, True])
def test_racing_processes_leave_one_whole_bundle(tmp_path, overwrite):
    num_rounds, fills = 15, (1.0, 2.0, 3.0)
    extra = ["overwrite"] if overwrite else []
    children = [start_child(RACE, tmp_path / "a", fill, num_rounds, *extra) for fill in fills]
    outputs = [child.communicate(timeout=600) for child in children]
    assert [child.returncode for child in children] == [0, 0, 0], outputs
    wins = sum(int(output) for output, _ in outputs)
    assert wins == num_rounds * (len(fills) if overwrite else 1)
    for i in range(num_rounds):
        assert fill_of(load_sample(tmp_path / f"a-{i}")) in fills
    assert leftovers(tmp_path) == []


@needs_posix
def test_racing_threads_leave_one_whole_bundle(tmp_path):
    outcomes = []

    def write(fill):
        try:
            write_sample(tmp_path / "a", fill)
            outcomes.append(fill)
        except BundleError as error:
            assert error.problem == "exists already"  # noqa: PT017

    threads = [threading.Thread(target=write, args=(float(i),)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes == [fill_of(load_sample(tmp_path / "a"))]
    assert leftovers(tmp_path) == []


@needs_posix
def test_a_lock_is_seen_by_others_and_leaves_no_file(tmp_path):
    lock = PathLock(tmp_path)
    assert lock.is_free()
    with lock:
        assert not PathLock(tmp_path).is_free()
        assert not PathLock(tmp_path).acquire(waits=False)
    assert lock.is_free()
    assert list(tmp_path.iterdir()) == []


@needs_posix
def test_a_shared_lock_is_shared_until_one_is_the_last(tmp_path):
    first, second = (PathLock(tmp_path / "lock", is_file=True) for _ in range(2))
    assert first.acquire(is_shared=True)
    assert second.acquire(is_shared=True)
    assert not first.is_last()
    assert second.is_last()
    assert not first.acquire(waits=False, is_shared=True)
    second.release(removes_file=True)
    assert first.acquire(waits=False)  # of a new file
    assert (tmp_path / "lock").exists()
    first.release(removes_file=True)
    assert list(tmp_path.iterdir()) == []


@needs_posix
def test_where_there_are_no_locks_everybody_has_them_and_none_is_free(tmp_path, monkeypatch):
    def refuse(descriptor, mode):
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(files.fcntl, "flock", refuse)
    locks = [PathLock(tmp_path / "lock", is_file=True) for _ in range(2)]
    assert [lock.acquire(waits=False) for lock in locks] == [True, True]
    assert not locks[0].is_free()
    for lock in locks:
        lock.release(removes_file=True)


@needs_posix
def test_without_locks_rubbish_is_kept_and_bundles_are_still_written(tmp_path, monkeypatch):
    monkeypatch.setattr(PathLock, "acquire", lambda self: True)
    monkeypatch.setattr(PathLock, "is_free", lambda self: False)
    (tmp_path / ".a.part-0123abcd").mkdir()
    write_sample(tmp_path / "a", 1.0)
    write_sample(tmp_path / "a", 2.0, overwrite=True)
    assert fill_of(load_sample(tmp_path / "a")) == 2.0
    assert leftovers(tmp_path) == [".a.part-0123abcd"]


def test_an_interrupted_replacement_is_found_by_readers(tmp_path):
    target, aside = tmp_path / "a", tmp_path / ".a.old-0123abcd"
    write_sample(target, 1.0)
    assert files.directories_of(target) == [target]
    os.rename(target, aside)
    assert files.directories_of(target) == [target, aside]
    assert fill_of(load_sample(target)) == 1.0
