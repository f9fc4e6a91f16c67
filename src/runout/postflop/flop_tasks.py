"""Solving many flops: one task per flop, all stack-to-pot ratios in it, finished ones recalled."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from runout.arrays import Float32Array, FloatArray
from runout.cache import Arrays, Recall, compute_always
from runout.cards.card import format_cards
from runout.cfr.parallel import Team, one_blas_thread, plan_workers
from runout.cfr.stopping import SolveProgress
from runout.errors import ExecutionError
from runout.events import BucketEvent, EventSink, FlopSolved, FlopSolving, ignore_event
from runout.execution.local import map_tasks
from runout.postflop.backend import FlopSolution, PostflopBackend, ProgressSink
from runout.postflop.flop_game import FlopGame
from runout.results.solve_report import FlopReport, reports_from_array, reports_to_array
from runout.trees.postflop_tree import PostflopTree


@dataclass(frozen=True)
class SolveRun:
    """How solves are carried out; nothing in here changes a result.

    Attributes:
        num_workers: threads to use in all, by default the number of cores.
        on_event: told about progress.
        recall: returns an earlier result of a flop, or computes it.
    """

    num_workers: int | None = None
    on_event: EventSink = ignore_event
    recall: Recall = compute_always


@dataclass(frozen=True, eq=False)
class FlopResult:
    """A solved flop.

    Attributes:
        value_pot: ``[S, 2, 169, 169]`` values at each stack-to-pot ratio.
        reports: how each of the S solves went.
    """

    value_pot: Float32Array
    reports: list[FlopReport]


def solve_flops(
    flops: Sequence[tuple[int, ...]],
    trees: Sequence[PostflopTree],
    backend: PostflopBackend,
    run: SolveRun,
    ranges: FloatArray | None = None,
) -> Iterator[FlopResult]:
    """Yields the result of every flop, in their order.

    Args:
        flops: what to solve.
        trees: the betting at each stack-to-pot ratio.
        backend: how to solve.
        run: with what.
        ranges: ``[2, 169]`` how much of each hand OOP and IP hold; by default all of them.

    Raises:
        ExecutionError: after all flops were tried, naming those that failed and why.
    """
    cells = max(tree.num_nodes for tree in trees) * backend.cells_per_node
    plan = plan_workers(len(flops), cells, run.num_workers)

    names = [format_cards(flop) for flop in flops]  # a failure names its task, so names are tasks
    flop_by_name = dict(zip(names, flops, strict=True))

    def solve_one(game: FlopGame, tree: PostflopTree) -> FlopSolution:
        report_progress = progress_sink(format_cards(game.flop), tree.stakes.spr, run.on_event)
        return backend.solve(game, tree, report_progress, Team(plan.within))

    def solve(name: str) -> FlopResult | Exception:
        flop = flop_by_name[name]
        try:
            arrays = run.recall(name, lambda: _solve_flop(flop, trees, solve_one, ranges))
        except Exception as error:  # the other flops go on; told at the end
            return error
        reports = reports_from_array(cast(FloatArray, arrays["reports"]))
        return FlopResult(cast(Float32Array, arrays["value_pot"]), reports)

    failures: dict[str, Exception] = {}
    with one_blas_thread():
        results = map_tasks(solve, names, plan.across)
        for number, (name, result) in enumerate(zip(names, results, strict=True)):
            if isinstance(result, Exception):
                failures[name] = result
                continue
            run.on_event(
                FlopSolved(
                    flop=name,
                    num_done=number + 1 - len(failures),
                    num_flops=len(flops),
                    exploitability_pot=max(r.exploitability_pot for r in result.reports),
                    seconds=sum(r.seconds for r in result.reports),
                )
            )
            yield result
    if failures:
        raise _failed(failures, len(flops))


def _failed(failures: dict[str, Exception], num_flops: int) -> ExecutionError:
    """Returns the error that names every failed flop with its cause."""
    causes = "; ".join(f"{name}: {error!r}" for name, error in failures.items())
    problem = f"{causes}; the other {num_flops - len(failures)} are solved"
    error = ExecutionError(f"{len(failures)} of {num_flops} flops failed", problem)
    error.__cause__ = next(iter(failures.values()))
    return error


def _solve_flop(
    flop: tuple[int, ...],
    trees: Sequence[PostflopTree],
    solve_one: Callable[[FlopGame, PostflopTree], FlopSolution],
    ranges: FloatArray | None,
) -> Arrays:
    game = FlopGame.deal(flop, ranges)
    solutions = [solve_one(game, tree) for tree in trees]
    return {
        "value_pot": np.stack([solution.value_pot for solution in solutions]),
        "reports": reports_to_array([solution.report for solution in solutions]),
    }


def progress_sink(flop: str, spr: float, on_event: EventSink) -> ProgressSink:
    """Returns a sink of a backend's progress that tells events which flop it is about."""
    """Returns what tells listeners of events how the solve of a flop goes on."""

    def report_progress(progress: SolveProgress | BucketEvent) -> None:
        if not isinstance(progress, SolveProgress):
            on_event(progress)
            return
        on_event(
            FlopSolving(
                flop,
                spr,
                progress.iteration,
                progress.max_iterations,
                progress.exploitability,
                progress.strategy_delta,
                progress.round,
                progress.total_rounds,
            )
        )

    return report_progress
