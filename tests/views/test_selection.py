"""Parts of a range, by range text and by hand class."""

import numpy as np
import pytest

from runout.cards.card import parse_cards
from runout.cards.combos import parse_combo
from runout.errors import CardError
from runout.ranges.notation import parse_range
from runout.trees.betting import Street
from runout.views.node import HandSpace
from runout.views.selection import (
    ClassChoice,
    class_factors,
    parse_class_choice,
    range_factors,
    select_hands,
)
from tests.views.test_node import decision

BOARD = parse_cards("Qs7h2h")


def flop(**changes):
    """Returns a decision on a flop where queens are a set."""
    return decision(board=BOARD, street=Street.FLOP, **changes)


def test_classes_are_read_with_those_to_leave_out():
    assert parse_class_choice("sets, -flush-draws,!Gutshots") == ClassChoice(
        ("sets",), ("flush-draws", "gutshots")
    )
    for text in ("", "sets,,pairs", "-", "sets,nuts"):
        with pytest.raises(CardError, match="hand classes: "):
            parse_class_choice(text)


def test_classes_choose_the_combos_that_are_in_them():
    node = flop()
    sets = class_factors(node, parse_class_choice("sets"))
    assert sets[parse_combo("QdQc")] == 1.0
    assert sets[parse_combo("AhAs")] == 0.0
    others = class_factors(node, parse_class_choice("-sets,-flush-draws"))
    assert others[parse_combo("QdQc")] == 0.0
    assert others[parse_combo("AhKh")] == 0.0
    assert others[parse_combo("AsAd")] == 1.0


def test_there_are_no_classes_before_the_flop():
    with pytest.raises(CardError, match="hand classes: hands have none before the flop"):
        class_factors(flop(hand_space=HandSpace.HANDS), parse_class_choice("sets"))


def test_a_range_chooses_combos_or_shares_of_hands():
    chosen = parse_range("AA,AhKh,QQ:0.5")
    factors = range_factors(flop(), chosen)
    assert factors[parse_combo("AsAd")] == 1.0
    assert factors[parse_combo("QdQc")] == 0.5
    assert factors[parse_combo("KdKc")] == 0.0
    by_hand = range_factors(flop(hand_space=HandSpace.HANDS), chosen)
    names = HandSpace.HANDS.names
    assert [by_hand[names.index(name)] for name in ("AA", "AKs", "QQ")] == [1.0, 0.25, 0.5]


def test_means_of_a_part_are_those_of_its_hands():
    node = flop()
    factors = range_factors(node, parse_range("KK,QQ:0.5"))
    part = select_hands(node, 1, factors)
    deals = node.deals(1) * factors
    assert part.range_ev(1) == pytest.approx(np.nansum(deals * node.ev[1]) / deals.sum())
    bets = np.nansum(deals * node.strategy[1]) / deals.sum()
    assert part.frequency() == pytest.approx([1.0 - bets, bets])
    assert part.combos(1) == pytest.approx((node.weights[1] * factors).sum())
    assert not part.is_held[1, parse_combo("AsAd")]


def test_the_opponent_of_a_part_stays_as_it_is():
    node = flop()
    part = select_hands(node, 1, range_factors(node, parse_range("KK")))
    assert part.range_ev(0) == node.range_ev(0)
    assert part.combos(0) == node.combos(0)


def test_a_whole_is_cut_into_parts_that_add_up():
    node = flop()
    chosen = parse_class_choice("sets")
    inside = class_factors(node, chosen)
    parts = [select_hands(node, 1, factors) for factors in (inside, 1.0 - inside)]
    assert sum(part.combos(1) for part in parts) == pytest.approx(node.combos(1))
    weights = [part.deals(1).sum() for part in parts]
    mean = np.average([part.range_ev(1) for part in parts], weights=weights)
    assert mean == pytest.approx(node.range_ev(1))
