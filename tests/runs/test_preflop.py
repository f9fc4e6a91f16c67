"""Tests of `runout.runs.preflop`."""

from pathlib import Path

import numpy as np
import pytest

import runout
from runout.cards.deck import parse_canonical_hand
from runout.config.load import load_config, parse_config
from runout.config.run import PreflopConfig, RunConfig
from runout.errors import BundleError, ExecutionError
from runout.events import FlopSolved, PreflopSolving, RangesRoundFinished
from runout.execution.context import RunContext
from runout.flops.hands import HandBackend
from runout.flops.solve import PostflopPlan
from runout.runs import preflop as ranges_rounds
from runout.runs.preflop import _damp, check_directory, share_of_new_ranges, solve_preflop
from runout.solutions.preflop import load_solution
from runout.solutions.values import ValueBook, ValueBundle, ValueSource
from runout.trees.betting import BB, SB
from tests.event_streams import check_stream
from tests.reference.preflop_game import exploitability, make_pair_game
from tests.samples.small_runs import FLOPS, MODEL, Watch, run_config, solved_run

# --------------------------------------------------------------------------------------------------
# Rounds in which flops are solved with the ranges that arrive there.


NUM_LEAVES = 3


def solve_rounds(**keys):
    watch = Watch()
    run = solve_preflop(run_config(**keys), RunContext(1, watch))
    return run, watch


@pytest.fixture(scope="module")
def one_round():
    return solve_rounds(ranges_rounds=1)


@pytest.fixture(scope="module")
def two_rounds():
    return solve_rounds(ranges_rounds=2, ranges_tolerance=0.0)


def record_ranges(monkeypatch):
    """Returns a list that will hold the ratios and the ranges of every solve of flops."""
    seen, carry_out = [], PostflopPlan.carry_out

    def record(plan, context, ranges=None):
        seen.append((plan.config.postflop_sprs, ranges))
        return carry_out(plan, context, ranges)

    monkeypatch.setattr(PostflopPlan, "carry_out", record)
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
    limped = [leaf.path for leaf in before.tree.flop_leaves()].index("c:x")
    first, second = (seen[1 + NUM_LEAVES * number + limped][1] for number in (0, 1))
    arriving = before.arriving_ranges(before.tree.find_node("c:x"))
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
        solve_preflop(config, RunContext(1, killed, tmp_path))
    num_finished = len(list(tmp_path.rglob("*.result")))
    assert len(FLOPS) + 5 < num_finished < total
    run = solve_preflop(config, RunContext(2, resumed, tmp_path))
    of_rounds = [e for e in resumed.events if isinstance(e, FlopSolved)]
    assert len(of_rounds) == total
    assert resumed.solved().total() == total - num_finished
    plain = solve_preflop(config, RunContext(1))
    np.testing.assert_array_equal(run.solution.strategy, plain.solution.strategy)


# --------------------------------------------------------------------------------------------------
# From a config to saved results: the main job, end to end.


CONFIGS = Path(__file__).parents[2] / "configs"
AA = parse_canonical_hand("AA")


def test_flops_come_first_and_preflop_after_them():
    watch = Watch()
    solve_preflop(run_config(), RunContext(1, watch))
    kinds = [type(event) for event in watch.events]
    last_flop = len(kinds) - 1 - kinds[::-1].index(FlopSolved)
    assert kinds.index(PreflopSolving) > last_flop
    check_stream(watch.events)
    assert len(watch.of(FlopSolved)) == len(FLOPS)


def test_a_run_is_the_same_with_any_number_of_workers():
    other = solve_preflop(run_config(), RunContext(num_workers=2))
    np.testing.assert_array_equal(other.solution.strategy, solved_run().solution.strategy)
    np.testing.assert_array_equal(other.solution.ev_bb, solved_run().solution.ev_bb)


def test_every_flop_is_solved_at_its_own_ratio():
    leaves = solved_run().solution.report.flop_leaves
    assert {path: leaf.detail for path, leaf in leaves.items()} == {
        "c:x": "solved at SPR 5.5",
        "r2.5:c": "solved at SPR 1.9",
        "c:r2.5:c": "solved at SPR 1.9",
    }


