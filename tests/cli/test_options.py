import math
from pathlib import Path

import pytest
import typer

from runout.cards.deck import parse_board, parse_cards
from runout.cli.options import (
    OptionError,
    parse_hand,
    parse_live_range,
    positive,
    read_path,
    require_at_most_one,
)
from runout.errors import CardError, RangeError


def test_a_live_range_has_no_blocked_combos():
    assert parse_live_range("AA", ()).num_combos == 6.0
    assert parse_live_range("AA", parse_board("AhAs2c")).num_combos == 1.0


def test_a_range_with_nothing_left_is_refused():
    with pytest.raises(RangeError, match="'AA': the board AhAsAd blocks every combo"):
        parse_live_range("AA", parse_board("AhAsAd"))
    with pytest.raises(RangeError, match="'AA:0': every weight is 0"):
        parse_live_range("AA:0", ())


def test_one_choice_is_fine_and_two_are_named():
    require_at_most_one({"--a": False, "--b": False})
    require_at_most_one({"--a": False, "--b": True})
    with pytest.raises(OptionError, match="--a --c: cannot be combined"):
        require_at_most_one({"--a": True, "--b": False, "--c": True})


@pytest.mark.parametrize("value", [None, 1, 0.5, [1, 2.5]])
def test_positive_numbers_may_be_left_out_or_come_again(value):
    assert positive(value) == value


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0, "0"), (-1_234_567, "-1234567"), (-0.5, "-0.5"), (math.inf, "inf"), ([1, math.nan], "nan")],
)
def test_other_numbers_are_refused(value, shown):
    with pytest.raises(typer.BadParameter, match=f"^{shown} is not a positive number"):
        positive(value)


def test_a_hand_is_two_cards_lower_card_first():
    assert parse_hand("AhKd", ()) == parse_cards("KdAh")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("AhKs", "Ks: is on the board KsQd2c already"),
        ("Ah", "'Ah': 1 cards"),
        ("AhAh", "Ah: dealt twice"),
    ],
)
def test_a_hand_that_cannot_be_held_is_refused(text, problem):
    with pytest.raises(CardError, match=problem):
        parse_hand(text, parse_board("KsQd2c"))


@pytest.mark.parametrize("text", ["", "  ", "a\0b"])
def test_an_empty_path_is_not_the_current_directory(text):
    with pytest.raises(typer.BadParameter, match="is not a path"):
        read_path(text)
    assert read_path(".") == Path()


@pytest.mark.parametrize("text", ["s3://bucket/runs", "gs://x", "https://a/b", "file:///tmp/x"])
def test_a_url_is_not_a_directory(text):
    with pytest.raises(typer.BadParameter, match="is a URL, use a local path"):
        read_path(text)
    assert read_path("C:/runs") == Path("C:/runs")


@pytest.mark.parametrize(
    "arguments",
    [
        ("solve-preflop", "-c", "x.yaml", "-o", ""),
        ("solve-spot", "--output", ""),
        ("export", "runs/x", "-o", ""),
    ],
)
def test_no_command_takes_an_empty_output(error_line, arguments):
    assert error_line(*arguments) == "--output: '' is not a path"
