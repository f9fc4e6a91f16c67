"""Small joint games with the exact engine, for several tests."""

import numpy as np

from runout.cards.flops import explicit_flops
from runout.cfr.cfr_kernels import EVALUATING
from runout.cfr.leaves import StreetReach
from runout.cfr.schedules import DCFR_JOINT
from runout.cfr.team import Team
from runout.flops.backend import ONCE
from runout.flops.cards import CardBackend
from runout.preflop.joint import JointGame
from runout.preflop.solver import PreflopSolver
from runout.trees.betting import BettingRules, PreflopRules, SizeMenu
from runout.trees.layout import own_reach_rows
from runout.trees.tree import PotType, PreflopTree
from tests.samples.menus import menu_of

EXACT = CardBackend(ONCE)
NO_BETS = SizeMenu((), ())
JAM = menu_of("a", "a")

#: Nobody ever bets after the flop.
CHECK_DOWN = BettingRules(((NO_BETS, NO_BETS),) * 3, 0, add_all_in_threshold=0.0)
#: All-in or not, on the flop only.
FLOP_JAM = BettingRules(((JAM, JAM), *((NO_BETS, NO_BETS),) * 2), 0, add_all_in_threshold=0.0)

#: Monotone and of three suits alike: few boards.
MONOTONE = ("QsTs5s", "9s6s2s")


def limp_or_raise(stacks_bb=12.0):
    """Returns limp, raise to 2.5 or all-in: 22 nodes, four of them flops."""
    return PreflopTree.build(PreflopRules.parse(stacks_bb, ["2.5bb", "allin"], raise_cap=2))


def one_line(stacks_bb=12.0):
    """Returns a tree in which the small blind folds or limps, and the big blind checks."""
    rules = PreflopRules.parse(stacks_bb, ["allin"], raise_cap=0, always_offer_all_in=False)
    return PreflopTree.build(rules)


def make_game(tree, flops, betting, per_iteration=None, backend=EXACT):
    """Returns a joint game on explicit flops, with one betting, by default with real rivers."""
    every_pot = dict.fromkeys(PotType, betting)
    return JointGame(tree, explicit_flops(flops), every_pot, backend, per_iteration)


def leaves_of(game, workers=1):
    """Returns the leaves of a game whose flops are played here."""
    return game.make_leaves(game.play_flops(Team(workers)))


def make_leaves(tree, flops, betting, *, workers=1, per_iteration=None):
    """Returns the leaves of such a game."""
    return leaves_of(make_game(tree, flops, betting, per_iteration), workers)


def leaf_values(leaves, player, reach):
    """Returns ``[N, 169]`` what hands win at leaves if the other's own reach of them is given."""
    row = own_reach_rows(leaves.tree.layout, 1 - player)
    by_row, value = np.zeros((1 + row.max(), 169)), np.zeros(reach.shape)
    by_row[row] = reach
    arrival = StreetReach(player, EVALUATING, (by_row, by_row), (row, row))
    leaves.fill_leaf_values(arrival, value)
    return value


def make_solver(tree, flops, betting, **options):
    """Returns a solver of a joint game."""
    return PreflopSolver(tree, make_leaves(tree, flops, betting, **options), DCFR_JOINT)
