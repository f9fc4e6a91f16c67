"""Values of rivers against linear programming, which knows nothing of regrets or sorted hands."""

import numpy as np
import pytest

from runout.cfr.schedules import StoppingRule
from runout.holdem.solver import SpotSolver
from runout.trees.tree import NOT_A_LEAF, SHOWDOWN
from tests.reference.pair_cfr import PairGame
from tests.reference.sequence_form import sequence_form_value
from tests.reference.showdowns import combos, strengths_on
from tests.samples.small_spots import make_spot, random_range

POT = 10.0
TOLERANCE = 1e-4 * POT


def pair_game(spot):
    """Returns the spot by pairs of the combos that either player can hold."""
    oop, ip = (hand_range.weights for hand_range in spot.ranges)
    strengths, cards = strengths_on(spot.board), combos()
    held = [c for c in range(1326) if strengths[c] > 0 and oop[c] + ip[c] > 0.0]
    meets = np.array([[not set(cards[a]) & set(cards[b]) for b in held] for a in held])
    dealt = np.outer(oop[held], ip[held]) * meets
    ahead = np.sign(strengths[held][:, None] - strengths[held])
    tree = spot.tree
    payoff = np.zeros((tree.num_nodes, len(held), len(held)))
    for node in np.flatnonzero(tree.leaf_kind != NOT_A_LEAF):
        sign = {0: -1.0, 1: 1.0, SHOWDOWN: ahead}[int(tree.leaf_kind[node])]
        payoff[node] = sign * tree.leaf_stake[node]
    return PairGame(tree.layout, dealt / dealt.sum(), payoff)


def solved_value(spot):
    """Returns what OOP wins, and how far from it the truth can be."""
    solver = SpotSolver(spot)
    solver.solve(
        StoppingRule(max_iterations=20_000, exploitability=0.4 * TOLERANCE, check_every=50)
    )
    return solver.expected_value(0) - POT / 2.0, 2.0 * solver.exploitability()


SPOTS = {
    "jam only": make_spot("2s3d7h8cTs", "AA, QQ", "KK"),
    "overlapping ranges": make_spot("Ks9d8h4c2c", "AK, 99, QJs", "AK, KQs, 88, T9s", stack=15),
    "two sizes, one raise": make_spot(
        "Ks9d8h4c2c", random_range(30, 1), random_range(30, 2), "50%, a", stack=30, max_raises=1
    ),
    "flush on the board": make_spot(
        "AhQh8h5h2h", random_range(25, 3), random_range(35, 4), "75%", stack=25, max_raises=2
    ),
    "paired, few hands": make_spot(
        "7s7hTdTcAc", random_range(8, 5), random_range(40, 6), "33%, 100%", stack=40, max_raises=1
    ),
}


@pytest.mark.parametrize("name", SPOTS)
def test_the_value_of_a_river_is_that_of_linear_programming(name):
    expected = sequence_form_value(pair_game(SPOTS[name]))
    found, error = solved_value(SPOTS[name])
    assert error < TOLERANCE
    assert found == pytest.approx(expected, abs=TOLERANCE)
