import numpy as np
import pytest

from runout.cfr.stopping import StoppingRule
from runout.preflop.joint.flop_strategies import (
    quantize_sums,
    read_tables,
    save_flop_strategies,
)
from runout.trees.betting import Street
from runout.views.joint_bundle import JointFlops
from tests.preflop.joint.joint_games import FLOP_JAM, MONOTONE, make_solver, one_line


@pytest.fixture(scope="module")
def solved():
    solver = make_solver(one_line(), MONOTONE[:1], FLOP_JAM)
    solution = solver.solve(StoppingRule(4))
    return solver.leaves, solution


def test_shares_of_a_decision_add_up_to_one(solved):
    subgame = solved[0].subgames[0][0]
    template = subgame.game.templates[Street.FLOP]
    for player, learning in enumerate(subgame.tables.by_street[Street.FLOP]):
        shares = quantize_sums(template, player, learning.strategy_sum)
        decisions = shares.reshape(1, -1, 2, shares.shape[2]).sum(axis=2)  # jam or not
        assert set(np.unique(decisions)) <= {0, 254, 255, 256}


def test_a_hand_that_never_came_has_no_shares(solved):
    template = solved[0].subgames[0][0].game.templates[Street.FLOP]
    assert not quantize_sums(template, 0, np.zeros((1, template.num_actions[0], 16))).any()


@pytest.mark.parametrize("keep_rivers", [True, False])
def test_saved_strategies_are_those_of_the_tables(solved, tmp_path, keep_rivers):
    leaves, solution = solved
    save_flop_strategies(tmp_path / "flops", leaves, solution, "a: 1", keep_rivers=keep_rivers)
    saved = JointFlops.load(tmp_path / "flops")
    assert saved.flops == ("QsTs5s",)
    assert saved.leaves == ("c-x",)
    assert saved.config_text == "a: 1"
    assert saved.last_street == (Street.RIVER if keep_rivers else Street.TURN)
    subgame = leaves.subgames[0][0]
    templates = subgame.game.templates
    tables = read_tables(saved, 0, 0, templates)
    learned = subgame.tables.by_street[Street.FLOP][0].strategy_sum
    np.testing.assert_array_equal(
        tables.by_street[Street.FLOP][0].strategy_sum,
        quantize_sums(templates[Street.FLOP], 0, learned),
    )
