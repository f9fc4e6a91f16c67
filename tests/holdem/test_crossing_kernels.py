"""From hands to buckets and back, against loops over cards and hands."""

import numpy as np
import pytest

from runout.holdem import crossing_kernels
from tests.holdem.small_compact import (
    NUM_BUCKETS,
    random_reach,
    scratch_of,
    small_game,
    streets_of,
)
from tests.reference import slow_compact

PROBABILITY = 1.0 / 44.0

both_players = pytest.mark.parametrize("player", [0, 1])
#: Of merged cards, of a card of a suit that can make a flush; of the last turn card.
every_kind_of_game = pytest.mark.parametrize("merges_cards", [True, False])


def cross(player, merges_cards=True):
    """Crosses down with random reach; returns the game, its space, and the reach of the lanes."""
    game = small_game(merges_cards=merges_cards)
    streets, scratch = streets_of(game, player), scratch_of(game, player)
    reach = random_reach(game, player)
    crossing_kernels.cross_down(streets, reach, scratch.crossing)
    return streets, scratch, reach[streets.turn.chance_row].astype(np.float64) * PROBABILITY


def games_of_turn(streets):
    """Returns a game of several cards where there is one, one of a single card, and the last."""
    first, end = streets.games.first_game[:2]
    sizes = streets.games.num_cards[first:end]
    return {int(first + sizes.argmax()), int(first + sizes.argmin()), int(end - 1)}


def cards_of(streets, game):
    return streets.games.cards[game, : streets.games.num_cards[game]].tolist()


@both_players
def test_lanes_hold_the_reach_and_what_each_hand_meets_of_it(player):
    streets, scratch, lanes = cross(player)
    num_lanes = len(lanes)
    np.testing.assert_allclose(scratch.crossing.reach[:, :num_lanes].T, lanes, rtol=1e-6)
    for hand, cards in enumerate(streets.hands.hero_cards.tolist()):
        met = slow_compact.met_by(cards, streets.hands.villain_cards, lanes, -1)
        np.testing.assert_allclose(
            scratch.crossing.mass[hand, :num_lanes], met, rtol=1e-4, atol=1e-6
        )


@every_kind_of_game
@both_players
def test_buckets_are_entered_by_their_hands(player, merges_cards):
    streets, scratch, lanes = cross(player, merges_cards)
    for game in games_of_turn(streets):
        crossing_kernels.enter_game(streets, game, scratch.crossing, scratch.game)
        expected = slow_compact.enter_game(
            cards_of(streets, game),
            streets.games.villain[game],
            streets.hands.villain_cards,
            lanes,
            NUM_BUCKETS,
        )
        found = scratch.game.reach[streets.river.roots.row[: len(lanes)]]
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6)


@every_kind_of_game
@both_players
def test_hands_win_what_their_bucket_wins_of_what_they_meet(player, merges_cards):
    streets, scratch, lanes = cross(player, merges_cards)
    expected = np.zeros((len(lanes), len(streets.hands.hero_cards)))
    rng = np.random.default_rng(11)
    for game in games_of_turn(streets):
        met = rng.random((len(lanes), NUM_BUCKETS)).astype(np.float32)
        met[:, 3] = 0.0
        won = rng.normal(size=met.shape).astype(np.float32)
        scratch.game.met[: len(lanes)] = met
        scratch.game.value[streets.river.forest.root] = won
        crossing_kernels.leave_game(streets, game, scratch.game, scratch.crossing)
        per_unit = np.where(met > 0.0, won / np.where(met > 0.0, met, 1.0), 0.0)
        expected += slow_compact.leave_game(
            cards_of(streets, game),
            streets.games.hero[game],
            streets.hands.hero_cards,
            streets.hands.villain_cards,
            lanes,
            per_unit,
        )
    found = scratch.crossing.won[:, : len(lanes)].T
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-4)


@both_players
def test_what_hands_win_goes_to_the_nodes_before_the_river(player):
    game = small_game()
    streets, scratch = streets_of(game, player), scratch_of(game, player)
    won = scratch.crossing.won
    won[:] = np.random.default_rng(12).normal(size=won.shape)
    value = np.full_like(scratch.turn.value, np.nan)
    crossing_kernels.cross_up(streets, scratch.crossing, value)
    chance = streets.turn.chance
    np.testing.assert_array_equal(value[chance], won[:, : len(chance)].T)
    others = np.setdiff1d(np.arange(len(value)), chance)
    assert np.isnan(value[others]).all()
