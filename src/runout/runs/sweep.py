"""Sweeps: what a choice of keys is worth, with error bars from several seeds.

Every choice solves the same flops; strategies are judged in the game with real cards. Seeds are
the only thing that is random, so a mean over flops is one number for each seed, and its spread
over seeds is the error. Two choices are compared seed by seed, which takes out what both share.
"""

import math
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from runout.config.flops import FlopsConfig
from runout.config.load import SweepPoint
from runout.events import PhaseAdvanced
from runout.execution.context import RunContext
from runout.execution.tasks import Task
from runout.flops.solve import PostflopPlan, finish_flops
from runout.runs.compare import BackendUnderTest, JudgedSolve, JudgeJob, row_of
from runout.storage.bundle import digest_config

#: What is measured of every solve; the first is what choices are compared by.
MEASURES = ("real", "own", "oop", "ip", "iterations", "seconds")

PHASE = "Sweeping"

_NUM_KEY_DIGITS = 12


@dataclass(frozen=True)
class SweepTask:
    """One flop at one stack-to-pot ratio by one choice and seed; the model has only these."""

    point: int
    seed: int
    flop: str
    spr: float
    model: FlopsConfig

    def __str__(self) -> str:
        """Stands for everything that decides the result."""
        digest = digest_config(self.model.digest_mapping())[:_NUM_KEY_DIGITS]
        return f"{self.flop} SPR {self.spr:g} seed {self.seed} {digest}"

    def to_task(self) -> Task[JudgedSolve]:
        """Returns the solve and its judging; it is timed, so it has its worker for itself."""
        plan = PostflopPlan.make(self.model, 1)
        tested = BackendUnderTest(self.model.solve_type, plan.backend)
        (flop, *_), (tree,) = plan.flops.flops, plan.trees
        cost = tested.estimate(flop, tree, 1)
        solve = JudgedSolve(str(self), tested, flop, tree, self.flop)
        return Task(str(self), solve, cost.memory_bytes, cost.seconds, is_alone=True)


@dataclass(frozen=True)
class SweepRow:
    """What a task has measured; exploitabilities and gains are fractions of the pot."""

    task: SweepTask
    values: dict[str, float]


@dataclass(frozen=True)
class Estimate:
    """The mean of the means of each seed, and its standard error; NaN for one seed."""

    mean: float
    error: float

    @classmethod
    def of(cls, values: Sequence[float]) -> "Estimate":
        """Returns the mean of independent values and its standard error."""
        if len(values) < 2:
            return cls(values[0] if values else math.nan, math.nan)
        error = statistics.stdev(values) / math.sqrt(len(values))
        return cls(statistics.fmean(values), error)


@dataclass(frozen=True)
class SweepMean:
    """A choice over all flops and seeds.

    Seeds count that are finished on every flop. The difference is to the first choice, in the first
    of `MEASURES`, seed by seed; None for the first itself.
    """

    label: str
    num_seeds: int
    num_solves: int
    by_measure: dict[str, Estimate]
    difference: Estimate | None


def list_tasks(points: Sequence[SweepPoint]) -> list[SweepTask]:
    """Returns every solve of a sweep."""
    tasks = []
    for number, point in enumerate(points):
        for model in point.models:
            for flop, spr in product(model.flop_list().names, model.postflop_sprs):
                keys: dict[str, Any] = {
                    "fixed_flops": [flop],
                    "flop_subset": None,
                    "max_flop_boards": None,
                    "postflop_sprs": [spr],
                }
                single = model.model_validate(model.to_mapping() | keys)
                tasks.append(SweepTask(number, model.seed, flop, spr, single))
    return tasks


def summarize(points: Sequence[SweepPoint], rows: Sequence[SweepRow]) -> list[SweepMean]:
    """Returns the mean of each choice, over seeds that are finished on all of its flops."""
    by_seed = [_means_by_seed(point, number, rows) for number, point in enumerate(points)]
    return [
        SweepMean(
            label=point.label,
            num_seeds=len(seeds),
            num_solves=sum(row.task.point == number for row in rows),
            by_measure={
                name: Estimate.of([values[name] for values in seeds.values()]) for name in MEASURES
            },
            difference=None if number == 0 else _paired(seeds, by_seed[0]),
        )
        for number, (point, seeds) in enumerate(zip(points, by_seed, strict=True))
    ]


def _means_by_seed(
    point: SweepPoint, number: int, rows: Sequence[SweepRow]
) -> dict[int, dict[str, float]]:
    """Returns the means over flops and ratios of each seed that is finished."""
    means = {}
    for model in point.models:
        mine = [r.values for r in rows if r.task.point == number and r.task.seed == model.seed]
        if len(mine) == len(model.flop_list()) * len(model.postflop_sprs):
            means[model.seed] = {
                name: statistics.fmean(values[name] for values in mine) for name in MEASURES
            }
    return means


def _paired(seeds: dict[int, dict[str, float]], first: dict[int, dict[str, float]]) -> Estimate:
    """Returns how a choice differs from the first, seed by seed if both are random."""
    name = MEASURES[0]
    if len(first) == 1 or len(seeds) == 1:  # one of them does not depend on the seed
        others = first if len(seeds) == 1 else seeds
        single = next(iter((seeds if len(seeds) == 1 else first).values()), {name: math.nan})
        sign = 1.0 if others is seeds else -1.0
        return Estimate.of([sign * (values[name] - single[name]) for values in others.values()])
    return Estimate.of([seeds[seed][name] - first[seed][name] for seed in seeds if seed in first])


def run_sweep(points: Sequence[SweepPoint], context: RunContext) -> Iterator[SweepRow]:
    """Yields a row for every solve, as soon as it is finished; those of an earlier run first.

    Raises:
        ExecutionError: after all were tried, naming those that failed and why.
        CancelledError: if the token of the context was set.
    """
    sweep = {str(task): task for task in list_tasks(points)}
    tasks = [task.to_task() for task in sweep.values()]
    finished = finish_flops(JudgeJob(keeps_values=False), tasks, context, PHASE)
    for num_done, (task, entry) in enumerate(finished, start=1):
        context.on_event(PhaseAdvanced(PHASE, num_done, len(tasks)))
        row = row_of(entry)
        numbers = [row.real_exploitability_pot, row.own_exploitability_pot, *row.real_gains_pot]
        values = [*numbers, float(row.iterations), row.seconds]
        yield SweepRow(sweep[task.key], dict(zip(MEASURES, values, strict=True)))
