"""Sweeps: what a choice of keys is worth, with error bars from several seeds.

Every choice solves the same flops; strategies are judged in the game with real cards. Seeds are
the only thing that is random, so a mean over flops is one number for each seed, and its spread
over seeds is the error. Two choices are compared seed by seed, which takes out what both share.
Intervals are Student's: two or three seeds say little about their own spread, and an interval of
two standard errors would miss the truth in a fifth to a third of such sweeps.
"""

import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from runout.abstraction.bucket_map import Abstraction
from runout.arrays import Float32Array
from runout.cards.deck import parse_board
from runout.config.flops import FlopsConfig
from runout.config.load import SweepConfig, load_config
from runout.errors import ConfigError
from runout.execution.context import RunContext
from runout.execution.tasks import Task
from runout.flops.solve import PostflopPlan, finish_flops
from runout.runs.compare import (
    VALUES,
    BackendUnderTest,
    JudgedSolve,
    JudgeJob,
    row_of,
    value_errors,
)
from runout.solutions.sheet import Column, Sheet, columns, json_number
from runout.storage.bundle import digest_config

if TYPE_CHECKING:
    from pandas import DataFrame

#: What is measured of every solve; the first is what choices are compared by.
MEASURES = ("real", "own", "oop", "ip", "hand", "nuts", "memory_mb", "iterations", "seconds")

PHASE = "Sweeping"

_NUM_KEY_DIGITS = 12

#: The number of standard errors on either side of a mean that hold the truth with 95 %: quantiles
#: of Student's t by degrees of freedom, from 1; beyond the table an expansion takes over.
_QUANTILES = (12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281)
_NORMAL_QUANTILE = statistics.NormalDist().inv_cdf(0.975)


def student_quantile(degrees: int) -> float:
    """Returns the 97.5 % quantile of Student's t, to four digits."""
    if degrees <= len(_QUANTILES):
        return _QUANTILES[degrees - 1]
    z = _NORMAL_QUANTILE
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
    )
    return z + math.fsum(term / degrees**power for power, term in enumerate(terms, start=1))


@dataclass(frozen=True)
class SweepPoint:
    """One choice of the grid: pairs of a key and its value, as text.

    Its models are the config with these keys, once for each seed; once only if nothing is random.
    """

    choice: tuple[tuple[str, str], ...]
    models: tuple[FlopsConfig, ...]
    abstraction: Abstraction | None = None

    @property
    def label(self) -> str:
        """The choice in a few words."""
        return ", ".join(map(" ".join, self.choice))


def list_points(config: SweepConfig) -> tuple[SweepPoint, ...]:
    """Returns every choice of a sweep with its seeds."""
    points = []
    for choice, model in config.models.items():
        is_random = model.is_random or model.max_flop_boards is not None
        is_random &= model.solve_type != "exact"  # where seeds draw boards of values alone
        seeds = config.sweep.seeds if is_random else config.sweep.seeds[:1]
        models = tuple(model.model_copy(update={"seed": seed}) for seed in seeds)
        points.append(SweepPoint(choice, models))
    return tuple(points)


@dataclass(frozen=True)
class SweepTask:
    """One flop at one stack-to-pot ratio by one choice and seed; the model has only these."""

    point: int
    seed: int
    flop: str
    spr: float
    model: FlopsConfig
    abstraction: Abstraction | None = None

    def __str__(self) -> str:
        """Stands for everything that decides the result; own buckets are known by their choice."""
        digest = digest_config(self.model.digest_mapping())[:_NUM_KEY_DIGITS]
        own = "" if self.abstraction is None else f" choice {self.point}"
        return f"{self.flop} SPR {self.spr:g} seed {self.seed} {digest}{own}"

    def to_task(self) -> Task[JudgedSolve]:
        """Returns the solve and its judging; it is timed, so it has its worker for itself."""
        plan = PostflopPlan.make(self.model, 1, self.abstraction)
        tested = BackendUnderTest(self.model.solve_type, plan.backend)
        (flop,), (tree,) = plan.flops.flops, plan.trees
        cost = tested.estimate(flop, tree, 1)
        solve = JudgedSolve(str(self), tested, flop, tree, self.flop)
        return Task(str(self), solve, cost.memory_bytes, cost.seconds, is_alone=True)


@dataclass(frozen=True)
class SweepRow:
    """What a task has measured; exploitabilities and gains are fractions of the pot.

    The error of hands is NaN until `Sweep` compares values, ``[2, 169, 169]`` in pots.
    """

    task: SweepTask
    values: dict[str, float]
    value_pot: Float32Array | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True)
