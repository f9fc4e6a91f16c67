"""Tests of `runout.solutions.flop`."""

from dataclasses import replace

import numpy as np
import pytest

from runout.cards.deck import NUM_COMBOS, disjoint_combos, parse_board, parse_combo
from runout.cards.hand_ranking import score_board
from runout.equity.board import compute_board_equity
from runout.holdem.cards import NO_RAKE, CardsToCome, Rake
from runout.solutions.flop import Showdowns, StoredSpot, StoredTables
from tests.samples.small_spots import make_spot

# --------------------------------------------------------------------------------------------------
# Who wins against a range, compared with all pairs one by one.


BOARDS = ["QsJh2h8c3d", "AsKsQsJsTs", "7s7h7d7c2c", "2c3c4c5c9c"]
ALL = np.arange(NUM_COMBOS)


@pytest.mark.parametrize("text", BOARDS)
def test_margins_are_what_is_beaten_less_what_beats(text):
    score = score_board(parse_board(text))
    weights = np.random.default_rng(2).random((3, NUM_COMBOS))
    is_live = score > 0
    sign = np.sign(score[:, None] - score) * disjoint_combos(ALL, ALL)
    sign = sign * is_live * is_live[:, None]
    expected = (sign[None] * weights[:, None]).sum(axis=2)
    found = Showdowns.on(parse_board(text)).margins(weights)
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_margins_of_all_rivers_are_the_equity_of_a_turn():
    board = parse_board("QsJh2h8c")
    rivers = [Showdowns.on((*board, card)) for card in range(52) if card not in board]
    table = compute_board_equity(board)
    weights = np.zeros(NUM_COMBOS)
    weights[table.combos] = np.random.default_rng(3).random(len(table.combos))
    wins = table.wins.astype(np.float64)
    expected = ((wins - wins.T) * weights[table.combos]).sum(axis=1)
    found = sum(river.margins(weights[None])[0] for river in rivers)
    np.testing.assert_allclose(found[table.combos], expected, atol=1e-7)


# --------------------------------------------------------------------------------------------------
# Values of a street by passes over its nodes, in games that are solved in the head.


class Even:
    """A table of strategies in which all actions are equally likely."""

    def __getitem__(self, place):
        _, rows = place
        number = rows.stop - rows.start
        return np.full((number, NUM_COMBOS), 1.0 / number)


class Given:
    """A table of values from the next card on, by the row of the line."""

    def __init__(self, values):
        self.values = values

    def __getitem__(self, place):
        _, row = place
        return np.array([self.values[row]])


def look(rake=NO_RAKE, board="2c2d2h7s3c", values=(), oop="AsAh"):
    """Aces out of position against kings, who may bet all-in, all actions as likely."""
    spot = replace(make_spot(board, oop, "KsKh", "a", 10, 10), rake=rake)
    cards = CardsToCome.plan(spot.board, spot.ranges)
    strategy = [(Even(), Even())] * (6 - len(spot.board))
    return StoredSpot(spot, cards, StoredTables(strategy, values, None, None), None)


AA, KK = parse_combo("AsAh"), parse_combo("KsKh")


def test_a_showdown_pays_the_pot_to_the_better_hand():
    node = look().node("x:x")
    assert node.ev[0, AA] == pytest.approx(10.0)
    assert node.ev[1, KK] == pytest.approx(0.0)


def test_a_call_costs_what_it_puts_in():
    node = look().node("a")
    assert node.action_ev[:, KK] == pytest.approx([0.0, -10.0])
    assert node.ev[1, KK] == pytest.approx(-5.0)
    assert node.ev[0, AA] == pytest.approx((20.0 + 30.0) / 2)


def test_the_winner_pays_the_rake():
    raked = look(Rake(0.1, 1.5))
    node = raked.node("x:x")
    assert (node.ev[0, AA], node.ev[1, KK]) == pytest.approx((9.0, 0.0))
    assert raked.node("a:c").ev[0, AA] == pytest.approx(30.0 - 1.5)


def test_hands_that_meet_nobody_have_no_value():
    node = look(oop="AsAh,KsKd").node()
    assert np.isnan(node.ev[0, parse_combo("KsKd")])
    assert node.ev[0, AA] > 0.0


def test_before_the_river_what_comes_after_a_card_is_given():
    turn = look(board="2c2d2h7s")
    after = {"x:x": (7.0, 3.0), "x:a:c": (24.0, 6.0)}
    rows = [
        after.get(turn.spot.tree.path(node), (np.nan,) * 2) for node in turn.layouts[0].next_roots
    ]
    oop, ip = zip(*rows, strict=True)
    node = look(board="2c2d2h7s", values=[(Given(oop), Given(ip))]).node("x")
    jam = (0.5 * 10.0) + 0.5 * (6.0 - 10.0)
    assert node.action_ev[:, KK] == pytest.approx([3.0, jam])
    assert node.ev[1, KK] == pytest.approx((3.0 + jam) / 2)
