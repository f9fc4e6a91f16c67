"""The public names: documented, typed, with examples that run. One section for each owner."""

import doctest
from importlib import import_module

import pytest

import runout

#: Public names whose docstrings have examples that run within a second.
WITH_EXAMPLES = ["Range", "parse_board", "Abstraction", "RunContext", "solve_flop"]


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples_of_docstrings_run(name):
    thing = getattr(runout, name)
    found = doctest.DocTestFinder(recurse=False).find(thing, name, globs={})
    assert sum(len(test.examples) for test in found) > 0
    runner = doctest.DocTestRunner(verbose=False)
    for test in found:
        assert runner.run(test).failed == 0


@pytest.mark.parametrize("name", [name for name in runout.__all__ if name != "__version__"])
def test_a_public_name_is_the_one_of_its_module_and_has_a_docstring(name):
    thing = getattr(runout, name)
    assert thing is getattr(import_module(runout._MODULE_BY_NAME[name]), name)
    assert thing.__doc__
