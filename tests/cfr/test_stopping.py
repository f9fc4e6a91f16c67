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


def measured_iterations(rule, exploitability_after):
    """Returns when a solve is measured until it is good enough."""
    found, measured = [], None
    for iteration in range(1, rule.max_iterations + 1):
        if rule.is_check(iteration, measured):
            measured = iteration, exploitability_after(iteration)
            found.append(iteration)
            if measured[1] <= rule.exploitability:
                break
    return found


@pytest.mark.parametrize("power", [0.5, 1.0, 2.0, 3.0])
@pytest.mark.parametrize("target", [0.3, 1e-2])
def test_a_target_is_noticed_as_soon_as_if_every_check_were_made(power, target):
    rule = StoppingRule(100_000, exploitability=target, check_every=10)
    found = measured_iterations(rule, lambda iteration: iteration**-power)
    first = next(i for i in range(10, 100_001, 10) if i**-power <= target * (1 + 1e-12))
    assert found[-1] in (first, first + 10)
    assert len(found) <= first // 10 + 1


def test_a_usual_solve_is_measured_a_third_as_often_as_it_could_be():
    rule = StoppingRule(1_000, exploitability=1e-3, check_every=10)
    found = measured_iterations(rule, lambda iteration: 60.0 * iteration**-2.0)
    assert found[0] == 10
    assert found[-1] == 250
    assert len(found) <= 9


def test_iterations_at_most_double_between_two_measurements():
    rule = StoppingRule(1_000, exploitability=0.0, check_every=10)
    found = measured_iterations(rule, lambda iteration: 1.0)
    assert found == [10, 20, 40, 80, 160, 320, 640]


def test_without_a_target_nothing_is_measured():
    assert not StoppingRule(100).is_check(10, None)


def test_a_measurement_below_zero_is_no_reason_to_wait():
    """Rounding, and buckets whose values do not sum to zero, may leave less than nothing."""
    assert StoppingRule(100, exploitability=1e-3).is_check(20, (10, -1e-4))
