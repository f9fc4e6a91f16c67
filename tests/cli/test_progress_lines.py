from runout.cli.progress_lines import SolveLines, describe_bar
from runout.cli.solve_progress import Bar
from runout.events import (
    BucketsCapped,
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

PLACE = FlopPlace("AhKd7s", 3.5)


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def solving(flop, iteration=1):
    return FlopSolving(flop, 3.5, iteration, 200, None, 0.0032)


def test_files_get_a_line_per_flop_one_now_and_then_and_one_at_the_end():
    clock = Clock()
    lines = SolveLines(clock)
    assert lines.lines(PhaseStarted(Phase.FLOPS, 3)) == ["Flops: 3 to solve"]
    assert lines.lines(solving("AsKhQd")) == []
    clock.now = 5.0
    (line,) = lines.lines(FlopSolved("AsKhQd", 1, 3, 0.001, 1.0))
    assert line == "AsKhQd stopped at iter 1 δ=0.0032 (5.0 s)"
    lines.lines(solving("2c3h4d"))
    clock.now = 12.0
    _, line = lines.lines(FlopSolved("2c3h4d", 2, 3, 0.001, 1.0))
    assert line == "Flops: 2/3, worst 0.10% of the pot, about 7.0 s left"
    lines.lines(FlopSolved("7c3h4d", 3, 3, 0.001, 1.0))
    (line,) = lines.lines(PhaseEnded(Phase.FLOPS, 12.0))
    assert line == "Flops: 3 flops in 12.0 s, 1 of them by an earlier run, worst 0.10% of the pot"


def test_files_are_told_when_preflop_begins_and_what_a_round_changed():
    lines = SolveLines()
    (line,) = lines.lines(PreflopSolving(0, 1, 10_000, None, None, 0.0, None))
    assert line == "solving preflop, at most 10,000 iterations"
    assert lines.lines(PreflopSolving(0, 2, 10_000, None, None, 0.0, None)) == []
    (line,) = lines.lines(PreflopSolving(2, 1, 10_000, None, None, 0.0, None))
    assert line == "solving preflop again, round 2, at most 10,000 iterations"
    assert lines.lines(RangesRoundFinished(1, 3, 0.0123, 0.456)) == [
        "round 1 of at most 3: actions moved by 1.23%, exploitability 0.456 mbb/hand"
    ]


def test_files_are_told_once_that_a_spot_is_solved():
    lines = SolveLines()
    event = SpotSolving(10, 500, None, None, 10.0, 0.1, None)
    assert lines.lines(event) == ["solving the spot, at most 500 iterations"]
    assert lines.lines(event) == []


def test_files_get_lines_of_flops_whose_solve_or_other_phase_takes_long():
    clock = Clock()
    lines = SolveLines(clock)
    assert lines.lines(solving("AhKd7s")) == []
    clock.now = 31.0
    assert lines.lines(solving("AhKd7s", 45)) == ["Flop 'AhKd7s' iter 45/200 δ=0.0032"]
    assert lines.lines(solving("AhKd7s", 46)) == []
    assert lines.lines(PhaseStarted(Phase.ESTIMATING_EV, 20_000_000, PLACE)) == []
    clock.now = 62.0
    event = PhaseAdvanced(Phase.ESTIMATING_EV, 5_000_000, 20_000_000, PLACE)
    assert lines.lines(event) == [
        "AhKd7s SPR 3.5 sampled EVs: 5,000,000/20,000,000, about 0:01:33 left"
    ]


def test_other_work_tells_its_steps_and_how_long_they_took():
    clock = Clock()
    lines = SolveLines(clock)
    assert lines.lines(PhaseStarted("turn strengths", 100)) == ["turn strengths: 100 steps"]
    clock.now = 10.0
    assert lines.lines(PhaseAdvanced("turn strengths", 25, 100)) == [
        "Turn strengths: 25/100, about 30.0 s left"
    ]
    assert lines.lines(PhaseEnded("turn strengths", 40.0)) == ["turn strengths: done in 40.0 s"]
    assert lines.lines(PhaseStarted("writing", 1)) == []
    assert lines.lines(PhaseEnded("writing", 0.1)) == []


def test_capped_buckets_are_a_note():
    (line,) = SolveLines().lines(BucketsCapped("flop", 1400, 249))
    assert line == "flop: 249 buckets instead of 1,400, no more hands are different"


def test_a_bar_in_words_says_when_it_may_end_earlier():
    bar = Bar("preflop", "Preflop", 10, 1000, "5 mbb/hand", 12.0, is_at_most=True)
    assert describe_bar(bar) == "Preflop: 10/1,000, 5 mbb/hand, at most about 12.0 s left"
    assert describe_bar(Bar("x", "X", 3, None)) == "X: 3"
