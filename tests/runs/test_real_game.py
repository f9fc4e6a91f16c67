from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from runout.cards.deck import HAND_NAMES, combo_index, parse_board
from runout.cards.ranges import Range
from runout.cfr.schedules import StoppingRule
from runout.cfr.team import Team
from runout.flops.backend import HandStrategy
from runout.flops.bucketed import BucketedBackend
from runout.flops.hands import HandBackend
from runout.flops.spot_solution import TableStrategy
from runout.flops.values import RunoutSample
from runout.holdem.cards import NO_RAKE, Spot
from runout.holdem.forest import make_templates
from runout.holdem.solver import SpotSolver
from runout.holdem.tables import Precision
from runout.trees.tree import PostflopTree
from tests.reference.postflop_values import best_response_value, pair_gains
from tests.reference.slow_spot import EVALUATE, RESPOND, Learned, SlowSpot
from tests.samples.judging import judge_strategy
from tests.samples.known_strategies import CHECK_OR_FOLD, JAM_OR_CALL, NoisyStrategy, prefer
from tests.samples.small_spots import JAM, NO_BETS, make_rules
from tests.samples.toy_flops import flop_game, ignore_progress, make_tree, random_strategy

MONOTONE, TWO_TONE, PAIRED = "Qh7h2h", "Th9h6c", "8s8d3c"
EVERYONE = (Range("random"), Range("random"))


def tiny_tree(spr=1.0):
    """A bet of the pot, no raise: 25 nodes while that is all-in."""
    return make_tree(spr, (1.0,), 0)


def judge(flop, tree, strategy, ranges=EVERYONE, num_workers=1, **options):
    team = Team(num_workers)
    return judge_strategy(parse_board(flop), tree, strategy, ranges, team, **options)


class SlowGame(SlowSpot):
    """The slow twin with given strategies in place of learned ones."""

    def __init__(self, spot, strategy):
        super().__init__(spot)
        self.strategy = strategy
        self.templates = make_templates(spot.tree, NO_RAKE)
        self.rows = cache(self._rows)

    def _rows(self, player, cards):
        combos = np.array([combo_index(*combo) for combo in self.combos[player]])
        rows = self.strategy.rows(self.templates[len(cards)], player, cards, combos)
        return rows.astype(np.float64)

    def tables(self, node, cards):
        player = int(self.tree.layout.actor[node])
        nodes = self.templates[len(cards)].action_node[player]
        mine = self.rows(player, cards)[np.isin(nodes, self.tree.layout.children(node))]
        return Learned(mine, mine)


def test_noise_is_judged_as_by_a_slow_player_who_tries_everything():
    tree = tiny_tree()
    ranges = (Range("QcQs,AhTh,8c8d:0.5"), Range("KhKc,JcTc:0.3,7c7d"))
    strategy = NoisyStrategy(tree, seed=1)
    slow = SlowGame(Spot(parse_board(MONOTONE), ranges, tree), strategy)
    loss = judge(MONOTONE, tree, strategy, ranges, merges_suits=False)
    expected = [slow.winnings(player, RESPOND) for player in (0, 1)]
    assert loss.best_response == pytest.approx(expected, abs=2e-6)
    assert loss.value[0] == pytest.approx(slow.winnings(0, EVALUATE), abs=2e-6)
    assert loss.exploitability_pot == pytest.approx(sum(expected) / 2, abs=2e-6)
    assert min(loss.gains_pot) > 0.0


def test_gains_of_both_players_are_twice_the_exploitability():
    tree = tiny_tree()
    loss = judge(MONOTONE, tree, HandStrategy(random_strategy(tree)))
    assert sum(loss.gains_pot) / 2 == pytest.approx(loss.exploitability_pot)


@pytest.mark.parametrize("spr", [1.0, 3.0])
def test_who_never_puts_in_a_chip_loses_its_half_of_the_pot(spr):
    tree = tiny_tree(spr)
    loss = judge(MONOTONE, tree, prefer(tree, CHECK_OR_FOLD, CHECK_OR_FOLD))
    assert loss.best_response == pytest.approx((0.5, 0.5), abs=1e-5)
    assert loss.value[0] == pytest.approx(0.0, abs=1e-5)  # checked down, all hands each
    assert loss.gains_pot == pytest.approx((0.5, 0.5), abs=1e-5)


