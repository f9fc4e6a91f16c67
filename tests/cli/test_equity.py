"""Tests of `runout.cli.equity`."""

import csv
import io
import json
import re
from math import fsum

import numpy as np
import pytest

from runout.cards.deck import (
    HAND_NAMES,
    NUM_COMBOS,
    parse_board,
)
from runout.cards.flops import SHIPPED_SUBSET_SIZES
from runout.cards.ranges import Range
from runout.equity.board import compute_board_equity
from runout.equity.matchups import equity
from tests.reference.equity import equity_vs_random


def test_only_long_ranges_are_cut(run):
    pairs = "22,33,44,55,66,77,88,99,TT,JJ"
    assert f" {pairs} " in run("equity", pairs, "KK").stdout
    longer = run("equity", f"{pairs},QQ", "KK").stdout
    assert " 22,33,44,55,66,77,88,99,TT,... " in longer


def test_aces_against_kings_have_the_published_equity(run):
    result = run("equity", "AA", "KK")
    assert result.exit_code == 0
    assert "81.95%" in result.stdout
    assert "18.05%" in result.stdout
    assert "36 matchups before the flop" in result.stdout


def test_json_holds_both_sides_at_full_precision(run):
    document = json.loads(run("equity", "AKs", "QQ", "--json").stdout)
    expected = equity(Range("AKs").weights, Range("QQ").weights)
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
    assert error_line("equity", "AA", "KK", "--board", "AhAh2c") == "Ah: dealt twice in AhAh2c"


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
    assert error_line("equity", "AhAs", "AhKd") == "'AhAs' and 'AhKd': both hold Ah"
    assert "blocks every combo of the other" in error_line("equity", "AhAs,KhKs", "AhKh,AsKs")


def test_a_royal_flush_is_number_one(run):
    lines = run("eval", "AhKhQhJhTh2c3d").stdout.splitlines()
    assert lines[0] == "royal flush"
    assert lines[1].startswith("strength 7,462, number 1 of 7,462")


def test_json_of_the_worst_hand(run):
    assert json.loads(run("eval", "7h5d4c3s2d", "--json").stdout) == {
        "cards": "7h5d4c3s2d",
        "strength": 1,
        "category": "high_card",
        "description": "high card, 7-5-4-3-2",
        "rank": 7462,
        "num_strengths": 7462,
        "beaten_strengths_fraction": 0.0,
    }


@pytest.mark.parametrize("cards", ["AhKh", "AhKhQhJh", "AhKhQhJhTh9h8h7h"])
def test_only_five_to_seven_cards_have_a_strength(error_line, cards):
    assert error_line("eval", cards).startswith(f"hand '{cards}': ")


def test_a_repeated_card_is_named(error_line):
    assert error_line("eval", "AhAhQhJhTh") == "Ah: dealt twice in AhAhQhJhTh"


def test_half_a_card_is_named(error_line):
    assert error_line("eval", "AhKhQhJhT").startswith("'T': ")


BOARD = "AhKsQd"


@pytest.fixture(scope="module")
def table():
    return compute_board_equity(parse_board(BOARD)).hand_table()


@pytest.mark.parametrize("villain", ["random", "QQ"])
def test_every_hand_of_a_flop_is_compared_with_one_or_with_all(run, table, villain):
    given = [] if villain == "random" else [villain]
    result = run("equity", "random", *given, "--board", BOARD, "--json")
    found = json.loads(result.stdout)["hero_equity_fraction_by_hand"]
    expected = equity_vs_random(table)
    if given:
        expected = table.equities()[:, HAND_NAMES.index(villain)]
    assert list(found) == list(HAND_NAMES)
    np.testing.assert_allclose(np.array([*found.values()], float), expected, rtol=1e-12)


def test_the_grid_has_thirteen_rows_with_aces_top_left(run, table):
    rows = run("equity", "random", "-b", BOARD, "--grid").stdout.splitlines()[-13:]
    cells = [row.split() for row in rows]
    assert [row[0] for row in cells] == list("AKQJT98765432")
    assert all(len(row) == 14 for row in cells)
    assert cells[0][1] == f"{100 * equity_vs_random(table)[HAND_NAMES.index('AA')]:.1f}"


def rows_of(result):
    return json.loads(result.stdout)["flops"]


def test_all_flops_stand_for_all_22100(run):
    rows = rows_of(run("flops", "--json"))
    assert len(rows) == 1755
    assert sum(row["multiplicity"] for row in rows) == 22_100
    assert fsum(row["weight_fraction"] for row in rows) == pytest.approx(1.0)