class Estimate:
    """A mean over seeds, with its uncertainty, which is NaN for one seed."""

    mean: float
    error: float  # its standard error
    interval: float  # half the width of its 95 % confidence interval, by Student's t

    @classmethod
    def of(cls, values: Sequence[float]) -> "Estimate":
        """Returns the mean of independent values, without those that are NaN, and its error."""
        values = [value for value in values if not math.isnan(value)]
        if len(values) < 2:
            return cls(values[0] if values else math.nan, math.nan, math.nan)
        error = statistics.stdev(values) / math.sqrt(len(values))
        return cls(statistics.fmean(values), error, student_quantile(len(values) - 1) * error)

    def percent(self, sign: str = "") -> str:
        """Returns ``5.100 ± 0.058``, fractions as percent; empty for NaN."""
        if math.isnan(self.mean):
            return ""
        interval = "" if math.isnan(self.interval) else f" ± {100 * self.interval:.3f}"
        return f"{100 * self.mean:{sign}.3f}{interval}"


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


@dataclass(frozen=True, eq=False)
class Sweep:
    """The choices of a sweep, and the solves that are finished."""

    points: tuple[SweepPoint, ...]
    rows: tuple[SweepRow, ...]

    @classmethod
    def of(cls, points: Sequence[SweepPoint], rows: Sequence[SweepRow]) -> "Sweep":
        """Compares values with those of an exact choice on the same flop, where there is one."""
        exact = {
            (row.task.flop, row.task.spr): row.value_pot
            for row in rows
            if row.task.model.solve_type == "exact"
        }
        compared = []
        for row in rows:
            known = exact.get((row.task.flop, row.task.spr))
            if known is not None and row.value_pot is not None:
                error, _ = value_errors(parse_board(row.task.flop), row.value_pot, known)
                row = replace(row, values=row.values | {"hand": error})
            compared.append(row)
        return cls(tuple(points), tuple(compared))

    @cached_property
    def means(self) -> list[SweepMean]:
        """The mean of each choice, over seeds that are finished on all of its flops."""
        return summarize(self.points, self.rows)

    def sheet(self) -> Sheet:
        """Returns a row for each choice, in percent of the pot for people."""
        keys = list(dict.fromkeys(key for point in self.points for key, _ in point.choice))
        measures = [*MEASURES, "difference"]
        shown = columns(">real", ">difference", ">own", ">hand", ">nuts")
        means = (
            Column("memory", form="{:.0f} MB".format),
            Column("iterations", form="{:.0f}".format),
            Column("time", form="{:.3g} s".format),
        )
        in_files = [name + end for name in measures for end in ("", "_error", "_interval")]
        sheet = Sheet(
            (
                *columns(*keys),
                Column(None, "choice"),
                Column("seeds", "seeds", str),
                Column(None, "solves"),
                *shown,
                *means,
                *(Column(None, name) for name in in_files),
            ),
            to_plain=json_number,
            gap=2,
        )
        nothing = Estimate.of([])
        for point, mean in zip(self.points, self.means, strict=True):
            choice, found = dict(point.choice), {**mean.by_measure, "difference": mean.difference}
            known = [found[name] or nothing for name in measures]
            real, own, _, _, hand, nuts, memory, iterations, seconds, difference = known
            sheet.add(
                *(choice.get(key, "-") for key in keys),
                *(point.label, mean.num_seeds, mean.num_solves),
                *(real.percent(), difference.percent("+") or "-"),
                *(each.percent() for each in (own, hand, nuts)),
                *(memory.mean, iterations.mean, seconds.mean),
                *(number for each in known for number in (each.mean, each.error, each.interval)),
            )
        return sheet

    def rows_sheet(self) -> Sheet:
        """Returns a row for each solve; exploitabilities are fractions of the pot."""
        names = ("choice", "seed", "flop", "spr", *MEASURES)
        sheet = Sheet(tuple(Column(None, name) for name in names), to_plain=json_number)
        for row in self.rows:
            task, label = row.task, self.points[row.task.point].label
            sheet.add(label, task.seed, task.flop, task.spr, *row.values.values())
        return sheet

    def to_dataframe(self) -> "DataFrame":
        """Returns a row for each choice: means, standard errors and 95 % intervals."""
        return self.sheet().to_dataframe()

    def __repr__(self) -> str:
        """Returns the exploitability of each choice with real cards, a line each."""
        lines = [
            f"{point.label}: {mean.by_measure['real'].percent() or '-'} % of the pot"
            for point, mean in zip(self.points, self.means, strict=True)
        ]
        return "\n".join(lines)


