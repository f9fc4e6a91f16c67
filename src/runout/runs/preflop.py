"""The main job: from a config to a solved preflop game. Read this file first.

`carry_out` is the whole of it. With ``method: joint`` preflop and flops are one game: `RunConfig ->
JointGame -> PreflopSolution -> bundles`. Otherwise flops come first: `RunConfig -> PreflopTree ->
flops solved -> ValueBook -> PreflopSolution -> bundles`.
"""

import itertools
import weakref
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

from runout.arrays import FloatArray
from runout.cfr.schedules import SolveProgress, StoppingRule
from runout.cfr.team import Team
from runout.config.run import RunConfig
from runout.errors import ExecutionError, RunoutError
from runout.events import (
    Phase,
    PreflopSolving,
    RangesRoundFinished,
    SavingFailed,
    TaskLost,
    reporting_phase,
)
from runout.execution.context import MAX_ATTEMPTS, RunContext
from runout.execution.tasks import CancelledError, WorkerLostError, holding_interrupts
from runout.flops.solve import PostflopAbstraction
from runout.preflop.joint import JointGame, LearningLeaves, save_flop_strategies
from runout.preflop.shards import (
    JointShards,
    ShardedFlops,
    begin_saving,
    divide_flops,
    has_commit,
    restore,
)
from runout.preflop.solver import PreflopSolver, SnapshotSink, ignore_snapshot, value_leaves
from runout.preflop.subgames import LearningFlops
from runout.runs.plan import RunPlan, require_own_solution, require_own_values
from runout.solutions.preflop import (
    FLOPS_FOLDER,
    JOINT_FOLDER,
    MBB_PER_BB,
    SOLUTION_FOLDER,
    VALUES_FOLDER,
    PreflopSolution,
    RangesRound,
    load_solution,
    save_solution,
)
from runout.solutions.values import (
    LeafValues,
    ValueBook,
    ValueBundle,
    ValueSource,
    average_share,
)
from runout.storage.bundle import digest_config, has_bundle
from runout.storage.writer import Autosave, Finish
from runout.trees.tree import PreflopTree
from runout.version import __version__


@dataclass(frozen=True, eq=False)
class PreflopRun:
    """Everything that a run found.

    Attributes:
        plan: what was done.
        solution: the preflop strategies, of the last round.
        values: the postflop values behind the first round, None if there were no flops to solve.
        leaves: what a joint solve has learned after the flop; None if there was none, or if it
            was not done just now.
    """

    plan: RunPlan
    solution: PreflopSolution
    values: ValueBundle | None
    leaves: LearningLeaves | None = None

    @property
    def config(self) -> RunConfig:
        """What was asked for."""
        return self.plan.config

    def save(self, directory: Path, *, overwrite: bool = False) -> None:
        """Writes the solution, and the values behind it, as bundles in a directory.

        Values without a solution are what an interrupted save of this run left behind, and are
        replaced in any case.

        Raises:
            BundleError: if one cannot be written, or if a solution, or values of another config,
                exist and are not to be overwritten.
        """
        if not overwrite:
            check_directory(directory, self.plan)
        directory.mkdir(parents=True, exist_ok=True)
        if self.values is not None:
            is_left_over = not has_bundle(directory / SOLUTION_FOLDER)
            self.values.save(directory / VALUES_FOLDER, overwrite=overwrite or is_left_over)
        if self.leaves is not None:
            save_flop_strategies(
                directory / FLOPS_FOLDER,
                self.leaves,
                self.solution,
                self.config.to_yaml(),
                keep_rivers=self.config.joint_settings.keep_rivers,
                overwrite=overwrite or not has_bundle(directory / SOLUTION_FOLDER),
            )
        save_solution(
            directory / SOLUTION_FOLDER,
            self.solution,
            self.config.to_yaml(),
            digest_config(self.config.digest_mapping()),
            overwrite=overwrite,
        )


def check_directory(directory: Path, plan: RunPlan) -> None:
    """Refuses a directory with results of another config; what is not there is no problem.

    Raises:
        BundleError: naming every key that differs, with both values, or if something there cannot
            be opened.
    """
    require_own_solution(directory / SOLUTION_FOLDER, plan.config)
    require_own_values(directory / VALUES_FOLDER, plan)


