import os

import pytest

from runout.errors import BundleError
from runout.storage.pinned import PinnedDirectory, pinning


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
    with pinning(place) as directory:
        replace(place)
        assert not directory.is_still_at(place)
        with directory.open("file") as file:
            assert file.read() == b"first"


def test_without_pins_a_replaced_directory_is_noticed(place, monkeypatch):
    monkeypatch.setattr(PinnedDirectory, "is_pinned", False)
    with pinning(place) as directory:
        assert directory.is_still_at(place)
        replace(place)
        with directory.open("file") as file:
            assert file.read() == b"second"
        assert not directory.is_still_at(place)


def test_a_directory_that_is_about_to_be_replaced_is_found_under_its_other_name(place):
    os.rename(place, place.with_name(".a.old-0123abcd"))
    with pinning(place) as directory:
        assert directory.path == place.with_name(".a.old-0123abcd")
        assert directory.is_still_at(place)


def test_what_is_no_directory_cannot_be_pinned(place):
    with pytest.raises(BundleError, match="is a file, not a bundle"), pinning(place / "file"):
        pass
    with pytest.raises(BundleError, match="does not exist"), pinning(place / "nothing"):
        pass
