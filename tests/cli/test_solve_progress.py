import io

from rich.console import Console

from runout.cli.console import LiveDisplay, showing_events
from runout.cli.solve_progress import SolveTracker
from runout.events import (
    BucketsCapped,
    FlopFailed,
    FlopPlace,
    FlopSolved,
    FlopSolving,
    Phase,
    PhaseAdvanced,
    PhaseEnded,
    PhaseStarted,
    PreflopSolving,
    RangesRoundFinished,
    SpotSolving,
)

ROUND = RangesRoundFinished(1, 3, 0.0123, 0.456)


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def solving(flop, iteration=1, **rest):
    return FlopSolving(flop, 3.5, iteration, 200, 0.0032, 0.05, **rest)


def test_flops_begin_with_a_header_and_a_bar():
    news = SolveTracker().note(PhaseStarted(Phase.FLOPS, 4))
    (bar,) = news.bars
    assert (bar.title, bar.done, bar.total) == ("Flops", 0, 4)
    assert news.line == "Flops: 4 to solve"


def test_a_flop_in_work_has_one_bar_that_shows_its_phase():
    tracker = SolveTracker()
    place = FlopPlace("AsKhQd", 3.5)
    (table,) = tracker.note(PhaseStarted(Phase.EQUITY_TABLE, 1, FlopPlace("AsKhQd"))).bars
    (bar,) = tracker.note(solving("AsKhQd", 45)).bars
    (values,) = tracker.note(PhaseAdvanced(Phase.VALUES, 3, 192, place)).bars
    assert (table.title, table.done, table.total) == ("  AsKhQd equity table", 0, 1)
    assert (bar.title, bar.done, bar.total) == ("  AsKhQd SPR 3.5 solving", 45, 200)
    assert bar.detail == "δ=0.0500, 0.32% of the pot"
    assert (values.title, values.done, values.total) == ("  AsKhQd SPR 3.5 values", 3, 192)
    assert table.key == bar.key == values.key


def test_two_flops_have_bars_of_their_own_even_from_one_thread():
    tracker = SolveTracker()
    (first,) = tracker.note(solving("AsKhQd")).bars
    (second,) = tracker.note(solving("2c3h4d")).bars
    assert second.key != first.key


def test_a_solved_flop_loses_its_bar_and_leaves_a_line():
    clock = Clock()
    tracker = SolveTracker(clock)
    tracker.note(PhaseStarted(Phase.FLOPS, 2))
    (bar,) = tracker.note(PhaseStarted(Phase.EQUITY_TABLE, 1, FlopPlace("AsKhQd"))).bars
    clock.now = 6.7
    tracker.note(solving("AsKhQd", 38, is_converged=True))
    news = tracker.note(FlopSolved("AsKhQd", 1, 2, 0.0032, 1.0))
    assert news.ended == (bar.key,)
    assert news.line == "AsKhQd converged at iter 38 δ=0.0500, 0.32% of the pot (6.7 s) ✓"


def test_a_failed_flop_loses_its_bar_and_says_why():
    tracker = SolveTracker()
    (bar,) = tracker.note(solving("AsKhQd")).bars
    news = tracker.note(FlopFailed("AsKhQd", "MemoryError()"))
    assert news.ended == (bar.key,)
    assert news.line == "AsKhQd failed: MemoryError()"


def test_time_left_counts_only_flops_of_this_run():
    clock = Clock()
    tracker = SolveTracker(clock)
    tracker.note(PhaseStarted(Phase.FLOPS, 11))
    (bar,) = tracker.note(FlopSolved("AsKhQd", 1, 11, 0.001, 99.0)).bars
    assert bar.seconds_left is None
    tracker.note(solving("2c3h4d"))
    clock.now = 6.0
    (bar,) = tracker.note(FlopSolved("2c3h4d", 2, 11, 0.0042, 6.0)).bars
    assert bar.seconds_left == 9 * 6.0
    assert (bar.done, bar.total, bar.detail) == (2, 11, "worst 0.42% of the pot")


def test_time_left_counts_what_flops_in_work_have_taken_already():
    clock = Clock()
    tracker = SolveTracker(clock)
    tracker.note(PhaseStarted(Phase.FLOPS, 5))
    tracker.note(solving("AsKhQd"))
    tracker.note(solving("2c3h4d"))
    clock.now = 10.0
    (bar,) = tracker.note(FlopSolved("AsKhQd", 1, 5, 0.001, 10.0)).bars
    assert bar.seconds_left == (0 + 3 * 10.0) / 2  # the other one should be done now
    tracker.note(solving("7c3h4d"))
    clock.now = 14.0
    (bar,) = tracker.note(FlopSolved("2c3h4d", 2, 5, 0.001, 14.0)).bars
    assert bar.seconds_left == (8.0 + 2 * 12.0) / 2
    tracker.note(solving("8c3h4d"))
    tracker.note(solving("9c3h4d"))
    clock.now = 15.0
    for number, flop in ((3, "7c3h4d"), (4, "8c3h4d")):
        (bar,) = tracker.note(FlopSolved(flop, number, 5, 0.001, 1.0)).bars
    assert bar.seconds_left == 0.0  # three at once may have waited for kernels, the last took 1 s


