import json

import numpy as np
import pytest

from runout.cards.canonical_hands import HAND_NAMES, matchup_weights
from runout.cards.card import parse_board
from runout.equity.board_equity import compute_board_equity

BOARD = "AhKsQd"


@pytest.fixture(scope="module")
def table():
    return compute_board_equity(parse_board(BOARD)).hand_table()


def test_json_holds_the_whole_table(run, table):
    document = json.loads(run("flop-equity", BOARD, "--json").stdout)
    assert document["board"] == BOARD
    assert document["versus"] is None
    assert document["hands"] == list(HAND_NAMES)
    equities = np.array(document["equity_fraction_by_matchup"], dtype=float)
    np.testing.assert_array_equal(equities, table.equities())
    weights = document["num_combo_pairs_by_matchup"]
    np.testing.assert_array_equal(weights, matchup_weights(parse_board(BOARD)))
    np.testing.assert_array_equal(document["equity_fraction"], table.equity_vs_random())


def test_impossible_matchups_are_null(run):
    document = json.loads(run("flop-equity", "AhAsAd", "--json").stdout)
    aces = HAND_NAMES.index("AA")
    assert document["equity_fraction"][aces] is None
    assert document["equity_fraction_by_matchup"][aces] == [None] * 169
    assert document["num_combo_pairs_by_matchup"][aces] == [0] * 169


def test_the_grid_has_thirteen_rows_with_aces_top_left(run, table):
    lines = run("flop-equity", BOARD).stdout.splitlines()
    assert lines[0] == "Equity in % against a random hand on AhKsQd"
    rows = [line.split() for line in lines[3:16]]
    assert [row[0] for row in rows] == list("AKQJT98765432")
    assert all(len(row) == 14 for row in rows)
    assert rows[0][1] == f"{100 * table.equity_vs_random()[HAND_NAMES.index('AA')]:.1f}"


def test_the_best_hands_of_a_broadway_flop_are_straights(run):
    best, worst = run("flop-equity", BOARD).stdout.splitlines()[-2:]
    assert best.split()[:4:2] == ["best", "95.4%"]
    assert best.split()[1] == "JTs"
    assert worst.split()[0] == "worst"


def test_versus_shows_equities_against_one_hand(run, table):
    document = json.loads(run("flop-equity", BOARD, "--versus", "qq", "--json").stdout)
    queens = HAND_NAMES.index("QQ")
    assert document["versus"] == "QQ"
    shown = np.array(document["equity_fraction"], dtype=float)
    np.testing.assert_array_equal(shown, table.equities()[:, queens])
    assert "against QQ on AhKsQd" in run("flop-equity", BOARD, "--versus", "QQ").stdout


def test_a_hand_that_the_board_blocks_cannot_be_the_opponent(error_line):
    line = error_line("flop-equity", "AhAsAd", "--versus", "AA")
    assert line == "AA: cannot be dealt on AhAsAd"


def test_an_unknown_opponent_is_named(error_line):
    assert error_line("flop-equity", BOARD, "--versus", "AKx").startswith("'AKx': ")


def test_a_short_board_is_named(error_line):
    assert error_line("flop-equity", "AhKs").startswith("board 'AhKs': 2 cards")
