"""Solving many flops: one task per flop, all stack-to-pot ratios in it, finished ones recalled."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, cast

import numpy as np

from runout.arrays import AnyArray, Float32Array, FloatArray
from runout.cache import Arrays
from runout.cards.card import format_cards
from runout.cards.flops import FlopList
from runout.cards.isomorphism import suit_stabilizer
from runout.cfr.parallel import Team
from runout.cfr.stopping import SolveProgress
from runout.errors import ExecutionError
from runout.events import (
    BucketEvent,
    EventSink,
    FlopFailed,
    FlopPlace,
    FlopSolved,
    FlopSolving,
    Phase,
    reporting_phase,
)
from runout.execution.tasks import Task, TaskNeeds, TaskResult, Worker
from runout.execution.workplace import Workplace
from runout.postflop.backend import PostflopBackend, ProgressSink
from runout.postflop.flop_game import FlopGame
from runout.results.solve_report import FlopReport, reports_from_array, reports_to_array
from runout.storage.ledger import LedgerEntry
from runout.trees.postflop_tree import PostflopTree

#: Begins the names, in a flop's arrays, of what is kept at each stack-to-pot ratio.
_KEPT = "kept_"

_SECONDS = "seconds"


class FlopToSolve(NamedTuple):
    """A flop to solve.

    Attributes:
        cards: three of them.
        name: as they were given.
    """

    cards: tuple[int, ...]
    name: str


@dataclass(frozen=True, eq=False)
class FlopJob:
    """Solves flops with every tree; see `Job`.

    Attributes:
        trees: the betting at each stack-to-pot ratio.
        backend: how to solve.
        ranges: ``[2, 169]`` how much of each hand OOP and IP hold; None for all of them.
        keeps_strategies: whether results have strategies.
        facts: everything that the results depend on besides the flop.
    """

    trees: Sequence[PostflopTree]
    backend: PostflopBackend
    ranges: FloatArray | None = None
    keeps_strategies: bool = False
    facts: Mapping[str, Any] = field(default_factory=dict)

    def run(self, item: FlopToSolve, worker: Worker) -> TaskResult:
        """Solves one flop at all stack-to-pot ratios."""
        on_event, is_bound = worker.on_event, self.backend.meaning.is_upper_bound
        with reporting_phase(progress_sink(item.name, None, on_event), Phase.EQUITY_TABLE):
            game = FlopGame.deal(item.cards, self.ranges)
        values, reports = [], []
        arrays: dict[str, AnyArray] = {}
        for number, tree in enumerate(self.trees):
            report_progress = progress_sink(item.name, tree.stakes.spr, on_event, is_bound)
            solution = self.backend.solve(game, tree, report_progress, Team.of(worker))
            values.append(solution.value_pot)
            reports.append(solution.report)
            if self.keeps_strategies:
                with reporting_phase(report_progress, Phase.PACKING):
                    kept = solution.to_arrays()
                arrays |= {f"{_KEPT}{number}_{name}": array for name, array in kept.items()}
        # Times differ from run to run, and everything else does not.
        timeless = [replace(report, seconds=0.0) for report in reports]
        arrays |= {"value_pot": np.stack(values), "reports": reports_to_array(timeless)}
        return TaskResult(arrays, {_SECONDS: [report.seconds for report in reports]})

    def tasks(self, flops: FlopList) -> list[Task[FlopToSolve]]:
        """Returns a task for each flop, with what it takes."""
        needs: dict[int, TaskNeeds] = {}
        tasks = []
        for flop, name in zip(flops.flops, flops.names, strict=True):
            number = len(suit_stabilizer(flop))  # runouts that differ by suits only are solved once
            if number not in needs:
                needs[number] = self._needs_of(flop)
            tasks.append(Task(format_cards(flop), FlopToSolve(flop, name), needs[number]))
        return tasks

    def _needs_of(self, flop: tuple[int, ...]) -> TaskNeeds:
        each = [self.backend.estimate(flop, tree, 1) for tree in self.trees]
        # Of flops that take as long, those with more different runouts take longer after all.
        seconds = sum(need.seconds for need in each) / len(suit_stabilizer(flop))
        return TaskNeeds(max(need.memory_bytes for need in each), seconds)


@dataclass(frozen=True, eq=False)
class FlopResult:
    """A solved flop.

    Attributes:
        flop_index: which of the flops it is.
        value_pot: ``[S, 2, 169, 169]`` values at each stack-to-pot ratio.
        reports: how each of the S solves went.
        kept: what is kept of each besides, nothing if it is not asked for.
    """

    flop_index: int
    value_pot: Float32Array
    reports: list[FlopReport]
    kept: list[Arrays]

    @classmethod
    def of(cls, flop_index: int, entry: LedgerEntry) -> "FlopResult":
        """Returns what a task has found."""
        arrays, times = entry.arrays, entry.measured[_SECONDS]
        timeless = reports_from_array(cast(FloatArray, arrays["reports"]))
        reports = [
            replace(report, seconds=seconds)
            for report, seconds in zip(timeless, times, strict=True)
        ]
        kept = [_named(arrays, f"{_KEPT}{number}_") for number in range(len(reports))]
        return cls(flop_index, cast(Float32Array, arrays["value_pot"]), reports, kept)


def solve_flops(flops: FlopList, job: FlopJob, workplace: Workplace) -> Iterator[FlopResult]:
    """Yields the result of every flop, as soon as it is finished.

    Flops are solved side by side, those with most different runouts first. Workers for which no
    flop is left help inside those that are still being solved.

    Args:
        flops: what to solve.
        job: how.
        workplace: with what.

    Raises:
        ExecutionError: after all flops were tried, naming those that failed and why.
    """
    on_event = workplace.on_event
    index_by_key = {format_cards(flop): index for index, flop in enumerate(flops.flops)}
    failures: dict[str, Exception] = {}
    with reporting_phase(on_event, Phase.FLOPS, len(flops)):
        for num_done, done in enumerate(workplace.run(job, job.tasks(flops)), start=1):
            name = done.task.item.name
            if done.entry is None:
                assert done.error is not None
                failures[name] = done.error
                on_event(FlopFailed(name, repr(done.error)))
                continue
            result = FlopResult.of(index_by_key[done.task.key], done.entry)
            on_event(
                FlopSolved(
                    flop=name,
                    num_done=num_done - len(failures),
                    num_flops=len(flops),
                    exploitability_pot=max(r.exploitability_pot for r in result.reports),
                    seconds=sum(r.seconds for r in result.reports),
                    is_upper_bound=job.backend.meaning.is_upper_bound,
                )
            )
            yield result
    if failures:
        raise failed_flops(failures, len(flops))


def failed_flops(failures: dict[str, Exception], num_flops: int) -> ExecutionError:
    """Returns the error that names every failed flop with its cause."""
    causes = "; ".join(f"{name}: {error!r}" for name, error in failures.items())
    problem = f"{causes}; the other {num_flops - len(failures)} are solved"
    error = ExecutionError(f"{len(failures)} of {num_flops} flops failed", problem)
    error.__cause__ = next(iter(failures.values()))
    return error


def _named(arrays: Arrays, prefix: str) -> Arrays:
    """Returns the arrays whose names begin with a prefix, without it."""
    return {
        name.removeprefix(prefix): array
        for name, array in arrays.items()
        if name.startswith(prefix)
    }


def progress_sink(
    flop: str, spr: float | None, on_event: EventSink, is_upper_bound: bool = False
) -> ProgressSink:
    """Returns a sink of a backend's progress that tells events which flop it is about.

    Args:
        flop: its cards as they were given.
        spr: effective stack over pot; None for what all ratios share.
        on_event: who is told.
        is_upper_bound: whether the backend's exploitability is one.
    """

    def report_progress(progress: SolveProgress | BucketEvent) -> None:
        if not isinstance(progress, SolveProgress):
            place = replace(progress.place or FlopPlace(), flop=flop, spr=spr)
            on_event(replace(progress, place=place))
            return
        on_event(
            FlopSolving(
                flop,
                math.nan if spr is None else spr,
                progress.iteration,
                progress.max_iterations,
                progress.exploitability,
                progress.strategy_delta,
                progress.round,
                progress.total_rounds,
                progress.is_converged,
                is_upper_bound,
            )
        )

    return report_progress
