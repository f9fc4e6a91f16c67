import pytest

from runout.cli.forecast import Forecast, Standing
from runout.cli.progress_lines import SolveLines
from runout.cli.solve_progress import SolveTracker
from runout.events import PreflopSolving, SpotSolving


def standing(*facts, **more):
    told = event(*facts, **more)
    return Standing(
        told.iteration,
        told.max_iterations,
        told.exploitability_chips,
        told.target_chips,
        told.seconds,
        told.max_seconds,
    )


def event(iteration, chips=None, target=1.0, seconds=None, max_seconds=None, max_iterations=1000):
    at = iteration / 10 if seconds is None else seconds
    return SpotSolving(iteration, max_iterations, chips, target, 100.0, at, max_seconds)


def test_a_fall_like_one_over_iterations_is_continued():
    forecast = Forecast()
    assert forecast.seconds_left(standing(10, 20.0)) == 0.0
    assert forecast.seconds_left(standing(20, 10.0)) == pytest.approx((200 - 20) / 10)
    assert forecast.seconds_left(standing(100, 2.0)) == pytest.approx((200 - 100) / 10)


def test_without_a_target_all_iterations_are_left():
    forecast = Forecast()
    forecast.seconds_left(standing(10, target=None))
    assert forecast.seconds_left(standing(20, target=None)) == pytest.approx(98.0)


@pytest.mark.parametrize("chips", [20.0, 25.0, 19.9])
def test_what_hardly_falls_is_expected_to_need_all_iterations(chips):
    forecast = Forecast()
    forecast.seconds_left(standing(10, 20.0))
    assert forecast.seconds_left(standing(20, chips)) == pytest.approx(98.0)


def test_no_more_time_is_left_than_there_is():
    forecast = Forecast()
    forecast.seconds_left(standing(10, target=None, max_seconds=5.0))
    assert forecast.seconds_left(standing(20, target=None, max_seconds=5.0)) == pytest.approx(3.0)


def test_compiling_before_the_first_event_says_nothing():
    forecast = Forecast()
    forecast.seconds_left(standing(10, target=None, seconds=60.0))
    assert forecast.seconds_left(standing(20, target=None, seconds=61.0)) == pytest.approx(98.0)


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


def test_a_preflop_bar_says_at_most_until_the_fall_is_known():
    tracker = SolveTracker()

    def bar(iteration, mbb):
        told = PreflopSolving(0, iteration, 1000, mbb, 4.0, iteration / 10, None)
        return tracker.note(told).bars[0]

    assert bar(1, None).seconds_left is None
    assert (bar(20, None).is_at_most, bar(25, 40.0).is_at_most) == (True, True)
    known = bar(50, 20.0)
    assert not known.is_at_most
    assert known.seconds_left == pytest.approx((250 - 50) / 10)