def sweep(
    config: str | Path | Mapping[str, Any],
    *,
    context: RunContext | None = None,
    abstractions: Mapping[str, Abstraction] | None = None,
) -> Sweep:
    """Solves flops with every choice of a grid of keys and several seeds.

    >>> import runout
    >>> flop = {"fixed_flops": ["AhKd7s"], "postflop_sprs": [1], "postflop_solve_iterations": 5}
    >>> grid = {"seeds": 1, "grid": {"solve_type": ["exhaustive", "mccfr"]}}
    >>> runout.sweep({"sweep": grid, "postflop_model": flop}).to_dataframe()["choice"].tolist()
    ['solve_type exhaustive', 'solve_type mccfr']

    Args:
        config: the file of a sweep, or a mapping with its sections ``sweep`` and
            ``postflop_model`` (docs/lab.md).
        context: workers, events, and where finished solves are kept.
        abstractions: own buckets by name; each choice is solved with each of them, too.
    """
    if isinstance(config, Mapping):
        points = list_points(SweepConfig.parse(config, "sweep"))
    else:
        points = list_points(load_config(config, SweepConfig))
    context = context or RunContext()
    if abstractions and context.checkpoints is not None:
        raise ConfigError("checkpoints", "results of own buckets cannot be recognised later")
    points += tuple(
        replace(point, choice=(*point.choice, ("buckets", name)), abstraction=own)
        for point, (name, own) in product(points, (abstractions or {}).items())
    )
    return Sweep.of(points, tuple(run_sweep(points, context)))


def list_tasks(points: Sequence[SweepPoint]) -> list[SweepTask]:
    """Returns every solve of a sweep."""
    tasks = []
    for number, point in enumerate(points):
        for model in point.models:
            for flop, spr in product(model.flop_list().names, model.sprs):
                keys: dict[str, Any] = {
                    "fixed_flops": [flop],
                    "flop_subset": None,
                    "max_flop_boards": None,
                    "postflop_sprs": [spr],
                }
                single = model.model_validate(model.to_mapping() | keys)
                own = point.abstraction
                tasks.append(SweepTask(number, model.seed, flop, spr, single, own))
    return tasks


def summarize(points: Sequence[SweepPoint], rows: Sequence[SweepRow]) -> list[SweepMean]:
    """Returns the mean of each choice, over seeds that are finished on all of its flops."""
    means: list[SweepMean] = []
    first: dict[int, dict[str, float]] = {}
    for number, point in enumerate(points):
        solves = [row for row in rows if row.task.point == number]
        seeds = {}  # means over flops and ratios, of each seed that is finished
        for model in point.models:
            mine = [row.values for row in solves if row.task.seed == model.seed]
            if len(mine) == len(model.flop_list()) * len(model.sprs):
                seeds[model.seed] = {
                    name: statistics.fmean(values[name] for values in mine) for name in MEASURES
                }
        found = {name: Estimate.of([seed[name] for seed in seeds.values()]) for name in MEASURES}
        first = first if number else seeds
        difference = _paired(seeds, first) if number else None
        means.append(SweepMean(point.label, len(seeds), len(solves), found, difference))
    return means


def _paired(seeds: dict[int, dict[str, float]], first: dict[int, dict[str, float]]) -> Estimate:
    """Returns how a choice differs from the first, seed by seed."""
    found, others = (
        {seed: values[MEASURES[0]] for seed, values in each.items()} for each in (seeds, first)
    )
    if len(others) == 1:  # it does not depend on the seed
        others = dict.fromkeys(found, *others.values())
    elif len(found) == 1:
        found = dict.fromkeys(others, *found.values())
    return Estimate.of([found[seed] - others[seed] for seed in found if seed in others])


def run_sweep(points: Sequence[SweepPoint], context: RunContext) -> Iterator[SweepRow]:
    """Yields a row for every solve, as soon as it is finished; those of an earlier run first."""
    sweep = {str(task): task for task in list_tasks(points)}
    tasks = [task.to_task() for task in sweep.values()]
    for task, entry in finish_flops(JudgeJob(), tasks, context, PHASE):
        row = row_of(entry)
        numbers = [row.real_exploitability_pot, row.own_exploitability_pot, *row.real_gains_pot]
        numbers += [math.nan, row.nuts_apart, row.memory_bytes / 1e6]
        numbers += [float(row.iterations), row.seconds]
        values = dict(zip(MEASURES, numbers, strict=True))
        yield SweepRow(sweep[task.key], values, cast(Float32Array, entry.arrays[VALUES]))
