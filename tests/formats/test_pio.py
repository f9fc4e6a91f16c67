"""Tests of `runout.formats.pio`."""

import pytest

from runout.errors import FormatError
from runout.formats.pio import MAX_TAIL_BYTES, read_settings, read_tail

SETTINGS = "#Type#NoLimit\n#Board#Qs Jh 2h\n#Pot#180\n#FlopConfig.BetSize#33 75\n"


def test_settings_are_read_whatever_ends_a_line():
    expected = {
        "Type": "NoLimit",
        "Board": "Qs Jh 2h",
        "Pot": "180",
        "FlopConfig.BetSize": "33 75",
    }
    assert read_settings(SETTINGS) == expected
    assert read_settings(SETTINGS.replace("\n", "\r\n")) == expected


def test_a_save_ends_with_the_settings_of_its_tree(tmp_path):
    path = tmp_path / "tree.cfr"
    path.write_bytes(bytes(range(256)) * 8_000 + b"\n" + SETTINGS.encode())
    assert path.stat().st_size > MAX_TAIL_BYTES
    assert read_settings(read_tail(path))["Pot"] == "180"


def test_a_file_without_settings_is_refused(tmp_path):
    path = tmp_path / "tree.cfr"
    path.write_bytes(bytes(1000))
    with pytest.raises(FormatError, match="no settings of a tree"):
        read_tail(path)
