"""Flops, trees and crafted games that several tests solve."""

from dataclasses import replace
from functools import cache

import numpy as np

from runout.cards.deck import parse_board
from runout.cfr.schedules import DCFR_PLUS
from runout.cfr.solver import CfrSolver, StreetSolver
from runout.cfr.team import Team
from runout.config.flops import FlopsConfig
from runout.flops.backend import FlopGame, make_hand_leaves
from runout.flops.solve import PostflopPlan
from runout.trees.betting import BettingRules, Street
from runout.trees.tree import PostflopTree


@cache
def flop_game(text):
    """Returns the game of a flop, dealt once for all tests."""
    return FlopGame.deal(parse_board(text))


@cache
def make_tree(spr, sizes=(0.5, 1.0), max_raises=1, first_street=Street.FLOP):
    """Returns a tree with the same sizes everywhere."""
    return PostflopTree.build(BettingRules.of(list(sizes), max_raises), spr, first_street)


def small_tree():
    """Returns a tree with one bet size and no raises, 31 decisions."""
    return make_tree(2.0, (1.0,), 0)


def make_plan(flops, trees, backend):
    """Returns the plan of a solve of any flops, trees and backend; no strategies are kept."""
    config = FlopsConfig(keep_strategies=False)
    return PostflopPlan(config, flops, tuple(trees), backend, 1)


def with_edge(edge, text="AhKsQd"):
    """Returns a flop on which OOP's row wins with the given edge instead of its own."""
    game = flop_game(text)
    return replace(game, edge=np.where(game.table.totals > 0, edge, 0.0))


def make_solver(game, tree, dtype=np.float64, schedule=DCFR_PLUS, is_simultaneous=False):
    """Returns the solver that the exhaustive backend uses inside."""
    street = StreetSolver(tree.layout, make_hand_leaves(tree, game, dtype, Team()), 169, dtype)
    return CfrSolver(street, schedule, is_simultaneous=is_simultaneous)


def random_strategy(tree, seed=0):
    """Returns ``[N, 169]`` random strategies of both players in single precision."""
    strategy = np.random.default_rng(seed).random((tree.num_nodes, 169)) ** 3
    for node in range(tree.num_nodes):
        children = list(tree.layout.children(node))
        if children:
            strategy[children] /= strategy[children].sum(axis=0)
    return strategy.astype(np.float32)


def ignore_progress(progress):
    """Listens to nothing."""
