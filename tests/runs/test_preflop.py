"""Tests of `runout.runs.preflop`."""

from pathlib import Path

import numpy as np
import pytest

import runout
from runout.cards.deck import parse_canonical_hand
from runout.config.load import load_config, parse_config
from runout.config.run import PreflopConfig, RunConfig
from runout.errors import BundleError, ExecutionError
from runout.events import FlopSolved, PreflopSolving
from runout.execution.context import RunContext
from runout.flops.hands import HandBackend
from runout.runs.preflop import check_directory, solve_preflop
from runout.solutions.preflop import load_solution
from runout.solutions.values import ValueBook, ValueBundle, ValueSource
from runout.trees.betting import BB, SB
from tests.event_streams import check_stream
from tests.reference.preflop_game import exploitability, make_pair_game
from tests.samples.small_runs import FLOPS, MODEL, Watch, run_config, solved_run

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
            "preflop/blocks.sha256", "values/blocks.sha256",
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
