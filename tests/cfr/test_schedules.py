"""Tests of `runout.cfr.schedules`."""

from itertools import pairwise
from math import inf

import pytest

from runout.cfr.schedules import (
    CFR_PLUS,
    DCFR,
    DCFR_PLUS,
    LINEAR,
    VANILLA,
    VARIANTS,
    DiscountWeights,
    Schedule,
    SolveProgress,
    StoppingRule,
    StopReason,
)


def test_variants_are_the_published_exponents_and_three_are_ours():
    assert VARIANTS == {
        "vanilla": Schedule(inf, inf, 0.0),
        "linear": Schedule(1.0, 1.0, 1.0),
        "cfr+": Schedule(inf, -inf, 1.0),
        "dcfr": Schedule(1.5, 0.0, 2.0),
        "dcfr+": Schedule(1.5, -inf, 4.0),
        "dcfr4": Schedule(1.5, 0.0, 4.0),
        "dcfr6": Schedule(2.5, 0.0, 6.0, num_rising=75),
        "dcfr-spot": Schedule(1.75, 0.5, 4.0, num_rising=150, first_alpha=1.25),
    }


def test_weights_after_four_iterations_are_those_of_the_paper():
    assert VANILLA.weights(4) == DiscountWeights(1.0, 1.0, 1.0)
    assert LINEAR.weights(4) == DiscountWeights(4 / 5, 4 / 5, 4 / 5)
    assert CFR_PLUS.weights(4) == DiscountWeights(1.0, 0.0, 4 / 5)
    assert DCFR.weights(4) == pytest.approx((8 / 9, 1 / 2, (4 / 5) ** 2))
    assert DCFR_PLUS.weights(4) == pytest.approx((8 / 9, 0.0, (4 / 5) ** 4))


@pytest.mark.parametrize("name", VARIANTS)
def test_nothing_is_kept_of_what_was_before_the_first_iteration(name):
    assert VARIANTS[name].weights(0) == DiscountWeights(0.0, 0.0, 0.0)


@pytest.mark.parametrize("name", VARIANTS)
def test_weights_grow_towards_one_and_never_exceed_it(name):
    history = [VARIANTS[name].weights(t) for t in range(1, 200)]
    for earlier, later in pairwise(history):
        for before, after in zip(earlier, later, strict=True):
            assert 0.0 <= before <= after <= 1.0


@pytest.mark.parametrize(("gamma", "power"), [(1.0, 1), (2.0, 2), (4.0, 4)])
def test_discounting_the_strategy_sum_weights_iteration_t_by_a_power_of_t(gamma, power):
    """Weighting by t *and* discounting would be neither linear CFR nor DCFR."""
    schedule, total = Schedule(1.0, 1.0, gamma), 0.0
    for t in range(1, 20):
        total = total * schedule.weights(t - 1).strategy + 1.0
        assert total == pytest.approx(sum(s**power for s in range(1, t + 1)) / t**power)


def test_alpha_rises_from_one():
    rising, linear, settled = VARIANTS["dcfr6"], LINEAR, Schedule(2.5, 0.0, 6.0)
    assert rising.weights(1) == pytest.approx(settled.weights(1))  # 1 to any power is 1
    middle = Schedule(2.0, 0.0, 6.0)
    assert rising.weights(50) == pytest.approx(middle.weights(50))
    assert linear.weights(5).positive_regret < rising.weights(5).positive_regret
    assert rising.weights(75) == settled.weights(75)
    assert rising.weights(100_000) == settled.weights(100_000)


def test_alpha_and_beta_of_spots_rise_together():
    rising, settled = VARIANTS["dcfr-spot"], Schedule(1.75, 0.5, 4.0)
    assert rising.weights(75) == pytest.approx(Schedule(1.5, 0.25, 4.0).weights(75))
    assert rising.weights(1).negative_regret == 0.5
    assert rising.weights(150) == settled.weights(150)


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
    history = []
    for iteration in range(1, rule.max_iterations + 1):
        if rule.is_check(iteration, history):
            history.append((iteration, exploitability_after(iteration)))
            if history[-1][1] <= rule.exploitability:
                break
    return [iteration for iteration, _ in history]


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
    assert not StoppingRule(100).is_check(10, [])


def test_a_measurement_below_zero_is_no_reason_to_wait():
    """Rounding, and buckets whose values do not sum to zero, may leave less than nothing."""
    assert StoppingRule(100, exploitability=1e-3).is_check(20, [(10, -1e-4)])
