"""Tests of `runout.cli.progress`."""

import io
import json
import math
import time

import pytest
from rich.console import Console

from runout.cli.console import showing_events
from runout.cli.progress import (
    Bar,
    Display,
    SolveTracker,
    TimeLeft,
    describe_event,
    describe_measures,
    describe_place,
    describe_solved,
)
from runout.events import (
    BucketsCapped,
    FlopFailed,
    FlopPlace,
    FlopSolved,
    FlopSolving,
    KernelCompiled,
    KernelCompiling,
    Phase,
    PhaseAdvanced,
    PhaseEnded,
    PhaseStarted,
    PreflopSolving,
    SpotSolving,
)


class Lines:
    """The lines of a display that is a file."""

    def __init__(self, clock=time.perf_counter):
        self.file = io.StringIO()
        self.display = Display(Console(file=self.file, width=200), clock=clock)

    def lines(self, event):
        """Returns the lines that an event adds."""
        before = len(self.file.getvalue())
        self.display.on_event(event)
        return self.file.getvalue()[before:].splitlines()


def event(iteration, chips=None, target=1.0, seconds=None, max_seconds=None, max_iterations=1000):
    at = iteration / 10 if seconds is None else seconds
    return SpotSolving(iteration, max_iterations, chips, target, at, max_seconds, 100.0)


def left_of(*told):
    """Returns the answers of one estimator to events, whose times have no compiling in them."""
    estimate = TimeLeft()
    return [estimate.of_game(now, now.seconds) for now in told], estimate


def test_a_fall_like_one_over_iterations_is_continued():
    left, estimate = left_of(event(10, 20.0), event(20, 10.0), event(100, 2.0))
    assert left[0] is None
    assert left[1:] == pytest.approx([(200 - 20) / 10, (260 - 100) / 10])
    assert not estimate.is_at_most


def test_a_solve_ends_only_where_exploitability_is_measured():
    """Measured every 100 iterations of 1 s: the target will be met long before it is seen."""
    told = [event(n, chips, seconds=n) for n, chips in ((1, None), (100, 8.0), (200, 1.05))]
    left, _ = left_of(*told, event(204, 1.05, seconds=204), event(290, 1.05, seconds=290))
    assert left[-3:] == pytest.approx([100.0, 96.0, 10.0])


def test_without_a_target_all_iterations_are_left():
    left, estimate = left_of(event(10, target=None), event(20, target=None))
    assert left[1] == pytest.approx(98.0)
    assert estimate.is_at_most


@pytest.mark.parametrize("chips", [20.0, 25.0, 19.9])
def test_what_hardly_falls_is_expected_to_need_all_iterations(chips):
    left, _ = left_of(event(10, 20.0), event(20, chips))
    assert left[1] == pytest.approx(98.0)


def test_no_more_time_is_left_than_there_is():
    first, last = (event(n, target=None, max_seconds=5.0) for n in (10, 20))
    left, _ = left_of(first, last)
    assert left == pytest.approx([4.0, 3.0])


def test_the_pace_is_that_of_recent_steps():
    estimate = TimeLeft()
    assert estimate.of_steps(0, 100, 5.0) is None
    assert estimate.of_steps(10, 100, 15.0) == pytest.approx(90.0)
    assert estimate.of_steps(50, 100, 19.0) == pytest.approx(50 * 4.0 / 40)
    assert estimate.of_steps(50, 100, 60.0) == pytest.approx(50 * 4.0 / 40)  # no step since


def test_compiling_says_nothing_about_what_follows():
    clock = Clock()
    tracker = SolveTracker(clock)
    tracker.note(PhaseStarted("counting", 100))
    for now, told in (
        (1.0, KernelCompiling("a")),
        (2.0, KernelCompiling("b")),
        (31.0, KernelCompiled("b", 29.0)),
        (61.0, KernelCompiled("a", 60.0)),
    ):
        clock.now = now
        tracker.note(told)
    clock.now = 70.0
    assert tracker.note(PhaseAdvanced("counting", 10, 100)).bar.seconds_left == 90.0
    assert tracker.describe_compiled() == "compiled 2 kernels in 0:01:00"


