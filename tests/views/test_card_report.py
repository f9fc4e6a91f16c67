"""All cards of a node side by side."""

import numpy as np
import pytest

from runout.cards.card import parse_card
from runout.errors import TreeError
from runout.execution.workplace import Workplace
from runout.pipeline.spot import solve_spot
from runout.views.card_report import report_cards
from runout.views.spot_bundle import load_spot


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
        workplace=Workplace(1),
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


def test_a_line_without_cards_is_refused(view):
    with pytest.raises(TreeError, match="path 'x': no card is dealt there or on the way"):
        report_cards(view, "x")
