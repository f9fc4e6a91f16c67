"""The preflop stage: a tree solved on top of a value book."""

from dataclasses import dataclass

from runout.cfr.stopping import SolveProgress, StoppingRule
from runout.config.run import RunConfig
from runout.events import Phase, PreflopSolving, reporting_phase
from runout.execution.workplace import Workplace
from runout.preflop.preflop_leaves import value_leaves
from runout.preflop.solver import PreflopSolver, SnapshotSink, ignore_snapshot
from runout.results.preflop_solution import MBB_PER_BB, PreflopSolution
from runout.results.value_book import ValueBook
from runout.trees.preflop_tree import PreflopTree


@dataclass(frozen=True, eq=False)
class PreflopStage:
    """Solves the preflop tree of a config, once or in rounds.

    Attributes:
        config: what is asked for.
        tree: its betting.
        workplace: who is told, and what ends the solve.
        on_solution: shown the solution every ``print_every`` iterations of the config.
    """

    config: RunConfig
    tree: PreflopTree
    workplace: Workplace
    on_solution: SnapshotSink = ignore_snapshot

    def solve(self, book: ValueBook, number: int = 0) -> PreflopSolution:
        """Returns the solution on top of a book; ``number`` is the round, for those who listen."""

        def report(progress: SolveProgress) -> None:
            self.workplace.on_event(preflop_event(progress, rule, number))

        solver = PreflopSolver(self.tree, value_leaves(self.tree, book), self.config.schedule())
        rule = self.config.stopping_rule()
        workplace, every = self.workplace, self.config.print_every
        with reporting_phase(workplace.on_event, Phase.PREFLOP, rule.max_iterations):
            return solver.solve(rule, report, self.on_solution, every, workplace.cancel)


def preflop_event(progress: SolveProgress, rule: StoppingRule, number: int = 0) -> PreflopSolving:
    """Returns where a preflop or joint solve stands, as those who listen are told.

    Args:
        progress: of the solve, in big blinds.
        rule: when it ends.
        number: the round.
    """

    def to_mbb(value_bb: float | None) -> float | None:
        return None if value_bb is None else value_bb * MBB_PER_BB

    return PreflopSolving(
        round=number,
        iteration=progress.iteration,
        max_iterations=progress.max_iterations,
        exploitability_mbb=to_mbb(progress.exploitability),
        target_mbb=to_mbb(rule.exploitability),
        seconds=progress.seconds,
        max_seconds=rule.max_seconds,
    )
