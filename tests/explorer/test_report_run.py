import pytest

from runout.errors import BundleError
from runout.explorer.report_run import ReportRun


@pytest.fixture
def report(explorer, ids):
    return ReportRun.open(explorer.library.get(ids["flop_report"]))


def test_a_row_has_what_the_page_shows(report):
    answer = report.report("")
    assert (answer["path"], answer["choices"]) == ("root", ["root", "x:x"])
    row = answer["flops"][0]
    assert (row["flop"], row["share"], row["high"]) == ("AhKd7s", pytest.approx(0.5), "A high")
    assert [action["frequency"] for action in row["actions"]] == [0.2, 0.3, 0.5]
    assert (row["ev"], row["equity"], row["eqr"]) == ([12.0, 8.0], [0.5, 0.5], [1.2, 0.8])
    assert row["more"] == {
        "nuts_oop": 0.25,
        "nuts_ip": 0.125,
        "cost_x": 0.5,
        "cost_b10": 1.0,
        "cost_b20": 2.0,
    }


def test_a_line_without_values_has_none(report):
    row = report.report("x:x")["flops"][2]
    assert (row["ev"], row["share"], row["actions"]) == ([None, None], 0.0, [])
    assert report.report("x:x")["flops"][1]["more"]["reach"] == 0.25


def test_a_kept_flop_is_linked(report, ids):
    links = [row["run"] for row in report.report("")["flops"]]
    assert links == [None, None, ids["Td9d6h"]]


def test_it_says_how_much_is_solved(report):
    assert report.title == "3 flops, a spot"
    assert report.note == "3 of 4 flops are solved"
    assert report.quality.exploitability == 0.004


def test_a_line_that_was_not_looked_at_is_refused(report):
    with pytest.raises(BundleError, match="is not in this report, it has root, x:x"):
        report.report("b10")