def test_the_table_ends_with_the_number_of_flops(run):
    assert run("flops").stdout.splitlines()[-1] == "1,755 flops"


def test_flops_of_your_own_are_described(run):
    document = json.loads(run("flops", "--flops", "AhKsQd,7h7s2c", "--json").stdout)
    assert document["num_flops"] == 2
    assert document["flops"][1] == {
        "flop": "7s7h2d",
        "suits": "rainbow",
        "ranks": "paired",
        "is_connected": False,
        "high_rank": "7",
        "multiplicity": 12,
        "weight_fraction": 12 / 36,
    }


def test_csv_json_and_table_list_the_same_flops(run):
    choice = ["flops", "--random", "20", "--seed", "7"]
    names = [row["flop"] for row in rows_of(run(*choice, "--json"))]
    read = list(csv.DictReader(io.StringIO(run(*choice, "--format", "csv").stdout)))
    assert [row["flop"] for row in read] == names
    assert fsum(float(row["weight_fraction"]) for row in read) == pytest.approx(1.0)
    lines = run(*choice, "--format", "table").stdout.splitlines()
    assert [line.split()[0] for line in lines[1:-1]] == names


def test_the_seed_decides_the_draw(run):
    first = rows_of(run("flops", "--random", "20", "--seed", "1", "--json"))
    assert first == rows_of(run("flops", "--random", "20", "--seed", "1", "--json"))
    assert first != rows_of(run("flops", "--random", "20", "--seed", "2", "--json"))


@pytest.mark.parametrize("size", SHIPPED_SUBSET_SIZES)
def test_shipped_subsets_have_their_size(run, size):
    assert len(rows_of(run("flops", "--subset", str(size), "--json"))) == size


def test_a_subset_that_is_not_shipped_is_named(error_line):
    assert "33" in error_line("flops", "--subset", "33")


@pytest.mark.parametrize("count", ["0", "-1", "1756"])
def test_an_impossible_number_of_random_flops_is_named(error_line, count):
    assert count in error_line("flops", "--random", count)


@pytest.mark.parametrize(
    ("arguments", "where"),
    [
        (["--subset", "25", "--random", "3"], "--subset --random"),
        (["--random", "3", "--flops", "AhKsQd"], "--random --flops"),
        (["--json", "--format", "csv"], "--json --format csv"),
        (["--seed", "3"], "--seed"),
        (["--random", "3", "--seed", "-1"], "--seed"),
    ],
)
def test_options_that_clash_are_named(error_line, arguments, where):
    assert error_line("flops", *arguments).startswith(f"{where}: ")


@pytest.mark.parametrize("text", ["AhKs", "AhKsQdJc", "", "AhKsQd,", "AhKsQx"])
def test_a_flop_that_is_none_is_refused(error_line, text):
    error_line("flops", "--flops", text)


def test_the_same_flop_twice_is_refused(error_line):
    assert "AhKsQd" in error_line("flops", "--flops", "AhKsQd,AdKcQh")


def test_an_unknown_format_exits_with_2(run):
    assert run("flops", "--format", "xml").exit_code == 2


def test_one_of_a_thing_is_not_told_in_the_plural(run):
    assert run("flops", "--random", "1").stdout.splitlines()[-1] == "1 flop"
    assert run("range", "AhKh").stdout.startswith("1 combo, ")
    assert run("equity", "AhKh", "QsQd").stdout.splitlines()[-1] == "1 matchup before the flop"


def test_a_range_is_counted_and_written_back(run):
    lines = run("range", "AA,KK,QQ,AKs:0.5").stdout.splitlines()
    assert lines[0] == "20 combos, 1.51% of 1,326"
    assert lines[1] == "QQ+,AKs:0.5"


def test_the_grid_shows_weights_in_percent_and_dashes_elsewhere(run):
    rows = run("range", "QQ+,AKs:0.5").stdout.splitlines()[-13:]
    assert rows[0].split() == ["A", "100", "50.0", *["-"] * 11]
    assert rows[1].split()[:4] == ["K", "-", "100", "-"]


def test_a_board_removes_its_combos(run):
    document = json.loads(run("range", "AA,KK", "--board", "AhKsQd", "--json").stdout)
    assert document["num_combos"] == 6.0
    assert document["board"] == "AhKsQd"
    assert document["weight_by_hand"]["AA"] == 0.5
    assert document["weight_by_combo"]["AhAd"] == 0.0
    assert document["weight_by_combo"]["AsAd"] == 1.0


