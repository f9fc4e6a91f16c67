import os
import sys
from pathlib import Path
from threading import Barrier, Event, Thread

import numpy as np
import pytest

from runout import cache
from runout.cache import (
    cache_directory,
    digest_arrays,
    digest_sources,
    find_write_problem,
    kept_directory,
    kept_files,
    kept_limit,
    load_arrays,
    load_or_build,
    only_writer,
)
from runout.errors import TableError

ARRAYS = {"counts": np.arange(6, dtype=np.uint16).reshape(2, 3), "shares": np.array([0.25, 0.75])}
DIGEST = digest_arrays(ARRAYS)


@pytest.fixture(autouse=True)
def cache_in_tmp_path(monkeypatch, tmp_path):
    monkeypatch.setenv("RUNOUT_CACHE", str(tmp_path))


def assert_equal_arrays(found, expected=ARRAYS):
    assert found.keys() == expected.keys()
    for name, array in expected.items():
        assert found[name].dtype == array.dtype
        np.testing.assert_array_equal(found[name], array)


def saved_file(tmp_path: Path, arrays=ARRAYS) -> Path:
    np.savez_compressed(tmp_path / "table.npz", **arrays)
    return tmp_path / "table.npz"


def test_cache_directory_is_the_chosen_one(monkeypatch):
    monkeypatch.setenv("RUNOUT_CACHE", "/somewhere/else")
    assert cache_directory() == Path("/somewhere/else")


def test_cache_directory_follows_the_desktop_standard(monkeypatch):
    monkeypatch.delenv("RUNOUT_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/caches")
    assert cache_directory() == Path("/caches/runout")


@pytest.mark.parametrize("unset", ["", None])
def test_cache_directory_is_in_the_home_otherwise(monkeypatch, unset):
    for name in ("RUNOUT_CACHE", "XDG_CACHE_HOME"):
        if unset is None:
            monkeypatch.delenv(name, raising=False)
        else:
            monkeypatch.setenv(name, unset)
    monkeypatch.setenv("HOME", "/home/someone")
    assert cache_directory() == Path("/home/someone/.cache/runout")


def test_writable_directory_has_no_problem_and_stays_empty(tmp_path):
    directory = tmp_path / "new" / "folder"
    assert find_write_problem(directory) is None
    assert not list(directory.iterdir())


def test_file_in_the_way_of_a_directory_is_a_problem(tmp_path):
    (tmp_path / "file").touch()
    assert find_write_problem(tmp_path / "file") == "File exists"
    assert find_write_problem(tmp_path / "file" / "folder") == "Not a directory"


@pytest.mark.parametrize(
    "other",
    [
        {"kounts": ARRAYS["counts"], "shares": ARRAYS["shares"]},
        {"counts": ARRAYS["counts"]},
        {"counts": ARRAYS["counts"].astype(np.uint32), "shares": ARRAYS["shares"]},
        {"counts": ARRAYS["counts"].view(np.int16), "shares": ARRAYS["shares"]},
        {"counts": ARRAYS["counts"].reshape(3, 2), "shares": ARRAYS["shares"]},
        {"counts": ARRAYS["counts"], "shares": np.array([0.75, 0.25])},
    ],
    ids=["name", "missing", "width", "sign", "shape", "contents"],
)
def test_digest_notices_every_difference(other):
    assert digest_arrays(other) != DIGEST


@pytest.mark.parametrize(
    "same",
    [
        dict(reversed(ARRAYS.items())),
        {**ARRAYS, "counts": np.asfortranarray(ARRAYS["counts"])},
        {**ARRAYS, "counts": ARRAYS["counts"].astype(">u2")},
        {**ARRAYS, "shares": np.array([0.25, 9.0, 0.75])[::2]},
    ],
    ids=["order of names", "memory order", "byte order", "strides"],
)
def test_digest_does_not_depend_on_how_arrays_are_stored(same):
    assert digest_arrays(same) == DIGEST


def test_sound_arrays_are_read_only(tmp_path):
    arrays = load_arrays(saved_file(tmp_path), DIGEST)
    assert_equal_arrays(arrays)
    assert not any(array.flags.writeable for array in arrays.values())