def test_the_bar_shows_exploitability_in_chips_and_of_the_pot():
    tracker = SolveTracker()
    bar = tracker.note(event(10)).bar
    assert (bar.title, bar.done, bar.total, bar.detail) == ("Spot", 10, 1000, "")
    bar = tracker.note(event(20, 2.5)).bar
    assert bar.detail == "2.5 chips, 2.50% of the pot"


def test_files_get_a_line_now_and_then():
    clock = Clock()
    lines = Lines(clock=clock)
    assert lines.lines(event(5, 40.0)) == ["Spot 5/1,000, 40 chips, 40.00% of the pot"]
    clock.now = 5.0
    assert lines.lines(event(10, 20.0)) == []
    clock.now = 11.0
    (line,) = lines.lines(event(20, 10.0))
    assert line == "Spot 20/1,000, 10 chips, 10.00% of the pot, 3 min left"


def test_a_preflop_bar_says_at_most_until_the_fall_is_known():
    clock = Clock()
    tracker = SolveTracker(clock)

    def bar(iteration, mbb):
        clock.now = iteration / 10
        told = PreflopSolving(iteration, 1000, mbb, 4.0, iteration / 10, None)
        return tracker.note(told).bar

    assert bar(1, None).seconds_left is None
    assert (bar(20, None).is_at_most, bar(25, 40.0).is_at_most) == (True, True)
    known = bar(50, 20.0)
    assert not known.is_at_most
    assert known.seconds_left == pytest.approx((250 - 50) / 10)


PLACE = FlopPlace("AhKd7s", 3.5)


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def solving(flop, iteration=1):
    return FlopSolving(flop, 3.5, iteration, 200, None, 0.0032)


def test_files_get_a_line_per_flop_one_now_and_then_and_one_at_the_end():
    clock = Clock()
    lines = Lines(clock=clock)
    assert lines.lines(PhaseStarted(Phase.FLOPS, 3)) == ["Flops 0/3"]
    assert lines.lines(solving("AsKhQd")) == []
    clock.now = 5.0
    (line,) = lines.lines(FlopSolved("AsKhQd", 1, 3, 0.001, 5.0))
    assert line == "AsKhQd stopped at iter 1 δ=0.0032 (5.0 s)"
    lines.lines(solving("2c3h4d"))
    clock.now = 12.0
    _, line = lines.lines(FlopSolved("2c3h4d", 2, 3, 0.001, 7.0))
    assert line == "Flops 2/3, worst 0.10% of the pot, 10 s left"
    lines.lines(FlopSolved("7c3h4d", 3, 3, 0.001, 1.0))
    (line,) = lines.lines(PhaseEnded(Phase.FLOPS, 12.0))
    assert line == "Flops: 3 flops in 12.0 s, 1 of them by an earlier run, worst 0.10% of the pot"


def test_files_are_told_when_preflop_begins():
    lines = Lines()
    (line,) = lines.lines(PreflopSolving(1, 10_000, None, None, 0.0, None))
    assert line == "Preflop 1/10,000"
    assert lines.lines(PreflopSolving(2, 10_000, None, None, 0.0, None)) == []


def test_files_are_told_once_that_a_spot_is_solved():
    lines = Lines()
    event = SpotSolving(10, 500, None, None, 0.1, None, 10.0)
    assert lines.lines(event) == ["Spot 10/500"]
    assert lines.lines(event) == []


def test_files_get_lines_of_flops_whose_solve_or_other_phase_takes_long():
    clock = Clock()
    lines = Lines(clock=clock)
    assert lines.lines(solving("AhKd7s")) == []
    clock.now = 31.0
    assert lines.lines(solving("AhKd7s", 45)) == ["AhKd7s SPR 3.5 solving 45/200, δ=0.0032"]
    assert lines.lines(solving("AhKd7s", 46)) == []
    assert lines.lines(PhaseStarted(Phase.ESTIMATING_EV, 20_000_000, PLACE)) == []
    clock.now = 62.0
    event = PhaseAdvanced(Phase.ESTIMATING_EV, 5_000_000, 20_000_000, PLACE)
    assert lines.lines(event) == ["AhKd7s SPR 3.5 sampled EVs 5,000,000/20,000,000"]