def test_the_exploitability_is_that_of_a_best_response_on_top_of_the_saved_values():
    run = solved_run()
    game = make_pair_game(run.solution.tree, ValueBook.from_values(run.values.values))
    expected = 1000.0 * exploitability(game, np.asarray(run.solution.strategy))
    assert run.solution.report.exploitability_mbb == pytest.approx(expected, rel=1e-6)


def test_a_given_ratio_far_away_is_used_and_named():
    run = solve_preflop(run_config(model={"postflop_sprs": [1.9]}), RunContext(1))
    leaves = run.solution.report.flop_leaves
    assert leaves["r2.5:c"].source is ValueSource.SOLVED
    assert leaves["c:x"].source is ValueSource.EXTRAPOLATED
    assert leaves["c:x"].detail == "SPR 5.5 is outside, taken from SPR 1.9"


@pytest.mark.parametrize("preset", ["hu_25bb", "hu_100bb"])
def test_sample_games_on_few_flops_are_solved_below_one_thousandth(preset):
    config = run_config(iterations=10_000).model_copy(
        update={"preflop": PreflopConfig(preset=preset)}
    )
    solution = solve_preflop(config, RunContext(2)).solution
    assert solution.report.exploitability_mbb < 1.0
    assert {leaf.source for leaf in solution.report.flop_leaves.values()} == {ValueSource.SOLVED}
    assert solution.game_value_bb(SB) + solution.game_value_bb(BB) == pytest.approx(0, abs=1e-12)
    for player in (SB, BB):
        assert solution.ev_bb[player, 0, AA] > 1.0
    assert solution.strategy[solution.tree.find_node("f"), AA] < 1e-4


