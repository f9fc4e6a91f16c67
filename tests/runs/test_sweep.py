import math
from dataclasses import replace

import numpy as np
import pytest
import scipy.stats

import runout
from runout.config.load import SweepConfig, parse_config
from runout.errors import ConfigError
from runout.execution.context import RunContext
from runout.runs import compare
from runout.runs.compare import JudgeJob
from runout.runs.sweep import (
    MEASURES,
    Estimate,
    Sweep,
    SweepRow,
    list_points,
    list_tasks,
    run_sweep,
    student_quantile,
    summarize,
)


def make_points(text):
    return list_points(parse_config(text, SweepConfig))


@pytest.fixture
def points():
    return make_points(
        """
sweep: {grid: {rebucket_rounds: [1, 2]}, seeds: [0, 1, 2]}
postflop_model: {solve_type: bucketed, fixed_flops: [AhKd7s, Qh7h2h], postflop_sprs: [2.0]}
""",
    )


def make_rows(points, real):
    """Rows whose first measure is made up, and whose others are nothing."""
    return [
        SweepRow(task, dict.fromkeys(MEASURES, 0.0) | {"real": real(task)})
        for task in list_tasks(points)
    ]


def test_every_choice_solves_every_flop_with_every_seed(points):
    tasks = list_tasks(points)
    assert len(tasks) == 2 * 3 * 2
    assert len({str(task) for task in tasks}) == 12
    assert all(len(task.model.flop_list()) == 1 for task in tasks)


def test_errors_are_those_of_the_mean_over_seeds():
    estimate = Estimate.of([1.0, 2.0, 6.0])
    assert estimate.mean == 3.0
    assert estimate.error == pytest.approx(math.sqrt(7.0 / 3.0))  # variance 7 of one, 3 of them
    assert math.isnan(Estimate.of([1.0]).error)


def test_intervals_are_those_of_students_t():
    for degrees in range(1, 40):
        expected = scipy.stats.t.ppf(0.975, degrees)
        assert student_quantile(degrees) == pytest.approx(expected, rel=2e-4)
    estimate = Estimate.of([1.0, 2.0, 6.0])
    low, high = scipy.stats.t.interval(0.95, 2, estimate.mean, estimate.error)
    assert estimate.interval == pytest.approx((high - low) / 2, rel=1e-4)


@pytest.mark.parametrize("num_seeds", [2, 3, 5])
def test_equal_choices_differ_significantly_in_one_of_twenty_sweeps(num_seeds):
    draws = np.random.default_rng(0).normal(size=(4000, num_seeds))
    found = [Estimate.of(row) for row in draws.tolist()]
    share = np.mean([abs(each.mean) > each.interval for each in found])
    assert 0.04 < share < 0.06  # two standard errors: 0.18 to 0.3 for 2 and 3 seeds


def test_what_seeds_share_is_no_error_of_a_difference(points):
    """A seed moves both choices alike; the second is better by 2 on all of them."""
    rows = make_rows(points, lambda task: 10.0 + 5.0 * task.seed - 2.0 * task.point)
    first, second = summarize(points, rows)
    assert (first.num_seeds, first.num_solves, first.difference) == (3, 6, None)
    assert first.by_measure["real"] == Estimate.of([10.0, 15.0, 20.0])
    assert second.difference == Estimate(-2.0, 0.0, 0.0)


def test_flops_are_no_error(points):
    rows = make_rows(points, lambda task: 1.0 if task.flop == "AhKd7s" else 3.0)
    (first, _) = summarize(points, rows)
    assert first.by_measure["real"] == Estimate(2.0, 0.0, 0.0)


def test_only_seeds_that_are_finished_on_all_flops_count(points):
    rows = make_rows(points, lambda task: float(task.seed))
    cut = [row for row in rows if (row.task.seed, row.task.flop) != (2, "Qh7h2h")]
    first, second = summarize(points, cut)
    assert (first.num_seeds, first.num_solves) == (2, 5)
    assert second.difference == Estimate(0.0, 0.0, 0.0)


def test_a_choice_without_chance_is_compared_with_every_seed():
    points = make_points(
        """
sweep: {grid: [{solve_type: exhaustive}, {solve_type: bucketed}], seeds: 2}
postflop_model: {fixed_flops: [AhKd7s], postflop_sprs: [2.0]}
""",
    )
    rows = make_rows(points, lambda task: 1.0 if task.point == 0 else 2.0 + 2.0 * task.seed)
    _, second = summarize(points, rows)
    assert second.difference == Estimate.of([1.0, 3.0])
    turned = summarize(points[::-1], [replace_point(row) for row in rows])
    assert turned[1].difference == Estimate.of([-1.0, -3.0])


