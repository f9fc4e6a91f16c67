"""Flops at the ratios that the preflop tree needs: solved, resumed, or opened."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runout.config.postflop import PostflopModelConfig
from runout.errors import BundleError, ConfigError
from runout.execution.workplace import Workplace
from runout.pipeline.postflop_stage import (
    merge_sprs,
    open_postflop_model,
    postflop_config_for,
)
from runout.pipeline.run import solve_preflop
from runout.postflop.plan import PostflopPlan
from runout.postflop.postflop_abstraction import PostflopAbstraction
from runout.results.value_book import SPR_TOLERANCE, ValueBook, ValueSource
from runout.trees.preflop_betting import standard_rules_25bb
from runout.trees.preflop_tree import PreflopTree
from tests.pipeline.small_runs import FLOPS, MODEL, Watch, run_config, solved_run

TREE = run_config().preflop.tree
ONES = np.ones((2, 169))
SMALL = PostflopModelConfig(**{**MODEL, "postflop_sprs": [1.0]})


def value_arrays(solved):
    return [values.value_pot for values in solved.values]


@given(st.lists(st.floats(0.01, 200.0), max_size=30))
def test_every_ratio_is_near_a_merged_one(sprs):
    merged = merge_sprs(sprs)
    assert merged == sorted(set(merged))
    assert len(merged) <= len(sprs)
    for spr in sprs:
        assert min(abs(spr - solved) / solved for solved in merged) <= SPR_TOLERANCE / 2 + 1e-12


@given(st.lists(st.floats(0.01, 200.0), min_size=1, max_size=30))
def test_a_book_at_merged_ratios_has_solved_values_for_all(sprs):
    merged = tuple(merge_sprs(sprs))
    book = ValueBook(merged, tuple(np.zeros((1, 1)) for _ in merged), {})
    assert {book.at_spr(spr).source for spr in sprs} == {ValueSource.SOLVED}


@pytest.mark.parametrize(
    ("sprs", "merged"),
    [
        ([], []),
        ([3.0], [3.0]),
        ([3.0, 3.0], [3.0]),
        ([4.0, 1.0], [1.0, 4.0]),
        ([1.0, 1.01, 1.02], [1.01]),
        ([1.0, 1.02, 1.04], [1.01, 1.04]),
    ],
)
def test_ratios_within_two_percent_of_the_smallest_are_one(sprs, merged):
    assert merge_sprs(sprs) == pytest.approx(merged)


def test_auto_means_the_ratios_of_the_tree():
    model = PostflopModelConfig(**MODEL)
    tree = PreflopTree.build(standard_rules_25bb())
    sprs = postflop_config_for(model, tree).postflop_sprs
    assert sprs == pytest.approx([8 / 9, 19 / 12, 11 / 3, 5.75, 12.0])


def test_given_ratios_stay_as_they_are():
    assert postflop_config_for(SMALL, TREE) is SMALL


def test_values_of_a_solve_state_the_ranges_they_were_solved_for():
    ranges = np.random.default_rng(0).random((2, 169))
    solved = PostflopAbstraction.carry_out(PostflopPlan.make(SMALL), Workplace(1), ranges).values[0]
    np.testing.assert_array_equal(solved.ranges, ranges)
    assert PostflopAbstraction.build(SMALL, Workplace(1)).values[0].ranges is None


def test_ranges_of_all_hands_are_no_ranges():
    plain, given_ones = (
        PostflopAbstraction.carry_out(PostflopPlan.make(SMALL), Workplace(1), ranges)
        for ranges in (None, ONES)
    )
    np.testing.assert_array_equal(value_arrays(plain), value_arrays(given_ones))


def test_ranges_change_what_hands_are_worth():
    ranges = np.ones((2, 169))
    ranges[0, 50:] = 0.0
    plain, narrow = (
        PostflopAbstraction.carry_out(PostflopPlan.make(SMALL), Workplace(1), r)
        for r in (None, ranges)
    )
    difference = np.abs(np.array(value_arrays(plain)) - np.array(value_arrays(narrow)))
    assert np.nanmax(difference) > 0.05


def test_workers_change_no_bit():
    model = PostflopModelConfig(**{**MODEL, "postflop_sprs": [1.0, 4.0]})
    alone, together = (PostflopAbstraction.build(model, Workplace(n)) for n in (1, 2))
    np.testing.assert_array_equal(value_arrays(alone), value_arrays(together))


@pytest.mark.parametrize("num_workers", [1, 2])
def test_a_killed_run_goes_on_without_repeating_finished_flops(tmp_path, num_workers):
    expected = PostflopAbstraction.build(SMALL, Workplace(1))
    killed, resumed, again = Watch(fail_after=1), Watch(), Watch()
    with pytest.raises(ConnectionAbortedError):
        PostflopAbstraction.build(SMALL, Workplace(num_workers, killed, tmp_path))
    num_finished = len(list(tmp_path.rglob("*.result")))
    assert num_finished >= 2
    solved = PostflopAbstraction.build(SMALL, Workplace(num_workers, resumed, tmp_path))
    assert resumed.solved().total() == len(FLOPS) - num_finished
    np.testing.assert_array_equal(value_arrays(solved), value_arrays(expected))
    PostflopAbstraction.build(SMALL, Workplace(num_workers, again, tmp_path))
    assert again.solved().total() == 0


def test_a_run_of_another_config_takes_nothing_from_a_killed_one(tmp_path):
    PostflopAbstraction.build(SMALL, Workplace(1, checkpoints=tmp_path))
    watch = Watch()
    other = PostflopModelConfig(**{**MODEL, "postflop_sprs": [1.0], "bet_sizes": [0.5]})
    PostflopAbstraction.build(other, Workplace(1, watch, tmp_path))
    assert watch.solved().total() == len(FLOPS)


def test_a_run_with_other_ranges_takes_nothing_from_a_killed_one(tmp_path):
    ranges = np.random.default_rng(0).random((2, 169))
    for wanted in (None, ranges, ranges / 2.0):
        watch = Watch()
        PostflopAbstraction.carry_out(
            PostflopPlan.make(SMALL), Workplace(1, watch, tmp_path), wanted
        )
        assert watch.solved().total() == len(FLOPS)


@pytest.fixture(scope="module")
def bundle():
    model = PostflopModelConfig(**{**MODEL, "postflop_sprs": [1.9, 5.5]})
    return PostflopAbstraction.build(model, Workplace(1)).to_bundle()


def config_with_path(path):
    return run_config(postflop_model=None, postflop_model_path=path)


def test_a_path_may_lead_to_solved_values(bundle, tmp_path, monkeypatch):
    bundle.save(tmp_path / "values")
    monkeypatch.delattr(PostflopAbstraction, "carry_out")  # nothing is solved
    run = solve_preflop(config_with_path(tmp_path / "values"), Workplace(1))
    assert [values.spr for values in run.values.values] == [1.9, 5.5]
    assert run.solution.report.flop_leaves["c-x"].source == ValueSource.SOLVED


@pytest.mark.parametrize("name", ["model.yaml", "model.txt"])
def test_a_path_may_lead_to_a_config(tmp_path, name):
    file = tmp_path / name
    file.write_text(PostflopModelConfig(**MODEL).to_yaml())
    run = solve_preflop(config_with_path(file), Workplace(1))
    sprs = [values.spr for values in run.values.values]
    assert sprs == pytest.approx([1.9, 5.5])  # auto finds them in the preflop tree
    np.testing.assert_array_equal(run.solution.strategy, solved_run().solution.strategy)
    assert "auto" not in run.values.config_text


def test_a_path_to_nothing_is_an_error_of_the_config(tmp_path):
    with pytest.raises(ConfigError, match=r"postflop_model_path: .*nowhere does not exist"):
        open_postflop_model(tmp_path / "nowhere")


def test_a_directory_without_values_is_refused(tmp_path):
    with pytest.raises(BundleError, match=str(tmp_path)):
        open_postflop_model(tmp_path)


def test_damaged_values_are_refused(bundle, tmp_path):
    bundle.save(tmp_path / "values")
    file = tmp_path / "values" / "value_pot_1.npy"
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(bytes(content))
    with pytest.raises(BundleError, match=r"value_pot_1\.npy"):
        open_postflop_model(tmp_path / "values")


def test_values_for_given_ranges_are_refused(bundle, tmp_path):
    first, second = bundle.values
    narrow = replace(second, ranges=np.full((2, 169), 0.5))
    replace(bundle, values=(first, narrow)).save(tmp_path / "values")
    with pytest.raises(BundleError, match=r"values: SPR 5\.5 was solved for given ranges"):
        open_postflop_model(tmp_path / "values")


@pytest.mark.parametrize(
    ("sprs", "sources"),
    [
        ([1.9, 5.5], {"c-x": "solved", "r2.5-c": "solved"}),
        ([1.88, 5.6], {"c-x": "solved", "r2.5-c": "solved"}),
        ([1.0, 3.0, 5.5], {"c-x": "solved", "r2.5-c": "interpolated"}),
        ([2.5], {"c-x": "extrapolated", "r2.5-c": "extrapolated"}),
    ],
)
def test_leaves_that_solved_ratios_do_not_cover_say_so(bundle, sprs, sources):
    shares = tuple(np.zeros((169, 169)) for _ in sprs)
    book = ValueBook(tuple(sprs), shares, {})
    leaves = {leaf.path: book.at_leaf(leaf.path, leaf.spr) for leaf in TREE.flop_leaves()}
    assert {path: leaves[path].source for path in sources} == sources
