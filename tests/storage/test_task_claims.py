"""Who is at which task: one at a time, until its process ends, however that ends."""

import json
import os
import subprocess
import sys
import time

import pytest

from runout.errors import BundleError
from runout.storage import task_claims
from runout.storage.task_claims import TaskClaims

CLAIM_AND_DIE = """
import os, signal, sys
from pathlib import Path
from runout.storage.task_claims import TaskClaims
assert TaskClaims(Path(sys.argv[1])).take("a")
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_task_is_claimed_by_one_until_it_gives_it_back(tmp_path):
    mine, others = TaskClaims(tmp_path), TaskClaims(tmp_path)
    assert mine.take("a")
    assert mine.take("a")
    assert not others.take("a")
    assert others.take("b")
    mine.release("a")
    assert others.take("a")
    mine.release("a")  # not ours any more
    assert not mine.take("a")


def test_all_claims_are_given_back_in_the_end(tmp_path):
    with TaskClaims(tmp_path).showing_signs_of_life() as claims:
        claims.take("a")
        claims.take("b")
        assert len(list(tmp_path.iterdir())) == 2
    assert list(tmp_path.iterdir()) == []


def test_the_claim_of_a_killed_process_is_taken_over_at_once(tmp_path):
    subprocess.run([sys.executable, "-c", CLAIM_AND_DIE, str(tmp_path)], check=False)
    assert len(list(tmp_path.iterdir())) == 1
    assert TaskClaims(tmp_path).take("a")


def test_the_claim_of_another_process_with_the_same_number_is_taken_over(tmp_path):
    TaskClaims(tmp_path).take("a")
    (file,) = tmp_path.iterdir()
    file.write_text(json.dumps(json.loads(file.read_text()) | {"born": "1"}))
    assert TaskClaims(tmp_path).take("a")


@pytest.mark.parametrize("content", ['{"host": "elsewhere", "pid": 1, "born": null}', "", "[]"])
def test_the_claim_of_another_machine_holds_as_long_as_it_shows_signs_of_life(tmp_path, content):
    file = tmp_path / "a.claim"
    file.write_text(content)
    assert not TaskClaims(tmp_path).take("a")
    long_ago = time.time() - task_claims.SECONDS_UNTIL_TAKEN_OVER - 1.0
    os.utime(file, (long_ago, long_ago))
    assert TaskClaims(tmp_path).take("a")


def test_signs_of_life_are_given_while_the_work_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr(task_claims, "SECONDS_BETWEEN_SIGNS", 0.001)
    with TaskClaims(tmp_path).showing_signs_of_life() as claims:
        claims.take("a")
        os.utime(tmp_path / "a.claim", (0.0, 0.0))
        while (tmp_path / "a.claim").stat().st_mtime == 0.0:
            time.sleep(0.001)


def test_file_systems_without_links_have_claims_too(tmp_path, monkeypatch):
    def refuse(*paths):
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(os, "link", refuse)
    assert TaskClaims(tmp_path).take("a")
    assert not TaskClaims(tmp_path).take("a")
    assert [file.name for file in tmp_path.iterdir()] == ["a.claim"]


def test_a_directory_that_cannot_be_written_is_an_error(tmp_path):
    with pytest.raises(BundleError, match="cannot be written"):
        TaskClaims(tmp_path / "nothing").take("a")
