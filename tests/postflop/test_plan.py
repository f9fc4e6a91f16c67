from runout.config.postflop import PostflopModelConfig
from runout.execution.local import count_cores
from runout.postflop.plan import PostflopPlan

CONFIG = PostflopModelConfig(
    solve_type="exhaustive", fixed_flops=["AhKd7s", "9s8s7s"], postflop_sprs=[1, 4], bet_sizes=[1]
)


def test_a_plan_has_everything_that_will_be_solved():
    plan = PostflopPlan.make(CONFIG, 3)
    assert plan.flops == CONFIG.flop_list()
    assert [tree.stakes.spr for tree in plan.trees] == [1.0, 4.0]
    assert plan.backend == CONFIG.make_backend()
    assert (plan.num_workers, plan.num_solves) == (3, 4)
    assert plan.needs is plan.needs
    assert PostflopPlan.make(CONFIG).num_workers == count_cores()
