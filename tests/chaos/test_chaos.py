"""The short form of `make chaos`, in a process of its own: one with threads must not fork."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="forks and kills as on POSIX")

NUM_KILLS, NUM_DISASTERS = 6, 1
SHORT = (
    f"--kills {NUM_KILLS} --at-files --disasters {NUM_DISASTERS} --caches 0 --replacements 50 "
    "--without-mounts --seed 7"
).split()


def test_a_short_campaign_of_kills_and_disasters_loses_nothing():
    campaign = subprocess.run(
        [sys.executable, "-m", "tests.chaos", *SHORT],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert campaign.returncode == 0, campaign.stderr
    *lines, last = campaign.stdout.splitlines()
    assert last.startswith("nothing lost, nothing computed twice")
    (kills,) = (int(line.split()[1]) for line in lines if re.match(r"all +\d", line))
    assert kills >= NUM_KILLS
    assert f"two processes on one directory: {NUM_DISASTERS} times" in lines
