import math

import pytest

from runout.execution import memory


@pytest.fixture
def system(monkeypatch, tmp_path):
    """Stands in for the files in which Linux tells about memory."""
    monkeypatch.setattr(memory, "_MEMORY_FACTS", tmp_path / "meminfo")
    monkeypatch.setattr(memory, "_CONTAINER", tmp_path)
    return tmp_path


def test_what_the_system_says_is_available_counts(system):
    (system / "meminfo").write_text("MemTotal: 9 kB\nMemAvailable:    7 kB\n")
    assert memory.available_memory_bytes() == 7 * 1024


def test_a_container_may_have_less(system):
    (system / "meminfo").write_text("MemAvailable:    7 kB\n")
    (system / "memory.max").write_text("5000\n")
    (system / "memory.current").write_text("2000\n")
    assert memory.available_memory_bytes() == 3000
    (system / "memory.max").write_text("max\n")
    assert memory.available_memory_bytes() == 7 * 1024


def test_elsewhere_all_of_the_memory_counts(system):
    assert 2**20 < memory.available_memory_bytes() < math.inf


def test_a_system_that_says_nothing_is_trusted(system, monkeypatch):
    monkeypatch.setattr(memory.os, "sysconf_names", {})
    assert memory.available_memory_bytes() == math.inf
