"""Tests of `runout.runs.report`."""

import math
import pickle

import numpy as np
import pytest

import runout
from runout.cards.deck import combo_cards, parse_board
from runout.cards.flops import all_flops, explicit_flops
from runout.cards.ranges import Range
from runout.equity.matchups import equity
from runout.errors import ConfigError, FlopListError, TreeError
from runout.events import FlopReported
from runout.execution.context import RunContext
from runout.execution.tasks import CancelledError, CancelToken, Worker
from runout.runs.report import ReportPlan, collect_report, count_deals, report_flops
from runout.runs.spot import solve_spot
from runout.solutions.flop_bundles import load_spot
from runout.solutions.reports import line_values, load_report, split_values
from tests.samples.small_reports import KEYS

FLOPS = explicit_flops(["AhKd7s", "Th9h6c", "8s8d3c"])


def make(paths=("root", "x"), flops=FLOPS, **options):
    keys = {key: options.pop(key) for key in list(options) if key in (*KEYS, "rivers")}
    return ReportPlan.make(None, KEYS | keys, flops, paths, **options)


def has_same_numbers(one, other):
    return one.tobytes() == other.tobytes()


@pytest.fixture(scope="module")
def plan():
    return make()


@pytest.fixture(scope="module")
def rows(plan):
    return {row.flop: row for row in report_flops(plan, RunContext(2))}


def test_rows_are_those_of_single_solves(rows):
    for flop, row in rows.items():
        solution = solve_spot(board=flop, context=RunContext(1), **KEYS)
        for path, values in zip(("", "x"), row.lines, strict=True):
            assert has_same_numbers(values, line_values(solution.view.node(path)))
        assert row.exploitability_pot == solution.exploitability_pot
        assert row.iterations == solution.outcome.iterations == 10


def test_what_carries_out_a_report_can_travel(plan, rows):
    job = pickle.loads(pickle.dumps(plan))
    result = job.run("Th9h6c", Worker())
    for number, values in enumerate(rows["Th9h6c"].lines):
        assert result.arrays[f"line{number}"].tobytes() == values.tobytes()


def test_a_report_that_is_cancelled_keeps_what_is_finished(plan, rows, tmp_path):
    cancel = CancelToken()

    def note(event):
        if isinstance(event, FlopReported):
            cancel.set()

    found = []
    with pytest.raises(CancelledError):
        found.extend(report_flops(plan, RunContext(1, note, tmp_path, cancel=cancel)))
    told = []
    again = {row.flop: row for row in report_flops(plan, RunContext(2, told.append, tmp_path))}
    (finished,) = found
    assert again[finished.flop][:-1] == finished[:-1]  # seconds and all: it was not solved again
    assert [event.num_done for event in told if isinstance(event, FlopReported)] == [1, 2, 3]
    for flop, row in rows.items():
        assert again[flop][:5] == row[:5]  # all but seconds
        assert all(map(has_same_numbers, again[flop].lines, row.lines))


def test_a_report_has_its_flops_in_order(plan, rows):
    report = collect_report(plan, list(rows.values())[::-1])
    assert [row.flop for row in report.rows] == ["AhKd7s", "Th9h6c", "8s8d3c"]
    table = report.table()
    everything = table.everything()
    total = sum(table.column(key).mean(everything) for key in ("ev_oop", "ev_ip"))
    assert total == pytest.approx(20.0, abs=1e-3)


def test_kept_flops_can_be_looked_at(tmp_path):
    plan = make(flops=explicit_flops(["Th9h6c"]), spots=tmp_path / "spots")
    (row,) = report_flops(plan, RunContext(1))
    node = load_spot(tmp_path / "spots" / "Th9h6c").node("x")
    frequency = split_values(row.lines[1], len(node.actions))["frequency"]
    assert frequency == pytest.approx(node.frequency().tolist(), abs=1e-3)


def test_a_report_from_python_is_kept_and_resumed(tmp_path, monkeypatch):
    found = runout.report(KEYS, flops=["Th9h6c", "AhKd7s"], directory=tmp_path)
    frame = found.to_dataframe("x")
    assert frame["flop"].tolist() == ["Th9h6c", "AhKd7s"]
    assert frame["weight"].sum() == pytest.approx(1.0)
    assert repr(found).startswith("<FlopsReport 2 of 2 flops, lines root, x")
    monkeypatch.setattr(ReportPlan, "run", None)  # nothing is solved again
    again = runout.report(KEYS, flops=["Th9h6c", "AhKd7s"], directory=tmp_path)
    kept = load_report(tmp_path)
    for one, other in zip(again.rows, kept.rows, strict=True):
        assert [line.tobytes() for line in one.lines] == [line.tobytes() for line in other.lines]


def test_one_size_costs_what_the_spot_with_it_is_worth_less():
    sizes = {"flop": "25%, 50%", "turn": [], "river": []}
    plan = make(flops=explicit_flops(["Th9h6c"]), bet_sizes=sizes, has_size_costs=True)
    (row,) = report_flops(plan, RunContext(1))
    only = sizes | {"flop": {"oop": "25%", "ip": "25%, 50%"}}
    full, small = (
        solve_spot(board="Th9h6c", context=RunContext(1), **(KEYS | {"bet_sizes": chosen}))
        for chosen in (sizes, only)
    )
    lost = full.view.node().range_ev(0) - small.view.node().range_ev(0)
    check, first, second = split_values(row.lines[0], 3)["size_cost"]
    assert np.isnan(check)
    assert first == lost
    assert not np.isnan(second)


