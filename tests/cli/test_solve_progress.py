import io
import math

from rich.console import Console

from runout.cli.console import LiveDisplay, showing_events
from runout.cli.solve_progress import SolveLines, SolveTracker, describe_iteration
from runout.events import (
    BucketsCapped,
    ExtractingEv,
    FlopSolved,
    FlopSolving,
    PreflopSolving,
    RangesRoundFinished,
    Rebucketing,
)

ROUND = RangesRoundFinished(1, 3, 0.0123, 0.456)


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def solving(flop, iteration=1):
    return FlopSolving(flop, 3.5, iteration, 200, 0.0032, 0.05)


def test_the_first_event_shows_the_flops_and_the_one_being_solved():
    flops, worker = SolveTracker().note(solving("AsKhQd", 45)).bars
    assert (flops.title, flops.total) == ("Flops", None)
    assert (worker.title, worker.done, worker.total) == ("  Flop 'AsKhQd' at SPR 3.5", 45, 200)
    assert worker.detail == "0.32% of the pot, δ=0.0500"


def test_a_thread_keeps_its_bar_for_the_next_flop():
    tracker = SolveTracker()
    first = tracker.note(solving("AsKhQd")).bars[-1]
    (second,) = tracker.note(solving("2c3h4d")).bars
    assert second.key == first.key


def test_time_left_counts_only_flops_of_this_run():
    clock = Clock()
    tracker = SolveTracker(clock)
    (bar,) = tracker.note(FlopSolved("AsKhQd", 1, 11, 0.001, 99.0)).bars
    assert bar.seconds_left == 0.0
    tracker.note(solving("2c3h4d"))
    clock.now = 6.0
    (bar,) = tracker.note(FlopSolved("2c3h4d", 2, 11, 0.0042, 6.0)).bars
    assert bar.seconds_left == 9 * 6.0
    assert (bar.done, bar.total, bar.detail) == (2, 11, "worst 0.42% of the pot")


def test_bars_go_with_the_last_flop():
    tracker = SolveTracker()
    shown = tracker.note(solving("AsKhQd")).bars
    ended = tracker.note(FlopSolved("AsKhQd", 1, 1, 0.001, 1.0)).ended
    assert set(ended) == {bar.key for bar in shown}


def test_rounds_name_the_leaf_whose_flops_are_solved():
    tracker = SolveTracker()
    (preflop,) = tracker.note(PreflopSolving(0, 1, 10, None)).bars
    assert preflop.title == "Preflop"
    for leaf in (1, 2):
        news = tracker.note(solving("AsKhQd"))
        assert news.bars[0].title == f"Flops, round 1, leaf {leaf}"
        assert news.ended == (preflop.key,)
        tracker.note(FlopSolved("AsKhQd", 1, 1, 0.001, 1.0))
    (bar,) = tracker.note(PreflopSolving(1, 5, 10, 0.4567)).bars
    assert (bar.title, bar.detail) == ("Preflop, round 1", "0.457 mbb/hand")
    assert tracker.note(solving("AsKhQd")).bars[0].title == "Flops, round 2, leaf 1"


def test_files_get_a_line_now_and_then_and_one_at_the_end():
    clock = Clock()
    lines = SolveLines(clock)
    assert lines.lines(solving("AsKhQd")) == []
    clock.now = 5.0
    assert lines.lines(FlopSolved("AsKhQd", 1, 3, 0.001, 1.0)) == []
    lines.lines(solving("2c3h4d"))
    clock.now = 12.0
    (line,) = lines.lines(FlopSolved("2c3h4d", 2, 3, 0.001, 1.0))
    assert line == "flops: 2/3, worst 0.10% of the pot, about 6.0 s left"
    assert lines.lines(FlopSolved("7c3h4d", 3, 3, 0.001, 1.0)) == ["3 flops done"]


def test_files_are_told_when_preflop_begins_and_what_a_round_changed():
    lines = SolveLines()
    (line,) = lines.lines(PreflopSolving(0, 1, 10_000, None))
    assert line == "solving preflop, at most 10,000 iterations"
    assert lines.lines(PreflopSolving(0, 2, 10_000, None)) == []
    (line,) = lines.lines(PreflopSolving(2, 1, 10_000, None))
    assert line == "solving preflop again, round 2, at most 10,000 iterations"
    assert lines.lines(ROUND) == [
        "round 1 of at most 3: actions moved by 1.23%, exploitability 0.456 mbb/hand"
    ]