def replace_point(row):
    return replace(row, task=replace(row.task, point=1 - row.task.point))


@pytest.mark.slow
def test_finished_solves_are_not_repeated(tmp_path, monkeypatch):
    points = make_points(
        """
sweep: {grid: {postflop_solve_iterations: [2, 4]}, seeds: 2}
postflop_model:
  {solve_type: exhaustive, fixed_flops: [Qh7h2h], postflop_sprs: [1.0], bet_sizes: [1.0],
   max_raises_per_street: 0}
""",
    )
    context = RunContext(1, checkpoints=tmp_path / "ledger")
    first = list(run_sweep(points, context))
    assert len(first) == 2  # not random
    monkeypatch.setattr(JudgeJob, "run", None)
    again = list(run_sweep(points, context))
    assert {row.task.point: row.values for row in again} == {r.task.point: r.values for r in first}
    assert all(row.values["real"] >= row.values["own"] - 1e-5 for row in first)


def test_values_are_compared_with_those_of_the_exact_choice():
    points = make_points(
        """
sweep: {grid: {solve_type: [exact, exhaustive]}, seeds: 2}
postflop_model: {fixed_flops: [AhKd7s, Qh7h2h], postflop_sprs: [2.0]}
""",
    )
    values = np.full((2, 169, 169), 0.5, np.float32)
    rows = [
        replace(row, value_pot=values + np.float32(0.01 * row.task.point))
        for row in make_rows(points, lambda task: 0.0)
        if (row.task.flop, row.task.point) != ("Qh7h2h", 0)
    ]
    hands = {(r.task.flop, r.task.point): r.values["hand"] for r in Sweep.of(points, rows).rows}
    assert hands.pop(("AhKd7s", 0)) == 0.0
    assert hands.pop(("AhKd7s", 1)) == pytest.approx(0.01, rel=1e-5)
    assert hands == {("Qh7h2h", 1): 0.0}  # is left as it was: nothing exact is known


def by_rank(board):
    return np.array([high // 4 for high in range(52) for low in range(high)])


def test_own_buckets_are_choices_whose_times_do_not_count_compiling(monkeypatch):
    monkeypatch.setattr(compare, "solve_time", lambda: 7.0)  # kernels are compiled all the time
    model = {
        "solve_type": "bucketed",
        "fixed_flops": ["AhKd7s"],
        "postflop_sprs": [1.0],
        "bet_sizes": ["a"],
        "max_raises_per_street": 0,
        "postflop_solve_iterations": 2,
    }
    grid = {"grid": {"num_hand_buckets_river": [5]}, "seeds": [0]}
    config = {"sweep": grid, "postflop_model": model}
    own = {"nothing": lambda board: np.zeros(1326, int), "ranks": by_rank}
    found = runout.sweep(config, context=RunContext(1), abstractions=own)
    labels = [point.label for point in found.points]
    assert labels == [
        "num_hand_buckets_river 5" + end for end in ("", ", buckets nothing", ", buckets ranks")
    ]
    assert len({row.values["real"] for row in found.rows}) == 3
    assert {row.values["seconds"] for row in found.rows} == {0.0}
    assert found.to_dataframe().choice.tolist() == labels
    (first,) = found.points[0].models
    solved = runout.solve_flop("AhKd7s", first, abstraction=by_rank)
    real = found.rows[[row.task.point for row in found.rows].index(2)].values["real"]
    assert real == pytest.approx(runout.exploitability(solved), abs=1e-6)
    with pytest.raises(ConfigError, match="own buckets cannot be recognised later"):
        runout.sweep(config, context=RunContext(checkpoints="x"), abstractions=own)
    tested = compare.label_backend(first, "bucketed:1", by_rank)
    assert tested.label == "bucketed:1:by_rank"
    (row,) = compare.compare_backends(
        [tested], [solved.spot.board], [solved.spot.tree], RunContext(1)
    )
    assert row.real_exploitability_pot == pytest.approx(real, abs=1e-6)


def test_what_is_not_random_is_solved_once():
    points = make_points(
        """
sweep: {grid: {solve_type: [exhaustive, mccfr]}, seeds: [4, 7]}
postflop_model: {solve_type: mccfr, fixed_flops: [AhKd7s]}
"""
    )
    assert [point.label for point in points] == ["solve_type exhaustive", "solve_type mccfr"]
    assert [[model.seed for model in point.models] for point in points] == [[4], [4, 7]]
