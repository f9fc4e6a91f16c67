import io

import numpy as np
import pytest
from rich.console import Console

from runout.abstraction import BucketBoundaries, CardAbstraction, Street, StrengthFeature
from runout.abstraction.bucket_statistics import BucketStatistics
from runout.cli.bucket_summary import summarize, summary_table

FLOP_STATISTICS = BucketStatistics(
    population=np.array([10, 30, 20]),
    lowest=np.array([0.1, 0.3, 0.6]),
    mean=np.array([0.15, 0.4, 0.7]),
    highest=np.array([0.2, 0.5, 0.6]),
)


@pytest.fixture
def summaries():
    inner = np.array([0.25, 0.5])
    abstraction = CardAbstraction(
        BucketBoundaries(inner, inner, inner[:1], (3, 4, 5)),
        StrengthFeature.EHS2,
        {Street.TURN: np.zeros(13_960_050, dtype=np.uint16)},
        {Street.FLOP: FLOP_STATISTICS},
        {"supported": {"flop": 2}},
    )
    return summarize(abstraction)


def test_counts_are_those_of_each_street(summaries):
    assert [summary.street for summary in summaries] == ["flop", "turn", "river"]
    assert [summary.requested for summary in summaries] == [3, 4, 5]
    assert [summary.effective for summary in summaries] == [3, 3, 2]
    assert [summary.supported for summary in summaries] == [2, None, None]
    assert [summary.has_table for summary in summaries] == [False, True, False]


def test_contents_are_summed_up(summaries):
    contents = summaries[0].contents
    assert (contents.smallest, contents.median, contents.largest) == (10, 20.0, 30)
    assert contents.max_spread == pytest.approx(0.2)
    assert contents.mean_spread == pytest.approx((10 * 0.1 + 30 * 0.2 + 20 * 0.0) / 60)
    assert summaries[1].contents is None


def test_json_names_the_same_facts(summaries):
    flop = summaries[0].to_json()
    assert flop["num_effective"] == 3
    assert flop["deals_in_bucket"] == {"smallest": 10, "median": 20.0, "largest": 30}
    assert flop["strength_spread_in_bucket"]["max"] == pytest.approx(0.2)
    assert summaries[2].to_json()["deals_in_bucket"] is None


def test_the_table_has_a_column_for_each_street(summaries):
    file = io.StringIO()
    Console(file=file, width=80).print(summary_table(summaries))
    lines = [line.rstrip() for line in file.getvalue().splitlines()]
    assert lines[0].split() == ["flop", "turn", "river"]
    cells = {line[:24].strip(): line[24:].split() for line in lines[1:]}
    assert cells["buckets requested"] == ["3", "4", "5"]
    assert cells["buckets supported"] == ["2", "-", "-"]
    assert cells["deals in the largest"] == ["30", "-", "-"]
    assert cells["spread of strength, max"] == ["20.000%", "-", "-"]
