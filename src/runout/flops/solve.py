"""Solving many flops: one task per flop, and from a config to all values."""

import functools
import math
import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar, cast

import numpy as np

from runout.arrays import AnyArray, Float32Array, FloatArray
from runout.cache import Arrays
from runout.cards.deck import NUM_HANDS, format_cards, parse_board
from runout.cards.flops import FlopList, canonical_flop, suit_stabilizer
from runout.cfr.schedules import SolveProgress
from runout.cfr.team import Team
from runout.config.flops import FlopsConfig
from runout.config.load import parse_config
from runout.errors import BundleError, ExecutionError
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
from runout.execution.context import RunContext
from runout.execution.pool import PROGRAM_BYTES, count_cores
from runout.execution.tasks import Job, Task, TaskResult, Worker
from runout.flops.backend import (
    Cost,
    FlopGame,
    FlopStrategy,
    PostflopBackend,
    ProgressSink,
)
from runout.flops.bucketed import RoundRecord, read_records
from runout.flops.settings import make_backend
from runout.solutions.values import (
    NUM_POSITIONS,
    FlopReport,
    PostflopValues,
    ValueBundle,
    reports_from_array,
    reports_to_array,
)
from runout.storage.bundle import digest_config
from runout.storage.ledger import LedgerEntry
from runout.trees.tree import PostflopTree

_Item = TypeVar("_Item")

# Solving many flops: one task per flop, all stack-to-pot ratios in it, finished ones recalled.

#: Begins the names, in a flop's arrays, of what is kept at each stack-to-pot ratio.
_KEPT = "kept_"

_SECONDS = "seconds"
_SECONDS_PER_FLOP = 0.1  # exact equities, and values by matrix products
_VALUE_BYTES = 4


