import numpy as np

from runout.results.solve_report import FlopReport, reports_from_array, reports_to_array

REPORTS = [
    FlopReport(240, 0.00096, 0.088, 0.69, 0),
    FlopReport(1, 1.25, 1.0, 1e-6, 12_345_678_901),
]


def test_reports_survive_as_numbers():
    numbers = reports_to_array(REPORTS)
    assert numbers.shape == (2, 5)
    assert numbers.dtype == np.float64
    assert reports_from_array(numbers) == REPORTS


def test_counts_come_back_as_whole_numbers():
    (report,) = reports_from_array(reports_to_array(REPORTS[:1]))
    assert type(report.iterations) is int
    assert type(report.num_deals) is int
