"""The preflop stage does what the config says and tells what it does."""

import numpy as np

from runout.events import PreflopSolving
from runout.execution.workplace import Workplace
from runout.pipeline.preflop_stage import PreflopStage
from runout.results.value_book import ValueBook
from tests.pipeline.small_runs import Watch, run_config


def solve(number=0, **keys):
    watch, config = Watch(), run_config(**keys)
    stage = PreflopStage(config, config.preflop.tree, Workplace(1, watch))
    return stage.solve(ValueBook.raw_equity(), number), watch.of(PreflopSolving)


def test_it_ends_at_the_threshold_of_the_config():
    solution, _ = solve(preflop_exploitability_threshold_mbb=20.0, iterations=10_000)
    assert solution.report.exploitability_mbb <= 20.0
    assert solution.report.iterations < 10_000


def test_it_ends_after_the_iterations_of_the_config():
    solution, _ = solve(preflop_exploitability_threshold_mbb=None, iterations=31)
    assert solution.report.iterations == 31


def test_every_iteration_is_reported_in_thousandths_of_a_big_blind():
    solution, events = solve(number=2, preflop_exploitability_threshold_mbb=1e-6, iterations=50)
    assert [event.iteration for event in events] == list(range(1, 51))
    assert {event.round for event in events} == {2}
    assert {event.max_iterations for event in events} == {50}
    assert events[23].exploitability_mbb is None
    assert events[24].exploitability_mbb == dict(solution.report.curve_mbb)[25]


def test_the_variant_is_that_of_the_config():
    strategies = [
        solve(cfr_variant=variant, iterations=20)[0].strategy for variant in ("dcfr+", "linear")
    ]
    assert np.abs(strategies[0] - strategies[1]).max() > 0.01