def test_the_bar_and_the_line_of_all_flops_say_when_they_are_bounds():
    tracker = SolveTracker()
    tracker.note(PhaseStarted(Phase.FLOPS, 1))
    (bar,) = tracker.note(FlopSolved("AsKhQd", 1, 1, 0.5261, 9.0, is_upper_bound=True)).bars
    assert bar.detail == "worst ≤52.61% of the pot"
    assert "worst ≤52.61% of the pot" in tracker.note(PhaseEnded(Phase.FLOPS, 2.0)).line


def test_every_phase_tells_the_time_that_is_left():
    clock = Clock()
    tracker = SolveTracker(clock)
    for place in (None, FlopPlace("AsKhQd", 3.5)):
        start = clock.now
        (bar,) = tracker.note(PhaseStarted("counting", 100, place)).bars
        assert bar.seconds_left is None
        clock.now = start + 10.0
        (bar,) = tracker.note(PhaseAdvanced("counting", 25, 100, place)).bars
        assert bar.seconds_left == 30.0
    place = FlopPlace("AsKhQd", 3.5)
    tracker.note(PhaseStarted(Phase.SOLVING, 200, place))
    clock.now += 4.0
    (bar,) = tracker.note(solving("AsKhQd", 50)).bars
    assert bar.seconds_left == 12.0
    assert bar.is_at_most


def test_bars_go_with_their_phase():
    tracker = SolveTracker()
    (flops,) = tracker.note(PhaseStarted(Phase.FLOPS, 1)).bars
    news = tracker.note(PhaseEnded(Phase.FLOPS, 2.0))
    assert news.ended == (flops.key,)
    (bar,) = tracker.note(PhaseStarted("counting", 5)).bars
    assert bar.title == "Counting"
    news = tracker.note(PhaseEnded("counting", 12.0))
    assert (news.ended, news.line) == ((bar.key,), "counting: done in 12.0 s")


def test_rounds_name_the_leaf_whose_flops_are_solved():
    tracker = SolveTracker()
    (preflop,) = tracker.note(PreflopSolving(0, 1, 10, None, None, 0.0, None)).bars
    assert preflop.title == "Preflop"
    assert tracker.note(PhaseEnded(Phase.PREFLOP, 0.2)).ended == (preflop.key,)
    for leaf in (1, 2):
        news = tracker.note(PhaseStarted(Phase.FLOPS, 1))
        assert news.bars[0].title == f"Flops, round 1, leaf {leaf}"
        tracker.note(solving("AsKhQd"))
        assert tracker.note(FlopSolved("AsKhQd", 1, 1, 0.001, 1.0)).line == ""
        line = tracker.note(PhaseEnded(Phase.FLOPS, 2.0)).line
        assert line == f"Flops, round 1, leaf {leaf}: 1 flop in 2.0 s, worst 0.10% of the pot"
    (bar,) = tracker.note(PreflopSolving(1, 5, 10, 0.4567, None, 0.0, None)).bars
    assert (bar.title, bar.detail) == ("Preflop, round 1", "0.457 mbb/hand")
    assert tracker.note(PhaseStarted(Phase.FLOPS, 1)).bars[0].title == "Flops, round 2, leaf 1"


def test_a_spot_tells_exploitability_in_chips_and_pots():
    (bar,) = SolveTracker().note(SpotSolving(10, 500, 0.5, None, 100.0, 0.1, None)).bars
    assert (bar.title, bar.detail) == ("Spot", "0.5 chips, 0.50% of the pot")


def test_files_see_solve_events_as_notes(capsys):
    with showing_events() as on_event:
        on_event(PhaseStarted(Phase.FLOPS, 1))
        on_event(PhaseEnded(Phase.FLOPS, 1.0))
    assert capsys.readouterr().err.startswith("Flops: 1 to solve\nFlops: 0 flops in 1.0 s")


def live_text(events):
    file = io.StringIO()
    console = Console(file=file, force_terminal=True, width=100, color_system=None)
    display = LiveDisplay(console)
    for event in events:
        display.on_event(event)
        display.refresh()
    shown = file.getvalue()
    display.close()
    return shown


def test_terminals_see_bars_within_a_hundred_columns():
    place = FlopPlace("AsKhQd", 3.5, 1, 2)
    events = [
        PreflopSolving(0, 10_000, 10_000, 0.1234, None, 0.0, None),
        PhaseStarted(Phase.FLOPS, 1755),
        PhaseStarted(Phase.SOLVING, 200, place),
        solving("AsKhQd", 123, round=1, total_rounds=2),
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
    text = live_text([solving("AsKhQd"), ROUND, capped])
    assert "round 1 of at most 3: actions moved" in text
    assert "flop: 249 buckets instead of 1,400, no more hands are different" in text
