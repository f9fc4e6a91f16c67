"""Sweeps: what a choice of keys is worth, with error bars from several seeds.

Every choice solves the same flops; strategies are judged in the game with real cards. Seeds are
the only thing that is random, so a mean over flops is one number for each seed, and its spread
over seeds is the error. Two choices are compared seed by seed, which takes out what both share.
"""

import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from runout.config.load import SweepPoint
from runout.config.postflop import PostflopModelConfig
from runout.events import PhaseAdvanced
from runout.execution.context import RunContext
from runout.execution.tasks import Task, TaskResult, Worker
from runout.flops.solve import PostflopPlan, finish_flops
from runout.runs.compare import Contender, solve_and_judge
from runout.storage.bundle import digest_config
from runout.trees.tree import PostflopTree

#: What is measured of every solve; the first is what choices are compared by.
MEASURES = ("real", "own", "oop", "ip", "iterations", "seconds")

PHASE = "Sweeping"

_MEASURED = "measured"
_SECONDS = "seconds"
_NUM_KEY_DIGITS = 12


@dataclass(frozen=True)
class SweepTask:
    """One flop at one stack-to-pot ratio by one choice and seed.

    Attributes:
        point: number of the choice.
        seed: of the solve.
        flop: its cards as they were given.
        spr: effective stack over pot.
        model: the config with this flop and ratio only.
    """

    point: int
    seed: int
    flop: str
    spr: float
    model: PostflopModelConfig

    def __str__(self) -> str:
        """Stands for everything that decides the result."""
        digest = digest_config(self.model.digest_mapping())[:_NUM_KEY_DIGITS]
        return f"{self.flop} SPR {self.spr:g} seed {self.seed} {digest}"


@dataclass(frozen=True)
class SweepRow:
    """What a task has measured.

    Attributes:
        task: which.
        values: by measure; exploitabilities and gains are fractions of the pot.
    """

    task: SweepTask
    values: dict[str, float]


@dataclass(frozen=True)
class Estimate:
    """A mean over seeds.

    Attributes:
        mean: of the means of each seed.
        error: standard error of the mean; NaN for one seed.
    """

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

    Attributes:
        label: the choice.
        num_seeds: that are finished on every flop.
        num_solves: that are finished.
        by_measure: mean and error over seeds.
        difference: to the first choice in `MEASURES`'s first measure, seed by seed; None for the
            first itself.
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
            flops = model.flop_list().names
            for flop in flops:
                for spr in model.postflop_sprs:
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
    means = []
    for number, (point, seeds) in enumerate(zip(points, by_seed, strict=True)):
        difference = None
        if number > 0:
            difference = _paired(seeds, by_seed[0])
        means.append(
            SweepMean(
                label=point.label,
                num_seeds=len(seeds),
                num_solves=sum(row.task.point == number for row in rows),
                by_measure={
                    name: Estimate.of([values[name] for values in seeds.values()])
                    for name in MEASURES
                },
                difference=difference,
            )
        )
    return means


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


@dataclass(frozen=True)
class SweepJob:
    """Solves flops and judges their strategies; see `Job`. All that counts is in the task."""

    @property
    def facts(self) -> Mapping[str, Any]:
        """Nothing: the key of a task stands for its config."""
        return {}

    def run(self, item: SweepTask, worker: Worker) -> TaskResult:
        """Solves a flop, and measures what its strategies lose with real cards."""
        contender, flop, tree = _open_task(item)
        row, _ = solve_and_judge(contender, flop, tree, worker, item.flop)
        numbers = [row.real_exploitability_pot, row.own_exploitability_pot, *row.real_gains_pot]
        return TaskResult(
            {_MEASURED: np.array([*numbers, row.iterations])}, {_SECONDS: row.seconds}
        )


def run_sweep(points: Sequence[SweepPoint], workplace: RunContext) -> Iterator[SweepRow]:
    """Yields a row for every solve, as soon as it is finished; those of an earlier run first.

    Raises:
        ExecutionError: after all were tried, naming those that failed and why.
        CancelledError: if the token of the workplace was set.
    """
    tasks = [_make_task(item) for item in list_tasks(points)]
    finished = finish_flops(SweepJob(), tasks, workplace, PHASE)
    for num_done, (task, entry) in enumerate(finished, start=1):
        workplace.on_event(PhaseAdvanced(PHASE, num_done, len(tasks)))
        numbers = entry.arrays[_MEASURED].tolist()
        values = dict(zip(MEASURES, [*numbers, entry.measured[_SECONDS]], strict=True))
        yield SweepRow(task.item, values)


def _open_task(item: SweepTask) -> tuple[Contender, tuple[int, ...], PostflopTree]:
    """Returns how a solve of the sweep is done, its flop and its betting."""
    plan = PostflopPlan.make(item.model, 1)
    return Contender(item.model.solve_type, plan.backend), plan.flops.flops[0], plan.trees[0]


def _make_task(item: SweepTask) -> Task[SweepTask]:
    """Returns a solve and its judging; it is timed, so it has its worker for itself."""
    contender, flop, tree = _open_task(item)
    cost = contender.estimate(flop, tree, 1)
    return Task(str(item), item, cost.memory_bytes, cost.seconds, is_alone=True)
