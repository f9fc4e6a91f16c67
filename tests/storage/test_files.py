import os
import sys
from pathlib import Path

import pytest

from runout.storage import files


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
    monkeypatch.setattr(files, "_find_renameat2", lambda: None)
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
