"""Random two-player games with one to five actions a node, for comparing two solvers."""

import numpy as np

from runout.cfr.leaves import LeafGroup, MatrixLeaves
from runout.cfr.solver import CfrSolver, StreetSolver
from runout.trees.layout import LEAF, layout_tree
from tests.reference.pair_cfr import PairGame


def random_tree(seed, max_depth=4, max_actions=5):
    """Returns a tree whose first ``max_actions`` decisions have 1, 2, .. actions, then any."""
    rng = np.random.default_rng(seed)
    pending = list(range(1, max_actions + 1))

    def expand(depth):
        is_leaf = depth == max_depth or (not pending and rng.random() < 0.4)
        if is_leaf:
            return LEAF, []
        num_actions = pending.pop(0) if pending else int(rng.integers(1, max_actions + 1))
        return int(rng.integers(2)), [depth + 1] * num_actions

    return layout_tree(0, expand)[0]


def random_game(seed, num_hands=3, max_depth=4):
    """Returns a game in which some pairs of hands cannot be dealt."""
    rng = np.random.default_rng([seed, 1])
    tree = random_tree(seed, max_depth)
    dealt = rng.random((num_hands, num_hands)) * (rng.random((num_hands, num_hands)) < 0.8)
    payoff = rng.normal(size=(tree.num_nodes, num_hands, num_hands))
    return PairGame(tree, dealt / dealt.sum(), payoff)


def pair_game_leaves(game, dtype=np.float64, team=None):
    """Returns production leaves of a game, a group for each of its leaves."""
    groups = [
        LeafGroup(game.dealt * game.payoff[node], np.array([node]), np.ones(1))
        for node in np.flatnonzero(game.tree.actor == LEAF)
    ]
    return MatrixLeaves(game.tree, groups, dtype, team)


def pair_game_solver(game, schedule, is_simultaneous=False, dtype=np.float64, team=None):
    """Returns the production solver of a game."""
    leaves = pair_game_leaves(game, dtype, team)
    street = StreetSolver(game.tree, leaves, game.num_hands, dtype, team)
    return CfrSolver(street, schedule, is_simultaneous=is_simultaneous)
