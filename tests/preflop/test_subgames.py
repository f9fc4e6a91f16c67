"""Tests of the flops of a joint game, `runout.preflop.joint`."""

import numpy as np
import pytest

from runout.cards.deck import matchup_weights
from runout.cards.flops import explicit_flops, subset_flops
from runout.cfr.cfr_kernels import EVALUATING
from runout.cfr.schedules import DCFR_JOINT, StoppingRule
from runout.equity.board import compute_board_equity
from runout.flops.backend import ONCE
from runout.flops.cards import CardBackend
from runout.flops.spot_solution import StoredStrategy, TableStrategy
from runout.flops.turn_buckets import StrengthBuckets
from runout.holdem.rivers import BucketRivers
from runout.preflop.joint import (
    PAIRS_BESIDE_A_FLOP,
    JointGame,
    checked_down_edge,
    estimate_subgames,
)
from runout.preflop.shards import save_flop_strategies
from runout.preflop.solver import BookLeaves, PreflopSolver, best_response, preflop_edge
from runout.solutions.flop_bundles import JointFlops
from runout.solutions.node import HandSpace
from runout.solutions.values import ValueBook
from runout.trees.betting import SB, BettingRules, Street
from runout.trees.tree import PotType
from tests.samples.joint_games import (
    CHECK_DOWN,
    MONOTONE,
    leaf_values,
    leaves_of,
    limp_or_raise,
    one_line,
)
from tests.samples.preflop_games import solution_of

# --------------------------------------------------------------------------------------------------
# Joint games whose rivers are bucket games.


BETTING = BettingRules.of([0.75], 0)


def make_game(tree, betting, num_buckets=32, blockers="off", flops=MONOTONE, turns=None):
    every_pot = dict.fromkeys(PotType, betting)
    return JointGame(
        tree,
        explicit_flops(flops),
        every_pot,
        CardBackend(ONCE, BucketRivers(num_buckets, blockers, turns=turns)),
    )


def solve(game, workers=1, iterations=4):
    solver = PreflopSolver(game.tree, leaves_of(game, workers), DCFR_JOINT)
    return solver, solution_of(solver, StoppingRule(iterations))


def test_checked_down_flops_are_nearly_the_game_of_raw_equities():
    tree, rule = limp_or_raise(), StoppingRule(4)
    _, joint = solve(make_game(tree, CHECK_DOWN, 48, flops=MONOTONE[:1]))
    raw = solution_of(PreflopSolver(tree, BookLeaves(tree, ValueBook()), DCFR_JOINT), rule)
    # Buckets of 48 strengths blur showdowns by about a hundredth of the pot on this flop.
    np.testing.assert_allclose(joint.ev_bb[0, 0], raw.ev_bb[0, 0], atol=0.15)
    assert joint.game_value_bb(SB) == pytest.approx(raw.game_value_bb(SB), abs=0.02)


def test_two_workers_find_the_same_bits_and_little_is_lost_between_the_players():
    game = make_game(one_line(), BETTING)
    (one, first), (two, second) = solve(game), solve(game, workers=2)
    np.testing.assert_array_equal(first.ev_bb, second.ev_bb)
    assert first.game_value_bb(0) + first.game_value_bb(1) == pytest.approx(0.0, abs=1e-9)
    for mine, theirs in zip(one.leaves.subgames, two.leaves.subgames, strict=True):
        for name, array in mine[0].learned().items():
            np.testing.assert_array_equal(array, theirs[0].learned()[name])


def test_while_all_hands_arrive_alike_nothing_is_lost_between_the_players():
    """Who meets whom is counted for equal ranges, so only unequal ones can be off by something."""
    tree = one_line()
    leaves = leaves_of(make_game(tree, BETTING, flops=MONOTONE[:1]))
    (leaf,), everyone = tree.flop_leaves(), np.ones((tree.num_nodes, 169))
    won, lost = (leaf_values(leaves, player, everyone)[leaf.node].sum() for player in (0, 1))
    assert won + lost == pytest.approx(0.0, abs=1e-6 * leaf.pot_bb)
    mixed = np.random.default_rng(0).random((tree.num_nodes, 169))
    won, lost = (
        mixed[leaf.node] @ leaf_values(leaves, player, mixed)[leaf.node] for player in (0, 1)
    )
    assert 0.0 < abs(won + lost) < 0.005 * leaf.pot_bb


