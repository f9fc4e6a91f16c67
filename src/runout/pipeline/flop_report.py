"""A report over flops: one spot solved flop by flop, each of which leaves a row of numbers.

A flop is solved as `solve-spot` would solve it, and its row is made by whoever has solved it.
Finished rows are kept, so an interrupted report goes on where it was.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from runout.arrays import AnyArray
from runout.cache import Arrays
from runout.config.spot import SpotConfig
from runout.events import (
    Event,
    EventSink,
    FlopReported,
    FlopSolving,
    Phase,
    SpotSolving,
    reporting_phase,
)
from runout.execution.local import WorkerPool, count_cores
from runout.execution.memory import available_memory_bytes
from runout.holdem.tables import Precision
from runout.pipeline.report_plan import ReportPlan, SizeVariant
from runout.pipeline.spot import solve_spot
from runout.pipeline.workplace import Workplace
from runout.postflop.flop_tasks import longest_first
from runout.postflop.spot.spot_setup import SpotSize, measure_spot, river_buckets
from runout.postflop.spot.spot_solution import SpotSolution
from runout.views.flop_rows import FlopRow, LineValues, ReportLine, line_values
from runout.views.flop_table import FlopsReport
from runout.views.spot_bundle import build_spot, meaning_of

_PART = "report"
_FACTS = "facts"


@dataclass(frozen=True)
class ReportNeeds:
    """What a report takes.

    Attributes:
        size: of the spot on one flop, with one thread.
        num_side_by_side: flops that are solved at a time.
        threads_per_flop: threads that each of them has.
    """

    size: SpotSize
    num_side_by_side: int
    threads_per_flop: int

    @classmethod
    def of(cls, plan: ReportPlan, num_workers: int) -> "ReportNeeds":
        """Returns how the flops of a plan share the workers: as many at a time as memory holds."""
        size = measure_spot(build_spot(plan.spot), 1, plan.spot.locks, river_buckets(plan.spot))
        need = size.memory[Precision(plan.spot.precision)].total
        num_at_once = max(1, min(num_workers, int(available_memory_bytes() // max(need, 1))))
        return cls(size, num_at_once, max(1, num_workers // num_at_once))


def report_flops(plan: ReportPlan, workplace: Workplace) -> Iterator[FlopRow]:
    """Yields the row of every flop, as soon as it is finished; those of an earlier run at once.

    Args:
        plan: what to solve.
        workplace: with what; its checkpoints keep finished rows.

    Raises:
        RunoutError: if a flop cannot be solved.
    """
    needs = ReportNeeds.of(plan, workplace.num_workers or count_cores())
    pool = WorkerPool(needs.num_side_by_side)
    order = longest_first(plan.flops.flops)
    with workplace.recalling(_PART, report_facts(plan)) as recall:

        def solve(number: int) -> Arrays:
            name = plan.flops.names[number]
            sink = _tell_flop(name, plan.spot, workplace.on_event)
            at_work = Workplace(needs.threads_per_flop, sink)
            return recall(name, lambda: solve_flop_row(plan, number, at_work))

        with reporting_phase(workplace.on_event, Phase.FLOPS, len(order)):
            found = pool.map_as_finished(solve, order)
            for num_done, (position, arrays) in enumerate(found, start=1):
                row = read_row(plan, order[position], arrays)
                workplace.on_event(_reported(plan, row, num_done, len(order)))
                yield row


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


def report_facts(plan: ReportPlan) -> Mapping[str, Any]:
    """Returns everything that the row of a flop depends on besides the flop."""
    return {
        "spot": plan.spot_facts(),
        "lines": [line.path for line in plan.lines],
        "variants": [[v.player, v.code, dict(v.bet_sizes)] for v in plan.variants],
        "keeps_strategies": plan.spots is not None,
    }


def solve_flop_row(plan: ReportPlan, number: int, workplace: Workplace) -> Arrays:
    """Solves a flop and returns the numbers of its row."""
    name = plan.flops.names[number]
    solution = _solve(plan, name, workplace)
    seconds = solution.outcome.seconds
    root = solution.view.node()
    costs: dict[tuple[int, str], float] = {}
    for variant in plan.variants:
        config = plan.config_on(name, bet_sizes=variant.bet_sizes)
        other = solve_spot(config, workplace)
        seconds += other.outcome.seconds
        lost = root.range_ev(variant.player) - other.view.node().range_ev(variant.player)
        costs[variant.player, variant.code] = lost
    arrays: dict[str, AnyArray] = {
        _FACTS: np.array(
            [
                float(root.deals(0).sum()),
                solution.exploitability_pot,
                solution.outcome.iterations,
                seconds,
            ]
        )
    }
    for position, line in enumerate(plan.lines):
        values = line_values(solution.view.node(line.path), _size_costs(line, plan.variants, costs))
        arrays[f"line{position}"] = values.to_array()
    return arrays


def read_row(plan: ReportPlan, number: int, arrays: Arrays) -> FlopRow:
    """Returns the row of a flop from its numbers."""
    deals, exploitability, iterations, seconds = arrays[_FACTS].tolist()
    lines = tuple(
        LineValues.from_array(np.asarray(arrays[f"line{position}"]), len(line.actions))
        for position, line in enumerate(plan.lines)
    )
    return FlopRow(
        flop=plan.flops.names[number],
        share=float(plan.flops.weights[number]),
        deals=deals,
        exploitability_pot=exploitability,
        iterations=int(iterations),
        seconds=seconds,
        lines=lines,
    )


def _solve(plan: ReportPlan, name: str, workplace: Workplace) -> SpotSolution:
    if plan.spots is None:
        return solve_spot(plan.config_on(name), workplace)
    config = plan.config_on(name, keep_resume=False)
    # What is there is of an earlier run whose row is missing, or another spot of this report.
    return solve_spot(config, workplace, directory=plan.spots / name, overwrite=True)


def _size_costs(
    line: ReportLine,
    variants: tuple[SizeVariant, ...],
    costs: Mapping[tuple[int, str], float],
) -> tuple[float, ...]:
    """Returns what each bet of a line costs as the only size, NaN for what was not asked."""
    if not variants:
        return ()
    is_first = line.path in ("", "x")
    return tuple(
        costs.get((line.actor or 0, action.code), math.nan) if is_first else math.nan
        for action in line.actions
    )


def _tell_flop(flop: str, spot: SpotConfig, on_event: EventSink) -> Callable[[Event], None]:
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


def _reported(plan: ReportPlan, row: FlopRow, num_done: int, num_flops: int) -> FlopReported:
    first, values = plan.lines[0], row.lines[0]
    return FlopReported(
        flop=row.flop,
        num_done=num_done,
        num_flops=num_flops,
        line=first.path,
        ev_chips=(values.ev[0], values.ev[1]),
        frequencies=tuple(
            (action.code, frequency)
            for action, frequency in zip(first.actions, values.frequency, strict=True)
        ),
        exploitability_pot=row.exploitability_pot,
        seconds=row.seconds,
    )
