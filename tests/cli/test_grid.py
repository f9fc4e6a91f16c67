import io
import itertools
import re

import numpy as np
import pytest
from rich.console import Console

from runout.cards.canonical_hands import HAND_NAMES, NUM_HANDS
from runout.cli.grid import HandGrid, colour_style, filled_width


def printed(values, **options):
    file = io.StringIO()
    Console(file=file, width=80, **options).print(HandGrid(values))
    return file.getvalue()


@pytest.fixture
def values():
    return np.arange(NUM_HANDS) / 1000


def test_without_colours_ranks_head_rows_and_columns(values):
    lines = printed(values, color_system=None).splitlines()
    assert lines[0].split() == list("AKQJT98765432")
    assert [line[0] for line in lines[1:]] == list("AKQJT98765432")


def test_suited_hands_are_above_the_diagonal(values):
    rows = [line.split()[1:] for line in printed(values, color_system=None).splitlines()[1:]]
    assert rows[0][0] == "0"  # AA is hand 0
    assert rows[0][1] == "1.3"  # AKs is hand 13
    assert rows[1][0] == "9.1"  # AKo is hand 91
    assert rows[12][12] == "1.2"  # 22 is hand 12


def test_with_colours_every_hand_is_named(values):
    text = printed(values, force_terminal=True, color_system="truecolor")
    assert all(f" {name}" in text for name in HAND_NAMES)
    assert "\x1b[" in text


@pytest.mark.parametrize("color_system", [None, "truecolor"])
def test_the_grid_fits_eighty_columns(color_system):
    file = io.StringIO()
    console = Console(file=file, width=200, color_system=color_system, force_terminal=True)
    lines = console.render_lines(HandGrid(np.full(NUM_HANDS, 0.999)), pad=False)
    assert max(sum(segment.cell_length for segment in line) for line in lines) <= 80


def test_no_color_means_no_escape_codes(values, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    lines = printed(values, force_terminal=True, color_system="truecolor").splitlines()
    assert lines[0].split() == list("AKQJT98765432")


def test_undefined_values_are_dashes():
    assert printed(np.full(NUM_HANDS, np.nan), color_system=None).split().count("-") == NUM_HANDS


@pytest.mark.parametrize(("outside", "end"), [(-1.5, 0.0), (7.3, 1.0)])
def test_values_outside_of_the_scale_have_the_colour_of_its_end(outside, end):
    texts = [
        printed(np.full(NUM_HANDS, value), force_terminal=True, color_system="truecolor")
        for value in (outside, end)
    ]
    found, expected = (set(re.findall(r"\x1b\[[0-9;]+m", text)) for text in texts)
    assert found == expected


def test_a_tile_is_filled_as_far_as_its_hand_is_there():
    reach = np.ones(NUM_HANDS)
    reach[0] = 0.5
    console = Console(width=80, color_system="truecolor", force_terminal=True)
    line = console.render_lines(HandGrid(np.ones(NUM_HANDS), reach=reach))[0]
    styles = [segment.style for segment in line for _ in segment.text]
    is_bare = [style.bgcolor is None for style in styles[:12]]
    assert is_bare == [False] * 3 + [True] * 3 + [False] * 6


@pytest.mark.parametrize(
    ("reach", "width"), [(0.0, 1), (0.03, 1), (0.5, 3), (0.94, 5), (0.96, 6), (1.0, 6)]
)
def test_some_of_a_tile_is_always_filled_and_all_of_it_by_whole_hands(reach, width):
    assert filled_width(6, reach) == width


def test_other_numbers_than_shares_have_bounds_and_texts_of_their_own():
    values = np.linspace(-5.0, 5.0, NUM_HANDS)
    grid = HandGrid(values, [f"{value:+.1f}" for value in values], (-5.0, 5.0))
    console = Console(width=80, color_system="truecolor", force_terminal=True)
    lines = console.render_lines(grid)
    assert "".join(segment.text for segment in lines[1]).startswith(" -5.0 ")
    assert lines[0][0].style.bgcolor == colour_style(0).bgcolor


def luminance(color):
    linear = [
        share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4
        for share in (part / 255 for part in color.triplet)
    ]
    return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))


def test_higher_values_are_lighter():
    backgrounds = [luminance(colour_style(step).bgcolor) for step in range(101)]
    assert all(dark < light for dark, light in itertools.pairwise(backgrounds))


def test_text_is_readable_on_every_colour():
    # WCAG asks for a contrast of 4.5, and 3 for large text.
    for step in range(101):
        style = colour_style(step)
        dark, light = sorted([luminance(style.color), luminance(style.bgcolor)])
        assert (light + 0.05) / (dark + 0.05) >= 4.4
