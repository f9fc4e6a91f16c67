import math

import pytest
from pydantic_core import PydanticCustomError

from runout.cfr.discounting import DCFR_PLUS, VARIANTS, DiscountSchedule
from runout.config.postflop_readers import (
    MAX_EXPONENT,
    plain_variant,
    read_flops,
    read_raise_sizes,
    read_sprs,
    read_variant,
)

EXPONENTS = {"alpha": 1.5, "beta": -math.inf, "gamma": 4}


def problem_of(read, value):
    with pytest.raises(PydanticCustomError) as caught:
        read(value)
    return caught.value.context["suffix"], caught.value.context["problem"]


def test_stack_to_pot_ratios_keep_their_order():
    assert read_sprs([6, 3.5]) == (6.0, 3.5)
    assert read_sprs((1,)) == read_sprs(1) == (1.0,)


@pytest.mark.parametrize(
    ("value", "suffix", "problem"),
    [
        (0, "", "0 is not a positive stack-to-pot ratio"),
        ([3.5, -1], "[1]", "-1 is not a positive stack-to-pot ratio"),
        ([True], "[0]", "true is not a positive stack-to-pot ratio"),
        (math.nan, "", ".nan is not a positive stack-to-pot ratio"),
        ([math.inf], "[0]", ".inf is not a positive stack-to-pot ratio"),
        ("3.5", "", "'3.5' is not a positive stack-to-pot ratio"),
        (None, "", "null is not a positive stack-to-pot ratio"),
        ({"flop": 1}, "", "a mapping is not a positive stack-to-pot ratio"),
        ([1, 2, 1.0], "[2]", "1.0 comes twice, each stack-to-pot ratio may come once"),
        ([], "", "empty, give at least one stack-to-pot ratio such as [3.5]"),
        ("auto", "", "'auto' is not available yet, it needs the preflop tree: write [3.5]"),
        (["auto"], "[0]", "'auto' is not available yet, it needs the preflop tree: write [3.5]"),
    ],
)
def test_ratios_that_make_no_sense_are_refused(value, suffix, problem):
    assert problem_of(read_sprs, value) == (suffix, problem)


def test_flops_are_read_in_any_spelling_and_keep_their_suits_and_order():
    assert read_flops(["2c 3h 4d", "AHKSqd"]) == ("2c3h4d", "AhKsQd")
    assert read_flops(None) is None


@pytest.mark.parametrize(
    ("value", "suffix", "problem"),
    [
        (["AhKx7s"], "[0]", "'AhKx7s' is not a flop ('Kx': 'x' is not a suit, use one of cdhs)"),
        (["AhKsQd", "AhKd"], "[1]", "2 cards, a flop has 3"),
        (["AhAhKd"], "[0]", "comes twice"),
        ([""], "[0]", "0 cards, a flop has 3"),
        ([234], "[0]", "234 is not a flop such as AhKd7s"),
        ([None], "[0]", "null is not a flop such as AhKd7s"),
        (["AhKd7s", "7cAdKh"], "[1]", "'7cAdKh' is 'AhKd7s' up to suits, each flop may come once"),
        ([], "", "empty, give at least one flop such as AhKd7s"),
        ("AhKd7s", "", "'AhKd7s' is not a list of flops, write [AhKd7s]"),
    ],
)
def test_what_is_not_a_flop_is_refused(value, suffix, problem):
    where, what = problem_of(read_flops, value)
    assert where == suffix
    assert problem in what


@pytest.mark.parametrize("name", VARIANTS)
def test_variants_have_names(name):
    assert read_variant(name) == plain_variant(name) == name


def test_variants_may_be_given_by_their_exponents():
    assert read_variant(EXPONENTS) == DCFR_PLUS
    assert plain_variant(DCFR_PLUS) == EXPONENTS
    assert read_variant(DCFR_PLUS) == DCFR_PLUS


@pytest.mark.parametrize(
    ("value", "suffix", "problem"),
    [
        ("dcrf", "", "dcfr+, or a mapping of alpha, beta and gamma, did you mean dcfr?"),
        (3, "", "3 is not one of vanilla, linear, cfr+, dcfr, dcfr+, or a mapping"),
        ([], "", "[] is not one of vanilla"),
        ({"alpha": 1, "beta": 1}, "", "gamma is missing, give alpha, beta and gamma"),
        (EXPONENTS | {"gama": 1}, ".gama", "unknown key, did you mean gamma?"),
        (EXPONENTS | {"x": 1}, ".x", "unknown key, give alpha, beta and gamma"),
        (EXPONENTS | {"alpha": "1"}, ".alpha", "'1' is not a number from -20 to 20, .inf or -.inf"),
        (EXPONENTS | {"alpha": math.nan}, ".alpha", ".nan is not a number from -20 to 20"),
        (EXPONENTS | {"beta": True}, ".beta", "true is not a number"),
        (EXPONENTS | {"beta": -21}, ".beta", "-21 is not a number from -20 to 20"),
        (EXPONENTS | {"gamma": -1}, ".gamma", "-1 is not a number from 0 to 20"),
        (EXPONENTS | {"gamma": math.inf}, ".gamma", ".inf is not a number from 0 to 20"),
    ],
)
def test_variants_that_do_not_exist_are_refused(value, suffix, problem):
    where, what = problem_of(read_variant, value)
    assert where == suffix
    assert problem in what


@pytest.mark.parametrize("exponent", [-MAX_EXPONENT, MAX_EXPONENT, math.inf, -math.inf])
def test_allowed_exponents_never_overflow(exponent):
    schedule = read_variant({"alpha": exponent, "beta": exponent, "gamma": MAX_EXPONENT})
    assert isinstance(schedule, DiscountSchedule)
    assert all(0.0 <= weight <= 1.0 for weight in schedule.weights(10**9))


def test_no_raise_sizes_mean_those_of_the_bets():
    assert read_raise_sizes(None) is None
    assert read_raise_sizes(["2.5x"]) == ("2.5x",)
