"""Tests of `runout.solutions.tables`."""

import numpy as np
import pytest

from runout.cards.deck import live_combos, parse_card, parse_cards, parse_combo
from runout.cards.ranges import Range
from runout.errors import CardError, TreeError
from runout.execution.context import RunContext
from runout.runs.spot import solve_spot
from runout.solutions.flop_bundles import load_spot
from runout.solutions.node import HandSpace
from runout.solutions.tables import (
    ClassChoice,
    Part,
    PartView,
    cards_sheet,
    class_factors,
    group_sheets,
    parse_class_choice,
    range_factors,
    report_cards,
    select_hands,
)
from runout.trees.betting import Street
from tests.solutions.test_node import decision

# --------------------------------------------------------------------------------------------------
# Ranges cut into classes and bands of equity.


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


def rows_of(node, player, by, name):
    """Returns the rows of a sheet of groups, by the names of columns."""
    return group_sheets(node, player, by)[name].records()


def test_made_hands_come_best_first():
    rows = rows_of(live(flop()), 1, "class", "made hand")
    assert [row["name"] for row in rows] == ["sets", "overpair"]


@pytest.mark.parametrize(("by", "name"), [("class", "made hand"), ("equity", "equity")])
@pytest.mark.parametrize("player", [0, 1])
def test_groups_add_up_to_the_whole(by, name, player):
    node = live(flop())
    rows = rows_of(node, player, by, name)
    shares = np.array([row["share"] for row in rows])
    assert shares.sum() == pytest.approx(1.0, abs=1e-5)
    assert sum(row["combos"] for row in rows) == pytest.approx(node.combos(player), abs=1e-5)
    for mean, whole in (("ev", node.range_ev), ("equity", node.range_equity)):
        values = np.array([row[mean] for row in rows])
        assert (shares * values).sum() == pytest.approx(whole(player), rel=1e-4)


def test_frequencies_are_those_of_the_player_who_acts():
    node = live(flop())
    rows = rows_of(node, 1, "class", "made hand")
    for number, often in enumerate(node.frequency()):
        mean = sum(row["share"] * row["frequency"][number] for row in rows)
        assert mean == pytest.approx(often, abs=1e-5)
    assert all(row["frequency"] == [] for row in rows_of(node, 0, "equity", "equity"))


def test_bands_of_equity_hold_what_is_between_them():
    for row in rows_of(live(flop()), 0, "equity", "equity"):
        low, high = (float(bound) / 100 for bound in row["name"].split("-"))
        assert low <= row["equity"] <= high


def test_every_hand_has_a_draw_or_none():
    rows = {row["name"]: row for row in rows_of(live(flop()), 1, "class", "draw")}
    assert "no-draw" in rows
    assert "flush-draws" not in rows  # aces, kings and queens are pairs of two suits
    assert rows["backdoor-flush-draws"]["share"] <= 1.0


def test_there_are_no_classes_before_the_flop():
    with pytest.raises(CardError, match="none before the flop"):
        group_sheets(flop(hand_space=HandSpace.HANDS), 0, "class")


# --------------------------------------------------------------------------------------------------
# All cards of a node side by side.


@pytest.fixture(scope="module")
def view(tmp_path_factory):
    """A turn of two suits, where hearts and diamonds are alike, and clubs and spades."""
    path = tmp_path_factory.mktemp("spot") / "turn"
    solve_spot(
        board="QsQc7s7c",
        oop="AA,JTs,55",
        ip="KK,T9s,AJo",
        pot=20,
        stack=60,
        bet_sizes="50%",
        max_raises_per_street=1,
        max_iterations=10,
        context=RunContext(1),
        directory=path,
    )
    return load_spot(path)


def test_cards_that_suits_alone_tell_apart_are_one_row(view):
    report = report_cards(view, "x:x")
    assert report.chosen is None
    assert sum(len(row.cards) for row in report.rows) == 48
    assert report.rows[0].name == "As Ac"
    assert "Qh Qd" in [row.name for row in report.rows]


def test_alike_cards_say_the_same(view):
    row = next(row for row in report_cards(view, "x:x").rows if row.name == "Kh Kd")
    other = view.node("x:x:Kd")
    assert row.node.range_ev(0) == pytest.approx(other.range_ev(0))
    np.testing.assert_allclose(row.node.frequency(), other.frequency())


