"""Tests of `runout.preflop.joint`."""

import numpy as np
import pytest

from runout.cards.deck import HAND_BY_COMBO, parse_board
from runout.cards.flops import subset_flops
from runout.cards.ranges import Range
from runout.cfr.cfr_kernels import EVALUATING, LEARN, RESPONDING, Step
from runout.cfr.leaves import StreetReach
from runout.cfr.schedules import DCFR_JOINT, StoppingRule
from runout.errors import FlopListError
from runout.flops.spot_solution import StoredStrategy, TableStrategy
from runout.holdem.cards import CardsToCome, Spot
from runout.holdem.game import CardGame
from runout.holdem.solver import SpotSolver
from runout.holdem.tables import FixedTables
from runout.preflop.joint import PAIRS_BESIDE_A_FLOP, FlopSampler, checked_down_edge, count_alike
from runout.preflop.shards import save_flop_strategies
from runout.preflop.solver import BookLeaves, PreflopSolver
from runout.solutions.flop_bundles import JointFlops, encode_shares
from runout.solutions.values import ValueBook, ValueSource
from runout.trees.betting import BB, SB, BettingRules, Street
from runout.trees.tree import PostflopTree, PotType, PreflopTree, postflop_position, pot_type_of
from tests.samples.joint_games import (
    CHECK_DOWN,
    FLOP_JAM,
    MONOTONE,
    leaf_values,
    limp_or_raise,
    make_game,
    make_leaves,
    make_solver,
    one_line,
)
from tests.samples.preflop_games import solution_of
from tests.samples.preflop_rules import push_fold_rules

WEIGHTS = subset_flops(25).weights


def test_by_default_every_flop_is_visited_once():
    drawn = FlopSampler(WEIGHTS).draw(3)
    assert drawn.number.tolist() == list(range(25))
    assert (drawn.scale == 1.0).all()


def test_an_iteration_draws_the_same_flops_whenever_it_is_asked():
    sampler = FlopSampler(WEIGHTS, 5, seed=1)
    first, again, other = sampler.draw(7), sampler.draw(7), sampler.draw(8)
    np.testing.assert_array_equal(first.number, again.number)
    assert first.number.tolist() != other.number.tolist()


def test_as_many_flops_are_drawn_as_asked_for_and_none_twice():
    for count in (1, 5, 24):
        for iteration in range(50):
            number = FlopSampler(WEIGHTS, count).draw(iteration).number
            assert len(set(number.tolist())) == len(number) == count


def test_flops_are_drawn_as_often_as_their_probability_says():
    sampler = FlopSampler(WEIGHTS, 6)
    counts = np.zeros(25)
    for iteration in range(4000):
        counts[sampler.draw(iteration).number] += 1
    np.testing.assert_allclose(counts / 4000, sampler.probabilities(), atol=0.03)


def test_scaled_sums_have_the_mean_of_sums_over_all_flops():
    sampler = FlopSampler(WEIGHTS, 6)
    values = np.random.default_rng(0).random(25)
    sums = []
    for iteration in range(4000):
        drawn = sampler.draw(iteration)
        sums.append((WEIGHTS[drawn.number] * values[drawn.number] * drawn.scale).sum())
    assert np.mean(sums) == pytest.approx((WEIGHTS * values).sum(), rel=0.01)


def test_a_flop_heavier_than_the_spacing_is_always_drawn():
    sampler = FlopSampler(np.array([0.7, 0.1, 0.1, 0.1]), 2)
    np.testing.assert_allclose(sampler.probabilities(), [1.0, 1 / 3, 1 / 3, 1 / 3])
    assert all(0 in sampler.draw(iteration).number for iteration in range(20))


@pytest.mark.parametrize("count", [0, 26])
def test_an_impossible_number_of_flops_is_refused(count):
    with pytest.raises(FlopListError, match=f"{count} cannot be drawn of 25 flops"):
        FlopSampler(WEIGHTS, count)


