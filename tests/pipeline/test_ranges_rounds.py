"""Rounds in which flops are solved with the ranges that arrive there."""

import numpy as np
import pytest

from runout.events import FlopSolved, PreflopSolving, RangesRoundFinished
from runout.execution.workplace import Workplace
from runout.pipeline import ranges_rounds
from runout.pipeline.ranges_rounds import _damp, share_of_new_ranges
from runout.pipeline.run import solve_preflop
from runout.postflop.postflop_abstraction import PostflopAbstraction
from runout.results.value_book import ValueSource
from tests.pipeline.small_runs import FLOPS, Watch, run_config, solved_run

NUM_LEAVES = 3


def solve_rounds(**keys):
    watch = Watch()
    run = solve_preflop(run_config(**keys), Workplace(1, watch))
    return run, watch


@pytest.fixture(scope="module")
def one_round():
    return solve_rounds(ranges_rounds=1)


@pytest.fixture(scope="module")
def two_rounds():
    return solve_rounds(ranges_rounds=2, ranges_tolerance=0.0)


def record_ranges(monkeypatch):
    """Returns a list that will hold the ratios and the ranges of every solve of flops."""
    seen, carry_out = [], PostflopAbstraction.carry_out

    def record(plan, workplace, ranges=None):
        seen.append((plan.config.postflop_sprs, ranges))
        return carry_out(plan, workplace, ranges)

    monkeypatch.setattr(PostflopAbstraction, "carry_out", record)
    return seen


def test_no_rounds_are_the_plain_run():
    run, watch = solve_rounds(ranges_rounds=0)
    np.testing.assert_array_equal(run.solution.strategy, solved_run().solution.strategy)
    assert run.solution.report.ranges_rounds == ()
    assert watch.of(RangesRoundFinished) == []


def test_each_round_solves_every_leaf_on_every_flop(two_rounds):
    _, watch = two_rounds
    assert len(watch.of(FlopSolved)) == len(FLOPS) * (1 + 2 * NUM_LEAVES)


def test_each_round_reports_its_change_and_exploitability(two_rounds):
    run, watch = two_rounds
    rounds, told = run.solution.report.ranges_rounds, watch.of(RangesRoundFinished)
    assert [done.number for done in rounds] == [1, 2]
    for done, event in zip(rounds, told, strict=True):
        assert (event.round, event.total_rounds) == (done.number, 2)
        assert (event.change, event.exploitability_mbb) == (done.change, done.exploitability_mbb)
        assert 0.0 < done.change < 1.0
        assert 0.0 < done.flop_exploitability_pot < 0.5
    assert rounds[-1].exploitability_mbb == run.solution.report.exploitability_mbb
    assert sorted({event.round for event in watch.of(PreflopSolving)}) == [0, 1, 2]


def test_the_change_is_measured_from_the_round_before(one_round, two_rounds):
    (one, _), (run, _) = one_round, two_rounds
    rounds = run.solution.report.ranges_rounds
    assert rounds[0].change == one.solution.change_from(solved_run().solution)
    assert rounds[1].change == run.solution.change_from(one.solution)


def test_the_strategies_of_all_rounds_are_kept(one_round, two_rounds):
    (one, _), (run, _) = one_round, two_rounds
    before, first = run.solution.earlier_strategies
    np.testing.assert_array_equal(before, solved_run().solution.strategy)
    np.testing.assert_array_equal(first, one.solution.strategy)


def test_leaves_say_which_round_they_were_solved_in(two_rounds):
    run, _ = two_rounds
    for leaf in run.solution.tree.flop_leaves():
        source = run.solution.report.flop_leaves[leaf.path]
        assert source.source is ValueSource.SOLVED
        assert source.detail == f"solved at SPR {leaf.spr:g} with the ranges of round 2"


def test_rounds_end_when_the_strategy_settles():
    run, _ = solve_rounds(ranges_rounds=5, ranges_tolerance=1.0)
    assert len(run.solution.report.ranges_rounds) == 1


def test_flops_are_solved_with_the_ranges_that_arrive(monkeypatch):
    seen = record_ranges(monkeypatch)
    solve_rounds(ranges_rounds=1, ranges_damping=1.0)
    before = solved_run().solution
    for leaf, (sprs, ranges) in zip(before.tree.flop_leaves(), seen[1:], strict=True):
        assert list(sprs) == [leaf.spr]
        arriving = before.arriving_ranges(leaf.node)
        np.testing.assert_allclose(ranges, arriving / arriving.max(axis=1, keepdims=True))


