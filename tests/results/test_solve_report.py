import numpy as np
import pytest

from runout.results.solve_report import (
    ExploitabilityMeaning,
    FlopReport,
    reports_from_array,
    reports_to_array,
)

REPORTS = [
    FlopReport(240, 0.00096, 0.088, 0.69, 0, ExploitabilityMeaning.OWN_GAME),
    FlopReport(1, 1.25, 1.0, 1e-6, 12_345_678_901, ExploitabilityMeaning.UPPER_BOUND),
]


def test_reports_survive_as_numbers():
    numbers = reports_to_array(REPORTS)
    assert numbers.shape == (2, 6)
    assert numbers.dtype == np.float64
    assert reports_from_array(numbers) == REPORTS


def test_counts_come_back_as_whole_numbers():
    (report,) = reports_from_array(reports_to_array(REPORTS[:1]))
    assert type(report.iterations) is int
    assert type(report.num_deals) is int


@pytest.mark.parametrize("number", [-1.0, 3.0, 0.5, np.nan])
def test_a_meaning_that_nobody_wrote_is_refused(number):
    numbers = reports_to_array(REPORTS)
    numbers[0, -1] = number
    with pytest.raises(ValueError, match="is no meaning"):
        reports_from_array(numbers)


@pytest.mark.parametrize("meaning", ExploitabilityMeaning)
def test_every_meaning_is_explained_in_a_line(meaning):
    assert 10 < len(meaning.explanation) < 80
