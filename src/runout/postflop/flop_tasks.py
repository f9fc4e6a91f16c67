"""Solving many flops: one task per flop, all stack-to-pot ratios in it, finished ones recalled."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from runout.arrays import AnyArray, Float32Array, FloatArray
from runout.cache import Arrays, Recall, compute_always
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
    ignore_event,
    reporting_phase,
)
from runout.execution.local import WorkerPool, count_cores, require_workers
from runout.postflop.backend import PostflopBackend, ProgressSink
from runout.postflop.flop_game import FlopGame
from runout.results.solve_report import FlopReport, reports_from_array, reports_to_array
from runout.trees.postflop_tree import PostflopTree

#: Begins the names, in a flop's arrays, of what is kept at each stack-to-pot ratio.
_KEPT = "kept_"


@dataclass(frozen=True)
class SolveRun:
    """How solves are carried out; nothing in here changes a result.

    Attributes:
        num_workers: threads to use in all, by default the number of cores.
        on_event: told about progress.
        recall: returns an earlier result of a flop, or computes it.
        keeps_strategies: whether results have strategies.
    """

    num_workers: int | None = None
    on_event: EventSink = ignore_event
    recall: Recall = compute_always
    keeps_strategies: bool = False

    def count_workers(self) -> int:
        """Returns how many threads to use.

        Raises:
            ExecutionError: if that is not positive.
        """
        num_workers = count_cores() if self.num_workers is None else self.num_workers
        require_workers(num_workers)
        return num_workers


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


def solve_flops(
    flops: FlopList,
    trees: Sequence[PostflopTree],
    backend: PostflopBackend,
    run: SolveRun,
    ranges: FloatArray | None = None,
) -> Iterator[FlopResult]:
    """Yields the result of every flop, as soon as it is finished.

    Flops are solved side by side, those with most different runouts first. Workers for which no
    flop is left help inside those that are still being solved.

    Args:
        flops: what to solve.
        trees: the betting at each stack-to-pot ratio.
        backend: how to solve.
        run: with what.
        ranges: ``[2, 169]`` how much of each hand OOP and IP hold; by default all of them.

    Raises:
        ExecutionError: after all flops were tried, naming those that failed and why.
    """
    num_workers = run.count_workers()
    pool = WorkerPool(num_workers)

    def solve(index: int) -> FlopResult | Exception:
        flop, name = flops.flops[index], flops.names[index]
        task = _FlopTask(flop, name, trees, ranges, run.on_event, run.keeps_strategies)
        team = Team(num_workers, pool)
        try:
            arrays = run.recall(format_cards(flop), lambda: _solve_flop(task, backend, team))
        except Exception as error:  # the other flops go on; told at the end
            return error
        reports = reports_from_array(cast(FloatArray, arrays["reports"]))
        kept = [_named(arrays, f"{_KEPT}{number}_") for number in range(len(trees))]
        return FlopResult(index, cast(Float32Array, arrays["value_pot"]), reports, kept)

    order = longest_first(flops.flops)
    failures: dict[str, Exception] = {}
    with reporting_phase(run.on_event, Phase.FLOPS, len(order)):
        for num_done, (position, result) in enumerate(pool.map_as_finished(solve, order), start=1):
            name = flops.names[order[position]]
            if isinstance(result, Exception):
                failures[name] = result
                run.on_event(FlopFailed(name, repr(result)))
                continue
            run.on_event(
                FlopSolved(
                    flop=name,
                    num_done=num_done - len(failures),
                    num_flops=len(order),
                    exploitability_pot=max(r.exploitability_pot for r in result.reports),
                    seconds=sum(r.seconds for r in result.reports),
                    is_upper_bound=backend.meaning.is_upper_bound,
                )
            )
            yield result
    if failures:
        raise _failed(failures, len(order))


def longest_first(flops: Sequence[Sequence[int]]) -> list[int]:
    """Returns the order in which to solve flops: those with fewest equal suits come first.

    Runouts that differ by suits only are solved once, so the others have more of them.
    """
    return sorted(range(len(flops)), key=lambda index: len(suit_stabilizer(flops[index])))


def _failed(failures: dict[str, Exception], num_flops: int) -> ExecutionError:
    """Returns the error that names every failed flop with its cause."""
    causes = "; ".join(f"{name}: {error!r}" for name, error in failures.items())
    problem = f"{causes}; the other {num_flops - len(failures)} are solved"
    error = ExecutionError(f"{len(failures)} of {num_flops} flops failed", problem)
    error.__cause__ = next(iter(failures.values()))
    return error


@dataclass(frozen=True, eq=False)
class _FlopTask:
    """One flop at all stack-to-pot ratios."""

    flop: tuple[int, ...]
    name: str
    trees: Sequence[PostflopTree]
    ranges: FloatArray | None
    on_event: EventSink
    keeps_strategies: bool


def _solve_flop(task: _FlopTask, backend: PostflopBackend, team: Team) -> Arrays:
    """Returns what is kept of a flop."""
    with reporting_phase(progress_sink(task.name, None, task.on_event), Phase.EQUITY_TABLE):
        game = FlopGame.deal(task.flop, task.ranges)
    values, reports = [], []
    arrays: dict[str, AnyArray] = {}
    for number, tree in enumerate(task.trees):
        is_bound = backend.meaning.is_upper_bound
        report_progress = progress_sink(task.name, tree.stakes.spr, task.on_event, is_bound)
        solution = backend.solve(game, tree, report_progress, team)
        values.append(solution.value_pot)
        reports.append(solution.report)
        if task.keeps_strategies:
            with reporting_phase(report_progress, Phase.PACKING):
                kept = solution.to_arrays()
            arrays |= {f"{_KEPT}{number}_{name}": array for name, array in kept.items()}
    return {"value_pot": np.stack(values), "reports": reports_to_array(reports), **arrays}


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