def find_finished_run(directory: Path, plan: RunPlan) -> PreflopRun | None:
    """Returns the run of a plan if a directory holds all of it, None if something is missing.

    Raises:
        BundleError: if the directory holds results of another config, or some cannot be opened.
    """
    check_directory(directory, plan)
    if not has_bundle(directory / SOLUTION_FOLDER):
        return None
    values = None
    if has_bundle(directory / VALUES_FOLDER):
        values = ValueBundle.load(directory / VALUES_FOLDER)
    return PreflopRun(plan, load_solution(directory / SOLUTION_FOLDER), values)


def solve_preflop(config: RunConfig, workplace: RunContext | None = None) -> PreflopRun:
    """Solves a preflop game and the flops behind it.

    Args:
        config: what to solve.
        workplace: with what; by default all cores, silently, and without checkpoints, which are
            written as often as the config says.

    Raises:
        RunoutError: if the config asks for something impossible.
    """
    workplace = workplace or RunContext()
    return carry_out(RunPlan.make(config, workplace.num_workers), workplace)


def carry_out(
    plan: RunPlan, workplace: RunContext, on_solution: SnapshotSink = ignore_snapshot
) -> PreflopRun:
    """Solves what a plan says; checkpoints are written as often as its config says.

    Args:
        plan: what to solve.
        workplace: with what.
        on_solution: shown the preflop solution every ``print_every`` iterations of the config.
    """
    config = plan.config
    workplace = replace(workplace, checkpoint_every=config.checkpoint_every)
    if plan.joint is not None:
        solution, learned = solve_joint(config, plan.joint, workplace, on_solution)
        return PreflopRun(plan, solution, None, learned)
    values = plan.given_values
    if plan.flops is not None:
        values = PostflopAbstraction.carry_out(plan.flops, workplace).to_bundle()
    book = ValueBook.raw_equity() if values is None else ValueBook.from_values(values.values)
    solution = solve_on_book(config, plan.tree, book, workplace, on_solution)
    if plan.leaves:
        solution = refine_with_arriving_ranges(plan, book, solution, workplace, on_solution)
    return PreflopRun(plan, solution, values)


# Preflop on top of a value book.


def solve_on_book(
    config: RunConfig,
    tree: PreflopTree,
    book: ValueBook,
    workplace: RunContext,
    on_solution: SnapshotSink = ignore_snapshot,
    number: int = 0,
) -> PreflopSolution:
    """Returns the solution of a preflop tree whose flops are worth what a book says.

    Args:
        config: when the solve ends, and how iterations are weighted.
        tree: the betting.
        book: what flops are worth.
        workplace: is told events, and ends the solve.
        on_solution: shown the solution every ``print_every`` iterations of the config.
        number: the round, for those who listen.
    """
    rule = config.stopping_rule()

    def report(progress: SolveProgress) -> None:
        workplace.on_event(preflop_event(progress, rule, number))

    solver = PreflopSolver(tree, value_leaves(tree, book), config.schedule())
    with reporting_phase(workplace.on_event, Phase.PREFLOP, rule.max_iterations):
        return solver.solve(rule, report, on_solution, config.print_every, workplace.cancel)


def preflop_event(progress: SolveProgress, rule: StoppingRule, number: int = 0) -> PreflopSolving:
    """Returns where a preflop or joint solve stands, as those who listen are told.

    Args:
        progress: of the solve, in big blinds.
        rule: when it ends.
        number: the round.
    """

    def to_mbb(value_bb: float | None) -> float | None:
        return None if value_bb is None else value_bb * MBB_PER_BB

    return PreflopSolving(
        round=number,
        iteration=progress.iteration,
        max_iterations=progress.max_iterations,
        exploitability=to_mbb(progress.exploitability),
        target=to_mbb(rule.exploitability),
        seconds=progress.seconds,
        max_seconds=rule.max_seconds,
    )


# Rounds in which flops are solved with the ranges that really arrive there.
#
# A flop solved for all hands lets hands play that would never come; its values are those of another
# game. Each round takes both players' reach of every flop leaf from the preflop solution, solves
# the flops at that leaf with these ranges, and solves preflop again. Ranges are damped, because a
# new preflop strategy changes the ranges that it was computed from, and more so in later rounds:
# with a constant share strategies go in circles.

