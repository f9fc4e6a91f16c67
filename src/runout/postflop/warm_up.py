"""Small jobs that compile the kernels of a backend, with the types that real work uses."""

from collections.abc import Callable

from runout.cards.card import parse_board
from runout.cfr.parallel import Team
from runout.cfr.solver import ignore_progress
from runout.cfr.stopping import StoppingRule
from runout.postflop.backend import FlopSolution, PostflopBackend
from runout.postflop.flop_game import FlopGame
from runout.trees.betting import BettingRules
from runout.trees.postflop_tree import PostflopTree

#: One iteration, and exploitability looked at.
ONCE = StoppingRule(1, exploitability=1e-9, check_every=1)


def solving_a_small_flop(backend: PostflopBackend) -> Callable[[], FlopSolution]:
    """Returns a job: a flop with one bet on each street."""

    def solve() -> FlopSolution:
        tree = PostflopTree.build_with_spr(BettingRules.uniform([1.0], 0), 1.0)
        return backend.solve(FlopGame.deal(parse_board("AhKsQd")), tree, ignore_progress, Team())

    return solve