def test_json_lists_every_hand_and_every_combo(run):
    document = json.loads(run("range", "random", "--json").stdout)
    assert list(document["weight_by_hand"]) == list(HAND_NAMES)
    assert len(document["weight_by_combo"]) == NUM_COMBOS
    assert document["combos_fraction"] == 1.0


def test_the_json_text_reads_back_as_the_same_range(run):
    text = "22+,A2s+,KTo-K8o,AhKh,QJs:0.3"
    document = json.loads(run("range", text, "--json").stdout)
    assert Range(document["range"]) == Range(text)


def test_a_long_range_text_is_not_wrapped(run):
    combos = "AhKd,AhKc,QhJd,QhTd,9h8d,9h7c,9h6d,5h4d,5h3c,5h2d,KhQd,KhJc,JhTd,Th9c,8h7d,7h6c,6h5c"
    lines = run("range", f"{combos},AcKd,AcQd,AcJd,AcTd,Ac9d").stdout.splitlines()
    assert len(lines[1]) > 100
    assert lines[2] == ""


def test_an_unreadable_group_is_named(error_line):
    assert error_line("range", "AA,[bold]x").startswith("'[bold]': weight 'bold%' is not")


def test_a_range_that_the_board_blocks_is_named_of_test_ranges(error_line):
    assert error_line("range", "AA", "--board", "AhAsAd").startswith("'AA': the board AhAsAd")


def test_every_group_of_the_example_has_an_effect(run):
    (example,) = re.findall(r'Example: runout range "(.*?)"', run("range", "--help").stdout)
    groups = example.split(",")
    for group in groups:
        shorter = ",".join(other for other in groups if other != group)
        assert Range(shorter) != Range(example), group


@pytest.mark.parametrize(
    ("board", "hand", "expected"),
    [
        ("7c6d2s", "9h8h", {"ehs": 0.11517, "ehs2": 0.49498}),
        (
            "2s8sTcQd",
            "As5s",
            {"ehs": 0.41787, "ppot": 0.27161, "npot": 0.14456, "ehs2": 0.51558},
        ),
        ("AsKsQsJs9d", "7h2c", {"ehs": 0.07778, "ppot": 0.0, "npot": 0.0, "ehs2": 0.07778}),
    ],
)
def test_worked_examples_have_the_known_values(run, board, hand, expected):
    document = json.loads(run("strength", "--board", board, "--hand", hand, "--json").stdout)
    assert document["board"] == board
    assert document["hand"] == hand
    found = {name: document[name] for name in expected}
    assert found == pytest.approx(expected, abs=5e-6)


def test_the_text_shows_all_five_numbers_and_what_they_mean(run):
    lines = run("strength", "-b", "2s8sTcQd", "--hand", "5sAs").stdout.splitlines()
    assert lines[0] == "As5s on 2s8sTcQd against a random hand"
    shown = {line.split()[0]: line.split()[1] for line in lines[1:]}
    assert list(shown) == ["EHS", "PPot", "NPot", "EHS2", "E[HS^2]"]
    assert shown["EHS"] == "41.79%"
    assert shown["EHS2"] == "51.56%"


def test_on_the_river_the_square_is_that_of_the_strength(run):
    document = json.loads(run("strength", "-b", "AsKsQsJs9d", "--hand", "7h2c", "--json").stdout)
    assert document["ehs_squared"] == document["ehs"] ** 2


def test_ehs2_is_the_equity_against_a_random_hand(run):
    document = json.loads(run("strength", "-b", "Ah7s2c", "--hand", "KdKc", "--json").stdout)
    kings, random = Range("KdKc").weights, Range("random").weights
    expected = equity(kings, random, parse_board("Ah7s2c")).equity
    assert document["ehs2"] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (
            ["-b", "AhKs", "--hand", "JcTc"],
            "board 'AhKs': 2 cards, a board has 3 (flop), 4 (turn) or 5 (river)",
        ),
        (["-b", "AhKsQd", "--hand", "AhTc"], "Ah: is on the board AhKsQd already"),
        (["-b", "AhKsQd", "--hand", "Jc"], "'Jc': 1 cards, a hand has 2"),
        (["-b", "AhKsQd", "--hand", "Jx2c"], "'Jx': 'x' is not a suit, use one of cdhs"),
        (["--hand", "JcTc"], "--board: is missing, runout strength needs --board CARDS"),
        (["-b", "AhKsQd"], "--hand: is missing, runout strength needs --hand CARDS"),
    ],
)
def test_bad_cards_are_named(error_line, arguments, line):
    assert error_line("strength", *arguments) == line
