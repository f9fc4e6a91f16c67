import json

import pytest

from runout.equity.versus import compare_ranges
from runout.ranges.notation import parse_range


def test_aces_against_kings_have_the_published_equity(run):
    result = run("equity", "AA", "KK")
    assert result.exit_code == 0
    assert "81.95%" in result.stdout
    assert "18.05%" in result.stdout
    assert "36 matchups before the flop" in result.stdout


def test_json_holds_both_sides_at_full_precision(run):
    document = json.loads(run("equity", "AKs", "QQ", "--json").stdout)
    expected = compare_ranges(parse_range("AKs").weights, parse_range("QQ").weights)
    hero, villain = document["hero"], document["villain"]
    assert hero["equity_fraction"] == expected.equity
    assert hero["win_fraction"] == villain["lose_fraction"] == expected.win
    assert hero["tie_fraction"] == villain["tie_fraction"] == expected.tie
    assert hero["equity_fraction"] + villain["equity_fraction"] == pytest.approx(1.0)
    assert document["board"] is None
    assert document["num_matchups"] == 24.0
    assert document["hero_equity_fraction_by_hand"]["AKs"] == pytest.approx(expected.equity)
    assert document["hero_equity_fraction_by_hand"]["AA"] is None


def test_combos_are_counted_after_card_removal(run):
    document = json.loads(run("equity", "AhAs", "AA,KK:0.5", "--board", "Kc7d2s", "--json").stdout)
    assert document["board"] == "Kc7d2s"
    assert document["hero"]["num_combos"] == 1.0
    assert document["villain"]["num_combos"] == 1.0 + 3 * 0.5
    assert document["num_matchups"] == 2.5


def test_a_made_nut_hand_on_the_river_always_wins(run):
    document = json.loads(run("equity", "JhTh", "22", "--board", "AhKhQh2c3d", "--json").stdout)
    assert document["hero"]["equity_fraction"] == 1.0
    assert document["hero"]["win_fraction"] == 1.0
    assert document["villain"]["equity_fraction"] == 0.0


def test_the_grid_shows_each_hand_of_the_range(run):
    result = run("equity", "QQ+,AK", "random", "--grid")
    rows = result.stdout.splitlines()[-13:]
    assert rows[0].split() == ["A", "85.2", "67.0", *["-"] * 11]
    assert rows[1].split()[:4] == ["K", "65.3", "82.4", "-"]


def test_one_hand_needs_no_grid(run):
    assert run("equity", "AA", "KK", "--grid").stdout == run("equity", "AA", "KK").stdout


def test_a_wrong_rank_is_named(error_line):
    assert error_line("equity", "AA", "KX").startswith("'KX': 'X' is not a rank")


def test_a_repeated_board_card_is_named(error_line):
    assert error_line("equity", "AA", "KK", "--board", "AhAh2c") == "Ah: comes twice in AhAh2c"


@pytest.mark.parametrize("board", ["", "AhKh", "2c3c4c5c6c7c"])
def test_a_board_has_three_to_five_cards(error_line, board):
    assert error_line("equity", "QQ", "JJ", "--board", board).startswith(f"board '{board}': ")


@pytest.mark.parametrize("text", ["", " ", ","])
def test_an_empty_range_is_refused(error_line, text):
    assert "empty" in error_line("equity", "AA", text)


def test_a_weight_above_one_is_named(error_line):
    assert error_line("equity", "AA:1.5", "KK").startswith("'AA:1.5': weight '1.5'")


def test_a_range_without_weight_is_named(error_line):
    assert error_line("equity", "AA", "KK:0") == "'KK:0': every weight is 0, no combo is left"


def test_a_range_that_the_board_blocks_is_named(error_line):
    line = error_line("equity", "KK", "AA", "--board", "AhAsAd")
    assert line == "'AA': the board AhAsAd blocks every combo"


def test_ranges_that_block_each_other_are_refused(error_line):
    assert "blocks" in error_line("equity", "AhAs", "AhKd")
