from functools import cache

import numpy as np
import pytest

from runout.cards.card import parse_board
from runout.cards.combos import disjoint_combos, live_combos
from runout.cfr.parallel import Team
from runout.holdem.spot import Spot
from runout.holdem.spot_game import SpotGame
from runout.lab.real_game import judge_strategy
from runout.postflop.extract import extract_values
from runout.postflop.flop_strategy import HandStrategy
from runout.postflop.pair_values import ALL_RUNOUTS, RunoutSample, extract_pair_values
from runout.ranges.hand_range import HandRange
from runout.trees.postflop_tree import IP, OOP
from tests.lab.known_strategies import NoisyStrategy
from tests.postflop.toy_flops import flop_game, make_tree, random_strategy

FLOP = "9s6s2s"
SAMPLES = [RunoutSample(6, 3), RunoutSample(5, 4, seed=1)]


def tree():
    return make_tree(1.0, (1.0,), 0)


@cache
def game_of(merges_suits):
    everyone = HandRange.full()
    return SpotGame(
        Spot(parse_board(FLOP), (everyone, everyone), tree(), merges_suits=merges_suits)
    )


@pytest.mark.parametrize("sample", SAMPLES, ids=str)
@pytest.mark.parametrize("merges_suits", [True, False])
def test_strategies_of_hands_have_their_exact_values_however_few_boards_are_sampled(
    sample, merges_suits
):
    """They do not look at the board, so all that a sample could get wrong is taken out."""
    table = random_strategy(tree())
    expected = extract_values(tree(), flop_game(FLOP), table)
    found = extract_pair_values(game_of(merges_suits), HandStrategy(table), sample).by_hand()
    can_meet = flop_game(FLOP).table.totals > 0
    for position in (OOP, IP):
        difference = np.abs(found[position] - expected[position])[can_meet]
        assert difference.max() < 3e-6
    np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))


@pytest.mark.parametrize("num_workers", [2, 3])
def test_workers_change_no_bit_of_the_values(num_workers):
    game, strategy = game_of(True), HandStrategy(random_strategy(tree()))
    alone, together = (
        extract_pair_values(game, strategy, SAMPLES[0], team=team)
        for team in (Team(), Team(num_workers))
    )
    np.testing.assert_array_equal(together.gain_of_oop, alone.gain_of_oop)


@pytest.mark.slow
def test_all_boards_give_the_value_of_strategies_that_look_at_every_card():
    game, strategy = game_of(False), NoisyStrategy(tree(), 3)
    everything = extract_pair_values(game, strategy, ALL_RUNOUTS).gain_of_oop
    combos = live_combos(game.cards.board)
    np.testing.assert_array_equal(np.isnan(everything), ~disjoint_combos(combos, combos))
    judged = judge_strategy(game.cards.board, tree(), strategy, merges_suits=False)
    assert np.nanmean(everything) == pytest.approx(judged.value_of_oop, abs=1e-5)
    sampled = extract_pair_values(game, strategy, RunoutSample(12, 4)).gain_of_oop
    assert abs(np.nanmean(sampled - everything)) < 0.01


def test_both_players_hands_share_the_pot():
    values = extract_pair_values(game_of(True), NoisyStrategy(tree(), 1), SAMPLES[0]).by_hand()
    total = values[OOP] + values[IP].T
    assert (total[~np.isnan(total)] == 1.0).all()


def test_the_seed_decides_the_boards():
    game, strategy = game_of(True), NoisyStrategy(tree(), 1)
    one, same, other = (
        extract_pair_values(game, strategy, RunoutSample(6, 3, seed=seed)).gain_of_oop
        for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, other, equal_nan=True)


def test_boards_on_which_some_combos_never_meet_are_refused():
    strategy = NoisyStrategy(tree(), 1)
    with pytest.raises(ValueError, match="meet on none of the boards"):
        extract_pair_values(game_of(False), strategy, RunoutSample(2, 2))
