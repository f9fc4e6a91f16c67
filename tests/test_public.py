"""The public names: documented, typed, with examples that run. One section for each owner."""

import doctest
from importlib import import_module

import numpy as np
import pytest

import runout
from runout.errors import RunoutError

#: Public names whose docstrings have examples that run within a second.
WITH_EXAMPLES = [
    *("Range", "equity", "evaluate", "flops", "parse_board"),
    *("BettingTree", "CfrSolver", "LeafEvaluator", "Schedule", "StoppingRule", "games"),
    *("Abstraction", "RunContext", "solve_flop", "solve_spot"),
    *("Node", "open"),
    *("RunoutError", "parse_config"),
]


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


# Cards and equities.


def test_functions_are_not_hidden_by_the_subpackages_of_their_names():
    for module in ("runout.equity.preflop", "runout.flops.backend"):
        import_module(module)
    assert runout.equity is import_module("runout.equity.versus").equity
    assert runout.flops is import_module("runout.cards.flops").flops


def test_equity_takes_texts_and_ranges():
    expected = runout.equity("AA", "KK").equity
    assert runout.equity(runout.Range("AA"), "KK").equity == expected
    assert runout.equity("AA", "KK", "").equity == pytest.approx(0.819461, abs=1e-6)
    board = runout.parse_board("AhKsQd")
    assert runout.equity("AA", "KK", board).equity == runout.equity("AA", "KK", "AhKsQd").equity


@pytest.mark.parametrize(
    ("hero", "villain", "board", "problem"),
    [
        ("AhKh", "AhQd", "", "'AhKh' and 'AhQd': both hold Ah"),
        ("AhKh", "KhAh", "", "'AhKh' and 'KhAh': both hold AhKh"),
        ("AhKh,AhQh", "Ah2c", "", "'AhKh,AhQh' and 'Ah2c': both hold Ah"),
        ("AhKh", "QQ", "Ah7s2c", "'AhKh': Ah is on the board Ah7s2c"),
        ("AA", "QQ", "AhAdAc", "'AA': the board AhAdAc blocks every combo"),
        ("AA:0", "QQ", "", "'AA:0': every weight is 0, no combo is left"),
        ("10s9s", "QQ", "", "'10s9s': a ten is written T, not 10"),
        ("AA", "QQ", "10s9s8s", "'10s9s8s': a ten is written T, not 10"),
    ],
)
def test_hands_that_cannot_meet_name_the_card_to_blame(hero, villain, board, problem):
    with pytest.raises(RunoutError) as error:
        runout.equity(hero, villain, board)
    assert str(error.value) == problem


def test_evaluate_takes_rows_of_any_integers():
    hands = np.random.default_rng(0).permuted(np.tile(np.arange(52), (1_000, 1)), axis=1)[:, :7]
    strength = runout.evaluate(hands)
    assert strength.shape == (1_000,)
    np.testing.assert_array_equal(strength, runout.evaluate(hands.astype(np.uint8)))
    assert runout.evaluate(hands[0].tolist()) == strength[0]
    for wrong in (hands[0], hands[:, :4], hands / 2):
        with pytest.raises(RunoutError, match="rows of 5, 6 or 7 whole numbers are needed"):
            runout.evaluate(wrong)


@pytest.mark.parametrize("choice", [{}, {"subset": 8}, {"subset": 30, "seed": 1}])
def test_the_weights_of_flops_sum_to_one(choice):
    flops = runout.flops(**choice)
    assert len(flops) == choice.get("subset", 1_755)
    assert sum(flop.weight for flop in flops) == pytest.approx(1.0)
    assert all(runout.parse_board(flop.name) == flop.cards for flop in flops)


def test_flops_say_which_subsets_there_are():
    with pytest.raises(RunoutError, match="the shipped subsets have 8, 13, 25, 50, 100, 200 flops"):
        runout.flops(subset=9)
    with pytest.raises(RunoutError, match="goes with the size of a subset"):
        runout.flops(seed=1)