def test_other_work_tells_its_steps_and_how_long_they_took():
    clock = Clock()
    lines = Lines(clock=clock)
    assert lines.lines(PhaseStarted("turn strengths", 100)) == ["Turn strengths 0/100"]
    clock.now = 10.0
    assert lines.lines(PhaseAdvanced("turn strengths", 25, 100)) == [
        "Turn strengths 25/100, 30 s left"
    ]
    assert lines.lines(PhaseEnded("turn strengths", 40.0)) == ["turn strengths: done in 40.0 s"]
    assert lines.lines(PhaseStarted("writing", 1)) == []
    assert lines.lines(PhaseEnded("writing", 0.1)) == []


def test_capped_buckets_are_a_note():
    (line,) = Lines().lines(BucketsCapped("flop", 1400, 249))
    assert line == "flop: 249 buckets instead of 1,400, no more hands are different"


def test_a_bar_in_words_says_when_it_may_end_earlier():
    bar = Bar("preflop", "Preflop", 10, 1000, "5 mbb/hand", 12.0, is_at_most=True)
    assert bar.words() == ["Preflop 10/1,000", "5 mbb/hand", "≤20 s left"]


def solving_of_test_progress_text(
    iteration, delta=0.0032, spr=3.5, pot=None, round=1, total_rounds=1, **rest
):
    return FlopSolving("AhKd7s", spr, iteration, 200, pot, delta, round, total_rounds, **rest)


def test_a_place_names_round_flop_and_ratio_as_far_as_there_are_any():
    assert describe_place(FlopPlace("AhKd7s", 3.5, 1, 2)) == "[1/2] AhKd7s SPR 3.5"
    assert describe_place(FlopPlace("AhKd7s", 3.5)) == "AhKd7s SPR 3.5"
    assert describe_place(FlopPlace("AhKd7s")) == "AhKd7s"


def test_a_backend_that_compares_no_strategies_tells_no_delta():
    assert describe_measures(solving_of_test_progress_text(3, math.nan)) == ""
    assert (
        describe_measures(solving_of_test_progress_text(3, pot=0.0032))
        == "δ=0.0032, 0.32% of the pot"
    )


def test_bounds_are_marked_wherever_they_are_told():
    bound = solving_of_test_progress_text(200, pot=0.5261, is_upper_bound=True)
    assert describe_measures(bound) == "δ=0.0032, ≤52.61% of the pot"
    assert "≤52.61% of the pot" in describe_solved("AhKd7s", [bound], 1.0)
    assert "≤52.61% of the pot" in describe_solved("AhKd7s", [bound, bound], 1.0)


def test_a_solved_flop_leaves_the_line_of_the_design():
    last = solving_of_test_progress_text(38, 0.0009, is_converged=True)
    assert describe_solved("AhKd7s", [last], 6.7) == (
        "AhKd7s converged at iter 38 δ=0.0009 (6.7 s) ✓"
    )


def test_strategies_that_settle_beside_a_bound_have_not_converged():
    bound = {"pot": 0.241, "is_converged": True, "is_upper_bound": True}
    shared = solving_of_test_progress_text(38, 0.0009, **bound)
    told = "AhKd7s settled at iter 38 δ=0.0009, ≤24.10% of the pot (6.7 s) ✓"
    assert describe_solved("AhKd7s", [shared], 6.7) == told
    of_boards = solving_of_test_progress_text(38, math.nan, **bound | {"pot": 0.004})
    assert "converged at iter 38 ≤0.40% of the pot" in describe_solved("AhKd7s", [of_boards], 6.7)


def test_a_flop_that_ran_out_of_iterations_has_not_converged():
    line = describe_solved("AhKd7s", [solving_of_test_progress_text(200, pot=0.0042)], 8.2)
    assert line == "AhKd7s stopped at iter 200 δ=0.0032, 0.42% of the pot (8.2 s)"


