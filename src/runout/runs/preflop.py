"""The main job: from a config to a solved preflop game. Read this file first.

`carry_out` is the whole of it: `RunPlan.make` validates a config and plans its run, `carry_out`
solves it, and `PreflopRun.save` writes what was found. With ``method: joint`` preflop and flops are
one game: `RunConfig -> JointGame -> PreflopSolution -> bundles`. Otherwise flops come first:
`RunConfig -> PreflopTree -> flops solved -> ValueBook -> PreflopSolution -> bundles`.
"""

import weakref
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from runout.cfr.schedules import SolveProgress
from runout.cfr.solver import ignore_progress
from runout.cfr.team import Team
from runout.config.load import load_config
from runout.config.run import RunConfig
from runout.errors import ExecutionError
from runout.events import Phase, PreflopSolving, TaskLost, reporting_phase
from runout.execution.context import MAX_ATTEMPTS, RunContext, describe_interruption
from runout.execution.tasks import CancelledError, WorkerLostError, cancelling_on_interrupt
from runout.preflop import shards
from runout.preflop.joint import Flops, JointGame, JointLeaves, ShardedFlops
from runout.preflop.solver import BookLeaves, PreflopSolver
from runout.runs.plan import RunPlan, find_finished_values, require_own_solution, solving_facts
from runout.solutions import preflop as stored
from runout.solutions.preflop import PreflopSolution
from runout.solutions.run import SolveResult
from runout.solutions.values import ValueBook, ValueBundle
from runout.storage.bundle import digest_config, has_bundle
from runout.storage.writer import Finish
from runout.version import __version__


@dataclass(frozen=True, eq=False, repr=False)
class PreflopRun(SolveResult):
    """Everything that a run found; flops of a joint game can be read once it is saved."""

    kind = "preflop"

    plan: RunPlan
    solution: PreflopSolution
    values: ValueBundle | None  # None if there were no flops to solve
    leaves: JointLeaves | None = None  # of a joint solve that was done just now

    @property
    def view(self) -> PreflopSolution:
        """Strategies and values at any node."""
        return self.solution

    @property
    def config(self) -> RunConfig:
        """What was asked for."""
        return self.plan.config

    def save(self, directory: Path | str, *, overwrite: bool = False) -> None:
        """Writes the solution, and the flops behind it, as bundles in a directory.

        Flops without a solution are what an interrupted save of this run left behind, and are
        replaced in any case.
        """
        directory = Path(directory)
        if not overwrite:
            check_directory(directory, self.plan)
        directory.mkdir(parents=True, exist_ok=True)
        text, place = self.config.to_yaml(), directory / stored.SOLUTION_FOLDER
        may_replace = overwrite or not has_bundle(place)
        if self.values is not None:
            self.values.save(directory / stored.VALUES_FOLDER, overwrite=may_replace)
        if self.leaves is not None:
            shards.save_flop_strategies(
                directory / stored.FLOPS_FOLDER,
                self.leaves,
                self.solution,
                text,
                keep_rivers=self.config.joint_settings.keep_rivers,
                overwrite=may_replace,
            )
        digest = digest_config(self.config.digest_mapping())
        stored.save_solution(place, self.solution, text, digest, overwrite=overwrite)


def solve_preflop(
    config: RunConfig | str | Path,
    context: RunContext | None = None,
    *,
    history_every: int | None = None,
    on_iteration: Callable[[SolveProgress], None] = ignore_progress,
) -> PreflopRun:
    """Solves a preflop game and the flops behind it, by default with all cores, silently.

    >>> import runout
    >>> config = runout.RunConfig(preflop={"preset": "pushfold", "stacks_bb": 8}, iterations=50)
    >>> run = runout.solve_preflop(config, history_every=5)
    >>> run.history[0][0], run.node("a").label
    (5, 'BB versus all-in 8')

    Args:
        config: the game, or the path of its YAML file.
        context: workers, executor, events and checkpoints.
        history_every: iterations between two points of the history, in thousandths of a big blind.
        on_iteration: called after every iteration; exploitability is in big blinds.

    Raises:
        RunoutError: if the config asks for something impossible.
    """
    context = context or RunContext()
    if isinstance(config, str | Path):
        config = load_config(config, RunConfig)
    plan = RunPlan.make(config, context.num_workers)
    return carry_out(replace(plan, history_every=history_every, on_iteration=on_iteration), context)


def carry_out(plan: RunPlan, context: RunContext) -> PreflopRun:
    """Solves what a plan says; checkpoints are written as often as its config says."""
    config = plan.config
    context = replace(context, checkpoint_every=config.checkpoint_every)
    if plan.joint is not None:
        return solve_joint(plan, context)
    values = plan.given_values
    if plan.flops is not None:
        values = plan.flops.carry_out(context)
    book = ValueBook() if values is None else ValueBook.from_values(values.values)
    solution = solve_on_book(plan, book, context)
    return PreflopRun(plan, solution, values)


