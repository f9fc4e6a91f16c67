"""Ranges cut into classes and bands of equity."""

import numpy as np
import pytest

from runout.cards.card import parse_cards
from runout.cards.combos import live_combos
from runout.errors import CardError
from runout.trees.betting import Street
from runout.views.breakdown import draw_rows, equity_rows, made_hand_rows
from runout.views.node import HandSpace
from runout.views.selection import select_hands
from tests.views.test_node import decision


def flop(**changes):
    """Returns a decision on a flop where queens are a set and aces are an overpair."""
    return decision(board=parse_cards("Qs7h2h"), street=Street.FLOP, **changes)


def live(node):
    """Returns the node without combos that share a card with the board."""
    factors = np.zeros(node.weights.shape[1])
    factors[live_combos(node.board)] = 1.0
    for player in (0, 1):
        node = select_hands(node, player, factors)
    return node


def test_made_hands_come_best_first():
    rows = made_hand_rows(live(flop()), 1)
    assert [row.name for row in rows] == ["sets", "overpair"]


@pytest.mark.parametrize("cut", [made_hand_rows, equity_rows])
@pytest.mark.parametrize("player", [0, 1])
def test_parts_add_up_to_the_whole(cut, player):
    node = live(flop())
    rows = cut(node, player)
    shares = np.array([row.share for row in rows])
    assert shares.sum() == pytest.approx(1.0)
    assert sum(row.combos for row in rows) == pytest.approx(node.combos(player))
    for mean, whole in (("ev", node.range_ev), ("equity", node.range_equity)):
        values = np.array([getattr(row, mean) for row in rows])
        assert (shares * values).sum() == pytest.approx(whole(player))


def test_frequencies_are_those_of_the_player_who_acts():
    node = live(flop())
    rows = made_hand_rows(node, 1)
    mean = sum(row.share * row.frequency for row in rows)
    np.testing.assert_allclose(mean, node.frequency())
    assert all(row.frequency.size == 0 for row in made_hand_rows(node, 0))


def test_bands_of_equity_hold_what_is_between_them():
    node = live(flop())
    for row in equity_rows(node, 0):
        low, high = (float(bound) / 100 for bound in row.name.split("-"))
        assert low <= row.equity <= high


def test_every_hand_has_a_draw_or_none():
    rows = {row.name: row for row in draw_rows(live(flop()), 1)}
    assert "no-draw" in rows
    assert "flush-draws" not in rows  # aces, kings and queens are pairs of two suits
    assert rows["backdoor-flush-draws"].share <= 1.0


def test_there_are_no_classes_before_the_flop():
    for cut in (made_hand_rows, draw_rows):
        with pytest.raises(CardError, match="none before the flop"):
            cut(flop(hand_space=HandSpace.HANDS), 0)