def test_of_several_ratios_the_worst_is_told():
    last = [
        solving_of_test_progress_text(38, spr=1.0, pot=0.001, is_converged=True),
        solving_of_test_progress_text(200, spr=9.0, pot=0.004),
    ]
    assert describe_solved("AhKd7s", last, 8.2) == (
        "AhKd7s stopped at iter 200 of SPR 9 δ=0.0032, 0.40% of the pot (8.2 s)"
    )
    assert describe_solved("AhKd7s", [], 8.2) == "AhKd7s solved (8.2 s) ✓"


def test_capped_buckets_name_their_flop_as_it_was_given():
    assert describe_event(BucketsCapped("flop", 1400, 249, FlopPlace("9s8s7s", 3.5, 2, 2))) == (
        "[2/2] 9s8s7s SPR 3.5 flop: 249 buckets instead of 1,400, no more hands are different"
    )


def solving_of_test_solve_progress(flop, iteration=1, **rest):
    return FlopSolving(flop, 3.5, iteration, 200, 0.0032, 0.05, **rest)


def test_flops_begin_with_a_header_and_a_bar():
    news = SolveTracker().note(PhaseStarted(Phase.FLOPS, 4))
    bar = news.bar
    assert (bar.title, bar.done, bar.total) == ("Flops", 0, 4)
    assert news.line == ""


def test_a_flop_in_work_has_one_bar_that_shows_its_phase():
    tracker = SolveTracker()
    place = FlopPlace("AsKhQd", 3.5)
    table = tracker.note(PhaseStarted(Phase.EQUITY_TABLE, 1, FlopPlace("AsKhQd"))).bar
    bar = tracker.note(solving_of_test_solve_progress("AsKhQd", 45)).bar
    values = tracker.note(PhaseAdvanced(Phase.VALUES, 3, 192, place)).bar
    assert (table.title, table.done, table.total) == ("  AsKhQd equity table", 0, 1)
    assert (bar.title, bar.done, bar.total) == ("  AsKhQd SPR 3.5 solving", 45, 200)
    assert bar.detail == "δ=0.0500, 0.32% of the pot"
    assert (values.title, values.done, values.total) == ("  AsKhQd SPR 3.5 values", 3, 192)
    assert table.key == bar.key == values.key


def test_rounds_of_buckets_have_headers_with_their_time():
    clock = Clock()
    tracker = SolveTracker(clock)

    def header(flop, round, total=2, phase=Phase.HAND_BUCKETS):
        return tracker.note(PhaseStarted(phase, 1, FlopPlace(flop, 3.5, round, total))).line

    for _ in range(2):  # a second batch has headers of its own
        clock.now = 0.0
        tracker.note(PhaseStarted(Phase.FLOPS, 2))
        assert header("AsKhQd", 1) == "Phase 1/2: buckets of strength"
        assert not header("AsKhQd", 1, phase=Phase.SOLVING)
        assert not header("2c3h4d", 1)
        clock.now = 6.7
        assert header("AsKhQd", 2) == "Phase 2/2: rebucketing (EV), after 6.7 s"
        assert not header("2c3h4d", 2)
    tracker.note(PhaseStarted(Phase.FLOPS, 2))
    assert not header("AsKhQd", 1, total=1)


def test_two_flops_have_bars_of_their_own_even_from_one_thread():
    tracker = SolveTracker()
    first = tracker.note(solving_of_test_solve_progress("AsKhQd")).bar
    second = tracker.note(solving_of_test_solve_progress("2c3h4d")).bar
    assert second.key != first.key


def test_a_solved_flop_loses_its_bar_and_leaves_a_line():
    clock = Clock()
    tracker = SolveTracker(clock)
    tracker.note(PhaseStarted(Phase.FLOPS, 2))
    bar = tracker.note(PhaseStarted(Phase.EQUITY_TABLE, 1, FlopPlace("AsKhQd"))).bar
    clock.now = 6.7
    tracker.note(solving_of_test_solve_progress("AsKhQd", 38, is_converged=True))
    news = tracker.note(FlopSolved("AsKhQd", 1, 2, 0.0032, 6.7))
    assert news.ended == (bar.key,)
    assert news.line == "AsKhQd converged at iter 38 δ=0.0500, 0.32% of the pot (6.7 s) ✓"