def test_the_mean_over_all_cards_is_the_value_before_them(view):
    report = report_cards(view, "x:b10:c")
    assert report.shares().sum() == pytest.approx(1.0)
    for player in (0, 1):
        evs = np.array([row.node.range_ev(player) for row in report.rows])
        assert report.mean(evs) == pytest.approx(report.before.range_ev(player), abs=2e-3)
        equities = np.array([row.node.range_equity(player) for row in report.rows])
        before = report.before.range_equity(player)
        assert report.mean(equities) == pytest.approx(before, abs=1e-4)


def test_a_decision_is_shown_with_other_cards_of_its_street(view):
    report = report_cards(view, "x:x:Kd:x:b10")
    assert report.before.path == "x:x"
    assert report.chosen == parse_card("Kd")
    row = next(row for row in report.rows if row.node.path == "x:x:Kd:x:b10")
    assert row.name == "Kd Kh"
    assert {row.node.path.split(":", 3)[-1] for row in report.rows} == {"x:b10"}


def test_equity_is_realized_alike_however_evs_count(view):
    whole, net = (report_cards(PartView(view, Part(), is_net), "x:b10:c") for is_net in (0, 1))
    for row, other in zip(cards_sheet(whole).rows, cards_sheet(net).rows, strict=True):
        assert row[-1] == pytest.approx(other[-1])
        assert row[-3] != other[-3]


def test_a_line_without_cards_is_refused(view):
    with pytest.raises(TreeError, match="path 'x': no card is dealt there or on the way"):
        report_cards(view, "x")


# --------------------------------------------------------------------------------------------------
# Parts of a range, by range text and by hand class.


BOARD = parse_cards("Qs7h2h")


def flop_of_test_selection(**changes):
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
    node = flop_of_test_selection()
    sets = class_factors(node, parse_class_choice("sets"))
    assert sets[parse_combo("QdQc")] == 1.0
    assert sets[parse_combo("AhAs")] == 0.0
    others = class_factors(node, parse_class_choice("-sets,-flush-draws"))
    assert others[parse_combo("QdQc")] == 0.0
    assert others[parse_combo("AhKh")] == 0.0
    assert others[parse_combo("AsAd")] == 1.0


def test_there_are_no_classes_before_the_flop_of_test_selection():
    with pytest.raises(CardError, match="hand classes: hands have none before the flop"):
        class_factors(
            flop_of_test_selection(hand_space=HandSpace.HANDS), parse_class_choice("sets")
        )


def test_a_range_chooses_combos_or_shares_of_hands():
    chosen = Range("AA,AhKh,QQ:0.5")
    factors = range_factors(flop_of_test_selection(), chosen)
    assert factors[parse_combo("AsAd")] == 1.0
    assert factors[parse_combo("QdQc")] == 0.5
    assert factors[parse_combo("KdKc")] == 0.0
    by_hand = range_factors(flop_of_test_selection(hand_space=HandSpace.HANDS), chosen)
    names = HandSpace.HANDS.names
    assert [by_hand[names.index(name)] for name in ("AA", "AKs", "QQ")] == [1.0, 0.25, 0.5]


def test_means_of_a_part_are_those_of_its_hands():
    node = flop_of_test_selection()
    factors = range_factors(node, Range("KK,QQ:0.5"))
    part = select_hands(node, 1, factors)
    deals = node.deals(1) * factors
    assert part.range_ev(1) == pytest.approx(np.nansum(deals * node.ev[1]) / deals.sum())
    bets = np.nansum(deals * node.strategy[1]) / deals.sum()
    assert part.frequency() == pytest.approx([1.0 - bets, bets])
    assert part.combos(1) == pytest.approx((node.weights[1] * factors).sum())
    assert not part.is_held[1, parse_combo("AsAd")]


def test_the_opponent_of_a_part_stays_as_it_is():
    node = flop_of_test_selection()
    part = select_hands(node, 1, range_factors(node, Range("KK")))
    assert part.range_ev(0) == node.range_ev(0)
    assert part.combos(0) == node.combos(0)


def test_a_whole_is_cut_into_parts_that_add_up():
    node = flop_of_test_selection()
    chosen = parse_class_choice("sets")
    inside = class_factors(node, chosen)
    parts = [select_hands(node, 1, factors) for factors in (inside, 1.0 - inside)]
    assert sum(part.combos(1) for part in parts) == pytest.approx(node.combos(1))
    weights = [part.deals(1).sum() for part in parts]
    mean = np.average([part.range_ev(1) for part in parts], weights=weights)
    assert mean == pytest.approx(node.range_ev(1))
