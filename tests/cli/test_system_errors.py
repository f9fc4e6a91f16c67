import errno
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from runout.cli.system_errors import describe_memory_error, describe_system_error

FULL = Path("/dev/full")
CODE = "from runout.cli.main import main; main()"


def test_the_file_at_fault_is_named():
    error = OSError(errno.ENAMETOOLONG, "File name too long", "runs/xx")
    assert describe_system_error(error) == "runs/xx: File name too long"
    assert describe_system_error(OSError(errno.ENOSPC, "No space left")) == "output: No space left"
    assert describe_system_error(OSError("3 requested and 0 written")).startswith("output: 3 ")


def test_a_library_without_room_is_a_matter_of_memory():
    error = OSError("Could not find/load shared object file 'a.so'. This could mean anything.")
    assert describe_system_error(error) == (
        "memory: Could not find/load shared object file 'a.so'; allow more (ulimit -v)"
    )


def test_memory_that_is_gone_is_one_line(error_line, monkeypatch):
    def allocate(*_):
        np.zeros(1 << 50)

    monkeypatch.setattr("runout.cli.ranges.parse_live_range", allocate)
    line = error_line("range", "AA")
    assert line.startswith("memory: Unable to allocate")
    assert describe_memory_error(MemoryError()).startswith("memory: the system gives no more; ")


def test_what_the_system_refuses_is_one_line(error_line):
    assert error_line("inspect", "a" * 300).endswith("File name too long")


@pytest.mark.skipif(not FULL.exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("arguments", ["flops --json", "flops --format csv", "range 22+", "--help"])
def test_output_into_a_full_disk_is_one_line(arguments):
    with FULL.open("w") as full:
        done = subprocess.run(
            [sys.executable, "-c", CODE, *arguments.split()],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr == f"error: output: {os.strerror(errno.ENOSPC)}\n"


def test_a_reader_that_goes_away_costs_no_word():
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-c", CODE, "flops"], stdout=writing, stderr=subprocess.PIPE, check=False
    )
    os.close(writing)
    assert done.stderr == b""
    assert done.returncode == 1
