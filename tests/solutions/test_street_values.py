"""Tests of `runout.solutions.flop`."""

import numpy as np
import pytest

from runout.cards.deck import NUM_COMBOS, disjoint_combos, parse_board, parse_combo
from runout.cards.hand_ranking import score_board
from runout.equity.board import compute_board_equity
from runout.holdem.cards import NO_RAKE, Rake
from runout.solutions.flop import Showdowns, StreetPlay, runout_margins
from runout.trees.betting import Street
from tests.samples.small_spots import make_tree

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
    (found,) = runout_margins(rivers, weights[None])
    np.testing.assert_allclose(found[table.combos], expected, atol=1e-7)


# --------------------------------------------------------------------------------------------------
# Values of a street by passes over its nodes, in games that are solved in the head.


BOARD = parse_board("2c2d2h7s3c")
TREE = make_tree("a", 10, 10, Street.RIVER)
AA, KK = parse_combo("AsAh"), parse_combo("KsKh")


def play(rake=NO_RAKE, tree=TREE, street=Street.RIVER, showdowns=None, ev_after=None):
    def even(node):
        number = int(tree.layout.num_children[node])
        return np.full((number, NUM_COMBOS), 1.0 / number)

    return StreetPlay(tree, rake, street, even, ev_after, showdowns or Showdowns.on(BOARD))


def weights():
    """Aces out of position against kings."""
    held = np.zeros((2, NUM_COMBOS))
    held[0, AA] = held[1, KK] = 1.0
    return held


def test_a_showdown_pays_the_pot_to_the_better_hand():
    evs, _ = play().values(TREE.find_node("x-x"), weights())
    assert evs[0, AA] == pytest.approx(10.0)
    assert evs[1, KK] == pytest.approx(0.0)


def test_a_call_costs_what_it_puts_in():
    jam = TREE.find_node("a")
    evs, action_evs = play().values(jam, weights())
    assert action_evs[:, KK] == pytest.approx([0.0, -10.0])
    assert evs[1, KK] == pytest.approx(-5.0)
    assert evs[0, AA] == pytest.approx((20.0 + 30.0) / 2)


def test_the_winner_pays_the_rake():
    raked = play(Rake(0.1, 1.5))
    evs, _ = raked.values(TREE.find_node("x-x"), weights())
    assert (evs[0, AA], evs[1, KK]) == pytest.approx((9.0, 0.0))
    evs, _ = raked.values(TREE.find_node("a-c"), weights())
    assert evs[0, AA] == pytest.approx(30.0 - 1.5)


def test_hands_that_meet_nobody_have_no_value():
    held = weights()
    held[1] = 0.0
    evs, _ = play().values(0, held)
    assert np.isnan(evs[0]).all()


def test_before_the_river_what_comes_after_a_card_is_given():
    tree = make_tree("a", 10, 10, Street.TURN)
    after = {tree.find_node("x-x"): (7.0, 3.0), tree.find_node("x-a-c"): (24.0, 6.0)}

    def ev_after(node, player):
        return np.full(NUM_COMBOS, after.get(node, (np.nan, np.nan))[player])

    turn = StreetPlay(tree, NO_RAKE, Street.TURN, play(tree=tree).strategy_at, ev_after, None)
    evs, action_evs = turn.values(tree.find_node("x"), weights())
    jam = (0.5 * 10.0) + 0.5 * (6.0 - 10.0)
    assert action_evs[:, KK] == pytest.approx([3.0, jam])
    assert evs[1, KK] == pytest.approx((3.0 + jam) / 2)
