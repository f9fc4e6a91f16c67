"""Flops with compact rivers: the time of an iteration, by one thread.

The prototype uses kernels of ours that have changed since, so there is nothing to compare with.
"""

from functools import partial

from benchmarks.timing import Row, best_seconds, duration
from runout.cards.deck import parse_board
from runout.cards.ranges import Range
from runout.holdem.cards import Spot
from runout.holdem.rivers import BucketRivers
from runout.holdem.solver import SpotSolver
from runout.trees.betting import BettingRules
from runout.trees.tree import PostflopTree

NUM_BUCKETS = 48
CASES = (("Qh7h2h", 2.0), ("AsKd7h", 5.0))


def rows() -> list[Row]:
    """Returns a row for each case."""
    return [_measure(flop, stack_to_pot) for flop, stack_to_pot in CASES]


def _measure(flop: str, stack_to_pot: float) -> Row:
    board, everything = tuple(parse_board(flop)), Range("random")
    tree = PostflopTree.build(BettingRules.of([0.75], 1), stack_to_pot)
    solver = SpotSolver(
        Spot(board, (everything, everything), tree), rivers=BucketRivers(NUM_BUCKETS)
    )
    name = f"iteration of {flop}, stack {stack_to_pot:g} pots"
    return duration(name, best_seconds(partial(solver.run, 1), 25))
