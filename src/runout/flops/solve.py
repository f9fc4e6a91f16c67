"""Solving many flops: one task per flop, and from a config to all values."""

import functools
import math
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, TypedDict, TypeVar, Unpack, cast

import numpy as np

from runout import events
from runout.abstraction.bucket_map import Abstraction, FlopBuckets
from runout.abstraction.card_abstraction import PercentileBuckets
from runout.arrays import AnyArray, Arrays, Float32Array, FloatArray
from runout.cards.deck import HAND_BY_COMBO, NUM_HANDS, format_cards, parse_board
from runout.cards.flops import FlopList, GivenFlop, canonical_flop, suit_stabilizer
from runout.cards.ranges import Range
from runout.cfr.schedules import Schedule, SolveProgress
from runout.cfr.solver import ignore_progress
from runout.cfr.team import Team
from runout.config.flops import FlopsConfig
from runout.config.load import load_config
from runout.config.values import parse_target
from runout.errors import BundleError, ConfigError, ExecutionError, RangeError
from runout.events import BucketEvent, EventSink, Phase, PhaseAdvanced, reporting_phase
from runout.execution.context import RunContext
from runout.execution.pool import PROGRAM_BYTES, count_cores
from runout.execution.tasks import Job, Task, TaskResult, Worker
from runout.flops.backend import Cost, FlopGame, FlopStrategy, PostflopBackend, ProgressSink
from runout.flops.bucketed import KeptRounds
from runout.flops.bucketed_solver import SHARED_BUCKETS, BucketStrategy, read_strategy
from runout.flops.settings import make_backend
from runout.flops.spot_solution import look_at_strategy
from runout.holdem.cards import Spot
from runout.solutions import values as flop_values
from runout.solutions.flop import StoredSpot
from runout.solutions.node import Curve
from runout.solutions.run import SolveResult
from runout.solutions.values import FlopReport, PostflopValues, ValueBundle
from runout.storage.bundle import digest_config
from runout.storage.ledger import LedgerEntry
from runout.trees.sizes import STREET_KEYS
from runout.trees.tree import PostflopTree

_Item = TypeVar("_Item")

# Solving many flops: one task per flop, all stack-to-pot ratios in it, finished ones recalled.

#: Begins the names, in a flop's arrays, of what is kept at each stack-to-pot ratio.
_KEPT = "kept_"

_SECONDS = "seconds"
_SECONDS_PER_FLOP = 0.1  # exact equities, and values by matrix products
_BYTES_OF_VALUES = 4 * flop_values.NUM_POSITIONS * NUM_HANDS**2


