"""A small flop with compact rivers whose kernels several tests call one by one."""

from functools import cache

import numpy as np

from runout.holdem.cards import NO_RAKE, Rake
from runout.holdem.game import CardGame
from runout.holdem.rivers import BucketRivers
from runout.holdem.visit_kernels import BothTables
from runout.simd.decision_kernels import Learning
from tests.samples.small_spots import make_spot, random_range

NUM_BUCKETS = 16
STREETS = range(3)


@cache
def small_game(has_rake=False, has_blockers=False, merges_cards=True):
    """Returns a game with overlapping ranges and decisions of two, three and four actions."""
    rake = Rake(0.05, 1.0) if has_rake else NO_RAKE
    ranges = random_range(90, 3), random_range(60, 4)
    spot = make_spot("Kh7h2s", *ranges, "40%, 90%, a", stack=30, max_raises=1, rake=rake)
    blockers = "on" if has_blockers else "off"
    return CardGame(spot, BucketRivers(NUM_BUCKETS, blockers, merges_cards))


def streets_of(game, player):
    """Returns what the kernels of a game read."""
    return game.rivers.see_turns(game.card_tables, game.templates, player)


def scratch_of(game, player):
    """Returns the working space of the first worker."""
    return game.workspace.sides[player].workers[0]


def random_learning(num_actions, width, seed):
    """Returns tables of one board; some buckets have no positive regret at all."""
    rng = np.random.default_rng(seed)
    regret = rng.normal(size=(num_actions, width)).astype(np.float32)
    regret[:, ::5] = -1.0
    sums = rng.random((num_actions, width)).astype(np.float32)
    sums[:, ::7] = 0.0
    none = np.zeros(0, np.float32)
    return Learning(regret, none, sums, none, np.zeros((0, 0), np.uint8))


def random_tables(game, player, seed=0):
    """Returns tables of both players in one bucket game."""
    num_actions = game.templates[2].num_actions
    hero, villain = (
        random_learning(num_actions[who], NUM_BUCKETS, seed + who) for who in (player, 1 - player)
    )
    return BothTables(hero, villain)


def random_reach(game, player, turn=0, seed=5):
    """Returns ``[rows, O]`` the opponent's reach on a turn card; nobody holds the card."""
    forest, hands = game.templates[1].forests[player], game.hands(player)
    num_hands = len(game.cards.players[1 - player].combos)
    width, num_rows = len(hands.villain_cards), int(forest.group[0, 8])
    reach = np.zeros((num_rows, width), np.float32)
    reach[:, :num_hands] = np.random.default_rng(seed).random((num_rows, num_hands))
    card = int(game.cards.deals[0].card[turn])
    reach[:, (hands.villain_cards == card).any(axis=1)] = 0.0
    return reach
