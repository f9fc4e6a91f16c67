import inspect
import pickle

import pytest

from runout import errors
from runout.errors import RunoutError, one_line, quote, shorten

ERRORS = [
    error
    for _, error in inspect.getmembers(errors, inspect.isclass)
    if issubclass(error, RunoutError)
]


@pytest.mark.parametrize("error_type", ERRORS)
def test_errors_say_where_and_what(error_type):
    error = error_type("board 'AhAh'", "Ah comes twice")
    assert str(error) == "board 'AhAh': Ah comes twice"
    assert (error.where, error.problem) == ("board 'AhAh'", "Ah comes twice")


@pytest.mark.parametrize("error_type", ERRORS)
def test_errors_survive_the_way_from_another_process(error_type):
    error = error_type("here", "a problem")
    error.add_note("while working on task 3")
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is error_type
    assert (str(copy), copy.where, copy.problem) == ("here: a problem", "here", "a problem")
    assert copy.__notes__ == ["while working on task 3"]


def test_errors_have_a_common_base():
    assert len(ERRORS) > 1
    assert not issubclass(RunoutError, ValueError)  # ValueError is a defect, these are the user's


def test_an_error_is_one_line_whatever_came():
    error = RunoutError("a\nb", "\x1b[31m is\u2028 not \ud800 allowed")
    assert str(error) == r"a\nb: \x1b[31m is\u2028 not \ud800 allowed"
    assert one_line("Ah\u00e9 7s") == "Ah\u00e9 7s"


def test_what_came_is_quoted_and_cut():
    assert quote("AKx") == "'AKx'"
    assert quote(-0.5) == "-0.5"
    assert quote("A" * 100_000) == "'" + "A" * 59 + "..."
    assert len(quote(list(range(1000)))) == 63
    assert shorten("as it is") == "as it is"
    assert shorten("x" * 1000) == "x" * 300 + "..."
