"""Preflop and postflop as one game, with the exact engine on small trees."""

import numpy as np
import pytest

from runout.cards.canonical_hands import HAND_BY_COMBO
from runout.cards.card import parse_board
from runout.cfr.discounting import DCFR_JOINT
from runout.cfr.leaves import Arrival, Judge, Update
from runout.cfr.stopping import StoppingRule
from runout.holdem.fixed_tables import FixedTables
from runout.holdem.spot import Spot
from runout.holdem.spot_game import SpotGame
from runout.holdem.spot_solver import SpotSolver
from runout.holdem.street_kernels import RESPONDING
from runout.postflop.table_strategy import TableStrategy
from runout.preflop.joint.flop_deals import PAIRS_BESIDE_A_FLOP
from runout.preflop.preflop_leaves import value_leaves
from runout.preflop.solver import PreflopSolver
from runout.ranges.hand_range import HandRange
from runout.results.value_book import ValueBook, ValueSource
from runout.trees.postflop_tree import PostflopTree
from runout.trees.preflop_betting import BB, SB, push_fold_rules
from runout.trees.preflop_tree import PreflopTree, postflop_position
from tests.preflop.joint.joint_games import (
    CHECK_DOWN,
    FLOP_JAM,
    MONOTONE,
    limp_or_raise,
    make_leaves,
    make_solver,
    one_line,
)

SIX = StoppingRule(6)


@pytest.fixture(scope="module")
def jam_game():
    """A game of two flops after six iterations: its solver and its solution."""
    solver = make_solver(one_line(), MONOTONE, FLOP_JAM)
    return solver, solver.solve(SIX)


def solve_from_book(tree, book, rule):
    return PreflopSolver(tree, value_leaves(tree, book), DCFR_JOINT).solve(rule)


def test_checked_down_flops_are_the_game_of_raw_equities():
    tree, rule = limp_or_raise(), StoppingRule(4)
    joint = make_solver(tree, MONOTONE[:1], CHECK_DOWN).solve(rule)
    raw = solve_from_book(tree, ValueBook.raw_equity(), rule)
    np.testing.assert_allclose(joint.strategy, raw.strategy, atol=1e-5)
    np.testing.assert_allclose(joint.ev_bb, raw.ev_bb, atol=1e-4)
    assert joint.report.exploitability_mbb == pytest.approx(raw.report.exploitability_mbb, rel=1e-4)
    assert {leaf.source for leaf in joint.report.flop_leaves.values()} == {ValueSource.JOINT}


def test_checked_down_flops_are_worth_what_the_deals_beside_them_say():
    tree = limp_or_raise()
    leaves = make_leaves(tree, MONOTONE, CHECK_DOWN)
    reach = np.random.default_rng(0).random((tree.num_nodes, 169)) ** 2
    for player in (SB, BB):
        played = leaves._play_flops(
            player, Judge.EVALUATE, [reach[leaf.node] for leaf in leaves.flop_leaves]
        )
        edge = leaves.deals.edge if player == SB else -leaves.deals.edge.T
        for leaf, value in zip(leaves.flop_leaves, played, strict=True):
            expected = leaf.pot_bb / 2 * edge @ reach[leaf.node]
            np.testing.assert_allclose(value, expected, atol=1e-6 * np.abs(expected).max())


def test_push_or_fold_needs_no_flop_and_is_exact():
    tree, rule = PreflopTree.build(push_fold_rules(10.0)), StoppingRule(400)
    joint = make_solver(tree, MONOTONE[:1], CHECK_DOWN).solve(rule)
    np.testing.assert_array_equal(
        joint.strategy, solve_from_book(tree, ValueBook.raw_equity(), rule).strategy
    )
    close = 2.0 * joint.report.exploitability_mbb / 1000.0 + 1e-6
    assert joint.game_value_bb(SB) == pytest.approx(-0.045371, abs=close)
    assert close < 1e-3


def test_one_flop_that_everybody_sees_is_learned_bit_by_bit_as_by_the_solver_of_the_flop():
    tree = one_line()
    leaves = make_leaves(tree, MONOTONE[:1], FLOP_JAM)
    everywhere = np.zeros(tree.num_nodes, dtype=np.int64)
    reach, value = np.ones((1, 1, 169)), np.zeros((1, tree.num_nodes, 169))
    for iteration in range(4):
        for player in (BB, SB):  # OOP comes first in the solver of a flop
            step = Update(DCFR_JOINT.weights(iteration))
            arrival = Arrival(player, step, (reach, reach), (everywhere, everywhere))
            leaves.fill_leaf_values(arrival, value)
        for player in (SB, BB):
            leaves.refresh(player)
    everyone = HandRange.full()
    betting = PostflopTree.build_with_spr(FLOP_JAM, tree.flop_leaves()[0].spr)
    alone = SpotSolver(Spot(parse_board(MONOTONE[0]), (everyone, everyone), betting), DCFR_JOINT)
    alone.run(4)
    learned = leaves.subgames[0][0].learned()
    for name, array in alone.tables.named_arrays():
        if array.size:
            np.testing.assert_array_equal(learned[name], array)


