import pytest

from runout.cli.progress_lines import SolveLines
from runout.cli.solve_progress import SolveTracker
from runout.cli.spot_forecast import SpotForecast
from runout.events import SpotSolving


def event(iteration, chips=None, target=1.0, seconds=None, max_seconds=None, max_iterations=1000):
    at = iteration / 10 if seconds is None else seconds
    return SpotSolving(iteration, max_iterations, chips, target, 100.0, at, max_seconds)


def test_a_fall_like_one_over_iterations_is_continued():
    forecast = SpotForecast()
    assert forecast.seconds_left(event(10, 20.0)) == 0.0
    assert forecast.seconds_left(event(20, 10.0)) == pytest.approx((200 - 20) / 10)
    assert forecast.seconds_left(event(100, 2.0)) == pytest.approx((200 - 100) / 10)


def test_without_a_target_all_iterations_are_left():
    forecast = SpotForecast()
    forecast.seconds_left(event(10, target=None))
    assert forecast.seconds_left(event(20, target=None)) == pytest.approx(98.0)


@pytest.mark.parametrize("chips", [20.0, 25.0, 19.9])
def test_what_hardly_falls_is_expected_to_need_all_iterations(chips):
    forecast = SpotForecast()
    forecast.seconds_left(event(10, 20.0))
    assert forecast.seconds_left(event(20, chips)) == pytest.approx(98.0)


def test_no_more_time_is_left_than_there_is():
    forecast = SpotForecast()
    forecast.seconds_left(event(10, target=None, max_seconds=5.0))
    assert forecast.seconds_left(event(20, target=None, max_seconds=5.0)) == pytest.approx(3.0)


def test_compiling_before_the_first_event_says_nothing():
    forecast = SpotForecast()
    forecast.seconds_left(event(10, target=None, seconds=60.0))
    assert forecast.seconds_left(event(20, target=None, seconds=61.0)) == pytest.approx(98.0)


def test_the_bar_shows_exploitability_in_chips_and_of_the_pot():
    tracker = SolveTracker()
    (bar,) = tracker.note(event(10)).bars
    assert (bar.title, bar.done, bar.total, bar.detail) == ("Spot", 10, 1000, "")
    (bar,) = tracker.note(event(20, 2.5)).bars
    assert bar.detail == "2.5 chips, 2.50% of the pot"


def test_files_get_a_line_now_and_then():
    times = iter([0.0, 5.0, 11.0, 11.0])
    lines = SolveLines(lambda: next(times))
    assert lines.lines(event(5, 40.0)) == ["solving the spot, at most 1,000 iterations"]
    assert lines.lines(event(10, 20.0)) == []
    (line,) = lines.lines(event(20, 10.0))
    assert line == "Spot: 20/1,000, 10 chips, 10.00% of the pot, about 18.0 s left"
