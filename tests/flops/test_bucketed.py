import numpy as np
import pytest

from runout.cards.deck import COMBO_HAS_CARD
from runout.cfr.cfr_kernels import EVALUATE as EVALUATE_MODE
from runout.cfr.cfr_kernels import Step
from runout.cfr.schedules import LINEAR, StoppingRule, StopReason
from runout.cfr.team import Team
from runout.flops.bucketed_solver import BucketedSolver
from runout.flops.spot_solution import TableStrategy
from runout.holdem.cards import Spot
from runout.holdem.game import CardGame
from runout.holdem.solver import SpotSolver
from runout.trees.betting import Stakes, Street
from runout.trees.tree import PostflopTree
from tests.samples.judging import judge_strategy
from tests.samples.menus import menu_of
from tests.samples.small_buckets import full_game, one_bucket, own_bucket_each
from tests.samples.small_spots import NO_BETS, make_rules, weigh

FLOP = "Qs8h3d"
OOP = "AsAh QcJc Tc9c 7s6s 3c3h Ac5c"
IP = "KsKh QdJd Jc9h 8c7c Ad4d 6h5h"
POT = menu_of("100%", "100%")
ALL_CARDS = (49, 48)
EVALUATE = Step(EVALUATE_MODE, *(np.float32(0.0) for _ in range(3)))


def tiny_game(streets):
    """A flop of six combos each, with one pot-sized bet on some streets."""
    menus = [(POT, POT) if street in streets else (NO_BETS, NO_BETS) for street in Street]
    tree = PostflopTree.build(make_rules(menus), Stakes.in_chips(2, 6))
    spot = Spot(
        full_game(FLOP).cards.board, (weigh(OOP, 1), weigh(IP, 2)), tree, merges_suits=False
    )
    return CardGame(spot)


def all_combos(game):
    return np.union1d(*(player.combos for player in game.cards.players))


def unabstracted(game, **keys):
    return BucketedSolver(game, own_bucket_each(FLOP, all_combos(game)), **keys)


@pytest.mark.parametrize("streets", [{Street.FLOP, Street.TURN}, {Street.FLOP, Street.RIVER}])
def test_with_a_bucket_for_every_hand_every_iteration_is_that_of_the_exact_solver(streets):
    """Nothing is abstracted and no card is left out: only rounding differs.

    Where two actions are worth the same rounding decides between them, and later iterations make
    more of it. So two iterations are compared, and one number in a hundred may differ.
    River buckets do not tell the turn from the river card, which matters only if the turn is bet.
    """
    game = tiny_game(streets)
    bucketed = unabstracted(game, sampled=ALL_CARDS)
    exact = SpotSolver(game.spot, LINEAR)
    bucketed.run(2)
    exact.run(2)
    expected, found = TableStrategy(exact.tables, exact.game), bucketed.strategy()
    are_same = []
    for dealt in ((), *game.cards.runouts[0][::7], *game.cards.runouts[1][::300]):
        template = game.templates[len(dealt)]
        for player, hands in enumerate(game.cards.players):
            combos = hands.combos[~COMBO_HAS_CARD[hands.combos][:, list(dealt)].any(axis=1)]
            rows = [side.rows(template, player, dealt, combos) for side in (found, expected)]
            are_same.append(np.isclose(*rows, rtol=0.0, atol=1e-5).ravel())
    assert np.mean(np.concatenate(are_same)) > 0.99


def test_with_a_bucket_for_every_hand_and_sampled_cards_it_nears_the_exact_solution():
    game = tiny_game({Street.FLOP, Street.TURN})
    exact = SpotSolver(game.spot)
    exact.solve(StoppingRule(200, exploitability=0.01))
    value = exact.value_of(0, EVALUATE)
    solver = unabstracted(game, sampled=(12, 4))

    def judge():
        return judge_strategy(game.cards.board, game.spot.tree, solver.strategy(), game.spot.ranges)

    solver.run(2)
    early = judge()
    solver.run(98)
    loss = judge()
    assert loss.exploitability_pot < early.exploitability_pot / 2
    best_oop, best_ip = loss.best_response
    assert -best_ip - 0.01 < value < best_oop + 0.01