def test_damping_keeps_a_share_of_the_ranges_before(monkeypatch):
    seen = record_ranges(monkeypatch)
    solve_rounds(ranges_rounds=2, ranges_damping=0.25, ranges_tolerance=0.0)
    before = solved_run().solution
    limped = [leaf.path for leaf in before.tree.flop_leaves()].index("c-x")
    first, second = (seen[1 + NUM_LEAVES * number + limped][1] for number in (0, 1))
    arriving = before.arriving_ranges(before.tree.find_node("c-x"))
    scaled = arriving / arriving.max(axis=1, keepdims=True)
    np.testing.assert_allclose(first, 0.25 * scaled + 0.75)
    # The second moves only a fifth of the way from the first to what arrives then, within 0 and 1.
    assert (second >= 0.8 * first - 1e-12).all()
    assert (second <= 0.8 * first + 0.2 + 1e-12).all()
    assert (np.abs(second - 0.8 * first) > 1e-3).any()


@pytest.mark.parametrize(
    ("damping", "shares"),
    [(1.0, [1, 1 / 2, 1 / 3, 1 / 4]), (0.5, [1 / 2, 1 / 3, 1 / 4, 1 / 5]), (0.25, [1 / 4, 1 / 5])],
)
def test_later_rounds_take_less_of_the_new_ranges(damping, shares):
    numbers = range(1, len(shares) + 1)
    assert [share_of_new_ranges(damping, n) for n in numbers] == pytest.approx(shares)


def test_undamped_ranges_are_the_mean_of_all_that_arrived():
    arrivals = np.random.default_rng(0).random((5, 2, 169))
    arrivals[:, :, 0] = 1.0
    ranges = None
    for number, arriving in enumerate(arrivals, start=1):
        ranges = _damp(ranges, arriving, share_of_new_ranges(1.0, number))
    np.testing.assert_allclose(ranges, arrivals.mean(axis=0))


def test_ranges_are_scaled_to_their_largest_weight():
    arriving = np.full((2, 169), 0.01)
    arriving[1, 5] = 0.04
    damped = _damp(None, arriving, 1.0)
    assert (damped[0] == 1.0).all()
    assert damped[1, 5] == 1.0
    assert damped[1, 6] == pytest.approx(0.25)


def test_a_leaf_that_nobody_reaches_keeps_its_ranges():
    earlier = np.random.default_rng(0).random((2, 169))
    np.testing.assert_allclose(_damp(earlier, np.zeros((2, 169)), 0.5), earlier)
    assert (_damp(None, np.zeros((2, 169)), 0.5) == 1.0).all()


def test_if_all_hands_arrive_a_round_changes_nothing(monkeypatch):
    """Ranges of ones are the plain solve, so the second preflop solve is the first one again."""
    ones = np.ones((2, 169))
    monkeypatch.setattr(ranges_rounds, "_damp", lambda earlier, arriving, share: ones)
    run, _ = solve_rounds(ranges_rounds=3, ranges_tolerance=1e-12)
    assert [done.change for done in run.solution.report.ranges_rounds] == [0.0]
    np.testing.assert_array_equal(run.solution.strategy, solved_run().solution.strategy)


def test_a_killed_run_repeats_no_flop_of_any_round(tmp_path):
    config = run_config(ranges_rounds=2, ranges_tolerance=0.0)
    total = len(FLOPS) * (1 + 2 * NUM_LEAVES)
    killed, resumed = Watch(fail_after=len(FLOPS) + 5), Watch()
    with pytest.raises(ConnectionAbortedError):
        solve_preflop(config, Workplace(1, killed, tmp_path))
    num_finished = len(list(tmp_path.rglob("*.result")))
    assert len(FLOPS) + 5 < num_finished < total
    run = solve_preflop(config, Workplace(2, resumed, tmp_path))
    of_rounds = [e for e in resumed.events if isinstance(e, FlopSolved)]
    assert len(of_rounds) == total
    assert resumed.solved().total() == total - num_finished
    plain = solve_preflop(config, Workplace(1))
    np.testing.assert_array_equal(run.solution.strategy, plain.solution.strategy)
