"""Tests of `runout.runs.plan`."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runout.config.flops import FlopsConfig
from runout.config.load import load_config, parse_config
from runout.config.run import RunConfig
from runout.errors import BundleError, ConfigError
from runout.execution.context import RunContext
from runout.flops.solve import PostflopPlan, solve_flops
from runout.holdem.tables import Precision
from runout.runs.plan import (
    RunPlan,
    find_finished_values,
    has_bundle,
    list_differences,
    merge_sprs,
    open_postflop_model,
    postflop_config_for,
    require_own_solution,
)
from runout.runs.preflop import carry_out, solve_preflop
from runout.solutions.preflop import SOLUTION_FOLDER, VALUES_FOLDER
from runout.solutions.values import SPR_TOLERANCE, ValueBook, ValueSource
from runout.trees.tree import PreflopTree
from tests.samples.preflop_rules import standard_rules_25bb
from tests.samples.small_runs import FLOPS, MODEL, Watch, run_config, solved_run

CONFIGS = Path(__file__).parents[2] / "configs"

# --------------------------------------------------------------------------------------------------
# Results of another config are refused, and the difference is spelled out.


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    path = tmp_path_factory.mktemp("run")
    solved_run().save(path)
    return path


def check_values(path, config):
    find_finished_values(path, RunPlan.make(config, 1).model, verify=False)


def test_its_own_results_are_welcome(directory):
    require_own_solution(directory / SOLUTION_FOLDER, run_config())
    check_values(directory / VALUES_FOLDER, run_config())


def test_nothing_is_no_problem(tmp_path):
    require_own_solution(tmp_path / SOLUTION_FOLDER, run_config())
    check_values(tmp_path / VALUES_FOLDER, run_config())
    assert not has_bundle(tmp_path)


@pytest.mark.parametrize(
    ("changes", "difference"),
    [
        ({"preflop": {"stacks_bb": 20}}, r"preflop\.effective_stack_bb is 12\.0 there and 20\.0"),
        ({"preflop": {"ante_bb": 0.1}}, r"preflop\.ante_bb is 0\.0 there and 0\.1 here"),
        ({"iterations": 300}, "iterations is 200 there and 300 here"),
        ({"model": {"bet_sizes": [0.5]}}, r"postflop_model\.sizes\.flop\.oop\.bets is \['1.*5"),
    ],
)
def test_a_solution_of_another_config_is_refused(directory, changes, difference):
    with pytest.raises(BundleError, match=f"preflop: belongs to another config: .*{difference}"):
        require_own_solution(directory / SOLUTION_FOLDER, run_config(**changes))


@pytest.mark.parametrize(
    ("changes", "difference"),
    [
        ({"model": {"bet_sizes": [0.5]}}, r"sizes\.turn\.ip\.bets is"),
        ({"preflop": {"stacks_bb": 20}}, r"postflop_sprs is \[1\.9, 5\.5\] there and \[3\.5, 9\."),
        (
            {"model": {"postflop_sprs": [1.9]}},
            r"postflop_sprs is \[1\.9, 5\.5\] there and \[1\.9\]",
        ),
        ({"model": {"fixed_flops": ["AhKs7d"]}}, r"flops is .*AsKh7d.* there and .* here"),
        ({"model": {"max_raises_per_street": 1}}, "max_raises_per_street is 0 there and 1 here"),
    ],
)
def test_values_of_other_sizes_ratios_or_flops_are_refused(directory, changes, difference):
    with pytest.raises(BundleError, match=f"values: belongs to another config: .*{difference}"):
        check_values(directory / VALUES_FOLDER, run_config(**changes))


def test_values_are_no_business_of_a_game_that_solves_no_flops(directory):
    raw = run_config(postflop_model=None, flop_values="raw_equity")
    with pytest.raises(BundleError, match="solve_type is exhaustive there and missing here"):
        check_values(directory / VALUES_FOLDER, raw)


def test_values_may_come_from_the_path_that_the_config_names(directory, tmp_path):
    source = solved_run().values
    source.save(tmp_path / "source")
    config = run_config(postflop_model=None, postflop_model_path=tmp_path / "source")
    check_values(directory / VALUES_FOLDER, config)
    other = run_config(model={"bet_sizes": [0.5]}).postflop_model.with_sprs([1.9, 5.5])
    replace(source, config_text=other.to_yaml()).save(tmp_path / "source", overwrite=True)
    with pytest.raises(BundleError, match="sizes"):
        check_values(directory / VALUES_FOLDER, config)


def test_values_may_come_from_the_file_that_the_config_names(directory, tmp_path):
    file = tmp_path / "model.yaml"
    file.write_text(run_config().postflop_model.to_yaml())
    config = run_config(postflop_model=None, postflop_model_path=file)
    check_values(directory / VALUES_FOLDER, config)


def test_configs_that_mean_the_same_do_not_differ():
    spelled = run_config(model={"bet_sizes": ["100%"]}, print_every=10, checkpoint_every=2)
    assert MODEL["bet_sizes"] == [1.0]
    assert not list(list_differences(run_config().digest_mapping(), spelled.digest_mapping()))


def test_all_differences_are_listed_with_their_paths():
    found = {"a": 1, "b": {"c": 2, "d": [1, 2]}, "only": 3, "long": list(range(20)), "m": {"x": 1}}
    wanted = {"a": 1, "b": {"c": 5, "d": [1, 3]}, "new": None, "long": [0] * 30, "m": 4}
    assert list(list_differences(found, wanted)) == [
        "b.c is 2 there and 5 here",
        "b.d is [1, 2] there and [1, 3] here",
        "only is 3 there and missing here",
        "long is a list of 20 there and a list of 30 here",
        "m is given there and 4 here",
        "new is missing there and None here",
    ]


def test_flops_are_planned_at_the_ratios_of_the_preflop_tree():
    plan = RunPlan.make(run_config(), 1)
    assert plan.flops.config.postflop_sprs == pytest.approx((1.9, 5.5))
    assert plan.model is plan.flops.config
    assert plan.given_values is None


def test_values_that_are_given_are_not_planned(tmp_path):
    solved_run().values.save(tmp_path / "values")
    config = run_config(postflop_model=None, postflop_model_path=tmp_path / "values")
    plan = RunPlan.make(config, 1)
    assert plan.flops is None
    assert plan.model == solved_run().plan.model
    assert len(plan.given_values.values) == 2


def test_flops_that_are_checked_down_or_never_seen_are_not_planned():
    raw = RunPlan.make(run_config(postflop_model=None, flop_values="raw_equity"), 1)
    assert (raw.flops, raw.given_values, raw.model) == (None, None, None)
    push_fold = run_config(preflop={"raise_sizes": ["allin"], "allow_limp": False})
    assert RunPlan.make(push_fold, 1).flops is None


def test_a_model_must_come_from_somewhere():
    config = run_config().model_copy(update={"postflop_model": None})
    with pytest.raises(ConfigError, match="postflop_model: is missing"):
        RunPlan.make(config, 1)


def test_a_run_builds_the_preflop_tree_once(monkeypatch):
    text = run_config().to_yaml()
    built = []
    build = PreflopTree.build

    def count(*arguments):
        built.append(arguments)
        return build(*arguments)

    monkeypatch.setattr(PreflopTree, "build", count)
    config = parse_config(text, RunConfig)
    plan = RunPlan.make(config, 1)
    run = carry_out(plan, RunContext(1))
    assert run.plan is plan
    assert len(built) == 1


# --------------------------------------------------------------------------------------------------
# Flops at the ratios that the preflop tree needs: solved, resumed, or opened.


TREE = run_config().preflop.tree
ONES = np.ones((2, 169))
SMALL = FlopsConfig(**{**MODEL, "postflop_sprs": [1.0]})


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
    book = ValueBook(merged, tuple(np.zeros((1, 1)) for _ in merged))
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
    model = FlopsConfig(**MODEL)
    tree = PreflopTree.build(standard_rules_25bb())
    sprs = postflop_config_for(model, tree).postflop_sprs
    assert sprs == pytest.approx([8 / 9, 19 / 12, 11 / 3, 5.75, 12.0])


def test_given_ratios_stay_as_they_are():
    assert postflop_config_for(SMALL, TREE) is SMALL


def test_workers_change_no_bit():
    model = FlopsConfig(**{**MODEL, "postflop_sprs": [1.0, 4.0]})
    alone, together = (solve_flops(model, RunContext(n)) for n in (1, 2))
    np.testing.assert_array_equal(value_arrays(alone), value_arrays(together))


@pytest.mark.parametrize("num_workers", [1, 2])
def test_a_killed_run_goes_on_without_repeating_finished_flops(tmp_path, num_workers):
    expected = solve_flops(SMALL, RunContext(1))
    killed, resumed, again = Watch(fail_after=1), Watch(), Watch()
    with pytest.raises(ConnectionAbortedError):
        solve_flops(SMALL, RunContext(num_workers, killed, tmp_path))
    num_finished = len(list(tmp_path.rglob("*.result")))
    assert num_finished >= 2
    solved = solve_flops(SMALL, RunContext(num_workers, resumed, tmp_path))
    assert resumed.solved().total() == len(FLOPS) - num_finished
    np.testing.assert_array_equal(value_arrays(solved), value_arrays(expected))
    solve_flops(SMALL, RunContext(num_workers, again, tmp_path))
    assert again.solved().total() == 0


def test_a_run_of_another_config_takes_nothing_from_a_killed_one(tmp_path):
    solve_flops(SMALL, RunContext(1, checkpoints=tmp_path))
    watch = Watch()
    other = FlopsConfig(**{**MODEL, "postflop_sprs": [1.0], "bet_sizes": [0.5]})
    solve_flops(other, RunContext(1, watch, tmp_path))
    assert watch.solved().total() == len(FLOPS)


@pytest.fixture(scope="module")
def bundle():
    model = FlopsConfig(**{**MODEL, "postflop_sprs": [1.9, 5.5]})
    return solve_flops(model, RunContext(1))


def config_with_path(path):
    return run_config(postflop_model=None, postflop_model_path=path)


def test_a_path_may_lead_to_solved_values(bundle, tmp_path, monkeypatch):
    bundle.save(tmp_path / "values")
    monkeypatch.delattr(PostflopPlan, "carry_out")  # nothing is solved
    run = solve_preflop(config_with_path(tmp_path / "values"), RunContext(1))
    assert [values.spr for values in run.values.values] == [1.9, 5.5]
    assert run.solution.report.flop_leaves["c:x"].source == ValueSource.SOLVED


@pytest.mark.parametrize("name", ["model.yaml", "model.txt"])
def test_a_path_may_lead_to_a_config(tmp_path, name):
    file = tmp_path / name
    file.write_text(FlopsConfig(**MODEL).to_yaml())
    run = solve_preflop(config_with_path(file), RunContext(1))
    sprs = [values.spr for values in run.values.values]
    assert sprs == pytest.approx([1.9, 5.5])  # auto finds them in the preflop tree
    np.testing.assert_array_equal(run.solution.strategy, solved_run().solution.strategy)
    assert "auto" not in run.values.config_text


def test_a_path_to_nothing_is_an_error_of_the_config(tmp_path):
    with pytest.raises(ConfigError, match=r"postflop_model_path: .*nowhere does not exist"):
        open_postflop_model(config_with_path(tmp_path / "nowhere"))


def test_a_directory_without_values_is_refused(tmp_path):
    with pytest.raises(BundleError, match=str(tmp_path)):
        open_postflop_model(config_with_path(tmp_path))


def test_damaged_values_are_refused(bundle, tmp_path):
    bundle.save(tmp_path / "values")
    file = tmp_path / "values" / "value_pot_1.npy"
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(bytes(content))
    with pytest.raises(BundleError, match=r"value_pot_1\.npy"):
        open_postflop_model(config_with_path(tmp_path / "values"))


def test_values_for_given_ranges_are_refused(bundle, tmp_path):
    first, second = bundle.values
    narrow = replace(second, ranges=np.full((2, 169), 0.5))
    replace(bundle, values=(first, narrow)).save(tmp_path / "values")
    with pytest.raises(BundleError, match=r"values: SPR 5\.5 was solved for given ranges"):
        open_postflop_model(config_with_path(tmp_path / "values"))


@pytest.mark.parametrize(
    ("sprs", "sources"),
    [
        ([1.9, 5.5], {"c:x": "solved", "r2.5:c": "solved"}),
        ([1.88, 5.6], {"c:x": "solved", "r2.5:c": "solved"}),
        ([1.0, 3.0, 5.5], {"c:x": "solved", "r2.5:c": "interpolated"}),
        ([2.5], {"c:x": "extrapolated", "r2.5:c": "extrapolated"}),
    ],
)
def test_leaves_that_solved_ratios_do_not_cover_say_so(bundle, sprs, sources):
    shares = tuple(np.zeros((169, 169)) for _ in sprs)
    book = ValueBook(tuple(sprs), shares)
    leaves = {leaf.path: book.at_spr(leaf.spr) for leaf in TREE.flop_leaves()}
    assert {path: leaves[path].source for path in sources} == sources


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted(CONFIGS.glob("hu_*bb.yaml")), ids=lambda path: path.stem)
def test_joint_samples_fit_into_12_gigabytes(path):
    plan = RunPlan.make(load_config(path, RunConfig), 2)
    assert plan.joint.backend.precision == Precision.HALF
    assert plan.cost.memory_bytes < 12e9
