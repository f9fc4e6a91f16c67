"""The exact engine knows what a joint solution loses, so the judge must find the same."""

import pytest

from runout.cfr.schedules import StoppingRule
from runout.cfr.team import Team
from runout.flops.spot_solution import StoredStrategy, TableStrategy
from runout.preflop.shards import save_flop_strategies
from runout.runs.judge import judge_flops, judge_joint
from runout.solutions.flop_bundles import JointFlops
from tests.samples.joint_games import FLOP_JAM, MONOTONE, make_game, make_solver, one_line
from tests.samples.preflop_games import solution_of


@pytest.fixture(scope="module")
def solved():
    solver = make_solver(one_line(), MONOTONE, FLOP_JAM)
    return solver.leaves, solution_of(solver, StoppingRule(5))


def learned_strategy(leaves):
    def strategy_of(flop, leaf):
        subgame = leaves.subgames[flop][leaf]
        return TableStrategy(subgame.tables, subgame.game)

    return strategy_of


def test_real_cards_lose_to_the_judge_what_their_own_best_responses_win(solved):
    leaves, solution = solved
    game = make_game(one_line(), MONOTONE, FLOP_JAM)
    flops = judge_flops(game, range(len(game.flops)), learned_strategy(leaves), Team(2))
    loss = judge_joint(game, solution, flops)
    assert loss.exploitability_mbb == pytest.approx(solution.report.exploitability_mbb, rel=1e-4)


def test_saved_strategies_lose_about_as_much(solved, tmp_path):
    leaves, solution = solved
    save_flop_strategies(tmp_path / "flops", leaves, solution, "")
    saved = JointFlops.load(tmp_path / "flops")

    def strategy_of(flop, leaf):
        return StoredStrategy(*saved.shares(flop, leaf, game.flop_trees))

    game = make_game(one_line(), MONOTONE, FLOP_JAM)
    flops = judge_flops(game, range(len(game.flops)), strategy_of, Team())
    loss = judge_joint(game, solution, flops)
    assert loss.exploitability_mbb == pytest.approx(solution.report.exploitability_mbb, rel=0.02)