def check_down(flops):
    """Returns the table of a spot without bets, and the weights of its ranges."""
    plan = make(("root",), flops, oop="AA,76s,KQo", ip="QQ,AKs", bet_sizes=[], max_iterations=1)
    table = collect_report(plan, list(report_flops(plan, RunContext(2)))).table()
    values = table.values
    assert values["ev"][:, 0] == pytest.approx(20.0 * values["equity"][:, 0], abs=1e-3)
    return table, [held.weights for held in plan.spot.ranges()]


def test_a_flop_that_is_checked_down_is_worth_its_equity():
    table, ranges = check_down(explicit_flops(["AhKd7s", "QsQd2d", "7h6h5h"]))
    for row, shares in zip(table.rows, table.values["equity"], strict=True):
        exact = equity(*ranges, parse_board(row.flop))
        assert shares[0] == pytest.approx(exact.equity, abs=1e-9)
        assert row.deals == pytest.approx(exact.matchups)


@pytest.mark.slow
def test_all_flops_checked_down_are_worth_the_equity_before_the_flop():
    table, ranges = check_down(all_flops())
    mean = table.column("equity_oop").mean(table.everything())
    assert mean == pytest.approx(equity(*ranges).equity, abs=1e-9)
    ev = table.column("ev_oop").mean(table.everything())
    assert ev == pytest.approx(20.0 * mean, abs=1e-3)


FLOPS_TEST_REPORT_PLAN = explicit_flops(["AhKd7s", "Th9h6c"])


def make_of_test_report_plan(
    paths=("root",), flops=FLOPS_TEST_REPORT_PLAN, source=None, has_size_costs=False, **keys
):
    return ReportPlan.make(source, KEYS | keys, flops, paths, has_size_costs=has_size_costs)


@pytest.mark.parametrize(("oop", "ip"), [("AA", "KK"), ("22+,AKs:0.5", "A2s+,KQo")])
def test_pairs_of_combos_on_all_flops_are_those_before_the_flop(oop, ip):
    """Two hands of four cards leave 48 for a flop, whatever they are."""
    ranges = Range(oop), Range(ip)
    flops = all_flops()
    mean = float((flops.weights * count_deals(flops.names, ranges)).sum())
    before = sum(
        float(weight) * float(other)
        for first, weight in enumerate(ranges[0].weights)
        if weight
        for second, other in enumerate(ranges[1].weights)
        if other and not set(combo_cards(first)) & set(combo_cards(second))
    )
    assert mean == pytest.approx(before * math.comb(48, 3) / math.comb(52, 3), rel=1e-12)


def test_lines_are_found_on_the_tree():
    plan = make_of_test_report_plan(["root", "x", "x:b10", "x-x", ""])
    assert [line.path for line in plan.lines] == ["", "x", "x:b10", "x:x"]
    assert [line.pot for line in plan.lines] == [20.0, 20.0, 30.0, 20.0]
    assert [line.actor for line in plan.lines] == [0, 1, 0, None]
    assert [action.code for action in plan.lines[2].actions] == ["f", "c"]


def test_hands_may_have_any_weight():
    assert (
        make_of_test_report_plan(oop="AKo:0.123,KJs:0.7,99:0.3").spot.oop
        == "AKo:0.123,KJs:0.7,99:0.3"
    )


def test_flops_on_which_ranges_never_meet_are_left_out():
    plan = make_of_test_report_plan(
        flops=explicit_flops(["AhAdAs", "AhAd7s", "Th9h6c"]), oop="AA", ip="AA,KK"
    )
    assert plan.flops.names == ("AhAd7s", "Th9h6c")
    assert plan.spot.board == "AhAd7s"


@pytest.mark.parametrize(
    ("keys", "error", "problem"),
    [
        ({"paths": ["x:b99"]}, TreeError, "'b99' is not an action after 'x'"),
        ({"paths": ["x:x:8h"]}, TreeError, "has cards in it, a report stays on the flop"),
        ({"paths": ["x:b10:f"]}, TreeError, "ends with a fold"),
        ({"oop": "AhKh"}, ConfigError, "oop: tells suits apart"),
        ({"oop": "A3x"}, ConfigError, "oop"),
        ({"pot": -1}, ConfigError, "pot: -1 should be greater than or equal to 0.001"),
        ({"oop": "AA", "ip": "AA", "flops": explicit_flops(["AhAd7s"])}, FlopListError, "on none"),
        ({"has_size_costs": True}, TreeError, "no line has two sizes"),
    ],
)
def test_what_cannot_be_reported_is_refused(keys, error, problem):
    with pytest.raises(error, match=problem):
        make_of_test_report_plan(**keys)


def test_a_spot_with_a_board_is_refused(tmp_path):
    file = tmp_path / "spot.yaml"
    file.write_text("oop: AA\nboard: AhKd7s\nip: KK\npot: 20\nstack: 20\n")
    with pytest.raises(ConfigError, match="is the config of a spot"):
        make_of_test_report_plan(source=file)


def test_each_size_is_tried_alone():
    plan = make_of_test_report_plan(
        ["root", "x"],
        has_size_costs=True,
        bet_sizes={"flop": "33%, 100%", "turn": "50%", "river": "50%"},
    )
    assert [(v.player, v.code) for v in plan.variants] == [(0, "b7"), (0, "a"), (1, "b7"), (1, "a")]
    by_player = plan.variants[0].bet_sizes["flop"]
    assert by_player == {"oop": ["33%"], "ip": ["33%", "100%"]}


def test_the_digest_says_what_is_solved_and_not_where():
    plan = make_of_test_report_plan()
    assert (
        plan.spot_digest == make_of_test_report_plan(flops=explicit_flops(["Th9h6c"])).spot_digest
    )
    assert plan.spot_digest == make_of_test_report_plan(["x"], ip="T9s,QQ").spot_digest
    assert plan.spot_digest != make_of_test_report_plan(pot=21).spot_digest
    assert plan.spot_digest != make_of_test_report_plan(max_iterations=21).spot_digest
