"""From hands to buckets and back, against loops over cards and hands."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from runout.cfr.cfr_kernels import EVALUATING
from runout.holdem import bucket_kernels, visit_kernels
from runout.holdem.bucket_kernels import GAMES_AT_ONCE
from runout.holdem.game import CardGame, arrive
from runout.holdem.tables import LearnedTables, Precision
from tests.reference import slow_compact
from tests.samples.small_compact import (
    NUM_BUCKETS,
    random_reach,
    scratch_of,
    small_game,
    streets_of,
)

both_players = pytest.mark.parametrize("player", [0, 1])
#: Of merged cards, of a card of a suit that can make a flush; of the last turn card.
every_kind_of_game = pytest.mark.parametrize("merges_cards", [True, False])


def cross(player, merges_cards=True):
    """Crosses down with random reach; returns the game, its space, and the reach of the lanes."""
    game = small_game(merges_cards=merges_cards)
    streets, scratch = streets_of(game, player), scratch_of(game, player)
    reach = random_reach(game, player)
    matchups = visit_kernels.meet(streets.hands, streets.turn.orders, 0)
    bucket_kernels.cross_down(streets, 0, matchups, scratch.turn.lanes, reach, scratch.between)
    return streets, scratch, reach[streets.turn.forest.chance_row].astype(np.float64)


def lanes_of(blocks, num_lanes):
    """Returns ``[num_lanes, hands]`` of ``[blocks, hands, 16]``."""
    return np.concatenate(list(blocks), axis=1)[:, :num_lanes].T


def batches_of_turn(streets):
    """Returns some games of a turn card that are entered and left together: four, fewer."""
    first, end = streets.games.first_game[:2].tolist()
    rest = first + 2 * GAMES_AT_ONCE - 1
    return (
        range(first, first + GAMES_AT_ONCE),
        range(first + GAMES_AT_ONCE, rest),
        range(end - 1, end),
    )


def cards_of(streets, game):
    return streets.games.cards[game, : streets.games.num_cards[game]].tolist()


@both_players
def test_lanes_hold_the_reach_and_what_each_hand_meets_of_it(player):
    streets, scratch, lanes = cross(player)
    found = lanes_of(scratch.between.reach, len(lanes))
    np.testing.assert_allclose(found, lanes, rtol=1e-6)
    mass = lanes_of(scratch.between.mass, len(lanes))
    for hand in streets.turn.orders.hero[0][: streets.turn.orders.num_hero[0]]:
        cards = streets.hands.hero_cards[hand].tolist()
        met = slow_compact.met_by(cards, streets.hands.villain_cards, lanes, -1)
        np.testing.assert_allclose(mass[:, hand], met, rtol=1e-4, atol=1e-5)


@every_kind_of_game
@both_players
def test_buckets_are_entered_by_their_hands(player, merges_cards):
    streets, scratch, lanes = cross(player, merges_cards)
    roots = streets.roots
    for games in batches_of_turn(streets):
        bucket_kernels.enter_games(streets, games.start, games.stop, scratch.between)
        for position, game in enumerate(games):
            expected = slow_compact.enter_game(
                cards_of(streets, game),
                streets.games.villain[game],
                streets.hands.villain_cards,
                lanes,
                NUM_BUCKETS,
            )
            bucket_kernels.enter_rows(streets, position, scratch.between, scratch.game)
            found = scratch.game.reach[roots.row[: len(lanes)]]
            np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


@every_kind_of_game
@both_players
def test_hands_win_what_their_bucket_wins_of_what_they_meet(player, merges_cards):
    streets, scratch, lanes = cross(player, merges_cards)
    root = streets.river.root
    expected = np.zeros((len(lanes), len(streets.hands.hero_cards)))
    rng = np.random.default_rng(11)
    for games in batches_of_turn(streets):
        for position, game in enumerate(games):
            met = rng.random((len(lanes), NUM_BUCKETS)).astype(np.float32)
            met[:, 3] = 0.0
            won = rng.normal(size=met.shape).astype(np.float32)
            scratch.game.met[: len(lanes)] = met
            scratch.game.value[root] = won
            bucket_kernels.leave_rows(streets, game, position, scratch.game, scratch.between)
            per_unit = np.where(met > 0.0, won / np.where(met > 0.0, met, 1.0), 0.0)
            expected += slow_compact.leave_game(
                cards_of(streets, game),
                streets.games.hero[game],
                streets.hands.hero_cards,
                streets.hands.villain_cards,
                lanes,
                per_unit,
            )
        bucket_kernels.leave_games(streets, 0, games.start, games.stop, scratch.between)
    bucket_kernels.cross_up(streets, 0, scratch.between, scratch.turn.value)
    found = scratch.turn.value[streets.turn.forest.chance] / streets.probability[0]
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-3 * np.abs(expected).max())


@both_players
def test_only_the_nodes_before_the_river_get_what_hands_win(player):
    streets, scratch, _ = cross(player)
    value = np.full_like(scratch.turn.value, np.nan)
    bucket_kernels.cross_up(streets, 0, scratch.between, value)
    assert (value[streets.turn.forest.chance] == 0.0).all()  # no river was played
    others = np.setdiff1d(np.arange(len(value)), streets.turn.forest.chance)
    assert np.isnan(value[others]).all()


@dataclass(frozen=True)
class OwnColumns:
    """A column for every hand of a turn card."""

    number: int = 96

    def sort(self, cards, team):
        shape = len(cards.runouts[0]), 1
        return tuple(
            np.tile(np.arange(player.width, dtype=np.uint16), shape) for player in cards.players
        )


@both_players
def test_hands_that_are_lent_a_column_each_win_what_they_win_with_their_own(player):
    game = small_game()
    lent = CardGame(game.spot, replace(game.rivers, turns=OwnColumns()))
    found, numbers = [], np.array([0, 2])
    for each in (game, lent):
        tables = LearnedTables.allocate(each.templates, each.table_sizes(), Precision.SINGLE)
        for _, array in tables.named_arrays():  # all hands play alike, whatever their columns
            array[:] = np.random.default_rng(8).random(array.shape[:2])[:, :, None]
        streets, space = streets_of(each, player), scratch_of(each, player)
        num_roots, width = len(each.templates[1].root), each.cards.widths[player]
        arrival = arrive(each.cards.root_reach(player))._replace(row=np.zeros(num_roots, np.int32))
        out = np.zeros((len(each.cards.runouts[0]), num_roots, width), np.float32)
        both = each._tables_of(player, numbers, tables)
        arguments = streets, numbers, both, EVALUATING, arrival, space, out
        if each is game:
            bucket_kernels.visit_turns(*arguments)
        else:
            bucket_kernels.visit_turns_in_buckets(*arguments)
        found.append(out)
    np.testing.assert_allclose(found[1], found[0], rtol=1e-4, atol=1e-5)
    assert found[0].any()
