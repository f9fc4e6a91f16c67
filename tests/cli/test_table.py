import json
from importlib.resources import files

import pytest

from runout.cache import load_arrays
from runout.equity import preflop_matchups
from runout.equity.preflop_equity import DIGEST, FILE_NAME
from runout.errors import TableError
from runout.events import PhaseEnded, PhaseStarted


def test_rebuilding_says_whether_it_made_the_shipped_table(run, tmp_path, monkeypatch):
    """That counting makes it is tested where it is done, in `tests/equity`."""

    def count_nothing(num_workers, on_event):
        on_event(PhaseStarted(preflop_matchups.PHASE, 2))
        on_event(PhaseEnded(preflop_matchups.PHASE, 12.0))
        return load_arrays(files("runout.equity") / "data" / FILE_NAME, DIGEST)

    monkeypatch.setattr(preflop_matchups, "rebuild_matchups", count_nothing)
    path = tmp_path / "new" / "matchups.npz"
    result = run("table", "rebuild", "--workers", "2", "-o", str(path), "--json")
    assert json.loads(result.stdout) == {
        "file": str(path),
        "digest": DIGEST,
        "is_shipped_table": True,
    }
    assert "counting boards: done in" in result.stderr
    assert set(load_arrays(path, DIGEST)) == {"wins"}


def test_verifying_says_how_many_matchups_agree(run, monkeypatch):
    monkeypatch.setattr(preflop_matchups, "verify_matchups", lambda num_workers, on_event: 93_769)
    assert run("table", "verify").stdout == "all 93,769 matchups agree with the shipped table\n"
    document = json.loads(run("table", "verify", "--json").stdout)
    assert document == {"num_matchups": 93_769, "is_shipped_table": True}


def test_a_wrong_table_is_an_error(error_line, monkeypatch):
    def fail(num_workers, on_event):
        raise TableError("preflop matchups", "3 of 5 do not agree")

    monkeypatch.setattr(preflop_matchups, "verify_matchups", fail)
    assert error_line("table", "verify") == "preflop matchups: 3 of 5 do not agree"


@pytest.mark.parametrize("command", ["rebuild", "verify"])
def test_zero_workers_are_refused(error_line, command):
    line = error_line("table", command, "--workers", "0")
    assert line == "--workers: 0 is not a positive number"


def test_a_file_that_cannot_be_written_is_named(run, monkeypatch):
    monkeypatch.setattr(preflop_matchups, "rebuild_matchups", lambda num_workers, on_event: {})
    result = run("table", "rebuild", "-o", "/dev/null/matchups.npz")
    assert result.exit_code == 2
    assert result.stderr.startswith("error: --output /dev/null/matchups.npz: ")
