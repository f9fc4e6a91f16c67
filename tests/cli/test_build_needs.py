import math
import shutil
from collections import namedtuple

import pytest

from runout.abstraction import AbstractionConfig, Street, SurveyMode
from runout.abstraction.strength_survey import deal_indexer
from runout.cards.hand_indexer import HandIndexer
from runout.cli import build_needs
from runout.cli.build_needs import BuildNeeds, estimate_needs
from runout.cli.options import OptionError

SMALL = BuildNeeds(seconds=75.0, memory_bytes=900_000_000, bundle_bytes=5, checkpoint_bytes=7)


def test_numbers_of_boards_and_deals_are_those_of_the_indexers():
    for street in Street:
        assert build_needs._NUM_BOARDS[street.label] == HandIndexer((street.num_board_cards,)).size
        assert build_needs._NUM_CLASSES[street.label] == deal_indexer(street).size


def test_a_full_build_needs_about_its_tables_and_scores():
    needs = estimate_needs(AbstractionConfig(), False, 2)
    assert needs.bundle_bytes == pytest.approx(31e6, rel=0.02)
    assert needs.checkpoint_bytes == 8 * (1755 * 1176 + 16432 * 1128)
    assert 10.0 < needs.seconds < 120.0
    assert needs.memory_bytes < 4e9


def test_a_river_table_adds_its_size_and_time():
    without = estimate_needs(AbstractionConfig(), False, 2)
    with_table = estimate_needs(AbstractionConfig(), True, 2)
    assert with_table.bundle_bytes - without.bundle_bytes == 2 * 123_156_254
    assert with_table.seconds > without.seconds
    assert with_table.memory_bytes > without.memory_bytes


def test_more_workers_need_less_time():
    one, four = (estimate_needs(AbstractionConfig(), False, count) for count in (1, 4))
    assert four.seconds < one.seconds


def test_small_samples_need_little_and_large_ones_memory():
    few, many = (
        estimate_needs(AbstractionConfig(samples_per_street=n, mode=SurveyMode.SAMPLED), False, 1)
        for n in (100, 10_000_000)
    )
    assert few.seconds < 5.0
    assert few.checkpoint_bytes == pytest.approx(8 * 100 * (1176 + 1128), rel=0.05)
    assert many.memory_bytes > 8e9


def test_needs_are_one_line_for_people():
    assert SMALL.describe() == (
        "needs about 2 min, 900 MB of memory, 5 B of disk (7 B more until done)"
    )


@pytest.mark.parametrize(("seconds", "text"), [(0.1, "10 s"), (41, "50 s"), (60, "60 s")])
def test_short_times_are_rounded_up_to_tens(seconds, text):
    assert f"about {text}," in BuildNeeds(seconds, 1, 1, 1).describe()


def test_a_full_disk_is_noticed_before_the_work(tmp_path, monkeypatch):
    usage = namedtuple("usage", ["total", "used", "free"])(100, 89, 11)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
    with pytest.raises(OptionError, match="b/c: needs 12 B of disk, 11 B are free"):
        SMALL.require_resources(tmp_path / "a/b/c")


def test_too_little_memory_is_noticed_before_the_work(tmp_path, monkeypatch):
    monkeypatch.setattr(build_needs, "available_memory_bytes", lambda: 800_000_000)
    line = "memory: the build needs 900 MB, 800 MB are free"
    with pytest.raises(OptionError, match=line):
        SMALL.require_resources(tmp_path)


def test_a_machine_that_does_not_tell_its_memory_is_trusted(tmp_path, monkeypatch):
    monkeypatch.setattr(build_needs, "available_memory_bytes", lambda: math.inf)
    SMALL.require_resources(tmp_path / "new")
