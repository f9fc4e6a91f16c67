import pickle
from dataclasses import replace

import numpy as np
import pytest

from runout.cards.card import parse_board
from runout.cards.flops import all_flops, explicit_flops
from runout.equity.versus import compare_ranges
from runout.events import FlopReported
from runout.execution.cancel import CancelledError, CancelToken
from runout.execution.tasks import Worker
from runout.execution.workplace import Workplace
from runout.pipeline.flop_report import ReportJob, collect_report, report_flops
from runout.pipeline.report_plan import ReportPlan
from runout.pipeline.spot import solve_spot
from runout.views.flop_rows import line_values
from runout.views.spot_bundle import load_spot
from tests.views.small_reports import KEYS

FLOPS = explicit_flops(["AhKd7s", "Th9h6c", "8s8d3c"])


def make(paths=("root", "x"), flops=FLOPS, **options):
    keys = {key: options.pop(key) for key in list(options) if key in (*KEYS, "rivers")}
    return ReportPlan.make(None, KEYS | keys, flops, paths, **options)


def has_same_numbers(one, other):
    return one.to_array().tobytes() == other.to_array().tobytes()


@pytest.fixture(scope="module")
def plan():
    return make()


@pytest.fixture(scope="module")
def rows(plan):
    return {row.flop: row for row in report_flops(plan, Workplace(2))}


def test_rows_are_those_of_single_solves(rows):
    for flop, row in rows.items():
        solution = solve_spot(board=flop, workplace=Workplace(1), **KEYS)
        for path, values in zip(("", "x"), row.lines, strict=True):
            assert has_same_numbers(values, line_values(solution.view.node(path)))
        assert row.exploitability_pot == solution.exploitability_pot
        assert row.iterations == solution.outcome.iterations == 10


def test_what_carries_out_a_report_can_travel(plan, rows):
    job = pickle.loads(pickle.dumps(ReportJob.of(plan)))
    result = job.run("Th9h6c", Worker())
    for number, values in enumerate(rows["Th9h6c"].lines):
        assert result.arrays[f"line{number}"].tobytes() == values.to_array().tobytes()


def test_a_report_that_is_cancelled_keeps_what_is_finished(plan, rows, tmp_path):
    cancel = CancelToken()

    def note(event):
        if isinstance(event, FlopReported):
            cancel.set()

    found = []
    with pytest.raises(CancelledError):
        found.extend(report_flops(plan, Workplace(1, note, tmp_path, cancel=cancel)))
    told = []
    again = {row.flop: row for row in report_flops(plan, Workplace(2, told.append, tmp_path))}
    (finished,) = found
    assert again[finished.flop] == finished  # seconds and all: it was not solved again
    assert [event.num_done for event in told if isinstance(event, FlopReported)] == [1, 2, 3]
    for flop, row in rows.items():
        assert replace(again[flop], seconds=0.0) == replace(row, seconds=0.0)


def test_a_report_has_its_flops_in_order(plan, rows):
    report = collect_report(plan, list(rows.values())[::-1])
    assert [row.flop for row in report.rows] == ["AhKd7s", "Th9h6c", "8s8d3c"]
    table = report.table()
    everything = table.everything()
    total = sum(table.column(key).mean(everything) for key in ("ev_oop", "ev_ip"))
    assert total == pytest.approx(20.0, abs=1e-3)


def test_kept_flops_can_be_looked_at(tmp_path):
    plan = make(flops=explicit_flops(["Th9h6c"]), spots=tmp_path / "spots")
    (row,) = report_flops(plan, Workplace(1))
    node = load_spot(tmp_path / "spots" / "Th9h6c").node("x")
    assert row.lines[1].frequency == pytest.approx(node.frequency().tolist(), abs=1e-3)


def test_one_size_costs_what_the_spot_with_it_is_worth_less():
    sizes = {"flop": "25%, 50%", "turn": [], "river": []}
    plan = make(flops=explicit_flops(["Th9h6c"]), bet_sizes=sizes, has_size_costs=True)
    (row,) = report_flops(plan, Workplace(1))
    only = sizes | {"flop": {"oop": "25%", "ip": "25%, 50%"}}
    full, small = (
        solve_spot(board="Th9h6c", workplace=Workplace(1), **(KEYS | {"bet_sizes": chosen}))
        for chosen in (sizes, only)
    )
    lost = full.view.node().range_ev(0) - small.view.node().range_ev(0)
    check, first, second = row.lines[0].size_cost
    assert np.isnan(check)
    assert first == lost
    assert not np.isnan(second)


def check_down(flops):
    """Returns the table of a spot without bets, and the weights of its ranges."""
    plan = make(("root",), flops, oop="AA,76s,KQo", ip="QQ,AKs", bet_sizes=[], max_iterations=1)
    table = collect_report(plan, list(report_flops(plan, Workplace(2)))).table()
    for values in table.values:
        assert values.ev[0] == pytest.approx(20.0 * values.equity[0], abs=1e-3)
    return table, [held.weights for held in plan.spot.ranges()]


def test_a_flop_that_is_checked_down_is_worth_its_equity():
    table, ranges = check_down(explicit_flops(["AhKd7s", "QsQd2d", "7h6h5h"]))
    for row, values in zip(table.rows, table.values, strict=True):
        exact = compare_ranges(*ranges, parse_board(row.flop))
        assert values.equity[0] == pytest.approx(exact.equity, abs=1e-9)
        assert row.deals == pytest.approx(exact.matchups)


@pytest.mark.slow
def test_all_flops_checked_down_are_worth_the_equity_before_the_flop():
    table, ranges = check_down(all_flops())
    mean = table.column("equity_oop").mean(table.everything())
    assert mean == pytest.approx(compare_ranges(*ranges).equity, abs=1e-9)
    ev = table.column("ev_oop").mean(table.everything())
    assert ev == pytest.approx(20.0 * mean, abs=1e-3)
