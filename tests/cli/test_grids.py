"""Tests of `runout.cli.grids`."""

import io
import itertools
import re

import numpy as np
import pytest
from rich.console import Console

from runout.cards.deck import HAND_NAMES, NUM_HANDS
from runout.cli.grids import (
    Cell,
    format_amount_cell,
    format_cell,
    grid_actions,
    strategy_grid,
    value_grid,
    value_style,
)
from runout.trees.actions import ActionKind


def printed(values, **options):
    file = io.StringIO()
    Console(file=file, width=80, **options).print(value_grid(values))
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
    lines = console.render_lines(value_grid(np.full(NUM_HANDS, 0.999)), pad=False)
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
    line = console.render_lines(value_grid(np.ones(NUM_HANDS), reach=reach))[0]
    styles = [segment.style for segment in line for _ in segment.text]
    is_bare = [style.bgcolor is None for style in styles[:12]]
    assert is_bare == [False] * 3 + [True] * 3 + [False] * 6


@pytest.mark.parametrize(
    ("reach", "width"), [(0.0, 1), (0.03, 1), (0.5, 3), (0.94, 5), (0.96, 6), (1.0, 6)]
)
def test_some_of_a_tile_is_always_filled_and_all_of_it_by_whole_hands(reach, width):
    *_, (bare, size) = Cell(colours=[(value_style(0.5), 1.0)], reach=reach).runs(6)
    assert (bare.bgcolor, size) == (None, 6 - width)


def test_other_numbers_than_shares_have_bounds_and_texts_of_their_own():
    values = np.linspace(-5.0, 5.0, NUM_HANDS)
    grid = value_grid(values, [f"{value:+.1f}" for value in values], (-5.0, 5.0))
    console = Console(width=80, color_system="truecolor", force_terminal=True)
    lines = console.render_lines(grid)
    assert "".join(segment.text for segment in lines[1]).startswith(" -5.0 ")
    assert lines[0][0].style.bgcolor == value_style(0.0).bgcolor


def luminance(color):
    linear = [
        share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4
        for share in (part / 255 for part in color.triplet)
    ]
    return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))


def test_higher_values_are_lighter():
    backgrounds = [luminance(value_style(step / 100).bgcolor) for step in range(101)]
    assert all(dark < light for dark, light in itertools.pairwise(backgrounds))


def test_text_is_readable_on_every_colour():
    # WCAG asks for a contrast of 4.5, and 3 for large text.
    for step in range(101):
        style = value_style(step / 100)
        dark, light = sorted([luminance(style.color), luminance(style.bgcolor)])
        assert (light + 0.05) / (dark + 0.05) >= 4.4


# --------------------------------------------------------------------------------------------------
# Numbers that fit the cells of the grid.


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        (0.0, "0.00"),
        (-0.001, "0.00"),
        (-9.876, "-9.88"),
        (9.999, "10.0"),
        (-99.94, "-99.9"),
        (161.36, "161"),
        (9999.4, "9999"),
        (-123456.0, "-123k"),
        (float("nan"), ""),
    ],
)
def test_amounts_take_five_characters(amount, text):
    assert format_amount_cell(amount) == text
    assert len(text) <= 5


def test_shares_take_five_characters():
    texts = [format_cell(share) for share in (0.0, 0.123, 1.0, 1.254, 5e6, float("nan"))]
    assert texts == ["0", "12.3", "100", "125", "9999", ""]


KINDS = [ActionKind.FOLD, ActionKind.CALL, ActionKind.RAISE, ActionKind.RAISE, ActionKind.ALL_IN]
ACTIONS = grid_actions(KINDS)
AA, AKS = HAND_NAMES.index("AA"), HAND_NAMES.index("AKs")


def make_grid(reach_of_aces=1.0):
    probability = np.zeros((len(KINDS), NUM_HANDS))
    probability[0] = 1.0
    probability[:, AA] = [0.0, 0.0, 0.25, 0.75, 0.0]
    reach = np.ones(NUM_HANDS)
    reach[AA], reach[AKS] = reach_of_aces, 0.0
    return strategy_grid(ACTIONS, probability, reach)


@pytest.fixture
def grid():
    return make_grid()


def printed_of_test_strategy_grid(renderable, **options):
    file = io.StringIO()
    options = {"width": 100, "color_system": "truecolor", "force_terminal": True} | options
    Console(file=file, **options).print(renderable)
    return file.getvalue()