@dataclass(frozen=True, eq=False)
class FlopJob:
    """Solves flops with every tree; see `Job`. An item is a flop as it was given.

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

    def run(self, item: str, worker: Worker) -> TaskResult:
        """Solves one flop at all stack-to-pot ratios."""
        on_event, is_bound = worker.on_event, self.backend.meaning.is_upper_bound
        with reporting_phase(progress_sink(item, None, on_event), Phase.EQUITY_TABLE):
            game = FlopGame.deal(canonical_flop(parse_board(item)), self.ranges)
        values, reports = [], []
        arrays: dict[str, AnyArray] = {}
        for number, tree in enumerate(self.trees):
            report_progress = progress_sink(item, tree.stakes.spr, on_event, is_bound)
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

    def tasks(self, flops: FlopList) -> list[Task[str]]:
        """Returns a task for each flop, with what it takes."""
        costs = self._costs(flops, num_workers=1)
        tasks = []
        for flop, name in zip(flops.flops, flops.names, strict=True):
            number = len(suit_stabilizer(flop))
            # Of flops that take as long, those with more different runouts take longer after all.
            memory, seconds = costs[number].memory_bytes, costs[number].seconds / number
            tasks.append(Task(format_cards(flop), name, memory, seconds))
        return tasks

    def estimate(self, flops: FlopList, num_workers: int) -> Cost:
        """Returns what solving flops takes, with so many threads in all."""
        # With fewer flops than workers all cores share a flop, which takes hardly any more tables.
        num_at_once = min(len(flops), num_workers)
        costs = self._costs(flops, max(1, num_workers // num_at_once))
        each = [costs[len(suit_stabilizer(flop))] for flop in flops.flops]
        values = len(flops) * len(self.trees) * NUM_POSITIONS * NUM_HANDS**2 * _VALUE_BYTES
        kept = sum(cost.disk_bytes for cost in each) if self.keeps_strategies else 0
        # Values of all flops are in memory twice when they are put together.
        fixed = PROGRAM_BYTES + values + values + kept
        hardest = max(costs.values(), key=lambda cost: cost.memory_bytes)
        cost = hardest.with_memory(lambda size: fixed + num_at_once * size)
        savings = {change: size for change, size in cost.savings.items() if size is not None}
        if num_at_once > 1:
            savings["--workers 1"] = fixed + hardest.memory_bytes
        return Cost(
            seconds=sum(_SECONDS_PER_FLOP + cost.seconds for cost in each) / num_workers,
            memory_bytes=cost.memory_bytes,
            disk_bytes=values + kept,
            checkpoint_bytes=values + kept,
            savings={**savings, **cost.savings},
        )

    def _costs(self, flops: FlopList, num_workers: int) -> dict[int, Cost]:
        """Returns what a flop takes with all trees, by the number of its symmetries.

        Runouts that differ by suits only are solved once, so flops with as many count alike.
        """
        alike = {len(suit_stabilizer(flop)): flop for flop in reversed(flops.flops)}
        return {
            number: functools.reduce(
                operator.add,
                (self.backend.estimate(flop, tree, num_workers) for tree in self.trees),
            )
            for number, flop in alike.items()
        }


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
        kept: list[Arrays] = [
            {key.removeprefix(begin): a for key, a in arrays.items() if key.startswith(begin)}
            for begin in (f"{_KEPT}{number}_" for number in range(len(reports)))
        ]
        return cls(flop_index, cast(Float32Array, arrays["value_pot"]), reports, kept)


def solve_flops(flops: FlopList, job: FlopJob, context: RunContext) -> Iterator[FlopResult]:
    """Yields the result of every flop, as soon as it is finished.

    Flops are solved side by side, those with most different runouts first. Workers for which no
    flop is left help inside those that are still being solved.

    Raises:
        ExecutionError: after all flops were tried, naming those that failed and why.
    """
    index_by_key = {format_cards(flop): index for index, flop in enumerate(flops.flops)}
    finished = finish_flops(job, job.tasks(flops), context)
    for num_done, (task, entry) in enumerate(finished, start=1):
        result = FlopResult.of(index_by_key[task.key], entry)
        context.on_event(
            FlopSolved(
                flop=task.item,
                num_done=num_done,
                num_flops=len(flops),
                exploitability_pot=max(r.exploitability_pot for r in result.reports),
                seconds=sum(r.seconds for r in result.reports),
                is_upper_bound=job.backend.meaning.is_upper_bound,
            )
        )
        yield result


def finish_flops(
    job: Job[_Item], tasks: Sequence[Task[_Item]], context: RunContext, phase: str = Phase.FLOPS
) -> Iterator[tuple[Task[_Item], LedgerEntry]]:
    """Yields tasks with what they found, as they are finished; those of an earlier run first.

    Raises:
        ExecutionError: after all were tried, naming those that failed and why.
        CancelledError: if the token of the context was set.
    """
    failures: dict[str, Exception] = {}
    with reporting_phase(context.on_event, phase, len(tasks)):
        for done in context.run(job, tasks):
            if done.entry is not None:
                yield done.task, done.entry
                continue
            assert done.error is not None
            failures[str(done.task.item)] = done.error
            context.on_event(FlopFailed(str(done.task.item), repr(done.error)))
    if failures:
        causes = "; ".join(f"{name}: {error!r}" for name, error in failures.items())
        problem = f"{causes}; the other {len(tasks) - len(failures)} are solved"
        error = ExecutionError(f"{len(failures)} of {len(tasks)} flops failed", problem)
        raise error from next(iter(failures.values()))


def progress_sink(
    flop: str, spr: float | None, on_event: EventSink, is_upper_bound: bool = False
) -> ProgressSink:
    """Returns a sink of a backend's progress that tells events which flop it is about.

    The stack-to-pot ratio is None for what all ratios share.
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


# From a config to the values of all its flops and stack-to-pot ratios.


@dataclass(frozen=True, eq=False)
class PostflopPlan:
    """What a solve of a config's flops is about to do: which flops, trees and backend.

    There is a tree for each stack-to-pot ratio. Nothing that is found depends on the number of
    threads.
    """

    config: FlopsConfig
    flops: FlopList
    trees: tuple[PostflopTree, ...]
    backend: PostflopBackend
    num_workers: int

    @classmethod
    def make(cls, config: FlopsConfig, num_workers: int | None = None) -> "PostflopPlan":
        """Returns the plan of a config with given stack-to-pot ratios; by default for all cores.

        Raises:
            TreeError: if a betting tree is too large.
        """
        rules = config.betting_rules()
        trees = [PostflopTree.build(rules, spr) for spr in config.postflop_sprs]
        workers = num_workers or count_cores()
        return cls(config, config.flop_list(), tuple(trees), make_backend(config), workers)

    def job(self, ranges: FloatArray | None = None) -> FlopJob:
        """Returns the job, for ``ranges[2, 169]`` of OOP and IP or for all hands."""
        keeps = self.config.keep_strategies
        facts = {
            "postflop_model": self.config.digest_mapping(),
            "keep_strategies": keeps,
            "ranges": None if ranges is None else ranges.tolist(),
        }
        return FlopJob(self.trees, self.backend, ranges, keeps, facts)

    @cached_property
    def cost(self) -> Cost:
        """Time, memory and disk that it takes."""
        return self.job().estimate(self.flops, self.num_workers)


