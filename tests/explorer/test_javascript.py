"""The arithmetic of the page, tested by Node where there is one."""

import shutil
import subprocess
from pathlib import Path

import pytest

TESTS = sorted((Path(__file__).parent / "js").glob("*.test.mjs"))


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node")
@pytest.mark.parametrize("file", TESTS, ids=lambda file: file.name)
def test_pure_modules(file):
    done = subprocess.run(
        ["node", "--test", str(file)], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout[-4000:]