def test_letters_say_what_colours_show(grid):
    lines = printed_of_test_strategy_grid(grid, color_system=None).splitlines()
    assert lines[0].split() == list("AKQJT98765432")
    assert lines[1].split()[:5] == ["A", "S75", "R", "-", "F"]
    assert max(map(len, lines)) <= 80


def test_no_color_means_no_escape_codes_of_test_strategy_grid(grid, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    assert "S75 R" in printed_of_test_strategy_grid(grid).splitlines()[1]


def test_tiles_fit_the_terminal_and_name_every_hand(grid):
    console = Console(width=80, color_system="truecolor", force_terminal=True)
    lines = console.render_lines(grid, pad=False)
    assert len(lines) == 26
    assert {sum(segment.cell_length for segment in line) for line in lines} == {78}
    names = "".join(segment.text for line in lines for segment in line)
    assert all(name in names for name in HAND_NAMES)


def test_a_mixed_hand_is_filled_in_proportion(grid):
    lines = Console(width=100, color_system="truecolor", force_terminal=True).render_lines(grid)
    tile = "".join(segment.text * 1 for segment in lines[1])[:6]
    assert tile == "S75 R "
    styles = [segment.style for segment in lines[0] for _ in segment.text][:5]
    larger, smaller = ACTIONS[3].style.bgcolor, ACTIONS[2].style.bgcolor
    assert [style.bgcolor for style in styles] == [larger] * 4 + [smaller]


def test_hands_that_never_get_there_have_no_colour(grid):
    lines = Console(width=100, color_system="truecolor", force_terminal=True).render_lines(grid)
    styles = [segment.style for segment in lines[0] for _ in segment.text][6:12]
    assert all(style.bgcolor is None for style in styles)


def test_a_hand_that_comes_in_part_fills_its_tile_in_part():
    grid = make_grid(0.4)
    lines = Console(width=100, color_system="truecolor", force_terminal=True).render_lines(grid)
    styles = [segment.style for segment in lines[0] for _ in segment.text][:6]
    assert [style is None or style.bgcolor is None for style in styles] == [False] * 2 + [True] * 4
    assert printed_of_test_strategy_grid(grid, color_system=None).splitlines()[1].split()[1:3] == [
        "s75",
        "r",
    ]


def test_how_to_read_hands_that_come_in_part_is_said_where_there_are_any(grid):
    assert (grid.caption(False), grid.caption(True)) == ("", "")
    assert make_grid(0.7).caption(False) == ""
    assert make_grid(0.7).caption(True).startswith("a tile is filled as far")
    assert make_grid(0.03).caption(False).startswith("small letters: less than half")
    assert "small letters" in printed_of_test_strategy_grid(make_grid(0.03), color_system=None)


def test_fold_is_blue_calls_are_green_and_raises_are_warm():
    fold, call, *raises = (action.style.bgcolor.triplet for action in ACTIONS)
    assert max(fold) == fold.blue
    assert max(call) == call.green
    assert all(max(colour) == colour.red for colour in raises)


def test_larger_raises_are_darker_and_neighbours_differ_in_grey():
    lightness = [luminance(action.style.bgcolor) for action in ACTIONS]
    assert lightness[2] > lightness[3] > lightness[4]
    for one, other in itertools.combinations(sorted(lightness), 2):
        assert other / one > 1.05


def test_text_is_readable_on_every_action():
    for action in ACTIONS:
        dark, light = sorted([luminance(action.style.color), luminance(action.style.bgcolor)])
        assert (light + 0.05) / (dark + 0.05) >= 4.4


def test_a_single_raise_and_a_check_have_their_letters():
    actions = grid_actions([ActionKind.CHECK, ActionKind.RAISE])
    assert [action.letter for action in actions] == ["X", "R"]


@pytest.mark.parametrize(
    ("shares", "widths"),
    [([1.0, 0.0], [6, 0]), ([0.5, 0.5], [3, 3]), ([0.9, 0.1], [5, 1]), ([0.95, 0.05], [6, 0])],
)
def test_widths_are_whole_and_add_up(shares, widths):
    colours = [(value_style(place), share) for place, share in enumerate(shares)]
    *filled, _ = Cell(colours=colours).runs(6)
    assert [size for _, size in reversed(filled)] == widths


def test_bets_have_letters_of_their_own():
    kinds = [ActionKind.CHECK, ActionKind.BET, ActionKind.BET, ActionKind.ALL_IN]
    actions = grid_actions(kinds)
    assert [action.letter for action in actions] == ["X", "B", "D", "A"]
    assert len({action.style for action in actions}) == 4