@pytest.mark.parametrize("size", [0, 1, 50, -30, -1])
def test_truncated_file_is_refused(tmp_path, size):
    path = saved_file(tmp_path)
    path.write_bytes(path.read_bytes()[:size])
    assert_refused(path)


@pytest.mark.parametrize(
    "contents", [b"not an archive", b"PK\x05\x06" + bytes(18)], ids=["text", "empty archive"]
)
def test_file_of_another_kind_is_refused(tmp_path, contents):
    path = saved_file(tmp_path)
    path.write_bytes(contents)
    assert_refused(path)


def test_bare_array_in_place_of_the_archive_is_refused(tmp_path):
    path = saved_file(tmp_path)
    with path.open("wb") as file:
        np.save(file, ARRAYS["counts"])
    assert_refused(path)


def test_sound_file_with_other_contents_is_refused(tmp_path):
    path = saved_file(tmp_path, {**ARRAYS, "shares": np.array([0.25, 0.7500001])})
    assert_refused(path)


class Trap:
    """Creates a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


def test_file_with_python_objects_is_refused_and_never_unpickled(tmp_path):
    path = saved_file(tmp_path)
    sprung = tmp_path / "sprung"
    np.savez(path, allow_pickle=True, counts=np.array([Trap(sprung)], dtype=object))
    assert_refused(path)
    assert not sprung.exists()


def assert_refused(path: Path) -> None:
    with pytest.raises(TableError):
        load_arrays(path, DIGEST)


def test_every_changed_byte_is_noticed_or_harmless(tmp_path):
    """Damage makes zipfile raise errors of many kinds; a caller sees only one."""
    path = saved_file(tmp_path)
    sound = path.read_bytes()
    num_noticed = 0
    for position in range(len(sound)):
        for bit in (0x01, 0x40):
            damaged = bytearray(sound)
            damaged[position] ^= bit
            path.write_bytes(damaged)
            try:
                assert_equal_arrays(load_arrays(path, DIGEST))  # a time stamp, for example
            except TableError:
                num_noticed += 1
    assert num_noticed > len(sound) / 2


def test_missing_file_is_a_table_error(tmp_path):
    with pytest.raises(TableError, match=r"absent\.npz: cannot be read"):
        load_arrays(tmp_path / "absent.npz", DIGEST)


def test_wrong_digest_is_a_table_error_with_both_digests(tmp_path):
    path = saved_file(tmp_path)
    with pytest.raises(TableError, match=f"has digest {DIGEST}, this version needs {'0' * 64}"):
        load_arrays(path, "0" * 64)


def test_a_directory_that_can_be_written_is_made_and_left_empty(tmp_path):
    assert find_write_problem(tmp_path / "new/folder") is None
    assert list((tmp_path / "new/folder").iterdir()) == []


def test_a_directory_that_cannot_be_written_has_a_problem():
    assert find_write_problem(Path("/dev/null/cache")) == "Not a directory"


@pytest.mark.skipif(sys.platform == "win32", reason="no such locks")
def test_one_writer_at_a_time(tmp_path):
    """Whoever comes second is let in when the first has left, even if the directory was missing."""
    directory, order, is_waiting = tmp_path / "new" / "cache", [], Event()

    def come_second():
        is_waiting.set()
        with only_writer(directory):
            order.append("second")

    second = Thread(target=come_second)
    with only_writer(directory):
        second.start()
        is_waiting.wait()
        second.join(timeout=0.05)
        order.append("first")
    second.join()
    assert order == ["first", "second"]


# What facts decide: files that state their own digest.


class Builder:
    """Builds the arrays and counts how often it had to."""

    def __init__(self, arrays=ARRAYS):
        self.arrays = arrays
        self.num_calls = 0

    def __call__(self):
        self.num_calls += 1
        return {name: array.copy() for name, array in self.arrays.items()}


FACTS = {"flop": "AhKd7s", "num_buckets": (5, 5, 5), "seed": 0}


@pytest.fixture
def keeping(monkeypatch):
    monkeypatch.setenv("RUNOUT_CACHE_MB", "1")


@pytest.mark.usefixtures("keeping")
def test_what_facts_decide_is_built_once_and_then_read():
    builder = Builder()
    for _ in range(3):
        found = load_or_build("buckets/AhKd7s", FACTS, builder)
        assert_equal_arrays(found)
        assert not any(array.flags.writeable for array in found.values())
    assert builder.num_calls == 1
    (path,) = kept_files()
    assert path.parent == kept_directory() / "buckets"
    assert path.name.startswith("AhKd7s-")


@pytest.mark.usefixtures("keeping")
@pytest.mark.parametrize("other", [{"seed": 1}, {"num_buckets": (5, 5, 6)}, {"code": "0"}], ids=str)
def test_other_facts_are_built_for_themselves(other):
    load_or_build("buckets/AhKd7s", FACTS, Builder())
    builder = Builder({"counts": np.zeros(3)})
    assert_equal_arrays(load_or_build("buckets/AhKd7s", FACTS | other, builder), builder.arrays)
    assert builder.num_calls == 1
    assert len(kept_files()) == 2


@pytest.mark.usefixtures("keeping")
@pytest.mark.parametrize("position", [0, 60, 200, -60, -1])
def test_a_damaged_file_is_built_again(position):
    load_or_build("buckets/AhKd7s", FACTS, Builder())
    (path,) = kept_files()
    damaged = bytearray(path.read_bytes())
    damaged[position] ^= 0x40
    path.write_bytes(damaged)
    for _ in range(2):
        assert_equal_arrays(load_or_build("buckets/AhKd7s", FACTS, Builder()))
    assert_equal_arrays(load_arrays(path))


@pytest.mark.usefixtures("keeping")
def test_a_file_whose_numbers_were_exchanged_is_built_again():
    load_or_build("buckets/AhKd7s", FACTS, Builder())
    (path,) = kept_files()
    with np.load(path) as archive:
        changed = {**archive, "counts": np.zeros((2, 3), dtype=np.uint16)}
    np.savez(path, **changed)
    with pytest.raises(TableError, match="has digest"):
        load_arrays(path)
    np.savez(path, counts=ARRAYS["counts"])
    with pytest.raises(TableError, match="cannot be read"):
        load_arrays(path)
    assert_equal_arrays(load_or_build("buckets/AhKd7s", FACTS, Builder()))


def test_with_a_limit_of_0_nothing_is_kept_or_read(monkeypatch):
    monkeypatch.setenv("RUNOUT_CACHE_MB", "1")
    load_or_build("buckets/AhKd7s", FACTS, Builder())
    monkeypatch.setenv("RUNOUT_CACHE_MB", "0")
    builder = Builder()
    assert_equal_arrays(load_or_build("buckets/AhKd7s", FACTS, builder))
    load_or_build("buckets/KhKd7s", FACTS, builder)
    assert builder.num_calls == 2
    assert len(kept_files()) == 1


def test_limits_are_megabytes(monkeypatch):
    for given, expected in {"": 10**9, "2": 2 * 10**6, "much": 10**9, "-1": 10**9}.items():
        monkeypatch.setenv("RUNOUT_CACHE_MB", given)
        assert kept_limit() == expected


@pytest.mark.usefixtures("keeping")
def test_the_least_recently_used_files_go_when_there_are_too_many(monkeypatch):
    noise = Builder({"noise": np.random.default_rng(0).integers(0, 256, 300_000, np.uint8)})
    names = [f"buckets/{number}" for number in range(4)]
    for age, name in enumerate(names[:3]):
        load_or_build(name, FACTS, noise)
        (path,) = kept_directory().glob(f"{name}-*")
        os.utime(path, (age, age))
    load_or_build(names[0], FACTS, noise)  # used again, so that the second is the oldest
    load_or_build(names[3], FACTS, noise)
    left = [path.name.partition("-")[0] for path in kept_files()]
    assert left == ["2", "0", "3"]
    assert noise.num_calls == 4


def test_a_cache_that_cannot_be_written_keeps_nothing_and_is_no_error(monkeypatch):
    monkeypatch.setenv("RUNOUT_CACHE", "/dev/null/cache")
    monkeypatch.setenv("RUNOUT_CACHE_MB", "1")
    builder = Builder()
    for _ in range(2):
        assert_equal_arrays(load_or_build("buckets/AhKd7s", FACTS, builder))
    assert builder.num_calls == 2
    assert kept_files() == {}


def test_an_edit_of_a_module_changes_the_digest_of_its_package(monkeypatch, tmp_path):
    monkeypatch.setattr(cache, "_ROOT", tmp_path)
    (tmp_path / "package").mkdir()
    found = set()
    for text in ("one = 1", "one = 2"):
        (tmp_path / "package" / "module.py").write_text(text)
        digest_sources.cache_clear()
        found.add(digest_sources("package"))
    digest_sources.cache_clear()
    assert len(found) == 2


@pytest.mark.usefixtures("keeping")
def test_a_failed_write_leaves_nothing():
    with pytest.raises(ValueError, match="allow_pickle"):
        load_or_build("buckets/AhKd7s", FACTS, Builder({"counts": np.array([{}], dtype=object)}))
    assert kept_files() == {}


@pytest.mark.usefixtures("keeping")
def test_builders_at_the_same_time_do_not_disturb_each_other():
    num_threads = 4
    all_are_building = Barrier(num_threads, timeout=600.0)
    found = []

    def build():
        all_are_building.wait()
        return Builder()()

    threads = [
        Thread(target=lambda: found.append(load_or_build("buckets/AhKd7s", FACTS, build)))
        for _ in range(num_threads)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == num_threads
    for arrays in found:
        assert_equal_arrays(arrays)
    (path,) = kept_files()
    assert_equal_arrays(load_arrays(path))


needs_modes = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs owners and modes")
needs_root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away"
)
SOMEBODY = 12345


@pytest.fixture
def kept_here(tmp_path):
    place = tmp_path / "cache" / "numba"
    assert find_write_problem(place) is None
    (place / "part").mkdir()
    (place / "part" / "kernel.nbc").write_bytes(b"code")
    return place


@needs_modes
def test_a_new_cache_is_private_whatever_the_umask(tmp_path):
    umask = os.umask(0)
    try:
        assert find_write_problem(tmp_path / "cache" / "numba") is None
    finally:
        os.umask(umask)
    for place in (tmp_path / "cache", tmp_path / "cache" / "numba"):
        assert place.stat().st_mode & 0o777 == 0o700


@needs_modes
@pytest.mark.parametrize("mode", [0o777, 0o770, 0o722, 0o1777])
def test_a_cache_that_others_may_write_to_is_not_used(kept_here, mode):
    kept_here.chmod(mode)
    assert find_write_problem(kept_here) == f"others may write to {kept_here}"


@needs_modes
def test_nor_is_one_below_a_directory_that_others_may_write_to(kept_here):
    kept_here.parent.chmod(0o777)
    assert find_write_problem(kept_here) == f"others may write to {kept_here.parent}"
    kept_here.parent.chmod(0o1777)  # where everybody's files are everybody's own, as in /tmp
    assert find_write_problem(kept_here) is None


@needs_modes
def test_nor_is_one_that_is_reached_by_the_link_of_another(kept_here, tmp_path):
    open_to_all = tmp_path / "open"
    open_to_all.mkdir()
    open_to_all.chmod(0o777)
    (open_to_all / "link").symlink_to(kept_here.parent)
    problem = find_write_problem(open_to_all / "link" / "numba")
    assert problem == f"others may write to {open_to_all}"


@needs_modes
@pytest.mark.parametrize("name", ["part", "part/kernel.nbc"])
def test_nor_is_one_with_a_file_that_others_may_write_to(kept_here, name):
    (kept_here / name).chmod(0o777)
    assert find_write_problem(kept_here) is None  # nobody gets there
    kept_here.chmod(0o755)
    assert find_write_problem(kept_here) == f"others may write to {kept_here / name}"


@needs_root
@pytest.mark.parametrize("name", [".", "..", "part", "part/kernel.nbc"])
def test_nor_is_one_of_another_user(kept_here, name):
    place = (kept_here / name).resolve()
    os.chown(place, SOMEBODY, -1)
    assert find_write_problem(kept_here) == f"{place} belongs to user {SOMEBODY}"


@needs_modes
def test_arrays_of_a_cache_that_others_may_write_to_are_made_again(tmp_path, monkeypatch):
    monkeypatch.setenv("RUNOUT_CACHE", str(tmp_path))
    monkeypatch.setenv(cache.LIMIT_VARIABLE, "10")
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept").chmod(0o777)
    load_or_build("kind/name", {}, lambda: {"a": np.zeros(3)})
    assert list((tmp_path / "kept").rglob("*")) == []
