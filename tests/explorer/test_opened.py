import threading

import pytest

from runout.errors import BundleError
from runout.explorer import opened
from runout.explorer.library import Library
from runout.explorer.open_run import RunOpener
from runout.explorer.opened import OpenedRuns
from tests.cli.value_bundles import make_values


@pytest.fixture
def library(tmp_path):
    for number in range(3):
        make_values((1.0 + number,)).save(tmp_path / str(number))
    return Library([tmp_path])


class CountingOpener(RunOpener):
    def __init__(self):
        super().__init__()
        self.names = []

    def open(self, found):
        self.names.append(found.name)
        return super().open(found)


def test_a_solution_is_opened_once_however_many_ask(library):
    opener = CountingOpener()
    runs, (found, *_) = OpenedRuns(opener.open), library.runs.values()
    threads = [threading.Thread(target=runs.get, args=(found,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert opener.names == ["0"]


def test_the_one_asked_about_longest_ago_is_closed(library, monkeypatch):
    monkeypatch.setattr(opened, "MAX_OPEN", 2)
    opener = CountingOpener()
    runs = OpenedRuns(opener.open)
    for found in (*library.runs.values(), *library.runs.values()):
        runs.get(found)
    assert opener.names == ["0", "1", "2", "0", "1", "2"]


def test_what_is_gone_is_an_error(library, tmp_path):
    found = next(iter(library.runs.values()))
    for file in (tmp_path / "0").iterdir():
        file.unlink()
    (tmp_path / "0").rmdir()
    with pytest.raises(BundleError, match="is gone"):
        OpenedRuns(CountingOpener().open).get(found)


def test_summaries_are_read_once_for_each_contents(library, tmp_path):
    opener = CountingOpener()
    found = next(iter(library.runs.values()))
    assert opener.summarize(found) is opener.summarize(found)
    make_values((9.0,)).save(tmp_path / "0", overwrite=True)
    assert opener.summarize(next(iter(library.look().values()))).title == "3 flops at SPR 9"
    assert opener.names == ["0", "0"]
