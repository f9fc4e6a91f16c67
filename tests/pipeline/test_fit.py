"""Results of another config are refused, and the difference is spelled out."""

from dataclasses import replace

import pytest

from runout.config.differences import list_differences
from runout.errors import BundleError
from runout.pipeline.fit import (
    has_bundle,
    require_own_solution,
    require_own_values,
)
from runout.pipeline.plan import RunPlan
from runout.results.run_folders import SOLUTION_FOLDER, VALUES_FOLDER
from tests.pipeline.small_runs import MODEL, run_config, solved_run


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    path = tmp_path_factory.mktemp("run")
    solved_run().save(path)
    return path


def test_its_own_results_are_welcome(directory):
    require_own_solution(directory / SOLUTION_FOLDER, run_config())
    require_own_values(directory / VALUES_FOLDER, RunPlan.make(run_config(), 1))


def test_nothing_is_no_problem(tmp_path):
    require_own_solution(tmp_path / SOLUTION_FOLDER, run_config())
    require_own_values(tmp_path / VALUES_FOLDER, RunPlan.make(run_config(), 1))
    assert not has_bundle(tmp_path)


@pytest.mark.parametrize(
    ("changes", "difference"),
    [
        ({"preflop": {"stacks_bb": 20}}, r"preflop\.effective_stack_bb is 12\.0 there and 20\.0"),
        ({"preflop": {"ante_bb": 0.1}}, r"preflop\.ante_bb is 0\.0 there and 0\.1 here"),
        ({"iterations": 300}, "iterations is 200 there and 300 here"),
        ({"model": {"bet_sizes": [0.5]}}, r"postflop_model\.sizes\.flop\.oop\.bets is \['1.*5"),
        ({"ranges_rounds": 2}, "ranges_rounds is missing there and 2 here"),
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
        require_own_values(directory / VALUES_FOLDER, RunPlan.make(run_config(**changes), 1))


def test_values_are_no_business_of_a_game_that_solves_no_flops(directory):
    raw = run_config(postflop_model=None, flop_values="raw_equity")
    with pytest.raises(BundleError, match="solve_type is exhaustive there and missing here"):
        require_own_values(directory / VALUES_FOLDER, RunPlan.make(raw, 1))


def test_values_may_come_from_the_path_that_the_config_names(directory, tmp_path):
    source = solved_run().values
    source.save(tmp_path / "source")
    config = run_config(postflop_model=None, postflop_model_path=tmp_path / "source")
    require_own_values(directory / VALUES_FOLDER, RunPlan.make(config, 1))
    other = run_config(model={"bet_sizes": [0.5]}).postflop_model.with_sprs([1.9, 5.5])
    replace(source, config_text=other.to_yaml()).save(tmp_path / "source", overwrite=True)
    with pytest.raises(BundleError, match="sizes"):
        require_own_values(directory / VALUES_FOLDER, RunPlan.make(config, 1))


def test_values_may_come_from_the_file_that_the_config_names(directory, tmp_path):
    file = tmp_path / "model.yaml"
    file.write_text(run_config().postflop_model.to_yaml())
    config = run_config(postflop_model=None, postflop_model_path=file)
    require_own_values(directory / VALUES_FOLDER, RunPlan.make(config, 1))


def test_configs_that_mean_the_same_do_not_differ():
    spelled = run_config(model={"bet_sizes": ["100%"]}, print_every=10, checkpoint_every=2)
    assert MODEL["bet_sizes"] == [1.0]
    assert not list(list_differences(run_config().digest_mapping(), spelled.digest_mapping()))