def test_with_one_bucket_all_hands_play_one_strategy():
    game = full_game(FLOP)
    solver = BucketedSolver(game, one_bucket(FLOP))
    solver.run(3)
    strategy = solver.strategy()
    combos = game.cards.players[0].combos
    for dealt in ((), *game.cards.runouts[0][:2], *game.cards.runouts[1][:2]):
        live = combos[~COMBO_HAS_CARD[combos][:, list(dealt)].any(axis=1)]
        rows = strategy.rows(game.templates[len(dealt)], 1, dealt, live)
        assert (rows == rows[:, :1]).all()
        assert rows.std() > 0.0


def test_strategies_are_probabilities():
    solver = BucketedSolver(full_game(FLOP), one_bucket(FLOP))
    solver.run(2)
    for tables in solver.tables:
        for street in tables:
            sums = np.add.reduceat(street.average, street.first_action, axis=0)
            np.testing.assert_allclose(sums, 1.0)
            assert (street.average >= 0.0).all()


@pytest.mark.parametrize("num_workers", [2, 3])
def test_workers_change_no_bit(num_workers):
    game = tiny_game(set(Street))
    alone, together = unabstracted(game), unabstracted(game, team=Team(num_workers))
    alone.run(4)
    together.run(4)
    assert alone.strategy_delta == together.strategy_delta
    for one, other in zip(alone.tables, together.tables, strict=True):
        for street, other_street in zip(one, other, strict=True):
            np.testing.assert_array_equal(street.regret, other_street.regret)
            np.testing.assert_array_equal(street.average, other_street.average)


def test_the_seed_decides_the_cards():
    game = tiny_game(set(Street))
    one, same, other = (unabstracted(game, seed=seed) for seed in (1, 1, 2))
    for solver in (one, same, other):
        solver.run(2)
    np.testing.assert_array_equal(one.tables[0][1].regret, same.tables[0][1].regret)
    assert not np.array_equal(one.tables[0][1].regret, other.tables[0][1].regret)


def test_early_stopping_triggers_below_the_threshold_and_not_above():
    game = tiny_game(set(Street))
    outcome = unabstracted(game).solve(StoppingRule(50, strategy_delta=0.5))
    assert outcome.reason == StopReason.STRATEGY_DELTA
    assert outcome.strategy_delta <= 0.5
    assert outcome.iterations < 50
    outcome = unabstracted(game).solve(StoppingRule(5, strategy_delta=1e-9))
    assert outcome.reason == StopReason.ITERATIONS
    assert outcome.strategy_delta > 1e-9


def test_the_bound_of_exploitability_holds_in_the_real_game_and_falls():
    """With a bucket for every hand its own buckets are the real game."""
    game = tiny_game({Street.FLOP, Street.TURN})
    solver = unabstracted(game, sampled=ALL_CARDS)
    bounds = []
    for _ in range(3):
        solver.run(5)
        bounds.append(solver.exploitability())
        loss = judge_strategy(game.cards.board, game.spot.tree, solver.strategy(), game.spot.ranges)
        assert loss.exploitability_pot * game.spot.tree.stakes.pot <= bounds[-1]
    assert bounds[0] > bounds[1] > bounds[2] > 0.0


def test_a_solver_begins_with_what_the_hands_of_its_buckets_have_learned():
    game = tiny_game(set(Street))
    old = unabstracted(game)
    old.run(3)
    combos = all_combos(game)
    live = np.flatnonzero(old.buckets.by_flop >= 0)
    by_flop = np.where(old.buckets.by_flop >= 0, 0, -1).astype(np.int16)
    merged = type(old.buckets)(
        old.buckets.flop,
        by_flop,
        old.buckets.by_turn,
        old.buckets.by_river,
        (1, *old.buckets.num_buckets[1:]),
    )
    new = BucketedSolver(game, merged)
    new.begin_with(old)
    assert len(live) == len(combos)
    for player in (0, 1):
        flop, turn, _ = new.tables[player]
        old_flop, old_turn, _ = old.tables[player]
        np.testing.assert_allclose(flop.regret[:, 0], old_flop.regret.mean(axis=1))
        np.testing.assert_array_equal(turn.regret, old_turn.regret)
        assert not flop.strategy_sum.any()
