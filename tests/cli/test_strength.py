import json

import numpy as np
import pytest

from runout.abstraction.hand_strength import HandStrengthCalculator
from runout.cards.canonical_hands import COMBOS_BY_HAND, HAND_NAMES, parse_canonical_hand
from runout.cards.card import parse_board, parse_cards
from runout.cards.combos import combo_cards
from runout.equity.versus import compare_ranges
from runout.ranges.notation import parse_range


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
    kings, random = parse_range("KdKc").weights, parse_range("random").weights
    expected = compare_ranges(kings, random, parse_board("Ah7s2c")).equity
    assert document["ehs2"] == pytest.approx(expected, abs=1e-12)


def test_without_a_hand_the_grid_shows_means_over_live_combos(run):
    board = parse_board("AhAsAd7c")
    lines = run("strength", "--board", "AhAsAd7c").stdout.splitlines()
    assert lines[0] == "EHS2 in % on AhAsAd7c, mean over each hand's combos"
    rows = [line.split() for line in lines[3:]]
    assert [row[0] for row in rows] == list("AKQJT98765432")
    assert rows[0][1] == "-"  # one ace is left
    calculator = HandStrengthCalculator()
    all_sevens = map(combo_cards, COMBOS_BY_HAND[parse_canonical_hand("77")])
    sevens = [cards for cards in all_sevens if not set(cards) & set(board)]
    assert len(sevens) == 3
    mean = np.mean([calculator.calculate(board, combo).ehs2 for combo in sevens])
    assert rows[7][8] == f"{100 * mean:.1f}"


def test_json_of_a_board_holds_every_combo(run):
    document = json.loads(run("strength", "--board", "AhAsAd7c", "--json").stdout)
    assert len(document["combos"]) == 48 * 47 // 2
    position = document["combos"].index("Ac7d")
    expected = HandStrengthCalculator().calculate(
        parse_board("AhAsAd7c"), tuple(parse_cards("Ac7d"))
    )
    for name in ("ehs", "ppot", "npot", "ehs2", "ehs_squared"):
        assert len(document[name]) == len(document["combos"])
        assert document[name][position] == pytest.approx(getattr(expected, name), abs=1e-12)
    assert document["ehs2_by_hand"]["AA"] is None
    assert list(document["ehs2_by_hand"]) == list(HAND_NAMES)


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["-b", "AhKs"], "board 'AhKs': 2 cards, a board has 3 (flop), 4 (turn) or 5 (river)"),
        (["-b", "AhKsQd", "--hand", "AhTc"], "Ah: is on the board AhKsQd already"),
        (["-b", "AhKsQd", "--hand", "Jc"], "'Jc': 1 cards, a hand has 2"),
        (["-b", "AhKsQd", "--hand", "Jx2c"], "'Jx': 'x' is not a suit, use one of cdhs"),
        (["--hand", "JcTc"], "--board: is missing, runout strength needs --board CARDS"),
    ],
)
def test_bad_cards_are_named(error_line, arguments, line):
    assert error_line("strength", *arguments) == line