def test_turns_in_buckets_are_saved_and_read_with_rivers_and_without(tmp_path):
    game = make_game(limp_or_raise(), BETTING, 16, flops=MONOTONE[:1], turns=StrengthBuckets(9))
    solver, solution = solve(game, iterations=2)
    for last, keeps in ((Street.TURN, False), (Street.RIVER, True)):
        path = tmp_path / last.label
        save_flop_strategies(path, solver.leaves, solution, "", keep_rivers=keeps)
        saved = JointFlops.load(path)
        for leaf, subgame in enumerate(solver.leaves.subgames[0]):
            learned = TableStrategy(subgame.tables, subgame.game)
            shares, cards = saved.shares(0, leaf, game.flop_trees)
            kept, combos = StoredStrategy(shares, cards), cards.players[0].combos
            streets = zip(subgame.game.templates, [((),), *cards.runouts], strict=True)
            for template, runouts in list(streets)[: last + 1]:
                for dealt in runouts[::40]:
                    found, known = (
                        each.rows(template, 1, dealt, combos) for each in (kept, learned)
                    )
                    np.testing.assert_allclose(found, known, atol=0.6 / 255)


@pytest.mark.parametrize("turns", [None, StrengthBuckets(9)])
def test_memory_is_what_the_tables_and_cards_take(turns):
    game = make_game(limp_or_raise(), BETTING, turns=turns)
    leaves = leaves_of(game)
    tables = sum(
        array.nbytes
        for of_flop in leaves.subgames
        for subgame in of_flop
        for array in subgame.learned().values()
    )
    need = estimate_subgames(game.backend, game.flops.flops, game.flop_trees, 1)
    assert need.memory.tables == tables
    assert need.memory.total < 1.5 * tables + 100e6
    cells = sum(
        s.learned()[name].size
        for of_flop in leaves.subgames
        for s in of_flop
        for name in s.learned()
    )
    assert 2 * need.cells_by_street.sum() == cells


def test_leaves_with_deep_stacks_tell_blockers_apart():
    game = make_game(limp_or_raise(25.0), BETTING, blockers="auto", flops=MONOTONE[:1])
    games = game.backend.make_games(game.flops.flops[0], game.flop_trees)
    deep = [each.rivers.has_blockers for each in games]
    assert deep == [leaf.spr >= 8.0 for leaf in game.tree.flop_leaves()]
    assert games[1].card_tables is games[2].card_tables


def test_exploitability_is_measured_from_the_values_that_do_not_quite_sum_to_zero():
    solver, solution = solve(make_game(one_line(), BETTING, flops=MONOTONE[:1]))
    best = sum(
        best_response(solution.tree, solver.leaves, solution.strategy, p).sum() for p in (0, 1)
    )
    everyone = np.ones((2, 169))
    values = sum(solver.street.visit(everyone, p, EVALUATING).sum() for p in (0, 1))
    expected = 1000.0 * (best - values) / 2
    assert abs(values) > 1e-6
    assert solution.report.exploitability_mbb == pytest.approx(expected, rel=1e-3)


def test_the_values_that_are_reported_add_up_to_the_pot_at_every_node():
    _, solution = solve(make_game(one_line(), BETTING, flops=MONOTONE[:1]))
    assert solution.game_value_bb(0) + solution.game_value_bb(1) == pytest.approx(0.0, abs=1e-9)
    for number in range(solution.tree.num_nodes):
        node = solution.node_at(number)
        arriving = node.weights * node.met_weights * HandSpace.HANDS.num_combos
        oop, ip = np.nansum(arriving * node.ev, axis=1) / arriving.sum(axis=1)
        assert oop + ip == pytest.approx(node.pot, abs=1e-6)


def test_a_checked_down_flop_is_worth_its_equities_times_the_combos_that_it_leaves():
    flops = explicit_flops(["AhKd7s"])
    equities = compute_board_equity(flops.flops[0]).hand_table()
    weights = matchup_weights(flops.flops[0])
    assert weights.sum() == PAIRS_BESIDE_A_FLOP == 1_176 * 1_081
    edge = 2 * (equities.wins + equities.ties / 2) / np.maximum(equities.totals, 1) - 1
    expected = weights / weights.sum() * edge
    np.testing.assert_allclose(checked_down_edge(flops), expected, atol=1e-15)


def test_what_one_hand_wins_the_other_loses():
    edge = checked_down_edge(subset_flops(8))
    np.testing.assert_allclose(edge, -edge.T, atol=1e-18)


def test_a_good_subset_deals_nearly_what_all_flops_deal():
    edge, weights = checked_down_edge(subset_flops(25)), matchup_weights()
    assert np.abs(edge - weights / weights.sum() * preflop_edge()).sum() < 0.03