def test_files_see_solve_events_as_notes(capsys):
    with showing_events() as on_event:
        on_event(solving("AsKhQd"))
        on_event(FlopSolved("AsKhQd", 1, 1, 0.001, 1.0))
    assert capsys.readouterr().err == "1 flop done\n"


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
    events = [
        PreflopSolving(0, 10_000, 10_000, 0.1234),
        solving("AsKhQd", 123),
        FlopSolved("AsKhQd", 1, 1755, 0.1234, 1.0),
        solving("2c3h4d"),
    ]
    text = live_text(events)
    assert "Flop 'AsKhQd' at SPR 3.5" in text
    assert "Flop '2c3h4d' at SPR 3.5" in text
    assert "1/1,755" in text
    assert "worst 12.34% of the pot" in text
    assert "…" not in text


def test_terminals_keep_the_line_of_a_round():
    assert "round 1 of at most 3: actions moved" in live_text([solving("AsKhQd"), ROUND])


# --- Rounds of buckets, as seed 001 draws them ----------------------------------------------------


def in_round(iteration, delta=0.0032):
    return FlopSolving("AhKd7s", 3.5, iteration, 200, None, delta, 1, 2)


def test_the_line_of_a_flop_names_its_round_iteration_and_delta():
    assert describe_iteration(in_round(45)) == "[1/2] Flop 'AhKd7s' iter 45/200 δ=0.0032"
    assert describe_iteration(solving("AhKd7s", 45)) == "Flop 'AhKd7s' iter 45/200 δ=0.0500"


def test_a_backend_that_compares_no_strategies_tells_no_delta():
    assert describe_iteration(in_round(3, math.nan)) == "[1/2] Flop 'AhKd7s' iter 3/200"
    assert SolveTracker().note(in_round(3, math.nan)).bars[-1].detail == ""


def test_rounds_are_bars_of_the_flop_they_belong_to():
    tracker = SolveTracker()
    bar = tracker.note(in_round(45)).bars[-1]
    assert (bar.title, bar.detail) == ("  [1/2] Flop 'AhKd7s' at SPR 3.5", "δ=0.0032")
    (values,) = tracker.note(ExtractingEv(120, 1176)).bars
    assert (values.title, values.done, values.total) == ("  Flop 'AhKd7s' EV histograms", 120, 1176)
    (buckets,) = tracker.note(Rebucketing(2, 3)).bars
    assert (buckets.title, buckets.total) == ("  Flop 'AhKd7s' Rebucketing (round 2/3)", None)
    assert bar.key == values.key == buckets.key


def test_files_get_lines_of_flops_that_take_long_and_of_new_buckets():
    clock = Clock()
    lines = SolveLines(clock)
    assert lines.lines(in_round(1)) == []
    clock.now = 31.0
    assert lines.lines(in_round(45)) == ["[1/2] Flop 'AhKd7s' iter 45/200 δ=0.0032"]
    assert lines.lines(in_round(46)) == []
    assert lines.lines(ExtractingEv(0, 1176)) == []
    assert lines.lines(Rebucketing(2, 2)) == ["Flop 'AhKd7s' Rebucketing (round 2/2)"]


def test_capped_buckets_are_a_note_everywhere():
    capped = BucketsCapped("9s8s7s flop", 1400, 249)
    note = "9s8s7s flop: 249 buckets instead of 1,400, no more hands are different"
    assert SolveTracker().note(capped).line == note
    assert SolveLines().lines(capped) == [note]
    assert note in live_text([capped])


def test_terminals_see_rounds_within_a_hundred_columns():
    text = live_text([in_round(45), ExtractingEv(120, 1176), Rebucketing(2, 2), in_round(1)])
    for part in ("[1/2] Flop 'AhKd7s' at SPR 3.5", "δ=0.0032", "EV histograms", "120/1,176"):
        assert part in text
    assert "Rebucketing (round 2/2)" in text
    assert "…" not in text
