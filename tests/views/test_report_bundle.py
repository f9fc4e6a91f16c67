import pytest

from runout.errors import BundleError
from runout.views.report_bundle import load_report, quality_of_report, save_report
from tests.views.small_reports import make_report


def test_a_report_comes_back_as_it_was(tmp_path):
    report = make_report()
    save_report(tmp_path, report, "pot: 20\n", "a" * 64)
    read, bundle = load_report(tmp_path)
    assert bundle.config_text == "pot: 20\n"
    assert (read.title, read.lines, read.num_flops) == (report.title, report.lines, 4)
    for one, other in zip(report.rows, read.rows, strict=True):
        for a, b in zip(one.lines, other.lines, strict=True):
            assert a.to_array().tobytes() == b.to_array().tobytes()
        assert (one.flop, one.share, one.seconds) == (other.flop, other.share, other.seconds)


def test_the_worst_flop_says_how_well_all_are_solved(tmp_path):
    save_report(tmp_path, make_report(), "", "a" * 64)
    report, _ = load_report(tmp_path)
    quality = quality_of_report(report)
    assert (quality.exploitability, quality.iterations, quality.seconds) == (0.004, 50, 4.5)


def test_what_is_no_report_is_refused(tmp_path):
    with pytest.raises(BundleError, match="does not exist"):
        load_report(tmp_path / "nothing")
