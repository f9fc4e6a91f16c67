"""Tests of `runout.solutions.reports`."""

import csv
import subprocess
import sys

import pytest

from runout.errors import BundleError
from runout.solutions import sheet
from runout.solutions.reports import load_report, save_report, write_files
from tests.samples.small_reports import make_report


def test_a_report_comes_back_as_it_was(tmp_path):
    report = make_report()
    save_report(tmp_path, report, "pot: 20\n", "a" * 64)
    read = load_report(tmp_path)
    assert read.config_text == "pot: 20\n"
    assert (read.title, read.lines, read.num_flops) == (report.title, report.lines, 4)
    for one, other in zip(report.rows, read.rows, strict=True):
        for a, b in zip(one.lines, other.lines, strict=True):
            assert a.tobytes() == b.tobytes()
        assert (one.flop, one.share, one.seconds) == (other.flop, other.share, other.seconds)


def test_the_worst_flop_says_how_well_all_are_solved(tmp_path):
    save_report(tmp_path, make_report(), "", "a" * 64)
    report = load_report(tmp_path)
    quality = report.quality
    assert (quality.exploitability, quality.iterations, quality.seconds) == (0.004, 50, 4.5)


def test_what_is_no_report_is_refused(tmp_path):
    with pytest.raises(BundleError, match="does not exist"):
        load_report(tmp_path / "nothing")


@pytest.fixture
def folder(tmp_path):
    folders = write_files(tmp_path, make_report())
    assert [path.relative_to(tmp_path).as_posix() for path in folders] == [
        "lines/root",
        "lines/x-x",
    ]
    return folders[0]


def test_one_file_has_the_columns_of_piosolver(folder):
    lines = (folder / "report.csv").read_text().splitlines()
    rows = list(csv.reader(lines[3:]))
    assert rows[0] == (
        "Flop,Global %,OOP Equity,OOP EV,OOP EQR,IP Equity,IP EV,IP EQR,"
        "BET 20 freq,BET 10 freq,CHECK freq"
    ).split(",")
    assert rows[1][:4] == ["Ah Kd 7s", "100.000", "50.000", "12.0000"]
    assert rows[1][8:] == ["50.000", "30.000", "20.000"]
    # the last row is the mean by weights
    assert rows[-1][3] == "10.8000"
    assert len(rows) == 5


def read(folder):
    return list(csv.DictReader((folder / "table.csv").read_text().splitlines()))


def test_all_numbers_are_in_the_other_files(folder):
    rows = read(folder)
    assert [row["flop"] for row in rows] == ["AhKd7s", "9h6h2h", "8s8d3c"]
    assert (rows[1]["suits"], rows[1]["high"]) == ("monotone", "9 high")
    assert float(rows[1]["cost_b20"]) == 2.0
    later = read(folder.parent / "x-x")
    assert later[2]["ev_oop"] == ""


READ = """
import sys
import {library} as library
for place in sys.argv[1:]:
    frame = getattr(library, "read_" + place.rsplit(".")[-1])(place)
    assert list(frame["flop"]) == ["AhKd7s", "9h6h2h", "8s8d3c"]
    assert abs((frame["weight"] * frame["ev_oop"]).sum() - 10.8) < 1e-9
assert not any(name.split(".")[0] == "runout" for name in sys.modules)
"""


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_report_is_read_without_runout(folder, library):
    pytest.importorskip(library)
    pytest.importorskip("pyarrow")
    places = [str(folder / "table.csv"), str(folder / "table.parquet")]
    command = [sys.executable, "-c", READ.format(library=library), *places]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_without_pyarrow_there_is_csv(tmp_path, monkeypatch):
    monkeypatch.setattr(sheet, "has_parquet", lambda: False)
    (folder, _) = write_files(tmp_path, make_report())
    assert sorted(path.name for path in folder.iterdir()) == ["report.csv", "table.csv"]
