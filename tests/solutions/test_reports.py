"""Tests of `runout.solutions.reports`."""

import math

import numpy as np
import pytest

from runout.cards.deck import combo_cards, combo_index, live_combos, parse_board
from runout.cards.evaluator import evaluate
from runout.cards.flops import TextureKind
from runout.solutions.reports import (
    FilterError,
    ReportLine,
    choose_flops,
    line_values,
    nut_hands,
    range_costs,
    split_values,
)
from tests.samples.small_reports import KEYS, ROOT_LINE, make_report


@pytest.fixture(scope="module")
def node():
    from runout.runs.spot import solve_spot

    return solve_spot(board="AhKd7s", **KEYS).view.node("x")


def test_a_line_comes_back_from_json():
    assert ReportLine.from_json(ROOT_LINE.to_json()) == ROOT_LINE


def test_an_array_of_another_line_is_refused():
    with pytest.raises(ValueError, match="a line of 2 actions has no 12 numbers"):
        split_values(np.zeros(12), 2)


def test_values_are_those_of_the_node(node):
    costs = [math.nan, 0.5, 0.25][: len(node.actions)]
    values = split_values(line_values(node, costs), len(node.actions))
    assert values["ev"].tolist() == [node.range_ev(0), node.range_ev(1)]
    assert values["equity"].tolist() == [node.range_equity(0), node.range_equity(1)]
    assert values["frequency"].tolist() == node.frequency().tolist()
    assert values["cost"].tolist() == list(range_costs(node))
    assert values["size_cost"].tolist() == pytest.approx(costs, nan_ok=True)
    assert values["deals"] == pytest.approx(node.deals(1).sum())
    assert values.keys() == split_values(line_values(node), len(node.actions)).keys()


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


@pytest.fixture
def table():
    return make_report().table()


def test_a_flop_counts_as_often_as_it_comes_between_the_ranges(table):
    # 0.5 * 100, 0.25 * 40, 0.25 * 160: 50, 10 and 40 of 100
    assert table.weights.tolist() == pytest.approx([0.5, 0.1, 0.4])
    everything = table.everything()
    assert table.column("ev_oop").mean(everything) == pytest.approx(6.0 + 0.8 + 4.0)
    assert table.column("freq_x").mean(everything) == pytest.approx(0.1 + 0.06 + 0.4)
    assert table.column("weight").mean(everything) == pytest.approx(1.0)
    assert table.column("seconds").mean(everything) == pytest.approx(4.5)


def test_realized_equity_of_all_is_no_mean_of_ratios(table):
    everything = table.everything()
    ev, equity = (table.column(key).mean(everything) for key in ("ev_ip", "equity_ip"))
    assert table.column("eqr_ip").mean(everything) == pytest.approx(ev / (20.0 * equity))
    assert table.column("eqr_oop").values.tolist() == pytest.approx([1.2, 0.8, 1.0])


def test_later_lines_count_the_deals_that_get_there():
    table = make_report().table("x:x")
    assert table.weights.tolist() == pytest.approx([50 / 52.5, 2.5 / 52.5, 0.0])
    assert table.column("reach").values.tolist() == pytest.approx([1.0, 0.25, 0.0])
    assert table.column("reach").mean(table.everything()) == pytest.approx(0.525)
    # What is never played has no value, and does not count.
    expected = (50 * 13.0 + 2.5 * 9.0) / 52.5
    assert table.column("ev_oop").mean(table.everything()) == pytest.approx(expected)
    last = np.array([False, False, True])
    assert math.isnan(table.column("ev_oop").mean(last))


def test_groups_share_all_flops(table):
    for kind in TextureKind:
        groups = table.groups(kind, table.everything())
        total = sum(table.column("weight").mean(is_in) for _, is_in in groups)
        assert total == pytest.approx(1.0)
    names = [label for label, _ in table.groups(TextureKind.HIGH, table.everything())]
    assert names == ["A high", "9 high", "8 high"]


@pytest.mark.parametrize(
    ("filters", "flops"),
    [
        ([], ["AhKd7s", "9h6h2h", "8s8d3c"]),
        (["suits=monotone"], ["9h6h2h"]),
        (["suits=rainbow"], ["AhKd7s", "8s8d3c"]),
        (["suits=rainbow", "pairing=unpaired"], ["AhKd7s"]),
        (["high=A,9"], ["AhKd7s", "9h6h2h"]),
        (["high= a high , 8"], ["AhKd7s", "8s8d3c"]),
        (["connected=disconnected"], ["AhKd7s", "9h6h2h", "8s8d3c"]),
        (["pairing=trips"], []),
    ],
)
def test_filters_choose_flops_by_texture(table, filters, flops):
    chosen = choose_flops(table, filters)
    assert [row.flop for row, is_in in zip(table.rows, chosen, strict=True) if is_in] == flops


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("suits", "is no filter, write suits=monotone"),
        ("suits=", "is no filter"),
        ("suit=monotone", "'suit' is none of high, suits, pairing, connected"),
        ("suits=monoton", "'monoton' is no value of suits, use some of rainbow, two-tone"),
        ("high=1", "'1' is no value of high, use some of A, K"),
    ],
)
def test_filters_that_say_nothing_are_refused(table, text, problem):
    with pytest.raises(FilterError, match=problem):
        choose_flops(table, [text])


@pytest.mark.parametrize(
    ("key", "flops"),
    [
        ("flop", ["AhKd7s", "9h6h2h", "8s8d3c"]),
        ("-flop", ["8s8d3c", "9h6h2h", "AhKd7s"]),
        ("weight", ["AhKd7s", "8s8d3c", "9h6h2h"]),
        ("b10", ["9h6h2h", "AhKd7s", "8s8d3c"]),
        ("ev-oop", ["AhKd7s", "8s8d3c", "9h6h2h"]),
        ("-ev_oop", ["9h6h2h", "8s8d3c", "AhKd7s"]),
    ],
)
def test_flops_are_sorted_by_any_column(table, key, flops):
    assert [table.rows[number].flop for number in table.order(key)] == flops


def test_columns_and_lines_that_are_not_there_are_refused(table):
    with pytest.raises(FilterError, match=r"sort: 'b99' is no column, use one of flop, share"):
        table.order("b99")
    with pytest.raises(FilterError, match="is not in this report, it has root, x:x"):
        make_report().table("x")
    assert make_report().table("x-x").line.path == "x:x"