def test_a_failed_flop_loses_its_bar_and_says_why():
    tracker = SolveTracker()
    bar = tracker.note(solving_of_test_solve_progress("AsKhQd")).bar
    news = tracker.note(FlopFailed("AsKhQd", "MemoryError()"))
    assert news.ended == (bar.key,)
    assert news.line == "AsKhQd failed: MemoryError()"


def test_time_left_counts_only_flops_of_this_run():
    clock = Clock()
    tracker = SolveTracker(clock)
    tracker.note(PhaseStarted(Phase.FLOPS, 11))
    bar = tracker.note(FlopSolved("AsKhQd", 1, 11, 0.001, 99.0)).bar
    assert bar.seconds_left is None
    tracker.note(solving_of_test_solve_progress("2c3h4d"))
    clock.now = 6.0
    bar = tracker.note(FlopSolved("2c3h4d", 2, 11, 0.0042, 6.0)).bar
    assert bar.seconds_left == 9 * 6.0
    assert (bar.done, bar.total, bar.detail) == (2, 11, "worst 0.42% of the pot")


def test_time_left_counts_what_flops_in_work_have_taken_already():
    clock = Clock()
    tracker = SolveTracker(clock)
    tracker.note(PhaseStarted(Phase.FLOPS, 5))
    tracker.note(solving_of_test_solve_progress("AsKhQd"))
    tracker.note(solving_of_test_solve_progress("2c3h4d"))
    clock.now = 10.0
    bar = tracker.note(FlopSolved("AsKhQd", 1, 5, 0.001, 10.0)).bar
    assert bar.seconds_left == 3 * 10.0 / 2  # the other one should be done now
    tracker.note(solving_of_test_solve_progress("7c3h4d"))
    clock.now = 15.0
    bar = tracker.note(FlopSolved("2c3h4d", 2, 5, 0.001, 15.0)).bar
    assert bar.seconds_left == pytest.approx((3 - 5.0 / 12.5) * 15.0 / (2 + 5.0 / 12.5))


def test_the_bar_and_the_line_of_all_flops_say_when_they_are_bounds():
    tracker = SolveTracker()
    tracker.note(PhaseStarted(Phase.FLOPS, 1))
    bar = tracker.note(FlopSolved("AsKhQd", 1, 1, 0.5261, 9.0, is_upper_bound=True)).bar
    assert bar.detail == "worst ≤52.61% of the pot"
    assert "worst ≤52.61% of the pot" in tracker.note(PhaseEnded(Phase.FLOPS, 2.0)).line


def test_a_phase_tells_the_time_that_is_left():
    clock = Clock()
    tracker = SolveTracker(clock)
    assert tracker.note(PhaseStarted("counting", 100)).bar.seconds_left is None
    clock.now = 10.0
    assert tracker.note(PhaseAdvanced("counting", 25, 100)).bar.seconds_left == 30.0


def test_phases_of_a_flop_say_nothing_about_its_end():
    clock = Clock()
    tracker = SolveTracker(clock)
    place = FlopPlace("AsKhQd", 3.5)
    tracker.note(PhaseStarted(Phase.SOLVING, 10_000, place))
    clock.now = 4.0
    assert tracker.note(solving_of_test_solve_progress("AsKhQd", 50)).bar.seconds_left is None


def test_bars_go_with_their_phase():
    tracker = SolveTracker()
    flops = tracker.note(PhaseStarted(Phase.FLOPS, 1)).bar
    news = tracker.note(PhaseEnded(Phase.FLOPS, 2.0))
    assert news.ended == (flops.key,)
    bar = tracker.note(PhaseStarted("counting", 5)).bar
    assert bar.title == "Counting"
    news = tracker.note(PhaseEnded("counting", 12.0))
    assert (news.ended, news.line) == ((bar.key,), "counting: done in 12.0 s")


def test_preflop_has_a_bar_until_its_phase_ends():
    tracker = SolveTracker()
    bar = tracker.note(PreflopSolving(5, 10, 0.4567, None, 0.0, None)).bar
    assert (bar.title, bar.detail) == ("Preflop", "0.457 mbb/hand")
    assert tracker.note(PhaseEnded(Phase.PREFLOP, 0.2)).ended == (bar.key,)


