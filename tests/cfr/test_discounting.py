from itertools import pairwise
from math import inf

import numpy as np
import pytest

from runout.cfr.discounting import (
    CFR_PLUS,
    DCFR,
    DCFR_PLUS,
    LINEAR,
    VANILLA,
    VARIANTS,
    DiscountSchedule,
    DiscountWeights,
)


def test_variants_are_the_published_exponents_and_three_are_ours():
    assert VARIANTS == {
        "vanilla": DiscountSchedule(inf, inf, 0.0),
        "linear": DiscountSchedule(1.0, 1.0, 1.0),
        "cfr+": DiscountSchedule(inf, -inf, 1.0),
        "dcfr": DiscountSchedule(1.5, 0.0, 2.0),
        "dcfr+": DiscountSchedule(1.5, -inf, 4.0),
        "dcfr4": DiscountSchedule(1.5, 0.0, 4.0),
        "dcfr6": DiscountSchedule(2.5, 0.0, 6.0, num_rising=75),
        "dcfr-spot": DiscountSchedule(1.75, 0.5, 4.0, num_rising=150, first_alpha=1.25),
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
    schedule, total = DiscountSchedule(1.0, 1.0, gamma), 0.0
    for t in range(1, 20):
        total = total * schedule.weights(t - 1).strategy + 1.0
        assert total == pytest.approx(sum(s**power for s in range(1, t + 1)) / t**power)


@pytest.mark.parametrize("name", VARIANTS)
def test_rows_of_weights_are_those_of_single_iterations(name):
    schedule = VARIANTS[name]
    expected = [schedule.weights(t) for t in range(50)]
    np.testing.assert_allclose(schedule.weight_rows(np.arange(50)), expected, rtol=1e-15)


def test_alpha_rises_from_one():
    rising, linear, settled = VARIANTS["dcfr6"], LINEAR, DiscountSchedule(2.5, 0.0, 6.0)
    assert rising.weights(1) == pytest.approx(settled.weights(1))  # 1 to any power is 1
    middle = DiscountSchedule(2.0, 0.0, 6.0)
    assert rising.weights(50) == pytest.approx(middle.weights(50))
    assert linear.weights(5).positive_regret < rising.weights(5).positive_regret
    assert rising.weights(75) == settled.weights(75)
    assert rising.weights(100_000) == settled.weights(100_000)


def test_alpha_and_beta_of_spots_rise_together():
    rising, settled = VARIANTS["dcfr-spot"], DiscountSchedule(1.75, 0.5, 4.0)
    assert rising.weights(75) == pytest.approx(DiscountSchedule(1.5, 0.25, 4.0).weights(75))
    assert rising.weights(1).negative_regret == 0.5
    assert rising.weights(150) == settled.weights(150)
