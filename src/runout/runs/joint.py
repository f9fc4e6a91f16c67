"""The stages of a preflop run: on top of a value book, or jointly with its flops."""

import itertools
import weakref
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from runout.cfr.schedules import SolveProgress, StoppingRule
from runout.cfr.team import Team
from runout.config.postflop import JOINT_BACKENDS, PostflopModelConfig
from runout.config.run import RunConfig
from runout.errors import ConfigError, ExecutionError, RunoutError
from runout.events import Phase, PreflopSolving, SavingFailed, TaskLost, reporting_phase
from runout.execution.context import MAX_ATTEMPTS, RunContext
from runout.execution.tasks import CancelledError, ShardLostError, holding_interrupts
from runout.flops.settings import CompactConfig, ExactConfig
from runout.holdem.tables import Precision
from runout.preflop.joint import JointGame, LearningLeaves
from runout.preflop.shards import (
    JointShards,
    ShardedFlops,
    begin_saving,
    divide_flops,
    has_commit,
    restore,
)
from runout.preflop.solver import PreflopSolver, SnapshotSink, ignore_snapshot, value_leaves
from runout.preflop.subgames import CompactEngine, Engine, ExactEngine, LearningFlops
from runout.solutions.preflop import JOINT_FOLDER, MBB_PER_BB, PreflopSolution
from runout.solutions.values import ValueBook
from runout.storage.bundle import digest_config
from runout.storage.writer import Autosave, Finish
from runout.trees.tree import PotType, PreflopTree
from runout.version import __version__

# The preflop stage: a tree solved on top of a value book.


@dataclass(frozen=True, eq=False)
class PreflopStage:
    """Solves the preflop tree of a config, once or in rounds.

    Attributes:
        config: what is asked for.
        tree: its betting.
        workplace: who is told, and what ends the solve.
        on_solution: shown the solution every ``print_every`` iterations of the config.
    """

    config: RunConfig
    tree: PreflopTree
    workplace: RunContext
    on_solution: SnapshotSink = ignore_snapshot

    def solve(self, book: ValueBook, number: int = 0) -> PreflopSolution:
        """Returns the solution on top of a book; ``number`` is the round, for those who listen."""

        def report(progress: SolveProgress) -> None:
            self.workplace.on_event(preflop_event(progress, rule, number))

        solver = PreflopSolver(self.tree, value_leaves(self.tree, book), self.config.schedule())
        rule = self.config.stopping_rule()
        workplace, every = self.workplace, self.config.print_every
        with reporting_phase(workplace.on_event, Phase.PREFLOP, rule.max_iterations):
            return solver.solve(rule, report, self.on_solution, every, workplace.cancel)


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
        exploitability_mbb=to_mbb(progress.exploitability),
        target_mbb=to_mbb(rule.exploitability),
        seconds=progress.seconds,
        max_seconds=rule.max_seconds,
    )


# The joint stage: preflop and flops as one game, from a config to its solution.

_SECONDS_PER_MINUTE = 60.0


class JointOutcome(NamedTuple):
    """What a joint solve found.

    Attributes:
        solution: strategies and values before the flop.
        leaves: what was learned after it.
    """

    solution: PreflopSolution
    leaves: LearningLeaves


def make_joint_game(config: RunConfig, tree: PreflopTree) -> JointGame:
    """Returns the game that a config asks for.

    Raises:
        ConfigError: if flops cannot be played by the config's backend.
    """
    model, settings = config.postflop_model, config.joint_settings
    if model is None:
        raise ConfigError("postflop_model", "missing, a joint game needs one")
    rules = settings.betting_rules(model)
    return JointGame(
        tree=tree,
        flops=model.flop_list(),
        betting={pot: rules[pot.value] for pot in PotType},
        engine=_make_engine(model),
        flops_per_iteration=settings.flops_per_iteration,
        seed=model.seed,
    )


def _make_engine(model: PostflopModelConfig) -> Engine:
    if isinstance(model, ExactConfig):
        return ExactEngine(Precision(model.exact_precision))
    if isinstance(model, CompactConfig):
        precision = Precision(model.compact_precision)
        return CompactEngine(model.river_buckets, model.river_blockers, precision)
    allowed = " or ".join(JOINT_BACKENDS)
    problem = f"{model.solve_type} cannot be played with preflop, use {allowed}"
    raise ConfigError("postflop_model.solve_type", problem)


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
        except ShardLostError as error:
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
