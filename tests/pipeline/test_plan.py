import pytest

from runout.config.load import load_run_config
from runout.errors import ConfigError
from runout.execution.workplace import Workplace
from runout.pipeline.plan import RunPlan
from runout.pipeline.run import carry_out
from runout.trees.preflop_tree import PreflopTree
from tests.pipeline.small_runs import run_config, solved_run


def test_flops_are_planned_at_the_ratios_of_the_preflop_tree():
    plan = RunPlan.make(run_config(), 1)
    assert plan.flops.config.postflop_sprs == pytest.approx((1.9, 5.5))
    assert plan.model is plan.flops.config
    assert (plan.given_values, plan.leaves) == (None, {})


def test_rounds_plan_the_flops_of_every_leaf():
    plan = RunPlan.make(run_config(ranges_rounds=1), 1)
    leaves = plan.tree.flop_leaves()
    assert {path: p.config.postflop_sprs for path, p in plan.leaves.items()} == {
        leaf.path: (leaf.spr,) for leaf in leaves
    }


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
    config = load_run_config(text)
    plan = RunPlan.make(config, 1)
    run = carry_out(plan, Workplace(1))
    assert run.plan is plan
    assert len(built) == 1
