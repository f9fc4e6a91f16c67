import copy
import pickle

import pytest
from pydantic_core import PydanticCustomError

from runout.config.size_choice import SizeTable, plain_sizes, read_sizes, sizes_at
from runout.trees.bet_sizing import GeometricSize, LastBetMultiple, PotFraction

NESTED = {"flop": ["33%"], "turn": {"oop": [0.75], "ip": [0.5, 1]}, "river": ["75%", "e"]}


def problem_of(value, for_raises=False):
    with pytest.raises(PydanticCustomError) as caught:
        read_sizes(value, for_raises=for_raises)
    return caught.value.context["suffix"], caught.value.context["problem"]


def test_one_list_is_for_everybody():
    choice = read_sizes([0.5, 1, "33.0%"], for_raises=False)
    assert choice == (0.5, 1.0, "33%")
    assert sizes_at(choice, "turn", "ip", for_raises=False) == tuple(
        map(PotFraction, (0.5, 1.0, 0.33))
    )


def test_a_text_with_commas_is_a_list():
    assert read_sizes("33%, E", for_raises=False) == ("33%", "e")


def test_sizes_may_differ_by_street_and_player():
    choice = read_sizes(NESTED, for_raises=False)
    assert sizes_at(choice, "flop", "oop", for_raises=False) == (PotFraction(0.33),)
    assert sizes_at(choice, "turn", "oop", for_raises=False) == (PotFraction(0.75),)
    assert sizes_at(choice, "turn", "ip", for_raises=False)[1] == PotFraction(1.0)
    assert sizes_at(choice, "river", "ip", for_raises=False)[1] == GeometricSize()


def test_sizes_may_differ_by_player_alone():
    choice = read_sizes({"ip": ["3x"], "oop": [1]}, for_raises=True)
    assert sizes_at(choice, "river", "ip", for_raises=True) == (LastBetMultiple(3.0),)
    assert sizes_at(choice, "flop", "oop", for_raises=True) == (PotFraction(1.0),)


def test_tables_read_like_what_was_given_and_read_back_the_same():
    choice = read_sizes(NESTED, for_raises=False)
    assert isinstance(choice, SizeTable)
    assert plain_sizes(choice) == NESTED
    assert len(choice) == 3
    assert read_sizes(choice, for_raises=False) == choice
    assert hash(read_sizes(choice, for_raises=False)) == hash(choice)
    assert pickle.loads(pickle.dumps(choice)) == copy.deepcopy(choice) == choice
    assert repr(choice["flop"]) in repr(choice)


@pytest.mark.parametrize(
    ("value", "suffix", "problem"),
    [
        ([0.5, -0.5], "[1]", "-0.5 is not a positive pot fraction"),
        ([0], "[0]", "0 is not a positive pot fraction"),
        ([50], "[0]", "50 is 50 times the pot, write 0.5 or '50%' for a percentage"),
        (["half"], "[0]", "'half' is not a bet size"),
        (["0.5"], "[0]", "'0.5' has no unit"),
        (["100c"], "[0]", "'100c' is in chips"),
        (["2.5x"], "[0]", "for raises only"),
        ([True], "[0]", "true is not a positive pot fraction or a text such as '33%'"),
        ([None], "[0]", "null is not a positive pot fraction"),
        ([float("nan")], "[0]", ".nan is not a positive pot fraction"),
        ([float("inf")], "[0]", ".inf is not a positive pot fraction"),
        ([10**400], "[0]", "is not a positive pot fraction"),
        ([[0.5]], "[0]", "[0.5] is not a positive pot fraction"),
        ([{"flop": 1}], "[0]", "a mapping is not a positive pot fraction"),
        ([], "", "empty, give at least one bet size"),
        ("", "", "empty, give at least one bet size"),
        (0.5, "", "0.5 is not a list of bet sizes, write [0.5, 1.0]"),
        (None, "", "null is not a list of bet sizes"),
        ({}, "", "flop is missing, give flop, turn and river"),
        ({"flop": [1], "turn": [1]}, "", "river is missing, give flop, turn and river"),
        ({"oop": [1]}, "", "ip is missing, give oop and ip"),
        (NESTED | {"turm": [1]}, ".turm", "unknown key, did you mean turn?"),
        (NESTED | {"xyz": [1]}, ".xyz", "unknown key, give flop, turn and river"),
        (NESTED | {"flop": []}, ".flop", "empty"),
        (NESTED | {"flop": [1, "b"]}, ".flop[1]", "'b' is not a bet size"),
        (NESTED | {"turn": {"oop": [1]}}, ".turn", "ip is missing, give oop and ip"),
        (NESTED | {"turn": {"oop": [1], "ip": [-1]}}, ".turn.ip[0]", "-1 is not a positive"),
        ({"oop": [1], "ip": NESTED}, ".ip", "a mapping is not a list of bet sizes"),
        (NESTED | {"turn": {"oop": [1], "pi": [1]}}, ".turn.pi", "unknown key, did you mean ip?"),
    ],
)
def test_errors_name_the_part_that_is_at_fault(value, suffix, problem):
    where, what = problem_of(value)
    assert where == suffix
    assert problem in what


def test_a_multiple_of_the_last_bet_is_above_one():
    assert problem_of(["1x"], for_raises=True) == (
        "[0]",
        "'1x' is not a raise, the factor must be above 1",
    )


def test_a_spot_has_chips_and_empty_lists_and_leaves_streets_out():
    sizes = {"turn": [], "river": {"oop": "100c", "ip": ["50%"]}}
    choice = read_sizes(sizes, for_raises=False, of_spot=True)
    assert plain_sizes(choice) == {"turn": [], "river": {"oop": ["100c"], "ip": ["50%"]}}
    assert sizes_at(choice, "turn", "oop", for_raises=False) == ()
