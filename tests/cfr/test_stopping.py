import pytest

from runout.cfr.stopping import SolveProgress, StoppingRule, StopReason

EVERY_LIMIT = StoppingRule(100, max_seconds=60.0, exploitability=0.001, strategy_delta=0.01)


def progress(iteration=10, seconds=1.0, delta=0.5, exploitability=0.5):
    return SolveProgress(iteration, 100, seconds, delta, exploitability)


def test_a_solve_that_meets_no_limit_goes_on():
    assert progress().reason_to_stop(EVERY_LIMIT) is None


@pytest.mark.parametrize(
    ("stand", "reason"),
    [
        (progress(iteration=100), StopReason.ITERATIONS),
        (progress(seconds=60.0), StopReason.SECONDS),
        (progress(exploitability=0.001), StopReason.EXPLOITABILITY),
        (progress(delta=0.01), StopReason.STRATEGY_DELTA),
    ],
    ids=lambda value: value.name if isinstance(value, StopReason) else "",
)
def test_each_limit_stops_a_solve_when_it_is_just_met(stand, reason):
    assert stand.reason_to_stop(EVERY_LIMIT) is reason
    everything_but_iterations = StoppingRule(100)
    is_iterations = reason is StopReason.ITERATIONS
    expected = StopReason.ITERATIONS if is_iterations else None
    assert stand.reason_to_stop(everything_but_iterations) is expected


def test_an_exploitability_that_was_not_measured_stops_nothing():
    assert progress(exploitability=None).reason_to_stop(EVERY_LIMIT) is None


def test_what_was_reached_is_named_before_what_ran_out():
    stand = progress(iteration=100, seconds=99.0, exploitability=0.0)
    assert stand.reason_to_stop(EVERY_LIMIT) is StopReason.EXPLOITABILITY