@pytest.fixture(scope="module")
def solved():
    solver = make_solver(one_line(), MONOTONE[:1], FLOP_JAM)
    solution = solution_of(solver, StoppingRule(4))
    return solver.leaves, solution


def test_shares_of_a_decision_add_up_to_one(solved):
    subgame = solved[0].subgames[0][0]
    template = subgame.game.templates[Street.FLOP]
    for player, learning in enumerate(subgame.tables.by_street[Street.FLOP]):
        counts = template.decisions_of(player)[1]
        shares = encode_shares(learning.strategy_sum[0], counts, np.uint8)
        decisions = shares.reshape(-1, 2, shares.shape[1]).sum(axis=1)  # jam or not
        assert set(np.unique(decisions)) <= {254, 255, 256}


def test_a_hand_that_never_came_takes_all_actions_alike(solved):
    template = solved[0].subgames[0][0].game.templates[Street.FLOP]
    counts = template.decisions_of(0)[1]
    shares = encode_shares(np.zeros((template.num_actions[0], 16)), counts, np.uint8)
    assert set(np.unique(shares)) == {128}


@pytest.mark.parametrize("keep_rivers", [True, False])
def test_saved_strategies_are_those_of_the_tables(solved, tmp_path, keep_rivers):
    leaves, solution = solved
    save_flop_strategies(tmp_path / "flops", leaves, solution, "a: 1", keep_rivers=keep_rivers)
    saved = JointFlops.load(tmp_path / "flops")
    assert saved.flops.names == ("QsTs5s",)
    assert saved.config_text == "a: 1"
    assert saved.last_street == (Street.RIVER if keep_rivers else Street.TURN)
    subgame = leaves.subgames[0][0]
    templates = subgame.game.templates
    shares, cards = saved.shares(0, 0, [subgame.game.spot.tree])
    assert len(shares) == (3 if keep_rivers else 2)
    combos = cards.players[0].combos
    kept, learned = StoredStrategy(shares, cards), TableStrategy(subgame.tables, subgame.game)
    for template, runouts in zip(templates, [((),), *cards.runouts], strict=True):
        if template.street > saved.last_street:
            continue
        for dealt in runouts[::50]:
            found, expected = (each.rows(template, 0, dealt, combos) for each in (kept, learned))
            np.testing.assert_allclose(found, expected, atol=0.6 / 255)


BET, TWO_BETS = (BettingRules.of(sizes, 0) for sizes in ([1.0], [0.5, 1.0]))


@pytest.mark.parametrize(
    ("path", "pot_type"),
    [("c-x", PotType.LIMPED), ("r2.5-c", PotType.RAISED), ("c-r2.5-c", PotType.RAISED)],
)
def test_pots_are_told_apart_by_the_raises_before_the_flop(path, pot_type):
    tree = limp_or_raise()
    assert pot_type_of(tree, tree.find_node(path)) is pot_type


def test_every_flop_leaf_has_a_tree_of_its_own_ratio():
    game = make_game(limp_or_raise(), MONOTONE, FLOP_JAM)
    ratios = [leaf.spr for leaf in game.tree.flop_leaves()]
    assert [tree.stakes.spr for tree in game.flop_trees] == pytest.approx(ratios)


def needs_of(*game, **options):
    return make_game(limp_or_raise(), *game).estimate(StoppingRule(100), 1, **options)


def test_memory_grows_with_flops_and_sizes():
    small, more_flops, more_sizes = (
        needs_of(flops, betting).memory_bytes
        for flops, betting in ((MONOTONE[:1], BET), (MONOTONE, BET), (MONOTONE[:1], TWO_BETS))
    )
    assert small < more_flops
    assert 1.2 * small < more_sizes