def test_what_one_player_wins_the_other_loses(jam_game):
    _, solution = jam_game
    value = solution.game_value_bb(SB)
    assert value + solution.game_value_bb(BB) == pytest.approx(0.0, abs=1e-6)


def test_exploitability_is_that_of_best_responses_found_by_walking(jam_game):
    solver, solution = jam_game
    leaves, tree = solver.leaves, solution.tree
    total = sum(best_response(tree, leaves, solution, player).sum() for player in (SB, BB))
    assert solution.report.exploitability_mbb == pytest.approx(1000.0 * total / 2, rel=1e-4)


def best_response(tree, leaves, solution, player):
    """Returns ``[169]`` what each hand wins at most, by recursion and fixed strategies."""
    reach = solution.reach(1 - player)
    values = leaves.leaf_values(player, reach, Judge.EVALUATE)
    for number, leaf in enumerate(leaves.flop_leaves):
        played = leaves._play_flops(player, Judge.EVALUATE, [reach[leaf.node]])[number]
        values[leaf.node] += respond_on_flops(leaves, number, player, reach[leaf.node]) - played

    def walk(node):
        children = list(tree.layout.children(node))
        if not children:
            return values[node]
        below = [walk(child) for child in children]
        return np.max(below, axis=0) if tree.layout.actor[node] == player else np.sum(below, axis=0)

    return walk(0)


def respond_on_flops(leaves, number, player, reach):
    """Returns ``[169]`` best responses to strategies that are given board by board."""
    total = np.zeros(169)
    everyone, position = HandRange.full(), postflop_position(player)
    for flop, weight, games in zip(
        leaves.deals.flops.flops, leaves.deals.flops.weights, leaves.subgames, strict=True
    ):
        subgame = games[number]
        game = SpotGame(Spot(flop, (everyone, everyone), subgame.game.spot.tree))
        strategy = TableStrategy(subgame.tables, subgame.game)
        fixed = FixedTables(game.templates, game.cards, 1 - position, strategy.rows)
        hand = HAND_BY_COMBO[subgame.combos]
        arriving = np.zeros(subgame.width, np.float32)
        arriving[: len(hand)] = reach[hand] * weight / PAIRS_BESIDE_A_FLOP
        value = game.visit(position, RESPONDING, fixed, arriving)[: len(hand)]
        total += leaves.flop_leaves[number].pot_bb * np.bincount(hand, value, 169)
    return total


def test_two_workers_find_the_same_bits(jam_game):
    solver, solution = jam_game
    other = make_solver(one_line(), MONOTONE, FLOP_JAM, workers=2)
    np.testing.assert_array_equal(other.solve(SIX).ev_bb, solution.ev_bb)
    for mine, theirs in zip(solver.leaves.subgames, other.leaves.subgames, strict=True):
        for name, array in mine[0].learned().items():
            np.testing.assert_array_equal(array, theirs[0].learned()[name])


def test_a_game_without_flop_leaves_needs_no_subgames():
    tree = PreflopTree.build(push_fold_rules(10.0))
    leaves = make_leaves(tree, MONOTONE[:1], CHECK_DOWN)
    assert leaves.sources() == {}


def test_sampled_flops_are_scaled_so_that_their_mean_is_that_of_all():
    leaves = make_leaves(one_line(), MONOTONE, FLOP_JAM, per_iteration=1)
    weights = leaves.deals.flops.weights
    for leaves.iteration in range(6):
        (visit,) = leaves._visits(Update(DCFR_JOINT.weights(0)))
        assert visit.scale == pytest.approx(1.0 / weights[visit.flop])
    assert len(leaves._visits(Judge.EVALUATE)) == 2


def test_a_flop_that_was_not_drawn_learns_nothing_and_counts_no_visit():
    solver = make_solver(one_line(), MONOTONE, FLOP_JAM, per_iteration=1)
    solver.cfr.run(1)
    leaves = solver.leaves
    drawn = int(leaves.sampler.draw(0).number[0])
    assert leaves.num_visits.tolist() == [int(flop == drawn) for flop in (0, 1)]
    has_learned = [
        any(array.any() for array in games[0].learned().values()) for games in leaves.subgames
    ]
    assert has_learned == [flop == drawn for flop in (0, 1)]
