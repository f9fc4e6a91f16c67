import math

import pytest
from pydantic_core import PydanticCustomError

from runout.cfr.discounting import CFR_PLUS, DCFR_PLUS, VARIANTS, DiscountSchedule
from runout.config.variant import (
    MAX_EXPONENT,
    digest_variant,
    plain_variant,
    read_variant,
    schedule_of,
)

EXPONENTS = {"alpha": 1.5, "beta": -math.inf, "gamma": 4}


def problem_of(read, value):
    with pytest.raises(PydanticCustomError) as caught:
        read(value)
    return caught.value.context["suffix"], caught.value.context["problem"]


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
        ("dcrf", "", "dcfr-spot, or a mapping of alpha, beta and gamma, did you mean dcfr?"),
        (
            3,
            "",
            "3 is not one of vanilla, linear, cfr+, dcfr, dcfr+, dcfr4, dcfr6, dcfr-spot, or a",
        ),
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


@pytest.mark.parametrize("name", VARIANTS)
def test_a_name_and_its_exponents_are_the_same_schedule_and_digest(name):
    exponents = read_variant(plain_variant(VARIANTS[name]))
    assert schedule_of(name) == schedule_of(exponents) == VARIANTS[name]
    assert digest_variant(name) == digest_variant(exponents)


def test_a_digest_spells_out_what_json_does_not_know():
    assert digest_variant(CFR_PLUS) == {"alpha": "inf", "beta": "-inf", "gamma": 1.0}
