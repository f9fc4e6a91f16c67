"""A report over flops: one spot solved flop by flop, each of which leaves a row of numbers.

A flop is solved as `solve-spot` would solve it, and its row is made by whoever has solved it.
Finished rows are kept in a ledger, so an interrupted report goes on where it was.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from runout.arrays import AnyArray
from runout.cards.isomorphism import suit_stabilizer
from runout.cfr.parallel import Team
from runout.config.load import load_spot_config
from runout.config.spot import SpotConfig
from runout.events import (
    Event,
    EventSink,
    FlopFailed,
    FlopReported,
    FlopSolving,
    Phase,
    SpotSolving,
    reporting_phase,
)
from runout.execution.cancel import CancelledError
from runout.execution.tasks import Task, TaskNeeds, TaskResult, Worker
from runout.execution.workplace import Workplace
from runout.holdem.tables import Precision
from runout.pipeline.report_plan import ReportPlan, SizeVariant
from runout.pipeline.spot import solve_spot
from runout.postflop.flop_tasks import failed_flops
from runout.postflop.spot.spot_setup import SpotSize, measure_spot, river_buckets
from runout.postflop.spot.spot_solution import SpotSolution
from runout.storage.ledger import LedgerEntry
from runout.views.flop_rows import FlopRow, LineValues, ReportLine, line_values
from runout.views.flop_table import FlopsReport
from runout.views.spot_bundle import build_spot, meaning_of

_FACTS = "facts"
_SECONDS = "seconds"


@dataclass(frozen=True, eq=False)
class ReportJob:
    """Solves flops and makes their rows; see `Job`. An item is a flop such as ``AhKd7s``.

    Attributes:
        spot: what is played; its board does not count.
        lines: what is looked at on each flop.
        variants: what is solved besides.
        spots: where the solution of each flop is kept; None to keep none.
        facts: everything that a row depends on besides the flop.
    """

    spot: SpotConfig
    lines: tuple[ReportLine, ...]
    variants: tuple[SizeVariant, ...]
    spots: Path | None
    facts: Mapping[str, Any]

    @classmethod
    def of(cls, plan: ReportPlan) -> "ReportJob":
        """Returns the job of a plan."""
        facts = {
            "spot": plan.spot_facts(),
            "lines": [line.path for line in plan.lines],
            "variants": [[v.player, v.code, dict(v.bet_sizes)] for v in plan.variants],
            "keeps_strategies": plan.spots is not None,
        }
        return cls(plan.spot, plan.lines, plan.variants, plan.spots, facts)

    def run(self, item: str, worker: Worker) -> TaskResult:
        """Solves a flop and returns the numbers of its row."""
        solution = self._solve_and_keep(item, worker)
        seconds = solution.outcome.seconds
        root = solution.view.node()
        costs: dict[tuple[int, str], float] = {}
        for variant in self.variants:
            other = self._solve(item, worker, bet_sizes=variant.bet_sizes)
            seconds += other.outcome.seconds
            lost = root.range_ev(variant.player) - other.view.node().range_ev(variant.player)
            costs[variant.player, variant.code] = lost
        reached, iterations = solution.exploitability_pot, solution.outcome.iterations
        facts = [float(root.deals(0).sum()), reached, iterations]
        arrays: dict[str, AnyArray] = {_FACTS: np.array(facts)}
        for number, line in enumerate(self.lines):
            node, size_costs = solution.view.node(line.path), self._size_costs(line, costs)
            arrays[f"line{number}"] = line_values(node, size_costs).to_array()
        return TaskResult(arrays, {_SECONDS: seconds})

    def tasks(self, plan: ReportPlan) -> list[Task[str]]:
        """Returns a task for each flop, with what it takes."""
        memory = measure_flop(self.spot).memory[Precision(self.spot.precision)].total
        tasks = []
        for flop, name in zip(plan.flops.flops, plan.flops.names, strict=True):
            # Runouts that differ by suits only are solved once; nobody knows how long one takes.
            tasks.append(Task(name, name, TaskNeeds(memory, 1.0 / len(suit_stabilizer(flop)))))
        return tasks

    def row_of(self, flop: str, share: float, entry: LedgerEntry) -> FlopRow:
        """Returns the row of a flop that is finished."""
        deals, reached, iterations = entry.arrays[_FACTS].tolist()
        lines = tuple(
            LineValues.from_array(np.asarray(entry.arrays[f"line{number}"]), len(line.actions))
            for number, line in enumerate(self.lines)
        )
        seconds = float(entry.measured[_SECONDS])
        return FlopRow(flop, share, deals, reached, int(iterations), seconds, lines)

    def _solve_and_keep(self, flop: str, worker: Worker) -> SpotSolution:
        if self.spots is None:
            return self._solve(flop, worker)
        # What is there is of a run whose row is missing.
        return self._solve(flop, worker, self.spots / flop, keep_resume=False)

    def _solve(
        self, flop: str, worker: Worker, directory: Path | None = None, **keys: Any
    ) -> SpotSolution:
        config = load_spot_config(None, self.spot.to_mapping() | {"board": flop} | keys)
        sink = _telling_flop(flop, config, worker.on_event)
        workplace = Workplace(worker.num_threads, sink, cancel=worker.cancel)
        try:
            return solve_spot(
                config, workplace, directory=directory, overwrite=True, team=Team.of(worker)
            )
        except KeyboardInterrupt:  # the token was set, and what was learned is kept
            raise CancelledError from None

    def _size_costs(
        self, line: ReportLine, costs: Mapping[tuple[int, str], float]
    ) -> tuple[float, ...]:
        """Returns what each bet of a line costs as the only size, NaN for what was not asked."""
        if not self.variants:
            return ()
        is_first = line.path in ("", "x")
        return tuple(
            costs.get((line.actor or 0, action.code), math.nan) if is_first else math.nan
            for action in line.actions
        )


def measure_flop(spot: SpotConfig) -> SpotSize:
    """Returns how large a spot is on a flop, with one thread."""
    return measure_spot(build_spot(spot), 1, spot.locks, river_buckets(spot))


def report_flops(plan: ReportPlan, workplace: Workplace) -> Iterator[FlopRow]:
    """Yields the row of every flop, as soon as it is finished; those of an earlier run first.

    Args:
        plan: what to solve.
        workplace: with what; its checkpoints keep finished rows.

    Raises:
        ExecutionError: after all flops were tried, naming those that failed and why.
        CancelledError: if the token of the workplace was set.
    """
    job, on_event, total = ReportJob.of(plan), workplace.on_event, len(plan.flops)
    shares = dict(zip(plan.flops.names, plan.flops.weights.tolist(), strict=True))
    failures: dict[str, Exception] = {}
    with reporting_phase(on_event, Phase.FLOPS, total):
        for number, done in enumerate(workplace.run(job, job.tasks(plan)), start=1):
            flop = done.task.item
            if done.entry is None:
                assert done.error is not None
                failures[flop] = done.error
                on_event(FlopFailed(flop, repr(done.error)))
                continue
            row = job.row_of(flop, shares[flop], done.entry)
            on_event(_reported(plan, row, number - len(failures)))
            yield row
    if failures:
        raise failed_flops(failures, total)


def collect_report(plan: ReportPlan, rows: list[FlopRow]) -> FlopsReport:
    """Returns the report of the rows that are finished, in the order of the flops."""
    place = {name: number for number, name in enumerate(plan.flops.names)}
    return FlopsReport(
        title=plan.title,
        lines=plan.lines,
        rows=tuple(sorted(rows, key=lambda row: place[row.flop])),
        num_flops=len(plan.flops),
        meaning=meaning_of(plan.spot),
        has_strategies=plan.spots is not None,
    )


def _telling_flop(flop: str, spot: SpotConfig, on_event: EventSink) -> EventSink:
    """Returns a sink that tells progress of a spot as that of a flop."""

    def pass_on(event: Event) -> None:
        if not isinstance(event, SpotSolving):
            on_event(event)
            return
        chips, target = event.exploitability_chips, event.target_chips
        on_event(
            FlopSolving(
                flop=flop,
                spr=spot.stack / spot.pot,
                iteration=event.iteration,
                max_iterations=event.max_iterations,
                exploitability_pot=None if chips is None else chips / event.pot_chips,
                strategy_delta=math.nan,
                is_converged=chips is not None and target is not None and chips <= target,
            )
        )

    return pass_on


def _reported(plan: ReportPlan, row: FlopRow, num_done: int) -> FlopReported:
    first, values = plan.lines[0], row.lines[0]
    return FlopReported(
        flop=row.flop,
        num_done=num_done,
        num_flops=len(plan.flops),
        line=first.path,
        ev_chips=(values.ev[0], values.ev[1]),
        frequencies=tuple(
            (action.code, frequency)
            for action, frequency in zip(first.actions, values.frequency, strict=True)
        ),
        exploitability_pot=row.exploitability_pot,
        seconds=row.seconds,
    )
