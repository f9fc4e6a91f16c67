"""Values of a street by passes over its nodes, in games that are solved in the head."""

import numpy as np
import pytest

from runout.cards.card import parse_board
from runout.cards.combos import NUM_COMBOS, parse_combo
from runout.holdem.rake import NO_RAKE, Rake
from runout.trees.betting import Street
from runout.views.showdowns import Showdowns
from runout.views.street_values import StreetPlay
from tests.holdem.small_spots import make_tree

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
