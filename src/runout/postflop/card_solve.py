"""What the backends with real cards have in common: a solve in phases, and values taken from it."""

from collections.abc import Callable

from runout.cfr.parallel import Team
from runout.cfr.stopping import StoppingRule
from runout.events import Phase, reporting_phase
from runout.holdem.cards_to_come import CardsToCome
from runout.holdem.spot_solver import SpotSolver
from runout.holdem.street_template import StreetTemplate
from runout.holdem.tables import MemoryNeed
from runout.postflop.backend import FlopSolution, ProgressSink, report_outcome
from runout.postflop.pair_values import RunoutSample, extract_pair_values, taking_values_bytes
from runout.postflop.table_strategy import TableStrategy, forget_regrets
from runout.results.solve_report import ExploitabilityMeaning


def held_bytes(need: MemoryNeed, templates: list[StreetTemplate], cards: CardsToCome) -> int:
    """Returns the most that `solve_with_cards` holds at a time, before anything is allocated."""
    taking_values = taking_values_bytes(templates, cards)
    return max(need.total, need.total - need.tables // 2 + taking_values)


def solve_with_cards(
    make_solver: Callable[[], SpotSolver],
    rule: StoppingRule,
    sample: RunoutSample,
    meaning: ExploitabilityMeaning,
    on_progress: ProgressSink,
    team: Team,
) -> FlopSolution:
    """Solves one flop with one betting tree.

    Args:
        make_solver: allocates what the solve needs.
        rule: when to stop.
        sample: boards from which values are taken.
        meaning: of the exploitability that is reached.
        on_progress: is told all phases.
        team: threads to share the taking of values, and what ends the solve.
    """
    with reporting_phase(on_progress, Phase.LAYOUT):
        solver = make_solver()
    with reporting_phase(on_progress, Phase.SOLVING, rule.max_iterations):
        outcome = solver.solve(rule, on_progress, team.cancel)
    strategy = TableStrategy(forget_regrets(solver.tables), solver.game)
    del solver  # and with it the regrets, before values take as much memory
    values = extract_pair_values(strategy.game, strategy, sample, on_progress, team)
    return FlopSolution(strategy, values.by_hand(), report_outcome(outcome, meaning))
