import pickle

import pytest

from runout.abstraction import (
    AbstractionError,
    AbstractionLoadError,
    DuplicateCardError,
    InvalidBoardSizeError,
    InvalidBoundariesError,
    SerializationError,
)
from runout.cards.card import parse_card
from runout.errors import RunoutError

ERRORS = [
    InvalidBoardSizeError(2),
    DuplicateCardError(parse_card("As")),
    AbstractionLoadError("here", "is damaged"),
    InvalidBoundariesError("flop boundaries", "contain NaN"),
    SerializationError("there", "cannot be written"),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_every_error_of_the_family_can_be_caught_as_one(error):
    assert isinstance(error, AbstractionError)
    assert isinstance(error, RunoutError)
    assert str(error) == f"{error.where}: {error.problem}"


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_errors_survive_the_way_from_another_process(error):
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert str(copy) == str(error)


def test_notes_survive_the_way_from_another_process():
    error = DuplicateCardError(parse_card("As"))
    error.add_note("while working on task 3")
    assert pickle.loads(pickle.dumps(error)).__notes__ == ["while working on task 3"]