@dataclass(frozen=True, eq=False)
class PostflopPlan:
    """A solve of a config's flops, with a tree for each stack-to-pot ratio; see `Job`.

    An item is a flop as it was given. Nothing that is found depends on the number of threads.
    """

    config: FlopsConfig
    flops: FlopList
    trees: tuple[PostflopTree, ...]
    backend: PostflopBackend
    num_workers: int

    @classmethod
    def make(
        cls,
        config: FlopsConfig,
        num_workers: int | None = None,
        abstraction: Abstraction | None = None,
    ) -> "PostflopPlan":
        """Returns the plan of a config with given stack-to-pot ratios; by default for all cores."""
        rules, backend = config.betting_rules(), make_backend(config, abstraction)
        trees = tuple(PostflopTree.build(rules, spr) for spr in config.sprs)
        return cls(config, config.flop_list(), trees, backend, num_workers or count_cores())

    @property
    def facts(self) -> dict[str, Any]:
        """Everything that the results depend on besides the flop."""
        facts = {
            "postflop_model": self.config.digest_mapping(),
            "keep_strategies": self.config.keep_strategies,
        }
        abstraction = getattr(self.backend, "abstraction", None)
        if isinstance(abstraction, PercentileBuckets):
            facts["percentiles"] = abstraction.digest
        return facts

    def run(self, item: str, worker: Worker) -> TaskResult:
        """Solves one flop at all stack-to-pot ratios."""
        on_event, is_bound = worker.on_event, self.backend.meaning.is_upper_bound
        with reporting_phase(progress_sink(item, None, on_event), Phase.EQUITY_TABLE):
            game = FlopGame.deal(canonical_flop(parse_board(item)))
        values, reports = [], []
        arrays: dict[str, AnyArray] = {}
        for number, tree in enumerate(self.trees):
            report_progress = progress_sink(item, tree.stakes.spr, on_event, is_bound)
            solution = self.backend.solve(game, tree, report_progress, Team.of(worker))
            values.append(solution.value_pot)
            reports.append(solution.report)
            if self.config.keep_strategies:
                with reporting_phase(report_progress, Phase.PACKING):
                    kept = solution.to_arrays()
                arrays |= {f"{_KEPT}{number}_{name}": array for name, array in kept.items()}
        # Only times differ from run to run.
        timeless = [replace(report, seconds=0.0) for report in reports]
        reached = flop_values.reports_to_array(timeless)
        arrays |= {"value_pot": np.stack(values), "reports": reached}
        return TaskResult(arrays, {_SECONDS: [report.seconds for report in reports]})

    def tasks(self) -> list[Task[str]]:
        """Returns a task for each flop, with what it takes."""
        costs, flops = self._costs(num_workers=1), self.flops
        numbers = [len(suit_stabilizer(flop)) for flop in flops.flops]
        # Of flops that take as long, those with more different runouts take longer after all.
        return [
            Task(format_cards(flop), name, costs[n].memory_bytes, costs[n].seconds / n)
            for flop, name, n in zip(flops.flops, flops.names, numbers, strict=True)
        ]

    @cached_property
    def cost(self) -> Cost:
        """Time, memory and disk that it takes."""
        # With fewer flops than workers all cores share a flop, which takes hardly any more tables.
        num_at_once = min(len(self.flops), self.num_workers)
        costs = self._costs(max(1, self.num_workers // num_at_once))
        each = [costs[len(suit_stabilizer(flop))] for flop in self.flops.flops]
        values = len(self.flops) * len(self.trees) * _BYTES_OF_VALUES
        kept = sum(cost.disk_bytes for cost in each) if self.config.keep_strategies else 0
        # Values of all flops are in memory twice when they are put together.
        fixed = PROGRAM_BYTES + values + values + kept
        hardest = max(costs.values(), key=lambda cost: cost.memory_bytes)
        cost = hardest.with_memory(lambda size: fixed + num_at_once * size)
        savings = {change: size for change, size in cost.savings.items() if size is not None}
        if num_at_once > 1:
            savings["--workers 1"] = fixed + hardest.memory_bytes
        return Cost(
            seconds=sum(_SECONDS_PER_FLOP + cost.seconds for cost in each) / self.num_workers,
            memory_bytes=cost.memory_bytes,
            disk_bytes=values + kept,
            checkpoint_bytes=values + kept,
            savings={**savings, **cost.savings},
        )

    def _costs(self, num_workers: int) -> dict[int, Cost]:
        """Returns what a flop takes with all trees, by its symmetries: they merge runouts."""
        alike = {len(suit_stabilizer(flop)): flop for flop in reversed(self.flops.flops)}
        costs = {}
        for number, flop in alike.items():
            by_tree = [self.backend.estimate(flop, tree, num_workers) for tree in self.trees]
            costs[number] = functools.reduce(operator.add, by_tree)
        return costs

    def carry_out(self, context: RunContext) -> ValueBundle:
        """Solves every flop with every tree, or finds what an earlier run has finished."""
        own = getattr(self.backend, "abstraction", None)
        if context.checkpoints and own and not isinstance(own, PercentileBuckets):
            problem = "results of an own abstraction cannot be recognised later, leave them out"
            raise ConfigError("checkpoints", problem)
        config, values, solutions = self.config, [], []
        results = list(solve_each(self, context))
        results.sort(key=lambda result: result.flop_index)
        for number, spr in enumerate(config.sprs):
            value_pot = np.stack([result.value_pot[number] for result in results])
            reports = tuple(result.reports[number] for result in results)
            values.append(PostflopValues(self.flops, spr, value_pot, reports))
            if config.keep_strategies:
                solutions.append(tuple(result.kept[number] for result in results))
        digest, text = digest_config(config.digest_mapping()), config.to_yaml()
        return ValueBundle(tuple(values), text, digest, config.seed, tuple(solutions))


class FlopResult(NamedTuple):
    """A solved flop: values ``[S, 2, 169, 169]``, reports and what is kept, at S ratios."""

    flop_index: int
    value_pot: Float32Array
    reports: list[FlopReport]
    kept: list[Arrays]


def solve_each(plan: PostflopPlan, context: RunContext) -> Iterator[FlopResult]:
    """Yields the result of every flop, as soon as it is finished.

    Flops are solved side by side, those with most different runouts first. Workers for which no
    flop is left help inside those that are still being solved. Errors are those of `finish_flops`.
    """
    index_by_key = {format_cards(flop): index for index, flop in enumerate(plan.flops.flops)}
    finished = finish_flops(plan, plan.tasks(), context)
    for num_done, (task, entry) in enumerate(finished, start=1):
        arrays, times = entry.arrays, entry.measured[_SECONDS]
        timeless = flop_values.reports_from_array(cast(FloatArray, arrays["reports"]))
        reports = [replace(each, seconds=s) for each, s in zip(timeless, times, strict=True)]
        kept: list[Arrays] = [
            {key.removeprefix(begin): a for key, a in arrays.items() if key.startswith(begin)}
            for begin in (f"{_KEPT}{number}_" for number in range(len(reports)))
        ]
        worst = max(report.exploitability_pot for report in reports)
        reached = worst, sum(times), plan.backend.meaning.is_upper_bound
        context.on_event(events.FlopSolved(task.item, num_done, len(plan.flops), *reached))
        value_pot = cast(Float32Array, arrays["value_pot"])
        yield FlopResult(index_by_key[task.key], value_pot, reports, kept)


def finish_flops(
    job: Job[_Item], tasks: Sequence[Task[_Item]], context: RunContext, phase: str = Phase.FLOPS
) -> Iterator[tuple[Task[_Item], LedgerEntry]]:
    """Yields tasks with what they found, as they are finished; those of an earlier run first.

    After all were tried an `ExecutionError` names those that failed and why.
    """
    failures: dict[str, Exception] = {}
    with reporting_phase(context.on_event, phase, len(tasks)):
        num_done = 0
        for done in context.run(job, tasks):
            if done.entry is not None:
                num_done += 1
                if phase != Phase.FLOPS:  # whose flops are events
                    context.on_event(PhaseAdvanced(phase, num_done, len(tasks)))
                yield done.task, done.entry
                continue
            assert done.error is not None
            failures[str(done.task.item)] = done.error
            context.on_event(events.FlopFailed(str(done.task.item), repr(done.error)))
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
            place = replace(progress.place or events.FlopPlace(), flop=flop, spr=spr)
            on_event(replace(progress, place=place))
            return
        done = progress.iteration, progress.max_iterations
        reached = progress.exploitability, progress.strategy_delta
        rounds = progress.round, progress.total_rounds
        flags = progress.is_converged, is_upper_bound
        at_spr = math.nan if spr is None else spr
        on_event(events.FlopSolving(flop, at_spr, *done, *reached, *rounds, *flags))

    return report_progress


def solve_flops(
    config: FlopsConfig | Path | str,
    context: RunContext | None = None,
    *,
    abstraction: Abstraction | None = None,
) -> ValueBundle:
    """Solves every flop of a config at every stack-to-pot ratio.

    >>> import runout
    >>> few = {"fixed_flops": ["AhKd7s", "8h8d2c"], "postflop_solve_iterations": 10}
    >>> values = runout.solve_flops(runout.FlopsConfig(solve_type="exhaustive", **few))
    >>> values.at_spr(3.5).average(0).shape  # hand against hand, in pots
    (169, 169)

    Args:
        config: the flops, or the path of their YAML file.
        context: workers, executor, events and checkpoints; by default all cores, silently.
        abstraction: buckets of hands in place of those of a ``bucketed`` config.

    Raises:
        ConfigError: if the file cannot be read, or the backend plays no buckets.
        ExecutionError: after all flops were tried, naming those that failed and why.
    """
    if not isinstance(config, FlopsConfig):
        config = load_config(config, FlopsConfig)
    context = context or RunContext()
    with reporting_phase(context.on_event, Phase.TREES):
        plan = PostflopPlan.make(config, context.num_workers, abstraction)
    return plan.carry_out(context)


#: Sizes as text, a list, or a mapping by street or player.
Sizes: TypeAlias = str | float | Sequence[str | float] | Mapping[str, Any]


class FlopKeys(TypedDict, total=False):
    """Keywords of `solve_flop` that say how a flop is solved, with the defaults of `FlopsConfig`.

    Attributes:
        solve_type: ``bucketed`` (default), ``exact``, ``compact``, or, between the 169 hands,
            ``exhaustive`` and ``mccfr``.
        bet_sizes: such as ``"50%, a"`` or ``[0.5, 1.0]``, by street or player if wanted.
        raise_sizes: likewise; by default the bet sizes.
        max_raises_per_street: after the first bet.
        num_buckets: on flop, turn and river.
        schedule: the CFR variant, by name or as a `Schedule`.
        target: exploitability in the backend's own game, 0.005 or ``"0.5%"`` of the pot.
        max_iterations: after which the solve ends at the latest.
        max_seconds: likewise.
        precision: 16 or 32 bits of a stored number, with real cards.
        seed: of everything random.
    """

    solve_type: str
    bet_sizes: Sizes
    raise_sizes: Sizes
    max_raises_per_street: int
    num_buckets: tuple[int, int, int]
    schedule: str | Schedule
    target: float | str | None
    max_iterations: int
    max_seconds: float | None
    precision: int
    seed: int


#: Numbers above it are percentages by mistake.
_LARGEST_TARGET = 0.1

#: What a config of flops calls the keys that all solves have.
_CONFIG_KEYS = {
    "max_iterations": "postflop_solve_iterations",
    "max_seconds": "cfr_max_seconds_per_flop",
    "target": "cfr_exploitability_threshold",
    "schedule": "cfr_variant",
}


def read_target(target: float | str | None) -> float | None:
    """Returns a target as a fraction of the pot, from a fraction or from text such as ``0.5%``."""
    if target is None or isinstance(target, str):
        return None if target is None else parse_target(target)
    if not 0.0 < target <= _LARGEST_TARGET:
        allowed = f"write a fraction up to {_LARGEST_TARGET:g} such as 0.005, or text such as 0.5%"
        raise ConfigError("target", f"{target:g} is not a small fraction of the pot, {allowed}")
    return float(target)


def _flop_config(config: FlopsConfig | None, spr: float | None, keys: FlopKeys) -> FlopsConfig:
    """Returns the config of one flop: the keys win over the config, which wins over defaults."""
    given: dict[str, Any] = {"solve_type": "bucketed"} if config is None else config.to_mapping()
    asked: dict[str, Any] = {_CONFIG_KEYS.get(key, key): each for key, each in keys.items()}
    given["solve_type"] = asked.pop("solve_type", given["solve_type"])
    if "target" in keys:
        asked[_CONFIG_KEYS["target"]] = read_target(keys["target"])
    if "num_buckets" in asked:
        numbers = zip(STREET_KEYS, asked.pop("num_buckets"), strict=True)
        asked |= {f"num_hand_buckets_{street}": number for street, number in numbers}
    if "precision" in asked:
        asked[f"{given['solve_type']}_precision"] = asked.pop("precision")
    if spr is not None:
        asked["postflop_sprs"] = [spr]
    parsed: FlopsConfig = FlopsConfig.parse(given | asked)
    return parsed


@dataclass(frozen=True, eq=False, repr=False)
class SolvedFlop(SolveResult):
    """One flop that a backend has solved; amounts are in flop pots.

    Attributes:
        config: how it was solved.
        given: the flop in the suits of its nodes.
        spot: the board up to suits, both ranges and the betting.
        value_pot: see `FlopSolution`.
        report: how the solve went, its exploitability in the backend's own game.
        curve: that exploitability by iteration, wherever it was measured.
    """

    kind = "spot"

    config: FlopsConfig
    given: GivenFlop
    spot: Spot
    strategy: FlopStrategy
    value_pot: Float32Array
    report: FlopReport
    curve: Curve = ()
    team: Team | None = None

    @cached_property
    def view(self) -> StoredSpot:
        """Strategies, values and equities at any node, with real cards."""
        shown = self.given, self.team, self.curve
        return look_at_strategy(self.spot, self.strategy, self.report, *shown)

    def save(self, path: Path | str, *, overwrite: bool = False) -> None:
        """Writes values and strategies as a bundle of one flop; `load` and `show` open it."""
        keys = {"fixed_flops": [self.given.name], "keep_strategies": True}
        config: FlopsConfig = self.config.model_validate(self.config.to_mapping() | keys)
        held = np.stack([each.hand_weights() for each in self.spot.ranges])
        values = PostflopValues(
            config.flop_list(),
            self.spot.tree.stakes.spr,
            self.value_pot[None],
            (self.report,),
            None if held.min() == 1.0 else held,
        )
        digest = digest_config(config.digest_mapping())
        kept = ((self.strategy.to_arrays(),),)
        bundle = ValueBundle((values,), config.to_yaml(), digest, config.seed, kept)
        bundle.save(path, overwrite=overwrite)

    @classmethod
    def load(
        cls,
        values: ValueBundle | Path | str,
        flop: str | None = None,
        spr: float | None = None,
        *,
        team: Team | None = None,
    ) -> "SolvedFlop":
        """Opens a flop whose strategies were kept, in any suits; by default the only one."""
        bundle = values if isinstance(values, ValueBundle) else ValueBundle.load(values)
        found = bundle.at_spr(spr)
        given, number = GivenFlop.parse(flop or found.flops.names[0]), bundle.values.index(found)
        index = found.flops.find(given)
        held = np.ones((2, NUM_HANDS)) if found.ranges is None else found.ranges
        oop, ip = (Range(weights[HAND_BY_COMBO]) for weights in held)
        strategy = kept_strategy(bundle, index, number)
        spot = Spot(
            given.canonical, (oop, ip), bundle.trees[number], merges_suits=merges_suits(strategy)
        )
        solved = found.value_pot[index], found.reports[index]
        return cls(bundle.config, given, spot, strategy, *solved, team=team)


def solve_flop(
    board: str | Sequence[int],
    config: FlopsConfig | None = None,
    *,
    abstraction: Abstraction | None = None,
    oop: str | Range = "random",
    ip: str | Range = "random",
    spr: float | None = None,
    context: RunContext | None = None,
    history_every: int | None = None,
    on_iteration: Callable[[SolveProgress], None] = ignore_progress,
    **keys: Unpack[FlopKeys],
) -> SolvedFlop:
    """Solves one flop with one of the backends.

    >>> import runout
    >>> solved = runout.solve_flop("AhKd7s", spr=2, bet_sizes="a", solve_type="exhaustive")
    >>> solved.node().frequency().shape  # how often OOP checks and bets
    (2,)

    Args:
        board: three cards, as text or numbers; suits stay as they are.
        config: keys that are not given here; by default those of `FlopsConfig`.
        abstraction: buckets of hands in place of those of strength, for ``bucketed``.
        oop, ip: ranges; suits of a hand have one weight.
        spr: effective stack over pot; by default the first of the config, 3.5.
        context: workers and events; by default all cores, silently.
        history_every: iterations between two points of the history.
        on_iteration: called after every iteration.
        keys: see `FlopKeys`.

    Raises:
        ConfigError: naming the key at fault, also if the backend plays no buckets.
        RangeError: if a range tells suits apart.
        ExecutionError: if there is not enough memory.
    """
    chosen, context = _flop_config(config, spr, keys), context or RunContext()
    given = GivenFlop(parse_board(board) if isinstance(board, str) else tuple(board))
    game = FlopGame.deal(given.canonical, np.stack([_by_hand("oop", oop), _by_hand("ip", ip)]))
    tree = PostflopTree.build(chosen.betting_rules(), chosen.sprs[0])
    own = None if abstraction is None else FlopBuckets.of(given.cards, abstraction).rename_suits()
    backend: Any = make_backend(chosen, own)
    if history_every is not None:
        backend = replace(backend, rule=replace(backend.rule, history_every=history_every))
    backend.estimate(game.flop, tree, context.num_threads).require_memory("the solve")
    history, is_bound = [], backend.meaning.is_upper_bound
    tell = progress_sink(given.name, tree.stakes.spr, context.on_event, is_bound)

    def note(progress: SolveProgress | BucketEvent) -> None:
        tell(progress)
        if isinstance(progress, SolveProgress):
            on_iteration(progress)
            if progress.is_measured and progress.exploitability is not None:
                history.append((progress.iteration, progress.exploitability))

    solved = backend.solve(game, tree, note, Team(context.num_threads, cancel=context.cancel))
    spot = Spot(game.flop, game.hand_ranges(), tree, merges_suits=merges_suits(solved.strategy))
    results = solved.strategy, solved.value_pot, solved.report
    return SolvedFlop(chosen, given, spot, *results, tuple(history))


def _by_hand(player: str, held: str | Range) -> FloatArray:
    """Returns ``[169]`` how much of each hand a range has."""
    by_hand = (wanted := Range(held)).hand_weights()
    if not np.allclose(by_hand[HAND_BY_COMBO], wanted.weights):
        problem = "tells suits of a hand apart, which flops with all hands cannot; use solve_spot"
        raise RangeError(player, problem)
    return by_hand


def merges_suits(strategy: FlopStrategy) -> bool:
    """Returns whether cards that differ by suits only are played alike; own buckets may not."""
    return not isinstance(strategy, BucketStrategy) or strategy.buckets.merges_suits


def kept_strategy(bundle: ValueBundle, flop_index: int, spr_index: int = 0) -> FlopStrategy:
    """Returns what both players do on a flop at a ratio of the config, by their places."""
    kept, flop = _read_kept(bundle, flop_index, spr_index), bundle.flops.flops[flop_index]
    if SHARED_BUCKETS in kept:  # of an own abstraction, or an earlier version, whatever the config
        return read_strategy(kept, flop)
    return make_backend(bundle.config).read_strategy(kept, flop, bundle.trees[spr_index])


def kept_rounds(bundle: ValueBundle, flop_index: int, spr_index: int = 0) -> KeptRounds:
    """Returns the flop buckets of every round, and what hands earned with them."""
    kept = _read_kept(bundle, flop_index, spr_index)
    if "round_facts" not in kept:
        problem = f"{bundle.config.solve_type} has no rounds of buckets, use bucket_scope: street"
        raise BundleError("postflop_model", problem)
    return KeptRounds(*(kept[f"round_{name}"] for name in KeptRounds._fields))


def _read_kept(bundle: ValueBundle, flop_index: int, spr_index: int) -> Arrays:
    """Returns what a bundle has of a flop; a `BundleError` says that nothing was kept."""
    if not bundle.solutions:
        problem = "strategies were not kept, solve with keep_strategies: true"
        raise BundleError("postflop_model", problem)
    return {name: np.asarray(a) for name, a in bundle.solutions[spr_index][flop_index].items()}
