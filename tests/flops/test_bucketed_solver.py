import numpy as np
import pytest

from runout.flops.bucketed_solver import BucketedSolver, BucketTables
from runout.holdem.game import CardGame
from runout.trees.betting import Street
from tests.reference.slow_spot import probabilities
from tests.samples.small_buckets import hand_made_buckets
from tests.samples.small_spots import make_spot, weigh

FLOP = "Qs8h3d"
NUM_BUCKETS = 3
BUCKETS = hand_made_buckets(FLOP, lambda combos, board: (combos + board) % NUM_BUCKETS)
both_players = pytest.mark.parametrize("player", [0, 1])


@pytest.fixture(scope="module")
def game():
    oop = weigh("AsAh QcJc Tc9c 7s6s 3c3h Ac5c", 1)
    ip = weigh("KsKh QdJd Jc9h 8c7c Ad4d 6h5h", 2)
    return CardGame(make_spot(FLOP, oop, ip, stack=20, sizes="50%", max_raises=1, merges=False))


@pytest.fixture
def visits(game):
    made = BucketedSolver(game, BUCKETS, sampled=(2, 2))
    turns = game.cards.deals[0].first_next
    made.deal({turn: (turns[turn], turns[turn] + 5) for turn in (3, 20)})
    return made


def random_tables(game, player, seed=0):
    """Returns by street what a player who has learned something keeps in buckets."""
    rng = np.random.default_rng([seed, player])
    tables = [BucketTables.of_street(t, player, NUM_BUCKETS) for t in game.templates]
    for street in tables:
        street.regret[:] = rng.uniform(0.1, 1.0, street.regret.shape)
        street.refresh()
    return tables


def play(game, visits):
    visits.tables = [random_tables(game, player) for player in range(2)]
    for player in range(2):
        visits.play(player)
    return visits.tables


def decisions(street):
    """Yields the rows of each decision."""
    for first, number in zip(street.first_action, street.num_actions, strict=True):
        yield slice(first, first + number)


@both_players
def test_hands_play_what_their_buckets_play(game, visits, player):
    combos = game.cards.players[player].combos
    (street, *_) = play(game, visits)[player]
    (regret,) = visits._by_hand.by_street[Street.FLOP][player].regret
    bucket = BUCKETS.by_flop[combos]
    for rows in decisions(street):
        played = probabilities(regret[rows].astype(np.float64))[:, : len(combos)]
        np.testing.assert_allclose(played, street.strategy[rows][:, bucket], rtol=1e-6)
        assert not regret[rows, len(combos) :].any()


@both_players
def test_what_is_played_gains_nothing_over_itself(game, visits, player):
    """The mean of an action's gains is zero with the weights with which actions were played."""
    tables = play(game, visits)
    gains, _ = visits.visit(player)
    for street, gained in zip(tables[player], gains, strict=True):
        assert np.abs(gained).max() > 1e-3
        for rows in decisions(street):
            mean = (street.strategy[rows] * gained[rows]).sum(axis=0)
            np.testing.assert_allclose(mean, 0.0, atol=1e-5)


@both_players
def test_opponents_reach_actions_as_often_as_their_buckets_play_them(game, visits, player):
    tables = play(game, visits)
    _, reached = visits.visit(player)
    for street, reach in zip(tables[1 - player], reached, strict=True):
        for rows in decisions(street):
            arrived = reach[rows].sum(axis=0)
            np.testing.assert_allclose(reach[rows], street.strategy[rows] * arrived, rtol=1e-5)


@both_players
def test_a_visit_remembers_nothing_of_the_one_before(game, visits, player):
    found = []
    for _ in range(2):
        play(game, visits)
        found.append(visits.visit(player))
    for first, second in zip(*found, strict=True):
        for one, other in zip(first, second, strict=True):
            np.testing.assert_array_equal(one, other)
