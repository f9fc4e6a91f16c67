import math
import pickle

import pytest
from pydantic_core import PydanticCustomError

from runout.config.preflop_readers import (
    SizesByPosition,
    digest_position_sizes,
    plain_position_sizes,
    plain_stacks,
    read_position_sizes,
    read_stacks,
)
from runout.trees.preflop_betting import PreflopRules

BY_POSITION = {"sb": [["2.5bb"], ["3x"]], "bb": [["3bb"], ["allin"]]}


def problem_of(read, value):
    with pytest.raises(PydanticCustomError) as caught:
        read(value)
    return caught.value.context["suffix"], caught.value.context["problem"]


def test_one_stack_is_that_of_both_players():
    assert read_stacks(25) == read_stacks([25, 25.0]) == (25.0, 25.0)
    assert read_stacks([25, 40]) == (25.0, 40.0)
    assert plain_stacks((25.0, 25.0)) == 25.0
    assert plain_stacks((25.0, 40.0)) == [25.0, 40.0]


@pytest.mark.parametrize(
    ("value", "suffix", "problem"),
    [
        (0, "", "0 is not a positive number of big blinds"),
        (1e300, "", "1e+300 is more than 100,000 big blinds"),
        (-3, "", "-3 is not a positive number of big blinds"),
        ([25, -3], "[1]", "-3 is not a positive number of big blinds"),
        ([None, 25], "[0]", "null is not a positive number of big blinds"),
        (True, "", "true is not a positive number of big blinds"),
        ("25bb", "", "'25bb' is not a positive number of big blinds"),
        (math.inf, "", ".inf is not a positive number of big blinds"),
        (math.nan, "", ".nan is not a positive number of big blinds"),
        ({"sb": 25}, "", "a mapping is not a positive number of big blinds"),
        ([25], "", "1 stack given, write one number or [sb, bb]"),
        ([25, 25, 25], "", "3 stacks given, write one number or [sb, bb]"),
        ([], "", "0 stacks given, write one number or [sb, bb]"),
    ],
)
def test_stacks_that_make_no_sense_are_refused(value, suffix, problem):
    assert problem_of(read_stacks, value) == (suffix, problem)


@pytest.mark.parametrize(
    "value",
    [
        [["2.5bb", "3bb"], ["3x"], ["allin"]],
        ["2.5bb, 3bb", "3x", "allin"],
        [["2.50bb", "3 bb".replace(" ", "")], "3.0x", ["ALL-IN"]],
        "2.5bb, 3bb; 3x; a",
        (("2.5bb", "3bb"), ("3x",), ("allin",)),
    ],
)
def test_sizes_by_depth_have_many_forms_and_one_meaning(value):
    sizes = read_position_sizes(value)
    assert sizes == PreflopRules.parse(25, "2.5bb, 3bb; 3x; allin").raise_sizes
    assert plain_position_sizes(sizes) == [["2.5bb", "3bb"], ["3x"], ["allin"]]
    assert read_position_sizes({"sb": value, "bb": value}) == sizes


def test_sizes_may_differ_by_position():
    sizes = read_position_sizes(BY_POSITION)
    assert sizes == PreflopRules.parse(25, BY_POSITION).raise_sizes
    assert plain_position_sizes(sizes) == BY_POSITION
    assert read_position_sizes(sizes) is sizes
    copy = pickle.loads(pickle.dumps(sizes))
    assert (copy, type(copy), hash(copy)) == (sizes, SizesByPosition, hash(sizes))


def test_no_sizes_are_a_choice_too():
    assert read_position_sizes([]) == read_position_sizes("") == ((), ())
    assert read_position_sizes([[], ["allin"]]).sb[0] == ()


@pytest.mark.parametrize(
    ("value", "suffix", "problem"),
    [
        ([["2.5bb", "1x"]], "[0][1]", "'1x' is not a raise, the factor must be above 1"),
        ([["2.5bb"], ["big"]], "[1][0]", "'big' is not a raise size, write 2.5bb (big blinds)"),
        (["2.5bb", "3x, big"], "[1][1]", "' big' is not a raise size"),
        ("2.5bb; 3x, 0p", "[1][1]", "' 0p' is not a positive pot fraction"),
        ([["0bb"]], "[0][0]", "'0bb' is not a positive number of big blinds"),
        ([["33%"]], "[0][0]", "'33%' is not a raise size"),
        ([["2.5"]], "[0][0]", "'2.5' has no unit, write 2.5bb (big blinds)"),
        ([[2.5]], "[0][0]", "2.5 has no unit, write 2.5bb for big blinds"),
        ([3], "[0]", "3 has no unit, write 3bb for big blinds"),
        ([[None]], "[0][0]", "null is not a raise size such as 2.5bb"),
        ([None], "[0]", "null is not a raise size such as 2.5bb"),
        ([[True]], "[0][0]", "true is not a raise size such as 2.5bb"),
        ([math.nan], "[0]", ".nan is not a raise size such as 2.5bb"),
        ([["2bb", ["3bb"]]], "[0][1]", "['3bb'] is not a raise size such as 2.5bb"),
        ([{"sb": "2bb"}], "[0]", "a mapping is not a raise size such as 2.5bb"),
        (2.5, "", "2.5 is not a list by raise depth, write [[2.5bb], [3x], [allin]] or {sb:"),
        (None, "", "null is not a list by raise depth"),
        ({}, "", "sb is missing, give sb and bb"),
        ({"sb": ["2bb"]}, "", "bb is missing, give sb and bb"),
        (BY_POSITION | {"oop": []}, ".oop", "unknown key, give sb and bb"),
        (BY_POSITION | {"bbb": []}, ".bbb", "unknown key, did you mean bb?"),
        (BY_POSITION | {"bb": None}, ".bb", "null is not a list by raise depth"),
        (BY_POSITION | {"bb": [["3bb"], ["x"]]}, ".bb[1][0]", "'x' is not a raise size"),
        (BY_POSITION | {"sb": [[1]]}, ".sb[0][0]", "1 has no unit, write 1bb for big blinds"),
    ],
)
def test_sizes_that_make_no_sense_are_refused(value, suffix, problem):
    where, what = problem_of(read_position_sizes, value)
    assert where == suffix
    assert what.startswith(problem)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([["2bb", "3bb"]], [["3bb", "2.0bb", "2bb"]]),
        (["2bb", "3x"], ["2bb", "3x", "3x", "3x"]),
        ([], [[]]),
        (["2bb"], {"sb": "2bb", "bb": "2bb"}),
    ],
)
def test_sizes_that_mean_the_same_have_the_same_digest(one, other):
    digests = [digest_position_sizes(read_position_sizes(value)) for value in (one, other)]
    assert digests[0] == digests[1]


def test_other_sizes_have_another_digest():
    values = (["2bb", "3x"], ["2bb"], ["2bb", "3x", "2bb"], ["3x", "2bb"], BY_POSITION, [])
    digests = [str(digest_position_sizes(read_position_sizes(value))) for value in values]
    assert len(set(digests)) == len(values)
