import os
import sys

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
