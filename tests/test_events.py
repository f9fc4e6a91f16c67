import pytest

from runout.events import (
    FlopPlace,
    FlopSolving,
    Phase,
    PhaseAdvanced,
    PhaseEnded,
    PhaseStarted,
    ignore_event,
    reporting_phase,
)
from tests.event_streams import check_stream

PLACE = FlopPlace("AhKd7s", 3.5)


def test_a_phase_tells_its_beginning_its_steps_and_its_end():
    events = []
    with reporting_phase(events.append, "counting", 10) as advance:
        advance(4)
        advance(10)
    started, first, second, ended = events
    assert started == PhaseStarted("counting", 10)
    assert (first, second) == (PhaseAdvanced("counting", 4, 10), PhaseAdvanced("counting", 10, 10))
    assert ended.phase == "counting"
    assert ended.seconds >= 0.0
    check_stream(events)


def test_a_phase_that_fails_does_not_end():
    events = []
    with pytest.raises(ZeroDivisionError), reporting_phase(events.append, "counting"):
        raise ZeroDivisionError
    assert events == [PhaseStarted("counting", 1)]


def test_whoever_does_not_want_to_know_is_told_nothing():
    assert ignore_event(PhaseStarted("counting", 1)) is None


@pytest.mark.parametrize(
    "events",
    [
        [PhaseStarted("a", 3)],
        [PhaseStarted("a", 3), PhaseAdvanced("a", 4, 3), PhaseEnded("a", 1.0)],
        [PhaseStarted("a", 3), PhaseAdvanced("a", 1, 4), PhaseEnded("a", 1.0)],
        [
            PhaseStarted("a", 3),
            PhaseAdvanced("a", 2, 3),
            PhaseAdvanced("a", 1, 3),
            PhaseEnded("a", 1.0),
        ],
        [PhaseStarted("a", 1, PLACE), PhaseStarted("b", 1, PLACE)],
        [PhaseStarted(Phase.SOLVING, 9, PLACE), FlopSolving("AhKd7s", 3.5, 1, 10, None, 0.1)],
    ],
)
def test_the_checker_of_streams_finds_bars_that_lie(events):
    with pytest.raises(AssertionError):
        check_stream(events)