def test_a_spot_tells_exploitability_in_chips_and_pots():
    bar = SolveTracker().note(SpotSolving(10, 500, 0.5, None, 0.1, None, 100.0)).bar
    assert (bar.title, bar.detail) == ("Spot", "0.5 chips, 0.50% of the pot")


def test_files_see_solve_events_as_notes(capsys):
    with showing_events() as on_event:
        on_event(PhaseStarted(Phase.FLOPS, 1))
        on_event(PhaseEnded(Phase.FLOPS, 1.0))
    assert capsys.readouterr().err.startswith("Flops: 0 flops in 1.0 s")


def test_programs_get_events_as_lines_of_json(capsys, monkeypatch):
    monkeypatch.setenv("RUNOUT_EVENTS", "json")
    with showing_events() as on_event:
        for told in (event(10, 20.0, seconds=1.0), event(20, 10.0, seconds=2.0)):
            on_event(told)
        on_event(solving_of_test_progress_text(3, math.nan))
    first, second, flop = map(json.loads, capsys.readouterr().err.splitlines())
    assert (first["event"], first["iteration"], first["pot_chips"]) == ("SpotSolving", 10, 100.0)
    assert first["seconds_left"] is None
    assert second["seconds_left"] is not None
    assert (flop["event"], flop["strategy_delta"]) == ("FlopSolving", None)


def live_text(events):
    file = io.StringIO()
    console = Console(file=file, force_terminal=True, width=100, color_system=None)
    display = Display(console)
    for event in events:
        display.on_event(event)
        display._bars.refresh()
    shown = file.getvalue()
    display.close()
    return shown


def test_terminals_see_bars_within_a_hundred_columns():
    place = FlopPlace("AsKhQd", 3.5, 1, 2)
    events = [
        PreflopSolving(10_000, 10_000, 0.1234, None, 0.0, None),
        PhaseStarted(Phase.FLOPS, 1755),
        PhaseStarted(Phase.SOLVING, 200, place),
        solving_of_test_solve_progress("AsKhQd", 123, round=1, total_rounds=2),
        FlopSolved("AsKhQd", 1, 1755, 0.1234, 1.0),
        PhaseStarted(Phase.EXTRACTING_EV, 1176, FlopPlace("2c3h4d", 3.5, 2, 2)),
        PhaseAdvanced(Phase.EXTRACTING_EV, 147, 1176, FlopPlace("2c3h4d", 3.5, 2, 2)),
        PhaseStarted(Phase.REBUCKETING, 100, FlopPlace("2c3h4d", 3.5, 2, 2)),
    ]
    text = live_text(events)
    for part in (
        "[1/2] AsKhQd SPR 3.5 solving",
        "[2/2] 2c3h4d SPR 3.5 EV histograms",
        "147/1,176",
        "[2/2] 2c3h4d SPR 3.5 rebucketing",
        "1/1,755",
        "worst 12.34% of the pot",
    ):
        assert part in text
    assert "…" not in text


def test_no_frame_shows_the_title_of_one_phase_with_the_count_of_another():
    place = FlopPlace("AsKhQd", 3.5)
    text = live_text(
        [
            PhaseStarted(Phase.ESTIMATING_EV, 5_000, place),
            PhaseAdvanced(Phase.ESTIMATING_EV, 4_000, 5_000, place),
            PhaseStarted(Phase.VALUES, 1, place),
        ]
    )
    frames = [line for line in text.split("\r") if "AsKhQd" in line]
    after = frames[next(i for i, line in enumerate(frames) if "4,000/5,000" in line) :]
    assert not any("sampled EVs" in line and "0/5,000 " in line[-40:] for line in after[1:])
    assert "values" in after[-1]
    assert "0/1" in after[-1]


def test_terminals_keep_lines():
    capped = BucketsCapped("flop", 1400, 249)
    text = live_text([solving_of_test_solve_progress("AsKhQd"), capped])
    assert "flop: 249 buckets instead of 1,400, no more hands are different" in text