def test_push_or_fold_needs_no_values(tmp_path):
    run = solve_preflop(load_config(CONFIGS / "pushfold_10bb.yaml", RunConfig))
    assert run.values is None
    assert run.solution.report.exploitability_mbb <= 0.001
    # It is off by at most twice the exploitability, and published to six digits.
    assert run.solution.game_value_bb(SB) == pytest.approx(-0.045371, abs=2e-6 + 5e-7)
    run.save(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["preflop"]


def test_the_directory_of_a_run(tmp_path):
    run = solved_run()
    run.save(tmp_path / "deep" / "run")
    files = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert files == {
        f"deep/run/{name}"
        for name in (
            "preflop/config.yaml", "preflop/ev_bb.npy", "preflop/manifest.json",
            "preflop/report.json", "preflop/rules.json", "preflop/strategy.npy",
            "values/config.yaml", "values/flop_weights.npy", "values/flops.npy",
            "values/manifest.json", "values/reports_0.npy", "values/reports_1.npy",
            "values/flops_as_given.npy",
            "values/solution_0_by_hand.npy", "values/solution_1_by_hand.npy",
            "values/solution_shape_0_by_hand.npy", "values/solution_shape_1_by_hand.npy",
            "values/sprs.npy", "values/value_pot_0.npy", "values/value_pot_1.npy",
        )
    }  # fmt: skip


def test_saved_results_read_back_as_they_were(tmp_path):
    run = solved_run()
    run.save(tmp_path)
    solution, values = load_solution(tmp_path / "preflop"), ValueBundle.load(tmp_path / "values")
    np.testing.assert_array_equal(solution.strategy, run.solution.strategy)
    assert solution.report == run.solution.report
    assert [value.spr for value in values.values] == [1.9, 5.5]
    config = parse_config((tmp_path / "preflop" / "config.yaml").read_text(), RunConfig)
    assert config == run.config


def test_saved_values_serve_the_next_run(tmp_path):
    run = solved_run()
    run.save(tmp_path)
    config = run_config(postflop_model=None, postflop_model_path=tmp_path / "values")
    watch = Watch()
    again = solve_preflop(config, RunContext(1, watch))
    assert watch.of(FlopSolved) == []
    np.testing.assert_array_equal(again.solution.strategy, run.solution.strategy)


def test_rounds_can_start_from_saved_values(tmp_path):
    solved_run().save(tmp_path)
    paths = {"postflop_model": None, "postflop_model_path": tmp_path / "values"}
    opened, inline = (
        solve_preflop(run_config(ranges_rounds=1, **keys), RunContext(1)) for keys in (paths, {})
    )
    np.testing.assert_array_equal(opened.solution.strategy, inline.solution.strategy)


def test_results_are_replaced_only_if_asked_for(tmp_path):
    solved_run().save(tmp_path)
    with pytest.raises(BundleError, match="exists"):
        solved_run().save(tmp_path)
    solved_run().save(tmp_path, overwrite=True)


def test_results_of_another_config_are_named_and_stay(tmp_path):
    solved_run().save(tmp_path)
    other = solve_preflop(run_config(iterations=30, model={"bet_sizes": [0.5]}), RunContext(1))
    with pytest.raises(BundleError, match=r"iterations is 200 there and 30 here; .*sizes"):
        other.save(tmp_path)
    assert load_solution(tmp_path / "preflop").report == solved_run().solution.report
    other.save(tmp_path, overwrite=True)
    assert load_solution(tmp_path / "preflop").report.iterations == 30


def test_values_without_a_solution_are_left_over_and_replaced(tmp_path):
    """A kill between the two bundles must not stand in the way of the same command."""
    solved_run().values.save(tmp_path / "values")
    solved_run().save(tmp_path)
    check_directory(tmp_path, solved_run().plan)


def test_left_over_values_of_another_config_are_refused(tmp_path):
    solved_run().values.save(tmp_path / "values")
    other = solve_preflop(run_config(model={"bet_sizes": [0.5]}, iterations=30), RunContext(1))
    with pytest.raises(BundleError, match="values: belongs to another config: sizes"):
        other.save(tmp_path)
    assert not (tmp_path / "preflop").exists()


def test_checkpoints_are_written_as_often_as_the_config_says(tmp_path, monkeypatch):
    asked_for, run = [], RunContext.run

    def record(self, job, tasks):
        asked_for.append(self.checkpoint_every)
        return run(self, job, tasks)

    monkeypatch.setattr(RunContext, "run", record)
    solve_preflop(run_config(checkpoint_every=2), RunContext(1, checkpoints=tmp_path))
    assert asked_for == [2]


def test_a_failing_flop_names_itself_and_loses_no_other(tmp_path, monkeypatch):
    solve = HandBackend.solve

    def fail_on_paired_flops(self, game, tree, on_progress, team):
        if len({card // 4 for card in game.flop}) < 3:
            raise FloatingPointError("made up")
        return solve(self, game, tree, on_progress, team)

    monkeypatch.setattr(HandBackend, "solve", fail_on_paired_flops)
    with pytest.raises(ExecutionError, match=r"1 of 3 flops failed: 6h6s2c: .*made up"):
        solve_preflop(run_config(), RunContext(1, checkpoints=tmp_path))
    monkeypatch.setattr(HandBackend, "solve", solve)
    watch = Watch()
    run = solve_preflop(run_config(), RunContext(1, watch, tmp_path))
    assert list(watch.solved()) == [MODEL["fixed_flops"][2]] == ["6h6s2c"]
    np.testing.assert_array_equal(run.solution.strategy, solved_run().solution.strategy)


# --------------------------------------------------------------------------------------------------
# What `solve_preflop` returns reads like what is opened.


def test_a_run_reads_like_a_saved_one(tmp_path):
    seen = []
    game = {"preset": "pushfold", "stacks_bb": 8}
    config = RunConfig(preflop=game, iterations=30, preflop_exploitability_threshold_mbb=None)
    run = solve_preflop(config, RunContext(1), history_every=5, on_iteration=seen.append)
    run.save(str(tmp_path / "run"))
    opened = runout.open(tmp_path / "run")
    assert [progress.iteration for progress in seen] == list(range(1, 31))
    assert [iteration for iteration, _ in run.history] == [5, 10, 15, 20, 25, 30]
    assert run.history == opened.history
    assert repr(run) == repr(opened).replace("PreflopSolution", "PreflopRun")
    assert len(repr(run)) < 80
    assert [node.path for node in run.nodes()] == [node.path for node in opened.nodes()]
    assert run.to_dataframe().equals(opened.to_dataframe())
    assert run._repr_html_() == opened._repr_html_()
    plain = solve_preflop(config, RunContext(1))
    np.testing.assert_array_equal(run.solution.strategy, plain.solution.strategy)
