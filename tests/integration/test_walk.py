"""The way of `make solve` through the source: the README's seven files, and the way to a regret."""

import re
from pathlib import Path

import pytest

from tests.integration import walk

ROOT = Path(__file__).parents[2]

#: Files of ours on the stack when `solve-preflop` updates a regret after the flop.
MOST_FILES = 9


def seven_files():
    text = (ROOT / "README.md").read_text().partition("## The source in five minutes")[2]
    return re.findall(r"^\| \d \| `([\w/.]+)`", text, re.MULTILINE)


@pytest.fixture(scope="module")
def solving(tmp_path_factory):
    directory = tmp_path_factory.mktemp("walk")
    return ["solve-preflop", "-c", walk.small_smoke(directory), "-o", directory / "smoke"]


def test_there_are_seven_and_they_exist():
    files = seven_files()
    assert len(files) == 7
    assert [file for file in files if not (ROOT / "src" / "runout" / file).is_file()] == []


def test_each_of_them_executes_something(solving):
    executed = {file for file, _ in walk.run([solving, ["show", solving[-1]]])}
    assert [file for file in seven_files() if file not in executed] == []


def test_few_files_lie_between_the_command_and_a_regret(solving):
    files = dict(walk.run([[*solving, "--workers", "1", "--overwrite"]], to_regret=True))
    assert "runs/preflop.py" in files
    assert "holdem/street_kernels.py" in files
    assert len(files) <= MOST_FILES, list(files)
