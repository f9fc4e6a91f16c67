"""Sheets as JSON, CSV, frames and Parquet."""

import io
import math

import pytest

from runout.solutions.sheet import (
    Column,
    Sheet,
    json_number,
    rounded,
    write_parquet,
)

SHEET = Sheet(
    (Column("hand", key="hand"), Column("EV", key="ev", form=str), Column("only shown")),
    [("AA", 1.23456789, "x"), ("72o", math.nan, "y")],
)


def test_records_and_csv_have_the_columns_with_keys():
    assert SHEET.records() == [{"hand": "AA", "ev": 1.234568}, {"hand": "72o", "ev": None}]
    stream = io.StringIO()
    assert SHEET.write_csv(stream) == 2
    assert stream.getvalue() == "hand,ev\nAA,1.234568\n72o,\n"


def test_numbers_for_files():
    assert (rounded(-1e-9), rounded(math.nan)) == (0.0, None)
    assert (json_number(1e-9), json_number(math.nan)) == (1e-9, None)


def test_a_frame_has_the_columns_with_keys():
    pytest.importorskip("pandas")
    frame = SHEET.to_dataframe()
    assert list(frame.columns) == ["hand", "ev"]
    assert frame.ev.isna().tolist() == [False, True]


def test_a_sheet_in_a_cell_becomes_records():
    outer = Sheet((Column("player", key="player"), Column(None, key="hands")), [("BB", SHEET)])
    assert outer.records() == [{"player": "BB", "hands": SHEET.records()}]


def test_parquet_is_written_part_by_part(tmp_path):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    parts = ({"n": [number], "ev": [math.nan if number == 1 else 0.5]} for number in range(3))
    assert write_parquet(tmp_path / "parts.parquet", parts) == 3
    assert pandas.read_parquet(tmp_path / "parts.parquet").n.tolist() == [0, 1, 2]