#: A leaf that neither hand reaches this often keeps the ranges it had.
_NEVER = 1e-9


def refine_with_arriving_ranges(
    plan: RunPlan,
    book: ValueBook,
    solution: PreflopSolution,
    workplace: RunContext,
    on_solution: SnapshotSink = ignore_snapshot,
) -> PreflopSolution:
    """Returns the solution of the last round.

    Args:
        plan: of the run, with the flops of each leaf.
        book: values of flops solved for all hands, which the first round starts from.
        solution: the preflop solution on top of ``book``.
        workplace: with what.
        on_solution: shown the solutions of all rounds.
    """
    config = plan.config
    ranges: dict[str, FloatArray] = {}
    rounds: list[RangesRound] = []
    for number in range(1, config.ranges_rounds + 1):
        share = share_of_new_ranges(config.ranges_damping, number)
        values: dict[str, LeafValues] = {}
        worst_pot = 0.0
        for leaf in plan.tree.flop_leaves():
            arriving = solution.arriving_ranges(leaf.node)
            held = ranges[leaf.path] = _damp(ranges.get(leaf.path), arriving, share)
            flops = PostflopAbstraction.carry_out(plan.leaves[leaf.path], workplace, held).values[0]
            detail = f"solved at SPR {leaf.spr:g} with the ranges of round {number}"
            values[leaf.path] = LeafValues(average_share(flops), ValueSource.SOLVED, detail)
            worst_pot = max(worst_pot, *(report.exploitability_pot for report in flops.reports))
        refined = solve_on_book(
            config, plan.tree, book.with_leaves(values), workplace, on_solution, number
        )
        change, reached_mbb = refined.change_from(solution), refined.report.exploitability_mbb
        meaning = next(iter(plan.leaves.values())).backend.meaning
        rounds.append(RangesRound(number, change, reached_mbb, worst_pot, meaning))
        solution = replace(
            refined,
            report=replace(refined.report, ranges_rounds=tuple(rounds)),
            earlier_strategies=(*solution.earlier_strategies, solution.strategy),
        )
        workplace.on_event(RangesRoundFinished(number, config.ranges_rounds, change, reached_mbb))
        if change < config.ranges_tolerance:
            break
    return solution


def share_of_new_ranges(damping: float, number: int) -> float:
    """Returns the share of the ranges that arrive in a round: 1/2, 1/3, 1/4, ... from 1/2 on.

    From 1 on it is 1, 1/2, 1/3, ...: the mean of all ranges that have arrived so far.
    """
    return damping / (1.0 + damping * (number - 1))


def _damp(earlier: FloatArray | None, arriving: FloatArray, share: float) -> FloatArray:
    """Returns ``[2, 169]`` ranges, the largest weight being 1, moved towards those arriving."""
    held = np.ones_like(arriving) if earlier is None else earlier
    largest = arriving.max(axis=1, keepdims=True)
    scaled = np.where(largest > _NEVER, arriving / np.maximum(largest, _NEVER), held)
    damped: FloatArray = share * scaled + (1.0 - share) * held
    return damped


# Preflop and flops as one game.

_SECONDS_PER_MINUTE = 60.0


class JointOutcome(NamedTuple):
    """What a joint solve found.

    Attributes:
        solution: strategies and values before the flop.
        leaves: what was learned after it.
    """

    solution: PreflopSolution
    leaves: LearningLeaves


def solve_joint(
    config: RunConfig,
    game: JointGame,
    workplace: RunContext,
    on_solution: SnapshotSink = ignore_snapshot,
) -> JointOutcome:
    """Solves a joint game, or goes on with one that was interrupted.

    Threads of this process share all flops. Other executors have shards, one for each worker, that
    play some flops each; if one is lost, all go back to what was last saved.

    Args:
        config: what to solve.
        game: what `make_joint_game` made of it.
        workplace: with what.
        on_solution: shown the solution every ``print_every`` iterations of the config.

    Raises:
        KeyboardInterrupt: after Ctrl-C, when the iteration is over and everything is saved.
        ExecutionError: if shards are lost again and again.
    """
    if workplace.chosen_executor.is_here:
        flops = game.play_flops(Team(workplace.num_threads))
        return _JointSolve(config, game, flops, workplace).run(on_solution)
    for attempt in itertools.count(1):
        try:
            with playing_in_shards(game, workplace) as sharded:
                return _JointSolve(config, game, sharded, workplace).run(on_solution)
        except WorkerLostError as error:
            loss = f"a shard is lost, {error}"
            workplace.on_event(TaskLost("joint solve", loss, attempt, MAX_ATTEMPTS))
            if attempt == MAX_ATTEMPTS:
                raise ExecutionError("joint solve", f"{loss}, {attempt} times") from error
    raise AssertionError("unreachable")