def test_what_would_need_less_is_told_with_numbers():
    needs = needs_of(MONOTONE, BET)
    change, runouts, words = needs.savings
    assert change == "exact_precision: 16"
    assert runouts == "turns_per_flop: 16, rivers_per_turn: 16"
    assert 0 < needs.savings[runouts] < needs.memory_bytes
    assert 0.5 * needs.memory_bytes < needs.savings[change] < needs.memory_bytes
    assert words == "give fewer flops, fewer sizes, or solve_type: compact"


def test_rivers_that_are_not_kept_need_no_disk_but_time_and_checkpoints():
    needs, less = needs_of(MONOTONE, BET), needs_of(MONOTONE, BET, keeps_rivers=False)
    assert 10 * less.disk_bytes < needs.disk_bytes
    assert needs.checkpoint_bytes == less.checkpoint_bytes
    assert needs.seconds == less.seconds > 0.0


def test_flops_of_one_pattern_are_counted_together():
    flops = subset_flops(25).flops
    counted = count_alike(flops)
    assert sum(number for _, number in counted) == 25
    boards = {cards.board: [len(deal.card) for deal in cards.deals] for cards, _ in counted}
    for flop in flops[:4]:
        alone = CardsToCome.plan(flop, (Range("random"), Range("random")))
        assert [len(deal.card) for deal in alone.deals] in boards.values()


# --------------------------------------------------------------------------------------------------
# Preflop and postflop as one game, with the exact engine on small trees.


SIX = StoppingRule(6)


@pytest.fixture(scope="module")
def jam_game():
    """A game of two flops after six iterations: its solver and its solution."""
    solver = make_solver(one_line(), MONOTONE, FLOP_JAM)
    return solver, solution_of(solver, SIX)


def solve_from_book(tree, book, rule):
    return solution_of(PreflopSolver(tree, BookLeaves(tree, book), DCFR_JOINT), rule)


def test_checked_down_flops_are_the_game_of_raw_equities():
    tree, rule = limp_or_raise(), StoppingRule(4)
    joint = solution_of(make_solver(tree, MONOTONE[:1], CHECK_DOWN), rule)
    raw = solve_from_book(tree, ValueBook(), rule)
    np.testing.assert_allclose(joint.strategy, raw.strategy, atol=1e-5)
    np.testing.assert_allclose(joint.ev_bb, raw.ev_bb, atol=1e-4)
    assert joint.report.exploitability_mbb == pytest.approx(raw.report.exploitability_mbb, rel=1e-4)
    assert {leaf.source for leaf in joint.report.flop_leaves.values()} == {ValueSource.JOINT}


def test_checked_down_flops_are_worth_what_the_deals_beside_them_say():
    tree = limp_or_raise()
    leaves = make_leaves(tree, MONOTONE, CHECK_DOWN)
    reach = np.random.default_rng(0).random((tree.num_nodes, 169)) ** 2
    for player in (SB, BB):
        arriving = np.array([reach[leaf.node] for leaf in leaves.flop_leaves])
        played = leaves.play_flops(player, EVALUATING, arriving)
        edge = checked_down_edge(leaves.flops)
        edge = edge if player == SB else -edge.T
        for leaf, value in zip(leaves.flop_leaves, played, strict=True):
            expected = leaf.pot_bb / 2 * edge @ reach[leaf.node]
            np.testing.assert_allclose(value, expected, atol=1e-6 * np.abs(expected).max())


def test_push_or_fold_needs_no_flop_and_is_exact():
    tree, rule = PreflopTree.build(push_fold_rules(10.0)), StoppingRule(400)
    joint = solution_of(make_solver(tree, MONOTONE[:1], CHECK_DOWN), rule)
    np.testing.assert_array_equal(joint.strategy, solve_from_book(tree, ValueBook(), rule).strategy)
    close = 2.0 * joint.report.exploitability_mbb / 1000.0 + 1e-6
    assert joint.game_value_bb(SB) == pytest.approx(-0.045371, abs=close)
    assert close < 1e-3