@dataclass(frozen=True, eq=False)
class PostflopAbstraction:
    """Solved postflop games of a config: trees, values and what is kept at each stack-to-pot ratio.

    What is kept besides values is by ratio and flop, empty if nothing is.
    """

    config: FlopsConfig
    trees: tuple[PostflopTree, ...]
    values: tuple[PostflopValues, ...]
    solutions: tuple[tuple[Arrays, ...], ...] = ()

    @classmethod
    def build(cls, config: FlopsConfig, context: RunContext | None = None) -> "PostflopAbstraction":
        """Solves every flop of a config at every ratio; by default with all cores, silently.

        Raises:
            TreeError: if a betting tree cannot be built.
        """
        context = context or RunContext()
        with reporting_phase(context.on_event, Phase.TREES):
            plan = PostflopPlan.make(config, context.num_workers)
        return cls.carry_out(plan, context)

    @classmethod
    def carry_out(
        cls, plan: PostflopPlan, context: RunContext, ranges: FloatArray | None = None
    ) -> "PostflopAbstraction":
        """Solves every flop of a plan with every tree, or finds what an earlier run has finished.

        The ranges are ``[2, 169]`` how much of each hand OOP and IP hold, by default all of them.
        """
        config, trees, flops = plan.config, plan.trees, plan.flops
        shape = (len(trees), len(flops.flops), NUM_POSITIONS, NUM_HANDS, NUM_HANDS)
        value_pot = np.empty(shape, dtype=np.float32)
        by_flop: dict[int, FlopResult] = {}
        for result in solve_flops(flops, plan.job(ranges), context):
            value_pot[:, result.flop_index] = result.value_pot
            by_flop[result.flop_index] = result
        in_order = [by_flop[flop_index] for flop_index in range(len(flops))]
        values = [
            PostflopValues(
                flops, spr, value_pot[number], tuple(r.reports[number] for r in in_order), ranges
            )
            for number, spr in enumerate(config.postflop_sprs)
        ]
        solutions = tuple(
            tuple(result.kept[number] for result in in_order)
            for number in range(len(trees) if config.keep_strategies else 0)
        )
        return cls(config, trees, tuple(values), solutions)

    @classmethod
    def from_bundle(cls, bundle: ValueBundle) -> "PostflopAbstraction":
        """Returns what `to_bundle` saved; trees are built again.

        Raises:
            ConfigError: if the bundle's config is none that this version reads.
        """
        plan = PostflopPlan.make(parse_config(bundle.config_text, FlopsConfig), num_workers=1)
        return cls(plan.config, plan.trees, bundle.values, bundle.solutions)

    @property
    def flops(self) -> FlopList:
        """The flops that were solved."""
        return self.values[0].flops

    def strategy(self, flop_index: int, spr_index: int = 0) -> FlopStrategy:
        """Returns what both players do on a flop of `flops` at a ratio of the config.

        Raises:
            BundleError: if strategies were not kept.
        """
        kept, flop = self._kept(flop_index, spr_index), self.flops.flops[flop_index]
        backend = make_backend(self.config)
        return backend.read_strategy(kept, flop, self.trees[spr_index])

    def rounds(self, flop_index: int, spr_index: int = 0) -> list[RoundRecord]:
        """Returns the buckets of a flop, and what hands earned with them, round by round.

        Raises:
            BundleError: if they were not kept, or the backend has no buckets.
        """
        records = read_records(self._kept(flop_index, spr_index), self.flops.flops[flop_index])
        if not records:
            problem = f"{self.config.solve_type} has no rounds of buckets"
            raise BundleError("postflop_model", problem)
        return records

    def _kept(self, flop_index: int, spr_index: int) -> Arrays:
        if not self.solutions:
            problem = "strategies were not kept, solve with keep_strategies: true"
            raise BundleError("postflop_model", problem)
        return self.solutions[spr_index][flop_index]

    def to_bundle(self) -> ValueBundle:
        """Returns what is worth saving."""
        return ValueBundle(
            self.values,
            self.config.to_yaml(),
            digest_config(self.config.digest_mapping()),
            self.config.seed,
            self.solutions,
        )
