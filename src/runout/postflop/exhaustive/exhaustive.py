"""The exhaustive backend: vector CFR over the 169 hands with exact flop equities.

Strategies do not look at the turn and river cards, so enumerating those cards at chance nodes
gives exactly the flop's equity over all runouts; `tests/postflop/test_exhaustive.py` proves it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from runout.cache import Arrays
from runout.cards.canonical_hands import NUM_HANDS
from runout.cfr.discounting import DCFR_PLUS, DiscountSchedule
from runout.cfr.parallel import Team
from runout.cfr.reach import NUM_PLAYERS
from runout.cfr.solver import CfrSolver
from runout.cfr.stopping import StoppingRule
from runout.cfr.street_solver import StreetSolver
from runout.events import Phase, reporting_phase
from runout.postflop.backend import FlopNeeds, FlopSolution, ProgressSink, report_outcome
from runout.postflop.extract import extract_values
from runout.postflop.flop_game import FlopGame
from runout.postflop.flop_strategy import KEPT_BYTES, HandStrategy
from runout.postflop.hand_leaves import make_hand_leaves
from runout.postflop.needs import limit_seconds
from runout.postflop.warm_up import ONCE, solving_a_small_flop
from runout.results.solve_report import ExploitabilityMeaning
from runout.trees.postflop_tree import PostflopTree

#: Of a node and a hand, measured: tables, and reach when values are extracted; and of an iteration
#: with exploitability looked at.
_BYTES_PER_CELL = 64
_SECONDS_PER_CELL = 25e-9


@dataclass(frozen=True)
class ExhaustiveBackend:
    """Solves a flop without sampling.

    Attributes:
        rule: when to stop; exploitability is a fraction of the flop pot.
        schedule: the CFR variant.
        is_simultaneous: whether both players update against one snapshot.
    """

    rule: StoppingRule
    schedule: DiscountSchedule = DCFR_PLUS
    is_simultaneous: bool = False

    meaning: ClassVar[ExploitabilityMeaning] = ExploitabilityMeaning.OWN_GAME

    def solve(
        self, game: FlopGame, tree: PostflopTree, on_progress: ProgressSink, team: Team
    ) -> FlopSolution:
        """Solves one flop with one betting tree."""
        sharing = team.for_solve(tree.num_nodes * NUM_HANDS)
        with reporting_phase(on_progress, Phase.LAYOUT):
            leaves = make_hand_leaves(tree, game, np.float32, sharing)
            street = StreetSolver(tree.layout, leaves, 1, NUM_HANDS, np.float32, sharing)
        everyone = np.ones((1, NUM_PLAYERS, NUM_HANDS), dtype=np.float32)
        solver = CfrSolver(street, everyone, self.schedule, self.is_simultaneous)
        with reporting_phase(on_progress, Phase.SOLVING, self.rule.max_iterations):
            outcome = solver.solve(self.rule, on_progress, team.cancel)
        with reporting_phase(on_progress, Phase.VALUES):
            strategy = street.average_strategy()[0].astype(np.float32, copy=False)
            value_pot = extract_values(tree, game, strategy)
        report = report_outcome(outcome, self.meaning)
        return FlopSolution(HandStrategy(strategy), value_pot, report)

    def estimate(self, flop: tuple[int, ...], tree: PostflopTree, num_workers: int) -> FlopNeeds:
        """Returns what `solve` will take."""
        cells = tree.num_nodes * NUM_HANDS
        seconds = limit_seconds(self.rule, _SECONDS_PER_CELL * cells)
        return FlopNeeds(seconds, _BYTES_PER_CELL * cells, KEPT_BYTES * cells)

    def read_strategy(
        self, kept: Arrays, flop: tuple[int, ...], tree: PostflopTree
    ) -> HandStrategy:
        """Returns the strategies that were kept."""
        return HandStrategy.from_arrays(kept)

    @classmethod
    def warm_up_jobs(cls) -> list[Callable[[], object]]:
        """Returns small jobs that call every kernel of the backend."""
        return [solving_a_small_flop(cls(ONCE))]
