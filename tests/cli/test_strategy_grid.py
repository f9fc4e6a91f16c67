import io
import itertools

import numpy as np
import pytest
from rich.console import Console

from runout.cards.canonical_hands import HAND_NAMES, NUM_HANDS
from runout.cli.strategy_grid import StrategyGrid, grid_actions, legend, share_out
from runout.trees.actions import ActionKind
from tests.cli.test_grid import luminance

KINDS = [ActionKind.FOLD, ActionKind.CALL, ActionKind.RAISE, ActionKind.RAISE, ActionKind.ALL_IN]
ACTIONS = grid_actions(KINDS, ["fold", "limp", "raise to 2", "raise to 3", "all-in 25"])
AA, AKS = HAND_NAMES.index("AA"), HAND_NAMES.index("AKs")


@pytest.fixture
def grid():
    probability = np.zeros((len(KINDS), NUM_HANDS))
    probability[0] = 1.0
    probability[:, AA] = [0.0, 0.0, 0.25, 0.75, 0.0]
    reach = np.ones(NUM_HANDS)
    reach[AKS] = 0.0
    return StrategyGrid(ACTIONS, probability, reach)


def printed(renderable, **options):
    file = io.StringIO()
    options = {"width": 100, "color_system": "truecolor", "force_terminal": True} | options
    Console(file=file, **options).print(renderable)
    return file.getvalue()


def test_letters_say_what_colours_show(grid):
    lines = printed(grid, color_system=None).splitlines()
    assert lines[0].split() == list("AKQJT98765432")
    assert lines[1].split()[:5] == ["A", "S75", "R", "-", "F"]
    assert max(map(len, lines)) <= 80


def test_no_color_means_no_escape_codes(grid, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    assert "S75 R" in printed(grid).splitlines()[1]


@pytest.mark.parametrize(("width", "expected"), [(100, 91), (80, 78)])
def test_tiles_fit_the_terminal_and_name_every_hand(grid, width, expected):
    text = printed(grid, width=width, color_system=None, force_terminal=True)
    lines = Console(width=width, color_system="truecolor", force_terminal=True).render_lines(
        grid, pad=False
    )
    assert len(lines) == 26
    assert {sum(segment.cell_length for segment in line) for line in lines} == {expected}
    names = "".join(segment.text for line in lines for segment in line)
    assert all(name in names for name in HAND_NAMES)
    assert text


def test_a_mixed_hand_is_filled_in_proportion(grid):
    lines = Console(width=100, color_system="truecolor", force_terminal=True).render_lines(grid)
    tile = "".join(segment.text * 1 for segment in lines[1])[:7]
    assert tile == " S75 R "
    styles = [segment.style for segment in lines[0] for _ in segment.text][:6]
    larger, smaller = ACTIONS[3].style.bgcolor, ACTIONS[2].style.bgcolor
    # A quarter of six characters is one and a half, and both halves are as good.
    assert [style.bgcolor for style in styles] in (
        [larger] * 4 + [smaller] * 2,
        [larger] * 5 + [smaller],
    )


def test_hands_that_never_get_there_have_no_colour(grid):
    lines = Console(width=100, color_system="truecolor", force_terminal=True).render_lines(grid)
    styles = [segment.style for segment in lines[0] for _ in segment.text][7:13]
    assert all(style.bgcolor is None for style in styles)


def test_a_hand_that_comes_in_part_fills_its_tile_in_part(grid):
    grid.reach[AA] = 0.4
    lines = Console(width=100, color_system="truecolor", force_terminal=True).render_lines(grid)
    styles = [segment.style for segment in lines[0] for _ in segment.text][:6]
    assert [style.bgcolor is None for style in styles] == [False] * 2 + [True] * 4
    assert printed(grid, color_system=None).splitlines()[1].split()[1:3] == ["s75", "r"]


def test_how_to_read_hands_that_come_in_part_is_said_where_there_are_any(grid):
    plain = Console(color_system=None)
    tiles = Console(color_system="truecolor", force_terminal=True)
    assert (grid.caption(plain), grid.caption(tiles)) == ("", "")
    grid.reach[AA] = 0.7
    assert grid.caption(plain) == ""
    assert grid.caption(tiles).startswith("a tile is filled as far")
    grid.reach[AA] = 0.03
    assert grid.caption(plain).startswith("small letters: less than half")


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
    actions = grid_actions([ActionKind.CHECK, ActionKind.RAISE], ["check", "raise to 3"])
    assert [action.letter for action in actions] == ["X", "R"]


def test_the_legend_names_actions_and_how_often_they_are_taken():
    plain = Console(color_system=None)
    frequencies = [0.5, 0.25, 0.125, 0.125, float("nan")]
    assert legend(plain, ACTIONS, frequencies).plain == (
        "F fold 50.0%   C limp 25.0%   R raise to 2 12.5%   S raise to 3 12.5%   "
        "A all-in 25 never seen"
    )
    coloured = legend(
        Console(color_system="truecolor", force_terminal=True), ACTIONS, frequencies
    ).plain
    assert coloured.startswith(" F  fold 50.0%")


@pytest.mark.parametrize(
    ("shares", "widths"),
    [([1.0, 0.0], [6, 0]), ([0.5, 0.5], [3, 3]), ([0.9, 0.1], [5, 1]), ([0.95, 0.05], [6, 0])],
)
def test_widths_are_whole_and_add_up(shares, widths):
    assert share_out(6, np.array(shares)) == widths


def test_bets_have_letters_of_their_own():
    kinds = [ActionKind.CHECK, ActionKind.BET, ActionKind.BET, ActionKind.ALL_IN]
    actions = grid_actions(kinds, ["check", "bet 33% (59)", "bet 75% (135)", "all-in 910"])
    assert [action.letter for action in actions] == ["X", "B", "D", "A"]
    assert len({action.colour for action in actions}) == 4
