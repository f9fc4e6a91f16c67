"""The public names: documented, typed, with examples that run. One section for each owner."""

import doctest
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import runout
from runout.errors import RunoutError

PUBLIC = [name for name in runout.__all__ if name != "__version__"]


@pytest.mark.parametrize("name", PUBLIC)
def test_examples_of_docstrings_run(name):
    thing = getattr(runout, name)
    found = doctest.DocTestFinder(recurse=False).find(thing, name, globs={})
    examples = [example for test in found for example in test.examples]
    assert examples
    assert not any(doctest.SKIP in example.options for example in examples)
    runner = doctest.DocTestRunner(verbose=False)
    for test in found:
        assert runner.run(test).failed == 0


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_name_is_the_one_of_its_module_and_has_a_docstring(name):
    thing = getattr(runout, name)
    assert thing is getattr(import_module(runout._MODULE_BY_NAME[name]), name)
    assert thing.__doc__


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (runout.RunContext(), "RunContext()"),
        (runout.RunContext(2, print), "RunContext(num_workers=2, on_event=print)"),
        (runout.Schedule(gamma=4.0), "Schedule(gamma=4.0)"),
        (runout.StoppingRule(10), "StoppingRule(max_iterations=10)"),
        (runout.FlopsConfig(), "MccfrConfig()"),
        (runout.FlopsConfig(bet_sizes=["33%"]), "MccfrConfig(bet_sizes=['33%'])"),
    ],
)
def test_reprs_show_what_differs_from_the_defaults(value, text):
    assert repr(value) == text


def test_urls_are_no_directories(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    river = {"board": "2c3d4h8s9c", "oop": "AA,QQ", "ip": "KK", "pot": 10, "stack": 10}
    solution = runout.solve_spot(**river, max_iterations=1)
    for use in (
        lambda url: runout.solve_spot(**river, max_iterations=1, directory=url),
        lambda url: solution.save(Path(url)),
        solution.to_parquet,
        runout.open,
        runout.exploitability,
    ):
        with pytest.raises(RunoutError, match=r"s3:/+a/b: is a URL, use a local path"):
            use("s3://a/b")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("keys", [{}, {"rivers": "compact", "river_buckets": 16}])
def test_a_saved_spot_is_judged_like_the_solve(tmp_path, keys):
    flop = {"board": "9s9h4d", "oop": "KK", "ip": "QQ,A9s", "pot": 10, "stack": 5, "bet_sizes": "a"}
    solution = runout.solve_spot(**flop, **keys, max_iterations=10, directory=tmp_path / "spot")
    expected = pytest.approx(runout.exploitability(solution), abs=1e-4)
    assert runout.exploitability(tmp_path / "spot") == expected
    assert runout.exploitability(runout.open(str(tmp_path / "spot"))) == expected


@pytest.mark.parametrize("solve_type", ["mccfr", "exhaustive", "bucketed", "exact", "compact"])
def test_a_schedule_that_a_backend_cannot_play_is_refused(solve_type):
    own = runout.Schedule.custom(lambda t: (1.0, 1.0, 1.0))
    with pytest.raises(RunoutError, match="cfr_variant: is a schedule of your own"):
        runout.solve_flop("AhKd7s", solve_type=solve_type, schedule=own)
    with pytest.raises(RunoutError, match="cfr_variant: is a schedule of your own"):
        runout.solve_spot(board="AhKd7s", oop="AA", ip="KK", pot=1, stack=1, schedule=own)


# Cards and equities.


def test_functions_are_not_hidden_by_the_subpackages_of_their_names():
    for module in ("runout.equity.matchups", "runout.flops.backend"):
        import_module(module)
    assert runout.equity is import_module("runout.equity.matchups").equity
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
        ("10s", "QQ", "", "'10s': Ts is one card, a combo is two without a space: AhKh"),
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