@contextmanager
def playing_in_shards(game: JointGame, workplace: RunContext) -> Iterator[ShardedFlops]:
    """Yields the flops of a game in a shard for each worker; they end with the block."""
    executor = workplace.chosen_executor
    parts = divide_flops(game, min(executor.num_workers, len(game.flops)))
    group = executor.start_shards(JointShards(game), parts, workplace.on_event)
    with closing(group):
        yield ShardedFlops(game, group, parts)


class _JointSolve:
    """A solve under way: progress, checkpoints, Ctrl-C."""

    def __init__(
        self,
        config: RunConfig,
        game: JointGame,
        flops: LearningFlops,
        workplace: RunContext,
    ) -> None:
        self._config = config
        self._leaves: LearningLeaves = game.make_leaves(flops, config.schedule())
        self._solver = PreflopSolver(game.tree, self._leaves, config.schedule())
        self._workplace = workplace
        facts = {"version": __version__, "game": config.game_mapping()}
        self._digest = digest_config(facts)
        checkpoints = workplace.checkpoints
        self._path = None if checkpoints is None else checkpoints / JOINT_FOLDER
        self._seconds = 0.0
        self._earlier_seconds = 0.0
        if self._path is not None and has_commit(self._path):
            self._earlier_seconds = restore(self._path, self._solver, self._leaves, self._digest)

    def run(self, on_solution: SnapshotSink) -> JointOutcome:
        rule, cancel = self._config.stopping_rule(), self._workplace.cancel
        with holding_interrupts(cancel), self._autosave() as autosave:

            def look_up(progress: SolveProgress) -> None:
                self._seconds = progress.seconds
                self._workplace.on_event(preflop_event(progress, rule))
                autosave.save_if_due()

            try:
                with reporting_phase(self._workplace.on_event, Phase.PREFLOP, rule.max_iterations):
                    solution = self._solver.solve(
                        rule, look_up, on_solution, self._config.print_every, cancel
                    )
            except CancelledError:
                raise KeyboardInterrupt(self._pause()) from None
        seconds = solution.report.seconds + self._earlier_seconds
        solution = replace(solution, report=replace(solution.report, seconds=seconds))
        self._keep_flops()
        return JointOutcome(solution, self._leaves)

    def _keep_flops(self) -> None:
        """Has shards save what they have learned: it is read when they are gone."""
        if self._workplace.chosen_executor.is_here:
            return
        if self._path is not None:
            self._begin()()
            return
        place = TemporaryDirectory(prefix="runout-")
        # Until the leaves are gone, and with them whoever could read it.
        weakref.finalize(self._leaves, place.cleanup)
        self._leaves.players.begin_saving(Path(place.name))()

    def _pause(self) -> str:
        """Saves where the solve stands; returns what to say."""
        done = f"{self._solver.cfr.iteration:,} iterations"
        if self._path is None:
            return f"interrupted after {done}, nothing was kept"
        self._begin()()
        return f"interrupted; give the same command again to go on, {self._path} keeps {done}"

    def _autosave(self) -> Autosave:
        def report(error: RunoutError) -> None:
            self._workplace.on_event(SavingFailed(error.where, error.problem))

        minutes = 0.0 if self._path is None else self._config.joint_settings.checkpoint_minutes
        return Autosave(minutes * _SECONDS_PER_MINUTE, self._begin, report)

    def _begin(self) -> Finish:
        assert self._path is not None  # nothing is ever due without one
        self._path.parent.mkdir(parents=True, exist_ok=True)
        seconds = self._earlier_seconds + self._seconds
        return begin_saving(self._path, self._solver, self._leaves, seconds, self._digest)