def test_one_flop_that_everybody_sees_is_learned_bit_by_bit_as_by_the_solver_of_the_flop():
    tree = one_line()
    leaves = make_leaves(tree, MONOTONE[:1], FLOP_JAM)
    everywhere = np.zeros(tree.num_nodes, dtype=np.int64)
    reach, value = np.ones((1, 169)), np.zeros((tree.num_nodes, 169))
    for iteration in range(4):
        for player in (BB, SB):  # OOP comes first in the solver of a flop
            step = Step(LEARN, *DCFR_JOINT.weights(iteration))
            arrival = StreetReach(player, step, (reach, reach), (everywhere, everywhere))
            leaves.fill_leaf_values(arrival, value)
        for player in (SB, BB):
            leaves.refresh(player)
    everyone = Range("random")
    betting = PostflopTree.build(FLOP_JAM, tree.flop_leaves()[0].spr)
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
    values = leaf_values(leaves, player, reach)
    for number, leaf in enumerate(leaves.flop_leaves):
        (played,) = leaves.play_flops(player, EVALUATING, reach[[leaf.node]])
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
    everyone, position = Range("random"), postflop_position(player)
    for flop, weight, games in zip(
        leaves.flops.flops, leaves.flops.weights, leaves.subgames, strict=True
    ):
        subgame = games[number]
        game = CardGame(Spot(flop, (everyone, everyone), subgame.game.spot.tree))
        strategy = TableStrategy(subgame.tables, subgame.game)
        fixed = FixedTables(game.templates, game.cards, strategy.rows, (1 - position,))
        hand = HAND_BY_COMBO[subgame.combos]
        arriving = np.zeros(subgame.width, np.float32)
        arriving[: len(hand)] = reach[hand] * weight / PAIRS_BESIDE_A_FLOP
        value = game.visit(position, RESPONDING, fixed, arriving)[: len(hand)]
        total += leaves.flop_leaves[number].pot_bb * np.bincount(hand, value, 169)
    return total


def test_two_workers_find_the_same_bits(jam_game):
    solver, solution = jam_game
    other = make_solver(one_line(), MONOTONE, FLOP_JAM, workers=2)
    np.testing.assert_array_equal(solution_of(other, SIX).ev_bb, solution.ev_bb)
    for mine, theirs in zip(solver.leaves.subgames, other.leaves.subgames, strict=True):
        for name, array in mine[0].learned().items():
            np.testing.assert_array_equal(array, theirs[0].learned()[name])


def test_a_game_without_flop_leaves_needs_no_subgames():
    tree = PreflopTree.build(push_fold_rules(10.0))
    leaves = make_leaves(tree, MONOTONE[:1], CHECK_DOWN)
    assert leaves.sources() == {}


def test_sampled_flops_are_scaled_so_that_their_mean_is_that_of_all():
    leaves = make_leaves(one_line(), MONOTONE, FLOP_JAM, per_iteration=1)
    weights = leaves.flops.weights
    for leaves.iteration in range(6):
        drawn = leaves.draw(Step(LEARN, *DCFR_JOINT.weights(0)))
        assert len(drawn.number) == 1
        assert drawn.scale == pytest.approx(1.0 / weights[drawn.number])
    assert len(leaves.draw(EVALUATING).number) == 2


def test_a_flop_that_was_not_drawn_learns_nothing_and_counts_no_visit():
    solver = make_solver(one_line(), MONOTONE, FLOP_JAM, per_iteration=1)
    solver.run(1)
    leaves = solver.leaves
    drawn = int(leaves.sampler.draw(0).number[0])
    assert leaves.num_visits.tolist() == [int(flop == drawn) for flop in (0, 1)]
    has_learned = [
        any(array.any() for array in games[0].learned().values()) for games in leaves.subgames
    ]
    assert has_learned == [flop == drawn for flop in (0, 1)]
