import numpy as np
import pytest

from runout.cards.card import parse_board
from runout.cards.combos import combo_cards, combo_index, live_combos
from runout.cards.evaluator import evaluate
from runout.views.flop_rows import LineValues, ReportLine, line_values, nut_hands, range_costs
from tests.views.small_reports import KEYS, ROOT_LINE


@pytest.fixture(scope="module")
def node():
    from runout.pipeline.spot import solve_spot

    return solve_spot(board="AhKd7s", **KEYS).view.node("x")


def test_a_line_comes_back_from_json():
    assert ReportLine.from_json(ROOT_LINE.to_json()) == ROOT_LINE


@pytest.mark.parametrize("size_cost", [(), (float("nan"), 0.5, 0.25)])
def test_values_come_back_from_an_array(size_cost):
    values = LineValues(
        3.5, (1.0, 2.0), (0.25, 0.75), (0.1, 0.2), (0.5, 0.5, 0.0), (1, 2, 3), size_cost
    )
    read = LineValues.from_array(values.to_array(), 3)
    assert read.to_array().tobytes() == values.to_array().tobytes()
    assert len(read.size_cost) == len(size_cost)


def test_an_array_of_another_line_is_refused():
    with pytest.raises(ValueError, match="a line of 2 actions has no 12 numbers"):
        LineValues.from_array(np.zeros(12), 2)


def test_values_are_those_of_the_node(node):
    values = line_values(node)
    assert values.ev == (node.range_ev(0), node.range_ev(1))
    assert values.equity == (node.range_equity(0), node.range_equity(1))
    assert values.frequency == tuple(node.frequency().tolist())
    assert values.deals == pytest.approx(node.deals(1).sum())


def test_costs_mixed_as_the_range_plays_would_be_nothing_if_all_hands_played_alike(node):
    """Each hand's EV is the mix of its actions' EVs, so costs weighted by hand add up to 0."""
    deals = node.deals(node.actor)
    lost = node.ev[node.actor] - node.action_ev
    mixed = np.nansum(deals * node.strategy * lost) / deals.sum()
    assert mixed == pytest.approx(0.0, abs=1e-4)
    by_hand = [np.nansum(deals * row) / deals.sum() for row in lost]
    assert range_costs(node) == pytest.approx(by_hand, abs=1e-4)


@pytest.mark.parametrize("text", ["AhKd7s", "9h6h2h", "8s8d8c"])
def test_nuts_are_the_best_twentieth_and_what_is_as_good(text):
    board = parse_board(text)
    is_nuts = nut_hands(board)
    live = live_combos(board)
    score = {int(c): evaluate([*board, *combo_cards(int(c))]) for c in live}
    best = sorted(score.values(), reverse=True)
    worst = best[-(-len(live) // 20) - 1]
    assert {c for c in score if is_nuts[c]} == {c for c, s in score.items() if s >= worst}
    assert is_nuts.sum() >= len(live) / 20
    blocked = combo_index(board[0], board[1])
    assert not is_nuts[blocked]
