"""The preflop stage: a tree solved on top of a value book."""

from dataclasses import dataclass

from runout.cfr.stopping import SolveProgress
from runout.config.run import RunConfig
from runout.events import Phase, PreflopSolving, reporting_phase
from runout.pipeline.workplace import Workplace
from runout.preflop.preflop_leaves import value_leaves
from runout.preflop.solver import PreflopSolver
from runout.results.preflop_solution import MBB_PER_BB, PreflopSolution
from runout.results.value_book import ValueBook
from runout.trees.preflop_tree import PreflopTree


@dataclass(frozen=True, eq=False)
class PreflopStage:
    """Solves the preflop tree of a config, once or in rounds.

    Attributes:
        config: what is asked for.
        tree: its betting.
        workplace: who is told.
    """

    config: RunConfig
    tree: PreflopTree
    workplace: Workplace

    def solve(self, book: ValueBook, number: int = 0) -> PreflopSolution:
        """Returns the solution on top of a book; ``number`` is the round, for those who listen."""

        def report(progress: SolveProgress) -> None:
            measured = progress.exploitability
            mbb = None if measured is None else measured * MBB_PER_BB
            self.workplace.on_event(
                PreflopSolving(number, progress.iteration, progress.max_iterations, mbb)
            )

        solver = PreflopSolver(self.tree, value_leaves(self.tree, book), self.config.schedule())
        rule = self.config.stopping_rule()
        with reporting_phase(self.workplace.on_event, Phase.PREFLOP, rule.max_iterations):
            return solver.solve(rule, report, self.workplace.on_solution, self.config.print_every)