def test_who_jams_into_the_nuts_loses_stack_and_half_of_the_pot():
    tree = tiny_tree()
    ranges = (Range("QcQd"), Range("AcKc"))
    loss = judge("AsAdAh", tree, prefer(tree, JAM_OR_CALL, CHECK_OR_FOLD), ranges)
    assert loss.value[0] == pytest.approx(0.5, abs=1e-6)  # IP folds quads
    assert loss.best_response == pytest.approx((0.5, 1.5), abs=1e-6)  # a pot sized bet is called
    assert loss.gains_pot == pytest.approx((0.0, 2.0), abs=1e-6)
    assert loss.exploitability_pot == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("precision", Precision)
def test_an_exact_strategy_loses_what_its_solver_says(precision):
    spot = Spot(parse_board(MONOTONE), EVERYONE, tiny_tree())
    solver = SpotSolver(spot, precision=precision)
    solver.run(4)
    strategy = TableStrategy(solver.tables, solver.game)
    loss = judge(MONOTONE, spot.tree, strategy)
    assert loss.exploitability_pot == pytest.approx(solver.exploitability(), abs=2e-6)
    assert loss.value[0] + 0.5 == pytest.approx(solver.expected_value(0), abs=2e-6)


def without_ranks_of(flop):
    """Returns all pairs and offsuit hands of other ranks than a flop's, as indices of hands."""
    return [
        hand
        for hand, name in enumerate(HAND_NAMES)
        if not name.endswith("s") and not set(name) & set(flop)
    ]


def test_where_suits_decide_nothing_the_real_game_is_the_game_of_169_hands():
    """On a rainbow flop no pair or offsuit hand makes a flush; cards decide nothing after it."""
    flop, deciding = "9s5h2d", ((JAM, JAM), (NO_BETS, NO_BETS), (NO_BETS, NO_BETS))
    tree = PostflopTree.build(make_rules(deciding), 1.5)
    hands = without_ranks_of(flop)
    is_held = np.isin(np.arange(169), hands)
    share = flop_game(flop).matchup_share * np.outer(is_held, is_held)
    game = replace(flop_game(flop), matchup_share=share / share.sum())
    held = Range(",".join(HAND_NAMES[hand] for hand in hands))
    table = random_strategy(tree, seed=3)
    loss = judge(flop, tree, HandStrategy(table), (held, held))
    expected = [best_response_value(tree, game, table.astype(np.float64), p) for p in (0, 1)]
    assert loss.best_response == pytest.approx(expected, abs=1e-5)
    value = (game.matchup_share * pair_gains(tree, game, table)).sum()
    assert loss.value[0] == pytest.approx(value, abs=1e-5)


@pytest.mark.parametrize("flop", [MONOTONE, PAIRED])
def test_169_hands_lose_at_least_what_they_lose_to_each_other(flop):
    """Whoever sees more cards can do what hands do, and their strategies are worth the same."""
    tree = tiny_tree()
    game = flop_game(flop)
    solution = HandBackend(StoppingRule(30)).solve(game, tree, ignore_progress, Team())
    loss = judge(flop, tree, solution.strategy)
    wide = solution.strategy.table.astype(np.float64)
    for player, real in enumerate(loss.best_response):
        assert real > best_response_value(tree, game, wide, player)
    value = (game.matchup_share * pair_gains(tree, game, wide)).sum()
    assert loss.value[0] == pytest.approx(value, abs=1e-5)


def solve_in_buckets(flop, tree, rounds):
    sample = RunoutSample(6, 3)
    backend = BucketedBackend((8, 8, 8), StoppingRule(5), rounds=rounds, sample=sample)
    return backend.solve(flop_game(flop), tree, ignore_progress, Team()).strategy


@pytest.mark.parametrize("flop", [MONOTONE, TWO_TONE])
def test_merged_suits_change_nothing(flop):
    tree = tiny_tree()
    strategy = HandStrategy(random_strategy(tree))
    assert_same_when_merged(flop, tree, strategy)


def test_merged_suits_change_nothing_for_buckets():
    """Of strength on all streets, and on the flop of what hands have earned."""
    tree = tiny_tree()
    assert_same_when_merged(MONOTONE, tree, solve_in_buckets(MONOTONE, tree, rounds=2))


def assert_same_when_merged(flop, tree, strategy):
    merged = judge(flop, tree, strategy)
    apart = judge(flop, tree, strategy, merges_suits=False)
    assert merged.best_response == pytest.approx(apart.best_response, abs=2e-6)
    assert merged.value[0] == pytest.approx(apart.value[0], abs=2e-6)


def test_the_number_of_workers_changes_no_bit():
    tree = tiny_tree()
    strategy = HandStrategy(random_strategy(tree))
    assert judge(MONOTONE, tree, strategy) == judge(MONOTONE, tree, strategy, num_workers=2)
