import math
import pickle

import pytest
from pydantic_core import PydanticCustomError

from runout.config.postflop_readers import (
    AutoSprs,
    plain_sprs,
    read_flops,
    read_raise_sizes,
    read_sprs,
)
from runout.errors import ConfigError


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
        (["auto"], "[0]", "'auto' stands alone, write postflop_sprs: auto"),
        ("Auto", "", "'Auto' is not a positive stack-to-pot ratio"),
    ],
)
def test_ratios_that_make_no_sense_are_refused(value, suffix, problem):
    assert problem_of(read_sprs, value) == (suffix, problem)


def test_ratios_may_wait_for_the_preflop_tree():
    auto = read_sprs("auto")
    assert (auto, type(auto)) == (read_sprs(auto), AutoSprs)
    assert plain_sprs(auto) == "auto"
    assert plain_sprs((3.5, 6.0)) == [3.5, 6.0]
    copy = pickle.loads(pickle.dumps(auto))
    assert (type(copy), hash(copy), repr(copy)) == (AutoSprs, hash(auto), "AutoSprs()")


@pytest.mark.parametrize(
    "use", [list, len, bool, lambda sprs: sprs[0], lambda sprs: 3.5 in [*sprs]]
)
def test_ratios_that_wait_are_never_taken_for_no_ratios(use):
    with pytest.raises(ConfigError, match="postflop_sprs: auto has no ratios yet"):
        use(AutoSprs())


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


def test_no_raise_sizes_mean_those_of_the_bets():
    assert read_raise_sizes(None) is None
    assert read_raise_sizes(["2.5x"]) == ("2.5x",)
