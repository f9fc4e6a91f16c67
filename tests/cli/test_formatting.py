import io
import json

import numpy as np
import pytest
from rich.console import Console

from runout.cli.formatting import (
    format_bytes,
    format_count,
    format_count_of,
    format_json,
    format_mbb,
    format_percent,
    format_seconds,
    format_signed,
    print_sheet,
)
from runout.cli.grids import format_cell
from runout.solutions.sheet import Column, Sheet, columns


@pytest.mark.parametrize(
    ("fraction", "text"),
    [(0, "0"), (0.5, "50.0"), (0.81949, "81.9"), (1, "100"), (2.346, "235"), (-0.003, "0"),
     (-1.5, "-150")],
)  # fmt: skip
def test_cells_are_short_percentages(fraction, text):
    assert format_cell(fraction) == text


def test_cells_never_need_more_than_five_characters():
    assert max(len(format_cell(fraction)) for fraction in np.linspace(0.0, 1.0, 4001)) == 5


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (9_960, "10 kB"),
        (30_500_000, "30 MB"),
        (999_600_000, "1.0 GB"),
        (1.25e13, "12500.0 GB"),
    ],
)
def test_sizes_have_two_or_three_digits_up_to_terabytes(size, text):
    assert format_bytes(size) == text


def test_percentages_have_two_decimals():
    assert format_percent(0.8194925) == "81.95%"


@pytest.mark.parametrize(
    ("count", "text"), [(6.0, "6"), (1326, "1,326"), (7.5, "7.50"), (0.1 + 0.2 + 0.7, "1")]
)
def test_counts_have_decimals_only_for_weights(count, text):
    assert format_count(count) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.04, "0.0 s"), (59.94, "59.9 s"), (60.0, "0:01:00"), (3725.0, "1:02:05")],
)
def test_long_durations_are_shown_as_a_clock(seconds, text):
    assert format_seconds(seconds) == text


def test_json_keeps_order_and_precision():
    document = {"second": 1 / 3, "first": {"list": [1, None, "x"]}}
    text = format_json(document)
    assert json.loads(text) == document
    assert list(json.loads(text)) == ["second", "first"]
    assert len(text.splitlines()) == 4


def test_json_refuses_undefined_numbers():
    with pytest.raises(ValueError, match="not JSON compliant"):
        format_json({"equity_fraction": float("nan")})


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0 flops"),
        (1, "1 flop"),
        (1755, "1,755 flops"),
        (0.999999, "1 flop"),
        (1.5, "1.50 flops"),
    ],
)
def test_nouns_follow_their_number(number, text):
    assert format_count_of(number, "flop") == text


@pytest.mark.parametrize(
    ("amount", "text"), [(0.2134, "+0.213"), (-0.0454, "-0.045"), (-0.0001, "0.000"), (0, "0.000")]
)
def test_winnings_have_their_sign(amount, text):
    assert format_signed(amount) == text


@pytest.mark.parametrize(("mbb", "text"), [(0.0401, "0.0401"), (12.34, "12.3"), (4321.0, "4,321")])
def test_thousandths_of_a_big_blind_have_three_digits(mbb, text):
    assert format_mbb(mbb) == text


def printed(sheet, width):
    file = io.StringIO()
    print_sheet(Console(file=file, width=width, color_system=None, emoji=False), sheet)
    return [line.rstrip() for line in file.getvalue().splitlines()]


@pytest.mark.parametrize("num_columns", [1, 7, 8, 30])
@pytest.mark.parametrize("width", [20, 80, 120])
def test_a_wide_sheet_stands_in_parts_that_fit_and_begin_with_its_first_column(num_columns, width):
    sheet = Sheet(columns("hand", *(f">column {n}" for n in range(num_columns))))
    sheet.add("AA", *range(num_columns))
    sheet.add()
    sheet.add("KK", *range(num_columns))
    lines = printed(sheet, width)
    assert max(map(len, lines)) <= max(width, 80)
    assert {line[:4] for line in lines} == {"hand", "AA  ", "KK  ", ""}
    for name in ("AA", "KK"):
        rows = [line.split()[1:] for line in lines if line.startswith(name)]
        assert [int(cell) for row in rows for cell in row] == list(range(num_columns))


def test_what_is_longer_than_a_line_is_whole():
    path = ":".join(["x"] * 100)
    sheet = Sheet(columns("hand", "path"))
    sheet.add("AA", path)
    assert printed(sheet, 80)[1].endswith(path)


def test_words_that_wrap_are_whole_and_fit():
    sheet = Sheet((Column("node"), Column("values", wraps=True)))
    sheet.add("r2.5", "word " * 30)
    lines = printed(sheet, 80)
    assert max(map(len, lines)) <= 80
    assert " ".join(lines).split().count("word") == 30
