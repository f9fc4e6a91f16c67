"""Small preflop games and made-up values of flops that several tests use."""

import numpy as np

from runout.cfr.schedules import StoppingRule
from runout.equity.matchups import preflop_table
from runout.preflop.solver import BookLeaves, PreflopSolver
from runout.solutions.values import ValueBook
from runout.trees.betting import PreflopRules
from runout.trees.tree import PreflopTree


def small_tree(stacks_bb=12.0, ante_bb=0.0):
    """Returns limp, raise to 2.5 or all-in: 22 nodes, four of them flops."""
    rules = PreflopRules.parse(stacks_bb, ["2.5bb", "allin"], ante_bb=ante_bb, raise_cap=2)
    return PreflopTree.build(rules)


def made_up_book(sprs=(0.5, 4.0, 20.0), seed=0):
    """Returns a book whose values are equities with some noise, different at every ratio."""
    rng = np.random.default_rng(seed)
    equity = preflop_table().equities()
    shares = tuple(equity + 0.1 * (rng.random(equity.shape) - 0.5) for _ in sprs)
    return ValueBook(sprs, shares)


def random_strategy(tree, seed=0):
    """Returns ``[N, 169]`` random strategies of both players."""
    strategy = np.random.default_rng(seed).random((tree.num_nodes, 169)) ** 3
    for node in range(tree.num_nodes):
        children = list(tree.layout.children(node))
        if children:
            strategy[children] /= strategy[children].sum(axis=0)
    return strategy


def raw_solver(tree):
    """Returns a solver of a tree whose flops are checked down."""
    return PreflopSolver(tree, BookLeaves(tree, ValueBook()))


def solution_of(solver, rule):
    """Returns the solution of a solver that iterates until a limit is met."""
    return solver.solution(solver.solve(rule))


def solve(tree, book, mbb=0.5, max_iterations=20_000, **settings):
    """Returns the solution of a tree to an exploitability in thousandths of a big blind."""
    rule = StoppingRule(max_iterations, exploitability=mbb / 1000.0, check_every=25)
    return solution_of(PreflopSolver(tree, BookLeaves(tree, book), **settings), rule)