def check_directory(directory: Path, plan: RunPlan) -> None:
    """Refuses a directory with results of another config; what is not there is no problem."""
    require_own_solution(directory / stored.SOLUTION_FOLDER, plan.config)
    find_finished_values(directory / stored.VALUES_FOLDER, plan.model, verify=False)


def find_finished_run(directory: Path, plan: RunPlan) -> PreflopRun | None:
    """Returns the run of a plan if a directory holds all of it, None if something is missing."""
    check_directory(directory, plan)
    if not has_bundle(directory / stored.SOLUTION_FOLDER):
        return None
    values = find_finished_values(directory / stored.VALUES_FOLDER, plan.model)
    return PreflopRun(plan, stored.load_solution(directory / stored.SOLUTION_FOLDER), values)


# One game: preflop and flops are learned together.


def solve_joint(plan: RunPlan, context: RunContext) -> PreflopRun:
    """Solves a joint game, or goes on with one that was interrupted.

    Threads of this process share all flops. Other executors have shards, one for each worker, that
    play some flops each; if one is lost, all go back to what was last saved.
    """
    game, executor = plan.joint, context.chosen_executor
    assert game is not None
    if executor.is_here:
        flops = game.play_flops(Team(context.num_threads))
        return _learn(plan, game, flops, context)
    parts = shards.divide_flops(game, min(executor.num_workers, len(game.flops)))
    attempt = 0
    while True:
        attempt += 1
        try:
            with closing(executor.start_shards(game, parts, context.on_event)) as group:
                return _learn(plan, game, ShardedFlops(game, group, parts), context)
        except WorkerLostError as error:
            loss = f"a shard is lost, {error}"
            context.on_event(TaskLost("joint solve", loss, attempt, MAX_ATTEMPTS))
            if attempt == MAX_ATTEMPTS:
                raise ExecutionError("joint solve", f"{loss}, {attempt} times") from error


def _learn(plan: RunPlan, game: JointGame, flops: Flops, context: RunContext) -> PreflopRun:
    """Iterates until a limit is met or Ctrl-C is pressed, saving now and then."""
    config = plan.config
    leaves = game.make_leaves(flops, config.schedule())
    solver = PreflopSolver(game.tree, leaves, config.schedule())
    digest = digest_config({"version": __version__, "game": config.game_mapping()})
    path = None if context.checkpoints is None else Path(context.checkpoints) / stored.JOINT_FOLDER
    if path is not None and shards.has_commit(path):
        shards.restore(path, solver, leaves, digest)

    def begin(directory: Path) -> Finish:
        directory.parent.mkdir(parents=True, exist_ok=True)
        return shards.begin_saving(directory, solver, leaves, digest)

    autosave = context.autosave(path, config.joint_settings.checkpoint_minutes, begin)
    with cancelling_on_interrupt(context.cancel, ends_step=True):
        try:
            with autosave:  # whose saves are over before another begins
                solution = _iterate(plan, solver, context, autosave.save_if_due)
        except CancelledError:
            if path is not None:
                begin(path)()
            raise KeyboardInterrupt(describe_interruption(solver.iteration, path)) from None
    if not context.chosen_executor.is_here:  # shards are read when they are gone
        if path is None:
            place = TemporaryDirectory(prefix="runout-")
            weakref.finalize(leaves, place.cleanup)  # no other object reads it
            path = Path(place.name) / stored.JOINT_FOLDER
        begin(path)()
    return PreflopRun(plan, solution, None, leaves)


def _iterate(
    plan: RunPlan,
    solver: PreflopSolver,
    context: RunContext,
    after_each: Callable[[], None] = lambda: None,
) -> PreflopSolution:
    """Solves the game before the flop, as long as the plan says."""
    rule, print_every = plan.rule, plan.config.print_every

    def report(progress: SolveProgress) -> None:
        facts = solving_facts(progress, rule, stored.MBB_PER_BB)
        context.on_event(PreflopSolving(**facts))
        plan.on_iteration(progress)
        after_each()
        if print_every and progress.iteration % print_every == 0:
            plan.on_solution(solver.solution())

    with reporting_phase(context.on_event, Phase.PREFLOP, rule.max_iterations):
        return solver.solution(solver.solve(rule, report, context.cancel))


# Two phases: flops are solved first, and preflop on top of a book of their values.


def solve_on_book(plan: RunPlan, book: ValueBook, context: RunContext) -> PreflopSolution:
    """Returns the solution of a plan whose flops are worth what a book says."""
    solver = PreflopSolver(plan.tree, BookLeaves(plan.tree, book), plan.config.schedule())
    return _iterate(plan, solver, context)
